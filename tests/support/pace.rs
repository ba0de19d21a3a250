//! Limits that suit a busy machine: a test that fails only because of time runs again with longer limits.

#![allow(dead_code, reason = "each test asks for some of it")]

use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The environment variable with the slowdown of this machine relative to a real one. An emulated one gets more time.
const SLOWNESS: &str = "JUDGE_SLOWNESS";

/// The factors of the limits, from try to try. A program that hangs exceeds all of them.
const STRETCHES: [u32; 4] = [1, 2, 4, 8];

thread_local! {
    /// The factor of the try that this thread is in, if it is in one.
    static STRETCH: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The end of a try that was too slow.
struct Late(String);

/// By how much all limits are longer on this machine than on a real one.
fn slowness_of_machine() -> u32 {
    std::env::var(SLOWNESS).map_or(1, |factor| factor.parse().unwrap())
}

/// By how much all limits are longer than on an idle real machine.
pub(crate) fn slowness() -> u32 {
    slowness_of_machine() * STRETCH.get().unwrap_or(1)
}

/// The allowed time, here and in this try, for work that takes `time` on an idle real machine.
pub(crate) fn patiently(time: Duration) -> Duration {
    time * slowness()
}

/// A value of at most `most` on a real machine is not larger here; but emulated processors also count the time in which
/// their host ran something else.
pub(crate) fn at_most(most: u64) -> u64 {
    let emulated = if slowness_of_machine() == 1 { 1 } else { 2 };
    most * u64::from(slowness()) * emulated
}

/// Unless it `holds`, only the time was too short: ends this try of [`unhurried`].
pub(crate) fn in_time(holds: bool, why: impl FnOnce() -> String) {
    match (holds, STRETCH.get()) {
        (true, _) => {}
        (false, Some(_)) => resume_unwind(Box::new(Late(why()))),
        (false, None) => panic!("{}", why()),
    }
}

/// Runs `test`, and repeats it while it is too slow, with limits twice as long each time. `Err` says what was too slow
/// in the last try.
pub(crate) fn unhurried<T>(what: &str, mut test: impl FnMut() -> T) -> Result<T, String> {
    let mut told = String::new();
    for stretch in STRETCHES {
        STRETCH.set(Some(stretch));
        let result = catch_unwind(AssertUnwindSafe(&mut test));
        STRETCH.set(None);
        match result.map_err(|thrown| thrown.downcast::<Late>()) {
            Ok(value) => return Ok(value),
            Err(Ok(late)) => {
                told = format!("{}, with limits times {stretch}", late.0);
                say(&format!("late: {what}: {told}"));
            }
            Err(Err(other)) => resume_unwind(other),
        }
    }
    Err(told)
}

/// Runs `test` in this thread. A test that hangs ends the whole process as a failure.
pub(crate) fn bounded<T>(limit: Duration, what: &str, test: impl FnOnce() -> T) -> T {
    let (limit, told) = (patiently(limit), format!("FAILED: {what} does not end"));
    let (alive, is_over) = channel::<()>();
    std::thread::spawn(move || {
        if is_over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            say(&told);
            std::process::exit(1);
        }
    });
    let result = test();
    drop(alive);
    result
}

/// Written past the test harness, which would capture it, and in one write, because other tests print, too.
fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Asks repeatedly until there is an answer, for at most this long. `what` describes the answer.
pub(crate) fn awaited<T>(limit: Duration, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        in_time(began.elapsed() < patiently(limit), || format!("not within {limit:?}: {what}"));
        std::thread::sleep(Duration::from_millis(1));
    }
}
