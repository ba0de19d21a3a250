//! Projects of pahcer: the steps of `pahcer_config.toml` that test a solver.
//! Format: <https://github.com/terry-u16/pahcer>.

mod checker;
mod paths;
mod settings;

use super::error::ImportError;
use super::files;
use super::imported::Imported;
use super::kind::Kind;
use super::submission;
use super::text::Text;
use judge_problem::counted;
use paths::Pattern;
use regex::Regex;
use settings::{Config, Step};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The name of the group that finds a score.
const SCORE: &str = "score";

/// The most seeds of a project.
const MOST_SEEDS: u64 = 1_000_000;

/// Reads the project in a folder. `id`: the problem's id in place of the project's own.
///
/// # Errors
/// When the file is malformed, or no step of it is a checker of answers.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
    let file = root.join(Kind::Pahcer.sign());
    let text = std::fs::read_to_string(&file).map_err(|error| ImportError::unreadable(&file, error))?;
    let config = Config::read(&file, &text)?;
    let mut left = config.unknown();
    let (solver, input, output) = solver(&config)?;
    let step = checker_step(&config, &output);
    let scorer = match step {
        Some(step) => Some(checker::checker(&config, root, step, &input, &output)?),
        None => checker::tester(&config, root, solver)?,
    };
    let scorer = scorer.ok_or_else(|| {
        let what = format!("no test step reads {}, and cargo starts no tester", output.text);
        ImportError::unsupported(config.file, what)
    })?;
    let inputs = inputs(&config, root, &input, &mut left)?;
    let id = id.map_or_else(|| files::to_id(&config.settings.problem.problem_name), str::to_owned);
    let mut text = Text::default();
    text.comment(&format!("Imported from the pahcer project {}.", files::name(root)));
    text.line("[[problem]]").text("id", &id);
    write(&mut text, &config, &scorer.command, step.is_some())?;
    text.texts("inputs", &[input.glob()]);
    let source = source(&config, root, solver);
    if let Some(source) = &source {
        text.text("solver", &source.to_string_lossy());
    }
    text.table("[problem.scoring]").text("rule", "sum");
    if is_minimum(&config)? {
        text.text("direction", "min");
    }
    left.extend(steps_left(&config, step.unwrap_or(solver), source.as_deref()));
    left.push("limits: the project has none, and the defaults hold: set `cpu` in [problem.limits]".to_owned());
    let count = inputs.len();
    let mut taken = vec![counted(count, "case")];
    taken.push(match step {
        Some(step) => format!("the checker: {}", step.shown()),
        None => format!("the tester: {}", solver.shown()),
    });
    taken.extend(source.iter().map(|source| format!("the solver {}", source.display())));
    let solver_files = source.map(|source| (root.join(&source), source));
    let files = inputs.into_iter().chain(scorer.copied).chain(solver_files).collect();
    Ok(Imported { id, catalogue: text.finish(), files, taken, left, temporary: scorer.kept, ..Imported::default() })
}

/// Writes the command that gives scores, and where they are found.
fn write(text: &mut Text, config: &Config<'_>, command: &str, is_checker: bool) -> Result<(), ImportError> {
    text.text(if is_checker { "checker-command" } else { "tester-command" }, command);
    text.text("checker-protocol", "regex").text("score-regex", score_regex(config)?);
    if is_checker {
        text.text("score-match", "last");
        text.plain("reject-exit-codes", "[1, 101]").because("pahcer counts a test step that fails as a failed case");
    }
    Ok(())
}

/// Returns the step that runs the solver, and the files of its standard streams.
fn solver<'a>(config: &'a Config<'_>) -> Result<(&'a Step, Pattern, Pattern), ImportError> {
    let steps = &config.settings.test.test_steps;
    let of = |step: &'a Spanned<Step>| Some((step, step.as_ref().stdin.as_ref()?, step.as_ref().stdout.as_ref()?));
    let Some((step, input, output)) = steps.iter().find_map(of) else {
        let expected = "a [[test.test_steps]] with the solver's `stdin` and `stdout`";
        return Err(ImportError::bad(config.file, "no step runs the solver", expected));
    };
    let (input, output) = (Pattern::new(input), Pattern::new(output));
    if !input.has_seed() || !output.has_seed() {
        return Err(config.bad(step, "its files are the same for all seeds", "{SEED} or {SEED04} in their paths"));
    }
    Ok((step.as_ref(), input, output))
}

/// Returns the step that reads what the solver wrote.
fn checker_step<'a>(config: &'a Config<'_>, output: &Pattern) -> Option<&'a Step> {
    let reads = |step: &&Step| {
        let folder = paths::normal(Path::new(""), step.current_dir.as_deref().unwrap_or("."));
        step.args.iter().any(|word| paths::normal(&folder, word) == Path::new(&output.text))
    };
    config.settings.test.test_steps.iter().map(Spanned::as_ref).find(reads)
}

/// Returns the inputs that are there, each with where it goes.
fn inputs(
    config: &Config<'_>,
    root: &Path,
    input: &Pattern,
    left: &mut Vec<String>,
) -> Result<Vec<(PathBuf, PathBuf)>, ImportError> {
    let test = &config.settings.test;
    let (start, end) = (test.start_seed, *test.end_seed.as_ref());
    if end <= start || end - start > MOST_SEEDS {
        let expected = "a number above `start_seed`: the first seed that is not tested";
        return Err(config.bad(&test.end_seed, format!("`end_seed = {end}`"), expected));
    }
    let is_there = |seed: &u64| root.join(input.of(*seed)).is_file();
    let (found, missing): (Vec<u64>, Vec<u64>) = (start..end).partition(is_there);
    if found.is_empty() {
        let what = format!("there is no file {} in the project", input.of(start).display());
        return Err(config.bad(&test.end_seed, what, "the inputs of the seeds, as the tools' `gen` makes them"));
    }
    if let Some(first) = missing.first() {
        let (count, path) = (missing.len(), input.of(*first));
        left.push(format!("{count} of the seeds: there is no input {}: the tools' `gen` makes them", path.display()));
    }
    let mut copied = Vec::new();
    for path in found.into_iter().map(|seed| input.of(seed)) {
        files::check_link(root, &root.join(&path))?;
        copied.push((root.join(&path), path));
    }
    Ok(copied)
}

/// Returns the regular expression, whose first group must be the score.
fn score_regex<'a>(config: &'a Config<'_>) -> Result<&'a str, ImportError> {
    let given = &config.settings.problem.score_regex;
    let bad = |what: String| config.bad(given, what, "one whose first group is `(?P<score>\\d+)`");
    let regex = Regex::new(given.as_ref()).map_err(|_| bad("bad regular expression".to_owned()))?;
    match regex.capture_names().nth(1) {
        Some(Some(SCORE)) => Ok(given.as_ref()),
        _ => Err(bad("the first group is not the score".to_owned())),
    }
}

fn is_minimum(config: &Config<'_>) -> Result<bool, ImportError> {
    let objective = &config.settings.problem.objective;
    match &*objective.as_ref().to_ascii_lowercase() {
        "min" => Ok(true),
        "max" => Ok(false),
        other => Err(config.bad(objective, format!("bad objective `{other}`"), "\"Max\" or \"Min\"")),
    }
}

/// Returns the source of the project's own solver, if it is one file.
fn source(config: &Config<'_>, root: &Path, solver: &Step) -> Option<PathBuf> {
    let steps = config.settings.test.compile_steps.iter().chain([solver]);
    let mut named = steps.flat_map(|step| {
        let folder = paths::normal(Path::new(""), step.current_dir.as_deref().unwrap_or("."));
        step.args.iter().map(move |word| paths::normal(&folder, word))
    });
    named.find(|path| {
        let file = root.join(path);
        file.is_file() && files::check_link(root, &file).is_ok() && submission::is_known(&file)
    })
}

/// Returns a line for each step that is not taken.
fn steps_left(config: &Config<'_>, checker: &Step, source: Option<&Path>) -> Vec<String> {
    let how = match source {
        Some(source) => format!("{} is compiled as `judge languages` says", source.display()),
        None => "solvers are compiled as `judge languages` says".to_owned(),
    };
    let compiled = config.settings.test.compile_steps.iter();
    let mut left: Vec<_> = compiled.map(|step| format!("compile step `{}`: {how}", step.shown())).collect();
    let steps = config.settings.test.test_steps.iter().map(Spanned::as_ref);
    let others = steps.filter(|step| step.stdin.is_none() && !std::ptr::eq(*step, checker));
    left.extend(others.map(|step| format!("test step `{}`: it is neither the solver nor the checker", step.shown())));
    left
}
