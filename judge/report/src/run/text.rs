//! The report of a run as text for a terminal, and as Markdown for a pull request.

use crate::formats::{Missing, Report};
use crate::html::run::run_html;
use crate::junit::run_junit;
use crate::run::csv::run_csv;
use crate::run::metrics::{pareto_table, title, value};
use crate::run::report::RunReport;
use crate::run::tables::{CaseRow, extreme_rows, groups, leaderboard, matrix, rows, shown_jobs, test_groups};
use crate::text::{
    COMMAND_WIDTH, Columns, Counts, Field, MAX_ROWS, NOTE_WIDTH, Page, Paint, StderrLines, Style, TextTable,
    allowance_lines, code, cut, escaped, failures_text, field, left, memory, milliseconds, or_nothing, paint_of,
    painted, paragraphs, processors_line, reused_line, right, table, verdict_of,
};
use judge_problem::{JobId, Outcome, Stop, Verdict, counted, one_line};
use std::io::{self, Write};

/// Shows the end of standard error and says where the rest is.
const LAST_LINES: StderrLines = StderrLines::Last("--all shows all lines that were kept, and --json PATH has them");

/// The number of accepted cases whose standard error is shown.
const ACCEPTED_SHOWN: usize = 10;

/// The width of a note in the table; the whole note is below.
const TABLE_NOTE_WIDTH: usize = 60;

/// The largest matrix of cases and solvers that is shown, in rows and in characters a line.
const MATRIX_ROWS: usize = 60;
const MATRIX_WIDTH: usize = 120;

impl Report for RunReport<'_> {
    const NAME: &'static str = "a run";
    // They are written while it runs.
    const NO_JSON_LINES: Option<Missing> = None;
    const NO_JUNIT: Option<Missing> = None;

    fn text(&self, style: Style) -> String {
        let mut parts = vec![cases(self, style)];
        parts.extend(test_groups(self).map(|groups| groups.text(style)));
        parts.extend(groups(self).map(|groups| groups.text(style)));
        parts.extend(solver_tables(self, style));
        parts.extend(pareto_table(self).map(|table| table.text(style)));
        parts.extend([failures(self, style), accepted_stderr(self), closing(self, style)]);
        paragraphs(parts)
    }

    fn csv(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(run_csv(self, output))
    }

    fn junit(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(run_junit(self, output))
    }

    fn markdown(&self) -> Option<String> {
        let mut page = Page::new(headline(self));
        page.add(&table(&leaderboard(self)));
        page.add(&test_groups(self).map(|groups| table(&groups)).unwrap_or_default());
        page.add(&groups(self).map(|groups| table(&groups)).unwrap_or_default());
        page.add(&pareto_table(self).map(|solvers| table(&solvers)).unwrap_or_default());
        page.add_folded(
            "Failures",
            failed_jobs(self).count(),
            failed_jobs(self).map(|(job, outcome)| failure(self, job, &outcome)),
        );
        let (title, extremes) = match self.order_line() {
            Some(title) => (title, described(self, &rows(self))),
            None => ("Extremes".to_owned(), described(self, &extreme_rows(self))),
        };
        page.add_folded(&title, extremes.len(), extremes.into_iter());
        if self.plan.solvers.len() > 1 {
            let matrix = table(&matrix(self, MAX_ROWS));
            page.add(&format!("<details><summary>Every case</summary>\n\n{matrix}\n</details>\n"));
        }
        page.add(&footer(self));
        Some(page.finish())
    }

    fn html(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(run_html(self, output))
    }
}

fn cases(report: &RunReport<'_>, style: Style) -> String {
    let rows = rows(report);
    let table = case_table(report, &rows);
    let mut lines = Vec::new();
    if !table.is_empty() {
        lines.push(table.text(style));
    }
    let left_out = shown_jobs(report).count() - rows.len();
    if left_out > 0 {
        let how = match report.order {
            Some(_) => "--top N shows more, --all all of them",
            None => "add --all for every case, or --json PATH for a file of them",
        };
        let are = if left_out == 1 { "is" } else { "are" };
        lines.push(format!("{} {are} not shown: {how}", counted(left_out, "more row")));
    }
    lines.extend(report.remarks().map(|remark| one_line(&remark).into_owned()));
    lines.extend(processors_line(&report.provenance.nodes));
    lines.join("\n")
}

fn case_table(report: &RunReport<'_>, rows: &[CaseRow]) -> TextTable {
    let plan = report.plan;
    let of_outcome =
        |outcome: &Option<Outcome>, read: fn(&Outcome) -> Option<String>| or_nothing(outcome.as_ref().and_then(read));
    let mut columns = Columns::new();
    columns.add(left("case"), |(row, _): &(&CaseRow, Option<Outcome>)| plan.cases.at(row.job.case).name);
    let has_solvers = plan.solvers.len() > 1;
    columns.add_if(has_solvers, left("solver"), |(row, _)| Field::new(&plan.solvers[row.job.solver].spec.name));
    columns.add(left("verdict"), |(_, outcome)| {
        let verdict = verdict_of(outcome.as_ref());
        painted(verdict.code(), paint_of(verdict))
    });
    columns.add(right("score"), |(_, outcome)| {
        of_outcome(outcome, |outcome| outcome.score.as_ref().map(ToString::to_string))
    });
    let has_groups = !report.scored.test_groups.is_empty();
    // An all-or-nothing test group can leave an accepted case without points.
    let has_points = has_groups || report.scored.rule.shows_points();
    columns.add_if(has_points, right("points").spare(2), |(row, _)| or_nothing(report.points_of_most(row.job)));
    let lost = |job| report.lost(job).map(|lost| report.points_text(&lost));
    columns.add_if(report.shows_lost(), right("lost"), |(row, _)| or_nothing(lost(row.job)));
    let has_weights = report.has_weights();
    columns.add_if(has_weights, right("weight").spare(7), |(row, _)| report.weight(row.job.case));
    let group = |case| plan.test_group_name(case).map(str::to_owned);
    columns.add_if(has_groups, left("group").spare(4), |(row, _)| or_nothing(group(row.job.case)));
    for rule in plan.problem.declared_metrics() {
        columns.add(right(&title(rule)).spare(2), move |(_, outcome)| or_nothing(value(outcome.as_ref(), rule)));
    }
    columns.add(right("CPU").spare(3), |(_, outcome)| of_outcome(outcome, |outcome| outcome.cpu.map(milliseconds)));
    columns.add(right("wall").spare(6), |(_, outcome)| of_outcome(outcome, |outcome| outcome.wall.map(milliseconds)));
    columns.add(right("memory").spare(5), |(_, outcome)| of_outcome(outcome, |outcome| outcome.memory.map(memory)));
    columns.add(left("note").spare(1).cut_at_the_end(), |(row, outcome)| note(report, outcome.as_ref(), row.why));
    columns.table(rows.iter().map(|row| (row, report.outcomes.get(row.job))))
}

fn note(report: &RunReport<'_>, outcome: Option<&Outcome>, why: Option<&str>) -> String {
    let said = outcome.and_then(|outcome| outcome.note.lines().next()).unwrap_or("");
    let cut = if said.chars().count() > TABLE_NOTE_WIDTH {
        said.chars().take(TABLE_NOTE_WIDTH - 1).chain(['…']).collect()
    } else {
        said.to_owned()
    };
    let noisy = outcome.filter(|outcome| outcome.noisy && !report.is_mostly_noisy()).map(|_| "noisy");
    let parts = [Some(&*cut).filter(|cut| !cut.is_empty()), noisy, why];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns the tables of the solvers; none for a single solver, which has the closing line.
fn solver_tables(report: &RunReport<'_>, style: Style) -> Vec<String> {
    if report.plan.solvers.len() == 1 {
        return Vec::new();
    }
    let matrix = matrix(report, if report.every_row { usize::MAX } else { MATRIX_ROWS });
    let fits = report.every_row || (matrix.left_out == 0 && width(&matrix) <= MATRIX_WIDTH);
    let matrix = (fits && !matrix.is_empty()).then(|| matrix.text(style));
    matrix.into_iter().chain([leaderboard(report).text(style)]).collect()
}

/// Returns the width of a table in characters.
fn width(table: &TextTable) -> usize {
    let texts =
        |column: usize| table.rows.iter().map(move |row| &row[column].text).chain([&table.columns[column].title]);
    let widest = |column: usize| texts(column).map(|text| text.chars().count()).max().unwrap_or(0);
    (0..table.columns.len()).map(|column| widest(column) + 2).sum()
}

/// Returns the failures. A solver that could not be compiled or started counts as one.
fn failures(report: &RunReport<'_>, style: Style) -> String {
    let stderr = if report.every_row { StderrLines::All } else { LAST_LINES };
    failures_text(report.plan, shown_jobs(report).filter(|(_, outcome)| !outcome.is_accepted()), stderr, style)
}

/// Returns the standard error of accepted cases, if it is kept.
fn accepted_stderr(report: &RunReport<'_>) -> String {
    let speaking = || report.finished().filter(|(_, outcome)| outcome.is_accepted() && !outcome.stderr.is_empty());
    let shown = if report.every_row { usize::MAX } else { ACCEPTED_SHOWN };
    let stderr = if report.every_row { StderrLines::All } else { LAST_LINES };
    let mut lines = Vec::new();
    for (job, outcome) in speaking().take(shown) {
        let case = one_line(&report.plan.cases.at(job.case).name.0).into_owned();
        let solver = one_line(&report.plan.solvers[job.solver].spec.name);
        lines.push(format!("{case} ({solver}): accepted; standard error:"));
        lines.extend(stderr.quoted(&outcome.stderr));
    }
    let more = speaking().count().saturating_sub(shown);
    if more > 0 {
        lines.push(format!("… and {more} more accepted cases with standard error: --all shows them"));
    }
    lines.join("\n")
}

/// Returns how many cases have each verdict. A shard may have no case.
fn counts(report: &RunReport<'_>) -> String {
    let counts = report.outcomes.verdicts().collect::<Counts>().to_string();
    if counts.is_empty() { "no cases".to_owned() } else { counts }
}

fn closing(report: &RunReport<'_>, style: Style) -> String {
    let counts = counts(report);
    let mut parts = vec![format!("{}: {counts}", style.paint(Paint::Strong, &one_line(&report.plan.problem.id)))];
    if report.plan.solvers.len() == 1 {
        parts.push(format!(
            "{} {}",
            report.scored.rule,
            style.paint(Paint::Strong, &style.figure(&or_nothing(report.total(0))))
        ));
    }
    let jobs = counted(report.jobs, "job");
    parts.push(format!("{} with {jobs}", milliseconds(report.elapsed)));
    parts.push(format!("sandbox tier {}", report.tier));
    let stopped = match report.stop {
        Some(Stop::Interrupted) => "\ninterrupted: totals and means count only the cases that were run",
        Some(Stop::Detached) => "\nnot complete: totals and means count only the cases that have results",
        Some(Stop::FailFast) if report.plan.fail_fast => {
            "\nstopped at the first failure (--fail-fast): totals and means count only the cases that were run"
        }
        Some(Stop::FailFast) => "\nstopped early: totals and means count only the cases that were run",
        None => "",
    };
    let message = report.message.map(|message| format!("\nmessage: {}", one_line(message))).unwrap_or_default();
    let wider: String = allowance_lines(report.plan).iter().map(|line| format!("\n{line}")).collect();
    format!("{}{stopped}{wider}{message}", parts.join("; "))
}

fn headline(report: &RunReport<'_>) -> String {
    let good = report.outcomes.verdicts().all(|verdict| verdict == Verdict::Accepted);
    let counts = counts(report);
    let sign = if good { "✅" } else { "❌" };
    let stopped = match report.stop {
        Some(Stop::Interrupted) => "; **interrupted**",
        Some(Stop::Detached) => "; **not complete**",
        Some(Stop::FailFast) if report.plan.fail_fast => "; stopped at the first failure",
        Some(Stop::FailFast) => "; stopped early",
        None => "",
    };
    let message = report.message.map(|message| format!("\n{}\n", field(message))).unwrap_or_default();
    format!("### {sign} {}: {counts}{stopped}\n{message}", field(&report.plan.problem.id))
}

fn failed_jobs(report: &RunReport<'_>) -> impl Iterator<Item = (JobId, Outcome)> {
    report.finished().filter(|(_, outcome)| !outcome.is_accepted())
}

fn failure(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> String {
    let case = field(&report.plan.cases.at(job.case).name.0);
    let solver = field(&report.plan.solvers[job.solver].spec.name);
    let note = escaped(&cut(&outcome.note, NOTE_WIDTH));
    let command = report.plan.reproduce(job).map(|command| format!("<br>{}", code(&cut(&command, COMMAND_WIDTH))));
    format!("- **{case}** ({solver}): {}: {note}{}\n", outcome.verdict, command.unwrap_or_default())
}

fn described(report: &RunReport<'_>, rows: &[CaseRow]) -> Vec<String> {
    let line = |row: &CaseRow| {
        let job = row.job;
        let outcome = &report.outcomes.get(job)?;
        let case = field(&report.plan.cases.at(job.case).name.0);
        let solver = field(&report.plan.solvers[job.solver].spec.name);
        let score = or_nothing(outcome.score.as_ref().map(|score| field(&score.to_string())));
        let (cpu, memory) = (or_nothing(outcome.cpu.map(milliseconds)), or_nothing(outcome.memory.map(memory)));
        let why = row.why.map(|why| format!("{why}: ")).unwrap_or_default();
        let lost = report.shows_lost().then(|| report.lost(job)).flatten();
        let lost = lost.map(|lost| format!(", {} lost", report.points_text(&lost))).unwrap_or_default();
        let metrics = report.plan.problem.declared_metrics();
        let metrics = metrics.filter_map(|rule| Some((title(rule), value(Some(outcome), rule)?)));
        let metrics: String = metrics.map(|(title, value)| format!(", {} {}", field(&title), field(&value))).collect();
        Some(format!("- {why}**{case}** ({solver}): score {score}{lost}{metrics}, {cpu} CPU, {memory}\n"))
    };
    rows.iter().filter_map(line).collect()
}

fn footer(report: &RunReport<'_>) -> String {
    let jobs = counted(report.jobs, "job");
    let time = milliseconds(report.elapsed);
    let reused = (report.provenance.reused > 0).then(|| reused_line(report.provenance.reused));
    let more = processors_line(&report.provenance.nodes).into_iter().chain(reused);
    let more: String = more.map(|line| format!("; {line}")).collect();
    let reference =
        report.reference().map(|reference| format!("{}\n\n", escaped(&reference.line()))).unwrap_or_default();
    let judge = env!("CARGO_PKG_VERSION");
    format!("{reference}{time} with {jobs}; sandbox tier {}; judge {judge}{more}\n", report.tier)
}
