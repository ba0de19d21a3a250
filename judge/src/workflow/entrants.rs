//! Who takes part: solvers that are to play, and solvers of past runs with the results that they had.

use super::failure::Failure;
use super::recorder;
use crate::journal::{Game, Journal, RunChoice, StoredEntrant, StoredRun};
use crate::manifest::{Catalogue, closest};
use crate::model::{Digest, Outcome, Problem, Solver, SolverSpec};
use crate::solver::{self, Toolbox, check_names, parse_spec};
use std::collections::HashMap;

/// How the command line names a past run in the place of a solver: `run:12`, or `run:12/NAME`.
pub(crate) const RUN: &str = "run:";

/// A side of a comparison.
pub(crate) struct Side {
    /// Its name, and what it was or will be run as.
    pub(crate) spec: SolverSpec,
    /// The past run that its results are of; `None` where it is to play.
    pub(crate) past: Option<Past>,
}

/// A solver of a past run.
pub(crate) struct Past {
    pub(crate) run: StoredRun,
    /// Its place in that run.
    pub(crate) entrant: usize,
}

/// What two results must agree in to be of the same case: the input, and which repetition of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SameCase {
    pub(crate) input: Digest,
    pub(crate) attempt: usize,
}

/// Makes the folder that solvers are compiled in.
pub(crate) fn toolbox() -> Result<Toolbox, Failure> {
    Toolbox::new().map_err(|error| {
        let folder = std::env::temp_dir();
        Failure::fault(format!("cannot make a folder in {}: {error}", folder.display()))
            .with_hint("free some space there, or point TMPDIR at a folder that is writable")
    })
}

/// Finds out how the given solvers are run, or the problem's own.
pub(crate) fn solvers(problem: &Problem, given: &[String], toolbox: &mut Toolbox) -> Result<Vec<Solver>, Failure> {
    let texts = if given.is_empty() { problem.default_solver.as_slice() } else { given };
    if texts.is_empty() {
        return Err(Failure::usage(format!("the problem `{}` has no solver of its own", problem.id))
            .with_hint("name one: --solver ./mybot"));
    }
    let specs = solver::parse_specs(texts)?;
    Ok(specs.into_iter().map(|spec| solver::prepare(spec, toolbox)).collect())
}

/// Finds the sides that the command line names.
pub(crate) fn find(catalogue: &Catalogue, problem: &Problem, texts: &[String]) -> Result<Vec<Side>, Failure> {
    let mut journal: Option<Journal> = None;
    let mut sides = Vec::new();
    for text in texts {
        let mut spec = parse_spec(text)?;
        let Some(named) = spec.text.strip_prefix(RUN) else {
            sides.push(Side { spec, past: None });
            continue;
        };
        let open = match journal.take() {
            Some(open) => open,
            None => recorder::look(catalogue)?,
        };
        let past = recall(&open, problem, named)?;
        journal = Some(open);
        let StoredEntrant { name, command, .. } = past.solver();
        if text.trim().starts_with(RUN) {
            spec.name = format!("{name}#{}", past.run.id);
        }
        spec.text.clone_from(command);
        sides.push(Side { spec, past: Some(past) });
    }
    check_names(&sides.iter().map(|side| side.spec.clone()).collect::<Vec<_>>())?;
    check_game(problem, &sides)?;
    Ok(sides)
}

/// Reads `12`, `last`, `12/NAME` or `last/NAME`.
fn recall(journal: &Journal, problem: &Problem, named: &str) -> Result<Past, Failure> {
    let (run, name) = named.split_once('/').map_or((named, None), |(run, name)| (run, Some(name)));
    let choice: RunChoice = run.parse().map_err(|expected| {
        Failure::usage(format!("`{RUN}{named}` names no run: {expected}")).with_hint("`judge history` lists the runs")
    })?;
    let run = journal.stored_run(journal.choose(choice)?)?;
    if run.problem != problem.id {
        let error = format!("run {} is of the problem `{}`, not of `{}`", run.id, run.problem, problem.id);
        return Err(Failure::usage(error).with_hint(format!("`judge history -p {}` lists its runs", problem.id)));
    }
    let entrant = entrant(&run, name)?;
    Ok(Past { run, entrant })
}

fn entrant(run: &StoredRun, name: Option<&str>) -> Result<usize, Failure> {
    let names = || run.entrants.iter().map(|entrant| &*entrant.name);
    let all = || names().map(|name| format!("{RUN}{}/{name}", run.id)).collect::<Vec<_>>().join(", ");
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

/// Scores of different checkers are scores of different games.
fn check_game(problem: &Problem, sides: &[Side]) -> Result<(), Failure> {
    let mut pasts = sides.iter().filter_map(|side| side.past.as_ref());
    let mut game = Game::of(problem);
    if let (true, Some(Past { run, .. })) = (sides.iter().all(|side| side.past.is_some()), pasts.clone().next()) {
        game = Game { checker: run.checker.clone(), checker_version: run.checker_version, ..game };
    }
    let Some(other) = pasts.find(|past| !past.is_of(&game)) else { return Ok(()) };
    let (run, Game { checker, checker_version, .. }) = (&other.run, game);
    let error = format!(
        "run {} was checked by `{}` version {}, the other side by `{checker}` version {checker_version}: scores of \
         different checkers are not comparable",
        run.id, run.checker, run.checker_version
    );
    Err(Failure::usage(error).with_hint(format!("run its solver again: {}", run.command)))
}

impl Past {
    /// Returns the solver.
    pub(crate) fn solver(&self) -> &StoredEntrant {
        &self.run.entrants[self.entrant]
    }

    /// Returns whether its scores are scores of this game.
    pub(crate) fn is_of(&self, game: &Game) -> bool {
        self.run.checker == game.checker && self.run.checker_version == game.checker_version
    }

    /// Returns what it finished, by case, with the case's place in the run. A case whose input could not be had is no
    /// case of the solver's.
    pub(crate) fn results(&self) -> Vec<(SameCase, usize, &Outcome)> {
        let mut seen: HashMap<Digest, usize> = HashMap::new();
        let mut results = Vec::new();
        for (place, case) in self.run.cases.iter().enumerate() {
            let Some(input) = case.input else { continue };
            let attempt = seen.entry(input).or_default();
            let key = SameCase { input, attempt: *attempt };
            *attempt += 1;
            if let Some(stored) = &case.results[self.entrant] {
                results.push((key, place, &stored.outcome));
            }
        }
        results
    }
}
