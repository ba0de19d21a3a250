//! Limits that a busy machine keeps: a test that fails for time alone runs again with longer ones.

#![allow(dead_code, reason = "each test asks for some of it")]

use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The environment variable that tells how much slower than a real machine this one is: an emulated one gets more time.
const SLOWNESS: &str = "JUDGE_SLOWNESS";

/// What the limits are multiplied by, from try to try. A program that hangs hangs in all of them.
const STRETCHES: [u32; 4] = [1, 2, 4, 8];

thread_local! {
    /// The factor of the try that this thread is in, if it is in one.
    static STRETCH: Cell<Option<u32>> = const { Cell::new(None) };
}

/// What a try ends with that was too slow.
struct Late(String);

/// By how much all limits are longer on this machine than on a real one.
fn slowness_of_machine() -> u32 {
    std::env::var(SLOWNESS).map_or(1, |factor| factor.parse().unwrap())
}

/// By how much all limits are longer than on an idle real machine.
pub(crate) fn slowness() -> u32 {
    slowness_of_machine() * STRETCH.get().unwrap_or(1)
}

/// What takes `time` on an idle real machine, here and in this try.
pub(crate) fn patiently(time: Duration) -> Duration {
    time * slowness()
}

/// What measures `most` on a real machine measures no more here: emulated processors also count the time in which
/// their host did something else.
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

/// Runs `test`, and while it is too slow, again, with limits twice as long each time. `Err` says what was too slow in
/// the last try.
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

/// Past the test harness, which would keep it to itself; in one piece, beside what other tests print.
fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Asks again and again until there is an answer, which `what` says in words, for so long.
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
