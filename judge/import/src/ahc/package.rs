//! What is in a package: its programs, and what they do.

use crate::error::ImportError;
use crate::files;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// The programs that check an answer, in the order of preference: `score` draws no picture.
const CHECKERS: [&str; 2] = ["score", "vis"];

/// The folder of the programs, beside the `problems.toml`.
pub(super) const PROGRAMS: &str = "tools";

/// What is made in a package, and is none of its sources.
const MADE: [&str; 3] = [files::BUILT, "in", "out"];

/// The page that `vis` draws.
pub(super) const PAGE: &str = "vis.html";

/// The programs of a package that are of use.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) root: PathBuf,
    /// Whether it has `gen`.
    pub(super) has_generator: bool,
    /// `vis` or `score`.
    pub(super) checker: Option<&'static str>,
    /// Whether `vis` draws a page.
    pub(super) has_viewer: bool,
    /// Where `tester` prints the score, if it starts the solver.
    pub(super) tester: Option<Stream>,
    /// Whether the programs print a score as `Score = 12`, and not alone.
    pub(super) names_score: bool,
    /// Programs that are left out, and why.
    others: Vec<String>,
}

/// Where a tester prints its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// Returns the folder of the package: this one, or the folder `tools` in it.
pub(super) fn root(folder: &Path) -> Option<PathBuf> {
    let is_package = |folder: &PathBuf| {
        let has = |name: &str| source_of(folder, name).is_some();
        folder.join("Cargo.toml").is_file() && (["gen", "vis", "score"].into_iter().any(has) || has("tester"))
    };
    // A project of pahcer has its tools there, too.
    let inside = || Some(folder.join("tools")).filter(|_| !folder.join("pahcer_config.toml").exists());
    Some(folder.to_owned()).filter(is_package).or_else(|| inside().filter(is_package))
}

/// Returns the id of the problem: the name of the folder, or of the one above a folder `tools`.
pub(super) fn id(root: &Path) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let named = if files::name(&root) == "tools" { root.parent().unwrap_or(&root) } else { &root };
    files::id_of(named)
}

impl Package {
    pub(super) fn read(root: &Path) -> Result<Self, ImportError> {
        let has = |name: &str| source_of(root, name).is_some();
        let text =
            |name: &str| source_of(root, name).and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        let library = fs::read_to_string(root.join("src/lib.rs")).unwrap_or_default();
        let tester = starts_a_command(&text("tester"), &library).then(|| stream_of_score(&text("tester")));
        let checker = CHECKERS.into_iter().find(|name| has(name));
        if checker.is_none() && tester.is_none() {
            let expected = "a program `vis`, `score`, or a `tester` that starts a command";
            return Err(ImportError::bad(&root.join("Cargo.toml"), "no program gives a score", expected));
        }
        let all = [library.clone(), text("tester"), text("vis"), text("score")].concat();
        let names_score = Regex::new(r"(?i)score\s*[:=]\s*\{").is_ok_and(|pattern| pattern.is_match(&all));
        let has_viewer = has("vis") && (writes_page(&text("vis")) || writes_page(&library));
        let mut others = Vec::new();
        if has("vis") && !has_viewer {
            others.push(format!("pictures for `judge view`: vis writes no {PAGE}"));
        }
        if has("tester") && tester.is_none() {
            others.push("tester: it does not start the command in its arguments".to_owned());
        }
        Ok(Self { root: root.to_owned(), has_generator: has("gen"), checker, has_viewer, tester, names_score, others })
    }

    pub(super) fn is_interactive(&self) -> bool {
        self.tester.is_some()
    }

    /// Returns the names of the programs to build.
    pub(super) fn programs(&self) -> impl Iterator<Item = &'static str> {
        let needs = |name| self.checker == Some(name);
        let named = [
            (self.has_generator, "gen"),
            (self.has_viewer || needs("vis"), "vis"),
            (needs("score"), "score"),
            (self.tester.is_some(), "tester"),
        ];
        named.into_iter().filter_map(|(is_there, name)| is_there.then_some(name))
    }

    /// Returns what of the package is left out, and why.
    pub(super) fn left(&self) -> impl Iterator<Item = String> {
        self.others.iter().cloned()
    }
}

/// Returns the files of a package, without what was made in it.
pub(super) fn sources(root: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let mut found = Vec::new();
    for entry in files::entries(root)?.into_iter().filter(|entry| !MADE.contains(&&*files::name(entry))) {
        files::check_link(root, &entry)?;
        if entry.is_dir() {
            found.extend(files::tree(root, &entry)?);
        } else {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Returns where a program goes, relative to the `problems.toml`.
pub(super) fn program(name: &str) -> PathBuf {
    Path::new(PROGRAMS).join(name)
}

/// Returns the main source file of a program: where Cargo looks for it, or where the manifest says.
fn source_of(root: &Path, name: &str) -> Option<PathBuf> {
    let named = || {
        let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
        let bins = manifest.get("bin")?.as_array()?;
        let bin = bins.iter().find(|bin| bin.get("name").and_then(toml::Value::as_str) == Some(name))?;
        Some(root.join(bin.get("path")?.as_str()?))
    };
    let places = [format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs")].map(|path| root.join(path));
    places.into_iter().chain(named()).find(|path| path.is_file())
}

/// Returns whether a program writes the page; what is in a comment it does not.
fn writes_page(source: &str) -> bool {
    source.lines().any(|line| line.split("//").next().unwrap_or_default().contains(PAGE))
}

/// Returns whether a tester starts the command in its arguments, rather than a program that it knows.
fn starts_a_command(tester: &str, library: &str) -> bool {
    let takes_arguments = ["env::args", "Parser", "clap"].iter().any(|word| tester.contains(word));
    let starts = |text: &str| text.contains("Command::new(") || text.contains("process::Command");
    takes_arguments && (starts(tester) || (tester.contains("tools::") && starts(library)))
}

/// Returns where a tester prints its score: on standard error, unless only standard output has it.
fn stream_of_score(tester: &str) -> Stream {
    let prints = |macro_name: &str| {
        let pattern = format!(r#"(?i)(^|[^e]){macro_name}!\(\s*"[^"]*score"#);
        Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(tester))
    };
    if prints("println") && !prints("eprintln") { Stream::Stdout } else { Stream::Stderr }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tester_starts_the_command_in_its_arguments() {
        let starts = "let p = std::process::Command::new(std::env::args().nth(1).unwrap())";
        assert!(starts_a_command(starts, ""));
        assert!(!starts_a_command("Command::new(\"cargo\").args([\"run\"])", ""), "a program that it knows");
        assert!(!starts_a_command("std::env::args().nth(1)", ""), "a file");
        assert!(starts_a_command("use tools::*; run(std::env::args())", "std::process::Command::new(name)"));
    }

    #[test]
    fn a_page_in_a_comment_is_not_written() {
        assert!(writes_page("    std::fs::write(\"vis.html\", &vis).unwrap(); // here"));
        assert!(!writes_page("    // std::fs::write(\"vis.html\", &vis).unwrap();"));
    }

    #[test]
    fn the_score_is_on_standard_error_if_it_is_printed_there() {
        assert_eq!(stream_of_score("eprintln!(\"Score = {}\", score); println!(\"{}\", out);"), Stream::Stderr);
        assert_eq!(stream_of_score("println!(\"Score = {}\", score); eprintln!(\"{}\", error);"), Stream::Stdout);
        assert_eq!(stream_of_score("exec(&mut p)"), Stream::Stderr);
    }
}
