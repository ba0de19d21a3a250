//! The page on which a setter's program draws an answer.

use super::failure::Failure;
use judge_problem::{Problem, Viewer, tail};
use judge_run::command::{CaseInput, SetterProgram};

/// Returns the page for an answer to a case, as the problem's `view-command` draws it.
pub fn page(problem: &Problem, viewer: &Viewer, input: &[u8], answer: &[u8]) -> Result<Vec<u8>, Failure> {
    let program = SetterProgram::new(&viewer.command, &problem.helper_limits.checker);
    let (input, answer) = (CaseInput::new(input), CaseInput::new(answer));
    let (ended, page) = program.draw(&input, &answer, &viewer.page).map_err(Failure::fault)?;
    page.filter(|_| ended.status.success()).ok_or_else(|| {
        let said = [&ended.stderr, &ended.stdout].map(|text| tail(text)).join(" ");
        let (name, page) = (&viewer.command.line, viewer.page.display());
        Failure::fault(format!("`{name}` made no {page} ({}): {}", ended.status, said.trim()))
    })
}
