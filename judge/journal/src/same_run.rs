//! What the results of a plan depend on: taken of a record, read of a journal, and compared.

use super::change::{Change, FILES, GENERATOR, PROBE};
use super::columns::{count, limits, named};
use super::key::{Encoder, SameRun};
use super::record::environment;
use super::{JournalError, RunRecord};
use judge_problem::parallel::map_on_all_cores;
use judge_problem::plan::Plan;
use judge_problem::{CaseList, CaseSource, CheckerIdentity, Digest, Limits, RunId, quote};
use rusqlite::{Connection, OptionalExtension, Row, params};

impl SameRun {
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
            direction: problem.direction,
            checker: record.checker.clone(),
            limits: limits.clone(),
            environment: environment(record.plan),
            visible: visible.iter().map(shown).collect::<Vec<_>>().join(" "),
            generator: record.generator.to_owned(),
            probe: record.probe,
            cases: cases.len(),
            case_list: list.digest(),
            case_files: hash_of_files(cases),
            solvers: names.zip(record.solver_hashes.iter().copied()).collect(),
        }
    }

    /// Reads the identity of a run's plan; `None` if it has none: it has grown.
    pub(super) fn read(connection: &Connection, run: RunId) -> Result<Option<Self>, JournalError> {
        let mut statement = connection.prepare("SELECT name, hash FROM entrant WHERE run = ?1 ORDER BY place")?;
        let solvers = statement.query_map([run.0], |row| Ok((row.get(0)?, Digest(row.get(1)?))))?;
        let solvers = solvers.collect::<Result<_, _>>()?;
        let mut statement = connection.prepare(
            "SELECT problem, checker, checker_version, cpu_limit_us, wall_limit_us, memory_limit, output_limit, process_limit,
                 environment, visible, generator, case_count, case_list, case_files, direction, probe FROM run
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
                direction: named(row, 14)?,
                probe: row.get::<_, Option<_>>(15)?.map(Digest),
                solvers,
            })
        };
        Ok(statement.query_row([run.0], read).optional()?)
    }

    /// Returns how it differs from another.
    pub(super) fn differences(&self, other: &Self) -> Vec<Change> {
        let (own, theirs) = (self.fields(), other.fields());
        let value = |fields: &[(String, String)], what: &str| {
            fields.iter().find(|(name, _)| name == what).map_or_else(|| "none".to_owned(), |(_, value)| value.clone())
        };
        let added = theirs.iter().filter(|(what, _)| own.iter().all(|(name, _)| name != what));
        let names = own.iter().chain(added).map(|(what, _)| what);
        names.filter_map(|what| Change::of(what, &value(&own, what), &value(&theirs, what))).collect()
    }

    fn fields(&self) -> Vec<(String, String)> {
        let Limits { cpu, wall, memory, output, processes } = &self.limits;
        let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
        let fixed = [
            ("problem", self.problem.clone()),
            ("direction", self.direction.name().to_owned()),
            ("checker", self.checker.to_string()),
            ("--cpu", cpu.to_string()),
            ("--wall", wall.to_string()),
            ("--memory", memory.to_string()),
            ("--output-limit", output.to_string()),
            ("--processes", processes.to_string()),
            ("--env", or_none(&self.environment)),
            ("--dir", or_none(&self.visible)),
            (GENERATOR, or_none(&self.generator)),
            (PROBE, self.probe.map_or_else(|| "none".to_owned(), |probe| format!("#{}", probe.short()))),
            ("cases", format!("{} #{}", self.cases, self.case_list.short())),
            (FILES, format!("#{}", self.case_files.short())),
        ];
        let solvers = self.solvers.iter().map(|(name, hash)| (format!("solver {name}"), format!("#{}", hash.short())));
        fixed.into_iter().map(|(what, value)| (what.to_owned(), value)).chain(solvers).collect()
    }

    /// Notes it in the row of a run that has the other columns already.
    pub(super) fn note(&self, connection: &Connection, run: i64) -> rusqlite::Result<()> {
        connection.execute(
            "UPDATE run SET plan = ?2, visible = ?3, generator = ?4, probe = ?5, case_list = ?6, case_files = ?7 WHERE id = ?1",
            params![
                run,
                self.key().0,
                self.visible,
                self.generator,
                self.probe.map(|probe| probe.0),
                self.case_list.0,
                self.case_files.0
            ],
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
    use judge_problem::{CaseName, CaseSpec, ReadFile};

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
