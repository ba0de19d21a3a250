//! Programs that cannot be started: each has its own message.

use crate::support::of_cases;
use crate::support::stage::{Stage, run};
use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;

/// Each with the kernel's message (or the judge's, where the kernel is not called), and words that distinguish it from
/// the others.
fn programs(stage: &Stage) -> Vec<(String, &'static str, &'static str)> {
    let file = |name: &str, contents: &[u8], mode: u32| {
        let path = stage.path("work").join(name);
        fs::write(&path, contents).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path.display().to_string()
    };
    let own = fs::read(stage.path("solver")).unwrap();
    let mut foreign = own[..4096].to_vec();
    foreign[18] ^= 0x40;
    vec![
        (stage.text("missing"), "No such file", "missing: "),
        (stage.text("work"), "folder", "without sources"),
        (file("plain", b"#!/bin/sh\n", 0o644), "Permission denied", "chmod +x"),
        (file("foreign", &foreign, 0o755), "Exec format error", "another machine"),
        (file("empty", b"", 0o755), "Exec format error", "empty"),
        (file("no-line", b"echo 0\n", 0o755), "Exec format error", "`#!` line"),
        (
            file("no-interpreter", b"#!/no/such/interpreter\n", 0o755),
            "No such file",
            "interpreter /no/such/interpreter",
        ),
        (file("windows", b"#!/bin/sh\r\necho 0\r\n", 0o755), "No such file", "Windows"),
        (file("loop", b"#!./loop\n", 0o755), "", "loop"),
        (file("busy", &own, 0o755), "Text file busy", "writing"),
    ]
}

/// The message of a run about a program: once before any case if the program is missing, otherwise on each case.
fn note_of_a_run(stage: &Stage, program: &str) -> String {
    let said = run(stage.judge(&["run", "-p", "columns", "-s", program, "--seeds", "1-2", "--json", "-"]));
    if program.ends_with("missing") {
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        let note = said.stderr.lines().find_map(|line| line.strip_prefix("error: solver `missing`: "));
        return note.unwrap_or_else(|| panic!("{}", said.stderr)).to_owned();
    }
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(of_cases(&report, "verdict"), ["cannot-start", "cannot-start"], "{program}: {report}");
    report["cases"][1]["note"].as_str().unwrap().to_owned()
}

#[test]
fn each_start_failure_has_its_own_message() {
    let Some(stage) = Stage::together() else { return };
    let mut notes = BTreeSet::new();
    let programs = programs(&stage);
    let _writer = File::options().append(true).open(stage.path("work").join("busy")).unwrap();
    for (program, kernel, own) in &programs {
        let note = &note_of_a_run(&stage, program);
        assert!(note.contains(kernel) && (note.contains(own) || *own == "loop"), "{program}: {note}");
        assert!(notes.insert(note.replace(program, "")), "{program} says what another one says: {note}");
        let said = run(stage.judge(&["exec", "--json", "-", "--", program]));
        let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        assert_eq!((said.code, &report["verdict"]), (Some(1), &"cannot-start".into()), "{program}");
        if program.ends_with("/work") {
            // A solver may be a folder of sources, but an executable may not.
            assert!(report["note"].as_str().unwrap().contains("a folder, not a program"), "{report}");
        } else {
            assert_eq!(report["note"], note.as_str(), "{program}");
        }
        assert!(report.get("exit_code").is_none() && report.get("cpu_ms").is_none(), "it did not run: {report}");
    }
}
