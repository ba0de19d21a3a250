//! One conversation of a solver and an interactor, from the start of both to the interactor's decision.

use super::decision::{Afterwards, PendingDecision, WaitOutcome};
use super::relay::{Pipe, Recorder, Relay, UnreadInput};
use crate::cases::{CheckerProgram, Decision, ExternalCase};
use crate::command::{CallInput, CallResult, CommandError, LiveCall};
use crate::executor::Executor;
use judge_problem::verdict::{self, CallOutput, Idleness, InteractorDecision, Protocol, ProtocolError, Termination};
use judge_problem::{Limits, MetricRule, error_chain};
use judge_sandbox::{End, Execution, Fault, Request, Stdin};
use rustix::fs::Mode;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The result of a conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// How the solver ended. Its standard output ends with the interactor.
    pub execution: Execution,
    /// The interactor's decision.
    pub decision: InteractorDecision,
    /// The content of the first of its reports, if it decided.
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
    /// The interactor could not be started.
    #[error(transparent)]
    Interactor(#[from] InteractorError),
    /// A tester failed before it started the solver.
    #[error("the tester {0}")]
    Tester(String),
    /// Output could not be relayed.
    #[error("cannot relay between solver and interactor")]
    Relay(#[from] io::Error),
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

impl Conversation {
    /// Returns a conversation that gave no accepted answer.
    pub(super) fn without_answer(execution: Execution, decision: InteractorDecision) -> Self {
        Self { execution, decision, written: Vec::new(), transcript: None }
    }
}

/// Runs the solver of a request in a conversation with the interactor. The solver has no other input. It is killed after
/// the interactor's end; `stopped` ends the conversation after the solver's own end. With a transcript, both sides take a
/// little longer.
///
/// # Errors
/// When the conversation fails; [`Fault::Cancelled`] when it is stopped.
pub(crate) fn converse(
    executor: &mut dyn Executor,
    request: &Request,
    limits: &Limits,
    partner: Partner<'_>,
    is_recorded: bool,
    stopped: &AtomicBool,
) -> Result<Conversation, ConverseError> {
    let (to_interactor, to_solver) = (Pipe::open()?, Pipe::open()?);
    // Both programs run as other users, and may open their `/dev/stdin` and `/dev/stdout`.
    for pipe in [&to_solver.reader, &to_interactor.reader] {
        rustix::fs::fchmod(pipe, Mode::from_raw_mode(0o666)).map_err(io::Error::from)?;
    }
    let (recorder, stdio) = if is_recorded {
        let (recorder, stdio) = Recorder::between(to_interactor.reader, to_solver.writer)?;
        (Some(recorder), stdio)
    } else {
        (None, [to_interactor.reader, to_solver.writer])
    };
    let Partner { program, case, time, core } = partner;
    let protocol = verdict::interactor_protocol(&program.protocol);
    let files = CallInput { input: &case.input, answer: None, expected: case.expected.as_deref(), more: &[] };
    let interactor =
        LiveCall::start(&program.program, protocol, files, (stdio, core)).map_err(InteractorError::from)?;
    let mut relay = Relay::new(to_interactor.writer)?;
    let reader = to_solver.reader.try_clone()?;
    let request = Request {
        stdin: Stdin::File(Arc::new(File::from(to_solver.reader))),
        stdout: relay.sink()?,
        ..request.clone()
    };
    let mut execution = executor.run_until(&request, interactor.ended())?;
    // An open copy of a pipe would keep the other program from seeing the end.
    drop(request);
    relay.take_over(&mut execution);
    if matches!(execution.end, End::NotStarted(_)) {
        let decision = InteractorDecision::None(Idleness::Waiting, String::new());
        return Ok(Conversation::without_answer(execution, decision));
    }
    let ended_well = verdict::termination(&execution, limits) == Termination::Clean;
    let mut unread = UnreadInput::new(reader)?;
    let pending = PendingDecision {
        relay: &mut relay,
        ended: interactor.ended(),
        processes: &|| interactor.processes(),
        to_solver: &mut unread,
        afterwards: if ended_well { Afterwards::ShowEnd } else { Afterwards::KeepOpen },
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
    Ok(Conversation { execution, decision, written, transcript })
}

/// Returns the decision of an interactor after its end, and the content of the first of its reports.
fn decision(
    interactor: LiveCall<'_>,
    protocol: &dyn Protocol,
    metrics: &[MetricRule],
) -> (InteractorDecision, Vec<u8>) {
    let CallResult { output, mut reports } = match interactor.end() {
        Ok(called) => called,
        Err(error) => return (failed(&error), Vec::new()),
    };
    let output = CallOutput { status: output.status, stdout: &[], stderr: &output.stderr, reports: &reports };
    let decision = match protocol.next_pass(&output) {
        Some(_) => Err(ProtocolError::NextPass("which interactive problems do not have here")),
        None => Decision::read(protocol, &output, metrics),
    };
    match decision {
        Ok(Decision { ruling, metrics }) => {
            let written = reports.first_mut().and_then(Option::take).unwrap_or_default();
            (InteractorDecision::Decided(ruling, metrics), written)
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

/// An interactor that could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InteractorError {
    /// Its command could not be run.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A file or descriptor for it could not be created.
    #[error("cannot prepare the interactor")]
    Prepare(#[from] io::Error),
}
