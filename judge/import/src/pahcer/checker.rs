//! The step that gives an answer its score, as a command of the problem.

use super::paths::{self, Pattern};
use super::settings::{Config, Step};
use crate::ahc::Built;
use crate::error::ImportError;
use crate::files;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the tools go.
const PROGRAMS: &str = "programs";

/// A command that gives scores, with the files that it needs.
pub(super) struct Scorer {
    pub(super) command: String,
    pub(super) copied: Vec<(PathBuf, PathBuf)>,
    /// Where a program of it was built.
    pub(super) kept: Option<TempDir>,
}

/// Makes a command of a step that reads the input and the answer.
pub(super) fn checker(
    config: &Config<'_>,
    root: &Path,
    step: &Step,
    input: &Pattern,
    output: &Pattern,
) -> Result<Scorer, ImportError> {
    let folder = folder_of(step);
    let place = |word: &str| paths::normal(&folder, word);
    let (mut scorer, args) = match cargo(step) {
        Some(run) => (run.tool(config, root, step)?, &step.args[run.used..]),
        None => {
            let mut copied = Vec::new();
            let word = file_of(root, &place(&step.program), &step.program, &mut copied)?;
            (Scorer { command: shell_words::quote(&word).into_owned(), copied, kept: None }, &step.args[..])
        }
    };
    for word in args {
        let path = place(word);
        let word = match word {
            _ if path == Path::new(&input.text) => "{input}".to_owned(),
            _ if path == Path::new(&output.text) => "{answer}".to_owned(),
            _ if word.contains("{SEED") => {
                let what = format!("the test step `{}`, which names other files of the seed", step.shown());
                return Err(ImportError::unsupported(config.file, what));
            }
            _ => shell_words::quote(&file_of(root, &path, word, &mut scorer.copied)?).into_owned(),
        };
        scorer.command.push_str(&format!(" {word}"));
    }
    Ok(scorer)
}

/// Makes a command of a step in which one of the tools starts the solver; `None` if it is no such step.
pub(super) fn tester(config: &Config<'_>, root: &Path, step: &Step) -> Result<Option<Scorer>, ImportError> {
    let Some(run) = cargo(step).filter(|run| run.used < step.args.len()) else { return Ok(None) };
    let scorer = run.tool(config, root, step)?;
    Ok(Some(Scorer { command: format!("{} {{solver}}", scorer.command), ..scorer }))
}

fn folder_of(step: &Step) -> PathBuf {
    paths::normal(Path::new(""), step.current_dir.as_deref().unwrap_or("."))
}

/// Returns the word for a file of the package, which is copied; any other word is itself.
fn file_of(root: &Path, path: &Path, word: &str, copied: &mut Vec<(PathBuf, PathBuf)>) -> Result<String, ImportError> {
    let from = root.join(path);
    if path.as_os_str().is_empty() || !from.is_file() {
        return Ok(word.to_owned());
    }
    files::check_link(root, &from)?;
    copied.push((from, path.to_owned()));
    let is_program = word.contains('/');
    Ok(if is_program { format!("./{}", path.display()) } else { path.display().to_string() })
}

/// `cargo run`, with the words of the step that it has read.
struct CargoRun<'a> {
    package: &'a str,
    binary: Option<&'a str>,
    used: usize,
}

fn cargo(step: &Step) -> Option<CargoRun<'_>> {
    let mut words = step.args.iter().enumerate();
    if step.program != "cargo" || !words.next().is_some_and(|(_, word)| word == "run" || word == "r") {
        return None;
    }
    let mut run = CargoRun { package: ".", binary: None, used: 1 };
    while let Some((at, word)) = words.next() {
        match &**word {
            "--bin" => run.binary = words.next().map(|(_, name)| &**name),
            "--manifest-path" => {
                run.package = words.next().map_or(".", |(_, path)| path.strip_suffix("Cargo.toml").unwrap_or(path));
            }
            "--" => {
                run.used = at + 1;
                return Some(run);
            }
            option if option.starts_with('-') => {}
            _ => {
                run.used = at;
                return Some(run);
            }
        }
    }
    run.used = step.args.len();
    Some(run)
}

impl CargoRun<'_> {
    /// Returns the command of the tool: it is built, unless it is built already. It runs in a folder of its own, as tools may
    /// write files into it.
    fn tool(&self, config: &Config<'_>, root: &Path, step: &Step) -> Result<Scorer, ImportError> {
        let package = root.join(paths::normal(&folder_of(step), self.package));
        let Some(name) = self.binary else {
            let what = format!("the test step `{}`, which names no program with --bin", step.shown());
            return Err(ImportError::unsupported(config.file, what));
        };
        if !package.join("Cargo.toml").is_file() {
            let what = format!("there is no {}", package.join("Cargo.toml").display());
            return Err(ImportError::bad(config.file, what, "the tools beside the configuration"));
        }
        let is_there = package.join("target/release").join(name);
        let (program, kept) = if is_there.is_file() {
            files::check_link(root, &is_there)?;
            (is_there, None)
        } else {
            let built = Built::with_cargo(&package, &[name])?;
            (built.program(name), Some(built.into_folder()))
        };
        let to = Path::new(PROGRAMS).join(name);
        let command = shell_words::quote(&to.to_string_lossy()).into_owned();
        Ok(Scorer { command: format!("{{folder}}/{command}"), copied: vec![(program, to)], kept })
    }
}
