//! No other user of the machine can read the files that root copies for the sandbox's user.

use super::place::{PLAIN_USER, Place, SYSTEM_PATH, is_root, said};
use crate::support::require::{Need, skip};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

const SECRET: &str = "of root";

#[test]
fn only_the_program_reads_copied_private_files() {
    if !is_root() {
        return skip(Need::Root, "only root starts programs as another user");
    }
    let place = Place::new();
    let waits = format!("#!/bin/sh\n# {SECRET}\ncat \"$1\"\nsleep 1\n");
    let (bot, data) = (place.script("work/private/bot", &waits), place.write("work/private/data", "of root\n"));
    for (path, mode) in [(&data, 0o600), (&bot, 0o700), (&place.path("work/private"), 0o700)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let pipe = place.path("work/pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    for judge in place.judges().into_iter().filter(|judge| judge.user.is_none()) {
        // Opened to write as well, it needs no other end.
        let mut reader = BufReader::new(File::options().read(true).write(true).open(&pipe).unwrap());
        let words = ["--stdout", pipe.to_str().unwrap(), "--", "private/bot", "private/data"];
        let mut command = place.exec(judge, SYSTEM_PATH, &words);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let mut find = place.command(Some(PLAIN_USER), "/usr/bin/find", SYSTEM_PATH);
        find.arg(place.path("temp")).args(["-type", "f", "-readable"]);
        let found = said(find);
        assert_eq!((running.wait().unwrap().code(), &*line), (Some(0), "of root\n"), "{judge:?}");
        assert_eq!(found.stdout, "", "{judge:?}: {}", found.stderr);
        assert!(found.stderr.contains("Permission denied"), "{judge:?}: there was nothing to find");
    }
}
