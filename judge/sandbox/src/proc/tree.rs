//! The processes below one process, and what they hold, where no control group tells.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::api::text::{stat_of, text};

/// The descendants of `root`, which may be gone or changed by the time that they are looked at.
pub(crate) fn descendants(root: i32) -> Vec<i32> {
    let mut found = children(root);
    let mut next = 0;
    loop {
        while let Some(&pid) = found.get(next) {
            found.extend(children(pid));
            next += 1;
        }
        // Those who lost their parent meanwhile have become the root's own.
        found.extend(children(root).into_iter().filter(|pid| !found.contains(pid)).collect::<Vec<_>>());
        if next == found.len() {
            return found;
        }
    }
}

/// The processes of a process group.
pub(crate) fn group(id: i32) -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| group_of(*pid) == Some(id)).collect()
}

/// The process group of `pid`.
fn group_of(pid: i32) -> Option<i32> {
    stat_of(pid)?.split(' ').nth(2)?.parse().ok()
}

/// The children of `pid`, whichever of its threads they are of.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| text(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Kills the descendants of `root`, all that can be found at this moment, and no other process: an id that was given
/// away meanwhile is not that of a descendant when it is looked at again.
pub(crate) fn kill_descendants(root: i32) {
    let open = |pid: i32| Some((pid, pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?));
    let found: Vec<_> = descendants(root).into_iter().filter_map(open).collect();
    let still = descendants(root);
    for (_, pidfd) in found.iter().filter(|(pid, _)| still.contains(pid)) {
        // Fails only for one that is dead already.
        let _ = pidfd_send_signal(pidfd, Signal::KILL);
    }
}

/// CPU time, in nanoseconds and a little less, of the processes that `pid` has waited for, and they before.
pub(crate) fn reaped_cpu(pid: i32) -> u64 {
    let stat = stat_of(pid).unwrap_or_default();
    let ticks: u64 = stat.split(' ').skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second()
}

/// Resident bytes of `pid`, its first thread dead or alive.
pub(crate) fn resident(pid: i32) -> u64 {
    let first = resident_of(Path::new(&format!("/proc/{pid}")));
    if first > 0 {
        return first;
    }
    let others = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    others.map(|thread| resident_of(&thread.path())).find(|bytes| *bytes > 0).unwrap_or(0)
}

fn resident_of(task: &Path) -> u64 {
    let pages = text(task.join("statm"));
    let pages = pages.ok().and_then(|statm| statm.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

/// Threads of `pid`.
pub(crate) fn threads(pid: i32) -> u64 {
    fs::metadata(format!("/proc/{pid}/task")).map_or(0, |task| task.nlink().saturating_sub(2))
}

/// Where `/proc` shows a thread of `pid` that has not ended, if there is one.
pub(crate) fn living_thread(pid: i32) -> Option<PathBuf> {
    let is_alive = |task: &PathBuf| text(task.join("statm")).is_ok_and(|statm| !statm.starts_with("0 "));
    let first = PathBuf::from(format!("/proc/{pid}"));
    if is_alive(&first) {
        return Some(first);
    }
    fs::read_dir(first.join("task")).ok()?.flatten().map(|thread| thread.path()).find(is_alive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn grandchildren_are_found() {
        let own = std::process::id() as i32;
        let mut shell =
            Command::new("/bin/sh").args(["-c", "sleep 60 & read x"]).stdin(Stdio::piped()).spawn().unwrap();
        let shell_pid = shell.id() as i32;
        let mut found = Vec::new();
        for _ in 0..1000 {
            found = descendants(own);
            if descendants(shell_pid).len() == 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let sleeper = descendants(shell_pid);
        assert_eq!(sleeper.len(), 1);
        found.extend(&sleeper);
        assert!(found.contains(&shell_pid) && found.contains(&sleeper[0]));
        assert!(group_of(own).is_some_and(|id| group(id).contains(&sleeper[0])));
        assert!(resident(shell_pid) > 100_000);
        assert_eq!(threads(shell_pid), 1);
        assert!(living_thread(shell_pid).is_some());
        // SAFETY: a system call without pointers, on a process that this test started.
        unsafe { libc::kill(sleeper[0], libc::SIGKILL) };
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
