//! The same test again as an ordinary user, in no control group of that user's own and in one.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use super::delegation::Delegation;
use super::plain_user::{BECOME, PLAIN_USER};
use super::require::{Need, skip};
use super::surroundings;

/// Tells a process of this test that it is to behave as an ordinary user.
pub(crate) const PLAIN: &str = "--plain";
/// What this test is called among the programs.
pub(crate) const OWN: &str = "misbehave-test";

/// Puts this test where every user can run it.
pub(crate) fn publish(programs: &Path) {
    fs::copy(std::env::current_exe().unwrap(), programs.join(OWN)).unwrap();
}

/// Runs this test again as a user without rights, then with control groups of that user's own; returns how many
/// failed.
pub(crate) fn repeat(programs: &Path, words: &[String]) -> usize {
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
    let mut failures =
        run("userns,bare", None, words) + surroundings::repeat(|program| begin(None, program), programs, words, true);
    // Once without an account of CPU time, and with one what needs it.
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
