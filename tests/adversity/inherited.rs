//! A careless parent: the judge's programs do not inherit what the judge inherits.

use crate::support::require::{Need, skip};
use crate::support::stage::{PLAIN_USER, Stage, is_root, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const CLEAN: [&str; 8] = [
    "umask 22",
    "folder there",
    "own file made",
    "environment PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "environment LANG=C.UTF-8",
    "descriptor 0",
    "descriptor 1",
    "descriptor 2",
];

#[test]
fn programs_see_nothing_of_what_the_judge_inherited() {
    let Some(stage) = Stage::together() else { return };
    let solver = stage.text("solver");
    for (_, tier) in crate::support::stage::users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_none()) {
        let (out, json) = (stage.text("tmp/out"), stage.text("tmp/report.json"));
        let arguments = ["exec", "--tier", &tier, "--stdout", &out, "--json", &json, "--", &solver, "inherited"];
        let mut command = stage.launched(&["odd", "closed"], &arguments);
        command.env("LD_PRELOAD", stage.path("preload.so")).env("SECRET_TOKEN", "x");
        let said = run(command);
        assert_eq!(said.code, Some(0), "tier {tier}: {}", said.stderr);
        let seen = fs::read_to_string(&out).unwrap();
        assert_eq!(seen.lines().collect::<Vec<_>>(), CLEAN, "tier {tier}");
        let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!((&report["verdict"], &report["tier"]), (&"ok".into(), &tier.into()), "{report}");
    }
}

#[test]
fn a_removed_current_folder_is_an_error() {
    let Some(stage) = Stage::together() else { return };
    let solver = stage.solver("plain");
    let arguments = ["run", "-p", "columns", "-s", &solver, "--seeds", "1"];
    let said = run(stage.launched(&["odd"], &arguments));
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("is the current folder gone?"), "{}", said.stderr);
}

#[test]
fn another_users_home_is_an_error_with_remedy() {
    let Some(stage) = Stage::set() else { return };
    if !is_root() {
        return skip(Need::Root, "the home of another user");
    }
    let home = stage.path("closed");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    let solver = stage.solver("plain");
    let arguments = ["run", "-p", "columns", "-s", &solver, "--seeds", "1", "--no-journal"];
    let mut command = stage.launched(&["user", &PLAIN_USER.to_string()], &arguments);
    command.env("HOME", &home).env_remove("XDG_CONFIG_HOME");
    let said = run(command);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("closed/.config/judge/languages.toml"), "{}", said.stderr);
    assert!(said.stderr.contains("hint: make this file readable, or set HOME"), "{}", said.stderr);
}
