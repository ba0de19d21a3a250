//! Other environments: the same test as in most containers, as root in a user namespace without other users, and as an
//! ordinary user with and without control groups. `enter.c` makes the first two.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use super::delegation::Delegation;
use super::plain_user::{BECOME, PLAIN_USER};
use super::require::{Need, skip};

/// Where a test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surroundings {
    Machine,
    /// System calls that make namespaces and mounts are refused.
    Container,
    /// A user namespace whose only user is root, which is the test's user outside.
    Alone,
}

impl Surroundings {
    pub(crate) fn named(name: &str) -> Surroundings {
        let all = [Surroundings::Machine, Surroundings::Container, Surroundings::Alone];
        all.into_iter().find(|known| known.name() == name).unwrap()
    }

    fn name(self) -> &'static str {
        match self {
            Surroundings::Machine => "machine",
            Surroundings::Container => "container",
            Surroundings::Alone => "alone",
        }
    }

    /// The name of a user there.
    pub(crate) fn user(self, plain: bool) -> String {
        let user = if plain { "plain" } else { "root" };
        if self == Surroundings::Machine { user.to_owned() } else { format!("{user} {}", self.name()) }
    }

    /// Whether running a test there can give another result than outside.
    pub(crate) fn matters_to(self, test: &str) -> bool {
        let is_one_of = |names: &[&str]| names.iter().any(|name| test.starts_with(name));
        match self {
            Surroundings::Machine => true,
            Surroundings::Container => is_one_of(&[
                "between",
                "disk",
                "escape",
                "memory",
                "judge killed",
                "leftovers swept",
                "traces from",
                "traces in",
            ]),
            Surroundings::Alone => {
                is_one_of(&["addresses", "between", "input untouched", "streams by name", "gap of a lone root"])
            }
        }
    }

    fn tiers(self) -> &'static str {
        if self == Surroundings::Container { "bare" } else { "root,userns,bare" }
    }
}

/// Runs this test again in both environments, in processes that `begin` makes as the right user. Returns the number of
/// failures.
pub(crate) fn repeat(begin: impl Fn(&Path) -> Command, programs: &Path, words: &[String], plain: bool) -> usize {
    let enter = |world: Surroundings| {
        let mut command = begin(&programs.join("enter"));
        command.arg(world.name());
        command
    };
    let is_made = |world| enter(world).arg("/bin/true").output().unwrap().status.success();
    let mut failures = 0;
    for (world, need) in [(Surroundings::Container, Need::Bare), (Surroundings::Alone, Need::Userns)] {
        if !is_made(world) {
            skip(need, format!("there is no world called {}", world.name()));
            continue;
        }
        let mut command = enter(world);
        command.arg(programs.join(OWN)).args(words).arg("--programs").arg(programs);
        command.args(["--tiers", world.tiers(), "--surroundings", world.name()]).args(plain.then_some(PLAIN));
        failures += usize::from(!command.status().unwrap().success());
    }
    failures
}

/// Tells a process of this test to run as an ordinary user.
pub(crate) const PLAIN: &str = "--plain";
/// The file name of this test among the programs.
pub(crate) const OWN: &str = "misbehave-test";

/// Copies this test to where every user can run it.
pub(crate) fn publish(programs: &Path) {
    fs::copy(std::env::current_exe().unwrap(), programs.join(OWN)).unwrap();
}

/// Runs this test again as an ordinary user, and then with control groups of that user's. Returns the number of
/// failures.
pub(crate) fn repeat_as_plain_user(programs: &Path, words: &[String]) -> usize {
    let own = programs.join(OWN);
    let temporary = programs.join("temporary");
    fs::create_dir(&temporary).unwrap();
    chown(&temporary, Some(PLAIN_USER), Some(PLAIN_USER)).unwrap();
    let begin = |delegation: Option<&Delegation>, program: &Path| {
        let mut command = Command::new(&own);
        command.arg(BECOME).args(delegation.map_or(&[][..], Delegation::folders)).arg("--").arg(program);
        command.env("TMPDIR", &temporary).current_dir("/");
        command
    };
    let run = |tiers: &str, delegation: Option<&Delegation>, words: &[String]| {
        let mut command = begin(delegation, &own);
        command.args(words).arg("--programs").arg(programs).args(["--tiers", tiers, PLAIN]);
        usize::from(!command.status().unwrap().success())
    };
    let mut failures = run("userns,bare", None, words) + repeat(|program| begin(None, program), programs, words, true);
    // Once without an account of CPU time; then the cases that need the account, with it.
    let unseen = ["unseen", "hidden"].map(str::to_owned);
    let wants_unseen = words.is_empty() || words.iter().any(|word| unseen.contains(word));
    for (counted, words) in [(false, words), (true, &unseen[..])] {
        match Delegation::to(PLAIN_USER, counted) {
            Ok(_) if counted && !wants_unseen => {}
            Ok(delegation) => failures += run("delegated", Some(&delegation), words),
            Err(why) => skip(Need::Delegated, format!("as plain with control groups: {why}")),
        }
    }
    failures
}
