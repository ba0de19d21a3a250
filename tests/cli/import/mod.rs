//! Packages of other judges, written from the descriptions of their formats, become problems that can be run.

mod ahc;
mod archives;
mod dmoj;
mod kattis;
mod pahcer;
mod polygon;
mod time_limit;
mod validators;

use crate::support::Folder;
use crate::support::require::{Need, skip};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A folder with a package `pack`.
fn package(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(&format!("pack/{name}"), text);
    }
    folder
}

/// Imports the package, and returns what the judge printed.
fn imported(folder: &Folder) -> String {
    let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p", "--no-verify"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    said.stdout
}

fn run(folder: &Folder, solver: &str) -> Value {
    folder.json(&["run", "--problems", "out/problems.toml", "-p", "p", "-s", solver]).1
}

/// The verdict of each case, by its name.
fn verdicts(folder: &Folder, solver: &str) -> Vec<String> {
    let report = run(folder, solver);
    let cases = report["cases"].as_array().unwrap().iter();
    let mut shown: Vec<_> =
        cases.map(|case| format!("{} {}", case["case"].as_str().unwrap(), case["verdict"].as_str().unwrap())).collect();
    shown.sort();
    shown
}

fn total(folder: &Folder, solver: &str) -> String {
    run(folder, solver)["solvers"][0]["total"].to_string()
}

fn catalogue(folder: &Folder) -> String {
    std::fs::read_to_string(folder.path().join("out/problems.toml")).unwrap()
}

fn has(program: &str, need: Need) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skip(need, format!("there is no {program}"));
    }
    found
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
