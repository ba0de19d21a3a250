//! The past runs of the journal as text and JSON: `judge history`.

use crate::text::{
    Columns, Document, Field, Paint, Style, TextTable, exact, left, limits_text, number_names, or_nothing, painted,
    right, scores_text, whole,
};
use indexmap::IndexMap;
use judge_problem::{
    DetachedJob, Direction, HistoryRow, Labels, Origin, Rule, RunId, RunState, StoredEntrant, StoredRun, one_line,
};
use judge_sandbox::Tier;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::collections::{BTreeMap, BTreeSet};

/// Incremented when a script could misread the new format.
const SCHEMA: u32 = 1;

/// The number of machines of one kind that are named.
const HOSTS: usize = 5;

/// The number of digits of a commit that are shown.
const COMMIT_DIGITS: usize = 10;

/// The user's own texts for a run. Each has a column if any run has it.
const TEXTS: [&str; 3] = ["message", "tags", "note"];

/// Returns the texts of [`TEXTS`]. A note is cut to its first line.
fn texts(row: &HistoryRow) -> [Option<String>; TEXTS.len()] {
    let note = row.labels.note.as_ref().and_then(|note| note.as_ref().lines().next());
    [row.message.clone(), tags(&row.labels), note.map(str::to_owned)]
}

/// Returns past runs as a table, and below it how the totals of each solver went.
pub fn history_text(rows: &[HistoryRow], style: Style) -> String {
    if rows.is_empty() {
        return "no runs".to_owned();
    }
    let is_complete = rows.iter().all(|row| row.state == RunState::Complete);
    let mut columns = Columns::new();
    columns.add(number_names("run"), |row: &&HistoryRow| row.run);
    columns.add(whole("started").spare(3), |row| Field::new(&row.started_here));
    columns.add(left("problem").spare(4), |row| Field::new(&row.problem));
    columns.add(left("solver"), |row| solver(row));
    columns.add(right("cases").spare(5), |row| match row.done == row.planned {
        true => row.done.to_string(),
        false => format!("{}/{}", row.done, row.planned),
    });
    columns.add(right("failed"), |row| match row.done.saturating_sub(row.accepted) {
        0 => Field::new("0"),
        failed => painted(&failed.to_string(), Paint::Bad),
    });
    let total = |row: &HistoryRow| or_nothing(row.total.as_ref().map(|total| figure(row, total)));
    columns.add(right("total"), |row| total(row));
    columns.add(right("change").spare(1), |row| change(row));
    columns.add(left("rule").spare(6), |row| Field::new(&row.rule));
    columns.add(left("state").spare(if is_complete { 8 } else { 2 }), |row| state(row));
    columns.add(left("commit").spare(7), |row| commit(row.git_commit.as_deref(), row.git_dirty));
    let text = |text: Option<&str>| Field::new(text.unwrap_or_default());
    columns.add_if(rows.iter().any(|row| row.group.is_some()), left("on"), |row| text(row.group.as_deref()));
    for (place, title) in TEXTS.into_iter().enumerate() {
        let is_used = rows.iter().any(|row| texts(row)[place].is_some());
        columns.add_if(is_used, left(title), move |row| text(texts(row)[place].as_deref()));
    }
    let table = columns.table(rows).text(style);
    match trends(rows, style) {
        Some(trends) => format!("{table}\n\n{trends}"),
        None => table,
    }
}

/// Returns the name of the solver. A search is named by its best setting.
fn solver(row: &HistoryRow) -> String {
    let settings = row.settings.map(|settings| format!(" (best of {settings})"));
    format!("{}{}", row.solver, settings.unwrap_or_default())
}

fn change(row: &HistoryRow) -> Field {
    let Some(change) = &row.change else { return Field::new("–") };
    if change.is_zero() {
        return Field::new("=");
    }
    let sign = if change.is_positive() { "+" } else { "" };
    let better = change.is_positive() == (direction_of_total(row) == Direction::Max);
    painted(&format!("{sign}{}", figure(row, change)), if better { Paint::Good } else { Paint::Bad })
}

/// Returns which totals are good. Only raw scores can be costs: more points are always better.
pub(crate) fn direction_of_total(row: &HistoryRow) -> Direction {
    if row.rule.parse().is_ok_and(|rule: Rule| rule.counts_raw_scores()) { row.direction } else { Direction::Max }
}

fn state(row: &HistoryRow) -> Field {
    let text = state_text(row.state, row.detached.as_ref());
    match row.state {
        RunState::Complete => Field::new(text),
        RunState::Running | RunState::Detached => painted(&text, Paint::Strong),
        RunState::Killed | RunState::Interrupted | RunState::Stopped | RunState::Partial => {
            painted(&text, Paint::Warning)
        }
    }
}

/// Returns the state of a run, in words.
fn state_text(state: RunState, detached: Option<&DetachedJob>) -> String {
    detached.map_or_else(|| state.to_string(), ToString::to_string)
}

fn commit(commit: Option<&str>, dirty: Option<bool>) -> String {
    let short = commit.map_or("", |commit| &commit[..commit.len().min(COMMIT_DIGITS)]);
    if dirty == Some(true) && !short.is_empty() { format!("{short}+") } else { short.to_owned() }
}

fn tags(labels: &Labels) -> Option<String> {
    let tags: Vec<&str> = labels.tags.iter().map(AsRef::as_ref).collect();
    (!tags.is_empty()).then(|| tags.join(" "))
}

/// Returns the tags and the note of a run, without a final newline.
pub fn labels_text(run: RunId, labels: &Labels) -> String {
    let lines = key_lines(&label_lines(labels));
    if lines.is_empty() { format!("run {run} has neither tags nor a note") } else { format!("run {run}{lines}") }
}

/// Returns a line for each key that has a value, after a newline.
fn key_lines(values: &[(&str, String)]) -> String {
    let shown = values.iter().filter(|(_, text)| !text.is_empty());
    shown.map(|(key, text)| format!("\n{key:<11} {text}")).collect()
}

fn label_lines(labels: &Labels) -> [(&'static str, String); 2] {
    let note = labels.note.as_ref().map_or("", AsRef::as_ref);
    let note = note.lines().map(one_line).collect::<Vec<_>>().join(UNDER_THE_FIRST);
    [("tags", tags(labels).unwrap_or_default()), ("note", note)]
}

/// Separates the values of a key, each on its own line.
const UNDER_THE_FIRST: &str = "\n            ";

/// Returns the description of a run without its results, without a final newline.
pub fn stored_run_text(run: &StoredRun) -> String {
    let done = run.cases.len();
    let solver = |solver: &StoredEntrant| {
        one_line(&format!("{}: {} ({})", solver.name, solver.command, solver.hash)).into_owned()
    };
    let state = format!("{}, {done} of {} cases", state_text(run.state, run.detached.as_ref()), run.case_count);
    let edited = if run.is_disowned { "; a program was edited meanwhile" } else { "" };
    let [tags, note] = label_lines(&run.labels);
    let changed = if run.git_dirty == Some(true) { ", with changes" } else { "" };
    let lines = [
        ("state", state + edited),
        ("started", run.provenance.started.clone()),
        ("message", run.message.as_deref().map_or_else(String::new, |message| one_line(message).into_owned())),
        tags,
        note,
        ("command", one_line(&run.provenance.command).into_owned()),
        ("solvers", run.entrants.iter().map(solver).collect::<Vec<_>>().join(UNDER_THE_FIRST)),
        ("checker", one_line(&run.checker.to_string()).into_owned()),
        ("limits", limits_text(&run.limits)),
        ("environment", one_line(&run.environment).into_owned()),
        ("machine", one_line(&run.provenance.machine.to_string()).into_owned()),
        ("machines", machines(&run.origins).join(UNDER_THE_FIRST)),
        ("commit", run.git_commit.as_ref().map_or_else(String::new, |commit| format!("{commit}{changed}"))),
        ("judge", run.judge.clone()),
    ];
    format!("run {}{}", run.id, key_lines(&lines))
}

/// Returns a line for each kind of machine of the run, if its machines differ in processor or sandbox tier.
fn machines(origins: &[Origin]) -> Vec<String> {
    let mut kinds: BTreeMap<(&str, Tier), (usize, BTreeSet<&str>)> = BTreeMap::new();
    for origin in origins {
        let (runs, hosts) = kinds.entry((&origin.machine.cpu_model, origin.tier)).or_default();
        *runs += 1;
        hosts.insert(&origin.machine.host);
    }
    if kinds.len() < 2 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for ((model, tier), (runs, hosts)) in kinds {
        let named: Vec<&str> = hosts.iter().copied().take(HOSTS).collect();
        let more = if hosts.len() > HOSTS { format!(" and {} more", hosts.len() - HOSTS) } else { String::new() };
        let shards = if runs == 1 { "shard" } else { "shards" };
        let line = format!("{model}, tier {}: {runs} {shards} on {}{more}", tier.name(), named.join(", "));
        lines.push(one_line(&line).into_owned());
    }
    lines.push("times are compared within a model only".to_owned());
    lines
}

/// Past runs: `judge history --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HistoryDocument<'a> {
    /// Incremented when a script could misread the new format.
    schema: u32,
    /// A row for each solver of each run, and for each group of cases if requested; the newest first.
    runs: Vec<Record<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct Record<'a> {
    /// The run's number.
    run: i64,
    /// When it started, in UTC.
    started: &'a str,
    /// Its state.
    #[schemars(extend("enum" = RunState::ALL.map(RunState::name)))]
    state: &'static str,
    /// Where it continues without a judge: `runs on Slurm (job 222)`.
    detached: Option<String>,
    /// The problem's id.
    problem: &'a str,
    /// The solver's name.
    solver: &'a str,
    /// The solver as given: its path or command.
    command: &'a str,
    /// Hash of the solver's content.
    solver_hash: String,
    /// Of a search that is shown as its best setting: how many settings it tried.
    settings: Option<usize>,
    /// The cases that the figures are about: `colors=4`, or `no colors`.
    group: Option<&'a str>,
    /// Cases of the run, or of the group.
    planned: usize,
    /// Cases that the solver finished.
    done: usize,
    /// Cases with an accepted answer.
    accepted: usize,
    /// Finished cases without one.
    failed: usize,
    /// The scoring rule of the total.
    rule: &'a str,
    /// Which scores are good: `max` or `min`.
    direction: &'a str,
    /// Its total; of complete runs only.
    total: Option<Number>,
    /// The difference to the total before, on the same cases by the same rule.
    change: Option<Number>,
    /// The commit that was checked out.
    git_commit: Option<&'a str>,
    /// Whether tracked files differed from it.
    git_dirty: Option<bool>,
    /// The user's message.
    message: Option<&'a str>,
    #[serde(flatten)]
    labels: &'a Labels,
}

impl Document for [HistoryRow] {
    fn record(&self) -> impl Serialize {
        HistoryDocument { schema: SCHEMA, runs: self.iter().map(record).collect() }
    }
}

/// A page of past runs: `GET /api/runs`.
#[derive(Serialize, JsonSchema)]
pub struct HistoryPage<'a> {
    /// Incremented when a script could misread the new format.
    schema: u32,
    /// How many rows there are on all pages.
    total: usize,
    /// How many of them are before this page.
    offset: usize,
    /// A row for each solver of each run, the newest first.
    runs: Vec<Record<'a>>,
}

impl<'a> HistoryPage<'a> {
    /// Makes the page of these rows. `offset` rows are before it, and all pages have `total` rows.
    pub fn of(rows: &'a [HistoryRow], offset: usize, total: usize) -> Self {
        Self { schema: SCHEMA, total, offset, runs: rows.iter().map(record).collect() }
    }
}

fn record(row: &HistoryRow) -> Record<'_> {
    let figure = |value: &Option<BigRational>| value.as_ref().and_then(|value| exact(&figure(row, value)));
    Record {
        run: row.run.0,
        started: &row.started,
        state: row.state.name(),
        detached: row.detached.as_ref().map(ToString::to_string),
        problem: &row.problem,
        solver: &row.solver,
        command: &row.command,
        solver_hash: row.solver_hash.to_string(),
        settings: row.settings,
        group: row.group.as_deref(),
        planned: row.planned,
        done: row.done,
        accepted: row.accepted,
        failed: row.done.saturating_sub(row.accepted),
        rule: &row.rule,
        direction: row.direction.name(),
        total: figure(&row.total),
        change: figure(&row.change),
        git_commit: row.git_commit.as_deref(),
        git_dirty: row.git_dirty,
        message: row.message.as_deref(),
        labels: &row.labels,
    }
}

/// The smallest number of totals that gets a sparkline.
const MIN_TOTALS: usize = 3;

/// The number of totals that are drawn, the newest ones.
const MAX_TOTALS: usize = 40;

/// From the lowest to the highest.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns a table with a sparkline for each solver that has several totals on the same cases by the same rule; `None` if
/// there is no such solver. The rows are the newest first.
fn trends(rows: &[HistoryRow], style: Style) -> Option<String> {
    let columns = [
        left("solver"),
        left("problem"),
        right("runs"),
        right("first"),
        right("last"),
        left("totals, oldest to newest"),
    ];
    let mut table = TextTable::of(columns);
    for alike in comparable(rows) {
        let mut totals: Vec<_> = alike.iter().filter_map(|row| row.total.as_ref()).take(MAX_TOTALS).collect();
        if totals.len() < MIN_TOTALS {
            continue;
        }
        totals.reverse();
        let newest = alike[0];
        let group = newest.group.as_deref().map_or_else(String::new, |group| format!(" ({group})"));
        table.add_row([
            format!("{}{group}", newest.solver),
            newest.problem.clone(),
            totals.len().to_string(),
            figure(newest, totals[0]),
            figure(newest, totals[totals.len() - 1]),
            sparkline(&totals),
        ]);
    }
    (!table.is_empty()).then(|| table.text(style))
}

/// Returns the rows whose totals can be compared: of one solver, on the same cases, by the same rule.
fn comparable(rows: &[HistoryRow]) -> impl Iterator<Item = Vec<&HistoryRow>> {
    let mut groups: IndexMap<_, Vec<&HistoryRow>> = IndexMap::new();
    for row in rows.iter().filter(|row| row.total.is_some()) {
        let key = (&row.problem, &row.solver, &row.rule, &row.group, row.case_set);
        groups.entry(key).or_default().push(row);
    }
    groups.into_values()
}

/// Returns a sparkline: a character for each value.
fn sparkline(values: &[&BigRational]) -> String {
    let (Some(least), Some(greatest)) = (values.iter().min(), values.iter().max()) else { return String::new() };
    let range = *greatest - *least;
    let level = |value: &BigRational| {
        if range.is_zero() {
            return LEVELS[LEVELS.len() / 2];
        }
        let share = (value - *least) / &range;
        let place = (share * BigRational::from_integer(LEVELS.len().into())).to_integer().to_usize();
        LEVELS[place.unwrap_or(0).min(LEVELS.len() - 1)]
    };
    values.iter().map(|value| level(value)).collect()
}

/// Writes a total, or the difference of two, with the same decimals as the report of the run.
pub(super) fn figure(row: &HistoryRow, value: &BigRational) -> String {
    scores_text(value, row.decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_low_and_the_greatest_high() {
        let values = [0, 7, 1, 4, 3].map(|value: i64| BigRational::from_integer(value.into()));
        assert_eq!(sparkline(&values.iter().collect::<Vec<_>>()), "▁█▂▅▄");
        let equal = vec![&values[1]; 3];
        assert_eq!(sparkline(&equal), "▅▅▅");
        let huge: Vec<_> =
            (0..3).map(|n| BigRational::from_integer(num_bigint::BigInt::from(10).pow(400) * n)).collect();
        assert_eq!(sparkline(&huge.iter().collect::<Vec<_>>()), "▁▅█");
    }
}
