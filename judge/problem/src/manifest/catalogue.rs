//! The catalogue: all problems of a `problems.toml`, its languages and its table of Slurm, checked.

use super::document::{Located, ManifestError, Section, read_document, set};
use super::{document, problem, programs};
use crate::{BundledSolver, Bytes, Language, Languages, Problem, Retention, Time};
use checkers::Score;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// All problems of a catalogue, in its order.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// Every problem, in the order of the file.
    pub problems: Vec<Problem>,
    /// The text that it was read from.
    pub text: String,
    /// The folder from which relative paths start.
    pub folder: PathBuf,
    /// How many answers its journal keeps.
    pub retention: Retention,
    /// Its `[engine.slurm]` table.
    pub slurm: SlurmTable,
    /// Whether it has `[language.NAME]` tables.
    pub has_languages: bool,
    /// The file of its journal, if it is not the default one.
    pub journal: Option<PathBuf>,
    /// Whether its journal is read-only.
    pub is_read_only: bool,
    /// The solvers that come with the judge.
    pub bundled: &'static [BundledSolver],
}

/// The catalogue has no such problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no problem `{id}`")]
pub struct UnknownProblem {
    /// The given id.
    pub id: String,
    /// The most similar id.
    pub meant: Option<String>,
    /// The built-in problem with this id or a similar one.
    pub built_in: Option<String>,
}

impl Catalogue {
    /// Returns the built-in catalogue. Relative paths in it would start from `folder`.
    ///
    /// # Errors
    /// Never: tests check the built-in file.
    pub fn built_in(folder: &Path) -> Result<Self, ManifestError> {
        Self::parse("problems.toml (built in)", BUILT_IN, folder)
    }

    /// Reads a catalogue. `file` is its name in messages. Relative paths start from `folder`.
    ///
    /// # Errors
    /// Fails with all errors of the file at once.
    pub fn parse(file: &str, text: &str, folder: &Path) -> Result<Self, ManifestError> {
        read_document("the catalogue", file, text, |root| {
            let problems = read_problems(&root, folder);
            let retention = read_retention(&root).unwrap_or_default();
            let slurm = read_slurm_table(&root, folder);
            let has_languages = read_language_section(&root, built_in_languages).is_some();
            root.finish();
            Self {
                problems,
                text: text.to_owned(),
                folder: folder.to_owned(),
                retention,
                slurm,
                has_languages,
                journal: None,
                is_read_only: false,
                bundled: &[],
            }
        })
    }

    /// Returns these languages with the changes of the catalogue's tables.
    ///
    /// # Errors
    /// Never for languages that have all built-in ones: the catalogue was checked.
    pub fn languages(&self, known: &Languages) -> Result<Languages, ManifestError> {
        let read = |root: Section<'_>| read_language_section(&root, || known);
        Ok(read_document("the catalogue", "problems.toml", &self.text, read)?.unwrap_or_else(|| known.clone()))
    }

    /// Returns the problem with this id.
    ///
    /// # Errors
    /// Fails if there is no such problem.
    pub fn find(&self, id: &str) -> Result<&Problem, UnknownProblem> {
        let ids = || self.problems.iter().map(|problem| &*problem.id);
        self.problems.iter().find(|problem| problem.id == id).ok_or_else(|| UnknownProblem {
            id: id.to_owned(),
            meant: document::closest(id, ids()).map(str::to_owned),
            built_in: built_in_like(id),
        })
    }
}

/// Returns the id of the built-in problem with this id or a similar one.
fn built_in_like(id: &str) -> Option<String> {
    let built_in = Catalogue::built_in(Path::new("/")).ok()?;
    document::closest(id, built_in.problems.iter().map(|problem| &*problem.id)).map(str::to_owned)
}

/// Reads a hand-written file of best scores: `CASE = SCORE` on each line.
///
/// # Errors
/// Fails with all errors of the file at once.
pub fn read_best_scores(file: &str, text: &str) -> Result<BTreeMap<String, Score>, ManifestError> {
    let expected = "a number: the best score known of this case";
    read_document("the best scores", file, text, |root| root.numeric_entries(expected).into_iter().collect())
}

fn read_retention(root: &Section<'_>) -> Option<Retention> {
    let section = root.section("journal", "[journal]")?;
    let retention = section.parsed::<Retention>("keep-answers").map(|retention| retention.value);
    section.finish();
    retention
}

fn read_problems(root: &Section<'_>, folder: &Path) -> Vec<Problem> {
    let mut ids = HashSet::new();
    let mut problems = Vec::new();
    let sections = root.sections("problem", "[[problem]]");
    if root.is_empty("problem") {
        root.missing("problem", "…`: write a [[problem]] table with an `id` and a `checker");
    }
    for section in sections {
        let span = section.span();
        let Some(problem) = problem::read_problem(section, folder) else { continue };
        if !ids.insert(problem.id.clone()) {
            root.complain(
                span,
                format!("there are two problems with the id `{}`", problem.id),
                "give one of them another `id`",
            );
        }
        problems.push(problem);
    }
    problems
}

/// The title of a table in messages.
const TITLE: &str = "[language.NAME]";

/// The placeholders of compile commands.
const COMPILE: [&str; 4] = ["source", "sources", "out", "stem"];

/// The placeholders of run commands. Each of the first ones names the solver.
const RUN: [&str; 8] = ["program", "source", "class", "out", "stem", "memory-mb", "heap-mb", "young-mb"];
const NAMING: usize = 4;

/// The placeholders of environment variables.
const ENVIRONMENT: [&str; 3] = ["memory-mb", "heap-mb", "young-mb"];

/// The placeholders of the version command.
const VERSION: [&str; 1] = ["tool"];

/// The maximum allowance of a language.
const MAX_MEMORY: Bytes = Bytes(4 << 30);
const MAX_PROCESSES: u32 = 256;

/// Returns the built-in languages.
///
/// # Panics
/// Never: tests check the built-in file.
pub fn built_in_languages() -> &'static Languages {
    static LANGUAGES: OnceLock<Languages> = OnceLock::new();
    let read = || match read_languages("languages.toml (built in)", BUILT_IN_LANGUAGES, &Languages::default()) {
        Ok(languages) => languages,
        Err(error) => panic!("{error}"),
    };
    LANGUAGES.get_or_init(read)
}

/// Returns the `known` languages with the changes of a file. `file` is its name in messages. Tables of known languages
/// may be incomplete.
///
/// # Errors
/// Fails with all errors of the file at once.
pub fn read_languages(file: &str, text: &str, known: &Languages) -> Result<Languages, ManifestError> {
    read_document("the languages", file, text, |root| {
        let languages = read_language_section(&root, || known);
        root.finish();
        languages.unwrap_or_else(|| known.clone())
    })
}

/// Reads the tables under the key `language`, in the order of the file: the `known` languages with their changes. A
/// language whose table names its extensions or files comes before the known ones. `None` if there are no tables.
fn read_language_section<'a>(root: &Section<'_>, known: impl FnOnce() -> &'a Languages) -> Option<Languages> {
    let all = root.section("language", "[language.NAME]")?;
    let Languages(mut languages) = known().clone();
    let mut sections = all.named_sections(TITLE);
    sections.sort_by_key(|(name, _)| name.span.start);
    let mut claiming = Vec::new();
    for (name, section) in sections {
        let known = languages.iter().position(|language| language.name == name.value);
        let (language, claims) = read_table(&name, section, known.map(|place| &languages[place]));
        match known {
            Some(place) if !claims => languages[place] = language,
            _ => {
                if let Some(place) = known {
                    languages.remove(place);
                }
                claiming.push(language);
            }
        }
    }
    Some(Languages([claiming, languages].concat()))
}

/// Returns a language with the fields of a table in place of the known ones, and whether the table names its extensions
/// or files.
fn read_table(name: &Located<&str>, section: Section<'_>, known: Option<&Language>) -> (Language, bool) {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+#_-".contains(c);
    if name.value.is_empty() || !name.value.chars().all(fits) {
        let expected = "expected lower-case letters, digits, `+`, `#`, `-` and `_`";
        section.complain(name.span.clone(), format!("bad name of a language `{}`", name.value), expected);
    }
    let mut language = known.cloned().unwrap_or_default();
    name.value.clone_into(&mut language.name);
    let extensions = names(&section, "extensions", "an ending without its point, such as \"cpp\"", |c| c != '.');
    let files = names(&section, "files", "the name of a file, such as \"Cargo.toml\"", |_| true);
    let claims = extensions.is_some() || files.is_some();
    set(&mut language.extensions, extensions);
    set(&mut language.files, files);
    set(&mut language.compile, commands(&section, "compile", &COMPILE, &[]));
    set(&mut language.run, commands(&section, "run", &RUN, &RUN[..NAMING]));
    set(&mut language.needs, names(&section, "needs", "the name of a program, such as \"make\"", |_| true));
    let version = section.text("version");
    if let Some(command) = &version {
        programs::check_command(&section, "version", command, &VERSION);
    }
    set(&mut language.version, version.map(|command| Some(command.value.to_owned())));
    set(&mut language.environment, environment(&section));
    let factor = section.numeric("time-factor", "a number from 1 to 100").map(|read| read.value);
    set(&mut language.allowance.time_factor, factor);
    let memory = section.parsed("extra-memory");
    set(&mut language.allowance.extra_memory, at_most(&section, "extra-memory", memory, &MAX_MEMORY));
    let processes = section.integer("extra-processes", "a whole number of processes");
    set(&mut language.allowance.extra_processes, at_most(&section, "extra-processes", processes, &MAX_PROCESSES));
    set(&mut language.package, section.string("package").map(Some));
    if known.is_none() {
        if language.run.is_empty() {
            section.missing("run", "\"{program}\"` or `run = \"interpreter {source}\"");
        }
        if language.extensions.is_empty() && language.files.is_empty() {
            section.missing("extensions", "[\"xyz\"]` or `files = [\"build.xyz\"]");
        }
    }
    let runs = |placeholder: &str| language.run.iter().any(|line| line.contains(placeholder));
    if language.compile.is_empty() && (runs("{program}") || runs("{class}")) {
        section.missing("compile", "\"compiler -o {out}/main {source}\"");
    }
    if !language.compile.is_empty() && runs("{source}") {
        let expected = "write `run` with `{program}` or a file in `{out}`: the source is not there when it runs";
        section.complain(name.span.clone(), "`run` has `{source}`, beside `compile`", expected);
    }
    section.finish();
    (language, claims)
}

fn at_most<T: PartialOrd + Clone + std::fmt::Display>(
    section: &Section<'_>,
    key: &str,
    read: Option<Located<T>>,
    most: &T,
) -> Option<T> {
    let Located { value, span } = read?;
    if value > *most {
        return section.bad_value(key, span, format!("expected at most {most}"));
    }
    Some(value)
}

/// Reads an array of names made of characters that `fits` allows.
fn names(section: &Section<'_>, key: &'static str, is: &str, fits: fn(char) -> bool) -> Option<Vec<String>> {
    let read = section.one_or_more_texts(key)?;
    for Located { value, span } in &read {
        let is_plain = |c: char| !c.is_whitespace() && c != '/' && fits(c);
        if value.is_empty() || !value.chars().all(is_plain) {
            section.bad_value::<()>(key, span.clone(), format!("expected {is}"));
        }
    }
    Some(read.into_iter().map(|name| name.value.to_owned()).collect())
}

/// Reads a command and its alternatives. Each must have one of the placeholders in `naming`, if there are any.
fn commands(section: &Section<'_>, key: &'static str, placeholders: &[&str], naming: &[&str]) -> Option<Vec<String>> {
    let read = section.one_or_more_texts(key)?;
    for command in &read {
        let names_it = |name: &&str| command.value.contains(&format!("{{{name}}}"));
        let is_complete = naming.is_empty() || naming.iter().any(names_it);
        if programs::check_command(section, key, command, placeholders) && !is_complete {
            let expected = "add `{program}`, what was compiled, or `{source}`, the source itself";
            section.complain(command.span.clone(), "the command does not run the solver", expected);
        }
    }
    Some(read.into_iter().map(|command| command.value.to_owned()).collect())
}

fn environment(section: &Section<'_>) -> Option<Vec<(String, String)>> {
    let table = section.section("environment", "[language.NAME.environment]")?;
    let variable = |(key, text): (Located<&str>, Located<&str>)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if key.value.is_empty() || !key.value.chars().all(is_name) {
            let message = format!("bad name of a variable `{}`", key.value);
            table.complain(key.span, message, "expected letters, digits and `_`");
        }
        programs::check_placeholders(&table, "environment", &text, &ENVIRONMENT);
        (key.value.to_owned(), text.value.to_owned())
    };
    Some(table.entries().into_iter().map(variable).collect())
}

/// Reads the `[engine.slurm]` table. Relative paths in it start from `folder`.
fn read_slurm_table(root: &Section<'_>, folder: &Path) -> SlurmTable {
    let Some(engines) = root.section("engine", "[engine.slurm]") else { return SlurmTable::default() };
    let table = engines.section("slurm", "[engine.slurm]").map(|section| {
        let sbatch = section.text("sbatch").and_then(|text| match shell_words::split(text.value) {
            Ok(words) => Some(words),
            Err(error) => {
                let message = format!("bad value of `sbatch` in [engine.slurm]: {error}");
                section.refuse(text.span, message, "close the quotes")
            }
        });
        let table = SlurmTable {
            workdir: section.text("workdir").map(|text| folder.join(text.value)),
            sbatch: sbatch.unwrap_or_default(),
            constraint: section.string("constraint"),
            retries: section.integer("retries", "a number of retries, such as 2").map(|retries| retries.value),
            submit_wait: section.parsed("submit-wait").map(|wait| wait.value),
        };
        section.finish();
        table
    });
    engines.finish();
    table.unwrap_or_default()
}

/// The text of the built-in `problems.toml`.
pub const BUILT_IN: &str = include_str!("problems.toml");

/// The JSON schema of `problems.toml`, for editors. The catalogue itself also checks what a schema cannot express, such
/// as units and known names.
pub const CATALOGUE_SCHEMA: &str = include_str!("problems.schema.json");

/// The file of the built-in languages.
const BUILT_IN_LANGUAGES: &str = include_str!("languages.toml");

/// The `[engine.slurm]` table of a catalogue: the defaults of the flags for Slurm.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlurmTable {
    /// The shared folder for the files of runs.
    pub workdir: Option<PathBuf>,
    /// Options of `sbatch`.
    pub sbatch: Vec<String>,
    /// The constraint on nodes.
    pub constraint: Option<String>,
    /// How often the cases of a lost task are retried.
    pub retries: Option<u32>,
    /// The time limit for submitting a job.
    pub submit_wait: Option<Time>,
}

#[cfg(test)]
mod tests;
