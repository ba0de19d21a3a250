//! The archive of a release, made from the program under test.

use super::{manifest, repository, run};
use crate::support::Folder;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-musl";

fn script(name: &str) -> Command {
    Command::new(repository().join(".github").join(name))
}

/// A template of `[package.metadata.binstall]`, filled in.
fn binstall(key: &str) -> String {
    let manifest = manifest("judge/Cargo.toml");
    let template = manifest["package"]["metadata"]["binstall"][key].as_str().unwrap();
    let values = [
        ("{ repo }", "https://example.org/judge"),
        ("{ version }", env!("CARGO_PKG_VERSION")),
        ("{ name }", "judge"),
        ("{ bin }", "judge"),
        ("{ binary-ext }", ""),
        ("{ target }", TARGET),
        // `tgz` has two endings, and both are tried.
        ("{ archive-suffix }", ".tar.gz"),
    ];
    let filled = values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value));
    assert!(!filled.contains(['{', '}']), "{filled}");
    filled
}

/// Packs the program under test, and returns the archive.
pub(super) fn pack(folder: &Path) -> PathBuf {
    run(script("package").args([env!("CARGO_BIN_EXE_judge"), TARGET]).arg(folder)).unwrap();
    folder.join(format!("judge-{TARGET}.tar.gz"))
}

#[test]
#[ignore = "CI: it packs a hundred megabytes"]
fn the_archive_is_complete_where_binstall_looks() {
    let folder = Folder::new();
    let archive = pack(&folder.path().join("dist"));
    let expected = format!("https://example.org/judge/releases/download/v{}/", env!("CARGO_PKG_VERSION"));
    assert_eq!(binstall("pkg-url"), expected + archive.file_name().unwrap().to_str().unwrap());

    let dist = archive.parent().unwrap();
    let checksum = format!("{}.sha256", archive.display());
    run(Command::new("sha256sum").args(["--check", &checksum]).current_dir(dist)).unwrap();
    run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder.path())).unwrap();

    let program = folder.path().join(binstall("bin-dir"));
    let said = run(Command::new(&program).arg("--version")).unwrap();
    assert_eq!(said.trim(), concat!("judge ", env!("CARGO_PKG_VERSION")));
    let content = program.parent().unwrap();
    let packed = |name: &str| fs::read_to_string(content.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    for shell in ["judge.bash", "_judge", "judge.fish"] {
        let completion = packed(&format!("completions/{shell}"));
        assert!(completion.contains("judge") && !completion.contains("/judge"), "{shell}: {completion}");
    }
    assert!(packed("man/judge.1").contains(".TH judge 1"));
    assert!(packed("LICENSE-MIT").contains("MIT License") && !packed("CHANGELOG.md").is_empty());
    let licences = packed("LICENCES-THIRD-PARTY");
    assert!(licences.contains("\nrusqlite ") && licences.contains("Permission is hereby granted"));
    assert!(!licences.contains("\nproptest "), "what only the tests use is not handed on");
    let sections = run(Command::new("readelf").args(["--sections", "--wide"]).arg(&program)).unwrap();
    assert!(sections.contains(".text") && !sections.contains(".debug_line"), "not stripped: {sections}");
    // No section that calls go through is writable.
    let dynamic = run(Command::new("readelf").args(["--dynamic", "--segments", "--wide"]).arg(&program)).unwrap();
    assert!(dynamic.contains("BIND_NOW") && dynamic.contains("GNU_RELRO"), "{dynamic}");
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let folder = Folder::new();
    let missing = run(script("package").arg(folder.path().join("none")).args([TARGET, "dist"])).unwrap_err();
    assert!(missing.contains("package: no program at"), "{missing}");
    assert!(run(&mut script("package")).unwrap_err().contains("usage: "));
}

/// A project of this version and address, with a heading in its changes.
fn project(version: &str, address: &str, heading: &str) -> Folder {
    let folder = Folder::new();
    let repository = if address.is_empty() { String::new() } else { format!("repository = \"{address}\"\n") };
    folder
        .write("Cargo.toml", format!("[workspace.package]\nversion = \"{version}\"\n{repository}[workspace.lints]\n"));
    folder.write("CHANGELOG.md", format!("# Changelog\n\n## {heading}\n"));
    fs::create_dir(folder.path().join(".github")).unwrap();
    // A link, not a copy: processes that other tests start meanwhile would hold the copy open, and it could not be
    // started.
    symlink(repository_script(), folder.path().join(".github/check-release")).unwrap();
    folder
}

fn repository_script() -> PathBuf {
    repository().join(".github/check-release")
}

#[test]
fn a_tag_must_match_version_changes_and_address() {
    const HERE: &str = "https://example.org/judge";
    let check = |version: &str, address: &str, heading: &str| {
        let folder = project(version, address, heading);
        run(Command::new(folder.path().join(".github/check-release")).args(["v1.2.0", HERE]))
    };
    assert_eq!(check("1.2.0", HERE, "1.2.0 - 2027-01-01"), Ok(String::new()));
    for (version, address, heading, why) in [
        ("1.3.0", HERE, "1.3.0", "expected the tag v1.3.0, found v1.2.0"),
        ("1.2.0", HERE, "Unreleased", "no heading `## 1.2.0`"),
        ("1.2.0", "", "1.2.0", "has no repository: write repository = \"https://example.org/judge\""),
        ("1.2.0", "https://example.org/other", "1.2.0", "has https://example.org/other: write repository"),
    ] {
        let refused = check(version, address, heading).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    // The real manifest has a version where the script reads it.
    let refused = run(script("check-release").args(["v0", HERE])).unwrap_err();
    assert!(refused.contains(concat!("expected the tag v", env!("CARGO_PKG_VERSION"))), "{refused}");
}
