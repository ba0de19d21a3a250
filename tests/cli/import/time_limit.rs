//! Time limits that a Kattis package leaves to its accepted submissions.

use super::{catalogue, imported, package};
use crate::support::Folder;

const ECHO: &str = "cat\n";
/// About 0.3 s of CPU time.
const SLOW: &str = "i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done; cat\n";

fn problem(config: &str, submissions: &[(&str, &str)]) -> Folder {
    let files = [("problem.yaml", config), ("data/secret/a.in", "1\n"), ("data/secret/a.ans", "1\n")];
    package(&[&files[..], submissions].concat())
}

/// Imports the package and verifies it; returns the output, and the time limit in milliseconds.
fn measured(folder: &Folder) -> (String, Option<f64>) {
    let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p"]);
    assert!(said.code.is_some_and(|code| code < 2), "{}{}", said.stdout, said.stderr);
    let text = catalogue(folder);
    let line = text.lines().find(|line| line.starts_with("cpu = ")).unwrap().to_owned();
    let value = line.split('"').nth(1).unwrap();
    let number = |unit: &str| value.strip_suffix(unit).and_then(|number| number.parse::<f64>().ok());
    let limit = number("ms").or_else(|| number("s").map(|seconds| seconds * 1000.0));
    let is_derived = line.contains("submissions/accepted/");
    assert_eq!(is_derived, said.stdout.contains("taken  the time limit"), "{line} {}", said.stdout);
    (said.stdout, limit.filter(|_| is_derived))
}

#[test]
fn the_slowest_accepted_submission_sets_the_limit() {
    let submissions = [("submissions/accepted/slow.sh", SLOW), ("submissions/accepted/fast.sh", ECHO)];
    let formats = [
        ("name: A\n", 5.0, 1000.0),
        ("name: A\nlimits: {time_multiplier: 3, time_safety_margin: 4}\n", 3.0, 1000.0),
        ("problem_format_version: 2025-09\nname: A\n", 2.0, 1000.0),
        (
            "problem_format_version: 2025-09\nname: A\nlimits: {time_resolution: 0.1, time_multipliers: {ac_to_time_limit: 1.5}}\n",
            1.5,
            100.0,
        ),
    ];
    for (config, factor, step) in formats {
        let (said, limit) = measured(&problem(config, &submissions));
        let limit = limit.unwrap();
        let line = said.lines().find(|line| line.contains("taken  the time limit")).unwrap();
        assert!(line.contains(&format!("{factor} x ")) && line.contains("submissions/accepted/slow.sh on a"), "{line}");
        let time = line.split(" x ").nth(1).unwrap().split(',').next().unwrap();
        let time: f64 = match time.strip_suffix("ms") {
            Some(number) => number.parse().unwrap(),
            None => time.trim_end_matches('s').parse::<f64>().unwrap() * 1000.0,
        };
        // The time is shown in thousandths of its unit.
        assert!(limit >= time * factor - 10.0 && limit < time * factor + step + 10.0, "{line}");
        assert!((limit / step - (limit / step).round()).abs() < 1e-6, "{line}");
        assert_eq!(said.contains("time_safety_margin"), config.contains("time_safety_margin"), "{said}");
    }
}

#[test]
fn a_limit_that_the_package_gives_holds() {
    let folder =
        problem("name: A\nlimits: {time_limit: 7, time_multiplier: 2}\n", &[("submissions/accepted/a.sh", ECHO)]);
    let (said, limit) = measured(&folder);
    assert_eq!((limit, said.contains("the time limit")), (None, false), "{said}");
    assert!(catalogue(&folder).contains("cpu = \"7s\""));
}

#[test]
fn a_file_of_another_system_gives_the_limit() {
    for (file, text) in [
        (".timelimit", "3\n"),
        ("domjudge-problem.ini", "short-name = a\ntimelimit='3'\r\nspecial_compare = x\r\n"),
        ("domjudge-problem.ini", "\u{feff}timelimit = 3 ; as on the old machine\n"),
    ] {
        let folder = problem("name: A\n", &[(file, text)]);
        let said = imported(&folder);
        assert!(!said.contains("time limit"), "{said}");
        let named = "left   domjudge-problem.ini: `special_compare`: answers are checked as problem.yaml says";
        assert_eq!(said.contains(named), text.contains("special_"), "{said}");
        assert!(catalogue(&folder).contains("cpu = \"3s\""), "{text}");
    }
}

#[test]
fn a_limit_that_is_too_large_is_refused() {
    for limit in ["time_resolution: 1e300", "time_resolution: 1e19", "time_multipliers: {ac_to_time_limit: 1e300}"] {
        let config = format!("problem_format_version: 2025-09\nname: A\nlimits:\n  {limit}\n");
        let folder = problem(&config, &[("submissions/accepted/a.sh", ECHO)]);
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        assert!(
            said.code == Some(2) && said.stderr.contains("problem.yaml:4: the slowest"),
            "{limit}: {}",
            said.stderr
        );
        assert!(!folder.path().join("out").exists(), "{limit}");
    }
}

#[test]
fn a_limit_of_0_is_refused_with_its_line() {
    for limit in ["time_limit", "memory", "output", "code"] {
        let said = problem(&format!("name: A\nlimits:\n  {limit}: 0\n"), &[]).judge(&["import", "pack", "--to", "out"]);
        let message = format!("problem.yaml:3: bad value of `limits.{limit}`: expected a number above 0");
        assert!(said.code == Some(2) && said.stderr.contains(&message), "{limit}: {}", said.stderr);
    }
}

#[test]
fn without_accepted_submissions_a_default_is_explained() {
    let excluded = "slow.sh: {use_for_time_limit: false}\n";
    let wrong = ("submissions/accepted/wrong.sh", "echo 2\n");
    for (submissions, why) in [
        (vec![("submissions/wrong_answer/a.sh", "echo 2\n")], "it has no accepted submission that can be run"),
        (
            vec![
                ("submissions/accepted/slow.sh", ECHO),
                ("submissions/submissions.yaml", &*format!("accepted/{excluded}")),
            ],
            "it has no accepted submission that can be run",
        ),
        (vec![wrong], "no accepted submission is accepted here: submissions/accepted/wrong.sh: wrong-answer on a"),
        (
            vec![("submissions/accepted/bad.c", "int main( {\n")],
            "no accepted submission is accepted here: submissions/accepted/bad.c: ",
        ),
    ] {
        let folder = problem("name: A\n", &submissions);
        let (said, limit) = measured(&folder);
        assert_eq!(limit, None, "{said}");
        assert!(
            said.contains("left   the time limit: the package gives none, and ") && said.contains(why),
            "{why}: {said}"
        );
        assert!(said.contains("10s hold: set `cpu` in [problem.limits]"), "{said}");
        assert!(catalogue(&folder).contains("cpu = \"10s\"    # The package gives no time limit."));
    }
    // One of two is enough.
    let (said, limit) = measured(&problem("name: A\n", &[wrong, ("submissions/accepted/right.sh", ECHO)]));
    assert_eq!(limit, Some(1000.0), "{said}");
    // No program of the package is run.
    let said = imported(&problem("name: A\n", &[("submissions/accepted/a.sh", ECHO)]));
    assert!(said.contains("it is derived from the accepted submissions without --no-verify: 10s hold"), "{said}");
}
