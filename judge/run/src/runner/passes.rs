//! One solver on one case: in several passes, where the checker asks for them.

use crate::cases::{Checked, CheckerError, PreparedCase};
use crate::executor::Executor;
use crate::interaction::ConverseError;
use judge_problem::verdict::{self, Ending, InteractorDecision};
use judge_problem::{Limits, Ruling, error_chain};
use judge_sandbox::{Execution, Request, Stdin, Usage};

/// What a solver did, and what was decided on it, unless its answer is still to be checked.
pub(super) struct Performance {
    pub(super) execution: Execution,
    pub(super) decision: Option<InteractorDecision>,
    /// What a solver and its interactor said, where that is wanted.
    pub(super) transcript: Option<String>,
}

/// Runs a solver again on each input that the checker gives for it, until it decides or the solver fails. Each pass has all
/// the limits; its figures are the largest of all passes, and its answer is the last one.
pub(super) fn perform(
    executor: &mut dyn Executor,
    request: &Request,
    limits: &Limits,
    case: &PreparedCase,
) -> Result<Performance, ConverseError> {
    let mut checking = match case.begin() {
        Ok(checking) => checking,
        Err(error) => {
            let decision = Some(InteractorDecision::Failed(error_chain(&error)));
            return Ok(Performance { execution: executor.run(request)?, decision, transcript: None });
        }
    };
    let mut request = request.clone();
    let mut largest = Usage::default();
    for pass in 1.. {
        let mut execution = executor.run(&request)?;
        largest = larger(&largest, &execution.usage);
        execution.usage = largest.clone();
        let Some(checking) = checking.as_mut().filter(|_| verdict::ending(&execution, limits) == Ending::Clean) else {
            return Ok(Performance { execution, decision: None, transcript: None });
        };
        let decision = match checking.check(&execution.stdout) {
            Ok(Checked::Ruling(ruling)) => InteractorDecision::Decided(ruling),
            Ok(Checked::NextPass(input)) if pass < case.passes() => {
                request.stdin = Stdin::Bytes(input.into());
                continue;
            }
            Ok(Checked::NextPass(_)) => InteractorDecision::Failed(format!(
                "the checker asks for another run of the solver after {pass}: `validation-passes` is {}",
                case.passes()
            )),
            Err(error) => InteractorDecision::Failed(error_chain(&error)),
        };
        return Ok(Performance { execution, decision: Some(decision), transcript: None });
    }
    unreachable!("the passes are counted")
}

/// Returns the decision of the checker of what an interactor wrote; without one, that of the interactor.
pub(super) fn decided(checked: Result<Option<Ruling>, CheckerError>, own: Ruling) -> InteractorDecision {
    match checked {
        Ok(ruling) => InteractorDecision::Decided(ruling.unwrap_or(own)),
        Err(error) => InteractorDecision::Failed(error_chain(&error)),
    }
}

fn larger(left: &Usage, right: &Usage) -> Usage {
    Usage {
        cpu: left.cpu.max(right.cpu),
        wall: left.wall.max(right.wall),
        memory: left.memory.max(right.memory),
        run_delay: left.run_delay.max(right.run_delay),
        stolen: left.stolen.max(right.stolen),
        ..right.clone()
    }
}
