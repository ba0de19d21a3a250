//! The documents that only `judge ui` serves.

use crate::text::{LimitsRecord, Look, ReplayRecord, exact, in_milliseconds, look, share_of_best};
use checkers::{Board, Choice, Score};
use judge_problem::{
    CaseResult, Direction, FinishedCase, Labels, Problem, RunProgress, RunState, SolverProgress, Verdict,
};
use pulldown_cmark::html::push_html;
use pulldown_cmark::{Event, Options, Parser};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::collections::BTreeMap;
use std::time::Duration;

/// The problems of the catalogue: `GET /api/problems`.
#[derive(Serialize, JsonSchema)]
pub struct ProblemList<'a> {
    /// A record for each, in the order of the catalogue.
    pub problems: Vec<ProblemRecord<'a>>,
}

/// A problem of the catalogue.
#[derive(Serialize, JsonSchema)]
pub struct ProblemRecord<'a> {
    /// Its id.
    problem: &'a str,
    /// Its title.
    title: &'a str,
    /// The scoring rule.
    rule: String,
    /// Which scores are good.
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    direction: &'static str,
    /// The limits of a solver.
    limits: LimitsRecord,
    /// The number of its own cases, without those from file patterns.
    cases: usize,
    /// Its cases as `judge list` shows them: their number, and the patterns of files.
    listed: String,
    /// Whether people can play it.
    by_hand: bool,
}

/// The facts about a problem: `GET /api/problems/{problem}`.
#[derive(Serialize, JsonSchema)]
pub struct ProblemPage<'a> {
    /// What the list of problems has, too.
    #[serde(flatten)]
    pub problem: ProblemRecord<'a>,
    /// The facts that `judge show` prints.
    pub facts: Vec<FactRecord<'a>>,
    /// The rules of its game, its input, output and scoring; absent if its checker is a command.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub rules: &'a str,
    /// The same as HTML without scripts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rules_html: String,
    /// Its bundled solvers, the best first.
    pub solvers: Vec<SolverRecord<'a>>,
    /// The names of its first cases, if people can play it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Whether `POST /api/started` may run a solver on a seed whose game is then shown.
    pub fresh_replays: bool,
}

/// A fact about a problem.
#[derive(Serialize, JsonSchema)]
pub struct FactRecord<'a> {
    /// The name of the fact.
    pub name: &'a str,
    /// The fact.
    pub text: &'a str,
}

/// A bundled solver.
#[derive(Serialize, JsonSchema)]
pub struct SolverRecord<'a> {
    /// As `--solver` takes it.
    pub solver: String,
    /// What it does.
    pub summary: &'a str,
}

/// Returns the HTML of a Markdown text. HTML in it is text.
pub fn html_of(markdown: &str) -> String {
    let only_text = |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    };
    let mut html = String::new();
    push_html(&mut html, Parser::new_ext(markdown, Options::ENABLE_TABLES).map(only_text));
    html
}

impl<'a> ProblemRecord<'a> {
    /// Describes a problem, with whether people can play it.
    pub fn of(problem: &'a Problem, by_hand: bool) -> Self {
        Self {
            problem: &problem.id,
            title: &problem.title,
            rule: problem.scoring.to_string(),
            direction: problem.direction.name(),
            limits: (&problem.limits).into(),
            cases: problem.cases.len(),
            listed: problem.listed_cases(),
            by_hand,
        }
    }
}

/// What a server lets its pages do: `GET /api/server`.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ServerRecord<'a> {
    /// The judge's version.
    pub judge: &'static str,
    /// Whether tags and notes can be changed: not with `--read-only`.
    pub edits: bool,
    /// Whether runs can be started, stopped and resumed: with `--allow-run`.
    pub runs: bool,
    /// The flags that give another command its catalogue and its journal.
    pub flags: &'a str,
}

/// The tags and the note of a run: the answer to `POST /api/runs/{run}/labels`.
#[derive(Serialize, JsonSchema)]
pub struct RunLabels<'a> {
    /// The run's number.
    pub run: i64,
    /// The tags and the note.
    #[serde(flatten)]
    pub labels: &'a Labels,
}

/// The number of results of a run in one event.
const NEWEST: usize = 20;

/// How far a run is: the data of an event `progress` of `GET /api/events`.
#[derive(Serialize, JsonSchema)]
pub struct UnfinishedRun<'a> {
    /// The run's number.
    run: i64,
    /// Its state.
    #[schemars(extend("enum" = RunState::ALL.map(RunState::name)))]
    state: &'static str,
    /// How many cases it has.
    planned: usize,
    /// The time since it started.
    elapsed_ms: f64,
    /// The remaining time at the current rate; absent before the first result and after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_ms: Option<f64>,
    /// Its solvers, in the order of the command line.
    solvers: &'a [SolverProgress],
    /// The newest results since the last event.
    finished: Vec<NewCaseRecord<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct NewCaseRecord<'a> {
    /// The case's name.
    case: &'a str,
    /// The solver's name.
    solver: &'a str,
    /// The verdict's short code.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::code)))]
    code: &'static str,
    /// The raw score, exactly; of accepted answers only.
    score: Option<Number>,
    /// CPU time of all its processes.
    cpu_ms: Option<f64>,
}

impl<'a> From<&'a RunProgress> for UnfinishedRun<'a> {
    fn from(RunProgress { run, state, planned, elapsed, solvers, finished }: &'a RunProgress) -> Self {
        let new = |FinishedCase { case, solver, outcome }: &'a FinishedCase| NewCaseRecord {
            case,
            solver: &solvers[*solver].name,
            code: outcome.verdict.code(),
            score: outcome.score.as_ref().and_then(exact),
            cpu_ms: outcome.cpu.map(in_milliseconds),
        };
        let remaining = remaining(*planned, *elapsed, solvers).filter(|_| *state == RunState::Running);
        Self {
            run: run.0,
            state: state.name(),
            planned: *planned,
            elapsed_ms: in_milliseconds(*elapsed),
            remaining_ms: remaining.map(in_milliseconds),
            solvers,
            finished: finished[finished.len().saturating_sub(NEWEST)..].iter().map(new).collect(),
        }
    }
}

/// Returns the remaining time of a run, if its speed stays the same.
fn remaining(planned: usize, elapsed: Duration, solvers: &[SolverProgress]) -> Option<Duration> {
    let done: usize = solvers.iter().map(|solver| solver.done).sum();
    let left = (planned * solvers.len()).checked_sub(done)?;
    (done > 0).then(|| elapsed.mul_f64(left as f64 / done as f64))
}

/// The results of a case in all runs: `GET /api/problems/{problem}/cases/{case}`.
#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub struct CaseHistory<'a> {
    /// The problem's id.
    pub problem: &'a str,
    /// The case's name.
    pub case: &'a str,
    /// Which scores are good.
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    pub direction: &'static str,
    /// Its features, if known.
    pub features: Option<BTreeMap<&'a str, Number>>,
    /// Whether its input can be downloaded.
    pub input: bool,
    /// Whether answers can be played move by move, at `/replay/{run}/{case}`.
    pub replays: bool,
    /// How many results there are on another input of the same name: they are not listed.
    pub others: usize,
    /// The place of the best result; absent if none has a score.
    pub best: Option<usize>,
    /// The results, the newest first.
    pub results: Vec<CaseResultRecord<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub struct CaseResultRecord<'a> {
    /// The run's number.
    run: i64,
    /// When it started, in UTC.
    started: &'a str,
    /// The user's message.
    message: Option<&'a str>,
    /// The solver's name.
    solver: &'a str,
    /// The verdict.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::name)))]
    verdict: &'static str,
    /// The verdict's short code.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::code)))]
    code: &'static str,
    /// The raw score, exactly.
    score: Option<Number>,
    /// The share of the best of these scores, from 0 to 1.
    relative: Option<f64>,
    /// CPU time of all its processes.
    cpu_ms: Option<f64>,
    /// Peak memory.
    memory_bytes: Option<u64>,
    /// Why it was not accepted.
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    /// Whether the answer is stored.
    answer: bool,
}

/// Returns the place of the best result, and the records of all results.
pub fn case_results<'a>(rows: &'a [CaseResult], direction: Direction) -> (Option<usize>, Vec<CaseResultRecord<'a>>) {
    let scored = rows.iter().enumerate().filter_map(|(place, row)| Some((place, row.outcome.score.as_ref()?)));
    // Of equal scores the oldest is the best: it was first.
    let best = scored.reduce(|best, older| if direction.compare(best.1, older.1).is_gt() { best } else { older });
    let (place, score) = best.unzip();
    (place, rows.iter().map(|row| case_result(row, direction, score)).collect())
}

fn case_result<'a>(row: &'a CaseResult, direction: Direction, best: Option<&Score>) -> CaseResultRecord<'a> {
    let outcome = &row.outcome;
    let score = outcome.score.as_ref();
    CaseResultRecord {
        run: row.run.0,
        started: &row.started,
        message: row.message.as_deref(),
        solver: &row.solver,
        verdict: outcome.verdict.name(),
        code: outcome.verdict.code(),
        score: score.and_then(exact),
        relative: score.zip(best).and_then(|(score, best)| share_of_best(direction, score, best)),
        cpu_ms: outcome.cpu.map(in_milliseconds),
        memory_bytes: outcome.memory,
        note: &outcome.note,
        answer: row.has_answer,
    }
}

/// The runs that pages have started: `/api/started`.
#[derive(Serialize, JsonSchema)]
pub struct StartedRuns<'a> {
    /// The newest first.
    pub started: &'a [StartedRecord],
}

/// A run that a page has started.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub struct StartedRecord {
    /// Its number among the runs that this server has started.
    pub number: usize,
    /// Its command line.
    pub command: String,
    /// Its number in the journal, once it is recorded.
    pub run: Option<i64>,
    /// Whether it is still running.
    pub running: bool,
    /// Its exit code, as of `judge run`; absent while it runs, and if a signal ended it.
    pub exit_code: Option<i32>,
    /// The end of its output.
    pub output: String,
}

/// A game that a person plays, after some moves: `POST /api/play/{problem}`.
#[derive(Serialize, JsonSchema)]
pub struct ManualGamePage<'a> {
    /// The problem's id.
    pub problem: &'a str,
    /// The case's name.
    pub case: &'a str,
    /// How many moves were played.
    pub moves: usize,
    /// The points so far.
    pub points: Option<Number>,
    /// The score of the answer so far, including moves that the game then plays automatically.
    pub score: Option<Number>,
    /// Every move that can be played next; none when the game is over.
    pub choices: Vec<ChoiceRecord<'a>>,
    /// The upcoming pieces of the game, row by row.
    pub ahead: AheadRecord,
    /// The last move, frame by frame; before the first move, the start.
    #[serde(flatten)]
    pub replay: ReplayRecord<'a>,
    /// The best known score of the case; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestRecord<'a>>,
    /// The best score of the case by hand; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_by_hand: Option<Number>,
    /// Whether the result can be recorded: not with `--read-only`.
    pub records: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct ChoiceRecord<'a> {
    /// The numbers of the move, as the answer's line has them.
    #[serde(rename = "move")]
    played: &'a [i64],
    /// The cells of the board that select it, from 0 at the top left, row by row.
    cells: &'a [usize],
    /// The cells that it fills: a cell and its look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    placed: Vec<(usize, Look)>,
    /// The points that it brings.
    gained: Option<Number>,
    /// Whether the game is over after it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ends: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct AheadRecord {
    /// How many cells a row has.
    width: usize,
    /// The look of each cell.
    cells: Vec<Look>,
    /// The cells that are played now.
    marked: Vec<usize>,
}

/// The best known score of a case.
#[derive(Serialize, JsonSchema)]
pub struct BestRecord<'a> {
    /// The score.
    pub score: Option<Number>,
    /// Whose it is.
    pub solver: &'a str,
}

impl From<&Board> for AheadRecord {
    fn from(Board { width, cells }: &Board) -> Self {
        let marked = cells.iter().enumerate().filter(|(_, cell)| cell.marked).map(|(place, _)| place).collect();
        Self { width: *width, marked, cells: cells.iter().cloned().map(look).collect() }
    }
}

impl<'a> From<&'a Choice> for ChoiceRecord<'a> {
    fn from(Choice { played, cells, placed, gained, ends }: &'a Choice) -> Self {
        let placed = placed.iter().map(|(place, cell)| (*place, look(cell.clone()))).collect();
        Self { played, cells, placed, gained: exact(gained), ends: *ends }
    }
}

/// A recorded result of a person: `POST /api/play/{problem}/run`.
#[derive(Serialize, JsonSchema)]
pub struct RecordedManualGame<'a> {
    /// The number of its run.
    pub run: i64,
    /// The case's name.
    pub case: &'a str,
    /// The score.
    pub score: Option<Number>,
}

/// Why there is no result: the body of every response of the API with the status 400, 403, 404 or 500.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiError<'a> {
    /// What is wrong.
    pub error: &'a str,
    /// How to fix it.
    pub hints: &'a [&'a str],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_set_as_text() {
        for checker in checkers::all() {
            let html = html_of(checker.rules);
            assert!(html.contains("<h1>") && html.contains("<p>") && html.contains("<h3>"), "{html}");
            assert!(!html.contains("<script") && !html.contains("<p>#"), "{}", checker.id);
        }
        assert_eq!(
            html_of("a <b onclick=x>c</b>\n\n<script>x</script>\n"),
            "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n&lt;script&gt;x&lt;/script&gt;\n"
        );
    }
}
