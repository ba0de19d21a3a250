//! How a conversation of solver and interactor ends: a matter of what was said, not of who was faster.

use super::ending::{Ending, breach_of};
use crate::model::{Limits, Ruling, Verdict};
use judge_sandbox::{Breach, Execution};

/// What came of the interactor, which was shown the end of the solver's output only if the solver ended well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It ruled.
    Ruled(Ruling),
    /// It failed, which is never the solver's fault: why.
    Failed(String),
    /// It had not ended a while after the solver, and was killed.
    None(Idleness),
}

/// What an interactor without a decision was doing after the solver's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idleness {
    /// It waited, for more of the solver's output or for ever, or printed on and on to nobody.
    Waiting,
    /// It computed all the time.
    Computing,
}

/// What came of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The interactor's ruling holds.
    Ruled(Ruling),
    /// It does not, or there is none: the verdict, and why in words.
    Failed(Verdict, String),
}

/// Says what came of a conversation whose solver ended like this.
///
/// All that a solver says before its end is heard, and a ruling on it holds however the solver ended, so that a wrong
/// move is the same mistake whether or not a crash, a flood or too much memory follows. Only time that was up before
/// the ruling came is still held against the solver.
#[must_use]
pub fn settle(execution: &Execution, ending: Ending, limits: &Limits, decision: Decision) -> Settlement {
    match (decision, ending) {
        (_, Ending::Failed(Verdict::CannotStart, note)) => Settlement::Failed(Verdict::CannotStart, note),
        (Decision::Failed(why), _) => Settlement::Failed(Verdict::JudgeError, why),
        (Decision::Ruled(ruling), _) => match breach_of(execution, &[Breach::Cpu, Breach::Wall], limits) {
            Some((verdict, note)) => Settlement::Failed(verdict, note),
            None => Settlement::Ruled(ruling),
        },
        (Decision::None(_), Ending::Clean) => Settlement::Failed(
            Verdict::JudgeError,
            "the interactor did not end although the solver had: it is to decide when its input ends".to_owned(),
        ),
        (Decision::None(Idleness::Computing), Ending::Failed(Verdict::WallLimit, note)) => {
            Settlement::Failed(Verdict::JudgeError, format!("{note}, and the interactor was still computing"))
        }
        (Decision::None(_), Ending::Failed(verdict, note)) => Settlement::Failed(verdict, note),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ending::ending;
    use super::*;
    use crate::model::{Bytes, Time};
    use judge_sandbox::{End, Usage};
    use std::time::Duration;

    /// Who ended how, and the verdict; `None` is the interactor's own ruling.
    fn settled(end: End, breaches: &[Breach], decision: Decision) -> Option<Verdict> {
        let cpu = Time(Duration::from_secs(4));
        let limits = Limits { cpu, wall: Limits::default_wall(cpu), memory: Bytes(1), output: Bytes(10), processes: 1 };
        let usage = Usage::default();
        let execution = Execution { end, breaches: breaches.to_vec(), usage, stdout: vec![], stderr: vec![] };
        match settle(&execution, ending(&execution, &limits), &limits, decision) {
            Settlement::Ruled(_) => None,
            Settlement::Failed(verdict, _) => Some(verdict),
        }
    }

    const WELL: End = End::Exited(0);
    const KILLED: End = End::Signalled(9);
    const WAITING: Decision = Decision::None(Idleness::Waiting);
    const COMPUTING: Decision = Decision::None(Idleness::Computing);

    fn accepted() -> Decision {
        Decision::Ruled(Ruling::Accepted(3.into()))
    }

    fn rejected() -> Decision {
        Decision::Ruled(Ruling::Rejected { place: String::new(), reason: "too far".to_owned() })
    }

    fn failed() -> Decision {
        Decision::Failed("exit code 2".to_owned())
    }

    #[test]
    fn a_ruling_holds_however_the_solver_ends() {
        for decision in [accepted, rejected] {
            for end in [WELL, End::Exited(3), End::Signalled(11), End::Signalled(13)] {
                assert_eq!(settled(end, &[], decision()), None, "{end:?}");
            }
            for breach in [Breach::Output, Breach::Disk, Breach::Memory, Breach::Processes] {
                assert_eq!(settled(KILLED, &[breach], decision()), None, "{breach:?}");
            }
        }
    }

    #[test]
    fn but_not_when_time_was_up_before() {
        for decision in [accepted, rejected] {
            assert_eq!(settled(WELL, &[Breach::Cpu], decision()), Some(Verdict::TimeLimit));
            assert_eq!(settled(KILLED, &[Breach::Wall], decision()), Some(Verdict::WallLimit));
            assert_eq!(settled(KILLED, &[Breach::Cpu, Breach::Wall], decision()), Some(Verdict::TimeLimit));
        }
    }

    #[test]
    fn without_a_ruling_the_solver_answers_for_its_own_end() {
        use Breach::{Cpu, Memory, Output, Processes, Wall};
        for idle in [WAITING, COMPUTING] {
            assert_eq!(settled(End::Exited(3), &[], idle.clone()), Some(Verdict::RuntimeError));
            assert_eq!(settled(KILLED, &[Output, Memory], idle.clone()), Some(Verdict::OutputLimit));
            assert_eq!(settled(KILLED, &[Cpu, Wall], idle.clone()), Some(Verdict::TimeLimit));
            assert_eq!(settled(KILLED, &[Memory], idle.clone()), Some(Verdict::MemoryLimit));
            assert_eq!(settled(WELL, &[Processes], idle), Some(Verdict::ProcessLimit));
        }
        assert_eq!(settled(KILLED, &[Wall], WAITING), Some(Verdict::WallLimit));
    }

    #[test]
    fn the_interactor_answers_for_itself() {
        assert_eq!(settled(WELL, &[], WAITING), Some(Verdict::JudgeError));
        assert_eq!(settled(WELL, &[], COMPUTING), Some(Verdict::JudgeError));
        assert_eq!(settled(KILLED, &[Breach::Wall], COMPUTING), Some(Verdict::JudgeError));
        for (end, breaches) in [(WELL, &[][..]), (End::Exited(3), &[]), (KILLED, &[Breach::Output])] {
            assert_eq!(settled(end, breaches, failed()), Some(Verdict::JudgeError));
        }
    }

    #[test]
    fn who_never_started_said_nothing() {
        for decision in [accepted(), rejected(), failed(), WAITING] {
            assert_eq!(settled(End::NotStarted(2), &[], decision), Some(Verdict::CannotStart));
        }
    }
}
