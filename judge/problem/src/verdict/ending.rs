//! From how one program ended to a verdict.

use crate::model::{Limits, Verdict};
use judge_sandbox::{Breach, End, Execution};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The program ended with exit code 0 and within its limits: its answer can be checked.
    Clean,
    /// It failed: the verdict, and the reason.
    Failed(Verdict, String),
}

/// Returns how a run ended. If several apply, the first of these counts: cannot start, output, disk, CPU time, wall
/// time, memory, processes, runtime error.
#[must_use]
pub fn ending(execution: &Execution, limits: &Limits) -> Ending {
    let precedence = [Breach::Output, Breach::Disk, Breach::Cpu, Breach::Wall, Breach::Memory, Breach::Processes];
    let (verdict, note) = match (execution.end, breach_of(execution, &precedence, limits)) {
        (End::NotStarted(errno), _) => (Verdict::CannotStart, std::io::Error::from_raw_os_error(errno).to_string()),
        (_, Some(breached)) => breached,
        (End::Exited(0), None) => return Ending::Clean,
        (End::Exited(code), None) => (Verdict::RuntimeError, format!("exit code {code}")),
        (End::Signalled(signal), None) => (Verdict::RuntimeError, format!("killed by {}", signal_name(signal))),
    };
    Ending::Failed(verdict, note)
}

/// Returns the verdict and reason of the first of these breaches that occurred.
pub(super) fn breach_of(execution: &Execution, among: &[Breach], limits: &Limits) -> Option<(Verdict, String)> {
    let breach = among.iter().find(|breach| execution.breaches.contains(breach))?;
    Some(breached(*breach, limits))
}

fn breached(breach: Breach, limits: &Limits) -> (Verdict, String) {
    match breach {
        Breach::Output => (Verdict::OutputLimit, format!("more than {} on standard output", limits.output)),
        Breach::Disk => (Verdict::OutputLimit, format!("more than {} or too many files on disk", limits.disk())),
        Breach::Cpu => (Verdict::TimeLimit, format!("more than {} of CPU time", limits.cpu)),
        Breach::Wall => (Verdict::WallLimit, format!("more than {} on the clock", limits.wall)),
        Breach::Memory => (Verdict::MemoryLimit, format!("more than {} of memory", limits.memory)),
        Breach::Processes => (Verdict::ProcessLimit, format!("more than {} processes and threads", limits.processes)),
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ: a file larger than allowed",
        31 => "SIGSYS: a system call that the sandbox forbids",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bytes, Time};
    use judge_sandbox::Usage;
    use std::time::Duration;

    fn execution(end: End, breaches: &[Breach]) -> Execution {
        Execution { end, breaches: breaches.to_vec(), usage: Usage::default(), stdout: vec![], stderr: vec![] }
    }

    fn verdict(end: End, breaches: &[Breach]) -> Option<Verdict> {
        let cpu = Time(Duration::from_secs(4));
        let limits =
            Limits { cpu, wall: Limits::default_wall(cpu), memory: Bytes(1 << 20), output: Bytes(10), processes: 1 };
        match ending(&execution(end, breaches), &limits) {
            Ending::Clean => None,
            Ending::Failed(verdict, _) => Some(verdict),
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
    }
}
