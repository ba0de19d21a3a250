//! Checkers by protocol, through the command line: testlib, Kattis, a regular expression, and the built-in comparison.

mod answers;
mod catalogue;
mod kattis;
mod regex;
mod testlib;

use crate::support::Folder;

/// The result of the first case of a run: the exit code, the verdict, the score and the note.
fn judged(folder: &Folder, solver: &str) -> (Option<i32>, String, String, String) {
    let (code, report) = folder.json(&["run", "-p", "p", "-s", solver]);
    let case = &report["cases"][0];
    let text = |key: &str| case[key].as_str().unwrap_or("").to_owned();
    let score = case["score"].as_number().map(ToString::to_string).unwrap_or_default();
    (code, text("verdict"), score, text("note"))
}

fn accepted(score: &str) -> (Option<i32>, String, String, String) {
    (Some(0), "accepted".to_owned(), score.to_owned(), String::new())
}

fn wrong(note: &str) -> (Option<i32>, String, String, String) {
    (Some(1), "wrong-answer".to_owned(), String::new(), note.to_owned())
}

fn fault(note: &str) -> (Option<i32>, String, String, String) {
    (Some(3), "judge-error".to_owned(), String::new(), note.to_owned())
}

/// A problem with these lines, the case `5` and its answer `25`.
fn problem(lines: &str) -> Folder {
    let folder = Folder::new();
    folder.write("data/1.in", "5\n");
    folder.write("data/1.ans", "25\n");
    let cases = "inputs = [\"data/*.in\"]\nanswers = \"data/*.ans\"\n";
    folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{lines}\n{cases}"));
    folder
}
