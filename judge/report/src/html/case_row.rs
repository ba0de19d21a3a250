//! The row of a solver on a case.

use super::figures::Figures;
use super::shown::Shown;
use crate::run::report::RunReport;
use judge_problem::{JobId, Outcome, Verdict};

/// A solver on a case.
pub(super) struct CaseRow {
    pub(super) class: &'static str,
    pub(super) case: Shown,
    pub(super) solver: Shown,
    pub(super) verdict: Verdict,
    pub(super) figures: Vec<Shown>,
    pub(super) noisy: bool,
    pub(super) details: Option<Details>,
}

/// Why a case was not accepted, and what the solver printed on standard error.
pub(super) struct Details {
    pub(super) note: Shown,
    /// The rest of the note, and standard error.
    pub(super) texts: Vec<Shown>,
    pub(super) command: Shown,
}

impl CaseRow {
    /// Returns the row of a job.
    pub(super) fn of(report: &RunReport<'_>, figures: &Figures, job: JobId, outcome: &Outcome) -> Self {
        let verdict = outcome.verdict;
        Self {
            class: if verdict == Verdict::Accepted { "good" } else { "bad" },
            case: Shown::line(&report.plan.cases.at(job.case).name.0),
            solver: Shown::line(&report.plan.solvers[job.solver].spec.name),
            verdict,
            figures: figures.of_row(report, job, outcome).iter().map(|figure| Shown::line(figure)).collect(),
            noisy: outcome.is_accepted() && outcome.noisy && figures.show_noise,
            details: (!outcome.is_accepted() || !outcome.stderr.is_empty()).then(|| details(report, job, outcome)),
        }
    }
}

fn details(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> Details {
    let (note, more) = outcome.note.split_once('\n').unwrap_or((&outcome.note, ""));
    let texts = [more, &outcome.stderr].into_iter().filter(|text| !text.is_empty());
    Details {
        note: Shown::line(if outcome.is_accepted() { "standard error" } else { note }),
        texts: texts.map(Shown::lines).collect(),
        command: Shown::line(&report.plan.reproduce(job)),
    }
}
