//! The Python package of `judge/python`: its tests are run by unittest from the sources. Also the examples that use it,
//! each framework in its own environment.

use crate::support::Folder;
use crate::support::documents::{package, repository, run, text};
use crate::support::framework;
use crate::support::require::{Need, skip};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The system's Python, because the user's Python may have another version.
const PYTHON: &str = "/usr/bin/python3";

/// A text that a candidate must not see.
const SECRET: &str = "do-not-tell";

fn has_python() -> bool {
    let found = Path::new(PYTHON).exists();
    if !found {
        skip(Need::Python, format!("there is no {PYTHON}"));
    }
    found
}

/// The path of an example.
fn example(name: &str) -> String {
    repository().join("docs/examples").join(name).to_str().unwrap().to_owned()
}

/// Runs a Python program with the package, with the folder as its home, and returns its output.
fn succeeds(folder: &Folder, program: &Path, arguments: &[&str]) -> String {
    let mut variables = package().to_vec();
    variables.extend([("HOME", folder.path().to_str().unwrap()), ("SECRET", SECRET)]);
    let output = run(folder, program.to_str().unwrap(), arguments, &variables);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

/// Runs the package's tests in these files.
fn passes(files: &str) {
    if has_python() {
        let tests = repository().join("judge/python/tests");
        let arguments = ["-W", "error", "-m", "unittest", "discover", "-s", tests.to_str().unwrap(), "-p", files];
        let said = succeeds(&Folder::new(), Path::new(PYTHON), &arguments);
        assert!(said.contains("\nOK\n") && !said.contains("Ran 0 tests"), "{said}");
    }
}

#[test]
fn the_python_client_passes_its_tests() {
    passes("test_client.py");
}

#[test]
fn the_python_adapters_pass_their_tests() {
    passes("test_adapters.py");
}

#[test]
#[ignore = "CI: many evaluations"]
fn the_python_package_evaluates_with_this_judge() {
    passes("test_judge.py");
}

/// The total after each generation.
fn totals(said: &str) -> Vec<i64> {
    let of_line = |line: &str| line.split_once("total ")?.1.split_once(',')?.0.parse().ok();
    said.lines().filter_map(of_line).collect()
}

#[test]
fn the_plain_loop_evolves_a_bot() {
    if !has_python() {
        return;
    }
    let arguments = ["--generations", "3", "--children", "3", "--seeds", "1-3", "--fresh-seeds", "1000001-1000002"];
    let (script, bot) = (example("evolve.py"), example("columns_bot.py"));
    let said = succeeds(&Folder::new(), Path::new(PYTHON), &[&[&*script, &*bot], &arguments[..]].concat());
    let totals = totals(&said);
    assert!(totals.len() == 3 && totals.is_sorted() && totals[2] > totals[0], "{said}");
    assert!(said.contains("\nWEIGHTS = (") && said.contains("on these 2 cases the sum"), "{said}");
    assert!(std::fs::read_to_string(script).unwrap().lines().count() <= 60);
}

/// A folder with a secret at home, and a model that answers in it.
struct Stub {
    folder: Folder,
    model: Child,
    address: String,
}

impl Stub {
    fn start() -> Self {
        let folder = Folder::new();
        folder.write("secret", SECRET);
        let mut command = Command::new(PYTHON);
        command.arg(example("model_stub.py")).arg(example("columns_bot.py")).stdout(Stdio::piped());
        let mut model = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(model.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("http://"), "the stub finds no block to change: {:?}", model.wait());
        Self { folder, model, address: address.trim().to_owned() }
    }

    /// Asserts that no file in a folder of results contains the secret.
    fn assert_secret(&self, results: &str) {
        let found = run(&self.folder, "grep", &["-r", "-l", "-a", SECRET, results], &[]);
        assert_eq!(text(&found.stdout), "", "a candidate has read what it must not");
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}

/// The framework's tests are long, and their environments seldom there.
#[test]
fn the_model_stub_finds_the_bots_block() {
    if has_python() {
        Stub::start();
    }
}

#[test]
#[ignore = "long: candidates that hang use up their time"]
fn openevolve_evolves_a_bot_past_hostile_ones() {
    let Some(program) = framework("openevolve", "openevolve-run", Need::Openevolve) else { return };
    let stub = Stub::start();
    let (bot, evaluator) = (example("columns_bot.py"), example("openevolve/evaluator.py"));
    let config = example("openevolve/config.yaml");
    let arguments = [&bot, &evaluator, "--config", &config, "--api-base", &stub.address, "--primary-model", "stub"];
    succeeds(&stub.folder, &program, &[&arguments[..], &["--output", "results", "--iterations", "9"]].concat());
    let best = std::fs::read_to_string(stub.folder.path().join("results/best/best_program.py")).unwrap();
    assert!(best.contains("\nWEIGHTS = (0.0, 0.0, 0.0)\n"), "{best}");
    stub.assert_secret("results");
}

#[test]
#[ignore = "long: candidates that hang use up their time"]
fn shinka_evolves_a_bot_past_hostile_ones() {
    let Some(python) = framework("shinka", "python", Need::Shinka) else { return };
    let stub = Stub::start();
    for (from, to) in [("columns_bot.py", "task/initial.py"), ("shinka/evaluate.py", "task/evaluate.py")] {
        stub.folder.write(to, std::fs::read(example(from)).unwrap());
    }
    succeeds(&stub.folder, &python, &[&example("shinka/run.py"), "task", "results", &stub.address, "10"]);
    let best = std::fs::read_to_string(stub.folder.path().join("results/best/main.py")).unwrap();
    assert!(best.contains("\nWEIGHTS = (0.0, 0.0, 0.0)\n"), "{best}");
    stub.assert_secret("results");
}

/// Runs the task with a model that answers with a bot, with a bot that hangs, and with nothing.
const INSPECT: &str = r#"
import sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
sys.path.insert(0, sys.argv[1])
from inspect_columns import columns
outputs = []
for text in ["```python\n" + open(sys.argv[1] + "/columns_bot.py").read() + "```", "```\nwhile True: pass\n```", ""]:
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    outputs.append(output)
model = get_model("mockllm/model", custom_outputs=outputs)
log = eval(columns(), model=model, epochs=3, display="none", log_dir="logs", max_connections=1)[0]
scores = [sample.scores["judge"] for sample in log.samples]
print(log.status, [score.value["accepted"] for score in scores], [score.value["fitness"] > 0 for score in scores])
"#;

#[test]
#[ignore = "long: candidates that hang use up their time"]
fn inspect_scores_what_a_model_writes() {
    let Some(python) = framework("inspect", "python", Need::Inspect) else { return };
    let said = succeeds(&Folder::new(), &python, &["-c", INSPECT, &example("")]);
    assert!(said.contains("success [1.0, 0.0, 0.0] [True, False, False]"), "{said}");
}
