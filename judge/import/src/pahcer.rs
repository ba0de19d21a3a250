//! Projects of pahcer: the steps of `pahcer_config.toml` that test a solver.
//! Format: <https://github.com/terry-u16/pahcer>.

use crate::ahc::Built;
use crate::text::{self, Text};
use crate::{ImportError, Imported, Result, files};
use judge_problem::{PackageKind, counted, quote_path};
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use toml::{Spanned, Table, Value};

/// The name of the capture group for the score.
const SCORE: &str = "score";

/// The maximum number of seeds of a project.
const MAX_SEEDS: u64 = 1_000_000;

/// Reads the project in a folder. `id`: the problem's id in place of the project's own.
///
/// # Errors
/// Fails if the file is malformed, or if none of its steps checks answers.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported> {
    let file = root.join(PackageKind::Pahcer.sign());
    let text = std::fs::read_to_string(&file).map_err(|error| ImportError::unreadable(&file, error))?;
    let config = Config::read(root, &file, &text)?;
    let mut left = config.unknown();
    let (solver, input, output) = solver(&config)?;
    let step = checker_step(&config, &output);
    let scorer = match step {
        Some(step) => Some(Scorer { solver: command(solver), ..checker(&config, step, &input, &output)? }),
        None => tester(&config, solver)?,
    };
    let scorer = scorer.ok_or_else(|| {
        let what = format!("no test step reads {}, and none starts a tester", output.text);
        ImportError::unsupported(config.file, what)
    })?;
    let inputs = inputs(&config, &input, &mut left)?;
    let id = id.map_or_else(|| files::to_id(&config.settings.problem.problem_name), str::to_owned);
    let mut text = Text::of_problem(&format!("the pahcer project {}", files::name(root)), &id);
    write(&mut text, &config, &scorer.command, step.is_some())?;
    let mut names = BTreeSet::new();
    let are_named_apart = inputs.iter().all(|(_, path)| names.insert(path.file_stem()));
    if are_named_apart {
        text.texts("inputs", &[input.glob()]);
    }
    let source = source(&config, solver);
    let own = own_solver(root, &folder_of(solver), &scorer.solver, source.as_deref(), &mut left);
    text.maybe("solver", own.as_ref());
    text.table("[problem.scoring]").text("rule", "sum");
    if is_minimum(&config)? {
        text.text("direction", "min");
        let what = "pahcer counts it as a wrong answer; here only one that comes with a message rejects";
        left.push(format!("a score of 0: {what}"));
    }
    // Where the names of the files are not enough, each case gets its own.
    for (_, path) in inputs.iter().filter(|_| !are_named_apart) {
        text.case(&path.with_extension("").to_string_lossy().replace('/', "-"), path, None, None);
    }
    left.extend(steps_left(&config, &[solver, step.unwrap_or(solver)], source.as_deref()));
    left.push("limits: the project has none, and the defaults hold: set `cpu` in [problem.limits]".to_owned());
    let count = inputs.len();
    let mut taken = vec![counted(count, "case")];
    taken.push(match step {
        Some(step) => format!("the checker: {}", step.shown()),
        None => format!("the tester: {}", solver.shown()),
    });
    taken.extend(own.map(|own| format!("the solver {own}")));
    let solver_files = source.map(|source| (root.join(&source), source));
    let files = inputs.into_iter().chain(scorer.copied).chain(solver_files).collect();
    let temporary = Vec::from_iter(scorer.kept);
    Ok(Imported { id, catalogue: text.finish(), files, taken, left, temporary, ..Imported::default() })
}

/// Writes the command that gives scores, and how to find them.
fn write(text: &mut Text, config: &Config<'_>, command: &str, is_checker: bool) -> Result<()> {
    text.text(if is_checker { "checker-command" } else { "tester-command" }, command);
    text.text("checker-protocol", "regex").text("score-regex", score_regex(config)?);
    text.text("score-match", "last");
    text.plain("reject-exit-codes", "[1, 101]")
        .because("pahcer fails a case at every code but 0; others are judge errors here");
    Ok(())
}

/// Returns the step that runs the solver, with the files of its standard streams.
fn solver<'a>(config: &'a Config<'_>) -> Result<(&'a Step, Pattern, Pattern)> {
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

/// Returns the step that reads the solver's output.
fn checker_step<'a>(config: &'a Config<'_>, output: &Pattern) -> Option<&'a Step> {
    let reads = |step: &&Step| {
        let folder = folder_of(step);
        let named = step.args.iter().map(|word| normal_path(&folder, word));
        named.chain(stdin_of(step)).any(|path| path == Path::new(&output.text))
    };
    config.settings.test.test_steps.iter().map(Spanned::as_ref).find(reads)
}

/// Returns the existing inputs, each with its destination.
fn inputs(config: &Config<'_>, input: &Pattern, left: &mut Vec<String>) -> Result<Vec<(PathBuf, PathBuf)>> {
    let (root, test) = (config.root, &config.settings.test);
    let (start, end) = (test.start_seed, *test.end_seed.as_ref());
    if end <= start || end - start > MAX_SEEDS {
        let expected =
            format!("a number above `start_seed`, by at most {MAX_SEEDS}: the first seed that is not tested");
        return Err(config.bad(&test.end_seed, format!("`end_seed = {end}`"), &expected));
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

/// Returns the regular expression with the score as its first group.
fn score_regex<'a>(config: &'a Config<'_>) -> Result<&'a str> {
    let given = &config.settings.problem.score_regex;
    let bad = |what: String| config.bad(given, what, "one whose first group is `(?P<score>\\d+)`");
    let regex = Regex::new(given.as_ref()).map_err(|_| bad("bad regular expression".to_owned()))?;
    match regex.capture_names().nth(1) {
        Some(Some(SCORE)) => Ok(given.as_ref()),
        _ => Err(bad("the first group is not the score".to_owned())),
    }
}

fn is_minimum(config: &Config<'_>) -> Result<bool> {
    let objective = &config.settings.problem.objective;
    match &*objective.as_ref().to_ascii_lowercase() {
        "min" => Ok(true),
        "max" => Ok(false),
        _ => Err(config.bad(objective, format!("bad objective `{}`", objective.as_ref()), "\"Max\" or \"Min\"")),
    }
}

/// Returns the source of the project's own solver, if it is one file.
fn source(config: &Config<'_>, solver: &Step) -> Option<PathBuf> {
    let steps = config.settings.test.compile_steps.iter().chain([solver]);
    let mut named = steps.flat_map(|step| {
        let folder = folder_of(step);
        step.args.iter().map(move |word| normal_path(&folder, word))
    });
    named.find(|path| {
        let file = config.root.join(path);
        file.is_file() && files::check_link(config.root, &file).is_ok() && text::is_known(&file)
    })
}

/// Returns the project's own solver as a catalogue names it: its source with its arguments. Adds a line for arguments
/// that are left out. `command`: the words that start it.
fn own_solver(
    root: &Path,
    folder: &Path,
    command: &[&String],
    source: Option<&Path>,
    left: &mut Vec<String>,
) -> Option<String> {
    let named = source.map(|source| source.to_string_lossy().into_owned());
    let place = |word: &str| normal_path(folder, word);
    let at = command.iter().position(|word| source.is_some_and(|source| place(word) == source));
    let arguments = &command[at.unwrap_or(0) + 1..];
    if arguments.is_empty() {
        return named;
    }
    // If no word is the source, a program with a folder is the compiled source. Any other program is an interpreter.
    let is_known = at.is_some() || command[0].contains('/');
    let is_taken = |word: &&String| !word.contains("{SEED") && !root.join(place(word)).is_file();
    match &named {
        Some(source) if is_known && arguments.iter().all(is_taken) => {
            Some(shell_words::join([source].into_iter().chain(arguments.iter().copied())))
        }
        _ => {
            left.push(format!("the solver's arguments `{}`: solvers run without them", shell_words::join(arguments)));
            named
        }
    }
}

/// Returns a line for each step that is not imported. `taken`: the steps that are.
fn steps_left(config: &Config<'_>, taken: &[&Step; 2], source: Option<&Path>) -> Vec<String> {
    let how = match source {
        Some(source) => format!("{} is compiled as `judge languages` says", source.display()),
        None => "solvers are compiled as `judge languages` says".to_owned(),
    };
    let compiled = config.settings.test.compile_steps.iter();
    let mut left: Vec<_> = compiled.map(|step| format!("compile step `{}`: {how}", step.shown())).collect();
    let steps = config.settings.test.test_steps.iter().map(Spanned::as_ref);
    let others = steps.filter(|step| !taken.iter().any(|taken| std::ptr::eq(*taken, *step)));
    left.extend(others.map(|step| format!("test step `{}`: it is neither the solver nor the checker", step.shown())));
    left
}

/// Where the tools go.
const PROGRAMS: &str = "programs";

/// A command that gives scores, and the files that it needs.
struct Scorer<'a> {
    command: String,
    /// The words that start the project's own solver.
    solver: Vec<&'a String>,
    copied: Vec<(PathBuf, PathBuf)>,
    /// The built programs.
    kept: Option<TempDir>,
}

/// Creates the command for a step that reads the input and the answer.
fn checker(config: &Config<'_>, step: &Step, input: &Pattern, output: &Pattern) -> Result<Scorer<'static>> {
    let (root, folder) = (config.root, folder_of(step));
    let place = |word: &str| normal_path(&folder, word);
    let (mut scorer, used) = program(config, step)?;
    let args = &step.args[used..];
    for word in args {
        let path = place(word);
        let word = match word {
            _ if path == Path::new(&input.text) => "{input}".to_owned(),
            _ if path == Path::new(&output.text) => "{answer}".to_owned(),
            _ if word.contains("{SEED") => return Err(config.unsupported(step, OF_SEED)),
            _ => shell_words::quote(&file_of(root, &path, word, &mut scorer.copied)?).into_owned(),
        };
        scorer.command.push_str(&format!(" {word}"));
    }
    if let Some(path) = stdin_of(step) {
        let file = match () {
            () if path == Path::new(&input.text) => "{input}",
            () if path == Path::new(&output.text) => "{answer}",
            () => return Err(config.unsupported(step, &format!("which reads {}", path.display()))),
        };
        scorer.command = format!("sh -c 'exec \"$@\" < \"$0\"' {file} {}", scorer.command);
    }
    Ok(scorer)
}

/// Returns the program of a step, and the number of arguments that belong to its command.
fn program(config: &Config<'_>, step: &Step) -> Result<(Scorer<'static>, usize)> {
    if let Some(run) = cargo(step) {
        return Ok((run.tool(config, step)?, run.used));
    }
    let mut copied = Vec::new();
    let path = normal_path(&folder_of(step), &step.program);
    let word = file_of(config.root, &path, &step.program, &mut copied)?;
    let runs = |file: &Path| text::is_known(file) || file.metadata().is_ok_and(|file| file.mode() & 0o111 != 0);
    if let Some((file, _)) = copied.iter().find(|(file, _)| !runs(file)) {
        let expected = format!("a program: chmod +x {}", quote_path(file));
        return Err(ImportError::bad(file, "it is not executable", expected));
    }
    Ok((Scorer { command: shell_words::quote(&word).into_owned(), solver: Vec::new(), copied, kept: None }, 0))
}

/// The name of AtCoder's tool that starts the solver.
const TESTER: &str = "tester";

/// Why a step that names the seed itself is not supported.
const OF_SEED: &str = "which names other files of the seed";

/// Returns the words of a step that start the solver. The options of cargo are none.
fn command(step: &Step) -> Vec<&String> {
    let used = cargo(step).map_or(0, |run| run.used);
    std::iter::once(&step.program).chain(&step.args[used..]).collect()
}

/// Returns the file of a step's standard input.
fn stdin_of(step: &Step) -> Option<PathBuf> {
    step.stdin.as_ref().map(|path| normal_path(Path::new(""), path))
}

/// Creates the command for a step in which a tool starts the solver. `None` for other steps.
fn tester<'a>(config: &Config<'_>, step: &'a Step) -> Result<Option<Scorer<'a>>> {
    let own = (files::name(Path::new(&step.program)) == TESTER).then_some(0);
    let used = cargo(step).map(|run| run.used).or(own);
    let Some(used) = used.filter(|used| *used < step.args.len()) else { return Ok(None) };
    let words = &step.args[used..];
    // A file that cannot be executed is not a program.
    let is_data = |word: &str| {
        let file = config.root.join(normal_path(&folder_of(step), word)).metadata();
        file.is_ok_and(|file| file.is_file() && file.mode() & 0o111 == 0)
    };
    let is_clear = |begin: &usize| begin + 1 == words.len() || !is_data(&words[*begin]);
    let Some(begin) = begin_of_solver(words).filter(is_clear) else {
        return Err(config.unsupported(step, "in which it is not clear where the solver begins"));
    };
    let (own, solver) = words.split_at(begin);
    if own.iter().any(|word| word.contains("{SEED")) {
        return Err(config.unsupported(step, OF_SEED));
    }
    let (scorer, _) = program(config, step)?;
    if scorer.copied.is_empty() {
        let what = format!("there is no file {}", step.program);
        return Err(ImportError::bad(config.file, what, "the tester, as the tools build it"));
    }
    let own = own.iter().map(|word| format!(" {}", shell_words::quote(word))).collect::<String>();
    let command = format!("{}{own} {{solver}}", scorer.command);
    Ok(Some(Scorer { command, solver: solver.iter().collect(), ..scorer }))
}

/// Returns where the solver begins among the arguments of a tester: after options and their values. `None` if that is
/// not clear.
fn begin_of_solver(words: &[String]) -> Option<usize> {
    let is_option = |word: &str| word.starts_with('-');
    let begin = words.iter().position(|word| !is_option(word) && word.parse::<f64>().is_err())?;
    // After an option without a value, the word may be the value.
    let may_be_value = begin > 0 && is_option(&words[begin - 1]) && words[begin - 1] != "--";
    let is_clear = !may_be_value || words[begin - 1].contains('=') || begin + 1 == words.len();
    is_clear.then_some(begin)
}

fn folder_of(step: &Step) -> PathBuf {
    normal_path(Path::new(""), step.current_dir.as_deref().unwrap_or("."))
}

/// Replaces the path of a package file by the path of its copy. Other words stay.
fn file_of(root: &Path, path: &Path, word: &str, copied: &mut Vec<(PathBuf, PathBuf)>) -> Result<String> {
    let from = root.join(path);
    if path.as_os_str().is_empty() || !from.is_file() {
        return Ok(word.to_owned());
    }
    files::check_link(root, &from)?;
    copied.push((from, path.to_owned()));
    let is_program = word.contains('/');
    Ok(if is_program { format!("./{}", path.display()) } else { path.display().to_string() })
}

/// `cargo run`, with the words of the step that were parsed.
struct CargoRun<'a> {
    package: &'a str,
    binary: Option<&'a str>,
    used: usize,
}

/// Further options of `cargo run` with a value.
const WITH_VALUE: [&str; 15] = [
    "--color",
    "--config",
    "--example",
    "--features",
    "--jobs",
    "--message-format",
    "--package",
    "--profile",
    "--target",
    "--target-dir",
    "-C",
    "-F",
    "-Z",
    "-j",
    "-p",
];

/// The beginnings of options that change the program.
const CHANGING: [&str; 4] = ["--all-features", "--features", "--no-default-features", "-F"];

fn cargo(step: &Step) -> Option<CargoRun<'_>> {
    let mut words = step.args.iter().enumerate();
    if step.program != "cargo" || !words.next().is_some_and(|(_, word)| word == "run" || word == "r") {
        return None;
    }
    let mut run = CargoRun { package: ".", binary: None, used: 1 };
    while let Some((at, word)) = words.next() {
        let joined = word.split_once('=').filter(|_| word.starts_with("--"));
        let option = joined.map_or(&**word, |(option, _)| option);
        let mut value = || joined.map(|(_, value)| value).or_else(|| words.next().map(|(_, value)| &**value));
        match option {
            "--bin" => run.binary = value(),
            "--manifest-path" => {
                run.package = value().map_or(".", |path| path.strip_suffix("Cargo.toml").unwrap_or(path));
            }
            "--" => return Some(CargoRun { used: at + 1, ..run }),
            _ if WITH_VALUE.contains(&option) => drop(value()),
            _ if option.starts_with('-') => {}
            _ => return Some(CargoRun { used: at, ..run }),
        }
    }
    Some(CargoRun { used: step.args.len(), ..run })
}

impl CargoRun<'_> {
    /// Returns the command of the tool, which is built first if necessary. It runs in its own folder, because tools may
    /// write files there.
    fn tool(&self, config: &Config<'_>, step: &Step) -> Result<Scorer<'static>> {
        let package = config.root.join(normal_path(&folder_of(step), self.package));
        let mut options = step.args[..self.used].iter();
        if options.any(|word| CHANGING.iter().any(|option| word.starts_with(option))) {
            return Err(config.unsupported(step, "which builds its program with other features"));
        }
        let Some(name) = self.binary else {
            return Err(config.unsupported(step, "which names no program with --bin"));
        };
        if !package.join("Cargo.toml").is_file() {
            let what = format!("there is no {}", package.join("Cargo.toml").display());
            return Err(ImportError::bad(config.file, what, "the tools beside the configuration"));
        }
        let is_there = package.join("target/release").join(name);
        let (program, kept) = if is_there.is_file() {
            files::check_link(config.root, &is_there)?;
            (is_there, None)
        } else {
            let built = Built::with_cargo(&package, &[name])?;
            (built.program(name), Some(built.folder))
        };
        let to = Path::new(PROGRAMS).join(name);
        let command = shell_words::quote(&to.to_string_lossy()).into_owned();
        let command = format!("{{folder}}/{command}");
        Ok(Scorer { command, solver: Vec::new(), copied: vec![(program, to)], kept })
    }
}

/// The keys that are read or do not affect the judging of an answer, by table.
const KNOWN: [(&str, &[&str]); 6] = [
    ("", &["general", "problem", "test"]),
    ("general", &["version"]),
    ("problem", &["problem_name", "objective", "score_regex"]),
    ("test", &["start_seed", "end_seed", "threads", "out_dir", "compile_steps", "test_steps"]),
    ("test.compile_steps", &["program", "args", "current_dir"]),
    ("test.test_steps", &["program", "args", "current_dir", "stdin", "stdout", "stderr", "measure_time"]),
];

#[derive(Debug, Deserialize)]
struct Settings {
    problem: Problem,
    test: Test,
}

#[derive(Debug, Deserialize)]
struct Problem {
    problem_name: String,
    objective: Spanned<String>,
    score_regex: Spanned<String>,
}

#[derive(Debug, Deserialize)]
struct Test {
    start_seed: u64,
    /// The end of the range of seeds (exclusive).
    end_seed: Spanned<u64>,
    #[serde(default)]
    compile_steps: Vec<Step>,
    test_steps: Vec<Spanned<Step>>,
}

/// A command with the files of its streams.
#[derive(Debug, Clone, Deserialize)]
struct Step {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    current_dir: Option<String>,
    stdin: Option<String>,
    stdout: Option<String>,
}

impl Step {
    /// Returns the command line, for messages.
    fn shown(&self) -> String {
        shell_words::join(std::iter::once(&self.program).chain(&self.args))
    }
}

/// The project's folder and file, with its text for the lines in messages.
struct Config<'a> {
    root: &'a Path,
    file: &'a Path,
    text: &'a str,
    settings: Settings,
}

impl<'a> Config<'a> {
    fn read(root: &'a Path, file: &'a Path, text: &'a str) -> Result<Self> {
        let settings = toml::from_str(text).map_err(|error: toml::de::Error| {
            let expected = "the keys of a pahcer_config.toml";
            let line = error.span().map_or(1, |span| line(text, span.start));
            ImportError::bad(file, error.message().replace('\n', " "), expected).at(line)
        })?;
        Ok(Self { root, file, text, settings })
    }

    /// Returns the error that a test step needs something unsupported.
    fn unsupported(&self, step: &Step, why: &str) -> ImportError {
        ImportError::unsupported(self.file, format!("the test step `{}`, {why}", step.shown()))
    }

    /// Returns an error at the line of a value.
    fn bad<T>(&self, at: &Spanned<T>, what: impl Into<String>, expected: &str) -> ImportError {
        ImportError::bad(self.file, what, expected).at(line(self.text, at.span().start))
    }

    /// Returns a line for each unknown key.
    fn unknown(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Ok(table) = self.text.parse::<Table>() {
            collect("", &table, &mut found);
        }
        let name = files::name(self.file);
        found.into_iter().map(|key| format!("{name}: `{key}` has no place in a problem of a catalogue")).collect()
    }
}

fn collect(path: &str, table: &Table, found: &mut Vec<String>) {
    let Some((_, known)) = KNOWN.iter().find(|(name, _)| *name == path) else { return };
    for (key, value) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !known.contains(&&**key) {
            if !found.contains(&path) {
                found.push(path);
            }
            continue;
        }
        let tables = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        tables.iter().filter_map(Value::as_table).for_each(|table| collect(&path, table, found));
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// A path with a placeholder for the seed, relative to the configuration: `tools/in/{SEED04}.txt`.
#[derive(Debug)]
struct Pattern {
    text: String,
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: normal_path(Path::new(""), text).to_string_lossy().into_owned() }
    }

    /// Returns whether it contains the seed.
    fn has_seed(&self) -> bool {
        self.of(1) != self.of(2)
    }

    fn of(&self, seed: u64) -> PathBuf {
        PathBuf::from(self.text.replace("{SEED04}", &format!("{seed:04}")).replace("{SEED}", &seed.to_string()))
    }

    /// Returns the glob pattern of all its files, for a catalogue.
    fn glob(&self) -> String {
        glob::Pattern::escape(&self.text.replace("{SEED04}", "\0").replace("{SEED}", "\0")).replace('\0', "*")
    }
}

/// Joins a path to a folder and removes `.` and `..`.
fn normal_path(folder: &Path, path: &str) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
