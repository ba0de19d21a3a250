//! The judge without enough of a resource: it reports this, and never blames the solver.

use crate::delegation::Delegation;
use crate::support::Said;
use crate::support::require::{Need, skip};
use crate::support::stage::{PLAIN_USER, Stage, is_root, run, users_and_tiers};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Either all cases succeed, in the same tier as with enough resources, or the judge is at fault and says why.
fn assert_only_the_shortage_is_blamed(said: &Said, tier: &str, what: &str) {
    let Ok(report) = serde_json::from_str::<Value>(&said.stdout) else {
        assert_eq!(said.code, Some(3), "{what}: {}", said.stderr);
        assert!(said.stderr.contains("error: ") && !said.stderr.contains("panicked"), "{what}: {}", said.stderr);
        return;
    };
    assert_eq!(report["tier"], tier, "{what}: a shortage has lowered the tier");
    let verdicts: Vec<_> = report["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert!(verdicts.iter().all(|verdict| *verdict == "accepted" || *verdict == "judge-error"), "{what}: {verdicts:?}");
    let faulty = verdicts.iter().any(|verdict| *verdict == "judge-error");
    assert_eq!(said.code, Some(if faulty { 3 } else { 0 }), "{what}: {}", said.stderr);
}

fn tier(stage: &Stage, how: &[&str]) -> String {
    let report = crate::support::stage::json(stage.launched(how, &["doctor", "--json", "-"]));
    report["tier"].as_str().unwrap().to_owned()
}

#[test]
fn missing_files_or_processes_never_blame_the_solver() {
    let Some(stage) = Stage::set() else { return };
    let solver = stage.solver("plain");
    let arguments = ["run", "-p", "columns", "-s", &solver, "--seeds", "1-6", "--no-journal", "--json", "-"];
    let normal = tier(&stage, &[]);
    for files in (4..=48).chain([64]) {
        let said = run(stage.launched(&["files", &files.to_string()], &arguments));
        assert_only_the_shortage_is_blamed(&said, &normal, &format!("ulimit -n {files}"));
        assert!(files < 64 || said.code == Some(0), "64 files are enough: {}", said.stderr);
    }
    if !is_root() {
        skip(Need::Root, "the number of processes of a user of its own, which only root can become");
        return;
    }
    let user = PLAIN_USER.to_string();
    let normal = tier(&stage, &["user", &user]);
    for processes in [1, 2, 3, 4, 5, 6, 7, 8, 10, 16] {
        let how = ["user", &user, "processes", &processes.to_string()];
        let said = run(stage.launched(&how, &arguments));
        assert_only_the_shortage_is_blamed(&said, &normal, &format!("ulimit -u {processes}"));
    }
}

#[test]
fn the_judges_own_limits_never_blame_the_program() {
    let exec = |limit: &str, arguments: &[&str]| {
        let script = format!("ulimit {limit} && exec \"$0\" exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_judge")]).args(arguments);
        run(command)
    };
    // More than a second of CPU time, in ticks of 10 ms.
    let busy = "used=0; while [ $used -lt 130 ]; do i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; \
                read -r _ _ _ _ _ _ _ _ _ _ _ _ _ used _ < /proc/$$/stat; done";
    let said = exec("-S -t 1", &["--cpu", "60s", "--", "sh", "-c", busy]);
    assert_eq!(said.code, Some(0), "a soft limit is raised: {}", said.stderr);
    for (limit, arguments, name) in [
        ("-t 5", ["--cpu", "5s", "--", "true"], "`ulimit -t` (CPU time) of the judge is 5 s, and a program may need 6"),
        (
            "-v 3000000",
            ["--memory", "4GiB", "--", "true"],
            "`ulimit -v` (address space) of the judge is 3072000000 bytes",
        ),
    ] {
        let said = exec(limit, &arguments);
        assert!(said.code == Some(3) && said.stderr.contains(name), "{limit}: {:?} {}", said.code, said.stderr);
    }
    let said = exec("-t 7", &["--cpu", "5s", "--", "true"]);
    assert_eq!(said.code, Some(0), "what suffices is no error: {}", said.stderr);
}

/// The group around the judge allows less than the limits of the program.
#[test]
fn a_group_around_the_judge_never_blames_programs() {
    let Some(stage) = Stage::set() else { return };
    if !is_root() {
        skip(Need::Root, "a control group with limits around the judge");
        return;
    }
    let around = match Delegation::to(PLAIN_USER, false) {
        Ok(around) => around,
        Err(why) => return skip(Need::Root, why),
    };
    let set = |file: &str, value: &str| {
        let folders = around.folders().iter().map(|folder| folder.join(file));
        folders.filter(|path| path.exists()).map(|path| fs::write(path, value).unwrap()).count()
    };
    assert_eq!(set("memory.limit_in_bytes", "100000000") + set("memory.max", "100000000"), 1);
    let how: Vec<_> = around.folders().iter().flat_map(|folder| ["join", folder.to_str().unwrap()]).collect();
    let exec = |tier: &str, script: &str| {
        let limits = ["exec", "--memory", "1GiB", "--processes", "100", "--cpu", "60s", "--tier", tier];
        run(stage.launched(&how, &[&limits[..], &["--", "sh", "-c", script]].concat()))
    };
    for (_, tier) in users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_none()) {
        for script in ["exec tail /dev/zero", "tail /dev/zero || exit 1"] {
            let (said, words) = (exec(&tier, script), "killed a process at");
            assert!(said.code == Some(3) && said.stderr.contains(words), "{tier}, {script}: {}", said.stderr);
        }
        let said = exec(&tier, "kill -9 $$");
        assert_eq!(said.code, Some(1), "tier {tier}: a program that ends itself is at fault: {}", said.stderr);
    }
    // Since Linux 6.11 the kernel counts a refusal only in the group whose limit it was, if that is of version 2.
    if around.folders().len() > 1 {
        set("pids.max", "30");
        let said = exec(
            "root",
            "for each in 1 2 3 4 5 6; do sleep 1 & sleep 1 & sleep 1 & sleep 1 & sleep 1 & sleep 1 & done",
        );
        assert!(said.code == Some(3) && said.stderr.contains("refused a process"), "{:?} {}", said.code, said.stderr);
    }
}

#[test]
fn a_bad_temporary_folder_is_the_judges_fault() {
    let Some(stage) = Stage::set() else { return };
    if !is_root() {
        skip(Need::Root, "a disk of the judge's own");
        return;
    }
    stage.folder.write("work/zero.c", "int puts(const char *);\nint main(void) { return puts(\"0\") < 0; }\n");
    let (folder, user) = (stage.text("tmp"), PLAIN_USER.to_string());
    let arguments = |solver, more| ["run", "-p", "columns", "--seeds", "1", "--no-journal", "-s", solver, more];
    let said = run(stage.launched(&["noexec-disk", &folder], &arguments("zero.c", "--no-cache")));
    assert!(said.code == Some(3) && said.stderr.contains("mounted noexec"), "{:?} {}", said.code, said.stderr);
    let solver = stage.solver("plain");
    for (how, why) in [
        (&["few-files-disk", &folder, "user", &user, "no-namespaces"][..], "No space left"),
        (&["file-size", "0", "user", &user, "no-namespaces"], "File too large"),
    ] {
        let said = run(stage.launched(how, &arguments(&solver, "--unsafe")));
        assert!(said.code == Some(3) && said.stderr.contains(why), "{how:?}: {:?} {}", said.code, said.stderr);
    }
}

#[test]
fn a_missing_temporary_folder_is_named_with_its_remedy() {
    let Some(stage) = Stage::set() else { return };
    if !users_and_tiers(&stage).iter().any(|(user, tier)| user.is_none() && tier == "bare") {
        return skip(Need::Bare, "the tier that needs a folder for temporary files");
    }
    let folder = stage.text("missing");
    let judge = |arguments: &[&str]| {
        let mut command = stage.judge(arguments);
        command.env("TMPDIR", &folder);
        run(command)
    };
    let said = judge(&["exec", "--tier", "bare", "--", "true"]);
    assert!(said.code == Some(2) && said.stderr.contains(&folder), "{:?} {}", said.code, said.stderr);
    let report: Value = serde_json::from_str(&judge(&["doctor", "--json", "-"]).stdout).unwrap();
    let tiers = report["tiers"].as_array().unwrap();
    let bare = tiers.iter().find(|tier| tier["tier"] == "bare").unwrap();
    assert!(bare["remedy"].as_str().is_some_and(|remedy| remedy.contains("TMPDIR")), "{bare}");
}

/// The output of earlier programs counts neither for later ones nor for the judge.
#[test]
fn each_output_has_a_size_limit_alone() {
    let Some(stage) = Stage::set() else { return };
    let solver = stage.solver("wordy");
    for (user, tier) in users_and_tiers(&stage) {
        // The solver writes 100,000 bytes to each of its outputs.
        let mut how = vec!["file-size".to_owned(), "262144".to_owned()];
        how.extend(user.into_iter().flat_map(|user| ["user".to_owned(), user.to_string()]));
        let how: Vec<&str> = how.iter().map(String::as_str).collect();
        let arguments =
            ["run", "-p", "columns", "-s", &solver, "--seeds", "1-40", "--tier", &tier, "--no-journal", "--jobs", "1"];
        let said = run(stage.launched(&how, &arguments));
        assert_eq!(said.code, Some(0), "tier {tier}: {}{}", said.stdout, said.stderr);
    }
}
