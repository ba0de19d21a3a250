//! The entrants: solvers that are to play, and solvers of past runs with their results.

use crate::{Failure, Result, answers, programs, recorder};
use judge_journal::Journal;
use judge_problem::{
    Catalogue, Digest, Exit, ExternalChecker, Game, JobId, Outcome, Problem, RunChoice, Solver, SolverSpec,
    StoredEntrant, StoredRun, closest, first_of, quote, quote_words,
};
use judge_run::command::game_of;
use judge_run::matching::{MatchError, matching};
use judge_run::solver::{self, BuildSettings, Toolbox, check_names, is_submission, name_specs, names_apart};
use judge_sandbox::Sandbox;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The prefix of a past run in place of a solver: `run:12`, or `run:12/NAME`.
pub const RUN: &str = "run:";

/// A solver that takes part.
pub struct Entrant {
    /// Its name, and the command that it was or will be run as.
    pub spec: SolverSpec,
    /// The past run of its results; `None` if it is to be run.
    pub past: Option<PastEntrant>,
}

/// A solver of a past run.
pub struct PastEntrant {
    /// The recorded run.
    pub run: StoredRun,
    /// Its place in that run.
    pub entrant: usize,
}

/// The identity of a case across runs: its input, and the repetition of that input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CaseKey {
    pub(crate) input: Digest,
    pub(crate) attempt: usize,
}

/// Prepares the given solvers to be run, and the submissions that patterns name; without any, the problem's own solver. A
/// submission that cannot be run on any case is a solver that fails.
pub fn solvers(
    problem: &Problem,
    given: &[String],
    patterns: &[String],
    toolbox: &Toolbox,
    sandbox: &Sandbox,
    jobs: usize,
) -> Result<Vec<Solver>> {
    if !patterns.is_empty() {
        let found = find_submissions(patterns, &name_specs(given)?)?;
        let specs = solver::parse_specs(&[given, &found].concat())?;
        solver::check_choices(&specs, toolbox.settings())?;
        check_each(&specs[..given.len()], problem, toolbox.settings())?;
        return programs::prepare_each(&specs, toolbox, sandbox, jobs);
    }
    let prepared = specs(problem, given).and_then(|specs| prepare_all(specs, problem, toolbox, sandbox, jobs));
    let own = problem.default_solver.as_ref().filter(|_| given.is_empty());
    let line = own.and_then(|own| problem.file_lines.get(&problem.folder.join(own)));
    prepared.map_err(|failure| match line.filter(|_| failure.exit() == Exit::Usage) {
        Some(line) => failure.with_hint(format!("change `solver` in {line}, or give one: --solver ./mybot")),
        None => failure,
    })
}

/// Returns the given solvers; without any, the problem's own.
pub(crate) fn specs(problem: &Problem, given: &[String]) -> Result<Vec<SolverSpec>> {
    match (given, &problem.default_solver) {
        ([], Some(own)) => Ok(vec![of_catalogue(own, &problem.folder)?]),
        ([], None) => Err(Failure::usage(format!("the problem `{}` has no solver of its own", problem.id))
            .with_hint("name one: --solver ./mybot")),
        _ => Ok(solver::parse_specs(given)?),
    }
}

/// Prepares all solvers to be run. Fails if some of them cannot run on any case, with an error for each.
pub(crate) fn prepare_all(
    specs: Vec<SolverSpec>,
    problem: &Problem,
    toolbox: &Toolbox,
    sandbox: &Sandbox,
    jobs: usize,
) -> Result<Vec<Solver>> {
    solver::check_choices(&specs, toolbox.settings())?;
    check_each(&specs, problem, toolbox.settings())?;
    programs::prepare_each(&specs, toolbox, sandbox, jobs)
}

/// Returns a solver that a catalogue names: its paths start from the catalogue's folder.
pub fn of_catalogue(text: &str, folder: &Path) -> Result<SolverSpec> {
    let mut specs = solver::parse_specs(&[text.to_owned()])?;
    let spec = specs.remove(0);
    let text = placed(&spec.text, folder);
    Ok(SolverSpec { name: spec.name, text })
}

/// Returns the text of a solver whose paths start from a folder, with paths that start from here.
fn placed(text: &str, folder: &Path) -> String {
    let is_here = std::env::current_dir().and_then(|here| here.canonicalize()).is_ok_and(|here| here == *folder);
    let absolute = |word: &str| Some(folder.join(word)).filter(|path| !is_here && path.exists());
    if let Some(answers) = text.strip_prefix(SolverSpec::ANSWERS) {
        let answers = absolute(answers).unwrap_or_else(|| answers.into());
        return format!("{}{}", SolverSpec::ANSWERS, answers.display());
    }
    if let Some(path) = absolute(text) {
        return path.display().to_string();
    }
    let words = shell_words::split(text).unwrap_or_default();
    if !words.iter().any(|word| absolute(word).is_some()) {
        return text.to_owned();
    }
    let place = |word: &String| absolute(word).map_or_else(|| word.clone(), |path| path.display().to_string());
    quote_words(words.iter().map(place))
}

/// Fails if some of the solvers cannot run on any case, with an error for each.
pub(crate) fn check_each(specs: &[SolverSpec], problem: &Problem, settings: &BuildSettings) -> Result<()> {
    let errors = specs.iter().filter_map(|spec| solver::check_solver(spec, settings).err());
    Failure::check_all(errors.map(Failure::from))?;
    specs.iter().find(|spec| spec.answers().is_some()).map_or(Ok(()), |spec| check_takes_answers(problem, spec))
}

/// Fails if the problem is interactive, because files cannot take part in a conversation.
fn check_takes_answers(problem: &Problem, spec: &SolverSpec) -> Result<()> {
    answers::refuse_interactive(problem)?;
    match problem.checker.program().map_or(1, ExternalChecker::passes) {
        1 => Ok(()),
        passes => {
            let error = format!("`{}` runs a solver up to {passes} times on a case", problem.id);
            Err(Failure::usage(error).with_hint(format!("name a program instead of `{}`", spec.text)))
        }
    }
}

/// Finds the entrants that the command line names.
pub fn find(catalogue: &Catalogue, problem: &Problem, texts: &[String]) -> Result<Vec<Entrant>> {
    let mut journal: Option<Journal> = None;
    let mut entrants: Vec<Entrant> = Vec::new();
    let (mut given, mut unnamed) = (Vec::new(), Vec::new());
    for (text, mut spec) in texts.iter().zip(name_specs(texts)?) {
        given.push(spec.text.clone());
        let Some(named) = spec.text.strip_prefix(RUN) else {
            entrants.push(Entrant { spec, past: None });
            continue;
        };
        let open = match &journal {
            Some(open) => open,
            None => journal.insert(recorder::open_to_read(catalogue)?),
        };
        let past = restore(open, problem, named)?;
        let StoredEntrant { name, command, .. } = past.solver();
        if text.trim().starts_with(RUN) {
            spec.name.clone_from(name);
            unnamed.push(entrants.len());
        }
        spec.text.clone_from(command);
        entrants.push(Entrant { spec, past: Some(past) });
    }
    let names = names_apart(&unnamed.iter().map(|&place| entrants[place].spec.clone()).collect::<Vec<_>>());
    for (place, name) in unnamed.into_iter().zip(names) {
        let run = entrants[place].past.as_ref().map(|past| past.run.id);
        entrants[place].spec.name = run.map_or_else(|| name.clone(), |run| format!("{name}#{run}"));
    }
    // The command of a past entrant would run it again.
    let as_given = |(entrant, text): (&Entrant, String)| SolverSpec { text, ..entrant.spec.clone() };
    check_names(&entrants.iter().zip(given).map(as_given).collect::<Vec<_>>())?;
    check_game(problem, &entrants)?;
    Ok(entrants)
}

/// Reads `12`, `last`, `12/NAME` or `last/NAME`.
fn restore(journal: &Journal, problem: &Problem, named: &str) -> Result<PastEntrant> {
    let (run, name) = named.split_once('/').map_or((named, None), |(run, name)| (run, Some(name)));
    let choice: RunChoice = run.parse().map_err(|expected| {
        Failure::usage(format!("`{RUN}{named}` is not a run: {expected}")).with_hint("`judge history` lists the runs")
    })?;
    let run = journal.stored_run(journal.choose(choice)?)?;
    check_problem(&run, &problem.id)?;
    let entrant = place_of(&run, name)?;
    Ok(PastEntrant { run, entrant })
}

/// Fails if a run is not of this problem.
pub fn check_problem(run: &StoredRun, id: &str) -> Result<()> {
    if run.problem == id {
        return Ok(());
    }
    let error = format!("run {} is of the problem `{}`, not of `{id}`", run.id, run.problem);
    Err(Failure::usage(error).with_hint(format!("`judge history -p {id}` lists its runs")))
}

/// Returns the place of the solver of this name; without a name, of the only solver.
fn place_of(run: &StoredRun, name: Option<&str>) -> Result<usize> {
    let names = || run.entrants.iter().map(|entrant| &*entrant.name);
    let all = || names().map(|name| quote(&format!("{RUN}{}/{name}", run.id))).collect::<Vec<_>>().join(", ");
    let Some(name) = name else {
        if run.entrants.len() == 1 {
            return Ok(0);
        }
        let error = format!("run {} has {} solvers", run.id, run.entrants.len());
        return Err(Failure::usage(error).with_hint(format!("name one: {}", all())));
    };
    names().position(|known| known == name).ok_or_else(|| {
        let hint = match closest(name, names()) {
            Some(meant) => format!("did you mean `{RUN}{}/{meant}`?", run.id),
            None => format!("it has {}", all()),
        };
        Failure::usage(format!("run {} has no solver `{name}`", run.id)).with_hint(hint)
    })
}

/// Returns the place of the solver that `--solver` names; without a name, of the only solver.
pub fn find_entrant(run: &StoredRun, name: Option<&str>) -> Result<usize> {
    place_of(run, name).map_err(|failure| {
        let all = run.entrants.iter().map(|entrant| &*entrant.name).collect::<Vec<_>>().join(", ");
        failure.with_hint(format!("name one with --solver: {all}"))
    })
}

/// Fails unless all scores come from one checker. Scores of different checkers are not comparable.
fn check_game(problem: &Problem, entrants: &[Entrant]) -> Result<()> {
    let now = game_of(problem);
    let pasts = || entrants.iter().filter_map(|entrant| entrant.past.as_ref());
    let new = entrants.iter().any(|entrant| entrant.past.is_none()).then_some(&now.checker);
    let checkers = || pasts().map(|past| &past.run.checker).chain(new);
    // A new run of its solver helps only if the checker of today is another one.
    let Some(PastEntrant { run, .. }) = pasts().find(|past| !past.is_of(&now)) else { return Ok(()) };
    let Some(checker) = checkers().find(|checker| **checker != run.checker) else { return Ok(()) };
    let error = format!(
        "run {} was checked by `{}` version {}, the other entrant by `{}` version {}: scores of different checkers are \
         not comparable",
        run.id, run.checker.name, run.checker.version, checker.name, checker.version
    );
    Err(Failure::usage(error).with_hint(format!("run its solver again: {}", run.provenance.command)))
}

impl PastEntrant {
    /// Returns the solver.
    pub(crate) fn solver(&self) -> &StoredEntrant {
        &self.run.entrants[self.entrant]
    }

    /// Returns whether its scores are comparable with this game's scores.
    pub fn is_of(&self, game: &Game) -> bool {
        self.run.checker == game.checker
    }

    /// Returns the outcome of each finished case, with the place of the case in the run. Cases without a recorded input
    /// are left out.
    pub fn results(&self) -> impl Iterator<Item = (CaseKey, usize, Outcome)> {
        let mut seen: HashMap<Digest, usize> = HashMap::new();
        self.run.cases.inputs().iter().enumerate().filter_map(move |(case, input)| {
            let input = (*input)?;
            let attempt = seen.entry(input).or_default();
            let key = CaseKey { input, attempt: *attempt };
            *attempt += 1;
            Some((key, case, self.run.cases.outcomes().get(JobId { case, solver: self.entrant })?))
        })
    }
}

const EXAMPLE: &str = "name the files or folders of the solvers: --solvers 'submissions/*'";

/// How many names of skipped files are listed.
const NAMED: usize = 10;

/// Returns the submissions by path, each as `--solver` takes it, without solvers that are in `given`. A note lists the files
/// that are not submissions.
///
/// # Errors
/// When a pattern cannot be read, or names no submission.
fn find_submissions(patterns: &[String], given: &[SolverSpec]) -> Result<Vec<String>> {
    let mut seen: HashSet<PathBuf> =
        given.iter().filter_map(|spec| Path::new(&spec.text).canonicalize().ok()).collect();
    let mut skipped = Vec::new();
    let mut texts = Vec::new();
    for pattern in patterns {
        let (found, others): (Vec<PathBuf>, Vec<PathBuf>) =
            matches(pattern)?.into_iter().partition(|path| is_submission(path) && path.to_str().is_some());
        if found.is_empty() {
            return Err(nothing(pattern, &others));
        }
        skipped.extend(others);
        let is_new = |path: &PathBuf| path.canonicalize().map_or(true, |real| seen.insert(real));
        texts.extend(found.into_iter().filter(is_new).map(|path| text(&path)));
    }
    if !skipped.is_empty() {
        judge_report::note(&format!("no submissions, and skipped: {}", names(&skipped)));
    }
    Ok(texts)
}

/// Returns the files and folders that a pattern matches, by path. A folder means its contents.
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let literal = Path::new(pattern);
    let found = if literal.is_dir() { matching(literal, "*") } else { matching(Path::new(""), pattern) };
    found.map_err(|error| match error {
        MatchError::Pattern { .. } => Failure::from(error).with_hint(EXAMPLE),
        MatchError::Unreadable(..) => error.into(),
    })
}

fn nothing(pattern: &str, others: &[PathBuf]) -> Failure {
    let error = match others {
        [] => format!("`{pattern}` matches nothing"),
        others => format!("`{pattern}` matches no submission, only {}", names(others)),
    };
    Failure::usage(error).with_hint(EXAMPLE)
}

fn names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    first_of(paths.iter().map(name), NAMED, paths.len())
}

/// Returns a path as `--solver` takes it. A path without a folder might be read as a name or a command.
fn text(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.contains('/') { text.into_owned() } else { format!("./{text}") }
}
