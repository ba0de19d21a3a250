//! How a program's end becomes a verdict, alone or with the decision of an interactor.

use super::Decision;
use crate::{Limits, Verdict, after_colon};
use judge_sandbox::{Breach, End, Execution};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Termination {
    /// It exited with code 0 within its limits, so its answer can be checked.
    Clean,
    /// It failed, with the verdict and the reason.
    Failed(Verdict, String),
}

/// Returns how a run ended. If several reasons apply, the first one in this order counts: cannot start, output, disk,
/// CPU time, wall time, memory, processes, runtime error.
pub fn termination(execution: &Execution, limits: &Limits) -> Termination {
    let precedence = [Breach::Output, Breach::Disk, Breach::Cpu, Breach::Wall, Breach::Memory, Breach::Processes];
    let (verdict, note) = match (execution.end, breach_of(execution, &precedence, limits)) {
        (End::NotStarted(errno), _) => (Verdict::CannotStart, std::io::Error::from_raw_os_error(errno).to_string()),
        (_, Some(breached)) => breached,
        (End::Exited(0), None) => return Termination::Clean,
        (End::Exited(code), None) => (Verdict::RuntimeError, format!("exit code {code}")),
        (End::Signalled(signal), None) => (Verdict::RuntimeError, format!("killed by {}", signal_name(signal))),
    };
    Termination::Failed(verdict, note)
}

/// Returns the verdict and reason of the first of these breaches that occurred.
fn breach_of(execution: &Execution, among: &[Breach], limits: &Limits) -> Option<(Verdict, String)> {
    Some(match among.iter().find(|breach| execution.breaches.contains(breach))? {
        Breach::Output => (Verdict::OutputLimit, format!("more than {} on standard output", limits.output)),
        Breach::Disk => (Verdict::OutputLimit, format!("more than {} or too many files on disk", limits.disk())),
        Breach::Cpu => (Verdict::TimeLimit, format!("more than {} of CPU time", limits.cpu)),
        Breach::Wall => (Verdict::WallLimit, format!("more than {} on the clock", limits.wall)),
        Breach::Memory => (Verdict::MemoryLimit, format!("more than {} of memory", limits.memory)),
        Breach::Processes => (
            Verdict::ProcessLimit,
            match limits.processes {
                1 => "more than 1 process or thread".to_owned(),
                most => format!("more than {most} processes and threads"),
            },
        ),
    })
}

/// Returns a signal with its name, if it has one: `signal 11 (SIGSEGV)`.
fn signal_name(signal: i32) -> String {
    let name = ExitStatus::from_raw(signal).to_string().replacen("signal: ", "signal ", 1);
    name.replacen("SIGXFSZ", "SIGXFSZ: a file larger than allowed", 1)
}

/// The interactor's decision. The interactor sees the end of the solver's output only if the solver exits with code 0
/// within its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InteractorDecision {
    /// It accepted or rejected.
    Decided(Decision),
    /// It failed, with the reason. This is never the solver's fault.
    Failed(String),
    /// It was still running some time after the solver's end and was killed. Contains the end of its standard error.
    None(Idleness, String),
}

/// What an interactor without a decision did after the solver's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idleness {
    /// It waited or printed without end.
    Waiting,
    /// It computed all the time.
    Computing,
}

/// Returns the decision on a conversation, or the verdict and the reason if there is no valid one.
///
/// The interactor reads everything that the solver prints, and its decision holds no matter how the solver ends: a
/// wrong move is a wrong answer even if a crash, too much output or too much memory follows. Time limits are the
/// exception: a solver that exceeds one before the decision fails.
pub fn interactive_verdict(
    execution: &Execution,
    ending: Termination,
    limits: &Limits,
    decision: InteractorDecision,
) -> Result<Decision, (Verdict, String)> {
    match (decision, ending) {
        (_, Termination::Failed(Verdict::CannotStart, note)) => Err((Verdict::CannotStart, note)),
        (InteractorDecision::Failed(why), _) => Err((Verdict::JudgeError, why)),
        (InteractorDecision::Decided(decision), _) => {
            breach_of(execution, &[Breach::Cpu, Breach::Wall], limits).map_or(Ok(decision), Err)
        }
        (InteractorDecision::None(_, stderr), Termination::Clean) => {
            let why = "the interactor was still running after the solver's end: it must decide when its input ends";
            Err((Verdict::JudgeError, format!("{why}{}", after_colon(&stderr))))
        }
        (InteractorDecision::None(Idleness::Computing, stderr), Termination::Failed(Verdict::WallLimit, note)) => {
            let why = format!("{note}, and the interactor was still computing{}", after_colon(&stderr));
            Err((Verdict::JudgeError, why))
        }
        (InteractorDecision::None(..), Termination::Failed(verdict, note)) => Err((verdict, note)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ruling;
    use crate::limits::{Bytes, Time};
    use judge_sandbox::Usage;
    use std::time::Duration;

    fn execution(end: End, breaches: &[Breach]) -> Execution {
        Execution { end, breaches: breaches.to_vec(), usage: Usage::default(), stdout: vec![], stderr: vec![] }
    }

    fn verdict(end: End, breaches: &[Breach]) -> Option<Verdict> {
        let cpu = Time(Duration::from_secs(4));
        let limits =
            Limits { cpu, wall: Limits::default_wall(cpu), memory: Bytes(1 << 20), output: Bytes(10), processes: 1 };
        match termination(&execution(end, breaches), &limits) {
            Termination::Clean => None,
            Termination::Failed(verdict, note) => {
                assert!(verdict != Verdict::ProcessLimit || note == "more than 1 process or thread", "{note}");
                Some(verdict)
            }
        }
    }

    #[test]
    fn the_weightiest_breach_decides() {
        use Breach::{Cpu, Disk, Memory, Output, Processes, Wall};
        assert_eq!(verdict(End::Signalled(9), &[Processes, Memory, Wall, Cpu, Output]), Some(Verdict::OutputLimit));
        assert_eq!(verdict(End::Signalled(9), &[Memory, Wall, Cpu, Disk]), Some(Verdict::OutputLimit));
        assert_eq!(verdict(End::Signalled(9), &[Memory, Wall, Cpu]), Some(Verdict::TimeLimit));
        assert_eq!(verdict(End::Signalled(9), &[Memory, Wall]), Some(Verdict::WallLimit));
        assert_eq!(verdict(End::Exited(0), &[Processes, Memory]), Some(Verdict::MemoryLimit));
        assert_eq!(verdict(End::Exited(0), &[Processes]), Some(Verdict::ProcessLimit));
        assert_eq!(verdict(End::NotStarted(2), &[Output]), Some(Verdict::CannotStart));
    }

    #[test]
    fn without_a_breach_the_exit_decides() {
        assert_eq!(verdict(End::Exited(0), &[]), None);
        assert_eq!(verdict(End::Exited(3), &[]), Some(Verdict::RuntimeError));
        assert_eq!(verdict(End::Signalled(9), &[]), Some(Verdict::RuntimeError));
        assert_eq!(verdict(End::Signalled(24), &[]), Some(Verdict::RuntimeError));
        let names = [11, 25, 40].map(signal_name);
        let fsz = "signal 25 (SIGXFSZ: a file larger than allowed)";
        assert_eq!(names, ["signal 11 (SIGSEGV)", fsz, "signal 40"]);
    }

    /// The verdict on a solver with this end. `None` is the interactor's decision.
    fn verdict_on(end: End, breaches: &[Breach], decision: InteractorDecision) -> Option<Verdict> {
        let cpu = Time(Duration::from_secs(4));
        let limits = Limits { cpu, wall: Limits::default_wall(cpu), memory: Bytes(1), output: Bytes(10), processes: 1 };
        let usage = Usage::default();
        let execution = Execution { end, breaches: breaches.to_vec(), usage, stdout: vec![], stderr: vec![] };
        match interactive_verdict(&execution, termination(&execution, &limits), &limits, decision) {
            Ok(_) => None,
            Err((verdict, _)) => Some(verdict),
        }
    }

    const WELL: End = End::Exited(0);
    const KILLED: End = End::Signalled(9);
    const WAITING: InteractorDecision = InteractorDecision::None(Idleness::Waiting, String::new());
    const COMPUTING: InteractorDecision = InteractorDecision::None(Idleness::Computing, String::new());

    fn accepted() -> InteractorDecision {
        InteractorDecision::Decided(Ruling::Accepted(3.into()).into())
    }

    fn rejected() -> InteractorDecision {
        InteractorDecision::Decided(Ruling::rejected("too far".to_owned()).into())
    }

    fn failed() -> InteractorDecision {
        InteractorDecision::Failed("exit code 2".to_owned())
    }

    #[test]
    fn a_ruling_holds_however_the_solver_ends() {
        for decision in [accepted, rejected] {
            for end in [WELL, End::Exited(3), End::Signalled(11), End::Signalled(13)] {
                assert_eq!(verdict_on(end, &[], decision()), None, "{end:?}");
            }
            for breach in [Breach::Output, Breach::Disk, Breach::Memory, Breach::Processes] {
                assert_eq!(verdict_on(KILLED, &[breach], decision()), None, "{breach:?}");
            }
        }
    }

    #[test]
    fn but_not_when_time_was_up_before() {
        for decision in [accepted, rejected] {
            assert_eq!(verdict_on(WELL, &[Breach::Cpu], decision()), Some(Verdict::TimeLimit));
            assert_eq!(verdict_on(KILLED, &[Breach::Wall], decision()), Some(Verdict::WallLimit));
            assert_eq!(verdict_on(KILLED, &[Breach::Cpu, Breach::Wall], decision()), Some(Verdict::TimeLimit));
        }
    }

    #[test]
    fn without_a_ruling_the_solver_answers_for_its_own_end() {
        use Breach::{Cpu, Memory, Output, Processes, Wall};
        for idle in [WAITING, COMPUTING] {
            assert_eq!(verdict_on(End::Exited(3), &[], idle.clone()), Some(Verdict::RuntimeError));
            assert_eq!(verdict_on(KILLED, &[Output, Memory], idle.clone()), Some(Verdict::OutputLimit));
            assert_eq!(verdict_on(KILLED, &[Cpu, Wall], idle.clone()), Some(Verdict::TimeLimit));
            assert_eq!(verdict_on(KILLED, &[Memory], idle.clone()), Some(Verdict::MemoryLimit));
            assert_eq!(verdict_on(WELL, &[Processes], idle), Some(Verdict::ProcessLimit));
        }
        assert_eq!(verdict_on(KILLED, &[Wall], WAITING), Some(Verdict::WallLimit));
    }

    #[test]
    fn the_interactor_answers_for_itself() {
        assert_eq!(verdict_on(WELL, &[], WAITING), Some(Verdict::JudgeError));
        assert_eq!(verdict_on(WELL, &[], COMPUTING), Some(Verdict::JudgeError));
        assert_eq!(verdict_on(KILLED, &[Breach::Wall], COMPUTING), Some(Verdict::JudgeError));
        for (end, breaches) in [(WELL, &[][..]), (End::Exited(3), &[]), (KILLED, &[Breach::Output])] {
            assert_eq!(verdict_on(end, breaches, failed()), Some(Verdict::JudgeError));
        }
    }

    #[test]
    fn a_solver_that_never_started_said_nothing() {
        for decision in [accepted(), rejected(), failed(), WAITING] {
            assert_eq!(verdict_on(End::NotStarted(2), &[], decision), Some(Verdict::CannotStart));
        }
    }
}
