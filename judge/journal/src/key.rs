//! The three keys of the journal. Each says what two things must agree in to be the same:
//!
//! | key | agrees in | decides |
//! |---|---|---|
//! | [`SameResult`] | input, solver, checker, limits, environment, what is visible, tier and processor | what `--resume` keeps and `--reuse` takes |
//! | [`SameRun`] | the plan: solvers, cases, generator, checker, limits, environment; no machine | which shards belong together, what `merge` adds up |
//! | [`SameGame`] | problem, checker and input | whose scores are best scores of one case |
//!
//! A key is the hash of its fields, each written out: it depends on no type's name or printed form, and another version of
//! the encoding has other keys.

use judge_problem::{CheckerIdentity, Digest, DigestWriter, Direction, Limits};
use judge_sandbox::{Tier, Visible};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// Begins every key. A change of the fields increments it.
const VERSION: &str = "judge journal key 3";

/// *Same result*: what results must agree in beside the content of the solver, the content of the input, and which repetition
/// of that input it is. Those are stored with each result, and compared one by one. The generator is none of it: what it makes
/// of a seed is the input.
pub(super) struct SameResult<'a> {
    pub(super) problem: &'a str,
    pub(super) checker: &'a CheckerIdentity,
    pub(super) limits: &'a Limits,
    /// As a shell would read it.
    pub(super) environment: &'a str,
    /// Their content is part of the solver's.
    pub(super) visible: &'a [Visible],
    pub(super) tier: Tier,
    /// The processor that the times were taken on.
    pub(super) cpu_model: &'a str,
}

impl SameResult<'_> {
    /// Returns the key of results under these conditions.
    pub(super) fn key(&self) -> Digest {
        let mut key = Encoder::new("conditions");
        key.text(self.problem).checker(self.checker).limits(self.limits);
        key.text(self.environment).number(self.visible.len() as u64);
        for Visible { path, writable } in self.visible {
            key.path(path).number((*writable).into());
        }
        key.text(self.tier.name()).text(self.cpu_model).digest()
    }
}

/// *Same run*: what the results of a plan depend on, without the machine that they come from. Runs that agree in it belong
/// together, whichever of the cases each of them has played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SameRun {
    pub(super) problem: String,
    pub(super) direction: Direction,
    pub(super) checker: CheckerIdentity,
    pub(super) limits: Limits,
    pub(super) environment: String,
    /// The files and folders of `--dir`. Their content is part of the solvers' hashes.
    pub(super) visible: String,
    /// What makes the inputs from seeds.
    pub(super) generator: String,
    /// The hash of what a setter's generator makes of the first seed: it may read what its name does not tell.
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
}

/// *Same game*: what a score is a score of. Another checker or another input is another case, whatever its name.
pub(super) struct SameGame<'a> {
    pub(super) problem: &'a str,
    pub(super) checker: &'a str,
    pub(super) version: u32,
    /// The name tells equal inputs apart in lists. Scores that are relative to the best take the input alone.
    pub(super) name: &'a str,
    /// The hash of the input; empty where it could not be read.
    pub(super) input: &'a [u8],
}

/// Writes the fields of a key one after another. Each begins with its length, so that no two lists of fields run together.
pub(super) struct Encoder(DigestWriter);

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

    fn path(&mut self, path: &Path) -> &mut Self {
        self.bytes(path.as_os_str().as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{Bytes, Time};

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
        let checker = CheckerIdentity { name: "columns".to_owned(), version: 3 };
        let (problem, environment, tier, cpu_model) = ("columns", "'THREADS=1 2'", Tier::Root, "cpu");
        SameResult { problem, checker: &checker, limits: &limits(), environment, visible, tier, cpu_model }.key()
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
}
