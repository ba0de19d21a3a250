//! Interpreters that run on the host also run in the sandbox, under the same path and with the same packages.

use super::place::{Place, SYSTEM_PATH, installed, said};
use crate::support::require::{Need, skip};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints which interpreter runs, and imports one of its own packages.
const WHO: &str =
    "import sys, math, json, treasure\nprint(sys.executable, sys.prefix, sys.base_prefix, sys.argv[1:])\n";

/// The system's Python with its folder of modules.
fn system_python() -> Option<(PathBuf, String)> {
    let python = installed("python3", Need::Python)?.canonicalize().unwrap();
    let version = python.file_name().unwrap().to_str().unwrap().to_owned();
    Some((python, version))
}

/// Puts an installation of Python at this place, with a package that no other installation has.
fn python_at(place: &Place, prefix: &str) -> Option<()> {
    let (python, version) = system_python()?;
    let (bin, lib) = (place.path(prefix).join("bin"), place.path(prefix).join("lib"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(&lib).unwrap();
    fs::copy(python, bin.join(&version)).unwrap();
    place.link(&format!("{prefix}/bin/python3"), &version);
    let copied = Command::new("cp").arg("-r").arg(Path::new("/usr/lib").join(&version)).arg(&lib).status().unwrap();
    assert!(copied.success());
    place.write(&format!("{prefix}/lib/{version}/treasure.py"), "");
    Some(())
}

/// Makes a virtual environment with a package that no other has; `None` if the host cannot.
fn venv_at(place: &Place, name: &str, python: &Path, more: &[&str]) -> Option<()> {
    let made = Command::new(python).args(["-m", "venv", "--without-pip"]).args(more).arg(place.path(name)).status();
    if !made.is_ok_and(|made| made.success()) {
        skip(Need::Venv, "the system's Python makes none");
        return None;
    }
    let packages = place.path(name).join("lib").read_dir().unwrap().next().unwrap().unwrap();
    fs::write(packages.path().join("site-packages/treasure.py"), "").unwrap();
    Some(())
}

/// In every tier, a command prints the same as on the host.
fn as_on_the_host(place: &Place, path: &str, words: &[&str]) {
    for judge in place.judges() {
        let mut host = place.command(judge.user, words[0], path);
        host.args(&words[1..]);
        let host = said(host);
        assert_eq!(host.code, Some(0), "on the host, {words:?}: {}", host.stderr);
        let inside = said(place.exec(judge, path, &[&["--"], words].concat()));
        assert_eq!((inside.code, &*inside.stdout), (Some(0), &*host.stdout), "{judge:?} {words:?}: {}", inside.stderr);
    }
}

fn with(folder: &str) -> String {
    format!("{folder}:{SYSTEM_PATH}")
}

#[test]
#[ignore = "CI: an environment is made"]
fn virtual_environments_work_as_on_the_host() {
    let place = Place::new();
    let Some((python, _)) = system_python() else { return };
    for (name, more) in [("work/venv", &[][..]), ("home/copied", &["--copies"])] {
        let Some(()) = venv_at(&place, name, &python, more) else { return };
        let script = place.write("work/mm.py", WHO);
        let bin = place.text(&format!("{name}/bin"));
        let interpreter = format!("{bin}/python3");
        as_on_the_host(&place, &with(&bin), &["python3", script.to_str().unwrap(), "x"]);
        as_on_the_host(&place, &with(&bin), &["env", "A=1", "python3", script.to_str().unwrap()]);
        as_on_the_host(&place, SYSTEM_PATH, &[&interpreter, "mm.py"]);
        let by_name = place.script("work/by-name", &format!("#!/usr/bin/env python3\n{WHO}"));
        as_on_the_host(&place, &with(&bin), &[by_name.to_str().unwrap(), "x"]);
        let by_path = place.script("work/by-path", &format!("#!{interpreter}\n{WHO}"));
        as_on_the_host(&place, SYSTEM_PATH, &[by_path.to_str().unwrap(), "x"]);
        let by_shell = format!("#!/bin/sh\n'''exec' \"{interpreter}\" \"$0\" \"$@\"\n' '''\n{WHO}");
        let by_shell = place.script("work/by-shell", &by_shell);
        as_on_the_host(&place, SYSTEM_PATH, &[by_shell.to_str().unwrap(), "x"]);
    }
    as_on_the_host(&place, SYSTEM_PATH, &["../work/venv/bin/python", "-c", "import treasure"]);
}

/// Installed next to the system's interpreter of the same version, which has other packages.
#[test]
#[ignore = "CI: whole installations"]
fn version_managers_are_followed_without_being_run() {
    let place = Place::new();
    let Some(()) = python_at(&place, "home/.pyenv/versions/3.99.7") else { return };
    let script = place.write("work/mm.py", WHO).display().to_string();
    let root = place.text("home/.pyenv");
    let own = format!("{root}/versions/3.99.7/bin/python3");
    as_on_the_host(&place, SYSTEM_PATH, &[&own, &script]);
    // The output of the shim and of the version must be equal.
    let shim = format!(
        "#!/usr/bin/env bash\nprogram=\"${{0##*/}}\"\nexec \"{root}/libexec/pyenv\" exec \"$program\" \"$@\"\n"
    );
    let shim = place.script("home/.pyenv/shims/python3", &shim).display().to_string();
    let marker = place.path("work/executed");
    place.script("home/.pyenv/libexec/pyenv", &format!("#!/bin/sh\ntouch {}\n", marker.display()));
    let by_shim = place.script("work/by-shim", &format!("#!{shim}\n{WHO}")).display().to_string();
    let expected = said({
        let mut host = place.command(None, &own, SYSTEM_PATH);
        host.arg(&script);
        host
    });
    let chosen = [("home/.pyenv/version", "3.99.7\n"), ("work/.python-version", "# which\n3.99\n")];
    for judge in place.judges() {
        for (file, version) in chosen {
            place.write(file, version);
            for words in [&[&*shim, &*script][..], &["python3", &script], &[&*by_shim]] {
                let inside = said(place.exec(judge, &with(&format!("{root}/shims")), &[&["--"], words].concat()));
                let (code, stdout) = (inside.code, &*inside.stdout);
                assert_eq!((code, stdout), (Some(0), &*expected.stdout), "{judge:?} {words:?}: {}", inside.stderr);
            }
            fs::remove_file(place.path(file)).unwrap();
        }
        let system = said(place.exec(
            judge,
            &with(&format!("{root}/shims")),
            &["--", "python3", "-c", "import sys; print(sys.prefix)"],
        ));
        assert_eq!((system.code, &*system.stdout), (Some(0), "/usr\n"), "{}", system.stderr);
        place.write("work/.python-version", "4.0\n");
        let none = said(place.exec(judge, &with(&format!("{root}/shims")), &["--", "python3", &script]));
        assert!(none.code == Some(1) && none.stderr.contains("not chosen or not installed"), "{}", none.stderr);
        fs::remove_file(place.path("work/.python-version")).unwrap();
    }
    assert!(!marker.exists(), "a shim was executed outside the sandbox");
}

/// The shims of other managers, for programs that print their version.
#[test]
fn shims_of_other_managers_are_followed() {
    let place = Place::new();
    let root = place.text("home");
    place.script("home/.rbenv/shims/ruby", "#!/usr/bin/env bash\nexec \"/usr/bin/rbenv\" exec \"$program\" \"$@\"\n");
    let shim = "#!/usr/bin/env bash\n# asdf-plugin: nodejs 18.0.0\nexec asdf exec \"node\" \"$@\"\n";
    place.script("home/.asdf/shims/node", shim);
    place.script("home/bin/mise", "#!/bin/sh\n");
    place.link("home/mise/shims/python3", place.path("home/bin/mise"));
    for version in
        [".rbenv/versions/3.2.0/bin/ruby", ".rbenv/versions/3.10.1/bin/ruby", ".asdf/installs/nodejs/20.1.0/bin/node"]
    {
        let told = Path::new(version).parent().unwrap().parent().unwrap().join("told");
        place.script(&format!("home/{version}"), "#!/bin/sh\ncat \"$(dirname \"$0\")/../told\"\n");
        place.write(&format!("home/{}", told.display()), version);
    }
    place.write("work/.ruby-version", "3\n");
    place.write("home/.tool-versions", "ruby 1\nnodejs 20.1.0 system\n");
    let path = format!("{root}/mise/shims:{root}/.rbenv/shims:{root}/.asdf/shims:{SYSTEM_PATH}");
    for judge in place.judges() {
        for (name, version) in
            [("ruby", ".rbenv/versions/3.10.1/bin/ruby"), ("node", ".asdf/installs/nodejs/20.1.0/bin/node")]
        {
            let inside = said(place.exec(judge, &path, &["--", name]));
            assert_eq!((inside.code, &*inside.stdout), (Some(0), version), "{judge:?}: {}", inside.stderr);
        }
        let unknown = said(place.exec(judge, &path, &["--", "python3"]));
        assert!(unknown.code == Some(1) && unknown.stderr.contains("is a shim for a version"), "{}", unknown.stderr);
    }
}

/// An environment of uv: its base is named by a link to the folder of a version.
#[test]
fn environments_behind_folder_links_work() {
    let place = Place::new();
    let Some(()) = python_at(&place, "home/.local/share/uv/python/cpython-3.99.7-linux") else { return };
    place.link("home/.local/share/uv/python/cpython-3.99-linux", "cpython-3.99.7-linux");
    let base = place.path("home/.local/share/uv/python/cpython-3.99-linux/bin");
    let (_, version) = system_python().unwrap();
    place.link("work/.venv/bin/python", base.join("python3"));
    place.link("work/.venv/bin/python3", "python");
    place.write("work/.venv/pyvenv.cfg", &format!("home = {}\ninclude-system-site-packages = false\n", base.display()));
    place.write(&format!("work/.venv/lib/{version}/site-packages/own.py"), "");
    let script = place.write("work/mm.py", &format!("import own\n{WHO}")).display().to_string();
    as_on_the_host(&place, &with(&place.text("work/.venv/bin")), &["python3", &script]);
    as_on_the_host(&place, SYSTEM_PATH, &[".venv/bin/python", &script]);
}

#[test]
#[ignore = "CI: whole installations"]
fn managed_node_and_java_are_found() {
    let place = Place::new();
    if let Some(node) = installed("node", Need::Node) {
        let prefix = "home/.nvm/versions/node/v99.1.0";
        fs::create_dir_all(place.path(prefix).join("bin")).unwrap();
        fs::copy(node, place.path(prefix).join("bin/node")).unwrap();
        place.write(&format!("{prefix}/lib/treasure.js"), "module.exports = 7;\n");
        let script = "const p = process.execPath; console.log(p, require(p + '/../../lib/treasure.js'));\n";
        let script = place.write("work/mm.js", script).display().to_string();
        as_on_the_host(&place, &with(&place.text(&format!("{prefix}/bin"))), &["node", &script]);
    }
    if let Some(java) = installed("javac", Need::Java) {
        let java = java.canonicalize().unwrap();
        let home = java.ancestors().nth(2).unwrap();
        let candidates = "home/.sdkman/candidates/java";
        for part in home.read_dir().unwrap().flatten().filter(|part| part.file_name() != "bin") {
            place.link(&format!("{candidates}/99-tem/{}", part.file_name().display()), part.path());
        }
        fs::create_dir_all(place.path(candidates).join("99-tem/bin")).unwrap();
        fs::copy(home.join("bin/java"), place.path(candidates).join("99-tem/bin/java")).unwrap();
        place.link(&format!("{candidates}/current"), "99-tem");
        let script = "class A { public static void main(String[] a) { System.out.println(System.getProperty(\"java.home\") != null); } }";
        let script = place.write("work/A.java", script).display().to_string();
        let compiled = Command::new("javac").args(["-d", &place.text("work"), &script]).status().unwrap();
        assert!(compiled.success());
        let bin = place.text(&format!("{candidates}/current/bin"));
        as_on_the_host(&place, &with(&bin), &["java", "-XX:+UseSerialGC", "-cp", &place.text("work"), "A"]);
    }
}

#[test]
fn the_active_environment_runs_source_files() {
    let place = Place::new();
    let Some((python, _)) = system_python() else { return };
    let Some(()) = venv_at(&place, "home/venv", &python, &[]) else { return };
    place.write("work/mm.py", "import treasure\nprint('right')\n");
    place.script("work/check", "#!/bin/sh\n[ \"$(cat \"$1\")\" = right ] && echo 1\n");
    let check = place.text("work/check");
    place.write(
        "work/problems.toml",
        &format!("[[problem]]\nid = \"p\"\nchecker-command = \"{check} {{answer}}\"\ngenerator-command = \"echo {{seed}}\"\nseeds = \"1\"\n"),
    );
    for judge in place.judges() {
        let mut command = place.command(judge.user, place.path("judge"), &with(&place.text("home/venv/bin")));
        command.args([
            "run",
            "-p",
            "p",
            "-s",
            "mm.py",
            "-s",
            "words=python3 mm.py",
            "--no-journal",
            "--tier",
            judge.tier,
        ]);
        let said = said(command);
        assert_eq!(said.code, Some(0), "{judge:?}: {}\n{}", said.stdout, said.stderr);
    }
}

/// Root's private files stay private. The sandbox's user can still reach the files that it is shown.
#[test]
fn an_installation_in_a_closed_home_works() {
    let place = Place::new();
    let Some(()) = python_at(&place, "home/.pyenv/versions/3.99.7") else { return };
    let script = place.write("work/mm.py", WHO).display().to_string();
    fs::set_permissions(place.path("home"), fs::Permissions::from_mode(0o700)).unwrap();
    let secret = place.write("home/secret", "of the user");
    let own = place.text("home/.pyenv/versions/3.99.7/bin/python3");
    for judge in place.judges().into_iter().filter(|judge| judge.user.is_none()) {
        let inside = said(place.exec(judge, SYSTEM_PATH, &["--", &own, &script]));
        assert!(inside.code == Some(0) && inside.stdout.starts_with(&own), "{judge:?}: {}", inside.stderr);
        let look = format!("print(open({:?}).read())", secret.display().to_string());
        let inside = said(place.exec(judge, SYSTEM_PATH, &["--", &own, "-c", &look]));
        assert!(inside.code == Some(1) && !inside.stdout.contains("of the user"), "{judge:?}: {}", inside.stdout);
    }
    assert_eq!(fs::metadata(place.path("home")).unwrap().permissions().mode() & 0o777, 0o700);
}
