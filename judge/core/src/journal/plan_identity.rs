//! What the results of a plan depend on, without the machine that they come from: runs of the same plan belong together.

use super::columns::{count, limits};
use super::key::Encoder;
use super::record::environment;
use super::{JournalError, RunRecord};
use crate::command::generator_identity;
use crate::model::{CaseList, CaseSource, CheckerIdentity, Digest, Limits, RunId, quote};
use crate::parallel::map_on_all_cores;
use crate::plan::Plan;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// What the results of a plan depend on, without the machine that they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlanIdentity {
    problem: String,
    checker: CheckerIdentity,
    limits: Limits,
    environment: String,
    /// The files and folders of `--dir`. Their content is part of the solvers' hashes.
    visible: String,
    /// What makes the inputs from seeds.
    generator: String,
    /// How many cases there are.
    cases: usize,
    /// The hash of their names, and of the seeds.
    case_list: Digest,
    /// The hash of the content of the cases' files.
    case_files: Digest,
    /// The solvers' names, and the hashes of their content.
    solvers: Vec<(String, Digest)>,
}

impl PlanIdentity {
    /// Returns the identity of a run's plan. The files of its cases are read, repeated ones once, unless their hashes are
    /// known.
    pub(super) fn of(record: &RunRecord<'_>) -> Self {
        let Plan { problem, limits, visible, cases, solvers, .. } = record.plan;
        let mut list = Encoder::new("cases");
        cases.visit(|name, source| {
            list.bytes(name);
            match source {
                CaseSource::Seed(seed) => list.text("seed").number(*seed),
                CaseSource::File(_) => list.text("file"),
            };
        });
        let shown = |visible: &judge_sandbox::Visible| {
            let access = if visible.writable { ":rw" } else { "" };
            quote(&format!("{}{access}", visible.path.display()))
        };
        let names = solvers.iter().map(|solver| solver.spec.name.clone());
        Self {
            problem: problem.id.clone(),
            checker: record.checker.clone(),
            limits: limits.clone(),
            environment: environment(record.plan),
            visible: visible.iter().map(shown).collect::<Vec<_>>().join(" "),
            generator: generator_identity(problem),
            cases: cases.len(),
            case_list: list.digest(),
            case_files: hash_of_files(cases),
            solvers: names.zip(record.solver_hashes.iter().copied()).collect(),
        }
    }

    /// Returns the key that all runs of the plan have.
    pub(super) fn key(&self) -> Digest {
        let Limits { cpu, wall, memory, output, processes } = &self.limits;
        let mut key = Encoder::new("plan");
        key.text(&self.problem).text(&self.checker.name).number(self.checker.version.into());
        key.duration(cpu.0).duration(wall.0).number(memory.0).number(output.0).number((*processes).into());
        key.text(&self.environment).text(&self.visible).text(&self.generator);
        key.number(self.cases as u64).bytes(&self.case_list.0).bytes(&self.case_files.0);
        for (name, hash) in &self.solvers {
            key.text(name).bytes(&hash.0);
        }
        key.digest()
    }

    /// Reads the identity of a run's plan; `None` if it has none: it has grown, or is of an older judge.
    pub(super) fn read(connection: &Connection, run: RunId) -> Result<Option<Self>, JournalError> {
        let mut statement = connection.prepare("SELECT name, hash FROM entrant WHERE run = ?1 ORDER BY place")?;
        let solvers = statement.query_map([run.0], |row| Ok((row.get(0)?, Digest(row.get(1)?))))?;
        let solvers = solvers.collect::<Result<_, _>>()?;
        let mut statement = connection.prepare(
            "SELECT problem, checker, checker_version, cpu_limit_us, wall_limit_us, memory_limit, output_limit, process_limit,
                 environment, visible, generator, case_count, case_list, case_files FROM run
             WHERE id = ?1 AND plan IS NOT NULL",
        )?;
        let read = |row: &Row<'_>| {
            Ok(Self {
                problem: row.get(0)?,
                checker: CheckerIdentity { name: row.get(1)?, version: row.get(2)? },
                limits: limits(row, 3)?,
                environment: row.get(8)?,
                visible: row.get(9)?,
                generator: row.get(10)?,
                cases: count(row, 11)?,
                case_list: Digest(row.get(12)?),
                case_files: Digest(row.get(13)?),
                solvers,
            })
        };
        Ok(statement.query_row([run.0], read).optional()?)
    }

    /// Returns how it differs from another: what, the own value, and the other's.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let (own, theirs) = (self.fields(), other.fields());
        let differ = |(what, value): &(String, String)| {
            let theirs = theirs.iter().find(|(name, _)| name == what).map_or("none", |(_, value)| value);
            (value != theirs).then(|| format!("{what}: {value}, there {theirs}"))
        };
        let gone = |(what, value): &&(String, String)| {
            (!own.iter().any(|(name, _)| name == what)).then(|| format!("{what}: none, there {value}"))
        };
        own.iter().filter_map(differ).chain(theirs.iter().filter_map(|field| gone(&field))).collect()
    }

    fn fields(&self) -> Vec<(String, String)> {
        let Limits { cpu, wall, memory, output, processes } = &self.limits;
        let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
        let fixed = [
            ("problem", self.problem.clone()),
            ("checker", self.checker.to_string()),
            ("--cpu", cpu.to_string()),
            ("--wall", wall.to_string()),
            ("--memory", memory.to_string()),
            ("--output-limit", output.to_string()),
            ("--processes", processes.to_string()),
            ("--env", or_none(&self.environment)),
            ("--dir", or_none(&self.visible)),
            ("generator", or_none(&self.generator)),
            ("cases", format!("{} #{}", self.cases, self.case_list.short())),
            ("content of the input files", format!("#{}", self.case_files.short())),
        ];
        let solvers = self.solvers.iter().map(|(name, hash)| (format!("solver {name}"), format!("#{}", hash.short())));
        fixed.into_iter().map(|(what, value)| (what.to_owned(), value)).chain(solvers).collect()
    }

    /// Notes it in the row of a run that has the other columns already.
    pub(super) fn note(&self, connection: &Connection, run: i64) -> rusqlite::Result<()> {
        connection.execute(
            "UPDATE run SET plan = ?2, visible = ?3, generator = ?4, case_list = ?5, case_files = ?6 WHERE id = ?1",
            params![run, self.key().0, self.visible, self.generator, self.case_list.0, self.case_files.0],
        )?;
        Ok(())
    }
}

/// Returns the hash of the content of the cases' files, in the order of the cases.
fn hash_of_files(cases: &CaseList) -> Digest {
    let files = cases.files();
    // A file that cannot be read is a failed case of the run.
    let hash = |number: usize| std::fs::read(files[number].0).map_or(Digest([0; 32]), |content| Digest::of(&content));
    let hashes = cases.file_hashes().unwrap_or_else(|| map_on_all_cores(files.len(), hash));
    let mut all = Encoder::new("files");
    for ((_, times), hash) in files.iter().zip(hashes.iter()) {
        for _ in 0..*times {
            all.bytes(&hash.0);
        }
    }
    all.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CaseName, CaseSpec, ReadFile};

    #[test]
    fn hashes_that_are_known_are_those_of_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut cases = CaseList::default();
        for name in ["a", "a", "b"] {
            let path = folder.path().join(name);
            std::fs::write(&path, name).unwrap();
            cases.push(CaseSpec::new(CaseName::from(name), CaseSource::File(path)));
        }
        let read = hash_of_files(&cases);
        let read_file = |(path, _): &(&std::path::Path, usize)| {
            let hash = Digest::of(&std::fs::read(path).unwrap());
            ReadFile { hash, input: None }
        };
        cases.set_read_files(cases.files().iter().map(read_file).collect());
        assert_eq!(hash_of_files(&cases), read);
        std::fs::write(folder.path().join("b"), "another").unwrap();
        assert_eq!(hash_of_files(&cases), read, "nothing is read again");
        cases.set_read_files(cases.files().iter().map(read_file).collect());
        assert_ne!(hash_of_files(&cases), read);
    }
}
