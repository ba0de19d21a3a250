//! The processes of a judge, seen from outside.

use crate::support::pace::awaited;
use std::fs;
use std::process::Child;
use std::time::Duration;

/// One process: its id may come again, but not with the same start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) name: String,
    started: u64,
    parent: u32,
    is_dead: bool,
}

impl Process {
    pub(crate) fn of(pid: u32) -> Option<Process> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (head, tail) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        let fields: Vec<_> = tail.split_whitespace().collect();
        let is_dead = matches!(fields[0], "Z" | "X");
        Some(Process { pid, name, started: fields[19].parse().ok()?, parent: fields[1].parse().ok()?, is_dead })
    }

    /// Neither gone nor a zombie that has not been reaped.
    pub(crate) fn lives(&self) -> bool {
        Process::of(self.pid).is_some_and(|now| now.started == self.started && !now.is_dead)
    }

    pub(crate) fn is_zombie(&self) -> bool {
        self.is_dead
    }

    /// A figure of `/proc/PID/status`, in its unit (KiB, or none).
    pub(crate) fn status(&self, field: &str) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// How many files it has open.
    pub(crate) fn files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.pid)).map_or(0, Iterator::count)
    }
}

/// This process and all its descendants.
pub(crate) fn family(pid: u32) -> Vec<Process> {
    let all = all();
    let mut found: Vec<_> = all.iter().filter(|process| process.pid == pid).cloned().collect();
    let mut next = 0;
    while let Some(parent) = found.get(next).map(|process| process.pid) {
        found.extend(all.iter().filter(|process| process.parent == parent).cloned());
        next += 1;
    }
    found
}

/// All processes with this text in their command line.
pub(crate) fn with_command_line(text: &str) -> Vec<Process> {
    let has_text = |process: &Process| {
        let line = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    };
    all().into_iter().filter(has_text).collect()
}

fn all() -> Vec<Process> {
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Process::of).collect()
}

/// Waits until a judge runs this many processes of the test program, and returns its whole family.
pub(crate) fn family_with(judge: &Child, solvers: usize) -> Vec<Process> {
    awaited(Duration::from_secs(20), "the program starts", || {
        let family = family(judge.id());
        (family.iter().filter(|process| process.name == "solver").count() >= solvers).then_some(family)
    })
}

/// Waits until all of these processes have ended: a second is to be enough.
pub(crate) fn assert_all_end(family: &[Process], what: &str) {
    awaited(Duration::from_secs(1), &format!("no process of {what} lives on"), || {
        family.iter().all(|process| !process.lives()).then_some(())
    });
}

/// A process that is killed at the latest when the test is done with it.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
