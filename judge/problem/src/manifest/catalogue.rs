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
mod tests {
    use super::*;
    use crate::limits::Allowance;
    use crate::{CheckerChoice, CheckerProtocol, CommandLimits, ExternalChecker};
    use std::time::Duration;

    const PROBLEM: &str = "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n";

    fn retention(journal: &str) -> Result<Retention, ManifestError> {
        Catalogue::parse("p.toml", &format!("{journal}{PROBLEM}"), Path::new("/")).map(|all| all.retention)
    }

    #[test]
    fn best_scores_are_read_or_complained_of_by_line() {
        let read = |text: &str| read_best_scores("best.toml", text);
        let scores = read("seed-1 = 15\ntiny = \"-123456789012345678901\"\n\"a b\" = 1_000\nz = -0.250\n").unwrap();
        let shown: Vec<_> = scores.iter().map(|(case, score)| format!("{case} {score}")).collect();
        assert_eq!(shown, ["a b 1000", "seed-1 15", "tiny -123456789012345678901", "z -0.25"]);
        let error = read("seed-1 = 15\nseed-2 = nan\nseed-3 = \"x\"\n").unwrap_err().to_string();
        assert!(error.contains("best.toml:2:") && error.contains("best.toml:3:"), "{error}");
        assert!(read("seed-1: 15").is_err());
    }

    #[test]
    fn the_journal_keeps_what_the_catalogue_says() {
        assert_eq!(retention("").unwrap(), Retention::default());
        assert_eq!(retention("[journal]\nkeep-answers = \"all\"\n").unwrap(), Retention::All);
        assert_eq!(retention("[journal]\nkeep-answers = \"0 B\"\n").unwrap(), Retention::UpTo(Bytes(0)));
        let complaints = retention("[journal]\nkeep-answers = \"3 days\"\nkeep = 1\n").unwrap_err().complaints;
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn a_case_is_complained_of_at_its_own_line() {
        let case = |more: &str| format!("{PROBLEM}{more}[[problem.case]]\nseed = 1\n");
        let error = Catalogue::parse("p.toml", &case(""), Path::new("/")).unwrap_err().to_string();
        assert!(error.contains("two cases are named `seed-1`") && error.contains("p.toml:5:"), "{error}");
        let text = PROBLEM.replace("seeds = \"1\"\n", "scoring = { rule = \"thresholds\" }\n");
        let text = format!("{text}[[problem.case]]\nseed = 2\nthresholds = [1]\n[[problem.case]]\nseed = 3\n");
        let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err().to_string();
        assert!(error.contains("the case `seed-3` has no thresholds") && error.contains("p.toml:7:"), "{error}");
        for bad in ["[5, 53]", "\"5\""] {
            let text = text.replace("[1]", bad).replace("seed = 3", "seed = 3\nthresholds = [1]");
            let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err().to_string();
            assert!(error.contains("thresholds") && !error.contains("has no thresholds"), "{error}");
        }
    }

    #[test]
    fn a_mistake_is_one_complaint_with_its_mend() {
        let with = |lines: &str| format!("[[problem]]\nid = \"p\"\n{lines}");
        let columns = |lines: &str| with(&format!("checker = \"columns\"\n{lines}"));
        let checker = |lines: &str| with(&format!("checker-command = \"c {{answer}}\"\n{lines}"));
        let limit = |line: &str| checker(&format!("inputs = [\"*\"]\n[problem.limits]\n{line}"));
        let codes = |codes| {
            checker(&format!(
                "inputs = [\"*\"]\nchecker-protocol = \"regex\"\nscore-regex = \"1\"\nreject-exit-codes = [{codes}]"
            ))
        };
        let group = "\n[[problem.group]]\nname = \"g\"\ncases = [\"seed-*\"]";
        let rule = "scoring.rule = \"thresholds\"\n[[problem.case]]\nseed = 1\nthresholds = ";
        for (text, place, mend) in [
            (columns("seeds = \"6-1\""), "4:9", "write `1-6`"),
            (columns(&format!("seeds = \"one\"{group}")), "4:9", "seeds"),
            (columns("[[problem.case]]\nseed = 1\nfile = \"1.in\""), "6:8", "remove either"),
            (columns(&format!("{rule}[1]")), "7:14", "nine thresholds"),
            (columns(&format!("{rule}1")), "7:14", "an array of numbers"),
            (columns("[[problem.case]]\nseed = 1\nname = \"\""), "6:8", "expected a name"),
            (codes("0"), "7:22", "from 1 to 255"),
            (codes("2, 300"), "7:25", "from 1 to 255"),
            (
                checker("seeds = \"1\"\ngenerator-command = \"g {seed} {n}\""),
                "5:31",
                "add `generator-parameters = { n = ",
            ),
            (
                checker("seeds = \"1\"\ngenerator-command = \"g {seeds-file} {seed}\""),
                "5:37",
                "remove it: this generator",
            ),
            (limit("cpu = \"0s\""), "6:7", "more than zero"),
            (limit("memory = \"0 B\""), "6:10", "more than zero"),
            (limit("checker-wall = \"0s\""), "6:16", "more than zero"),
            (checker("seeds = \"1-3\""), "4:9", "add `generator-command` to the problem, or name files"),
            (checker("[[problem.case]]\nseed = 1"), "4:1", "add `generator-command`"),
            (columns("seeds = \"1-3,2,9\""), "4:9", "name each seed once: \"1-3,9\""),
            (columns("seeds = \"1-3\"\n[[problem.case]]\nseed = 2\nweight = 2"), "5:1", "or take 2 out of `seeds`"),
            (columns("inputs = [\"a/*\", \"[\"]"), "4:18", "`[[]` for `[` itself"),
            (with("checker = \"tokens\"\nanswers = \"[a/b]\"\ninputs = [\"*\"]"), "4:11", "`[[]` for `[` itself"),
            (with("checker = \"check {answer}\"\nseeds = \"1\""), "3:11", "is `checker-command`"),
            (codes("2]\nreject-regx = [\"x\""), "8:1", "did you mean `reject-regex`?"),
            (
                checker("inputs = [\"*\"]\n[[problem.expect]]\nsolver = \"s\"\nseeds = \"1\""),
                "7:9",
                "`generator-command`",
            ),
        ] {
            let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err();
            let (complaints, said) = (error.complaints.len(), error.to_string());
            assert!(complaints == 1 && said.contains(&format!("p.toml:{place}\n")) && said.contains(mend), "{said}");
        }
    }

    #[test]
    fn a_bad_value_is_not_missing() {
        let problem = |lines: &str| format!("[[problem]]\nid = \"p\"\n{lines}");
        let columns = |lines: &str| problem(&format!("checker = \"columns\"\nseeds = \"1\"\n{lines}"));
        let case = |line: &str| columns(&format!("[[problem.case]]\n{line}"));
        let group = |line: &str| columns(&format!("[[problem.group]]\nname = \"g\"\n{line}"));
        let points = "seed = 2\nthresholds = [5, 4]\nthreshold-points = [\"x\", 0]";
        let sealed =
            "seeds = \"1\"\nchecker-command = \"c {answer}\"\ngenerator-command = 5\n[problem.sealed]\nqueries = 2";
        for (text, line) in [
            (columns("").replace("\"p\"", "5"), 2),
            (columns("").replace("\"columns\"", "5"), 3),
            (columns("").replace("\"p\"", "[]"), 2),
            (columns("").replace("\"columns\"", "[]"), 3),
            (problem("checker-command = 5\nseeds = \"1\""), 3),
            (problem("interactor-command = 5\nseeds = \"1\""), 3),
            (problem("tester-command = 5\nseeds = \"1\""), 3),
            (case("seed = -1"), 6),
            (case("file = 5"), 6),
            (case(points), 8),
            (case("seed = 2\nthresholds = 5\nthreshold-points = [1]"), 7),
            (group("cases = \"1\""), 7),
            (group("cases = [5]"), 7),
            (group("seeds = \"x\""), 7),
            (group("seeds = \"x\"").replace("seeds = \"1\"\n", ""), 6),
            (columns("view-command = \"{folder}/v {answer}\"\nview-file = 5"), 6),
            (columns("view-command = 5\nview-file = \"v.html\""), 5),
            (columns("[[problem.expect]]\nsolver = 5"), 6),
            (problem(sealed), 5),
            (problem("seeds = \"1\"\nchecker = \"column\"\ngenerator-seeds = \"list\""), 4),
            (problem("checker = \"column\"\n[[problem.group]]\nname = \"g\"\nseeds = \"1\""), 3),
        ] {
            let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err();
            let (complaints, said) = (error.complaints.len(), error.to_string());
            assert!(complaints == 1 && said.contains(&format!("p.toml:{line}:")), "{text}\n{said}");
        }
    }

    #[test]
    fn integers_may_have_another_base() {
        let text = "[[problem]]\nid = \"p\"\nchecker-command = \"c {answer}\"\nchecker-protocol = \"regex\"\n\
                    score-regex = \"1\"\nreject-exit-codes = [0x1, 0b11]\ninputs = [\"*\"]\n\
                    limits = { processes = 0x1_0 }\nscoring = { failure = 0o17 }\n";
        let problem = Catalogue::parse("p.toml", text, Path::new("/")).unwrap().problems.remove(0);
        let CheckerChoice::External(ExternalChecker { protocol: CheckerProtocol::Regex(search), .. }) = problem.checker
        else {
            panic!("another checker");
        };
        assert_eq!((search.reject_codes, problem.limits.processes), (vec![1, 3], 16));
        assert_eq!(problem.failure, Some(15.into()));
        let text = text.replace("0x1_0", "0x1_0000_0000");
        assert!(Catalogue::parse("p.toml", &text, Path::new("/")).is_err());
    }

    #[test]
    fn limits_of_checkers_hold_for_their_helpers() {
        let tokens = "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\ninputs = [\"*\"]\n";
        let limits = "[problem.limits]\nchecker-wall = \"5s\"\nchecker-memory = \"9 MB\"\n";
        let read = |line: &str| {
            let all = Catalogue::parse("p.toml", &format!("{tokens}{line}\n{limits}"), Path::new("/"));
            all.map(|mut all| all.problems.remove(0).helper_limits.checker)
        };
        let expected = CommandLimits { wall: Time(Duration::from_secs(5)), memory: Bytes(9_000_000) };
        assert_eq!(read("validator-command = \"grep -q . {input}\"").unwrap(), expected);
        assert_eq!(read("view-command = \"{folder}/v {answer}\"\nview-file = \"v\"").unwrap(), expected);
        assert_eq!(read("").unwrap_err().complaints.len(), 2);
    }

    #[test]
    fn seeds_of_groups_become_cases_once() {
        let read = |tables: &str| {
            let text = format!("[[problem]]\nid = \"p\"\nchecker = \"columns\"\n{tables}");
            Catalogue::parse("p.toml", &text, Path::new("/")).map(|mut all| all.problems.remove(0).cases)
        };
        let group = |name: &str, members: &str| format!("[[problem.group]]\nname = \"{name}\"\n{members}\n");
        let case = |seed: u32| format!("[[problem.case]]\nseed = {seed}\n");
        for (listed, seeds, expected) in [(1, "1-3", "1, 2, 3"), (2, "1-3,2-4", "2, 1, 3, 4"), (9, "1-3", "9, 1, 2, 3")]
        {
            let cases = read(&(case(listed) + &group("a", &format!("seeds = \"{seeds}\"")))).unwrap();
            let seeds: Vec<_> = cases.iter().filter_map(|case| case.seed()).map(|seed| seed.to_string()).collect();
            assert_eq!(seeds.join(", "), expected, "{listed}");
        }
        let by_name = group("b", "cases = [\"seed-*\"]");
        let shared = [
            (case(9) + &group("a", "seeds = \"1-3\"") + &by_name, "the case `seed-1` is in the groups `a` and `b`"),
            (group("a", "seeds = \"1-3\"") + &group("b", "seeds = \"3-5\""), "the seed 3 is in the groups `a` and `b`"),
        ];
        for (tables, expected) in shared {
            let complaints = read(&tables).unwrap_err().complaints;
            assert_eq!(complaints.iter().map(|one| &*one.message).collect::<Vec<_>>(), [expected]);
        }
        let tens: String = (0..10).map(|ten| group(&format!("g{ten}"), &format!("seeds = \"{ten}\""))).collect();
        let began = std::time::Instant::now();
        assert_eq!(read(&format!("seeds = \"1-9000000\"\n{tens}")).unwrap().len(), 9_000_000);
        assert!(began.elapsed() < Duration::from_secs(20), "the cases were walked through");
    }

    #[test]
    fn seeds_of_groups_need_a_generator() {
        let text = "[[problem]]\nid = \"p\"\nchecker-command = \"c {answer}\"\ninputs = [\"*\"]\n\
                    [[problem.group]]\nname = \"a\"\nseeds = \"1-3\"\n";
        let error = Catalogue::parse("p.toml", text, Path::new("/")).unwrap_err();
        assert_eq!(error.complaints.len(), 1);
        assert!(error.to_string().contains("no cases from seeds\n --> p.toml:5:1"), "{error}");
    }

    fn slurm(text: &str) -> Result<SlurmTable, ManifestError> {
        Catalogue::parse("p.toml", &format!("{text}{PROBLEM}"), Path::new("/x")).map(|all| all.slurm)
    }

    #[test]
    fn the_table_is_read_or_complained_of() {
        assert_eq!(slurm("").unwrap(), SlurmTable::default());
        let read = slurm(
            "[engine.slurm]\nworkdir = \"runs\"\nsbatch = \"--partition=short --comment='a b'\"\nconstraint = \"epyc\"\nretries = 5\nsubmit-wait = \"5s\"\n",
        );
        let expected = SlurmTable {
            workdir: Some("/x/runs".into()),
            sbatch: vec!["--partition=short".to_owned(), "--comment=a b".to_owned()],
            constraint: Some("epyc".to_owned()),
            retries: Some(5),
            submit_wait: Some(Time(Duration::from_secs(5))),
        };
        assert_eq!(read.unwrap(), expected);
        for (wrong, complaints) in [
            ("[engine.slurm]\nworkdr = \"x\"\nretries = -1\n", 2),
            ("[engine.slurm]\nsbatch = \"'open\"\n", 1),
            ("[engine.slurm]\nsubmit-wait = 5\n", 1),
            ("[engine.pbs]\nx = 1\n", 1),
        ] {
            assert_eq!(slurm(wrong).unwrap_err().complaints.len(), complaints, "{wrong}");
        }
    }

    fn with_answers(answers: &[(&str, &str, &str)]) -> Result<Catalogue, String> {
        let mut text = "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\n".to_owned();
        for (name, file, answer) in answers {
            text += &format!("[[problem.case]]\nname = \"{name}\"\nfile = \"{file}\"\nanswer = \"{answer}\"\n");
        }
        Catalogue::parse("p.toml", &text, Path::new("/")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_input_file_has_one_answer() {
        assert!(with_answers(&[("a", "1.in", "1.ans"), ("b", "1.in", "1.ans"), ("c", "2.in", "2.ans")]).is_ok());
        let error =
            with_answers(&[("a", "1.in", "1.ans"), ("b", "2.in", "1.ans"), ("c", "1.in", "2.ans")]).unwrap_err();
        assert_eq!(error.matches("the same `file` and different answers: 1.in").count(), 2, "{error}");
        assert!(error.contains("p.toml:7:10") && error.contains("p.toml:15:10"), "{error}");
    }

    fn errors(text: &str) -> Vec<String> {
        let read = read_languages("l.toml", text, built_in_languages());
        let complaints = read.unwrap_err().complaints;
        complaints.iter().map(|complaint| complaint.render("l.toml", text)).collect()
    }

    #[test]
    fn the_built_in_languages_are_complete() {
        let languages = built_in_languages();
        assert!(languages.iter().count() > 20);
        for language in languages.iter() {
            assert!(!language.run.is_empty(), "{}", language.name);
            assert!(!language.extensions.is_empty() || !language.files.is_empty(), "{}", language.name);
        }
        assert!(languages.endings().starts_with(".rs, .cpp, .cc"), "{}", languages.endings());
        for ending in ["py", "kt", "ts", "cs", "hs", "ml", "php", "lua", "pas", "zig", "sh", "pl", "rb", "java"] {
            assert!(languages.with_extension(ending).next().is_some(), "{ending}");
        }
    }

    #[test]
    fn a_table_may_change_a_field_alone() {
        let text = "[language.cpp]\ntime-factor = 1.5\nextra-memory = \"64 MiB\"\nextra-processes = 4\n";
        let languages = read_languages("l.toml", text, built_in_languages()).unwrap();
        let (own, plain) = (languages.find("cpp").unwrap(), built_in_languages().find("cpp").unwrap().clone());
        let time_factor = "1.5".parse().unwrap();
        assert_eq!(own.allowance, Allowance { time_factor, extra_memory: Bytes(64 << 20), extra_processes: 4 });
        assert_eq!((&own.compile, &own.run), (&plain.compile, &plain.run));
    }

    #[test]
    fn a_table_replaces_fields_and_claims_the_endings_that_it_names() {
        let read = |text: &str, known: &Languages| read_languages("l.toml", text, known).unwrap();
        let names = |languages: &Languages| -> Vec<String> {
            languages.with_extension("py").map(|language| language.name.clone()).collect()
        };
        let table = |name: &str| format!("[language.{name}]\nextensions = [\"py\"]\nrun = \"{name} {{source}}\"\n");
        let languages = read(&(table("python") + &table("pypy")), &Languages::default());
        assert_eq!((names(&languages), languages.endings()), (vec!["python".into(), "pypy".into()], ".py".into()));
        let patched = read("[language.pypy]\nrun = \"pypy3 -u {source}\"", &languages);
        assert_eq!(names(&patched), ["python", "pypy"], "it says nothing of endings");
        assert_eq!(patched.find("pypy").unwrap().run, ["pypy3 -u {source}"]);
        let claimed = read(&(table("cython") + "[language.pypy]\nextensions = [\"py\"]"), &languages);
        assert_eq!(names(&claimed), ["cython", "pypy", "python"]);
        assert_eq!(claimed.find("pypy").unwrap().run, ["pypy {source}"]);
    }

    #[test]
    fn what_is_wrong_is_shown_with_its_place() {
        for (text, place, message) in [
            ("[language.cpp]\ncompiler = \"g++\"", "l.toml:2:1", "did you mean `compile`?"),
            ("[language.cpp]\ncompile = \"g++ {sorce}\"", "l.toml:2:16", "did you mean `{source}`?"),
            ("[language.cpp]\ncompile = [\"g++ 'x\"]", "l.toml:2:12", "quotes match"),
            ("[language.cpp]\nrun = \"main\"", "l.toml:2:7", "add `{program}`"),
            ("[language.cpp]\nrun = 7", "l.toml:2:7", "expected a text, or an array of texts"),
            ("[language.python]\nrun = \"{program}\"", "l.toml:1:11", "has no `compile`"),
            ("[language.python]\ncompile = \"cp {source} {out}\"", "l.toml:1:11", "`run` has `{source}`"),
            ("[language.cpp]\nextensions = [\".cpp\"]", "l.toml:2:15", "without its point"),
            ("[language.cpp]\ntime-factor = 0.5", "l.toml:2:15", "from 1 to 100"),
            ("[language.cpp]\nextra-memory = \"5 GiB\"", "l.toml:2:16", "at most 4 GiB"),
            ("[language.cpp]\nextra-processes = 257", "l.toml:2:19", "at most 256"),
            ("[language.cpp.environment]\n\"A=\" = \"1\"", "l.toml:2:1", "expected letters"),
            ("[language.cpp.environment]\nA = \"{memory}\"", "l.toml:2:6", "did you mean `{memory-mb}`?"),
            ("[language.\"C++ 20\"]\nrun = \"{program}\"", "l.toml:1:11", "expected lower-case letters"),
            ("language = 1", "l.toml:1:12", "a table, written [language.NAME]"),
            ("[language]\ncpp = 1", "l.toml:2:7", "a table, written [language.NAME]"),
            ("[languages.cpp]\n", "l.toml:1:2", "did you mean `language`?"),
        ] {
            let errors = errors(text);
            assert!(errors[0].contains(&format!("{place}\n")) && errors[0].contains(message), "{text}: {}", errors[0]);
        }
        let errors_of_new = errors("[language.new]\nextensions = [\"new\"]\nrun = \"{program}\"");
        assert!(errors_of_new[0].contains("has no `compile`"), "{errors_of_new:?}");
        let errors = errors("[language.new]\npackage = \"new\"");
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("has no `run`") && errors[1].contains("has no `extensions`"), "{errors:?}");
    }
}
