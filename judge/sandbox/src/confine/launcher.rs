//! A thread that starts programs. It alone has the filter on that they inherit: the kernel translates that once, not for
//! each of them, and the rest of the process goes on without.

use parking_lot::Mutex;
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

use crate::api::execution::Fault;
use crate::api::fault::Context;

/// A launch makes its child's stack elsewhere.
const STACK_BYTES: usize = 256 * 1024;

type Work = Box<dyn FnOnce() + Send>;

/// The thread, which ends with this. What it starts are children of the whole process: any thread can wait for them, or
/// for the signal that one has ended.
pub(crate) struct Launcher {
    desk: Arc<Desk>,
    thread: Thread,
    /// Not for two threads at once.
    one_at_a_time: PhantomData<Cell<()>>,
}

/// What lies before the thread.
#[derive(Default)]
struct Desk {
    work: Mutex<Option<Work>>,
    is_done: AtomicBool,
    is_closed: AtomicBool,
}

impl Launcher {
    /// Starts the thread. What the caller has blocked of signals is blocked there, too.
    pub(crate) fn start() -> Result<Launcher, Fault> {
        let desk = Arc::<Desk>::default();
        let theirs = Arc::clone(&desk);
        let thread = thread::Builder::new().name("launcher".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn(move || theirs.serve()).context("starting a thread")?.thread().clone();
        Ok(Launcher { desk, thread, one_at_a_time: PhantomData })
    }

    /// Does `work` there and returns what it returned. Nothing spins meanwhile: the program needs the core.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let mut result = None;
        let (place, waiting) = (&mut result, thread::current());
        let desk = Arc::clone(&self.desk);
        let work: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
            *place = Some(catch_unwind(AssertUnwindSafe(work)));
            desk.is_done.store(true, Ordering::Release);
            waiting.unpark();
        });
        // SAFETY: all that it borrows outlives this function's wait for its last use of that.
        let work = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Work>(work) };
        *self.desk.work.lock() = Some(work);
        self.thread.unpark();
        while !self.desk.is_done.swap(false, Ordering::Acquire) {
            thread::park();
        }
        match result {
            Some(Ok(result)) => result,
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("work that is done has a result"),
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.desk.is_closed.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Desk {
    fn serve(&self) {
        while !self.is_closed.load(Ordering::Acquire) {
            let work = self.work.lock().take();
            match work {
                Some(work) => work(),
                None => thread::park(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_there_and_its_panic_comes_back() {
        let launcher = Launcher::start().unwrap();
        let words = ["one".to_owned(), "two".to_owned()];
        let here = thread::current().id();
        for round in 0..1000 {
            let (place, joined) = launcher.run(|| (thread::current().id(), words.join(" ") + &round.to_string()));
            assert_ne!(place, here);
            assert_eq!(joined, format!("one two{round}"));
        }
        let panic = catch_unwind(AssertUnwindSafe(|| launcher.run(|| resume_unwind(Box::new(7))))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&7));
        assert_eq!(launcher.run(|| words.len()), 2, "it goes on");
    }
}
