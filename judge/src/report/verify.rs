//! What `judge verify` finds, as text and as JSON.

use crate::report::text::column::{Field, left, painted};
use crate::report::text::json_text;
use crate::report::text::json_value::schema_of;
use crate::report::text::style::{Paint, Style};
use crate::report::text::table::grid;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The result of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "result")]
pub enum CheckResult {
    /// It holds.
    Ok,
    /// It holds, but something deserves a look.
    Warning,
    /// It does not hold.
    Failed,
}

/// The result of one check of a problem.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "check")]
pub struct Finding {
    /// Which check.
    pub check: String,
    /// Its result.
    pub result: CheckResult,
    /// What was looked at, or the reason.
    pub detail: String,
    /// The command that shows it again.
    pub command: String,
}

/// The results of all checks of a problem.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "problem")]
pub struct VerifiedProblem {
    /// The problem's id.
    pub id: String,
    /// The checks, in the order of the table.
    pub checks: Vec<Finding>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge verify --json")]
struct Document<'a> {
    schema: u32,
    /// Whether no check failed.
    ok: bool,
    /// How many checks failed.
    failed: usize,
    /// How many gave a warning.
    warnings: usize,
    problems: &'a [VerifiedProblem],
}

/// Returns how many checks have this result.
#[must_use]
pub fn count_checks(problems: &[VerifiedProblem], result: CheckResult) -> usize {
    problems.iter().flat_map(|problem| &problem.checks).filter(|finding| finding.result == result).count()
}

/// Returns the results as one JSON document, with a final newline.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn verify_json(problems: &[VerifiedProblem]) -> serde_json::Result<String> {
    let failed = count_checks(problems, CheckResult::Failed);
    let warnings = count_checks(problems, CheckResult::Warning);
    json_text::document(&Document { schema: 1, ok: failed == 0, failed, warnings, problems })
}

/// Returns the JSON schema of [`verify_json`]'s documents.
#[must_use]
pub fn verify_schema() -> Schema {
    schema_of::<Document<'static>>()
}

/// Returns the results as a table with a row for each check; below it, the command that shows each bad one again.
#[must_use]
pub fn verify_text(problems: &[VerifiedProblem], style: Style) -> String {
    let mut table = grid([left("problem"), left("check"), left("result"), left("found").wrapped()], style);
    let mut again = Vec::new();
    for problem in problems {
        for finding in &problem.checks {
            let result = match finding.result {
                CheckResult::Ok => painted("ok", Paint::Good),
                CheckResult::Warning => painted("warning", Paint::Warning),
                CheckResult::Failed => painted("FAILED", Paint::Bad),
            };
            table.add_row([Field::new(&problem.id), Field::new(&finding.check), result, Field::new(&finding.detail)]);
            if finding.result != CheckResult::Ok && !finding.command.is_empty() {
                again.push(format!("  {}, {}: {}", problem.id, finding.check, finding.command));
            }
        }
    }
    let (failed, warnings) =
        (count_checks(problems, CheckResult::Failed), count_checks(problems, CheckResult::Warning));
    let checks: usize = problems.iter().map(|problem| problem.checks.len()).sum();
    let mut text = format!("{}\n", table.text().trim_end());
    if !again.is_empty() {
        text = format!("{text}To see it again:\n{}\n", again.join("\n"));
    }
    format!("{text}{checks} checks: {failed} failed, {warnings} with a warning")
}
