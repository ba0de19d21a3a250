//! The report of a run as Markdown for a comment on a pull request: the totals unfolded, the rest folded. It never
//! exceeds the size of a comment: omitted parts are counted.

use super::cases::{CaseRow, extreme_rows, rows};
use super::leaderboard::{groups, leaderboard, matrix, test_groups};
use super::report::RunReport;
use crate::text::figures::{Counts, memory, milliseconds};
use crate::text::markdown::{COMMAND_WIDTH, MOST_ROWS, NOTE_WIDTH, Page, code, cut, escaped, field, table};
use crate::text::provenance::processors_line;
use crate::text::sheet::NOTHING;
use judge_problem::{JobId, Outcome, Stop, Verdict, counted};

/// Returns the report of a run as Markdown, of less than 60 kB.
pub(crate) fn run_markdown(report: &RunReport<'_>) -> String {
    let mut page = Page::new(headline(report));
    page.add(&table(&leaderboard(report)));
    page.add(&test_groups(report).map(|groups| table(&groups)).unwrap_or_default());
    page.add(&groups(report).map(|groups| table(&groups)).unwrap_or_default());
    page.add_folded(
        "Failures",
        failures(report).count(),
        failures(report).map(|(job, outcome)| failure(report, job, &outcome)),
    );
    let (title, extremes) = match report.order_line() {
        Some(title) => (title, described(report, &rows(report))),
        None => ("Extremes".to_owned(), described(report, &extreme_rows(report))),
    };
    page.add_folded(&title, extremes.len(), extremes.into_iter());
    if report.plan.solvers.len() > 1 {
        let matrix = table(&matrix(report, MOST_ROWS));
        page.add(&format!("<details><summary>Every case</summary>\n\n{matrix}\n</details>\n"));
    }
    page.add(&footer(report));
    page.finish()
}

fn headline(report: &RunReport<'_>) -> String {
    let good = report.outcomes.verdicts().all(|verdict| verdict == Verdict::Accepted);
    let counts: Counts = report.outcomes.verdicts().collect();
    let sign = if good { "✅" } else { "❌" };
    let stopped = match report.stop {
        Some(Stop::Interrupted) => "; **interrupted**",
        Some(Stop::Detached) => "; **not ended**",
        Some(Stop::FailFast) => "; stopped at the first failure",
        None => "",
    };
    let message = report.message.map(|message| format!("\n{}\n", field(message))).unwrap_or_default();
    format!("### {sign} {}: {counts}{stopped}\n{message}", field(&report.plan.problem.id))
}

fn failures(report: &RunReport<'_>) -> impl Iterator<Item = (JobId, Outcome)> {
    let finished = report.jobs().filter_map(|(job, outcome)| Some((job, outcome?)));
    finished.filter(|(_, outcome)| !outcome.is_accepted())
}

fn failure(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> String {
    let case = field(&report.plan.cases.at(job.case).name.0);
    let solver = field(&report.plan.solvers[job.solver].spec.name);
    let note = escaped(&cut(&outcome.note, NOTE_WIDTH));
    let command = code(&cut(&report.plan.reproduce(job), COMMAND_WIDTH));
    format!("- **{case}** ({solver}): {}: {note}<br>{command}\n", outcome.verdict)
}

fn described(report: &RunReport<'_>, rows: &[CaseRow]) -> Vec<String> {
    let line = |row: &CaseRow| {
        let job = row.job;
        let outcome = report.outcomes.get(job)?;
        let case = field(&report.plan.cases.at(job.case).name.0);
        let solver = field(&report.plan.solvers[job.solver].spec.name);
        let score = optional(outcome.score.as_ref());
        let cpu = outcome.cpu.map_or_else(|| NOTHING.to_owned(), milliseconds);
        let memory = outcome.memory.map_or_else(|| NOTHING.to_owned(), memory);
        let why = row.why.map(|why| format!("{why}: ")).unwrap_or_default();
        let lost = report.shows_lost().then(|| report.lost(job)).flatten();
        let lost = lost.map(|lost| format!(", {} lost", report.points_text(&lost))).unwrap_or_default();
        Some(format!("- {why}**{case}** ({solver}): score {score}{lost}, {cpu} CPU, {memory}\n"))
    };
    rows.iter().filter_map(line).collect()
}

fn footer(report: &RunReport<'_>) -> String {
    let jobs = counted(report.jobs, "job");
    let time = milliseconds(report.elapsed);
    let processors = processors_line(&report.provenance.nodes).map(|line| format!("; {line}")).unwrap_or_default();
    let reference =
        report.reference().map(|reference| format!("{}\n\n", escaped(&reference.line()))).unwrap_or_default();
    let judge = env!("CARGO_PKG_VERSION");
    format!("{reference}{time} with {jobs}; sandbox tier {}; judge {judge}{processors}\n", report.tier)
}

fn optional(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| field(&value.to_string()))
}
