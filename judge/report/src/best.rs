//! The best score on each case: the table, and the JSON file that teams exchange.

use crate::text::{Columns, Document, Each, Field, Style, exact, left, number_names, right};
use judge_problem::{BestScore, BestScores, CaseName, Game, InvalidText, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// Incremented when a judge could misread a newer file.
const SCHEMA: u32 = 1;

/// The best scores on the cases of a problem: `judge best --json`, and `--export`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "an object as `judge best --export` writes it")]
pub(crate) struct BestDocument<B> {
    /// Incremented when a judge could misread a newer file.
    schema: u32,
    /// The problem's id.
    problem: String,
    /// The game of the scores.
    checker: Checker,
    /// Which scores are good: `max` or `min`.
    direction: String,
    /// A record for each case, in the natural order of their names.
    best: B,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(expecting = "an object with the name and the version of the checker")]
struct Checker {
    /// The built-in checker's name, or the command with the hash of its files.
    name: String,
    /// Its version; 0 for a command.
    version: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "an object with the best score of a case")]
pub(crate) struct Record {
    /// The case's name.
    case: String,
    /// Hash of its input.
    input_hash: String,
    /// The score, exactly.
    score: Number,
    /// The solver's name.
    solver: String,
    /// Hash of the solver's content.
    solver_hash: String,
    /// The machine that it was reached on.
    host: String,
    /// The run, in the journal of that machine.
    run: i64,
    /// When that run started, in UTC.
    date: String,
}

/// Returns the best scores as a table, with the number of omitted rows.
pub fn best_text(best: &BestScores, style: Style) -> String {
    if best.scores.is_empty() {
        return "no scores yet".to_owned();
    }
    let mut columns = Columns::new();
    columns.add(left("case"), |best: &&BestScore| Field::new(&best.case));
    columns.add(right("score"), |best| Field::new(&best.score));
    columns.add(left("solver"), |best| Field::new(&best.solver));
    columns.add(left("hash").spare(4), |best| best.solver_hash.short());
    columns.add(number_names("run").spare(1), |best| best.run);
    let imported = |best: &BestScore| if best.imported { " (imported)" } else { "" };
    columns.add(left("host").spare(3), |best| format!("{}{}", best.host, imported(best)));
    let date = |best: &BestScore| best.date.get(..16).unwrap_or(&best.date).replace('T', " ");
    columns.add(left("date (UTC)").spare(2), |best| date(best));
    let table = columns.table(&best.scores).text(style);
    let left_out = best.cases - best.scores.len();
    if left_out == 0 {
        return table;
    }
    format!("{table}\n{left_out} more cases are not shown: add --all, or --json PATH for a file of them")
}

/// The best scores of a game.
#[derive(Debug)]
pub struct BestReport<'a> {
    /// The game.
    pub game: &'a Game,
    /// The best score of each case.
    pub scores: &'a [BestScore],
}

impl Document for BestReport<'_> {
    fn record(&self) -> impl Serialize {
        let &Self { game, scores } = self;
        BestDocument {
            schema: SCHEMA,
            problem: game.problem.clone(),
            checker: Checker { name: game.checker.name.clone(), version: game.checker.version },
            direction: game.direction.name().to_owned(),
            best: Each(|| scores.iter().filter_map(record)),
        }
    }
}

fn record(best: &BestScore) -> Option<Record> {
    Some(Record {
        case: best.case.to_string(),
        input_hash: best.input.to_string(),
        score: exact(&best.score)?,
        solver: best.solver.to_string(),
        solver_hash: best.solver_hash.to_string(),
        host: best.host.to_string(),
        run: best.run.0,
        date: best.date.to_string(),
    })
}

/// Reads a document of [`BestReport`].
///
/// # Errors
/// When it is another document, or of another game.
pub fn read_best_json(game: &Game, text: &[u8]) -> Result<Vec<BestScore>, InvalidText> {
    let not_best = |error| InvalidText(format!("not a file of best scores: {error}"));
    let document: BestDocument<Vec<Record>> = serde_json::from_slice(text).map_err(not_best)?;
    if document.schema != SCHEMA {
        let error = format!("unsupported schema version {} (newest supported: {SCHEMA})", document.schema);
        return Err(InvalidText(error));
    }
    let described = |problem: &str, checker: &str, version: u32, direction: &str| {
        format!("the problem `{problem}`, judged by `{checker}` {version}, to be {direction}")
    };
    let found = described(&document.problem, &document.checker.name, document.checker.version, &document.direction);
    let wanted = described(&game.problem, &game.checker.name, game.checker.version, game.direction.name());
    if found != wanted {
        return Err(InvalidText(format!("its scores are of {found}, not of {wanted}: they cannot be compared")));
    }
    document.best.into_iter().map(read_record).collect()
}

/// The maximal length of a text of an imported score. A journal refuses texts that are much longer.
const MAX_TEXT: usize = 1 << 16;

fn read_record(record: Record) -> Result<BestScore, InvalidText> {
    let Record { case, solver, host, date, .. } = &record;
    let texts = [("case", case), ("solver", solver), ("host", host), ("date", date)];
    if let Some((what, text)) = texts.into_iter().find(|(_, text)| text.len() > MAX_TEXT) {
        return Err(InvalidText(format!("a `{what}` of {} bytes: expected at most {MAX_TEXT}", text.len())));
    }
    if case.is_empty() {
        return Err(InvalidText("a `case` is empty: expected the name of a case".to_owned()));
    }
    let bad = |what| InvalidText(format!("the case `{}` has a bad {what}", record.case));
    Ok(BestScore {
        case: CaseName::from(&*record.case),
        input: record.input_hash.parse().map_err(|_| bad("input_hash"))?,
        score: record.score.to_string().parse().map_err(|_| bad("score"))?,
        solver_hash: record.solver_hash.parse().map_err(|_| bad("solver_hash"))?,
        solver: record.solver.into(),
        host: record.host.into(),
        run: RunId(record.run),
        date: record.date.into(),
        imported: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_needs_a_name_and_no_text_is_huge() {
        let read = |case: &str, solver: &str| {
            let hash = "0".repeat(64);
            read_record(Record {
                case: case.to_owned(),
                input_hash: hash.clone(),
                score: 1.into(),
                solver: solver.to_owned(),
                solver_hash: hash,
                host: String::new(),
                run: 1,
                date: String::new(),
            })
        };
        assert!(read("seed-1", "bot").is_ok());
        assert!(read("", "bot").is_err());
        assert!(read("seed-1", &"x".repeat(MAX_TEXT + 1)).is_err());
    }
}
