//! The elements of `problem.xml` with their places for messages, and a report of unknown ones.

use crate::{ImportError, Result, files};
use roxmltree::Node;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The greatest integer in an element: a limit in bytes or milliseconds.
const MOST: u64 = 10_000_000_000_000;

/// An element and its package.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    root: &'a Path,
    file: &'a Path,
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// Returns an element of a file of the package at `root`.
    pub(super) fn new(root: &'a Path, file: &'a Path, node: Node<'a, 'a>) -> Self {
        Self { root, file, node }
    }

    pub(super) fn name(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Returns the child elements.
    fn children(&self) -> impl Iterator<Item = Self> + use<'a> {
        let above = *self;
        self.node.children().filter(Node::is_element).map(move |node| Self { node, ..above })
    }

    /// Returns the elements with this path of names.
    pub(super) fn all(&self, path: &[&str]) -> Vec<Self> {
        path.iter().fold(vec![*self], |above, name| {
            above.iter().flat_map(Self::children).filter(|child| child.name() == *name).collect()
        })
    }

    /// Returns the first of these elements.
    pub(super) fn first(&self, path: &[&str]) -> Option<Self> {
        self.all(path).into_iter().next()
    }

    /// Returns an attribute, if it is not empty.
    pub(super) fn attribute(&self, key: &str) -> Option<&'a str> {
        self.node.attribute(key).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Returns the names of its attributes.
    fn attributes(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.node.attributes().map(|attribute| attribute.name())
    }

    pub(super) fn required(&self, key: &str) -> Result<&'a str> {
        let what = || format!("<{}> has no `{key}`", self.name());
        self.attribute(key).ok_or_else(|| self.bad(what(), format!("{key}=\"…\"")))
    }

    /// Returns a number in an attribute that is not negative.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.attribute(key) else { return Ok(None) };
        let number = value.parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
        let bad = || self.bad(format!("bad value of `{key}`: `{value}`"), "a number, at least 0");
        number.map(Some).ok_or_else(bad)
    }

    /// Returns the text of a child element. `None` if there is none.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.first(&[name])?.node.text().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns the integer in a child element, which is not below `least`.
    pub(super) fn whole(&self, name: &str, least: u64) -> Result<Option<u64>> {
        let Some(child) = self.first(&[name]) else { return Ok(None) };
        let text = self.text(name).unwrap_or_default();
        let bad = || child.bad(format!("bad <{name}>: `{text}`"), format!("a whole number from {least} to {MOST}"));
        text.parse().ok().filter(|number| (least..=MOST).contains(number)).map(Some).ok_or_else(bad)
    }

    /// Returns the file of the package that an attribute names.
    pub(super) fn file(&self, key: &str) -> Result<PathBuf> {
        let named = self.required(key)?;
        let path = self.root.join(named);
        if !path.is_file() {
            return Err(self.bad(format!("there is no file `{named}` in the package"), "a file of the package"));
        }
        files::check_link(self.root, &path)?;
        Ok(path)
    }

    /// Returns an error at the line of this element.
    pub(super) fn bad(&self, what: impl Into<String>, expected: impl Into<String>) -> ImportError {
        ImportError::bad(self.file, what, expected).at(self.line())
    }

    /// Returns the error that the package needs something that is not supported and would change verdicts.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> ImportError {
        ImportError::unsupported(self.file, what)
    }

    /// Returns a line that this element is not imported.
    pub(super) fn left(&self, what: &str) -> String {
        format!("{}:{}: {what}", files::name(self.file), self.line())
    }

    fn line(&self) -> usize {
        self.node.document().text_pos_at(self.node.range().start).row as usize
    }
}

/// The elements that are read or do not affect judging, by parent element.
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

/// The attributes that are read or do not affect judging.
const ATTRIBUTES: [(&str, &[&str]); 2] = [
    (
        "judging",
        &["cpu-name", "cpu-speed", "input-file", "output-file", "run-count", "treat-points-from-checker-as-percent"],
    ),
    ("test", &["method", "cmd", "from-file", "sample", "points", "group", "description", "bytes", "verdict"]),
];

/// Returns a line for each other element and attribute, each once.
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
