//! The wheel and the Debian package: the files for them exist. `.ci/install` builds and tests them.

use super::{manifest, repository, run, source};
use std::process::Command;

#[test]
fn everything_in_the_debian_package_exists() {
    let manifest = manifest("judge/Cargo.toml");
    let package = &manifest["package"]["metadata"]["deb"];
    let script = source(".github/deb");
    for asset in package["assets"].as_array().unwrap() {
        let from = asset[0].as_str().unwrap();
        let Some(made) = from.strip_prefix("../target/debian-content/") else {
            assert!(repository().join("judge").join(from).is_file(), "{from}");
            continue;
        };
        let shell = made.strip_prefix("judge.").filter(|shell| ["bash", "zsh", "fish"].contains(shell));
        let made = shell.map_or(format!("$content/{made}"), |_| "$content/judge.$shell".to_owned());
        assert!(script.contains(&made), "{from}");
    }
    for name in ["postinst", "prerm"] {
        run(Command::new("sh").arg("-n").arg(repository().join(".github/debian").join(name))).unwrap();
    }
    let profile = source(".github/debian/apparmor");
    assert!(profile.contains("profile judge /usr/bin/judge flags=(unconfined) {\n  userns,\n"), "{profile}");
}

#[test]
fn the_wheel_has_the_module_and_the_program() {
    let project = manifest("judge/python/pyproject.toml");
    let (folder, maturin) = (repository().join("judge/python"), &project["tool"]["maturin"]);
    let package =
        folder.join(maturin["python-source"].as_str().unwrap()).join(maturin["module-name"].as_str().unwrap());
    assert!(package.join("__init__.py").is_file() && package.join("py.typed").is_file());
    let crate_of_program = folder.join(maturin["manifest-path"].as_str().unwrap()).canonicalize().unwrap();
    assert_eq!(crate_of_program, repository().join("judge/Cargo.toml").canonicalize().unwrap());
    assert_eq!(maturin["bindings"].as_str(), Some("bin"));
    // The standard library is enough.
    assert!(project["project"].get("dependencies").is_none());
}

#[test]
fn packages_of_no_program_are_refused() {
    let script = |name: &str| Command::new(repository().join(".github").join(name));
    assert!(run(script("deb").args(["/nowhere/judge", "dist"])).unwrap_err().contains("deb: no program at"));
    for name in ["deb", "wheel"] {
        assert!(run(&mut script(name)).unwrap_err().contains("usage: "), "{name}");
    }
}
