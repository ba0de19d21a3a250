//! What of `problem.xml` has no place in a problem, named.

use super::element::Element;
use std::collections::BTreeSet;

/// The elements that are read, or that say nothing of how an answer is judged, by the element above.
const KNOWN: [(&str, &[&str]); 22] = [
    ("problem", &["names", "judging", "files", "assets", "tags", "properties"]),
    ("names", &["name"]),
    ("judging", &["testset"]),
    (
        "testset",
        &["time-limit", "memory-limit", "test-count", "input-path-pattern", "answer-path-pattern", "tests", "groups"],
    ),
    ("tests", &["test"]),
    ("test", &[]),
    ("groups", &["group"]),
    ("group", &["dependencies"]),
    ("dependencies", &["dependency"]),
    ("files", &["resources", "executables"]),
    ("resources", &["file"]),
    ("executables", &["executable"]),
    ("executable", &["source", "binary"]),
    ("assets", &["checker", "interactor", "validators", "solutions"]),
    ("checker", &["source", "binary", "copy"]),
    ("interactor", &["source", "binary", "runs"]),
    ("validators", &["validator"]),
    ("validator", &["source", "binary"]),
    ("solutions", &["solution"]),
    ("solution", &["source", "binary", "extra-tags"]),
    ("extra-tags", &["extra-tag"]),
    ("file", &[]),
];

/// The attributes that are read, or say nothing of how an answer is judged.
const ATTRIBUTES: [(&str, &[&str]); 2] = [
    (
        "judging",
        &["cpu-name", "cpu-speed", "input-file", "output-file", "run-count", "treat-points-from-checker-as-percent"],
    ),
    ("test", &["method", "cmd", "from-file", "sample", "points", "group", "description", "bytes", "verdict"]),
];

/// Returns a line for each element and attribute that asks for something else, each once.
pub(super) fn lines(problem: &Element<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    collect(problem, &mut lines, &mut BTreeSet::new());
    lines
}

fn collect(element: &Element<'_>, lines: &mut Vec<String>, seen: &mut BTreeSet<(String, String)>) {
    let of = |table: &'static [(&str, &[&str])]| table.iter().find(|(name, _)| *name == element.name());
    let Some((_, children)) = of(&KNOWN) else { return };
    let mut say = |lines: &mut Vec<String>, at: &Element<'_>, what: &str, why: &str| {
        if seen.insert((element.name().to_owned(), what.to_owned())) {
            lines.push(at.left(&format!("{what}: {why}")));
        }
    };
    if let Some((_, attributes)) = of(&ATTRIBUTES) {
        for key in element.attributes().filter(|key| !attributes.contains(key)) {
            say(lines, element, &format!("`{key}` of <{}>", element.name()), "not part of the format that is known");
        }
    }
    for child in element.children() {
        if !children.contains(&child.name()) {
            let what = match element.name() {
                "problem" => format!("<{}>", child.name()),
                above => format!("<{}> in <{above}>", child.name()),
            };
            say(lines, &child, &what, why(element.name(), child.name()));
        } else if child.name() == "file" && child.children().any(|asset| asset.name() == "assets") {
            let what = format!("{} for assets", child.attribute("path").unwrap_or("a file"));
            say(lines, &child, &what, "files are not compiled together with solvers");
        }
    }
    for child in element.children().filter(|child| children.contains(&child.name())) {
        collect(&child, lines, seen);
    }
}

fn why(above: &str, name: &str) -> &'static str {
    match (above, name) {
        ("problem", "statements" | "tutorials" | "documents" | "materials") => "texts are not judged",
        ("problem", "stresses") => "stress tests are no cases",
        ("files", "attachments") => "files for readers are not judged",
        ("checker" | "validator" | "interactor", "testset") => "tests of the program itself are not run",
        _ => "it has no place in a problem of a catalogue",
    }
}
