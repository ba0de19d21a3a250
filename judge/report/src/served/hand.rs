//! A game that a person plays.

use crate::text::film::{GameFilm, Look, Reel, look};
use crate::text::json_text;
use crate::text::json_value::{exact, is_false, schema_of};
use checkers::{Board, Choice, Outlook, Score};
use judge_problem::RunId;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Number;

/// A game that a person plays, after some moves.
#[derive(Debug)]
pub struct HandPage<'a> {
    /// The problem's id.
    pub problem: &'a str,
    /// The case's name.
    pub case: &'a str,
    /// How many moves were played.
    pub moves: usize,
    /// What the whole answer is worth as it stands.
    pub score: &'a Score,
    /// The last move.
    pub film: &'a GameFilm,
    /// What can be played next.
    pub outlook: Outlook,
    /// The best known score of the case, and its solver.
    pub best: Option<(Score, String)>,
    /// The best score of the case by hand.
    pub best_by_hand: Option<Score>,
    /// Whether the result can be recorded.
    pub records: bool,
}

/// A game that a person plays, after some moves: `POST /api/play/{problem}`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "POST /api/play/{problem}")]
struct Document<'a> {
    /// The problem's id.
    problem: &'a str,
    /// The case's name.
    case: &'a str,
    /// How many moves were played.
    moves: usize,
    /// The points so far.
    points: Option<Number>,
    /// What the answer is worth as it stands: moves that the game then plays by itself count too.
    score: Option<Number>,
    /// Every move that can be played next; none when the game is over.
    choices: Vec<ChoiceRecord>,
    /// What the game brings next, row by row.
    ahead: AheadRecord,
    /// The last move, frame by frame; before the first move, the start.
    #[serde(flatten)]
    film: Reel<'a>,
    /// The best known score of the case; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<BestRecord>,
    /// The best score of the case by hand; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_by_hand: Option<Number>,
    /// Whether the result can be recorded: not with `--read-only`.
    records: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "choice")]
struct ChoiceRecord {
    /// The numbers of the move, as the answer's line has them.
    #[serde(rename = "move")]
    played: Vec<i64>,
    /// The cells of the board that stand for it, from 0 at the top left, row by row.
    cells: Vec<usize>,
    /// What it puts where: a cell and its look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    placed: Vec<(usize, Look)>,
    /// The points that it brings.
    gained: Option<Number>,
    /// Whether the game is over after it.
    #[serde(skip_serializing_if = "is_false")]
    ends: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ahead")]
struct AheadRecord {
    /// How many cells a row has.
    width: usize,
    /// The look of each cell.
    cells: Vec<Look>,
    /// The cells that are played now.
    marked: Vec<usize>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "best")]
struct BestRecord {
    /// The score.
    score: Option<Number>,
    /// Whose it is.
    solver: String,
}

/// Returns a game that a person plays as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn hand_json(page: HandPage<'_>) -> serde_json::Result<String> {
    let HandPage { problem, case, moves, score, film, outlook, best, best_by_hand, records } = page;
    json_text::line(&Document {
        problem,
        case,
        moves,
        points: exact(film.points()),
        score: exact(score),
        choices: outlook.choices.into_iter().map(choice_record).collect(),
        ahead: ahead_record(outlook.ahead),
        film: film.reel(),
        best: best.map(|(score, solver)| BestRecord { score: exact(&score), solver }),
        best_by_hand: best_by_hand.and_then(|score| exact(&score)),
        records,
    })
}

/// Returns the JSON schema of [`hand_json`]'s documents.
#[must_use]
pub fn hand_schema() -> Schema {
    schema_of::<Document<'static>>()
}

fn ahead_record(Board { width, cells }: Board) -> AheadRecord {
    let marked = cells.iter().enumerate().filter(|(_, cell)| cell.marked).map(|(place, _)| place).collect();
    AheadRecord { width, marked, cells: cells.into_iter().map(look).collect() }
}

fn choice_record(choice: Choice) -> ChoiceRecord {
    let Choice { played, cells, placed, gained, ends } = choice;
    let placed = placed.into_iter().map(|(place, cell)| (place, look(cell))).collect();
    ChoiceRecord { played, cells, placed, gained: exact(&gained), ends }
}

/// A recorded result of a person.
#[derive(Debug)]
pub struct RecordedHand<'a> {
    /// The run that it is.
    pub run: RunId,
    /// The case's name.
    pub case: &'a str,
    /// The score.
    pub score: &'a Score,
}

/// A recorded result of a person: `POST /api/play/{problem}/run`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "POST /api/play/{problem}/run")]
struct RecordedDocument<'a> {
    /// The run that it is.
    run: i64,
    /// The case's name.
    case: &'a str,
    /// The score.
    score: Option<Number>,
}

/// Returns a recorded result of a person as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn recorded_hand_json(recorded: &RecordedHand<'_>) -> serde_json::Result<String> {
    let RecordedHand { run, case, score } = recorded;
    json_text::line(&RecordedDocument { run: run.0, case, score: exact(score) })
}

/// Returns the JSON schema of [`recorded_hand_json`]'s documents.
#[must_use]
pub fn recorded_hand_schema() -> Schema {
    schema_of::<RecordedDocument<'static>>()
}
