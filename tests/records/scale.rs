//! Costs that depend on the number of cases are at most linear in it. `cargo bench -p judge --bench scale` has the
//! figures.

use crate::support::large_run;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Four times as many cases take at most eight times as long. Quadratic time would be sixteen times as long.
const MAX_GROWTH: u32 = 8;

/// Commands on the runs 1 and 2. Each writes to its own output.
const COMMANDS: [&[&str]; 9] = [
    &["history"],
    &["best", "-p", large_run::PROBLEM],
    &["history", "show", "1", "--json", "out"],
    &["history", "show", "1", "--csv", "out"],
    &["history", "show", "1", "--junit", "out"],
    &["history", "show", "1", "--markdown", "out"],
    &["history", "show", "1", "--html", "out"],
    &["rescore", "1", "--score", "relative", "--jsonl", "out"],
    &["compare", "-p", large_run::PROBLEM, "run:1", "run:2", "--json", "out"],
];

/// How often a command is timed that seems to grow faster.
const TRIES: usize = 3;

fn journal(cases: usize) -> TempDir {
    let folder = tempfile::Builder::new().prefix("judge-test-").tempdir().unwrap();
    ["old", "new"].iter().for_each(|name| large_run::record(folder.path(), name, cases));
    folder
}

/// The CPU time of a command, which other programs on the machine hardly influence. A shell measures it, because other
/// tests of this process start programs, too.
fn time(folder: &Path, arguments: &[&str]) -> Duration {
    const MEASURED: &str = "\"$@\" >said 2>&1; code=$?; times; exit $code";
    let mut command = Command::new("sh");
    command.args(["-c", MEASURED, "sh", env!("CARGO_BIN_EXE_judge")]).args(arguments);
    let told = command.current_dir(folder).env_remove("GITHUB_STEP_SUMMARY").output().unwrap();
    let said = || std::fs::read_to_string(folder.join("said")).unwrap();
    assert!(matches!(told.status.code(), Some(0 | 1)), "{arguments:?}: {}", said());
    // The second line has the children's user and system time: `0m1.23s 0m0.04s`.
    let told = String::from_utf8(told.stdout).unwrap();
    let of_word = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    Duration::from_secs_f64(told.lines().nth(1).unwrap().split_whitespace().map(of_word).sum())
}

#[test]
#[ignore = "long: a measurement"]
fn time_grows_linearly_with_cases() {
    assert_growth(1_000);
}

#[test]
#[ignore = "long: eight thousand cases"]
fn time_grows_linearly_with_many_cases() {
    assert_growth(2_000);
}

fn assert_growth(cases: usize) {
    let more = 4 * cases;
    let (few, many) = (journal(cases), journal(more));
    for arguments in COMMANDS {
        let mut found = Vec::new();
        let is_linear = (0..TRIES).any(|_| {
            let (short, long) = (time(few.path(), arguments), time(many.path(), arguments));
            found.push((short, long));
            // The fixed cost of every start is not measured.
            long <= short * MAX_GROWTH + Duration::from_millis(100)
        });
        assert!(is_linear, "{arguments:?}: the times for {cases} cases and for {more}: {found:?}");
    }
}
