//! Answers of a run, and what shows them: games played again, and the drawings of setters' programs.

use super::refused::Refused;
use super::shown_run::{ShownRun, starts_programs};
use super::store::Store;
use judge_problem::{CheckerChoice, Problem, Ruling, StoredCase, StoredOutcome};
use judge_report::{GameFilm, GamePage, MoveRange};
use judge_session::failure::Failure;
use judge_session::{answers, programs};
use std::path::Path;

/// A solver's result on a case.
pub(super) struct Played {
    case: StoredCase,
    player: String,
    pub(super) result: StoredOutcome,
}

/// Returns the result of the solver of this name on a case; without a name, of the only solver.
pub(super) fn played(shown: &ShownRun, case: &str, solver: Option<&str>) -> Result<Played, Refused> {
    let case = answers::find_case(&shown.run, case).map_err(Refused::missing)?;
    let solver = answers::find_entrant(&shown.run, solver)?;
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
            Refused::missing(answers::no_answer(shown.id(), player, case, result.outcome.verdict))
        })
    }
}

/// What shows an answer.
pub(super) enum Replay {
    /// The page that plays the game.
    Game(String),
    /// What the problem's own program has drawn, and its media type.
    Drawing(Vec<u8>, &'static str),
}

/// Returns whether answers to a problem are shown: those that take a program of the setter only where programs are started.
pub(super) fn is_shown(store: &Store, problem: &Problem) -> bool {
    has_picture(problem) && (!takes_program(problem) || store.starter.is_some())
}

fn has_picture(problem: &Problem) -> bool {
    problem.viewer.is_some() || matches!(problem.checker, CheckerChoice::BuiltIn(_))
}

fn takes_program(problem: &Problem) -> bool {
    problem.viewer.is_some() || starts_programs(problem)
}

/// Returns what shows an answer.
pub(super) fn replay(store: &Store, shown: &ShownRun, played: &Played) -> Result<Replay, Refused> {
    let (problem, Played { case, .. }) = (shown.problem(), played);
    if !has_picture(problem) {
        let error = format!("nothing draws answers to `{}`: its checker is a program", problem.id);
        let hint = "`view-command` in the catalogue names a program that draws them";
        return Err(Failure::usage(error).with_hint(hint).into());
    }
    if !is_shown(store, problem) {
        let error = format!("it takes a program to show answers to `{}`, and none is started from here", problem.id);
        let view = format!("judge view --run {} --case {} --html PATH", shown.id(), case.spec.name);
        return Err(Failure::usage(error).with_hint(format!("judge ui --allow-run, or {view}")).into());
    }
    let answer = played.answer(store, shown)?;
    if !takes_program(problem) {
        let input = answers::shown_input(problem, shown.id(), case)?;
        return Ok(Replay::Game(game(problem, played, &input, &answer)?));
    }
    let mut catalogue = store.catalogue.clone();
    let _programs = programs::compile(&mut catalogue, Some(&problem.id))?;
    let problem = catalogue.find(&problem.id)?;
    let input = answers::shown_input(problem, shown.id(), case)?;
    let Some(viewer) = &problem.viewer else { return Ok(Replay::Game(game(problem, played, &input, &answer)?)) };
    Ok(Replay::Drawing(answers::drawn_page(problem, viewer, &input, &answer)?, media_type(&viewer.page)))
}

/// Returns the media type of a drawing, by the ending of its file.
fn media_type(page: &Path) -> &'static str {
    match page.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("html" | "htm") => "text/html; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// Returns the page that plays a game.
fn game(problem: &Problem, played: &Played, input: &[u8], bytes: &[u8]) -> Result<String, Refused> {
    let Played { case, player, .. } = played;
    let name = case.spec.name.to_string();
    let mut film = GameFilm::new(MoveRange::default());
    let ruling =
        answers::prepare(problem, input, &name, None, None)?.replay(bytes, &mut film).map_err(Failure::from)?;
    let (result, is_rejected) = (ruling.to_string(), matches!(ruling, Ruling::Rejected(_)));
    if film.is_empty() {
        return Err(Failure::usage(format!("there is no move to show: {result}")).into());
    }
    let page = GamePage { title: &problem.title, case: &name, player, result: &result, is_rejected };
    Ok(judge_report::served_game_html(&page, &film).map_err(Failure::fault)?)
}
