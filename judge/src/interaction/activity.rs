//! The activity of a process group: it distinguishes an interactor that waits from one that is about to decide.

use std::fs;
use std::path::Path;

/// A sample of a process group's activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Activity {
    /// Some thread runs, is ready to run, or waits for a disk.
    pub(super) runs: bool,
    /// Some thread sleeps by a timer.
    pub(super) sleeps: bool,
    /// How often each thread was scheduled: while this stays the same, no thread ran.
    turns: Vec<(String, u64)>,
}

/// Samples every thread of a process group. If the kernel gives no information, the group looks idle.
pub(super) fn of_group(group: u32) -> Activity {
    let mut activity = Activity { runs: false, sleeps: false, turns: Vec::new() };
    let Ok(processes) = fs::read_dir("/proc") else { return activity };
    for process in processes.flatten().filter(|entry| is_number(&entry.file_name().to_string_lossy())) {
        if stat(&process.path()).is_none_or(|stat| stat.group != group) {
            continue;
        }
        let Ok(threads) = fs::read_dir(process.path().join("task")) else { continue };
        threads.flatten().for_each(|thread| activity.add(&thread.path()));
    }
    activity
}

impl Activity {
    fn add(&mut self, thread: &Path) {
        let Some(Stat { state, .. }) = stat(thread) else { return };
        self.runs |= matches!(state, 'R' | 'D');
        self.sleeps |= fs::read_to_string(thread.join("wchan")).is_ok_and(|place| place.contains("nanosleep"));
        let numbers = fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
        let turns = numbers.split_whitespace().nth(2).and_then(|number| number.parse().ok());
        self.turns.push((thread.to_string_lossy().into_owned(), turns.unwrap_or_default()));
    }
}

struct Stat {
    state: char,
    group: u32,
}

/// Reads a `stat`. The name of the program is in brackets, and may contain any character.
fn stat(folder: &Path) -> Option<Stat> {
    let text = fs::read_to_string(folder.join("stat")).ok()?;
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some(Stat { state, group })
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    /// A process group, ended when the test is done with it.
    struct Group(Child);

    impl Group {
        fn id(&self) -> u32 {
            self.0.id()
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }

    fn start(script: &str) -> Group {
        Group(Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).process_group(0).spawn().unwrap())
    }

    /// Whether a look comes to be as expected, however slow the machine is.
    fn becomes(running: &Group, expected: impl Fn(&Activity) -> bool) -> bool {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            if expected(&of_group(running.id())) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        false
    }

    #[test]
    fn who_reads_is_still_and_who_computes_is_not() {
        let reader = start("read line");
        let still = |activity: &Activity| !activity.runs && !activity.sleeps && *activity == of_group(reader.id());
        assert!(becomes(&reader, still));
        let computer = start("while :; do :; done");
        assert!(becomes(&computer, |activity| activity.runs && !activity.sleeps));
    }

    #[test]
    fn a_child_that_works_is_seen_and_so_is_a_pause() {
        let parent = start("(while :; do :; done) & wait");
        assert!(becomes(&parent, |activity| activity.runs && activity.turns.len() == 2));
        let sleeper = start("sleep 60");
        let asleep = |activity: &Activity| activity.sleeps && !activity.runs && *activity == of_group(sleeper.id());
        assert!(becomes(&sleeper, asleep));
    }
}
