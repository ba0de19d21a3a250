//! Packages of Kattis and ICPC, written after the descriptions of their formats, become problems that run.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "it serves other tests as well")]
mod support;

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use support::Folder;
use support::require::{Need, skip};

/// A folder with a package `pack`.
fn package(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(&format!("pack/{name}"), text);
    }
    folder
}

/// Imports the package, and returns what the judge printed.
fn imported(folder: &Folder) -> String {
    let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    said.stdout
}

fn run(folder: &Folder, solver: &str) -> Value {
    folder.json(&["run", "--problems", "out/problems.toml", "-p", "p", "-s", solver]).1
}

/// The verdict of each case, by its name.
fn verdicts(folder: &Folder, solver: &str) -> Vec<String> {
    let report = run(folder, solver);
    let cases = report["cases"].as_array().unwrap().iter();
    let mut shown: Vec<_> =
        cases.map(|case| format!("{} {}", case["case"].as_str().unwrap(), case["verdict"].as_str().unwrap())).collect();
    shown.sort();
    shown
}

fn total(folder: &Folder, solver: &str) -> String {
    run(folder, solver)["solvers"][0]["total"].to_string()
}

fn catalogue(folder: &Folder) -> String {
    std::fs::read_to_string(folder.path().join("out/problems.toml")).unwrap()
}

fn has(program: &str, need: Need) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skip(need, format!("there is no {program}"));
    }
    found
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const CONFIG: &str = "name: Roots\nsource: {name: Us, url: 'http://x'}\nauthor: A\nvalidator_flags: float_tolerance 1e-6\n\
                      languages: python\nlimits: {memory: 64, time_limit: 1.5, validation_memory: 3}\n";

fn roots() -> Folder {
    package(&[
        ("problem.yaml", CONFIG),
        ("data/sample/two.in", "2\n"),
        ("data/sample/two.ans", "1.41421356\n"),
        ("data/secret/nine.in", "9\n"),
        ("data/secret/nine.ans", "3\n"),
        ("data/secret/nine.desc", "a square\n"),
        ("input_validators/check.py", "pass\n"),
        ("submissions/accepted/root.sh", "awk '{printf \"%.9f\\n\", sqrt($1)}'\n"),
        ("submissions/accepted/root.scala", "object Root\n"),
        ("submissions/wrong_answer/int.sh", "awk '{print int(sqrt($1))}'\n"),
        ("submissions/run_time_error/crash.sh", "exit 3\n"),
        ("submissions/brute/b.py", "print(1)\n"),
    ])
}

#[test]
fn the_default_validator_keeps_its_flags() {
    let folder = roots();
    let said = imported(&folder);
    let solve = "awk '{printf \"%.9f\\n\", sqrt($1)}'";
    assert_eq!(verdicts(&folder, solve), ["nine accepted", "two accepted"]);
    assert_eq!(verdicts(&folder, "awk '{print int(sqrt($1))}'"), ["nine accepted", "two wrong-answer"]);
    for line in [
        "taken  2 cases",
        "tokens float_tolerance 1e-6",
        "left   problem.yaml: `languages`",
        "left   problem.yaml: `limits.validation_memory`",
        "left   data/secret/*.desc",
        "taken  submissions with their expected verdicts",
        "left   submissions/accepted: root.scala: in no language",
        "left   submissions/brute: b.py: its name stands for no verdict",
        "left   input_validators",
        "next: judge verify --problems out/problems.toml -p p",
        "judge run --problems out/problems.toml -p p -s ./solution",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("author"), "{said}");
    let text = catalogue(&folder);
    for line in ["cpu = \"1.5s\"", "memory = \"64MiB\"", "title = \"Roots\"", "source = \"Us\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // The journal is that of the runs.
    assert_eq!(names(&folder.path().join("out")), [".judge", "data", "problems.toml", "submissions"]);
    let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    let text = text.replace("accepted/root.sh", "wrong_answer/int.sh");
    folder.write("out/problems.toml", text);
    assert_eq!(folder.judge(&["verify", "--problems", "out/problems.toml"]).code, Some(1));
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_of_a_failure() {
    let folder = roots();
    let before = names(folder.path());
    let cases: [(&str, &str, &str); 6] = [
        ("problem.yaml", "limits: [1\n", "problem.yaml"),
        ("problem.yaml", "limits: {memory: lots}\n", "bad value of `limits.memory`"),
        ("problem.yaml", "problem_format_version: 2023-07\ntype: submit-answer\n", "`type: submit-answer`"),
        ("problem.yaml", "validation: custom\n", "the problem has no output validator"),
        ("problem.yaml", "validator_flags: float_tolerence 1\n", "out/problems.toml"),
        ("data/secret/ten.in", "10\n", "the case has no answer file"),
    ];
    for (name, text, message) in cases {
        let old = std::fs::read(folder.path().join("pack").join(name)).ok();
        let path = folder.write(&format!("pack/{name}"), text);
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        assert_eq!(said.code, Some(2), "{text}: {}", said.stderr);
        assert!(said.stderr.contains(message), "{message}: {}", said.stderr);
        assert_eq!(names(folder.path()), before, "{text}");
        match old {
            Some(old) => std::fs::write(&path, old).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
    }
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("pack/data/secret/x.ans")).unwrap();
    folder.write("pack/data/secret/x.in", "1\n");
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert!(said.code == Some(2) && said.stderr.contains("a link to"), "{}", said.stderr);
    std::fs::remove_file(folder.path().join("pack/data/secret/x.ans")).unwrap();
    folder.write("pack/data/secret/x.ans", "1\n");
    imported(&folder);
    let text = catalogue(&folder);
    let again = folder.judge(&["import", "pack", "--to", "out"]);
    assert!(again.code == Some(2) && again.stderr.contains("nothing is overwritten"), "{}", again.stderr);
    assert_eq!(catalogue(&folder), text);
    let nothing = folder.judge(&["import", "out", "--to", "other"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("problem.yaml"), "{}", nothing.stderr);
}

/// Two subtasks with points. Their cases have the same names.
fn subtasks(settings: &str, root: &str, first: &str, second: &str) -> Folder {
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2023-07-draft\ntype: scoring\nname: {sv: S, en: Squares}\n"),
        ("data/sample/1.in", "1\n"),
        ("data/sample/1.ans", "1\n"),
        ("data/secret/a/1.in", "2\n"),
        ("data/secret/a/1.ans", "4\n"),
        ("data/secret/a/2.in", "3\n"),
        ("data/secret/a/2.ans", "9\n"),
        ("data/secret/b/1.in", "30\n"),
        ("data/secret/b/1.ans", "900\n"),
        ("data/secret/b/2.in", "40\n"),
        ("data/secret/b/2.ans", "1600\n"),
    ]);
    for (place, text) in [("", root), ("/secret/a", first), ("/secret/b", second)] {
        folder.write(&format!("pack/data{place}/{settings}"), text);
    }
    folder
}

/// Solves one-digit numbers, and 30.
const PARTLY: &str = "awk '{print ($1 < 31) ? $1 * $1 : 0}'";

#[test]
fn subtasks_of_testdata_yaml_have_their_points() {
    let each = "accept_score: 25\ngrader_flags: min\n";
    let lenient = "accept_score: 20\ngrader_flags: sum accept_if_any_accepted\n";
    let folder = subtasks("testdata.yaml", "grader_flags: ignore_sample\n", each, each);
    imported(&folder);
    let names = ["sample-1", "secret-a-1", "secret-a-2", "secret-b-1", "secret-b-2"];
    assert_eq!(verdicts(&folder, "awk '{print $1 * $1}'"), names.map(|name| format!("{name} accepted")));
    assert_eq!(total(&folder, "awk '{print $1 * $1}'"), "50");
    assert_eq!(total(&folder, PARTLY), "25");
    let folder = subtasks("testdata.yaml", "grader_flags: ignore_sample\n", each, lenient);
    imported(&folder);
    assert_eq!(total(&folder, PARTLY), "45");
    assert_eq!(total(&folder, "awk '{print $1 * $1}'"), "65");
}

#[test]
fn groups_of_test_group_yaml_have_their_points() {
    let folder = subtasks(
        "test_group.yaml",
        "",
        "max_score: 30\nscore_aggregation: pass-fail\n",
        "max_score: 70\nscore_aggregation: sum\nrequire_pass: a\n",
    );
    let said = imported(&folder);
    assert!(said.contains("left   data/secret/b: `require_pass`"), "{said}");
    assert_eq!(total(&folder, PARTLY), "65");
    assert_eq!(total(&folder, "awk '{print $1 * $1}'"), "100");
    assert_eq!(total(&folder, "awk '{print ($1 != 3) ? $1 * $1 : 0}'"), "70");
}

/// Accepts an even number, and gives half of the points for one beyond 10.
const EVEN: &str = "import sys\nfrom common import read\nnumber = read(sys.stdin)\n\
    open(sys.argv[3] + 'score_multiplier.txt', 'w').write('0.5' if number > 10 else '1')\n\
    open(sys.argv[3] + 'judgemessage.txt', 'w').write(' '.join(['odd'] + sys.argv[4:]))\n\
    sys.exit(42 if number % 2 == 0 else 43)\n";

#[test]
fn a_validator_of_several_python_files_gives_shares_of_the_points() {
    if !has("python3", Need::Python) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2023-07\ntype: [scoring]\nname: Even\n"),
        ("output_validator/main.py", EVEN),
        ("output_validator/common.py", "def read(stream):\n    return int(stream.read())\n"),
        ("data/test_group.yaml", "output_validator_args: [strict, 1]\n"),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", ""),
        ("data/secret/2.in", "2\n"),
        ("data/secret/2.ans", ""),
    ]);
    imported(&folder);
    assert_eq!(total(&folder, "echo 4"), "100");
    assert_eq!(total(&folder, "echo 14"), "50");
    let report = run(&folder, "echo 3");
    assert_eq!(report["cases"][0]["note"], "odd strict 1");
}

/// The solver guesses the number of the case; the flag `passes` makes it the first of two passes.
const GUESS: &str = "import sys\nsecret = open(sys.argv[1]).read().strip()\nfor line in sys.stdin:\n\
    \x20   if line.strip() == secret:\n        sys.exit(42)\n    print('higher', flush=True)\nsys.exit(43)\n";

#[test]
fn interactive_problems_converse() {
    if !has("python3", Need::Python) {
        return;
    }
    for config in ["validation: custom interactive\n", "problem_format_version: 2023-07\ntype: interactive\n"] {
        let folder = package(&[
            ("problem.yaml", config),
            ("output_validators/guess.py", GUESS),
            ("data/sample/1.interaction", ">1\n"),
            ("data/secret/4.in", "4\n"),
            ("data/secret/4.ans", ""),
        ]);
        let said = imported(&folder);
        assert!(said.contains("left   data/sample/*.interaction"), "{said}");
        let climbing = "sh -c 'n=1; echo $n; while read -r word; do n=$((n + 1)); echo $n; done'";
        assert_eq!(verdicts(&folder, climbing), ["4 accepted"], "{config}");
        assert_eq!(verdicts(&folder, "echo 3"), ["4 wrong-answer"], "{config}");
    }
}

/// Accepts what the answer file says twice: the second pass gets the output of the first.
const TWICE: &str = "import os, sys\nsaid = sys.stdin.read()\nif said != open(sys.argv[2]).read():\n    sys.exit(43)\n\
    if not os.path.exists(sys.argv[3] + 'seen'):\n    open(sys.argv[3] + 'seen', 'w')\n\
    \x20   open(sys.argv[3] + 'nextpass.in', 'w').write('again\\n')\nsys.exit(42)\n";

#[test]
fn a_problem_of_several_passes_has_them() {
    if !has("python3", Need::Python) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2023-07\ntype: multi-pass\nlimits: {validation_passes: 3}\n"),
        ("output_validator/twice.py", TWICE),
        ("data/secret/1.in", "once\n"),
        ("data/secret/1.ans", "x\n"),
    ]);
    imported(&folder);
    assert!(catalogue(&folder).contains("validation-passes = 3"));
    assert_eq!(verdicts(&folder, "echo x"), ["1 accepted"]);
    assert_eq!(verdicts(&folder, "sh -c 'read -r line; [ $line = once ] && echo x'"), ["1 runtime-error"]);
}

/// Accepts the number of the answer file.
const SAME: &str = "#include \"same.h\"\nint main(int, char **argv) { return same(argv[2]) ? 42 : 43; }\n";
const SAME_HEADER: &str = "#include <fstream>\n#include <iostream>\ninline bool same(const char *file) {\n\
    int found = 0, expected = 1;\n    std::ifstream(file) >> expected;\n    std::cin >> found;\n    return found == expected;\n}\n";

#[test]
fn a_validator_in_cplusplus_is_compiled_or_says_why_not() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "validation: custom\n"),
        ("output_validators/same/same.cc", SAME),
        ("output_validators/same/same.h", SAME_HEADER),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", "7\n"),
    ]);
    imported(&folder);
    assert_eq!(verdicts(&folder, "echo 7"), ["1 accepted"]);
    assert_eq!(verdicts(&folder, "echo 8"), ["1 wrong-answer"]);
    let before = names(folder.path());
    folder.write("pack/output_validators/same/same.h", "no header");
    let said = folder.judge(&["import", "pack", "--to", "other/deep"]);
    assert!(said.code == Some(2) && said.stderr.contains("does not compile"), "{}", said.stderr);
    assert_eq!(names(folder.path()), before);
}
