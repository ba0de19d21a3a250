//! Detects the kind of a source from its files, in a folder or in a zip archive.

use super::{catalogue, names};
use crate::support::Folder;
use std::io::Write;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const CONFIG: &str = "name: Echo\nvalidator_flags: case_sensitive\nlimits: {time_limit: 1}\n";
const FILES: [(&str, &str); 3] = [("problem.yaml", CONFIG), ("data/secret/1.in", "x\n"), ("data/secret/1.ans", "x\n")];

/// Writes `pack.zip` with files below a folder.
fn zip(folder: &Folder, below: &str, more: impl Fn(&mut ZipWriter<std::fs::File>)) {
    let file = std::fs::File::create(folder.path().join("pack.zip")).unwrap();
    let mut zip = ZipWriter::new(file);
    for (name, text) in FILES {
        zip.start_file(format!("{below}{name}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    more(&mut zip);
    zip.finish().unwrap();
}

fn add(zip: &mut ZipWriter<std::fs::File>, name: &str, text: &str) {
    zip.start_file(name, SimpleFileOptions::default()).unwrap();
    zip.write_all(text.as_bytes()).unwrap();
}

/// Imports `pack.zip`, which must fail without leaving files, and returns the message.
fn refused(folder: &Folder) -> String {
    let before = names(folder.path());
    let said = folder.judge(&["import", "pack.zip", "--to", "out", "--no-verify"]);
    assert_eq!(said.code, Some(2), "{}{}", said.stdout, said.stderr);
    assert_eq!(names(folder.path()), before);
    said.stderr
}

#[test]
fn archives_may_have_a_top_folder() {
    for (below, id) in [("", "pack"), ("deep/", "deep")] {
        let folder = Folder::new();
        zip(&folder, below, |zip| add(zip, "__MACOSX/._x", ""));
        if below.is_empty() {
            zip(&folder, below, |_| {});
        }
        let said = folder.judge(&["import", "pack.zip", "--to", "out", "--no-verify"]);
        assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
        assert!(said.stdout.contains(&format!("problem {id}\n")), "{}", said.stdout);
        assert_eq!(names(&folder.path().join("out")), ["data", "problems.toml"]);
        assert!(catalogue(&folder).contains("case_sensitive"));
    }
}

#[test]
fn escaping_or_damaged_archives_are_refused() {
    let folder = Folder::new();
    zip(&folder, "", |zip| add(zip, "../out.txt", "x"));
    assert!(refused(&folder).contains("`../out.txt` leads out of the archive"));
    zip(&folder, "", |zip| add(zip, "/etc/judge.txt", "x"));
    assert!(refused(&folder).contains("`/etc/judge.txt` leads out of the archive"));
    zip(&folder, "", |zip| add(zip, "a\\..\\..\\x", "x"));
    assert!(refused(&folder).contains("leads out of the archive"));
    zip(&folder, "", |zip| zip.add_symlink("data/x", "/etc/hostname", SimpleFileOptions::default()).unwrap());
    assert!(refused(&folder).contains("`data/x` is a link"));
    folder.write("pack.zip", "PK\x03\x04 and nothing else");
    assert!(refused(&folder).contains("pack.zip: it cannot be unpacked"));
    folder.write("pack.zip", "no archive");
    assert!(refused(&folder).contains("pack.zip: it is no package: expected a folder or a zip archive"));
    zip(&folder, "p/", |zip| add(zip, "p/problem.yaml/x", ""));
    let place = "pack.zip: another file is in the place of";
    assert_eq!(refused(&folder).matches(&format!("{place} `p/problem.yaml/x`: expected one file")).count(), 1);
    zip(&folder, "", |zip| add(zip, "data", ""));
    assert!(refused(&folder).contains(&format!("{place} `data`")));
}

#[test]
fn a_zip_bomb_is_refused_early() {
    let folder = Folder::new();
    zip(&folder, "", |zip| {
        for index in 0..100_001 {
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            zip.start_file(format!("data/{index}"), options).unwrap();
        }
    });
    assert!(refused(&folder).contains("the archive has 100004 files: expected at most 100000"));
}

#[test]
fn archive_errors_name_files_and_lines() {
    let folder = Folder::new();
    let file = std::fs::File::create(folder.path().join("pack.zip")).unwrap();
    let mut zip = ZipWriter::new(file);
    add(&mut zip, "p/problem.yaml", "name: Echo\nlimits:\n  memory: lots\n");
    add(&mut zip, "p/data/secret/1.in", "x\n");
    add(&mut zip, "p/data/secret/1.ans", "x\n");
    zip.finish().unwrap();
    let said = refused(&folder);
    assert!(said.contains("error: pack.zip/p/problem.yaml:3: bad value of `limits.memory`: expected"), "{said}");
}

#[test]
fn unknown_sources_are_told_what_is_expected() {
    let folder = Folder::new();
    folder.write("pack/readme.txt", "hello");
    let said = folder.judge(&["import", "pack"]);
    assert!(said.code == Some(2) && said.stderr.contains("pack is no package that is known"), "{}", said.stderr);
    assert!(said.stderr.contains("hint: a package has one of these: problem.yaml (kattis)"), "{}", said.stderr);
    let said = folder.judge(&["import", "pack", "--kind", "kattis"]);
    assert!(said.stderr.contains("no package of the kind kattis: it has no problem.yaml"), "{}", said.stderr);
    let said = folder.judge(&["import", "nowhere"]);
    assert!(said.code == Some(2) && said.stderr.contains("cannot read nowhere\n"), "{}", said.stderr);
    assert_eq!(said.stderr.matches("os error").count(), 1, "{}", said.stderr);
}
