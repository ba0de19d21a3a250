//! No process that the judge starts survives it, regardless of how the judge ends.

use super::{GOOD, is_installed, write};
use crate::support::pace::{awaited, unhurried};
use crate::support::processes::{Guarded, Process, assert_all_end, family};
use crate::support::require::{Need, skip};
use crate::support::stage::{Places, Stage, json, run, strongest_and_weakest, users_and_tiers};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::time::Duration;

/// Keeps the compiler busy for a minute, without much memory.
const LONG: &str = "#define A(x) x x x x x x x x x x\nA(A(A(A(A(A(A(int foo = bar;)))))))\nint main() {}\n";

/// Waits until a judge runs this many processes of this name, and returns its whole family.
fn family_with(judge: &Guarded, name: &str, count: usize) -> Vec<Process> {
    awaited(Duration::from_secs(20), &format!("{name} starts"), || {
        let family = family(judge.0.id());
        (family.iter().filter(|process| process.name == name).count() >= count).then_some(family)
    })
}

fn send(pid: u32, signal: Signal) {
    // A process that has ended needs no signal.
    let _ = kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal);
}

/// Starts the judge, ends it while it runs the program that `name` describes, and checks that nothing is left.
fn dies(stage: &Stage, user: Option<u32>, arguments: &[&str], (name, count): (&str, usize), signals: &[Signal]) {
    let what = format!("{name} of {user:?}, {arguments:?}, after {signals:?}");
    let mut judge = Guarded(stage.judge_as(user, arguments).spawn().unwrap());
    let family = family_with(&judge, name, count);
    signals.iter().for_each(|signal| send(judge.0.id(), *signal));
    assert_all_end(&family, &what);
    let code = judge.0.wait().unwrap().code();
    assert_eq!(code, (signals[0] != Signal::KILL).then_some(130), "{what}");
    // The next judge removes the leftovers of a judge that had no time to clean up.
    let clears_up = matches!(signals, [Signal::INT] | [Signal::TERM]);
    assert!(!clears_up || stage.leftovers(judge.0.id()).is_empty(), "{what}");
}

/// Does that in each of these places, in every way.
fn dies_with_the_judge(stage: &Stage, places: Places, arguments: &[&str], whom: (&str, usize)) {
    for (user, tier) in places(stage) {
        let arguments = [arguments, &["--tier", &tier]].concat();
        for signals in [&[Signal::KILL][..], &[Signal::INT], &[Signal::TERM], &[Signal::INT, Signal::INT]] {
            unhurried("a helper command dies with the judge", || dies(stage, user, &arguments, whom, signals)).unwrap();
        }
        let swept = run(stage.judge_as(user, &["exec", "--tier", &tier, "--", "/bin/true"]));
        assert_eq!((swept.code, stage.leftovers(0)), (Some(0), Vec::new()), "{tier}: {}", swept.stderr);
    }
}

#[test]
fn a_compiler_ends_with_the_judge() {
    a_compiler_ends_in(strongest_and_weakest);
}

#[test]
#[ignore = "CI: every tier"]
fn a_compiler_ends_in_every_tier() {
    a_compiler_ends_in(users_and_tiers);
}

fn a_compiler_ends_in(places: Places) {
    let Some(stage) = Stage::together() else { return };
    write(&stage, "long.cpp", LONG);
    if !is_installed("g++") {
        skip(Need::Cplusplus, "there is no C++ compiler");
        return;
    }
    let run = ["run", "-p", "columns", "--seeds", "1", "--no-journal", "--no-cache", "-s", "long.cpp"];
    dies_with_the_judge(&stage, places, &run, ("cc1plus", 1));
}

/// A shell script that leaves one process in its group, one in another session, and one without a parent that waits for
/// it.
const FAMILY: &str = "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); sleep 1000";

/// A problem whose commands do nothing, except for one. All run outside the sandbox.
fn trusted_problem(stage: &Stage, command: &str, script: &str) {
    problem(stage, command, script);
    let catalogue = stage.path("work/problems.toml");
    let text = fs::read_to_string(&catalogue).unwrap();
    fs::write(&catalogue, format!("{text}\ntrusted = true\n")).unwrap();
}

/// A problem whose commands do nothing, except for one.
fn problem(stage: &Stage, command: &str, script: &str) {
    let folder = stage.path("work");
    let mut lines = vec!["[[problem]]".to_owned(), "id = \"p\"".to_owned(), "seeds = \"1-2\"".to_owned()];
    let commands = match command {
        "interactor" => vec!["generator", "interactor"],
        _ => vec!["generator", "checker"],
    };
    for name in commands {
        let body = if name == command { script } else { "echo 1" };
        stage.folder.script(&format!("work/{name}"), body);
        let arguments = match name {
            "generator" => "{seed}",
            "checker" => "{answer}",
            _ => "{input} {report}",
        };
        lines.push(format!("{name}-command = \"{} {arguments}\"", folder.join(name).display()));
    }
    fs::write(folder.join("problems.toml"), lines.join("\n")).unwrap();
}

#[test]
#[ignore = "CI: compilers that hang"]
fn helper_commands_end_with_the_judge() {
    helper_commands_end_in(strongest_and_weakest);
}

#[test]
#[ignore = "CI: every tier"]
fn helper_commands_end_in_every_tier() {
    helper_commands_end_in(users_and_tiers);
}

fn helper_commands_end_in(places: Places) {
    let Some(stage) = Stage::together() else { return };
    for command in ["generator", "checker", "interactor"] {
        trusted_problem(&stage, command, FAMILY);
        // An interactor waits for a solver that waits for it.
        let solver = if command == "interactor" { "cat" } else { "echo 1" };
        let run = ["run", "-p", "p", "--jobs", "1", "--no-journal", "-s", solver];
        dies_with_the_judge(&stage, places, &run, ("sleep", 4));
    }
}

/// While nothing runs that the first signal could end, the second one ends the judge.
#[test]
fn the_second_signal_ends_unattended_work() {
    let Some(stage) = Stage::together() else { return };
    problem(&stage, "generator", FAMILY);
    let catalogue = stage.path("work/problems.toml");
    let text = fs::read_to_string(&catalogue).unwrap();
    fs::write(&catalogue, format!("{text}\n[problem.features]\nn = '(\\d+)'\n")).unwrap();
    write(&stage, "one.c", GOOD[0].1);
    write(&stage, "two.c", GOOD[0].1);
    let mut judge = Guarded(stage.judge(&["compare", "-p", "p", "one.c", "two.c", "--where", "n>0"]).spawn().unwrap());
    let family = family_with(&judge, "sleep", 4);
    send(judge.0.id(), Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    assert!(judge.0.try_wait().unwrap().is_none(), "the first signal waits for a run");
    send(judge.0.id(), Signal::INT);
    assert_eq!(judge.0.wait().unwrap().code(), Some(130));
    unhurried("a judge between compiling and running", || {
        assert_all_end(&family, "a judge between compiling and running")
    })
    .unwrap();
}

#[test]
fn a_confined_checker_ends_with_the_judge() {
    a_confined_checker_ends_in(strongest_and_weakest);
}

#[test]
#[ignore = "CI: every tier"]
fn a_confined_checker_ends_in_every_tier() {
    a_confined_checker_ends_in(users_and_tiers);
}

/// In the sandbox, where some tiers let no process leave its group.
fn a_confined_checker_ends_in(places: Places) {
    let Some(stage) = Stage::together() else { return };
    problem(&stage, "checker", FAMILY);
    let run = ["run", "-p", "p", "--jobs", "1", "--no-journal", "-s", "echo 1"];
    dies_with_the_judge(&stage, places, &run, ("sleep", 2));
}

#[test]
fn a_command_ends_with_its_supervisor() {
    let Some(stage) = Stage::together() else { return };
    trusted_problem(&stage, "checker", "exec sleep 1000");
    let arguments = ["run", "-p", "p", "--jobs", "1", "--no-journal", "-s", "echo 1"];
    let all_killed = || {
        let mut judge = Guarded(stage.judge(&arguments).spawn().unwrap());
        let family = family_with(&judge, "sleep", 1);
        let helpers: Vec<_> = family.iter().filter(|process| process.name != "sleep").collect();
        for signal in [Signal::STOP, Signal::KILL] {
            helpers.iter().for_each(|process| send(process.pid, signal));
        }
        judge.0.wait().unwrap();
        assert_all_end(&family, "a judge and all its helpers");
    };
    unhurried("the judge and its helpers are killed", all_killed).unwrap();
}

#[test]
fn what_a_command_leaves_behind_ends_with_it() {
    let Some(stage) = Stage::together() else { return };
    trusted_problem(&stage, "checker", "echo 1; (setsid sleep 1000 & echo $! >> pids) < /dev/null > /dev/null 2>&1");
    let report = json(stage.judge(&["run", "-p", "p", "-s", "echo 1", "--no-journal", "--json", "-"]));
    assert_eq!(report["cases"][1]["verdict"], "accepted", "{report}");
    let pids = fs::read_to_string(stage.path("work/pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        let process = Process::of(pid.parse().unwrap());
        assert!(process.as_ref().is_none_or(|process| process.name != "sleep"), "{process:?}");
    }
}
