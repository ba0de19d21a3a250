//! Files planted by a solver's author execute nothing outside the sandbox, and reveal nothing but the solver's own
//! files.

use super::place::{Place, SYSTEM_PATH, said};
use crate::support::require::{Need, skip};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

const SECRET: &str = "of the user";

/// A program by the name of an interpreter is executed nowhere but in the sandbox.
#[test]
fn no_named_file_runs_outside_the_sandbox() {
    let place = Place::new();
    let marker = place.text("work/executed");
    let evil = format!("#!/bin/sh\necho ran\ntouch {marker}\n");
    let names = ["python_evil", "python3", "pypy3", "node", "java", "ruby", "perl", "bin/python3.11", "shims/python3"];
    for name in names {
        place.script(&format!("work/{name}"), &evil);
    }
    place.write("work/pyvenv.cfg", &format!("home = {}\n", place.text("work")));
    let behind = place.script("work/behind", &format!("#!{}\n", place.text("work/python_evil"))).display().to_string();
    let lines = [names.map(|name| format!("./{name}")).to_vec(), vec![behind]].concat();
    for judge in place.judges() {
        for line in &lines {
            let inside = said(place.exec(judge, SYSTEM_PATH, &["--", line]));
            assert!(inside.stdout.contains("ran"), "{judge:?} {line}: {}", inside.stderr);
        }
        for words in [
            &["run", "-p", "columns", "-s", "./python_evil"][..],
            &["view", "-p", "columns", "-s", "./python3", "--seed", "1", "--html", "x.html"],
        ] {
            let mut command =
                place.command(judge.user, place.path("judge"), &format!("{}:{SYSTEM_PATH}", place.text("work")));
            command.args(words).args(["--tier", judge.tier]);
            if words[0] == "run" {
                command.args(["--seeds", "1", "--no-journal"]);
            }
            said(command);
        }
        assert!(!fs::exists(&marker).unwrap(), "{judge:?}: it was executed outside");
    }
}

/// A home that contains secrets, also in its folders.
fn home() -> Place {
    let place = Place::new();
    for name in ["secret", ".ssh/id", "project/secret", ".local/secret", "opt/tool/secret"] {
        place.write(&format!("home/{name}"), SECRET);
    }
    for name in ["bin/python3", ".ssh/bin/python3", "project/bin/python3", ".local/bin/python3", "opt/tool/bin/python3"]
    {
        // It does what a malicious solver would try.
        place.script(&format!("home/{name}"), SPY);
    }
    place.script("work/sub/bin/python_x", SPY);
    place
}

/// Prints every secret that it can read.
const SPY: &str = "#!/bin/sh\nfor name in secret .ssh/id project/secret .local/secret opt/tool/secret; do\n\
    cat \"$PLACE/home/$name\"\ndone 2>/dev/null\ncat \"$PLACE/work/secret\" 2>/dev/null\necho looked\n";

/// Runs words in every tier, and checks that no secret is visible.
fn sees_nothing(place: &Place, path: &str, words: &[&str]) {
    let variable = format!("PLACE={}", place.text(""));
    for judge in place.judges() {
        let inside = said(place.exec(judge, path, &[&["--env", &variable, "--"], words].concat()));
        let all = format!("{}{}", inside.stdout, inside.stderr);
        assert!(!all.contains(SECRET), "{judge:?} {words:?}: {all}");
        assert!(all.contains("looked") || all.contains("cannot-start"), "{judge:?} {words:?} did not look: {all}");
    }
}

#[test]
fn a_home_is_never_an_installation() {
    let place = home();
    for prefix in ["home", "home/.local", "home/.ssh"] {
        // As after `./configure --prefix=$HOME`.
        place.write(&format!("{prefix}/lib/python3.99/os.py"), "");
        sees_nothing(&place, SYSTEM_PATH, &[&place.text(&format!("{prefix}/bin/python3"))]);
        sees_nothing(&place, &format!("{}:{SYSTEM_PATH}", place.text(&format!("{prefix}/bin"))), &["python3"]);
    }
}

/// Plants an environment that names each of these folders as its base, and searches for secrets from it.
fn plant_environments(place: &Place, bases: &[String]) {
    for base in bases {
        for file in ["work/sub/pyvenv.cfg", "work/sub/bin/pyvenv.cfg"] {
            place.write(file, &format!("version = 3\nhome = {base}\n"));
            sees_nothing(place, SYSTEM_PATH, &["sub/bin/python_x"]);
            fs::remove_file(place.path(file)).unwrap();
        }
    }
}

#[test]
fn a_planted_environment_shows_no_more_than_itself() {
    let place = home();
    plant_environments(&place, &["home/bin", "home/opt/tool/bin"].map(|base| place.text(base)));
    plant_environments(&place, &["/root/.ssh/bin".to_owned()]);
}

#[test]
#[ignore = "long: every place for a base"]
fn no_planted_base_shows_more_than_itself() {
    let place = home();
    let bases =
        ["home/.ssh/bin", "home/project/bin", "home/.local/bin", "home", "home/.ssh", "work/sub/bin", "", "no/such"];
    plant_environments(&place, &bases.map(|base| place.text(base)));
    plant_environments(&place, &["/", "/etc", "/root", "/proc/self/root", ".."].map(str::to_owned));
}

/// An environment, and a whole installation, whose folders are links to the user's folders.
#[test]
fn folders_that_are_planted_links_are_not_followed() {
    let place = home();
    for name in ["lib", "share", "lib64"] {
        place.link(&format!("work/sub/{name}"), place.path("home/project"));
    }
    place.write("work/sub/pyvenv.cfg", "home = /usr/bin\n");
    sees_nothing(&place, SYSTEM_PATH, &["sub/bin/python_x"]);
    place.link("work/sub/.pyenv/versions/3/secrets", place.path("home/project"));
    place.write("work/sub/.pyenv/versions/3/lib/python3.99/os.py", "");
    place.script("work/sub/.pyenv/versions/3/bin/python3", SPY);
    sees_nothing(&place, SYSTEM_PATH, &["sub/.pyenv/versions/3/bin/python3"]);
}

#[test]
fn the_current_folder_is_not_shown() {
    let place = home();
    place.write("work/secret", SECRET);
    place.script("work/bin/python_x", SPY);
    place.write("work/lib/python3.99/os.py", "");
    place.write("work/pyvenv.cfg", &format!("home = {}\n", place.text("work/bin")));
    sees_nothing(&place, SYSTEM_PATH, &["./bin/python_x"]);
    sees_nothing(&place, &format!("{}:{SYSTEM_PATH}", place.text("work/bin")), &["python_x"]);
}

#[test]
#[ignore = "CI: many programs"]
fn planted_links_and_shebangs_show_single_files() {
    let place = home();
    for target in ["project/bin/python3", "opt/tool/bin/python3", "bin/python3", ".ssh/bin/python3"] {
        let target = place.text(&format!("home/{target}"));
        let _ = fs::remove_file(place.path("work/sub/python3"));
        place.link("work/sub/python3", &target);
        sees_nothing(&place, SYSTEM_PATH, &["sub/python3"]);
        place.script("work/sub/by-path", &format!("#!{target}\n"));
        sees_nothing(&place, SYSTEM_PATH, &["sub/by-path"]);
    }
    place.script("work/sub/by-name", "#!/usr/bin/env python3\n");
    sees_nothing(&place, &format!("{}:{SYSTEM_PATH}", place.text("home/project/bin")), &["sub/by-name"]);
}

#[test]
fn a_planted_version_is_never_a_path() {
    let place = home();
    let root = place.text("home/.pyenv");
    place.script(
        "home/.pyenv/shims/python3",
        &format!("#!/usr/bin/env bash\nexec \"{root}/libexec/pyenv\" exec \"$program\" \"$@\"\n"),
    );
    place.script("home/.pyenv/versions/3.99/bin/python3", SPY);
    for version in ["../../project", "3.99/../../../project", "/", ".", "..", &place.text("home/project"), ""] {
        place.write("work/.python-version", &format!("{version}\n"));
        let path = format!("{root}/shims:{}:{SYSTEM_PATH}", place.text("home/project/bin"));
        sees_nothing(&place, &path, &["python3"]);
    }
}

#[test]
fn a_planted_argument_link_shows_nothing_private() {
    let place = home();
    fs::set_permissions(place.path("home/.ssh/id"), Permissions::from_mode(0o600)).unwrap();
    place.link("work/sub/weights.bin", place.path("home/.ssh/id"));
    sees_nothing(&place, SYSTEM_PATH, &["sh", "-c", "cat \"$0\"; echo looked", "sub/weights.bin"]);
    let own = place.write("work/real.bin", "mine");
    fs::set_permissions(own, Permissions::from_mode(0o644)).unwrap();
    place.link("work/sub/link.bin", "../real.bin");
    for judge in place.judges() {
        let inside = said(place.exec(judge, SYSTEM_PATH, &["--", "cat", "sub/link.bin", "/dev/stdin"]));
        assert_eq!((inside.code, &*inside.stdout), (Some(0), "mine"), "{judge:?}: {}", inside.stderr);
    }
}

#[test]
fn a_shown_link_works_by_its_own_name() {
    let place = home();
    place.write("work/data/sub/table", "rows");
    place.link("work/link", "data");
    let link = place.text("work/link/sub");
    for judge in place.judges() {
        let words = ["--dir", "link/sub", "--", "sh", "-c", &format!("cat {link}/table")];
        let inside = said(place.exec(judge, SYSTEM_PATH, &words));
        assert_eq!((inside.code, &*inside.stdout), (Some(0), "rows"), "{judge:?}: {}", inside.stderr);
    }
}

/// A link that an earlier case put in place of a visible file.
#[test]
fn a_link_left_by_solvers_is_not_followed() {
    let place = home();
    let script = "cat \"$1\" >&2; rm -f \"$1\"; ln -s \"$SECRET\" \"$1\" && echo left >&2; exit 3\n";
    place.write("work/sub/bot.sh", script);
    fs::set_permissions(place.path("work/sub"), Permissions::from_mode(0o777)).unwrap();
    let secret = format!("SECRET={}", place.text("home/project/secret"));
    for judge in place.judges() {
        let _ = fs::remove_file(place.path("work/sub/data"));
        place.write("work/sub/data", "");
        fs::set_permissions(place.path("work/sub/data"), Permissions::from_mode(0o666)).unwrap();
        let mut command = place.command(judge.user, place.path("judge"), SYSTEM_PATH);
        command.args(["run", "-p", "columns", "-s", "sh sub/bot.sh sub/data", "--dir", "sub:rw", "--env", &secret]);
        command.args(["--seeds", "1-3", "--jobs", "1", "--no-journal", "--tier", judge.tier, "--json", "-"]);
        let said = said(command);
        assert!(said.stdout.contains("left"), "{judge:?}: {}{}", said.stdout, said.stderr);
        assert!(!said.stdout.contains(SECRET), "{judge:?}: {}", said.stdout);
    }
}

/// The journal records the commit of the current folder, and the repository may have come with a solver.
#[test]
fn a_planted_repository_starts_nothing() {
    let place = Place::new();
    let marker = place.path("work/executed");
    let evil = place.script("work/evil", &format!("#!/bin/sh\ntouch {}\ncat\n", marker.display()));
    let git = |words: &[&str]| {
        let mut command = place.command(None, "git", SYSTEM_PATH);
        command.args(["-c", "user.name=x", "-c", "user.email=x@y"]).args(words);
        command.status().is_ok_and(|status| status.success())
    };
    if !git(&["init", "--quiet"]) {
        return skip(Need::Git, "git is not installed");
    }
    place.write("work/bot.py", "1");
    assert!(git(&["add", "bot.py"]) && git(&["commit", "--quiet", "-m", "x"]));
    let noted = |settings: &[[&str; 3]]| {
        for [name, value, file] in settings {
            assert!(git(&["config", name, value]));
            place.write("work/.gitattributes", file);
        }
        place.write("work/bot.py", "2");
        let mut run = place.command(None, place.path("judge"), SYSTEM_PATH);
        run.args(["run", "-p", "columns", "-s", "true", "--seeds", "1"]);
        assert_eq!(said(run).code, Some(1));
        let mut show = place.command(None, place.path("judge"), SYSTEM_PATH);
        show.args(["history", "show", "last"]);
        assert!(!marker.exists(), "{settings:?}: it was executed");
        said(show).stdout
    };
    let evil = evil.to_str().unwrap();
    let clean = noted(&[["core.fsmonitor", evil, ""]]);
    assert!(clean.contains("commit"), "{clean}");
    let filtered = noted(&[["filter.evil.clean", evil, "* filter=evil\n"]]);
    assert!(filtered.contains("commit"), "{filtered}");
}

/// The last value of a variable counts, and a solver has each variable once.
#[test]
fn the_users_path_replaces_the_sandboxes() {
    let place = Place::new();
    for judge in place.judges() {
        let words = ["--env", "PATH=/x", "--env", "A=1", "--env", "A=2", "--", "/usr/bin/env"];
        let inside = said(place.exec(judge, SYSTEM_PATH, &words));
        assert_eq!(inside.stdout, "LANG=C.UTF-8\nPATH=/x\nA=2\n", "{judge:?}: {}", inside.stderr);
    }
}
