//! The typical ends of a conversation under every protocol, on a busy machine: each has one verdict, on every
//! repetition.

use super::{assert_always, repeats, scene_with};
use std::sync::atomic::{AtomicBool, Ordering};

/// How an interactor is called under a protocol, and how it accepts and rejects.
struct Speech {
    protocol: &'static str,
    command: &'static str,
    accept: &'static str,
    reject: &'static str,
}

const SPEECHES: [Speech; 3] = [
    Speech {
        protocol: "judge",
        command: "./player report-to={report}",
        accept: "report=1",
        reject: "report=no exit=1",
    },
    Speech { protocol: "testlib", command: "./player", accept: "exit=0", reject: "exit=1" },
    Speech { protocol: "kattis", command: "./player", accept: "exit=42", reject: "exit=43" },
];

/// The interactor's actions before its decision, the decision, the solver's actions, and the verdict.
const ENDINGS: [(&str, Decision, &str, &str); 17] = [
    ("say=a hear", Decision::Accept, "hear say=good", "accepted"),
    ("say=a hear", Decision::Reject, "hear say=bad", "wrong-answer"),
    ("hear", Decision::Reject, "say=bad hear", "wrong-answer"),
    ("hear", Decision::Reject, "say=bad crash", "wrong-answer"),
    ("hear pause=20", Decision::Reject, "say=bad crash", "wrong-answer"),
    ("hear", Decision::Reject, "say=bad say=worse exit=1", "wrong-answer"),
    ("hear try-to-hear", Decision::Accept, "say=a close=1 pause=5", "accepted"),
    ("hear close=1 try-to-hear", Decision::Accept, "say=a try-to-hear", "accepted"),
    ("hear", Decision::Accept, "say=a wait", "accepted"),
    ("hear", Decision::Reject, "say=bad compute=100000", "wrong-answer"),
    ("hear", Decision::Accept, "say=a pause=5 say=b flood=1", "accepted"),
    ("hear pause=250", Decision::Accept, "say=a exit=0", "accepted"),
    ("hear pause=250", Decision::Reject, "say=bad exit=3", "wrong-answer"),
    ("hear hear", Decision::Accept, "say=a exit=3", "runtime-error"),
    ("pour=2000 hear", Decision::Accept, "say=a", "accepted"),
    ("pour=2000 try-to-hear", Decision::Reject, "exit=0", "wrong-answer"),
    ("pour=2000 hear", Decision::Accept, "exit=3", "runtime-error"),
];

#[derive(Clone, Copy)]
enum Decision {
    Accept,
    Reject,
}

/// Computes on every core until it is dropped.
struct Load<'a>(&'a AtomicBool);

impl Drop for Load<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn every_protocol_gives_one_verdict() {
    SPEECHES.iter().for_each(|speech| hold_all(speech, 1));
}

#[test]
#[ignore = "long: it keeps every core busy"]
fn every_protocol_gives_one_verdict_when_busy() {
    let is_over = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let _load = Load(&is_over);
        for _ in 0..cores {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    std::hint::spin_loop();
                }
            });
        }
        // One protocol at a time: the machine is busy enough.
        SPEECHES.iter().for_each(|speech| hold_all(speech, (repeats() / 2).max(2)));
    });
}

/// Runs each ending this many times.
fn hold_all(speech: &Speech, times: usize) {
    let Speech { protocol, command, accept, reject } = speech;
    std::thread::scope(|scope| {
        for (before, decision, solver, verdict) in ENDINGS {
            scope.spawn(move || {
                let decision = match decision {
                    Decision::Accept => accept,
                    Decision::Reject => reject,
                };
                let interactor = format!("{command} {before} {decision}");
                let keys = format!("interactor-command = \"{interactor}\"\nchecker-protocol = \"{protocol}\"");
                let Some(folder) = scene_with(&keys) else { return };
                assert_always(
                    &folder,
                    &format!("{protocol} `{interactor}`"),
                    solver,
                    verdict,
                    times,
                    &["--wall", "60s"],
                );
            });
        }
    });
}
