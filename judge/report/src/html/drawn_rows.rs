//! The rows of a large run as data in the page: a script draws those that are looked at.

use super::case_row::CaseRow;
use super::figures::Figures;
use super::script::in_script;
use crate::run::report::RunReport;
use crate::text::json_text;
use judge_problem::{Verdict, one_line};
use std::fmt;

/// The rows of a run, a line of JSON each: the verdict's code, the case, the solver's place, the figures; then whether the
/// timing is noisy (0 or 1), the note, the texts and the command, as far as there are any. Shown as what stands in a script.
pub(super) struct DrawnRows<'a> {
    report: &'a RunReport<'a>,
    figures: &'a Figures,
}

impl<'a> DrawnRows<'a> {
    pub(super) fn new(report: &'a RunReport<'a>, figures: &'a Figures) -> Self {
        Self { report, figures }
    }

    /// Returns what all rows have in common, as JSON that is safe in a script: the names of the solvers and of the verdicts.
    fn common(&self) -> String {
        let solvers: Vec<_> = self.report.plan.solvers.iter().map(|solver| one_line(&solver.spec.name)).collect();
        let verdicts: Vec<_> = Verdict::ALL.iter().map(|verdict| (verdict.code(), verdict.name())).collect();
        in_script(&json_text::line(&(solvers, verdicts)).unwrap_or_default())
    }
}

impl fmt::Display for DrawnRows<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.common())?;
        for (job, outcome) in self.report.played() {
            let CaseRow { case, figures, noisy, details, .. } = CaseRow::of(self.report, self.figures, job, &outcome);
            let mut row = vec![outcome.verdict.code().into(), case.to_string().into(), job.solver.into()];
            row.extend(figures.iter().map(|figure| serde_json::Value::from(figure.to_string())));
            if noisy || details.is_some() {
                row.push(u8::from(noisy).into());
            }
            if let Some(details) = details {
                let texts: Vec<String> = details.texts.iter().map(ToString::to_string).collect();
                row.extend([details.note.to_string().into(), texts.into(), details.command.to_string().into()]);
            }
            formatter.write_str(&in_script(&json_text::line(&row).map_err(|_| fmt::Error)?))?;
        }
        Ok(())
    }
}
