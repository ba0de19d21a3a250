//! Neighbours: solvers have separate cores, disturbed cases are marked, and no case is too slow because of another.

use crate::support::pace::{at_most, awaited, in_time, unhurried};
use crate::support::processes::Guarded;
use crate::support::require::{Need, skip};
use crate::support::stage::{Stage, json, turn};
use crate::support::{Folder, of_cases};
use judge_sandbox::Cores;
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A problem whose answers are their own scores.
fn echo(stage: &Stage) {
    let problem = "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1\"\n";
    std::fs::write(stage.path("work").join("problems.toml"), problem).unwrap();
}

fn cores() -> usize {
    Cores::here().numbers.len()
}

#[test]
#[ignore = "CI: every core is kept busy"]
fn busy_neighbours_mark_cases_without_changing_cpu_time() {
    let Some(stage) = Stage::set() else { return };
    echo(&stage);
    let burner = |core: &usize| {
        let mut command = Command::new(stage.path("solver"));
        Guarded(command.args(["burn-on", &core.to_string()]).stdout(Stdio::null()).spawn().unwrap())
    };
    let cores = Cores::here();
    let _burners: Vec<_> = cores.numbers.iter().chain(&cores.numbers).map(burner).collect();
    let solver = stage.solver("burn 300");
    let arguments =
        ["run", "-p", "echo", "-s", &solver, "--seeds", "1-2", "--jobs", "1", "--wall", "60s", "--json", "-"];
    unhurried("burners", || assert_cpu_time_is_the_programs_own(&json(stage.judge(&arguments)))).unwrap();
}

fn assert_cpu_time_is_the_programs_own(report: &Value) {
    assert_eq!(of_cases(report, "verdict"), ["accepted"; 2], "{report}");
    for case in report["cases"].as_array().unwrap() {
        let (cpu, wall) = (case["cpu_ms"].as_f64().unwrap(), case["wall_ms"].as_f64().unwrap());
        // The last time that the program itself has read, in nanoseconds, without its start and its end.
        let own = case["score"].as_f64().unwrap() / 1e6;
        println!("CPU {cpu} ms, by its own account {own} ms; wall {wall} ms");
        assert!(own <= cpu, "{cpu} ms of CPU time, {own} by its own account");
        in_time(cpu < own * 1.02 + at_most(2) as f64, || format!("{cpu} ms of CPU time, {own} by its own account"));
        assert!(wall > cpu * 1.15, "two neighbours on its core, and {wall} ms for {cpu}");
        assert_eq!(case["noisy"], true, "{case}");
    }
}

#[test]
fn each_worker_has_its_own_core_by_default() {
    let Some(stage) = Stage::set() else { return };
    echo(&stage);
    let solver = stage.solver("cores");
    let scores = |more: &[&str]| {
        let run = ["run", "-p", "echo", "-s", &solver, "--seeds", "1-40", "--json", "-"];
        // The judges of other tests may have the cores for a while.
        let output = awaited(Duration::from_secs(60), "the cores are free", || {
            let output = stage.judge(&[&run[..], more].concat()).output().unwrap();
            (!String::from_utf8_lossy(&output.stderr).contains("other judges run here")).then_some(output)
        });
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(of_cases(&report, "verdict"), ["accepted"; 40], "{report}");
        of_cases(&report, "score").iter().map(|score| score.as_u64().unwrap()).collect::<BTreeSet<_>>()
    };
    // The number of cores, times 100000, and the first of them.
    let tied = scores(&[]);
    assert!(tied.iter().all(|score| score / 100_000 == 1), "{tied:?}");
    let free = scores(&["--no-pin"]);
    assert_eq!(free.iter().map(|score| score / 100_000).collect::<Vec<_>>(), [cores() as u64], "{free:?}");
    if cores() == 1 {
        skip(Need::Cores, "different cores for different workers: there is one core");
        return;
    }
    let two = scores(&["--jobs", "2"]);
    assert_eq!(two.len(), 2, "two workers, two cores: {two:?}");
}

/// Runs one case in which the solver burns CPU time: this long in the first run, that long in later runs. Returns its
/// verdict and the number of runs.
fn burn_twice(stage: &Stage, first: &str, later: &str) -> (String, u64) {
    let folder = stage.path("tmp").join(format!("{first}-{later}"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let folder = folder.display().to_string();
    let solver = stage.solver(&format!("once-slow {folder} {first} {later}"));
    let run = ["run", "-p", "columns", "-s", &solver, "--seeds", "1", "--cpu", "500ms", "--wall", "60s"];
    let more = ["--dir", &format!("{folder}:rw"), "--jobs", "2", "--no-journal", "--json", "-"];
    let report = json(stage.judge(&[&run[..], &more[..]].concat()));
    let runs = std::fs::metadata(format!("{folder}/runs")).unwrap().len();
    (report["cases"][0]["verdict"].as_str().unwrap().to_owned(), runs)
}

#[test]
#[ignore = "CI: every core is kept busy"]
fn a_narrow_timeout_is_run_again_alone() {
    let Some(stage) = Stage::set() else { return };
    assert_eq!(burn_twice(&stage, "520", "100"), ("accepted".to_owned(), 2), "it was the neighbours");
    assert_eq!(burn_twice(&stage, "520", "521"), ("time-limit".to_owned(), 2), "it was not");
    assert_eq!(burn_twice(&stage, "600", "100"), ("time-limit".to_owned(), 1), "too slow by far");
    assert_eq!(burn_twice(&stage, "400", "100"), ("accepted".to_owned(), 1), "fast enough");
}

#[test]
#[ignore = "CI: every core is locked"]
fn a_run_without_free_cores_runs_unpinned() {
    let _turn = turn();
    let lock = |core: usize| {
        let name = SocketAddr::from_abstract_name(format!("judge-core-{core}")).unwrap();
        let began = Instant::now();
        // Another judge may have it until it ends.
        loop {
            match UnixListener::bind_addr(&name) {
                Ok(lock) => return lock,
                Err(error) => assert!(began.elapsed() < Duration::from_secs(120), "core {core}: {error}"),
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let locks: Vec<_> = judge_sandbox::Cores::here().numbers.iter().map(|core| lock(*core)).collect();
    let folder = Folder::new();
    let run = |more: &[&str]| {
        folder.judge(
            &[&["run", "-p", "columns", "--seeds", "1", "-j", "1", "-s", "bundled:columns-greedy"], more].concat(),
        )
    };
    let said = run(&[]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stderr.contains("cores free: other judges run here; solvers are not tied to cores"),
        "{}",
        said.stderr
    );
    assert!(!run(&["--no-pin"]).stderr.contains("cores free"), "it asks for none");
    drop(locks);
}
