//! The action for GitHub: its form, and its scripts as a runner calls them.

use super::workflows::document;
use super::{repository, run, source};
use crate::support::Folder;
use crate::support::documents::{python_has, run as run_in, sample, text};
use crate::support::require::Need;
use saphyr::YamlOwned;
use std::process::{Command, Output};

const FILE: &str = ".github/actions/gate/action.yml";

/// The steps of the action: the value of each under a key.
fn steps(key: &str) -> Vec<(String, Option<String>)> {
    let action = document(FILE);
    let steps = action.as_mapping_get("runs").and_then(|runs| runs.as_mapping_get("steps")).unwrap();
    let value = |step: &YamlOwned, key: &str| step.as_mapping_get(key).and_then(YamlOwned::as_str).map(str::to_owned);
    steps.as_sequence().unwrap().iter().map(|step| (value(step, "name").unwrap(), value(step, key))).collect()
}

/// The script of a step.
fn script(name: &str) -> String {
    steps("run").into_iter().find(|(step, _)| step == name).and_then(|(_, script)| script).unwrap()
}

#[test]
fn every_input_of_the_action_is_used() {
    let (action, text) = (document(FILE), source(FILE));
    let inputs = action.as_mapping_get("inputs").and_then(YamlOwned::as_mapping).unwrap();
    for name in inputs.keys().map(|name| name.as_str().unwrap()) {
        assert!(text.contains(&format!("inputs.{name} ")), "{name}");
    }
    let used = text.split("inputs.").skip(1).map(|rest| rest.split(' ').next().unwrap());
    for name in used {
        assert!(inputs.keys().any(|known| known.as_str() == Some(name)), "{name} is no input");
    }
    for ((name, script), (_, action)) in steps("run").into_iter().zip(steps("uses")) {
        assert_ne!(script.is_some(), action.is_some(), "{name}: uses or run");
        assert!(action.is_none_or(|action| action.contains("@v")), "{name}: which version?");
        let Some(script) = script else { continue };
        assert!(!script.contains("${{"), "{name}: an input could be a command: {script}");
        run(Command::new("bash").args(["-n", "-c", &script])).unwrap();
    }
}

/// The default of an input.
fn default(input: &str) -> String {
    let action = document(FILE);
    let input = action.as_mapping_get("inputs").and_then(|inputs| inputs.as_mapping_get(input)).unwrap();
    input.as_mapping_get("default").and_then(YamlOwned::as_str).unwrap().to_owned()
}

/// Calls the action's gate as a runner does.
fn gated(folder: &Folder, more: &[(&str, &str)]) -> Output {
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let action = repository().join(".github/actions/gate");
    let fixed =
        [("GITHUB_OUTPUT", place("outputs")), ("GITHUB_STEP_SUMMARY", place("summary.md")), ("PAGES", place("pages"))];
    let mut variables = vec![("GITHUB_ACTION_PATH", action.to_str().unwrap()), ("BASELINE", "baseline.toml")];
    variables.extend([("SOLVER", "python3 bot.py"), ("PROBLEM", ""), ("SEEDS", ""), ("RECORD", "false")]);
    let (max_drop, if_noisy) = (default("max-drop"), default("if-noisy"));
    variables.extend([("MAX_DROP", &*max_drop), ("IF_NOISY", &*if_noisy)]);
    variables.extend(fixed.iter().map(|(name, value)| (*name, &**value)));
    variables.extend(more);
    run_in(folder, "bash", &["-e", "-c", &script("Gate")], &variables)
}

#[test]
fn the_action_records_and_gates() {
    if !python_has("sys", Need::Python) {
        return;
    }
    let folder = sample();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    folder.write("bot.py", "print(1000 + int(input()))\n");
    let missing = gated(&folder, &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("no baseline at baseline.toml"), "{}", text(&missing.stderr));
    for _ in 0..2 {
        let recorded = gated(&folder, &[("RECORD", "true"), ("PROBLEM", "columns"), ("SEEDS", "1-3")]);
        assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stderr));
    }
    assert!(read("baseline.toml").contains("seed-3") && !read("baseline.toml").contains("seed-4"));
    let elsewhere = [("RECORD", "true"), ("PROBLEM", "columns"), ("SEEDS", "1"), ("BASELINE", "gates/new/1.toml")];
    assert_eq!(gated(&folder, &elsewhere).status.code(), Some(0));
    assert!(read("gates/new/1.toml").contains("seed-1"));
    assert_eq!(gated(&folder, &[("RECORD", "true"), ("SOLVER", "")]).status.code(), Some(2));

    let held = gated(&folder, &[("SOLVER", "")]);
    assert_eq!(held.status.code(), Some(0), "{}{}", text(&held.stdout), text(&held.stderr));
    folder.write("bot.py", "print(900 + int(input()))\n");
    assert_eq!(gated(&folder, &[]).status.code(), Some(1));
    assert_eq!(read("outputs"), "holds=true\nholds=false\n");
    assert!(read("summary.md").contains("the total got worse") && read("pages/gate.html").contains("</html>"));
    assert!(read("pages/gate.xml").contains("failures=\"1\""));
    assert_eq!(gated(&folder, &[("MAX_DROP", "50%")]).status.code(), Some(0));
}

#[test]
fn the_action_installs_and_finds_the_baseline() {
    let folder = sample();
    // A Python that records its arguments, and makes a pip that does the same.
    let pip = "mkdir -p \"$3/bin\"; printf '#!/bin/sh\\necho pip \"$@\"\\n' >\"$3/bin/pip\"; chmod +x \"$3/bin/pip\"";
    folder.script("bin/python3", &format!("echo python3 \"$@\"; {pip}"));
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (temporary, path, outputs) = (place("runner"), place("path"), place("outputs"));
    let variables = [
        ("RUNNER_TEMP", &*temporary),
        ("GITHUB_PATH", &*path),
        ("GITHUB_OUTPUT", &*outputs),
        ("PACKAGE", "judge-harness==1 2"),
        ("BASELINE", "the baseline.toml"),
    ];
    let output = run_in(&folder, "bash", &["-e", "-c", &script("Install the judge")], &variables);
    let said = text(&output.stdout);
    assert_eq!(said, format!("python3 -m venv {temporary}/judge\npip install --quiet judge-harness==1 2\n"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{temporary}/judge/bin\n"));
    for expected in ["found=false\n", "found=false\nfound=true\n"] {
        run_in(&folder, "bash", &["-e", "-c", &script("Look for the baseline")], &variables);
        assert_eq!(std::fs::read_to_string(&outputs).unwrap(), expected);
        folder.write("the baseline.toml", "");
    }
}
