//! The parts of a release are complete: its workflow, its archives, the container image.

mod action;
mod archive;
mod image;
mod packages;
mod workflows;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The text of a file of the project.
fn source(name: &str) -> String {
    let path = repository().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A manifest of the project.
fn manifest(name: &str) -> toml::Table {
    source(name).parse().unwrap()
}

/// Runs a command in a folder. Returns its output; `Err` contains it if the command failed.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let Output { status, stdout, stderr } = output;
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    if status.success() { Ok(said) } else { Err(said) }
}
