//! The results of `judge verify`, as text and as JSON.

use crate::text::{Document, Field, Paint, Style, TextTable, left, painted};
use judge_problem::counted;
use schemars::JsonSchema;
use serde::Serialize;

/// The result of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    /// It holds.
    Ok,
    /// It holds, but something deserves a look.
    Warning,
    /// It does not hold.
    Failed,
    /// It needs a program that is not installed.
    NotChecked,
}

/// The result of one check of a problem.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// Which check.
    pub check: String,
    /// Its result.
    pub result: CheckResult,
    /// The checked thing, or the reason.
    pub detail: String,
    /// The command that shows it again.
    pub command: String,
}

/// The results of all checks of a problem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifiedProblem {
    /// The problem's id.
    pub id: String,
    /// The checks, in the order of the table.
    pub checks: Vec<Finding>,
}

/// The results of all checks.
#[derive(Debug)]
pub struct VerifyReport<'a> {
    /// The problems.
    pub problems: &'a [VerifiedProblem],
    /// Whether the command succeeds.
    pub ok: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct VerifyDocument<'a> {
    schema: u32,
    /// Whether no check failed; with `--strict`, whether all were made, too.
    ok: bool,
    /// How many checks failed.
    failed: usize,
    /// How many gave a warning.
    warnings: usize,
    /// How many need a program that is not installed.
    not_checked: usize,
    problems: &'a [VerifiedProblem],
}

/// Returns how many checks have this result.
pub fn count_checks(problems: &[VerifiedProblem], result: CheckResult) -> usize {
    problems.iter().flat_map(|problem| &problem.checks).filter(|finding| finding.result == result).count()
}

impl Document for VerifyReport<'_> {
    fn record(&self) -> impl Serialize {
        let [failed, warnings, not_checked] = counts(self.problems);
        VerifyDocument { schema: 1, ok: self.ok, failed, warnings, not_checked, problems: self.problems }
    }
}

/// Returns how many checks failed, gave a warning, and were skipped.
fn counts(problems: &[VerifiedProblem]) -> [usize; 3] {
    [CheckResult::Failed, CheckResult::Warning, CheckResult::NotChecked].map(|result| count_checks(problems, result))
}

/// Returns the results as a table with a row for each check, and below it the command that repeats each failed one.
pub fn verify_text(problems: &[VerifiedProblem], style: Style) -> String {
    let mut table = TextTable::of([left("problem"), left("check"), left("result"), left("found").wrapped()]);
    let mut again = Vec::new();
    for problem in problems {
        for finding in &problem.checks {
            let result = match finding.result {
                CheckResult::Ok => painted("ok", Paint::Good),
                CheckResult::Warning => painted("warning", Paint::Warning),
                CheckResult::Failed => painted("FAILED", Paint::Bad),
                CheckResult::NotChecked => painted("not checked", Paint::Warning),
            };
            table.add_row([Field::new(&problem.id), Field::new(&finding.check), result, Field::new(&finding.detail)]);
            if finding.result != CheckResult::Ok && !finding.command.is_empty() {
                again.push(format!("  {}, {}: {}", problem.id, finding.check, finding.command));
            }
        }
    }
    let [failed, warnings, not_checked] = counts(problems);
    let checks: usize = problems.iter().map(|problem| problem.checks.len()).sum();
    let mut text = format!("{}\n", table.text(style).trim_end());
    if !again.is_empty() {
        text = format!("{text}To see it again:\n{}\n", again.join("\n"));
    }
    let left = if not_checked == 0 { String::new() } else { format!(", {not_checked} not checked") };
    format!("{text}{}: {failed} failed, {warnings} with a warning{left}", counted(checks, "check"))
}
