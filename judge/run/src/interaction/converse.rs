//! One conversation of a solver and an interactor, from the start of both to the interactor's decision.

use super::decision::{NextStep, PendingDecision, WaitOutcome};
use super::relay::{Recorder, Relay, UnreadInput};
use crate::cases::{CheckerProgram, ExternalCase};
use crate::command::{self, CallInput, CommandError, LiveCall};
use crate::executor::Executor;
use judge_problem::verdict::{
    self, CallOutput, Decision, Idleness, InteractorDecision, Protocol, ProtocolError, Termination,
};
use judge_problem::{Limits, MetricRule, error_chain};
use judge_sandbox::{End, Execution, Fault, Request, Stdin};
use rustix::fs::Mode;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The run of a solver, and the decision on it.
#[derive(Debug)]
pub(crate) struct SolverRun {
    /// How the solver ended. In a conversation, its standard output ends with the interactor.
    pub execution: Execution,
    /// The decision of an interactor, or of the checker after several passes. `None`: the answer must still be checked.
    pub decision: Option<InteractorDecision>,
    /// The content of the first of an interactor's reports, if it decided.
    pub written: Vec<u8>,
    /// The transcript, if one is wanted: every line of both programs with its time.
    pub transcript: Option<String>,
}

/// A conversation failed. This is never the solver's fault.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConverseError {
    /// The sandbox failed, or the run was stopped.
    #[error(transparent)]
    Sandbox(#[from] Fault),
    /// The command of the interactor could not be run.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A file or descriptor for the interactor could not be created.
    #[error("cannot prepare the interactor")]
    Prepare(#[source] io::Error),
    /// A tester failed before it started the solver.
    #[error("the tester {0}")]
    Tester(String),
    /// Output could not be relayed.
    #[error("cannot relay between solver and interactor")]
    Relay(#[from] io::Error),
}

/// How the solver of a conversation is started.
pub(crate) struct SolverStart<'a> {
    pub executor: &'a mut dyn Executor,
    pub request: &'a Request,
    pub limits: &'a Limits,
    /// Set when the run is stopped.
    pub stopped: &'a AtomicBool,
}

/// The other side of a conversation: an interactor, or a tester that starts the solver itself.
#[derive(Clone, Copy)]
pub(crate) struct Partner<'a> {
    /// The program.
    pub program: &'a CheckerProgram,
    /// The case.
    pub case: &'a ExternalCase,
    /// How long an interactor may take to decide after the solver's own end, or how long a tester may run apart from the
    /// solver.
    pub time: Duration,
    /// The core that the solver is pinned to, if any. The two programs alternate. On one core, waking the other one is
    /// fastest.
    pub core: Option<usize>,
}

impl SolverRun {
    /// Returns a run with this decision, without a report and a transcript.
    pub(crate) fn new(execution: Execution, decision: Option<InteractorDecision>) -> Self {
        Self { execution, decision, written: Vec::new(), transcript: None }
    }

    /// Returns the run of a solver whose partner waits and has not decided.
    pub(super) fn undecided(execution: Execution) -> Self {
        Self::new(execution, Some(InteractorDecision::None(Idleness::Waiting, String::new())))
    }
}

/// Runs the solver of a request in a conversation with the interactor. The solver has no other input. It is killed after
/// the interactor's end. The conversation can be stopped after the solver's own end. With a transcript, both sides take a
/// little longer.
///
/// # Errors
/// When the conversation fails; [`Fault::Cancelled`] when it is stopped.
pub(crate) fn converse(
    SolverStart { executor, request, limits, stopped }: SolverStart<'_>,
    partner: Partner<'_>,
    is_recorded: bool,
) -> Result<SolverRun, ConverseError> {
    let ((from_solver, to_interactor), (to_solver, from_interactor)) = (io::pipe()?, io::pipe()?);
    // Both programs run as other users, and may open their `/dev/stdin` and `/dev/stdout`.
    for pipe in [&from_solver, &to_solver] {
        rustix::fs::fchmod(pipe, Mode::from_raw_mode(0o666)).map_err(io::Error::from)?;
    }
    let (recorder, stdio) = if is_recorded {
        let (recorder, stdio) = Recorder::between(from_solver, from_interactor)?;
        (Some(recorder), stdio)
    } else {
        (None, [from_solver.into(), from_interactor.into()])
    };
    let Partner { program, case, time, core } = partner;
    let protocol = verdict::interactor_protocol(&program.protocol);
    let files = CallInput { input: &case.input, answer: None, expected: case.expected.as_deref(), more: &[] };
    let interactor = LiveCall::start(&program.program, protocol, files, (stdio, core))?;
    let mut relay = Relay::new(to_interactor.into())?;
    let mut unread = UnreadInput::new(to_solver.try_clone()?.into())?;
    let execution = run_solver(executor, request.clone(), to_solver.into(), &mut relay, interactor.ended())?;
    if matches!(execution.end, End::NotStarted(_)) {
        return Ok(SolverRun::undecided(execution));
    }
    let ended_well = verdict::termination(&execution, limits) == Termination::Clean;
    let pending = PendingDecision {
        relay: &mut relay,
        ended: interactor.ended(),
        processes: &|| interactor.processes(),
        to_solver: &mut unread,
        next_step: if ended_well { NextStep::ShowEnd } else { NextStep::KeepOpen },
        decision_time: time,
        stopped,
    };
    let (decision, written) = match pending.wait_for_it()? {
        WaitOutcome::Ended | WaitOutcome::Delivered => decision(interactor, protocol, &case.metrics),
        WaitOutcome::Idle(idleness) => (undecided(interactor, idleness), Vec::new()),
        WaitOutcome::Stopped => return Err(Fault::Cancelled.into()),
    };
    // The recorder detects the end of the interactor's output only after this process has closed its copy of the pipe.
    drop(unread);
    let transcript = recorder.map(Recorder::finish);
    let execution = Execution { stdout: relay.into_output(), ..execution };
    Ok(SolverRun { execution, decision: Some(decision), written, transcript })
}

/// Runs the solver of a request with this standard input until `over` becomes readable. Its output goes to the relay.
/// Afterwards the request's copies of the pipes are closed: they would keep the other program from seeing an end.
pub(super) fn run_solver(
    executor: &mut dyn Executor,
    request: Request,
    stdin: OwnedFd,
    relay: &mut Relay,
    over: BorrowedFd<'_>,
) -> Result<Execution, ConverseError> {
    let stdin = Stdin::File(Arc::new(File::from(stdin)));
    let request = Request { stdin, stdout: relay.sink()?, ..request };
    let mut execution = executor.run_until(&request, over)?;
    relay.take_over(&mut execution);
    Ok(execution)
}

/// Returns the decision of an interactor after its end, and the content of the first of its reports.
fn decision(
    interactor: LiveCall<'_>,
    protocol: &dyn Protocol,
    metrics: &[MetricRule],
) -> (InteractorDecision, Vec<u8>) {
    let ended = match interactor.end() {
        Ok(ended) => ended,
        Err(error) => return (failed(&error), Vec::new()),
    };
    let mut reports = command::reports(protocol, &ended.files);
    let output = CallOutput { status: ended.status, stdout: &[], stderr: &ended.stderr, reports: &reports };
    let decision = match protocol.next_pass(&output) {
        Some(_) => Err(ProtocolError::NextPass("which interactive problems do not have here")),
        None => Decision::read(protocol, &output, metrics),
    };
    match decision {
        Ok(decision) => {
            let written = reports.first_mut().and_then(Option::take).unwrap_or_default();
            (InteractorDecision::Decided(decision), written)
        }
        Err(error) => (InteractorDecision::Failed(format!("the interactor {error}")), Vec::new()),
    }
}

/// Ends an interactor, and returns that it has not decided.
fn undecided(interactor: LiveCall<'_>, idleness: Idleness) -> InteractorDecision {
    match interactor.kill() {
        Ok(stderr) => InteractorDecision::None(idleness, stderr),
        Err(error) => failed(&error),
    }
}

fn failed(error: &CommandError) -> InteractorDecision {
    InteractorDecision::Failed(format!("the interactor failed: {}", error_chain(error)))
}
