//! The workflow files: their form, and that the scripts they start exist.

use super::{repository, run, source};
use saphyr::{LoadableYamlNode, YamlOwned};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const OWN: [&str; 3] = [".github/workflows/ci.yml", ".github/workflows/nightly.yml", ".github/workflows/release.yml"];
const TO_COPY: &str = "docs/ci/github-actions.yml";

pub(super) fn document(file: &str) -> YamlOwned {
    let documents = YamlOwned::load_from_str(&source(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let [document] = &documents[..] else { panic!("{file}: {} documents", documents.len()) };
    document.clone()
}

fn text<'a>(node: &'a YamlOwned, key: &str) -> Option<&'a str> {
    node.as_mapping_get(key)?.as_str()
}

fn items<'a>(node: &'a YamlOwned, key: &str) -> Vec<&'a YamlOwned> {
    node.as_mapping_get(key).and_then(YamlOwned::as_sequence).map_or(Vec::new(), |sequence| sequence.iter().collect())
}

/// The jobs of a workflow by name.
fn jobs(workflow: &YamlOwned) -> Vec<(String, &YamlOwned)> {
    let jobs = workflow.as_mapping_get("jobs").and_then(YamlOwned::as_mapping).expect("a workflow has jobs");
    jobs.iter().map(|(name, job)| (name.as_str().unwrap().to_owned(), job)).collect()
}

/// The scripts of a job's steps.
fn scripts(job: &YamlOwned) -> Vec<&str> {
    items(job, "steps").into_iter().filter_map(|step| text(step, "run")).collect()
}

#[test]
fn every_workflow_job_is_well_formed() {
    for file in OWN.into_iter().chain([TO_COPY]) {
        let workflow = document(file);
        assert!(workflow.contains_mapping_key("on") && text(&workflow, "name").is_some(), "{file}");
        let jobs = jobs(&workflow);
        for (name, job) in &jobs {
            assert!(text(job, "runs-on").is_some(), "{file}: {name} runs nowhere");
            assert!(!items(job, "steps").is_empty(), "{file}: {name} has no steps");
            if let Some(needs) = text(job, "needs") {
                assert!(jobs.iter().any(|(other, _)| other == needs), "{file}: {name} needs {needs}");
            }
            for step in items(job, "steps") {
                let action = text(step, "uses");
                assert_ne!(action.is_some(), text(step, "run").is_some(), "{file}: {name}: uses or run: {step:?}");
                assert!(action.is_none_or(|action| action.contains("@v")), "{file}: {name}: which version? {step:?}");
            }
        }
    }
}

#[test]
fn workflow_scripts_are_shell_and_start_existing_files() {
    let mut started = Vec::new();
    for file in OWN.into_iter().chain([TO_COPY]) {
        let workflow = document(file);
        for (name, job) in jobs(&workflow) {
            for script in scripts(job) {
                // Bash cannot parse the expressions of the service.
                let plain = script.replace("${{", "${").replace("}}", "}");
                run(Command::new("bash").args(["-n", "-c", &plain]))
                    .unwrap_or_else(|error| panic!("{file}: {name}: {error}"));
                let words = script.split_whitespace().map(|word| word.trim_matches(|sign| sign == '"' || sign == '\''));
                started.extend(
                    words
                        .filter(|word| [".ci/", ".github/", "tests/"].iter().any(|place| word.starts_with(place)))
                        .map(|word| repository().join(word)),
                );
            }
        }
    }
    for name in [".ci/run", ".ci/nightly", ".github/check-release", ".github/package", "tests/first-hour"] {
        assert!(started.contains(&repository().join(name)), "no workflow starts {name}: {started:?}");
    }
    for program in started {
        let mode = std::fs::metadata(&program).unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        assert!(mode.permissions().mode() & 0o100 != 0, "{} is not executable", program.display());
    }
}

#[test]
fn release_targets_have_checked_dependencies() {
    let workflow = document(".github/workflows/release.yml");
    let jobs = jobs(&workflow);
    let (_, build) = jobs.iter().find(|(name, _)| name == "build").unwrap();
    let matrix = build.as_mapping_get("strategy").and_then(|strategy| strategy.as_mapping_get("matrix")).unwrap();
    let mut built: Vec<&str> = items(matrix, "include").into_iter().filter_map(|entry| text(entry, "target")).collect();
    built.sort_unstable();
    assert_eq!(built, ["aarch64-unknown-linux-musl", "x86_64-unknown-linux-musl"]);
    let checked = super::manifest("deny.toml")["graph"]["targets"].clone();
    for target in built {
        assert!(checked.as_array().unwrap().iter().any(|known| known.as_str() == Some(target)), "{target}");
    }
    let publish = jobs.iter().find(|(name, _)| name == "publish").map(|(_, job)| job).unwrap();
    assert_eq!(text(publish, "needs"), Some("build"));
    assert_eq!(text(publish, "if"), Some("github.ref_type == 'tag'"), "only a tag is published");
}

#[test]
fn the_gitlab_file_has_one_scripted_job() {
    let workflow = document("docs/ci/gitlab-ci.yml");
    let job = workflow.as_mapping_get("gate").unwrap();
    let script: Vec<&str> = items(job, "script").into_iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!(script.len(), 2, "install and gate: {script:?}");
    for part in script {
        run(Command::new("sh").args(["-n", "-c", part])).unwrap();
    }
}
