//! Requests that wait or run: their ranks, cancellation and progress, and the queue, which is bounded and worked off by a
//! few threads.

use crate::rpc::{Result, RpcError, code};
use parking_lot::{Condvar, Mutex};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The order of requests: by higher priority, and then the earlier request. The smallest is next.
pub(crate) type Rank = (Reverse<i32>, u64);

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) state: &'static str,
    pub(crate) done: usize,
    pub(crate) cases: usize,
}

/// The client gets progress at most this often.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes the progress of a request.
pub(crate) type Notify = Box<dyn Fn(Progress) + Send + Sync>;

type Hook = Box<dyn Fn() + Send + Sync>;

/// A request that waits or runs.
pub(crate) struct Task {
    pub(crate) rank: Rank,
    cancelled: AtomicBool,
    hooks: Mutex<(u64, BTreeMap<u64, Arc<Hook>>)>,
    notify: Option<Notify>,
    /// When the client last got progress, or when the request came.
    last_shown: Mutex<Instant>,
}

impl Task {
    /// Returns a task of this rank. `notify` receives its progress.
    pub(crate) fn new(rank: Rank, notify: Option<Notify>) -> Arc<Self> {
        Arc::new(Self {
            rank,
            cancelled: AtomicBool::new(false),
            hooks: Mutex::default(),
            notify,
            last_shown: Mutex::new(Instant::now()),
        })
    }

    /// Cancels it. Its current step ends soon.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        let hooks: Vec<Arc<Hook>> = self.hooks.lock().1.values().cloned().collect();
        hooks.iter().for_each(|hook| hook());
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Fails if it was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(RpcError::cancelled()) } else { Ok(()) }
    }

    /// Calls `hook` when the task is cancelled, or at once if it is already, until the result is dropped.
    pub(crate) fn on_cancel(&self, hook: impl Fn() + Send + Sync + 'static) -> OnCancel<'_> {
        let hook: Arc<Hook> = Arc::new(Box::new(hook));
        let number = {
            let mut hooks = self.hooks.lock();
            hooks.0 += 1;
            let number = hooks.0;
            hooks.1.insert(number, Arc::clone(&hook));
            number
        };
        // If it is cancelled meanwhile, the hook is called twice, which is harmless.
        if self.is_cancelled() {
            hook();
        }
        OnCancel { task: self, number }
    }

    /// Reports progress to the client, unless it got some a moment ago.
    pub(crate) fn progress(&self, progress: Progress) {
        let Some(notify) = &self.notify else { return };
        let mut last_shown = self.last_shown.lock();
        if last_shown.elapsed() >= PAUSE {
            *last_shown = Instant::now();
            drop(last_shown);
            notify(progress);
        }
    }
}

/// A hook of a task. It is removed when this is dropped.
pub(crate) struct OnCancel<'a> {
    task: &'a Task,
    number: u64,
}

impl Drop for OnCancel<'_> {
    fn drop(&mut self) {
        self.task.hooks.lock().1.remove(&self.number);
    }
}

/// The work for a request. It gets the error of a refused request, or nothing when its turn comes. It always sends an
/// answer, even if its task was cancelled.
type Work = Box<dyn FnOnce(Result<()>) + Send>;

/// Requests that wait, and the threads that work on them.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// How many may wait.
    pub(crate) bound: usize,
    /// The maximal number of requests that run at once.
    threads: usize,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<Rank, (Arc<Task>, Work)>,
    running: Vec<Arc<Task>>,
    idle: usize,
    handles: Vec<JoinHandle<()>>,
    ending: bool,
}

impl Queue {
    pub(crate) fn new(bound: usize, threads: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), changed: Condvar::new(), bound, threads })
    }

    /// How many are worked on, and how many wait.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.running.len(), state.waiting.len())
    }

    /// Adds a request. It is refused if the queue is full or the server is ending.
    pub(crate) fn push(self: &Arc<Self>, task: Arc<Task>, work: Work) {
        let mut state = self.state.lock();
        // Requests for which a thread is already waiting count as running.
        let is_full = state.waiting.len() + state.running.len() >= self.bound.saturating_add(self.threads);
        if state.ending || is_full {
            let error = match state.ending {
                true => RpcError::new(code::ENDING, "the server is ending"),
                false => RpcError::new(code::QUEUE_FULL, "the queue is full").with_hint("send the request again later"),
            };
            drop(state);
            return work(Err(error));
        }
        state.waiting.insert(task.rank, (task, work));
        if state.idle < state.waiting.len() && state.handles.len() < self.threads {
            let queue = Arc::clone(self);
            // With fewer threads, requests wait longer.
            let started = Builder::new().name("evaluation".to_owned()).spawn(move || queue.work_off());
            state.handles.extend(started);
        }
        self.changed.notify_one();
    }

    /// Cancels a task. If it still waits, it is answered now.
    pub(crate) fn cancel(&self, task: &Arc<Task>) {
        task.cancel();
        let waiting = self.state.lock().waiting.remove(&task.rank);
        if let Some((_, work)) = waiting {
            work(Ok(()));
        }
    }

    /// Counts a task as done before its answer is sent. A client that has the answer then finds nothing running.
    pub(crate) fn done(&self, task: &Arc<Task>) {
        self.state.lock().running.retain(|other| !Arc::ptr_eq(other, task));
    }

    /// Cancels all tasks, waits for their ends, and takes no more.
    pub(crate) fn end(&self) {
        let (waiting, running, handles) = {
            let mut state = self.state.lock();
            state.ending = true;
            let waiting = std::mem::take(&mut state.waiting);
            (waiting, state.running.clone(), std::mem::take(&mut state.handles))
        };
        running.iter().for_each(|task| task.cancel());
        self.changed.notify_all();
        for (task, work) in waiting.into_values() {
            task.cancel();
            work(Ok(()));
        }
        handles.into_iter().for_each(|handle| drop(handle.join()));
    }

    fn work_off(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some((_, (task, work))) = state.waiting.pop_first() {
                state.running.push(Arc::clone(&task));
                drop(state);
                work(Ok(()));
                self.done(&task);
                state = self.state.lock();
                continue;
            }
            if state.ending {
                return;
            }
            state.idle += 1;
            self.changed.wait(&mut state);
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::channel;

    #[test]
    fn hooks_are_called_while_they_live_and_late_ones_at_once() {
        let task = Task::new((Reverse(0), 0), None);
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = || {
            let calls = Arc::clone(&calls);
            move || {
                calls.fetch_add(1, Ordering::SeqCst);
            }
        };
        drop(task.on_cancel(counted()));
        let kept = task.on_cancel(counted());
        assert!(task.check().is_ok());
        task.cancel();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        drop(kept);
        let _late = task.on_cancel(counted());
        assert_eq!(calls.load(Ordering::SeqCst), 2);
        assert!(task.check().is_err());
    }

    #[test]
    fn urgent_requests_go_first_and_the_bound_holds() {
        let queue = Queue::new(2, 1);
        let (go, gate) = channel::<()>();
        let (done, order) = channel();
        let task = |priority, number| Task::new((Reverse(priority), number), None);
        queue.push(task(0, 0), Box::new(move |_| gate.recv().unwrap_or_default()));
        while queue.counts() != (1, 0) {
            std::thread::yield_now();
        }
        for (priority, number) in [(0, 1), (5, 2)] {
            let done = done.clone();
            queue.push(task(priority, number), Box::new(move |_| done.send(number).unwrap()));
        }
        let refused = |number| {
            let (done, refused) = channel();
            queue.push(task(9, number), Box::new(move |turn| done.send(turn).unwrap()));
            refused.recv().unwrap().unwrap_err().code
        };
        assert_eq!(refused(3), code::QUEUE_FULL);
        go.send(()).unwrap();
        assert_eq!([order.recv().unwrap(), order.recv().unwrap()], [2, 1]);
        queue.end();
        assert_eq!(refused(4), code::ENDING);
    }

    #[test]
    fn a_cancelled_request_is_answered_while_it_waits() {
        let queue = Queue::new(usize::MAX, 1);
        let (go, gate) = channel::<()>();
        queue.push(Task::new((Reverse(0), 0), None), Box::new(move |_| gate.recv().unwrap_or_default()));
        let waits = Task::new((Reverse(0), 1), None);
        let (done, answered) = channel();
        let seen = Arc::clone(&waits);
        queue.push(Arc::clone(&waits), Box::new(move |_| done.send(seen.is_cancelled()).unwrap()));
        queue.cancel(&waits);
        assert!(answered.recv().unwrap());
        go.send(()).unwrap();
        queue.end();
    }
}
