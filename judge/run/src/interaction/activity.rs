//! The activity of an interactor's processes: it distinguishes one that waits from one that is about to decide.

use judge_sandbox::process_stat;
use std::fs;
use std::path::{Path, PathBuf};

/// What a sleeping thread wakes from by itself: a pause, and a wait for the judge, which reads what is printed on standard
/// error and lets new processes start.
const WAKING: [&str; 3] = ["nanosleep", "pipe_write", "seccomp"];

/// A sample of the activity of some processes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Activity {
    /// Some thread runs, is ready to run, or waits for a disk.
    pub(super) runs: bool,
    /// Some thread sleeps, and will wake by itself.
    pub(super) sleeps: bool,
    /// The program has not started, or its end is about to be noticed.
    pub(super) changes: bool,
    /// How often each thread was scheduled: while this stays the same, no thread ran.
    turns: Vec<(PathBuf, u64)>,
}

/// Samples every thread of these processes, which are all of an interactor's.
pub(super) fn of(processes: &[u32]) -> Activity {
    let mut activity = Activity::default();
    for process in processes {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let Some(Stat { state, parent }) = stat(&folder) else { continue };
        if matches!(state, 'Z' | 'X') {
            // One that has ended is waited for by its parent: soon, if that is the sandbox.
            activity.changes |= !processes.contains(&parent);
        }
        let Ok(threads) = fs::read_dir(folder.join("task")) else { continue };
        threads.flatten().for_each(|thread| activity.add(thread.path()));
    }
    activity.changes |= activity.turns.is_empty();
    activity
}

impl Activity {
    fn add(&mut self, thread: PathBuf) {
        let Some(Stat { state, .. }) = stat(&thread) else { return };
        if matches!(state, 'Z' | 'X') {
            return;
        }
        self.runs |= matches!(state, 'R' | 'D');
        let place = fs::read_to_string(thread.join("wchan")).unwrap_or_default();
        self.sleeps |= WAKING.iter().any(|name| place.contains(name));
        let numbers = fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
        let turns = numbers.split_whitespace().nth(2).and_then(|number| number.parse().ok());
        self.turns.push((thread, turns.unwrap_or_default()));
    }
}

struct Stat {
    state: char,
    parent: u32,
}

fn stat(folder: &Path) -> Option<Stat> {
    let text = process_stat(folder)?;
    let mut fields = text.split(' ');
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    Some(Stat { state, parent })
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
        fn activity(&self) -> Activity {
            let id = self.0.id();
            let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
            let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
            of(&std::iter::once(id).chain(children).collect::<Vec<_>>())
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
            if expected(&running.activity()) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        false
    }

    #[test]
    fn who_reads_is_still_and_who_computes_is_not() {
        let reader = start("read line");
        let still = |activity: &Activity| !activity.runs && !activity.sleeps && *activity == reader.activity();
        assert!(becomes(&reader, still));
        let computer = start("while :; do :; done");
        assert!(becomes(&computer, |activity| activity.runs && !activity.sleeps));
    }

    #[test]
    fn a_process_whose_name_is_no_text_is_seen() {
        // As the kernel cuts a long name in the middle of a letter.
        let named = start(r"printf 'b\321' > /proc/self/comm; read line");
        assert!(becomes(&named, |_| fs::read(format!("/proc/{}/comm", named.0.id())).unwrap().contains(&0o321)));
        assert!(becomes(&named, |activity| !activity.changes && activity.turns.len() == 1));
    }

    #[test]
    fn a_child_that_works_is_seen_and_so_is_a_pause() {
        let parent = start("(while :; do :; done) & wait");
        assert!(becomes(&parent, |activity| activity.runs && activity.turns.len() == 2));
        let sleeper = start("sleep 60");
        let asleep = |activity: &Activity| activity.sleeps && !activity.runs && *activity == sleeper.activity();
        assert!(becomes(&sleeper, asleep));
    }

    #[test]
    fn an_end_that_was_not_noticed_is_a_change() {
        assert!(of(&[]).changes);
        let ended = start("exit");
        assert!(becomes(&ended, |activity| activity.changes && activity.turns.is_empty()));
        let parent = start("exit & while :; do read line; done");
        assert!(becomes(&parent, |activity| !activity.changes && activity.turns.len() == 1));
    }
}
