//! The report of a run for people: the table of cases, the totals, and the failures with how to reproduce them.

use super::cases::{CaseRow, rows};
use super::figures::{memory, milliseconds};
use super::run::verdict_of;
use super::style::paint_of;
use super::table::{Align, grid, painted};
use super::{Counts, Paint, RunReport, Style};
use crate::model::{Outcome, Rule, Solver, Stop, Verdict};
use comfy_table::{Cell, Row};

/// So many failures are explained below the table.
const FAILURES_EXPLAINED: usize = 10;

/// So much of a note stands in the table; the whole of it is below.
const NOTE_WIDTH: usize = 60;

/// Returns the report of a run, for a terminal or a file. `all`: every case has a row, however many there are.
#[must_use]
pub fn run_text(report: &RunReport<'_>, all: bool, style: Style) -> String {
    let mut parts = vec![
        case_table(report, all, style),
        solver_table(report, style),
        failures(report, style),
        closing(report, style),
    ];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn has_points(report: &RunReport<'_>) -> bool {
    !matches!(report.rule, Rule::Sum | Rule::Mean | Rule::Exact)
}

fn case_table(report: &RunReport<'_>, all: bool, style: Style) -> String {
    let rows = rows(report, all);
    let several = report.plan.solvers.len() > 1;
    let mut columns = vec![("case", Align::Left)];
    columns.extend(several.then_some(("solver", Align::Left)));
    columns.extend([("verdict", Align::Left), ("score", Align::Right)]);
    columns.extend(has_points(report).then_some(("points", Align::Right)));
    columns.extend([("CPU", Align::Right), ("wall", Align::Right), ("memory", Align::Right), ("note", Align::Left)]);
    let mut table = grid(&columns, style);
    for row in &rows {
        let mut cells = Row::from(case_row(report, row, several));
        cells.max_height(1);
        table.add_row(cells);
    }
    let left_out = report.outcomes.len() - rows.len();
    if left_out == 0 {
        return table.trim_fmt();
    }
    format!(
        "{}\n{left_out} more rows are not shown: add --all for every case, or --json PATH for a file of them",
        table.trim_fmt()
    )
}

fn case_row(report: &RunReport<'_>, row: &CaseRow, several: bool) -> Vec<Cell> {
    let job = report.plan.job(row.place);
    let outcome = report.outcomes[row.place].as_ref();
    let verdict = verdict_of(outcome);
    let figure = |figure: Option<String>| Cell::new(figure.unwrap_or_else(|| "–".to_owned()));
    let mut cells = vec![Cell::new(&report.plan.cases[job.case].name)];
    if several {
        cells.push(Cell::new(&report.plan.solvers[job.solver].spec.name));
    }
    cells.push(painted(verdict.code(), paint_of(verdict)));
    cells.push(figure(outcome.and_then(|outcome| outcome.score.as_ref()).map(ToString::to_string)));
    if has_points(report) {
        cells.push(figure(report.points(job)));
    }
    cells.push(figure(outcome.and_then(|outcome| outcome.cpu).map(milliseconds)));
    cells.push(figure(outcome.and_then(|outcome| outcome.wall).map(milliseconds)));
    cells.push(figure(outcome.and_then(|outcome| outcome.memory).map(memory)));
    cells.push(Cell::new(note(outcome, row.why)));
    cells
}

fn note(outcome: Option<&Outcome>, why: Option<&str>) -> String {
    let said = outcome.and_then(|outcome| outcome.note.lines().next()).unwrap_or("");
    let cut = if said.chars().count() > NOTE_WIDTH {
        said.chars().take(NOTE_WIDTH - 1).chain(['…']).collect()
    } else {
        said.to_owned()
    };
    let noisy = outcome.filter(|outcome| outcome.noisy).map(|_| "noisy");
    let parts = [Some(&*cut).filter(|cut| !cut.is_empty()), noisy, why];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// One line a solver: nothing for a single one, whose line is the closing one.
fn solver_table(report: &RunReport<'_>, style: Style) -> String {
    if report.plan.solvers.len() == 1 {
        return String::new();
    }
    let rule = report.rule.to_string();
    let columns = [("solver", Align::Left), (&*rule, Align::Right), ("cases", Align::Left)];
    let mut table = grid(&columns, style);
    for (solver, Solver { spec, .. }) in report.plan.solvers.iter().enumerate() {
        let counts: Counts = report.of_solver(solver).map(verdict_of).collect();
        table.add_row([Cell::new(&spec.name), Cell::new(total(report, solver)), Cell::new(counts)]);
    }
    table.trim_fmt()
}

fn total(report: &RunReport<'_>, solver: usize) -> String {
    report.total(solver).unwrap_or_else(|| "–".to_owned())
}

fn failures(report: &RunReport<'_>, style: Style) -> String {
    let failed = report.jobs().filter_map(|(job, outcome)| outcome.map(|outcome| (job, outcome)));
    let failed: Vec<_> = failed.filter(|(_, outcome)| outcome.verdict != Verdict::Accepted).collect();
    let mut lines = Vec::new();
    for (job, outcome) in failed.iter().take(FAILURES_EXPLAINED) {
        let case = &report.plan.cases[job.case].name;
        let solver = &report.plan.solvers[job.solver].spec.name;
        let verdict = style.paint(paint_of(outcome.verdict), outcome.verdict.name());
        lines.push(format!("{case} ({solver}): {verdict}: {}", outcome.note));
        lines.extend(
            outcome.stderr.lines().rev().take(5).collect::<Vec<_>>().iter().rev().map(|line| format!("    | {line}")),
        );
        lines.push(format!("    {}", style.paint(Paint::Faint, &report.plan.reproduce(*job))));
    }
    if failed.len() > FAILURES_EXPLAINED {
        lines.push(format!("… and {} more failures", failed.len() - FAILURES_EXPLAINED));
    }
    lines.join("\n")
}

fn closing(report: &RunReport<'_>, style: Style) -> String {
    let counts: Counts = report.jobs().map(|(_, outcome)| verdict_of(outcome)).collect();
    let mut parts = vec![format!("{}: {counts}", style.paint(Paint::Strong, &report.plan.problem.id))];
    if report.plan.solvers.len() == 1 {
        parts.push(format!("{} {}", report.rule, style.paint(Paint::Strong, &total(report, 0))));
    }
    let jobs = if report.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", report.jobs) };
    parts.push(format!("{} with {jobs}", milliseconds(report.elapsed)));
    parts.push(format!("sandbox tier {}", report.tier));
    let stopped = match report.stop {
        Some(Stop::Interrupted) => "\ninterrupted: the cases marked – were not run",
        Some(Stop::FailFast) => "\nstopped at the first failure (--fail-fast): the cases marked – were not run",
        None => "",
    };
    format!("{}{stopped}", parts.join("; "))
}
