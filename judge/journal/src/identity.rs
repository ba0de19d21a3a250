//! The three keys of the journal. Two things are the same if they agree in all properties of the key:
//!
//! | key | properties | decides |
//! |---|---|---|
//! | [`RunRecord::conditions`] | input, solver, checker, limits, environment, visible paths, tier and processor | which results `--resume` keeps and `--reuse` takes |
//! | [`SameRun`] | the plan: solvers, cases, generator, checker, limits, environment; not the machine | which shards belong together, which results `merge` combines |
//! | [`SameGame`] | problem, checker and input | which scores compete for the best score of a case |
//!
//! A key is the hash of its fields. Each field is written explicitly, so a key does not depend on the name or printed
//! form of a type. Another version of the encoding gives other keys.

use super::columns::{count, limits, named};
use super::error::Result;
use judge_problem::{
    CaseList, CaseSource, CheckerIdentity, Digest, DigestWriter, Direction, Limits, Machine, MetricRule, Plan,
    Retention, RunId, Shard, map_on_all_cores, quote,
};
use judge_run::command;
use judge_sandbox::{Tier, Visible};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// The beginning of every key. A change of the fields increments its number.
const VERSION: &str = "judge journal key 3";

/// *Same run*: the properties that the results of a plan depend on, without the machine. Runs with the same key belong
/// together, even if they have played different cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SameRun {
    pub(super) problem: String,
    pub(super) direction: Direction,
    pub(super) checker: CheckerIdentity,
    pub(super) limits: Limits,
    pub(super) environment: String,
    /// The files and folders of `--dir`. Their content is part of the solvers' hashes.
    pub(super) visible: String,
    /// The source of inputs from seeds.
    pub(super) generator: String,
    /// The hash of the input that a setter's generator makes of the first seed, because the generator may read files
    /// that its name does not show.
    pub(super) probe: Option<Digest>,
    /// How many cases there are.
    pub(super) cases: usize,
    /// The hash of their names, and of the seeds.
    pub(super) case_list: Digest,
    /// The hash of the content of the cases' files.
    pub(super) case_files: Digest,
    /// The solvers' names, and the hashes of their content.
    pub(super) solvers: Vec<(String, Digest)>,
}

impl SameRun {
    /// Returns the key that all runs of the plan have.
    pub(super) fn key(&self) -> Digest {
        let mut key = Encoder::new("plan");
        key.text(&self.problem).text(self.direction.name()).checker(&self.checker).limits(&self.limits);
        key.text(&self.environment).text(&self.visible).text(&self.generator);
        key.bytes(self.probe.as_ref().map_or(&[], |probe| &probe.0));
        key.number(self.cases as u64).bytes(&self.case_list.0).bytes(&self.case_files.0);
        for (name, hash) in &self.solvers {
            key.text(name).bytes(&hash.0);
        }
        key.digest()
    }

    /// Returns the identity of a run's plan. The files of its cases are read once each, unless their hashes are known.
    pub(super) fn of(record: &RunRecord<'_>) -> Self {
        let Plan { problem, limits, visible, cases, solvers, .. } = record.plan;
        let mut list = Encoder::new("cases");
        cases.visit(|name, source| {
            list.bytes(name);
            match source {
                CaseSource::Seed(seed) => list.text("seed").number(*seed),
                CaseSource::Made(call) => list.text("made").text(&call.to_string()),
                CaseSource::File(_) => list.text("file"),
            };
        });
        let shown = |visible: &Visible| {
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
            generator: record.generator.clone(),
            probe: record.probe,
            cases: cases.len(),
            case_list: list.digest(),
            case_files: hash_of_files(cases),
            solvers: names.zip(record.solver_hashes.iter().copied()).collect(),
        }
    }

    /// Reads the identity of a run's plan; `None` if it has none: it has grown.
    pub(super) fn read(connection: &Connection, run: RunId) -> Result<Option<Self>> {
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

/// *Same game*: the scores that can be compared. With another checker or another input, the case is different even if
/// its name is the same.
pub(super) struct SameGame<'a> {
    pub(super) problem: &'a str,
    pub(super) checker: &'a str,
    pub(super) version: u32,
    /// The name distinguishes equal inputs in lists. Scores relative to the best score depend only on the input.
    pub(super) name: &'a str,
    /// The hash of the input; empty if it could not be read.
    pub(super) input: &'a [u8],
}

/// Writes the fields of a key one after another. Each field begins with its length, so different lists of fields give
/// different bytes.
struct Encoder(DigestWriter);

impl Encoder {
    pub(super) fn new(kind: &str) -> Self {
        let mut encoder = Self(DigestWriter::default());
        encoder.text(VERSION).text(kind);
        encoder
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.write(&(bytes.len() as u64).to_le_bytes());
        self.0.write(bytes);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn checker(&mut self, checker: &CheckerIdentity) -> &mut Self {
        self.text(&checker.name).number(checker.version.into())
    }

    fn limits(&mut self, limits: &Limits) -> &mut Self {
        let Limits { cpu, wall, memory, output, processes } = limits;
        self.duration(cpu.0).duration(wall.0).number(memory.0).number(output.0).number((*processes).into())
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    fn duration(&mut self, time: Duration) -> &mut Self {
        self.number(time.as_secs()).number(time.subsec_nanos().into())
    }

    pub(super) fn digest(&mut self) -> Digest {
        self.0.digest()
    }
}

/// The properties of a run that are recorded before its first case.
#[derive(Debug, Clone)]
pub struct RunRecord<'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// The identity of its checker.
    pub checker: CheckerIdentity,
    /// The identity of its generator. Empty without one.
    pub generator: String,
    /// The content of each solver, in the order of the plan.
    pub solver_hashes: Vec<Digest>,
    /// Its id among all runs of all machines, if the caller has chosen one.
    pub uid: Option<String>,
    /// The command line that does it again.
    pub command: String,
    /// The user's message, if there is one.
    pub message: Option<&'a str>,
    /// How many solvers run at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The environment of the run.
    pub surroundings: Surroundings,
    /// The shard that it is, if it is one. The plan is the whole one nevertheless.
    pub shard: Option<Shard>,
    /// How many of the plan's cases it plays.
    pub played: usize,
    /// The hash of the input that a setter's generator makes from the plan's first seed; `None` without one.
    pub probe: Option<Digest>,
    /// Which answers the journal keeps.
    pub retention: Retention,
}

impl<'a> RunRecord<'a> {
    /// Returns the record of a run of a whole plan by one job, with the identities that the checker and the generator have
    /// now. It lacks the content of the solvers, the command line and the surroundings.
    pub fn new(plan: &'a Plan, tier: Tier, retention: Retention) -> Self {
        Self {
            plan,
            checker: command::checker_identity(&plan.problem.checker),
            generator: command::generator_identity(&plan.problem),
            solver_hashes: Vec::new(),
            uid: None,
            command: String::new(),
            message: None,
            jobs: 1,
            tier,
            surroundings: Surroundings::default(),
            shard: None,
            played: plan.cases.len(),
            probe: None,
            retention,
        }
    }

    /// Returns the key of the *same result*: the properties that results must share besides the content of the solver, the
    /// content of the input, and the repetition of that input. Those three are stored with each result and compared one by
    /// one. The content of visible paths is part of the solver's. The generator does not matter, because its output is the
    /// input.
    pub(super) fn conditions(&self) -> Digest {
        let Plan { problem, limits, visible, .. } = self.plan;
        let mut key = Encoder::new("conditions");
        key.text(&problem.id).checker(&self.checker).limits(limits);
        key.text(&environment(self.plan)).number(visible.len() as u64);
        for Visible { path, writable } in visible {
            key.bytes(path.as_os_str().as_bytes()).number((*writable).into());
        }
        key.text(self.tier.name()).text(&self.surroundings.machine.cpu_model);
        // Without metrics, the key is the same as before metrics were introduced.
        if !problem.metrics.is_empty() {
            key.text(&MetricRule::identity(&problem.metrics));
        }
        key.digest()
    }
}

/// Reads the key of the conditions that a run's results were found under, the tier of its sandbox, and its processor.
pub(super) fn conditions_of(connection: &Connection, run: RunId) -> Result<(Digest, String, String)> {
    let sql = "SELECT conditions, tier, cpu_model FROM run WHERE id = ?1";
    Ok(connection.query_row(sql, [run.0], |row| Ok((Digest(row.get(0)?), row.get(1)?, row.get(2)?)))?)
}

/// The environment that the user gave, as a shell would read it.
pub fn environment(plan: &Plan) -> String {
    shell_words::join(plan.environment.iter().map(|(key, value)| format!("{key}={value}")))
}

/// Returns the hash of the content of the cases' files, in the order of the cases.
fn hash_of_files(cases: &CaseList) -> Digest {
    let files = cases.files();
    // A file that cannot be read is a failed case of the run.
    let hash =
        |number: usize| judge_run::files::read(files[number].0).map_or(Digest([0; 32]), |content| Digest::of(&content));
    let hashes = cases.file_hashes().unwrap_or_else(|| map_on_all_cores(files.len(), hash));
    let mut all = Encoder::new("files");
    for ((_, times), hash) in files.iter().zip(hashes.iter()) {
        for _ in 0..*times {
            all.bytes(&hash.0);
        }
    }
    all.digest()
}

/// A difference between two runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    what: String,
    own: String,
    theirs: String,
}

impl Change {
    /// Returns the change between these two values, if there is one.
    pub(super) fn of(what: &str, own: &str, theirs: &str) -> Option<Self> {
        let [what, own, theirs] = [what, own, theirs].map(str::to_owned);
        (own != theirs).then_some(Self { what, own, theirs })
    }

    /// Returns it as a sentence; `there` describes the location of the other run.
    pub(super) fn text(&self, there: impl fmt::Display) -> String {
        format!("{}: {}, {there} {}", self.what, self.own, self.theirs)
    }

    /// Returns whether the source of the inputs has changed. The inputs themselves are compared separately.
    pub(super) fn is_of_inputs(&self) -> bool {
        [GENERATOR, PROBE, FILES].contains(&&*self.what)
    }

    /// Returns whether the plan itself has changed, apart from its files.
    pub(super) fn is_of_plan(&self) -> bool {
        !self.is_of_inputs() && !["direction", "checker", "--dir"].contains(&&*self.what)
    }
}

const GENERATOR: &str = "generator";
const PROBE: &str = "what the generator makes of the first seed";
const FILES: &str = "content of the input files";

/// A repository so large that this does not suffice is recorded without its commit.
const GIT_LIMIT: Duration = Duration::from_secs(2);

/// The environment of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The machine.
    pub machine: Machine,
    /// The commit that is checked out in the current folder, if there is one.
    pub git_commit: Option<String>,
    /// Whether tracked files differ from that commit.
    pub git_dirty: Option<bool>,
}

impl Surroundings {
    /// Returns the machine and the sources in this folder. Unknown parts are empty.
    pub fn detect(folder: &Path) -> Self {
        let here = Self { machine: this_machine(), ..Self::default() };
        if !may_have_sources(folder) {
            return here;
        }
        if names_programs(folder) {
            let commit = git(folder, &["rev-parse", "--verify", "HEAD"]).map(|commit| commit.trim().to_owned());
            return Self { git_commit: commit, ..here };
        }
        match git(folder, &["status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all"])
        {
            Some(status) => Self { git_commit: commit(&status), git_dirty: Some(is_dirty(&status)), ..here },
            None => here,
        }
    }
}

/// Returns the machine that this process runs on.
pub fn this_machine() -> Machine {
    let system = rustix::system::uname();
    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    let cpu_model = cpu_model().unwrap_or_else(|| text(system.machine()));
    Machine { host: text(system.nodename()), kernel: text(system.release()), cpu_model }
}

/// Whether git can find a repository with a work tree from here. Asking git itself takes longer than running a case.
fn may_have_sources(folder: &Path) -> bool {
    let is_named = std::env::var_os("GIT_DIR").is_some();
    is_named || folder.canonicalize().is_ok_and(|folder| folder.ancestors().any(|above| above.join(".git").exists()))
}

/// The name of the first core's processor. The kernel queries each core that is read, so the others are left out.
fn cpu_model() -> Option<String> {
    static MODEL: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = BufReader::with_capacity(1024, File::open("/proc/cpuinfo").ok()?);
        let line = text.lines().map_while(Result::ok).find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    MODEL.get_or_init(read).clone()
}

/// The output of git, if it is installed and succeeds. A repository may have come with a solver, so git starts no
/// monitor and fetches nothing, even if the repository's settings request it.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let start = ["env", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1", "git", "--no-optional-locks"];
    let words = start.iter().chain(&["-c", "core.fsmonitor=false"]).chain(arguments);
    let words: Vec<_> = words.map(Into::into).collect();
    let finished = command::run(&words, folder, GIT_LIMIT).ok()?;
    finished.status.success().then(|| String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// Whether the repository's own settings name filters: programs that git would start to compare files. Filters in the
/// user's own settings are trusted.
fn names_programs(folder: &Path) -> bool {
    let settings = git(folder, &["config", "--list", "--show-scope", "--name-only"]).unwrap_or_default();
    settings
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .any(|(scope, name)| matches!(scope, "local" | "worktree") && name.to_ascii_lowercase().starts_with("filter."))
}

fn commit(status: &str) -> Option<String> {
    let commit = status.lines().find_map(|line| line.strip_prefix("# branch.oid "))?;
    (commit != "(initial)").then(|| commit.to_owned())
}

fn is_dirty(status: &str) -> bool {
    status.lines().any(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{Bytes, CaseName, CaseSpec, ReadFile, Time};

    fn limits() -> Limits {
        Limits {
            cpu: Time(Duration::from_micros(1_250_000)),
            wall: Time(Duration::from_secs(5)),
            memory: Bytes(64 << 20),
            output: Bytes(1_000_000),
            processes: 8,
        }
    }

    fn result(visible: &[Visible]) -> Digest {
        let catalogue = judge_problem::Catalogue::built_in(Path::new("/")).unwrap();
        let problem = judge_problem::Problem { metrics: Vec::new(), ..catalogue.find("columns").unwrap().clone() };
        let environment = vec![("THREADS".to_owned(), "1 2".to_owned())];
        let plan = Plan::new(problem, Vec::new(), CaseList::default());
        let plan = Plan { limits: limits(), environment, visible: visible.to_vec(), ..plan };
        let record = RunRecord {
            checker: CheckerIdentity { name: "columns".to_owned(), version: 3 },
            surroundings: Surroundings {
                machine: Machine { cpu_model: "cpu".to_owned(), ..Machine::default() },
                ..Surroundings::default()
            },
            ..RunRecord::new(&plan, Tier::Root, Retention::All)
        };
        record.conditions()
    }

    fn run(names: [&str; 2]) -> SameRun {
        SameRun {
            problem: "columns".to_owned(),
            direction: Direction::Max,
            checker: CheckerIdentity { name: "columns".to_owned(), version: 3 },
            limits: limits(),
            environment: String::new(),
            visible: String::new(),
            generator: "built in, version 1".to_owned(),
            probe: None,
            cases: 1,
            case_list: Digest::of(b"seed-7"),
            case_files: Digest::of(b""),
            solvers: names.map(|name| (name.to_owned(), Digest::of(b"bot"))).into(),
        }
    }

    /// A change of these digests forgets every stored result: see [`VERSION`].
    #[test]
    fn the_encoding_is_pinned() {
        let visible = [Visible { path: "/opt/data".into(), writable: true }];
        assert_eq!(result(&[]).to_string(), "fb5ef8961154fd25468a3ef0a6878f0a388431361f25d8a8bc2033e2c85966b8");
        assert_eq!(result(&visible).to_string(), "25f6605e5948abc5785c0a955a44312ac5a4a79e67714313cb3734ca8b35212c");
        assert_eq!(
            run(["bot", "rival"]).key().to_string(),
            "2012dfbdf787c6dcbcc9b8e4ac966707d1fde4047bbf63df51b6848793e8fe33"
        );
    }

    #[test]
    fn fields_do_not_run_together_and_each_of_them_counts() {
        let whole = run(["ab", "c"]);
        assert_eq!(whole.key(), run(["ab", "c"]).key());
        assert_ne!(whole.key(), run(["a", "bc"]).key());
        let changes: [fn(&mut SameRun); 11] = [
            |run| run.problem.push('x'),
            |run| run.direction = Direction::Min,
            |run| run.checker.version = 4,
            |run| run.limits.processes = 9,
            |run| run.environment.push('x'),
            |run| run.visible.push('x'),
            |run| run.generator.push('x'),
            |run| run.probe = Some(Digest::of(b"x")),
            |run| run.cases = 2,
            |run| run.case_list = Digest::of(b"seed-8"),
            |run| run.case_files = Digest::of(b"x"),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut other = whole.clone();
            change(&mut other);
            assert_ne!(other.key(), whole.key(), "change {number}");
            assert_eq!(whole.differences(&other).len(), 1, "change {number}");
        }
    }

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

    #[test]
    fn the_commit_and_the_changes_are_read() {
        let clean = "# branch.oid 0123abc\n# branch.head main\n";
        assert_eq!((commit(clean).as_deref(), is_dirty(clean)), (Some("0123abc"), false));
        assert!(is_dirty(&format!("{clean}1 .M N... 100644 100644 100644 aa bb README.md\n")));
        assert_eq!(commit("# branch.oid (initial)\n# branch.head main\n"), None);
    }

    #[test]
    fn git_is_asked_in_and_below_a_repository_alone() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("repository/deep");
        std::fs::create_dir_all(&deep).unwrap();
        assert!(!may_have_sources(&deep));
        // In a linked work tree it is a file.
        std::fs::write(folder.path().join("repository/.git"), "gitdir: elsewhere").unwrap();
        assert!(may_have_sources(&deep) && !may_have_sources(folder.path()));
    }

    #[test]
    fn the_machine_has_a_name_and_a_processor() {
        let here = this_machine();
        assert!(!here.kernel.is_empty() && !here.cpu_model.is_empty(), "{here:?}");
    }
}
