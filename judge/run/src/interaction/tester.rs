//! One trial: a tester, and each run of the solver that it starts.

use super::converse::{ConverseError, Partner, SolverRun, SolverStart, run_solver};
use super::decision::{NextStep, PendingDecision, WaitOutcome};
use super::relay::{Relay, UnreadInput, are_one_socket};
use crate::command::{self, CallInput, OutsideCall, Running};
use judge_problem::verdict::{self, CallOutput, Decision, Idleness, InteractorDecision, Termination};
use judge_problem::{CheckerProtocol, MetricRule, Ruling, ScoreStream, Time, after_colon, tail};
use judge_sandbox::{Breach, End, Execution, Fault, Stub, StubCall};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a tester may take to decide after the solver has failed.
const DECISION_TIME: Duration = Duration::from_secs(5);

/// Runs a tester, and the solver of a request each time that the tester starts it. The first run counts: its verdict,
/// its times. The trial can be stopped between two runs.
///
/// # Errors
/// When the tester fails without the solver; [`Fault::Cancelled`] when the trial is stopped.
pub(crate) fn test(mut solver: SolverStart<'_>, partner: Partner<'_>) -> Result<SolverRun, ConverseError> {
    if partner.case.seed.is_none() && partner.program.program.command.line.contains("{seed}") {
        return Err(ConverseError::Tester("wants a `{seed}`, and the case is a file".to_owned()));
    }
    let mut tester = Tester::start(partner)?;
    let mut runs: Vec<Run> = Vec::new();
    loop {
        match tester.next(solver.stopped)? {
            Next::Start(call) => {
                let run = perform(&mut solver, call, &mut tester)?;
                if let (true, Some(idleness)) = (runs.is_empty(), run.undecided) {
                    return Ok(without_ruling(run, &tester, idleness)?);
                }
                runs.push(run);
            }
            Next::End => return conclude(tester, runs, &partner.case.metrics),
            Next::Timeout => {
                let limit = Time(partner.time);
                let why = tester.end_with_reason(&format!("ran longer than {limit} beside the solver and was ended"));
                return conclude_timed_out(runs, why);
            }
        }
    }
}

/// One run of the solver.
struct Run {
    execution: Execution,
    said: Vec<u8>,
    /// It failed, and the tester detected that before it decided.
    failure_seen: bool,
    /// The solver has failed, and the tester still waits or computes.
    undecided: Option<Idleness>,
}

/// Runs the solver on the standard streams of a process that the tester started, and ends that process in the same way. The
/// tester may still write to the solver's input.
fn perform(solver: &mut SolverStart<'_>, call: StubCall, tester: &mut Tester) -> Result<Run, ConverseError> {
    let StubCall { stdin, stdout, arguments, link, .. } = call;
    let mut unread = UnreadInput::new(stdin.try_clone()?)?;
    let has_one_socket = are_one_socket(&stdin, &stdout)?;
    let mut relay = Relay::new(stdout)?;
    // Becomes readable when the tester has ended, or has killed the process that it started for the solver.
    let ended = watched(&[(Some(tester.running.ended()), EventFlags::IN), (Some(link.as_fd()), EventFlags::IN)])?;
    let over = watched(&[(Some(ended.as_fd()), EventFlags::IN), (relay.to_interactor(), EventFlags::empty())])?;
    let mut request = solver.request.clone();
    request.argv.extend(arguments);
    let execution = run_solver(solver.executor, request, stdin, &mut relay, over.as_fd())?;
    if matches!(execution.end, End::NotStarted(_)) {
        return Ok(Run { execution, said: Vec::new(), failure_seen: true, undecided: Some(Idleness::Waiting) });
    }
    let ended_well = verdict::termination(&execution, solver.limits) == Termination::Clean;
    // The sandbox has killed it without an exceeded limit, because the tester no longer needed it.
    let was_cut = is_readable(&over)? && execution.end == End::Signalled(9) && execution.breaches.is_empty();
    let failed = !ended_well && !was_cut;
    let pending = PendingDecision {
        relay: &mut relay,
        ended: ended.as_fd(),
        processes: &|| tester.running.processes(),
        to_solver: &mut unread,
        next_step: if failed { NextStep::KeepOpen } else { NextStep::Return },
        decision_time: if failed { DECISION_TIME } else { tester.time_left },
        stopped: solver.stopped,
    };
    let began = Instant::now();
    let waited = pending.wait_for_it()?;
    let undecided = match waited {
        WaitOutcome::Stopped => return Err(Fault::Cancelled.into()),
        WaitOutcome::Idle(idleness) if failed && !relay.is_closed_by_reader()? => Some(idleness),
        WaitOutcome::Idle(_) | WaitOutcome::Ended | WaitOutcome::Delivered => None,
    };
    let (said, failure_seen) = (relay.into_output(), failed && waited != WaitOutcome::Ended);
    link.end(if was_cut { End::Exited(0) } else { execution.end });
    if !failed {
        tester.time_left = tester.time_left.saturating_sub(began.elapsed());
    }
    if has_one_socket {
        unread.show_end_of_output();
    }
    tester.unread = unread;
    Ok(Run { execution, said, failure_seen, undecided })
}

/// The result of a trial whose solver has failed before the tester decided.
fn without_ruling(run: Run, tester: &Tester, idleness: Idleness) -> io::Result<SolverRun> {
    // The tester has started the solver again, which waits.
    let waits_for_another = run.execution.breaches.contains(&Breach::Wall) && is_readable(&tester.stub)?;
    let decision = match waits_for_another {
        true => InteractorDecision::Failed(
            "the tester started the solver again before its first run had ended: one runs at a time".to_owned(),
        ),
        false => InteractorDecision::None(idleness, String::new()),
    };
    Ok(SolverRun::new(run.execution, Some(decision)))
}

/// The result of a trial whose tester was killed.
fn conclude_timed_out(runs: Vec<Run>, why: String) -> Result<SolverRun, ConverseError> {
    let Some(first) = runs.into_iter().next() else { return Err(ConverseError::Tester(why)) };
    Ok(match first.failure_seen {
        true => SolverRun::undecided(first.execution),
        false => SolverRun::new(first.execution, Some(InteractorDecision::Failed(format!("the tester {why}")))),
    })
}

/// The result of a trial whose tester has ended without being killed. If it gave no ruling and the solver failed, the
/// solver is at fault.
fn conclude(tester: Tester, runs: Vec<Run>, metrics: &[MetricRule]) -> Result<SolverRun, ConverseError> {
    let mut runs = runs.into_iter();
    let Some(first) = runs.next() else {
        return Err(ConverseError::Tester(tester.end_with_reason("ended with {status} without starting the solver")));
    };
    let later = runs.find(|run| run.failure_seen);
    let Tester { running, protocol, call, mut stdout, .. } = tester;
    let ended = call.with_files(running.end()?)?;
    let mut reports = command::reports(verdict::interactor_protocol(&protocol), &ended.files);
    let stdout = command::printed(&mut stdout, "the tester")?;
    let output = CallOutput { status: ended.status, stdout: &stdout, stderr: &ended.stderr, reports: &reports };
    let ruling = verdict::tester_ruling(&protocol, &output, later.is_some());
    let written = reports.first_mut().and_then(Option::take).unwrap_or_default();
    let decision = match (ruling, later) {
        (Ok(ruling @ Ruling::Accepted(_)), _) => match verdict::metrics_in(&written, metrics) {
            Ok(metrics) => InteractorDecision::Decided(Decision { ruling, metrics }),
            Err(error) => InteractorDecision::Failed(format!("the tester {error}")),
        },
        (_, Some(later)) => return Ok(SolverRun::undecided(later.execution)),
        (Ok(rejected), None) => InteractorDecision::Decided(rejected.into()),
        (Err(_), None) if first.failure_seen => return Ok(SolverRun::undecided(first.execution)),
        (Err(error), None) => InteractorDecision::Failed(format!("the tester {error}")),
    };
    // The tester's standard output is the answer, unless it prints its score there.
    let has_score = matches!(&protocol, CheckerProtocol::Regex(search) if search.stream == ScoreStream::Stdout);
    let execution = Execution { stdout: if has_score { first.said } else { stdout }, ..first.execution };
    Ok(SolverRun { written, ..SolverRun::new(execution, Some(decision)) })
}

/// Returns a descriptor that becomes readable when one of these is ready, or is closed at its other end.
fn watched(fds: &[(Option<BorrowedFd<'_>>, EventFlags)]) -> io::Result<OwnedFd> {
    let watched = epoll::create(CreateFlags::CLOEXEC)?;
    for (fd, flags) in fds {
        match fd.map_or(Ok(()), |fd| epoll::add(&watched, fd, EventData::new_u64(0), *flags)) {
            // A file on a disk has no other end.
            Ok(()) | Err(Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(watched)
}

fn is_readable(fd: impl AsFd) -> io::Result<bool> {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    Ok(rustix::event::poll(&mut fds, Some(&Timespec::default()))? > 0)
}

/// The pause between two checks of whether the run was stopped.
const PAUSE: Duration = Duration::from_millis(50);

/// A running tester. When this is dropped, it is killed.
struct Tester {
    running: Running,
    stub: Stub,
    protocol: CheckerProtocol,
    call: OutsideCall,
    stdout: File,
    /// The input of its last solver, which has ended.
    unread: UnreadInput,
    /// How long it may still run without the solver.
    time_left: Duration,
}

/// The next action of a tester.
enum Next {
    /// It starts the solver.
    Start(StubCall),
    /// It has ended.
    End,
    /// It has used up its time.
    Timeout,
}

impl Tester {
    /// Starts a tester. The case is its standard input, unless its command names the file or the seed.
    fn start(Partner { program, case, time, core }: Partner<'_>) -> Result<Self, ConverseError> {
        let command = &program.program.command;
        let protocol = program.protocol.clone();
        let speaks = verdict::interactor_protocol(&protocol);
        let stub = Stub::create(command::SUPERVISORS.executable()).map_err(ConverseError::Prepare)?;
        let seed = case.seed.map(|seed| seed.to_string()).unwrap_or_default();
        let more = [("solver", stub.path()), ("seed", Path::new(&seed))];
        let files = CallInput { input: &case.input, answer: None, expected: case.expected.as_deref(), more: &more };
        let call = OutsideCall::of(&program.program, speaks, files)?;
        let names_case = ["{input}", "{seed}"].iter().any(|name| command.line.contains(name));
        let stdin = command::stored(if names_case { &[] } else { &case.input }).map_err(ConverseError::Prepare)?;
        let stdout = tempfile::tempfile().map_err(ConverseError::Prepare)?;
        let running = call.start([stdin.as_fd(), stdout.as_fd()], core)?;
        let unread = UnreadInput::default();
        Ok(Self { running, stub, call, stdout, unread, time_left: time, protocol })
    }

    /// Waits for its next action.
    fn next(&mut self, stopped: &AtomicBool) -> Result<Next, ConverseError> {
        let began = Instant::now();
        let next = loop {
            let left = self.time_left.saturating_sub(began.elapsed());
            if stopped.load(Ordering::SeqCst) {
                return Err(Fault::Cancelled.into());
            }
            let mut fds = vec![
                PollFd::new(&self.stub, PollFlags::IN),
                PollFd::from_borrowed_fd(self.running.ended(), PollFlags::IN),
            ];
            fds.extend(self.unread.poll());
            let pause = Timespec { tv_sec: 0, tv_nsec: left.min(PAUSE).subsec_nanos().into() };
            match rustix::event::poll(&mut fds, Some(&pause)) {
                Ok(0) if left.is_zero() => break Next::Timeout,
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
            // Its end comes first: requests of its remaining children are ignored.
            if !fds[1].revents().is_empty() {
                break Next::End;
            }
            drop(fds);
            self.unread.drop_some()?;
            if let Some(call) = self.stub.call()? {
                break Next::Start(call);
            }
        };
        self.time_left = self.time_left.saturating_sub(began.elapsed());
        Ok(next)
    }

    /// Ends it, and returns a message: how it ended, and the end of its standard error.
    fn end_with_reason(self, before: &str) -> String {
        let ended = match self.running.end() {
            Ok(ended) => ended,
            Err(error) => return error.to_string(),
        };
        before.replace("{status}", &ended.status.to_string()) + &after_colon(&tail(&ended.stderr))
    }
}
