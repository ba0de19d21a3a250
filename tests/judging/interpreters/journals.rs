//! No program sees a journal, regardless of which folders it can see.

use super::place::{Judge, Place, SYSTEM_PATH, is_root, said};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const SECRET: &str = "the answer of another";

/// Prints every file below the given folder.
const SPY: &str = "find \"$1\" -type f -exec cat {} + 2>/dev/null\necho looked\n";

fn spied(place: &Place, judge: Judge, words: &[&str]) -> (String, String) {
    let inside = said(place.exec(judge, SYSTEM_PATH, words));
    (inside.stdout, inside.stderr)
}

#[test]
fn journals_are_hidden_at_any_depth() {
    let place = Place::new();
    let here = place.text("work");
    place.write("work/spy.sh", SPY);
    for folder in ["", "sub/", "sub/deeper/"] {
        place.write(&format!("work/{folder}.judge/journal.db"), SECRET);
        place.write(&format!("work/{folder}data"), &format!("data {folder}\n"));
    }
    for judge in place.judges() {
        for words in [
            &["--", "sh", "spy.sh", "."][..],
            &["--", "sh", "spy.sh", "./sub"],
            &["--dir", ".", "--", "sh", "spy.sh", &here],
            &["--dir", "..", "--", "sh", "spy.sh", &here],
            &["--dir", "sub", "--dir", ".", "--", "sh", "spy.sh", &here],
        ] {
            let (stdout, stderr) = spied(&place, judge, words);
            assert!(stdout.contains("looked") && stdout.contains("data sub/deeper/"), "{judge:?} {words:?}: {stderr}");
            assert!(!stdout.contains(SECRET), "{judge:?} {words:?}: {stdout}");
        }
        for words in [&["--", "cat", ".judge/journal.db"][..], &["--", "sh", "spy.sh", "./.judge"]] {
            assert!(!spied(&place, judge, words).0.contains(SECRET), "{judge:?} {words:?}");
        }
        let hidden = "no program sees a journal";
        for (named, why) in [(".judge", hidden), ("sub/.judge/journal.db", hidden), ("/", "it is the whole machine")] {
            let refused = said(place.exec(judge, SYSTEM_PATH, &["--dir", named, "--", "true"]));
            assert!(refused.code == Some(2) && refused.stderr.contains(why), "{named}: {}", refused.stderr);
        }
    }
}

#[test]
fn a_journal_in_a_writable_folder_is_unchanged() {
    let place = Place::new();
    place.write("work/.judge/journal.db", SECRET);
    let spoil = "cat .judge/journal.db; rm -rf .judge; mv .judge x; echo > .judge/new; echo looked > made; cat made";
    let spoil = format!("cd {} && {{ {spoil}; }} 2>/dev/null", place.text("work"));
    for mut judge in place.judges() {
        // The folder is to be the sandbox's user's, as far as the judge's own rights go.
        judge.user = judge.user.or((!is_root()).then_some(rustix::process::geteuid().as_raw()));
        let inside = said(place.exec(judge, SYSTEM_PATH, &["--dir", ".:rw", "--", "sh", "-c", &spoil]));
        if judge.tier == "bare" {
            assert!(inside.code == Some(2) && inside.stderr.contains("cannot hide"), "{}", inside.stderr);
        } else {
            assert_eq!(inside.stdout, "looked\n", "{judge:?}: {}", inside.stderr);
            fs::remove_file(place.path("work/made")).unwrap();
            for (mode, is_closed) in [(0o777, false), (0o755, is_root() && judge.user.is_none())] {
                fs::set_permissions(place.path("work"), PermissionsExt::from_mode(mode)).unwrap();
                let noted = said(place.exec(judge, SYSTEM_PATH, &["--dir", ".:rw", "--", "true"])).stderr;
                assert_eq!(noted.contains("cannot write to"), is_closed, "{judge:?}: {noted}");
            }
            fs::set_permissions(place.path("work"), PermissionsExt::from_mode(0o777)).unwrap();
        }
        assert_eq!(fs::read_dir(place.path("work/.judge")).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(place.path("work/.judge/journal.db")).unwrap(), SECRET);
    }
}

/// The journal that the run itself makes, which is not there when the solver is looked at.
#[test]
fn the_first_run_hides_its_own_journal() {
    let place = Place::new();
    place.write("work/spy.sh", "cat \"$1\"/.judge/journal.db >/dev/null && echo LEAKED >&2; exit 3\n");
    for judge in place.judges() {
        let mut command = place.command(judge.user, place.path("judge"), SYSTEM_PATH);
        command.args([
            "run",
            "-p",
            "columns",
            "-s",
            "sh spy.sh .",
            "--seeds",
            "1-2",
            "--tier",
            judge.tier,
            "--json",
            "-",
        ]);
        let said = said(command);
        assert!(said.stdout.contains("exit code 3"), "{judge:?}: {}{}", said.stdout, said.stderr);
        assert!(!said.stdout.contains("LEAKED"), "{judge:?}: {}", said.stdout);
        assert!(place.path("work/.judge/journal.db").exists());
        fs::remove_dir_all(place.path("work/.judge")).unwrap();
    }
}
