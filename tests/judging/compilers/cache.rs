//! Compiled programs are kept from run to run, as long as nothing that they depend on has changed.

use crate::support::require::{Need, skip};
use crate::support::{Folder, Said};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

const HELLO: &str = "int puts(const char *);\nint main(void) { puts(\"0\"); }\n";

fn run(folder: &Folder, more: &[&str]) -> Said {
    let said = folder.judge(&[&["run", "-p", "columns", "--seeds", "1", "--no-journal", "-s", "bot.c"], more].concat());
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    said
}

fn compiles(folder: &Folder, more: &[&str]) -> bool {
    run(folder, more).stderr.contains("compiling bot.c (gcc)")
}

/// A folder with a source, if it can be compiled here.
fn with_source() -> Option<Folder> {
    let folder = Folder::new();
    folder.write("bot.c", HELLO);
    if super::is_installed("gcc") {
        return Some(folder);
    }
    skip(Need::Cc, "there is no gcc");
    None
}

fn entries(folder: &Folder) -> Vec<PathBuf> {
    let programs = folder.path().join(".judge-cache/programs");
    fs::read_dir(programs).map(|list| list.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

#[test]
fn a_second_run_compiles_nothing() {
    let Some(folder) = with_source() else { return };
    assert!(compiles(&folder, &[]) && !compiles(&folder, &[]));
    assert!(compiles(&folder, &["--no-cache"]) && !compiles(&folder, &[]));
    // Another name gives another program, because compilers write the name into it.
    folder.write("bot.c", HELLO.replace("main", "main ").as_str());
    assert!(compiles(&folder, &[]) && !compiles(&folder, &[]));
    folder.write("bot.c", HELLO);
    assert!(!compiles(&folder, &[]));
    folder.write(".config/judge/languages.toml", "[language.c]\ncompile = \"gcc -O1 -o {out}/main {sources}\"\n");
    assert!(compiles(&folder, &[]) && !compiles(&folder, &[]));
}

/// Checks that a solver compiled by `gcc` is compiled once, and once more after the compiler was replaced.
fn follows_its_compiler(folder: &Folder, solver: &str) {
    let compiler = folder.script("bin/gcc", "exec /usr/bin/gcc \"$@\"");
    let path = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let compiles = || {
        let arguments = ["run", "-p", "columns", "--seeds", "1", "--no-journal", "-s", solver];
        let said: Said = folder.command(&arguments).env("PATH", &path).output().unwrap().into();
        assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
        said.stderr.contains("compiling")
    };
    assert!(compiles() && !compiles());
    fs::write(&compiler, "#!/bin/sh\nexec /usr/bin/gcc  \"$@\"\n").unwrap();
    assert!(compiles() && !compiles());
}

#[test]
fn a_new_compiler_compiles_anew() {
    let Some(folder) = with_source() else { return };
    follows_its_compiler(&folder, "bot.c");
}

#[test]
fn what_is_damaged_is_compiled_again() {
    let Some(folder) = with_source() else { return };
    assert!(compiles(&folder, &[]));
    for entry in entries(&folder) {
        let mut bytes = fs::read(&entry).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&entry, bytes).unwrap();
    }
    assert!(compiles(&folder, &[]) && !compiles(&folder, &[]));
}

#[test]
fn the_cache_is_shown_and_emptied() {
    let Some(folder) = with_source() else { return };
    let shown = |arguments: &[&str]| {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        said.stdout
    };
    assert!(shown(&["cache"]).contains("programs: 0 entries, 0 B of at most 1 GiB"));
    assert!(compiles(&folder, &[]));
    assert!(shown(&["cache"]).contains("2 entries"), "the program, and the version of its compiler");
    assert!(shown(&["cache", "clear"]).contains("0 entries"));
    assert!(compiles(&folder, &[]));
}

#[test]
fn a_cache_writable_by_others_is_unused() {
    let Some(folder) = with_source() else { return };
    assert!(compiles(&folder, &[]));
    let programs = folder.path().join(".judge-cache/programs");
    fs::set_permissions(&programs, fs::Permissions::from_mode(0o777)).unwrap();
    let said = run(&folder, &[]);
    assert!(said.stderr.contains("compiling") && said.stderr.contains("warning: compiled programs are not kept"));
    assert_eq!(said.stderr.matches("run chmod 700").count(), 1, "{}", said.stderr);
    let said = folder.judge(&["cache"]);
    assert!(said.code == Some(2) && said.stderr.contains("chmod 700"), "{}", said.stderr);
}

#[test]
fn a_makefiles_program_follows_its_compiler() {
    let Some(folder) = with_source() else { return };
    folder.write("made/main.c", HELLO);
    folder.write("made/Makefile", "main: main.c\n\tgcc -o main main.c\n");
    follows_its_compiler(&folder, "made/");
}

#[test]
fn an_unwritable_cache_is_named_once() {
    let Some(folder) = with_source() else { return };
    assert!(compiles(&folder, &[]));
    // Nothing can take the place of a folder, not even for root.
    for entry in entries(&folder) {
        fs::remove_file(&entry).unwrap();
        fs::create_dir(&entry).unwrap();
    }
    let said = run(&folder, &[]).stderr;
    let named = format!("warning: compiled programs are not kept: {}", folder.path().join(".judge-cache").display());
    assert_eq!(said.matches(&named).count(), 1, "{said}");
}

#[test]
fn concurrent_compilations_all_succeed() {
    let Some(folder) = with_source() else { return };
    let arguments = ["run", "-p", "columns", "--seeds", "1", "--no-journal", "-s", "bot.c"];
    let start = |_| folder.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let judges: Vec<_> = (0..4).map(start).collect();
    for mut judge in judges {
        assert_eq!(judge.wait().unwrap().code(), Some(0));
    }
    assert!(!compiles(&folder, &[]));
    assert_eq!(entries(&folder).len(), 2);
}
