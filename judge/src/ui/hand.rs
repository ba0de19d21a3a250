//! Games that a person plays. The rules are the checker's: a game is its case and the moves so far, and is played again
//! from its start for every answer.

use super::refused::Refused;
use super::shown_run::starts_programs;
use super::store::Store;
use crate::cases::{Inputs, Selection, select};
use crate::command::game_of;
use crate::model::{CaseSpec, CheckerChoice, Digest, Problem, Ruling, RunId, Seeds, SolverSpec};
use crate::report::{self, GameFilm, HandPage, MoveRange};
use crate::workflow::answer;
use crate::workflow::by_hand::{self, PlayedByHand};
use crate::workflow::failure::Failure;
use checkers::{CheckError, ManualGame, ManualReader, Move, Score};

/// What the name of a case begins with that is made from a seed.
const SEED_PREFIX: &str = "seed-";

/// A case that a person plays.
pub(super) struct Hand<'a> {
    problem: &'a Problem,
    case: CaseSpec,
    input: Vec<u8>,
    game: Box<dyn ManualGame>,
}

/// An accepted answer.
pub(super) struct HandAnswer {
    pub(super) bytes: Vec<u8>,
    pub(super) score: Score,
    /// The last move.
    film: GameFilm,
}

/// Returns what reads the cases of a problem that people can play, without starting a program.
pub(super) fn reader(problem: &Problem) -> Option<ManualReader> {
    match &problem.checker {
        CheckerChoice::BuiltIn(checker) if !starts_programs(problem) => checker.manual_reader(),
        _ => None,
    }
}

impl<'a> Hand<'a> {
    /// Returns the case of this name: one of the problem's own, or `seed-N` or `N` for the case of a seed.
    pub(super) fn open(store: &'a Store, problem: &str, case: &str) -> Result<Self, Refused> {
        let problem = store.catalogue.find(problem)?;
        let reader = reader(problem).ok_or_else(|| {
            let failure = Failure::usage(format!("`{}` cannot be played by hand", problem.id));
            failure.with_hint("columns, square-remover and same-game-free can")
        })?;
        let case = find_case(problem, case.trim())?;
        let input = Inputs::of(problem).load(&case).map_err(Failure::from)?;
        let malformed = |error| Failure::usage(format!("{} is not an input of `{}`: {error}", case.name, problem.id));
        let game = reader(&input).map_err(malformed)?;
        Ok(Self { problem, case, input, game })
    }

    /// Returns the name of the case.
    pub(super) fn case(&self) -> &str {
        &self.case.name.0
    }

    /// Returns the answer that plays these moves, as the checker accepts it.
    pub(super) fn answer(&self, moves: &[Move]) -> Result<HandAnswer, Refused> {
        let bytes = self.game.answer(moves);
        let limit = self.problem.limits.output;
        if bytes.len() as u64 > limit.0 {
            return Err(Failure::usage(answer::too_long(limit).to_string()).into());
        }
        let last = Some(moves.len());
        let mut film = GameFilm::new(MoveRange { from: last, to: last });
        let score = self.game.replay(&bytes, &mut film).map_err(refused)?;
        if film.is_empty() {
            let error = format!("the game is over before move {}", moves.len());
            return Err(Failure::usage(error).with_hint("play fewer moves").into());
        }
        Ok(HandAnswer { bytes, score, film })
    }

    /// Returns the game after these moves, as one JSON document.
    pub(super) fn page(&self, store: &Store, moves: &[Move]) -> Result<String, Refused> {
        let HandAnswer { score, film, .. } = self.answer(moves)?;
        let (game, name, input) = (game_of(self.problem), &self.case.name, Digest::of(&self.input));
        let best = |solver| {
            let best = |journal: &crate::journal::Journal| journal.best_of_case(&game, name, input, solver);
            store.look(|journal| Ok(journal.map(best).transpose()?.flatten()))
        };
        let page = HandPage {
            problem: &self.problem.id,
            case: self.case(),
            moves: moves.len(),
            score: &score,
            film: &film,
            outlook: self.game.outlook(moves).map_err(refused)?,
            best: best(None)?,
            best_by_hand: best(Some(SolverSpec::BY_HAND))?.map(|(score, _)| score),
            records: !store.catalogue.is_read_only(),
        };
        Ok(report::hand_json(page).map_err(Failure::fault)?)
    }

    /// Records the answer that plays these moves. Returns its run and its score.
    pub(super) fn record(self, store: &Store, moves: &[Move]) -> Result<(RunId, Score), Refused> {
        let forbidden =
            |failure: Failure| Refused::forbidden(failure.with_hint("save the answer instead: `judge check` reads it"));
        store.check_writable().map_err(forbidden)?;
        let HandAnswer { bytes, score, .. } = self.answer(moves)?;
        let Self { problem, case, input, .. } = self;
        let played = PlayedByHand { problem, case, input: &input, answer: bytes, score: score.clone() };
        Ok((by_hand::record(&store.catalogue, played)?, score))
    }
}

fn find_case(problem: &Problem, name: &str) -> Result<CaseSpec, Refused> {
    if let Some(place) = problem.cases.place_of(name) {
        return Ok(problem.cases.at(place));
    }
    let seed = name.strip_prefix(SEED_PREFIX).unwrap_or(name).parse::<u64>().ok();
    let seed = seed.filter(|_| problem.generator.is_some());
    let seeds = seed.map(|seed| seed.to_string().parse::<Seeds>()).transpose().map_err(Failure::usage)?;
    let chosen = Selection { seeds, ..Selection::default() };
    let cases = select(problem, &chosen).map_err(Failure::from)?;
    let place = if seed.is_some() { Some(0) } else { cases.place_of(name) };
    place.map(|place| cases.at(place)).ok_or_else(|| {
        let failure = Failure::usage(format!("`{}` has no case `{name}`", problem.id));
        Refused::missing(failure.with_hint("seed-1 is the case of the seed 1"))
    })
}

fn refused(error: CheckError) -> Failure {
    match error {
        CheckError::Rejected(rejection) => Failure::usage(Ruling::from(rejection).to_string()),
        CheckError::Undecided(undecided) => Failure::usage(undecided.to_string()),
    }
}
