//! `judge new`: every kind of problem passes `judge verify` at once. Also programs of a setter that are named as
//! sources.

use crate::support::Folder;
use crate::support::documents::{garbage_is_wrong, system_first};
use crate::support::require::{Need, skip};
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Returns whether a program is installed. Prints a message if it is not.
fn has(program: &str, need: Need) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        skip(need, format!("there is no {program}"));
    }
    is_there
}

/// Makes a problem.
fn new(flags: &[&str]) -> Folder {
    let mut folder = Folder::new();
    folder.programs = Some(system_first());
    let said = folder.judge(&[&["new", "mine"], flags].concat());
    assert_eq!(said.code, Some(0), "{flags:?}: {}", said.stderr);
    assert!(said.stderr.contains("next: cd mine && judge verify"), "{flags:?}: {}", said.stderr);
    folder
}

/// Makes a problem, and asserts that each of its checks is fine.
fn passes(flags: &[&str]) {
    let folder = new(flags);
    let (code, report) = folder.json(&["verify", "--problems", "mine/problems.toml"]);
    let checks = report["problems"][0]["checks"].as_array().unwrap();
    assert!(code == Some(0) && checks.iter().all(|check| check["result"] == "ok"), "{flags:?}: {report:#}");
    assert!(checks.len() > 5 && report["problems"][0]["id"] == "mine", "{flags:?}: {report:#}");
    ranks(&folder, flags);
}

/// Its solvers have their places, and no garbage is an answer.
fn ranks(folder: &Folder, flags: &[&str]) {
    let run = ["run", "--problems", "mine/problems.toml", "--solvers", "mine/solutions", "--seeds", "1-3"];
    let ranked = folder.json(&run).1;
    let names = ["good", "plain", "wrong"].map(|name| {
        let mut solvers = ranked["solvers"].as_array().unwrap().iter();
        solvers.find(|solver| solver["name"] == name).unwrap()["rank"].clone()
    });
    assert_eq!(names, [json!(1), json!(2), json!(3)], "{flags:?}");
    garbage_is_wrong(folder, &["run", "--problems", "mine/problems.toml", "-p", "mine", "--seeds", "1"]);
}

fn has_rust() -> bool {
    has("python3", Need::Python) && has("rustc", Need::Cc) && has("cc", Need::Cc)
}

fn has_cplusplus() -> bool {
    has("python3", Need::Python) && has("g++", Need::Cplusplus)
}

/// The examples of `docs/verifying.md` verify the same problems.
#[test]
fn problems_in_python_rank_their_solvers() {
    if has("python3", Need::Python) {
        ranks(&new(&[]), &[]);
        ranks(&new(&["--interactive"]), &["--interactive"]);
    }
}

#[test]
#[ignore = "CI: a checker is compiled"]
fn a_problem_with_a_checker_in_rust_passes() {
    if has_rust() {
        passes(&["--checker", "rust"]);
    }
}

#[test]
#[ignore = "CI: an interactor is compiled"]
fn a_problem_with_an_interactor_in_cpp_passes() {
    if has_cplusplus() {
        passes(&["--checker", "cpp", "--interactive"]);
    }
}

#[test]
#[ignore = "long: the other combinations compile as much again"]
fn the_other_kinds_of_problems_pass() {
    if has("python3", Need::Python) {
        passes(&[]);
        passes(&["--interactive"]);
    }
    if has_rust() {
        passes(&["--checker", "rust", "--interactive"]);
    }
    if has_cplusplus() {
        passes(&["--checker", "cpp"]);
    }
}

#[test]
fn a_problem_with_a_testlib_checker_passes() {
    let has_header = std::env::var_os("JUDGE_TESTLIB").is_some_and(|path| Path::new(&path).is_file());
    if !has_header {
        skip(Need::Testlib, "JUDGE_TESTLIB names no testlib.h");
    } else if has_cplusplus() {
        passes(&["--checker", "testlib"]);
        passes(&["--checker", "testlib", "--interactive"]);
    }
}

#[test]
fn a_missing_testlib_header_is_explained() {
    let folder = Folder::new();
    let said = folder.command(&["new", "mine", "--checker", "testlib", "--interactive"]);
    let said = { said }.env("JUDGE_TESTLIB", folder.path().join("gone")).output().unwrap();
    let stderr = String::from_utf8(said.stderr).unwrap();
    assert!(said.status.code() == Some(2) && stderr.contains("JUDGE_TESTLIB names"), "{stderr}");
    assert!(!folder.path().join("mine").exists());
    if ["/usr/include/testlib.h", "/usr/local/include/testlib.h"].iter().any(|place| Path::new(place).exists()) {
        return;
    }
    let mut new = folder.command(&["new", "mine", "--checker", "testlib", "--interactive"]);
    let said = new.env_remove("JUDGE_TESTLIB").output().unwrap();
    let stderr = String::from_utf8(said.stderr).unwrap();
    assert!(said.status.success() && stderr.contains("curl -o mine/interactor/testlib.h https://"), "{stderr}");
    assert!(stderr.contains("and: cp mine/interactor/testlib.h mine/checker/testlib.h"), "{stderr}");
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let said = folder.judge(&["verify", "--problems", "mine/problems.toml"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let words = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("interactor/ does not compile"), "{}", said.stdout);
    assert!(words.contains("get it: curl -o mine/interactor/testlib.h https://"), "{}", said.stdout);
    assert!(words.contains("judge verify -p mine --problems mine/problems.toml"), "{}", said.stdout);
}

/// A problem whose programs are named as sources of a language that "compiles" by copying.
fn compiled() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"check.copied {input} {answer}\"\n\
         generator-command = \"gen.copied {seed}\"\nvalidator-command = \"valid.copied\"\nseeds = \"1-3\"\n\
         [language.copied]\nextensions = [\"copied\"]\ncompile = \"sh -c 'cp $0 $1/main && ! grep -q broken $0' {source} {out}\"\n\
         run = \"{program}\"\n",
    );
    folder.write(
        "check.copied",
        "#!/bin/sh\nread n < $1; read a < $2 || { echo empty; exit 1; }; [ $a = $n ] && echo 5\n",
    );
    folder.write("gen.copied", "#!/bin/sh\necho $1\n");
    folder.write("valid.copied", "#!/bin/sh\nread n && [ $n -lt 9 ]\n");
    folder
}

#[test]
fn setter_sources_compile_as_solvers_do() {
    let folder = compiled();
    assert_eq!(folder.judge(&["gen", "-p", "p", "--seed", "7"]).stdout, "7\n");
    let run = ["run", "-p", "p", "-s", "cat"];
    let (code, report) = folder.json(&run);
    assert_eq!((code, &report["solvers"][0]["total"]), (Some(0), &json!(15)), "{report}");
    assert_eq!(report["checker"]["name"], "check.copied {input} {answer}");
    let said = folder.judge(&run);
    assert!(!said.stderr.contains("compiling"), "it is in the cache: {}", said.stderr);
    folder.write("my.out", "2\n");
    assert_eq!(folder.judge(&["check", "-p", "p", "--seed", "2", "--output", "my.out"]).stdout, "accepted 5\n");
    assert!(folder.judge(&["check", "-p", "p", "--run", "last"]).stdout.contains("3 answers as recorded"));
    let verified = folder.judge(&["verify", "-p", "p"]);
    assert!(verified.stdout.contains("generator") && !verified.stdout.contains("compiling"), "{}", verified.stdout);
    // Another source is another checker.
    let text = std::fs::read_to_string(folder.path().join("check.copied")).unwrap();
    folder.write("check.copied", text.replace("echo 5", "echo 6"));
    let report = folder.json(&[&run[..], &["--reuse"]].concat()).1;
    assert_eq!(report["solvers"][0]["total"], json!(18));
}

#[test]
fn a_checker_compile_error_is_one_error() {
    let folder = compiled();
    folder.write("check.copied", "broken\n");
    for command in [&["run", "-p", "p", "-s", "cat"][..], &["gen", "-p", "p", "--seed", "1"]] {
        let said = folder.judge(command);
        assert_eq!(said.code, Some(2), "{command:?}: {}", said.stderr);
        assert!(said.stderr.contains("error: check.copied does not compile"), "{command:?}: {}", said.stderr);
    }
    // For `judge verify` it is a finding, and the other problems are checked.
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let other = "[[problem]]\nid = \"q\"\nchecker-command = \"echo 1 {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1\"\n";
    folder.write("problems.toml", format!("{text}\n{other}"));
    let (code, report) = folder.json(&["verify"]);
    let first = &report["problems"][0]["checks"][0];
    assert_eq!((code, &first["check"], &first["result"]), (Some(1), &json!("programs"), &json!("failed")), "{report}");
    assert!(first["detail"].as_str().unwrap().starts_with("check.copied does not compile"), "{first}");
    let checked = report["problems"][1]["checks"].as_array().unwrap();
    assert!(checked.iter().any(|check| check["check"] == "generator" && check["result"] == "ok"), "{report}");
    // Listing does not compile anything.
    assert_eq!(folder.judge(&["show", "p"]).code, Some(0));
}
