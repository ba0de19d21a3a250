//! The judge is killed, or told to end: no process of its runs survives, and no file is left.

use crate::support::pace::{awaited, unhurried};
use crate::support::processes::{Guarded, assert_all_end, family_with, with_command_line};
use crate::support::stage::{Places, Stage, json, run, strongest_and_weakest, users_and_tiers};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Child;
use std::time::Duration;

fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

fn output_of(child: &mut Guarded) -> (Option<i32>, String) {
    let mut text = String::new();
    std::io::Read::read_to_string(child.0.stdout.as_mut().unwrap(), &mut text).unwrap();
    (child.0.wait().unwrap().code(), text)
}

#[test]
fn nothing_outlives_a_killed_judge_by_a_second() {
    nothing_outlives_a_killed_judge_in(strongest_and_weakest);
}

#[test]
#[ignore = "CI: every tier"]
fn nothing_outlives_a_killed_judge_in_every_tier() {
    nothing_outlives_a_killed_judge_in(users_and_tiers);
}

fn nothing_outlives_a_killed_judge_in(places: Places) {
    let Some(stage) = Stage::together() else { return };
    for (user, tier) in places(&stage) {
        for (mode, processes) in [("loop", 1), ("family", 2)] {
            let arguments = ["exec", "--tier", &tier, "--", &stage.text("solver"), mode];
            let killed = || {
                let mut judge = Guarded(stage.judge_as(user, &arguments).spawn().unwrap());
                let family = family_with(&judge.0, processes);
                judge.0.kill().unwrap();
                judge.0.wait().unwrap();
                assert_all_end(&family, &format!("{mode} of {user:?} in tier {tier}"));
            };
            unhurried("the judge is killed", killed).unwrap();
        }
    }
}

#[test]
fn a_signal_ends_all_and_reports_finished_cases() {
    let Some(stage) = Stage::together() else { return };
    for (signal, (user, tier)) in [Signal::INT, Signal::TERM].into_iter().cycle().zip(users_and_tiers(&stage)) {
        let solver = stage.solver("first-plays");
        let cases = ["--seeds", "1-20", "--jobs", "2", "--cpu", "1000s", "--no-journal"];
        let run = ["run", "-p", "columns", "-s", &solver, "--tier", &tier, "--json", "-", "--all"];
        let ended = || {
            let mut judge = Guarded(stage.judge_as(user, &[&run[..], &cases[..]].concat()).spawn().unwrap());
            let family = family_with(&judge.0, 4);
            send(judge.0.id(), signal);
            let (code, report) = output_of(&mut judge);
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            assert_eq!((code, &report["interrupted"]), (Some(130), &true.into()), "{tier}");
            assert_eq!(report["cases"][0]["verdict"], "accepted", "{tier}");
            assert_eq!(report["cases"][19]["verdict"], "skipped", "{tier}");
            assert_all_end(&family, &format!("{signal:?} to {user:?} in tier {tier}"));
            assert_eq!(stage.leftovers(judge.0.id()), [""; 0], "{tier}");
        };
        unhurried("the judge is ended", ended).unwrap();
    }
}

#[test]
fn a_signal_ends_exec() {
    let Some(stage) = Stage::together() else { return };
    for signal in [Signal::INT, Signal::TERM] {
        let ended = || {
            let mut judge = Guarded(stage.judge(&["exec", "--", &stage.text("solver"), "family"]).spawn().unwrap());
            let family = family_with(&judge.0, 2);
            send(judge.0.id(), signal);
            assert_eq!(output_of(&mut judge), (Some(130), String::new()), "{signal:?}");
            assert_all_end(&family, "exec");
            assert_eq!(stage.leftovers(judge.0.id()), [""; 0]);
        };
        unhurried("the judge is ended", ended).unwrap();
    }
}

/// Also kills its helpers, which would clean up. The stage has no other judge.
fn kill_with_helpers(judge: &mut Guarded, stage: &Stage) {
    let family = family_with(&judge.0, 2);
    let helpers = family.iter().filter(|process| process.name != "solver" && process.pid != judge.0.id());
    let pids: Vec<_> = helpers.map(|process| Pid::from_raw(process.pid.cast_signed()).unwrap()).collect();
    let send_to_all = |signal| {
        for pid in &pids {
            // A helper may have ended meanwhile, because it only prepared something or was replaced by another.
            let _ = kill_process(*pid, signal);
        }
    };
    send_to_all(Signal::STOP);
    let child: &mut Child = &mut judge.0;
    child.kill().unwrap();
    child.wait().unwrap();
    send_to_all(Signal::KILL);
    assert_all_end(&family, "a judge and its helpers");
    // Other programs were about to start.
    assert_all_end(&with_command_line(&stage.text("")), "programs that started meanwhile");
}

/// A solver of two processes that do not end. It is compiled, into a folder of the judge's.
fn endless_source(stage: &Stage) -> String {
    let source = "#include <sys/prctl.h>\n#include <unistd.h>\n\
                  int main(void) { prctl(PR_SET_NAME, \"solver\"); fork(); for (;;); }\n";
    stage.folder.write("work/solver.c", source);
    stage.text("work/solver.c")
}

#[test]
fn the_next_judge_cleans_up_after_a_kill() {
    the_next_judge_cleans_up_in(strongest_and_weakest);
}

#[test]
#[ignore = "CI: every tier"]
fn the_next_judge_cleans_up_in_every_tier() {
    the_next_judge_cleans_up_in(users_and_tiers);
}

fn the_next_judge_cleans_up_in(places: Places) {
    // Alone, because the next judge could belong to another test.
    let Some(stage) = Stage::set() else { return };
    for (user, tier) in places(&stage) {
        unhurried("the next judge sweeps", || is_swept(&stage, user, &tier)).unwrap();
    }
}

fn is_swept(stage: &Stage, user: Option<u32>, tier: &str) {
    let source = endless_source(stage);
    let arguments = ["run", "-p", "columns", "-s", &source, "--cpu", "1000s", "--no-journal", "--tier", tier];
    let mut judge = Guarded(stage.judge_as(user, &arguments).spawn().unwrap());
    kill_with_helpers(&mut judge, stage);
    let killed = judge.0.id();
    let left = stage.leftovers(killed);
    assert!(left.iter().any(|path| path.contains(".build.")), "in tier {tier} nothing was left: {left:?}");
    let groups = left.iter().filter(|path| path.starts_with("/sys/fs/cgroup")).count();
    assert_eq!(groups > 0, matches!(tier, "root" | "delegated"), "{left:?}");
    awaited(Duration::from_secs(5), &format!("all of it is swept in tier {tier}: {left:?}"), || {
        let said = run(stage.judge_as(user, &["exec", "--tier", tier, "--", &stage.text("solver")]));
        assert_eq!((said.code, &*said.stdout), (Some(0), "0\n"), "{}", said.stderr);
        stage.leftovers(killed).is_empty().then_some(())
    });
    let report = json(stage.judge_as(user, &["exec", "--json", "-", "--", &stage.text("solver")]));
    assert_eq!(report["verdict"], "ok", "{report}");
}

#[test]
fn a_killed_conversation_leaves_no_temporary_files() {
    let Some(stage) = Stage::together() else { return };
    stage.folder.write("work/one.in", "1\n");
    let in_tmp = || -> Vec<_> {
        let entries = std::fs::read_dir(stage.path("tmp")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let solver = endless_source(&stage);
    // In the sandbox, there is only the folder of the compiled solver. Outside, there is also one for the interactor's
    // report.
    for (trusted, folder) in [(false, ".build."), (true, ".report.")] {
        let problem = format!(
            "[[problem]]\nid = \"talk\"\ntrusted = {trusted}\n\
             interactor-command = \"sh -c 'cat >/dev/null' {{report}}\"\n\
             [[problem.case]]\nname = \"one\"\nfile = \"one.in\"\n",
        );
        stage.folder.write("work/problems.toml", &problem);
        let killed = || {
            let run_it = ["run", "-p", "talk", "-s", &solver, "--cpu", "1000s", "--no-journal"];
            let mut judge = Guarded(stage.judge(&run_it).spawn().unwrap());
            awaited(Duration::from_secs(5), &format!("a folder *{folder}*"), || {
                in_tmp().iter().any(|name| name.contains(folder)).then_some(())
            });
            let family = family_with(&judge.0, 1);
            judge.0.kill().unwrap();
            judge.0.wait().unwrap();
            assert_all_end(&family, "a conversation");
            awaited(Duration::from_secs(5), "the temporary folder is empty", || {
                run(stage.judge(&["exec", "--", "/bin/true"]));
                in_tmp().is_empty().then_some(())
            });
        };
        unhurried("the judge is killed in a conversation", killed).unwrap();
    }
}
