//! Every bundled solver answers cases of its game within its time limit, by its own clock.

use std::process::Command;

/// The time limit of each solver in seconds: less than any searching solver uses by default.
const TIME_LIMIT: &str = "0.5";

/// The milliseconds that it may use in addition, to read a case of a million cells and to end a search.
const MAX_CPU: f64 = 1500.0;

/// Far more than any solver takes, so that it is its own clock that ends it.
const LIMIT: &str = "60s";

/// The problem of a solver: the longest id that the solver's id begins with.
fn problem_of(id: &str) -> &'static str {
    let own = checkers::all().iter().map(|checker| checker.id).filter(|problem| id.starts_with(problem));
    own.max_by_key(|problem| problem.len()).unwrap_or_else(|| panic!("{id} is of no problem"))
}

/// Runs a solver on two cases. Returns the judge's report.
fn report_on(id: &str) -> serde_json::Value {
    let solver = format!("bundled:{id}");
    let time_limit = format!("{}={TIME_LIMIT}", solutions::TIME_LIMIT_VARIABLE);
    let output = Command::new(env!("CARGO_BIN_EXE_judge"))
        .args(["run", "--problem", problem_of(id), "--solver", &solver, "--seeds", "2,3"])
        .args(["--env", &time_limit, "--cpu", LIMIT, "--no-journal", "--json", "-"])
        .env_remove("GITHUB_STEP_SUMMARY")
        .output()
        .unwrap();
    assert!(output.status.success(), "{id}: {}{}", output.stdout.escape_ascii(), output.stderr.escape_ascii());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "long: a measurement"]
fn every_bundled_solver_keeps_its_time() {
    for solution in solutions::all() {
        let report = report_on(solution.id);
        let cases = report["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 2, "{}", solution.id);
        for case in cases {
            assert!(case["cpu_ms"].as_f64().unwrap() < MAX_CPU, "{}: {case}", solution.id);
        }
    }
}
