//! Answers of a run, and games played again from them.

use super::refused::Refused;
use super::shown_run::{ShownRun, starts_programs};
use super::store::Store;
use crate::model::{CheckerChoice, Problem, Ruling, StoredCase, StoredOutcome};
use crate::report::{self, GameFilm, GamePage, MoveRange};
use crate::workflow::failure::Failure;
use crate::workflow::{answer, stored_case};

/// A solver's result on a case.
pub(super) struct Played {
    case: StoredCase,
    player: String,
    pub(super) result: StoredOutcome,
}

/// Returns the result of the solver of this name on a case; without a name, of the only solver.
pub(super) fn played(shown: &ShownRun, case: &str, solver: Option<&str>) -> Result<Played, Refused> {
    let case = stored_case::find(&shown.run, case).map_err(Refused::missing)?;
    let solver = stored_case::find_entrant(&shown.run, solver)?;
    let player = shown.run.entrants[solver].name.clone();
    let result = case.results[solver].clone().ok_or_else(|| {
        let why = format!("run {} has no result of `{player}` on {}", shown.id(), case.spec.name);
        Refused::missing(Failure::usage(why))
    })?;
    Ok(Played { case, player, result })
}

impl Played {
    /// Returns the stored answer.
    pub(super) fn answer(&self, store: &Store, shown: &ShownRun) -> Result<Vec<u8>, Refused> {
        let stored = store.look(|journal| {
            let stored = self.result.answer.zip(journal).map(|(id, journal)| journal.answer(id));
            Ok(stored.transpose()?.flatten())
        })?;
        stored.ok_or_else(|| {
            let Self { case, player, result } = self;
            Refused::missing(stored_case::no_answer(shown.id(), player, case, result.outcome.verdict))
        })
    }
}

/// Returns whether answers to a problem can be played again without starting a program.
pub(super) fn has_moves(problem: &Problem) -> bool {
    matches!(problem.checker, CheckerChoice::BuiltIn(_)) && problem.viewer.is_none() && !starts_programs(problem)
}

/// Returns the page that plays a game.
pub(super) fn page(store: &Store, shown: &ShownRun, played: &Played) -> Result<String, Refused> {
    let (problem, Played { case, player, .. }) = (shown.problem(), played);
    let name = case.spec.name.to_string();
    if !has_moves(problem) {
        let error = format!("a game of `{}` is drawn by a program, which is not started from here", problem.id);
        let hint = format!("judge view --run {} --case {name} --html PATH", shown.id());
        return Err(Failure::usage(error).with_hint(hint).into());
    }
    let bytes = played.answer(store, shown)?;
    let input = stored_case::shown_input(problem, shown.id(), case)?;
    let mut film = GameFilm::new(MoveRange::default());
    let ruling =
        answer::prepare(problem, &input, &name, None, None)?.replay(&bytes, &mut film).map_err(Failure::from)?;
    let (result, is_rejected) = (ruling.to_string(), matches!(ruling, Ruling::Rejected(_)));
    if film.is_empty() {
        return Err(Failure::usage(format!("there is no move to show: {result}")).into());
    }
    let page = GamePage { title: &problem.title, case: &name, player, result: &result, is_rejected };
    Ok(report::served_game_html(&page, &film).map_err(Failure::fault)?)
}
