//! The keys of the journal: what makes two results, or two runs, the same. A key is the hash of its fields, each written
//! out: it depends on no type's name or printed form, and another version of the encoding has other keys.

use crate::model::{CaseList, CaseSource, CheckerIdentity, Digest, DigestWriter, Limits, Solver};
use judge_sandbox::{Tier, Visible};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// Begins every key. A change of the fields increments it and adds a step to `schema` that carries stored keys over.
const VERSION: &str = "judge journal key 2";

/// What a result must agree in, beside solver and input, to be the same result again.
pub(super) struct ResultConditions<'a> {
    pub(super) problem: &'a str,
    pub(super) checker: &'a CheckerIdentity,
    pub(super) limits: &'a Limits,
    /// As a shell would read it.
    pub(super) environment: &'a str,
    pub(super) visible: &'a [Visible],
    pub(super) tier: Tier,
    /// The processor that the times were taken on.
    pub(super) cpu_model: &'a str,
}

impl ResultConditions<'_> {
    /// Returns the key of results under these conditions.
    pub(super) fn key(&self) -> Digest {
        let Limits { cpu, wall, memory, output, processes } = self.limits;
        let mut key = Encoder::new("conditions");
        key.text(self.problem).text(&self.checker.name).number(self.checker.version.into());
        key.duration(cpu.0).duration(wall.0).number(memory.0).number(output.0).number((*processes).into());
        key.text(self.environment).number(self.visible.len() as u64);
        for Visible { path, writable } in self.visible {
            key.path(path).number((*writable).into());
        }
        key.text(self.tier.name()).text(self.cpu_model).digest()
    }
}

/// Returns the key of a run: of what it must agree in to be continued.
pub(super) fn run_key(conditions: Digest, solvers: &[Solver], hashes: &[Digest], cases: &CaseList) -> Digest {
    let mut key = Encoder::new("run");
    key.bytes(&conditions.0).number(solvers.len() as u64);
    for (solver, hash) in solvers.iter().zip(hashes) {
        key.text(&solver.spec.name).bytes(&hash.0);
    }
    key.number(cases.len() as u64);
    cases.visit(|name, source| {
        key.bytes(name);
        match source {
            CaseSource::Seed(seed) => key.text("seed").number(*seed),
            CaseSource::File(path) => key.text("file").path(path),
        };
    });
    key.digest()
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

    fn path(&mut self, path: &Path) -> &mut Self {
        self.bytes(path.as_os_str().as_bytes())
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    pub(super) fn duration(&mut self, time: Duration) -> &mut Self {
        self.number(time.as_secs()).number(time.subsec_nanos().into())
    }

    pub(super) fn digest(&mut self) -> Digest {
        self.0.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bytes, CaseName, CaseSpec, Invocation, SolverSpec, Time};

    fn conditions(visible: &[Visible]) -> Digest {
        let checker = CheckerIdentity { name: "columns".to_owned(), version: 3 };
        let limits = Limits {
            cpu: Time(Duration::from_micros(1_250_000)),
            wall: Time(Duration::from_secs(5)),
            memory: Bytes(64 << 20),
            output: Bytes(1_000_000),
            processes: 8,
        };
        let (problem, environment, tier, cpu_model) = ("columns", "'THREADS=1 2'", Tier::Root, "cpu");
        ResultConditions { problem, checker: &checker, limits: &limits, environment, visible, tier, cpu_model }.key()
    }

    fn solver(name: &str) -> Solver {
        Solver::new(SolverSpec { name: name.to_owned(), text: String::new() }, Invocation::CannotStart(String::new()))
    }

    /// A change of these digests forgets every stored result: see [`VERSION`].
    #[test]
    fn the_encoding_is_pinned() {
        let visible = [Visible { path: "/opt/data".into(), writable: true }];
        assert_eq!(conditions(&[]).to_string(), "61f8667b2e21d02cda7a70fee7fecfd94f47c8837a29b01551788523c633c9ed");
        assert_eq!(
            conditions(&visible).to_string(),
            "ad2736699a129a18fadf014f43700d94cd5cea8d4330360aea076c150279a7ed"
        );
        let file = CaseSpec::new(CaseName::from("two"), CaseSource::File("/cases/two.in".into()));
        let cases = [CaseSpec::from_seed(7), file].into_iter().collect();
        let hashes = [Digest::of(b"bot"), Digest::of(b"rival")];
        let key = run_key(conditions(&[]), &[solver("bot"), solver("rival")], &hashes, &cases);
        assert_eq!(key.to_string(), "cb5af3d577ba8f3a085ef2d4365cda704a93acf57baf0ebb77b623c2fe8dc7e9");
    }

    #[test]
    fn fields_do_not_run_together_and_a_seed_is_no_file() {
        let key = |names: [&str; 2], source: CaseSource| {
            let cases = [CaseSpec::new(CaseName::from("x"), source)].into_iter().collect();
            run_key(conditions(&[]), &names.map(solver), &[Digest::of(b"bot"); 2], &cases)
        };
        let one = key(["ab", "c"], CaseSource::Seed(7));
        assert_eq!(one, key(["ab", "c"], CaseSource::Seed(7)));
        assert_ne!(one, key(["a", "bc"], CaseSource::Seed(7)));
        assert_ne!(one, key(["ab", "c"], CaseSource::File("7".into())));
    }
}
