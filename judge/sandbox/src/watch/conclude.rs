//! What is answered about a run, from what its meters and streams hold.

use std::time::Duration;

use crate::api::execution::{Breach, End, Usage};
use crate::api::request::Limits;
use crate::protocol::messages::{Answer, Captured};
use crate::watch::capture::Stream;
use crate::watch::meter::Totals;
use crate::watch::reaper::Finished;

/// The answer for a program that `execve` refused.
pub(crate) fn refused(errno: i32) -> Answer {
    Answer {
        end: End::NotStarted(errno),
        breaches: Vec::new(),
        usage: Usage::default(),
        stdout: Captured::Here(Vec::new()),
        stderr: Captured::Here(Vec::new()),
        made: Ok(Vec::new()),
    }
}

/// The answer for a program that ran: its end, the limits that it passed, what it used.
pub(crate) fn conclude(
    limits: &Limits,
    finished: &Finished,
    mut breaches: Vec<Breach>,
    totals: &Totals,
    stdout: &mut Stream,
    stderr: &mut Stream,
) -> Answer {
    let cpu = Duration::from_nanos(totals.cpu);
    // Where a hypervisor takes the core away, it is killed for what it used up to a tick before its limit.
    let killed_at = limits.cpu.filter(|_| breaches.contains(&Breach::Cpu));
    let usage = Usage {
        cpu: killed_at.map_or(cpu, |limit| cpu.max(limit)),
        wall: finished.run_time(),
        memory: Some(totals.memory),
        stdout_bytes: stdout.seen,
        stderr_bytes: stderr.seen,
        relayed_bytes: stdout.relayed(),
        run_delay: finished.run_delay.map(Duration::from_nanos),
        stolen: None,
    };
    let mut passed = |breach, holds: bool| {
        if holds {
            breaches.push(breach)
        }
    };
    passed(Breach::Output, stdout.overflowed());
    passed(Breach::Cpu, limits.cpu.is_some_and(|limit| usage.cpu > limit));
    passed(Breach::Wall, limits.wall.is_some_and(|limit| usage.wall > limit));
    passed(Breach::Memory, totals.out_of_memory || limits.memory.is_some_and(|limit| totals.memory > limit));
    passed(Breach::Processes, totals.out_of_processes);
    breaches.sort();
    breaches.dedup();
    Answer {
        end: ending(finished),
        breaches,
        usage,
        stdout: stdout.take_captured(),
        stderr: stderr.take_captured(),
        made: Ok(Vec::new()),
    }
}

fn ending(finished: &Finished) -> End {
    if libc::WIFSIGNALED(finished.status) {
        End::Signalled(libc::WTERMSIG(finished.status))
    } else {
        End::Exited(libc::WEXITSTATUS(finished.status))
    }
}
