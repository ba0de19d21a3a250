//! Harmless programs behave the same in every tier and outside of the sandbox, except for the differences in the list.

mod languages;

use crate::support::Folder;
use crate::support::require::{Need, skip};
use crate::support::stage::tiers;
use std::process::{Command, Stdio};

/// The environment of the programs, inside and outside.
const LOCALE: &str = "LC_ALL=C.UTF-8";

/// The line that `harmless.c` prints in some tiers instead.
const OTHERWISE: [(&str, &[&str], &str); 9] = [
    // A program cannot change its scheduling class and weight, because it could starve other programs, or its watcher.
    ("scheduler", &["root", "delegated", "userns", "bare"], "scheduler: 1"),
    ("nice", &["root", "delegated", "userns", "bare"], "nice: -1 EPERM"),
    // Files without a name would not be counted with the working folder, and only that folder is writable.
    ("nameless file", &["root", "delegated", "userns", "bare"], "nameless file: -1 EBADF"),
    ("tmpfile", &["root", "delegated", "userns"], "tmpfile: -1 EROFS"),
    ("tmpfile", &["bare"], "tmpfile: -1 EACCES"),
    // Without a control group, memory is not counted.
    ("memory file", &["userns", "bare"], "memory file: -1 EBADF"),
    // Modes and times could carry a message to other users of the folder, and a process group could escape the keeper.
    ("mode", &["bare"], "mode: -1 EPERM"),
    ("its mode", &["bare"], "its mode: 384"),
    ("times", &["bare"], "times: -1 EPERM"),
];

/// Runs a program outside; returns its output and its exit code.
fn outside(folder: &Folder, words: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder.path()).stdin(Stdio::null()).env_clear();
    let (name, value) = LOCALE.split_once('=').unwrap();
    let output = command.env("PATH", std::env::var_os("PATH").unwrap()).env(name, value).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// Runs a program in a tier; returns its output, its exit code, and the judge's output.
fn inside(folder: &Folder, tier: &str, words: &[&str]) -> (String, Option<i32>, String) {
    let report = folder.path().join("report.json");
    let start = ["exec", "--tier", tier, "--env", LOCALE, "--json", report.to_str().unwrap(), "--"];
    let said = folder.judge(&[&start, words].concat());
    let report = std::fs::read(report).unwrap_or_default();
    let report: serde_json::Value =
        serde_json::from_slice(&report).unwrap_or_else(|_| panic!("{tier}: {}", said.stderr));
    let code = report["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
    (said.stdout, code, said.stderr)
}

/// Returns the expected output in a tier, given the output outside.
fn expected(said: &str, tier: &str) -> String {
    let line = |line: &str| {
        let name = line.split(": ").next().unwrap_or_default();
        let other = OTHERWISE.iter().find(|(meant, tiers, _)| *meant == name && tiers.contains(&tier));
        format!("{}\n", other.map_or(line, |(_, _, other)| other))
    };
    let text: String = said.lines().map(line).collect();
    // A session leader cannot move its children to groups that the keeper does not kill.
    if tier == "bare" { text.replace("setpgid: 0\n", "setpgid: -1 EPERM\n") } else { text }
}

#[test]
fn a_c_program_does_the_same_everywhere() {
    let folder = Folder::new();
    folder.write("harmless.c", include_str!("harmless.c"));
    let mut compiler = Command::new("cc");
    let flags = ["-std=gnu11", "-O1", "-w", "-pthread", "-o", "harmless", "harmless.c", "-lm"];
    match compiler.args(flags).current_dir(folder.path()).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => return skip(Need::Cc, format!("harmless programs in C: {error}")),
    }
    let program = folder.path().join("harmless");
    let words = [program.to_str().unwrap()];
    let (said, code) = outside(&folder, &words);
    assert!(code == Some(11) && said.lines().count() > 150, "{code:?}: {said}");
    for tier in tiers() {
        let (found, found_code, told) = inside(&folder, tier, &words);
        let expected = expected(&said, tier);
        for (wanted, found) in expected.lines().zip(found.lines()) {
            assert_eq!(wanted, found, "{tier}: {told}");
        }
        assert_eq!((expected.lines().count(), code), (found.lines().count(), found_code), "{tier}: {told}");
    }
}

#[test]
#[ignore = "long: every runtime starts in every tier"]
fn runtimes_do_the_same_in_the_sandbox() {
    runtimes_do_the_same_in(&tiers()[..1]);
}

#[test]
#[ignore = "long: every tier"]
fn runtimes_do_the_same_everywhere() {
    runtimes_do_the_same_in(&tiers());
}

fn runtimes_do_the_same_in(tiers: &[&str]) {
    for language in languages::ALL {
        let folder = Folder::new();
        folder.write(language.file, language.source);
        let words = match language.ready(&folder) {
            Ok(words) => words,
            Err(why) => {
                skip(language.need, why);
                continue;
            }
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (said, code) = outside(&folder, &words);
        assert!(code == Some(3) && said.ends_with("end\n"), "{}: {code:?}: {said}", language.file);
        for tier in tiers {
            let (found, found_code, told) = inside(&folder, tier, &words);
            assert_eq!((&found, found_code), (&said, code), "{} in {tier}: {told}", language.file);
        }
    }
}
