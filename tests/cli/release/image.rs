//! The container image, without an engine to build it: its instructions are replayed as far as possible with files and
//! programs.

use super::{repository, run, source};
use crate::support::{Folder, Said};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The instructions of the Dockerfile, each with its arguments. Every instruction has a single line.
fn instructions() -> Vec<(String, String)> {
    let text = source("Dockerfile");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            assert!(!line.ends_with('\\'), "the test reads lines: {line}");
            let (word, rest) = line.split_once(' ').unwrap();
            (word.to_owned(), rest.to_owned())
        })
        .collect()
}

/// The arguments of each instruction with this name.
fn all(name: &str) -> Vec<String> {
    instructions().into_iter().filter(|(word, _)| word == name).map(|(_, rest)| rest).collect()
}

/// The arguments of the only instruction with this name, parsed as a list of words.
fn words(name: &str) -> Vec<String> {
    let [list] = &all(name)[..] else { panic!("one {name} is expected") };
    serde_json::from_str(list).unwrap()
}

/// The files or folders of the project that the first stage copies, and their places in `/source`.
fn copied() -> Vec<(Vec<String>, String)> {
    let lines = all("COPY").into_iter().filter(|line| !line.starts_with("--from="));
    lines
        .map(|line| {
            let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let to = words.pop().unwrap();
            (words, to)
        })
        .collect()
}

/// Whether the first stage has this file of the project.
fn is_copied(file: &Path) -> bool {
    copied().iter().flat_map(|(from, _)| from).any(|from| file.starts_with(from))
}

/// The files that the sources in a folder include, except in tests, by their path in the project.
fn included(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            included(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let names = code.split("include_str!(").skip(1).chain(code.split("include_bytes!(").skip(1));
            for name in names {
                let file = path.parent().unwrap().join(name.split('"').nth(1).unwrap()).canonicalize().unwrap();
                found.push(file.strip_prefix(repository().canonicalize().unwrap()).unwrap().to_owned());
            }
        }
    }
}

#[test]
fn the_image_copies_every_included_file() {
    let mut files = Vec::new();
    for package in ["judge", "checkers/src", "solutions/src"] {
        assert!(is_copied(Path::new(package)), "{package}");
        included(&repository().join(package), &mut files);
    }
    assert!(files.contains(&"problems.toml".into()), "{files:?}");
    let missing: Vec<_> = files.iter().filter(|file| !is_copied(file)).collect();
    assert!(missing.is_empty(), "not in the image: {missing:?}");
    for line in source(".dockerignore").lines() {
        assert!(!files.iter().any(|file| file.starts_with(line)), ".dockerignore keeps out {line}");
    }
}

#[test]
fn the_image_builds_what_it_copies() {
    let folder = Folder::new();
    for (from, to) in copied() {
        let to = folder.path().join(to);
        let is_folder = from.len() == 1 && repository().join(&from[0]).is_dir();
        std::fs::create_dir_all(if is_folder { to.parent().unwrap() } else { &to }).unwrap();
        let sources = from.iter().map(|file| repository().join(file));
        run(Command::new("cp").arg("-r").args(sources).arg(&to)).unwrap();
    }
    // Reads every manifest, and fails if the lock file would have to change.
    let plan = run(Command::new(env!("CARGO")).current_dir(folder.path()).args([
        "tree",
        "--locked",
        "--offline",
        "--package",
        "judge",
        "--depth",
        "0",
    ]));
    assert!(plan.unwrap().starts_with("judge v"));
    let builds = all("RUN").into_iter().filter(|command| command.contains("cargo build --profile dist --locked"));
    assert_eq!(builds.count(), 1);
    let taken = all("COPY").into_iter().find(|line| line.starts_with("--from=build ")).unwrap();
    assert_eq!(taken, "--from=build /source/target/dist/judge /usr/local/bin/judge");
    assert_eq!(all("WORKDIR"), ["/source", "/work"]);
}

#[test]
fn the_image_runs_the_main_job() {
    let (program, arguments) = (words("ENTRYPOINT"), words("CMD"));
    assert_eq!(program, ["judge"]);
    let readme = source("README.md");
    let main_job = format!("cargo run --release -- {}", arguments.join(" "));
    assert!(readme.contains(&main_job), "the README's first command is another one than {main_job}");
    let folder = Folder::new();
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.extend(["--seeds", "1", "--env", "SOLVER_TIME_LIMIT=0.3"]);
    let said = folder.judge(&arguments);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("columns: 1 accepted"), "{}", said.stdout);
}

/// The default capabilities of a container's first process: root's capabilities without those over the machine.
const CAPABILITIES: &str = "-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap,\
                            +net_bind_service,+sys_chroot,+kill,+audit_write";

#[test]
fn the_judge_works_as_container_init() {
    use crate::support::require::{Need, skip};
    let folder = Folder::new();
    let bound = ["setpriv", "--bounding-set", CAPABILITIES, "--inh-caps=-all"];
    let inside = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc"]).args(bound).args(arguments);
        command.current_dir(folder.path()).env_remove("GITHUB_STEP_SUMMARY").output()
    };
    if !inside(&["true"]).is_ok_and(|output| output.status.success()) {
        return skip(Need::Root, "this user cannot make a namespace of processes with fewer capabilities");
    }
    let judge = env!("CARGO_BIN_EXE_judge");
    let run = [judge, "run", "-p", "columns", "--seeds", "1-2", "--env", "SOLVER_TIME_LIMIT=0.3"];
    let said = Said::from(inside(&run).unwrap());
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("2 accepted") && !said.stdout.contains("sandbox tier root"), "{}", said.stdout);
}

#[test]
fn doctor_tells_root_how_to_be_mapped() {
    use crate::support::require::{Need, skip};
    let bound = ["--bounding-set", "-all", "--inh-caps=-all"];
    let inside = |arguments: &[&str]| Command::new("setpriv").args(bound).args(arguments).output();
    if !inside(&["unshare", "--user", "true"]).is_ok_and(|output| output.status.success()) {
        return skip(Need::Root, "here root cannot give up its capabilities and make a user namespace");
    }
    let said = Said::from(inside(&[env!("CARGO_BIN_EXE_judge"), "doctor"]).unwrap());
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let hint = "hint: userns: in docker: docker run --user 1000 …, or --cap-add SETFCAP …";
    assert!(said.stdout.contains(hint), "{}", said.stdout);
}
