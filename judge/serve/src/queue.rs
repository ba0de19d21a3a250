//! The queue of requests: by rank, bounded, worked off by a few threads.

use crate::rpc::{RpcError, code};
use crate::task::{Rank, Task};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// The work for a request. It always sends an answer, even if its task was cancelled.
type Work = Box<dyn FnOnce() + Send>;

/// Requests that wait, and the threads that work on them.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// How many may wait.
    bound: usize,
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

    /// How many requests may wait.
    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// How many are worked on, and how many wait.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.running.len(), state.waiting.len())
    }

    /// Takes a request, to be worked on when it is its turn. Fails if as many wait as may, or if the server is ending.
    pub(crate) fn push(self: &Arc<Self>, task: Arc<Task>, work: Work) -> Result<(), RpcError> {
        let mut state = self.state.lock();
        if state.ending {
            return Err(RpcError::new(code::ENDING, "the server is ending"));
        }
        // Requests for which a thread is already waiting count as running.
        if state.waiting.len() + state.running.len() >= self.bound + self.threads {
            let error = RpcError::new(code::QUEUE_FULL, "the queue is full");
            return Err(error.with_hint("send the request again later"));
        }
        state.waiting.insert(task.rank, (task, work));
        if state.idle < state.waiting.len() && state.handles.len() < self.threads {
            let queue = Arc::clone(self);
            // With fewer threads, requests wait longer.
            let started = Builder::new().name("evaluation".to_owned()).spawn(move || queue.work_off());
            state.handles.extend(started);
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Cancels a task. If it still waits, it is answered now.
    pub(crate) fn cancel(&self, task: &Arc<Task>) {
        task.cancel();
        let waiting = self.state.lock().waiting.remove(&task.rank);
        if let Some((_, work)) = waiting {
            work();
        }
    }

    /// Counts a task as done: its answer is about to be sent, and a client that has it finds nothing running.
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
            work();
        }
        handles.into_iter().for_each(|handle| drop(handle.join()));
    }

    fn work_off(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some((_, (task, work))) = state.waiting.pop_first() {
                state.running.push(Arc::clone(&task));
                drop(state);
                work();
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
    use std::sync::mpsc::channel;

    #[test]
    fn urgent_requests_go_first_and_the_bound_holds() {
        let queue = Queue::new(2, 1);
        let (go, gate) = channel::<()>();
        let (done, order) = channel();
        let task = |priority, number| Task::new((Reverse(priority), number), None);
        queue.push(task(0, 0), Box::new(move || gate.recv().unwrap_or_default())).unwrap();
        while queue.counts() != (1, 0) {
            std::thread::yield_now();
        }
        for (priority, number) in [(0, 1), (5, 2)] {
            let done = done.clone();
            queue.push(task(priority, number), Box::new(move || done.send(number).unwrap())).unwrap();
        }
        let refused = |number| queue.push(task(9, number), Box::new(|| ())).unwrap_err().code;
        assert_eq!(refused(3), code::QUEUE_FULL);
        go.send(()).unwrap();
        assert_eq!([order.recv().unwrap(), order.recv().unwrap()], [2, 1]);
        queue.end();
        assert_eq!(refused(4), code::ENDING);
    }

    #[test]
    fn a_cancelled_request_is_answered_while_it_waits() {
        let queue = Queue::new(8, 1);
        let (go, gate) = channel::<()>();
        queue.push(Task::new((Reverse(0), 0), None), Box::new(move || gate.recv().unwrap_or_default())).unwrap();
        let waits = Task::new((Reverse(0), 1), None);
        let (done, answered) = channel();
        let seen = Arc::clone(&waits);
        queue.push(Arc::clone(&waits), Box::new(move || done.send(seen.is_cancelled()).unwrap())).unwrap();
        queue.cancel(&waits);
        assert!(answered.recv().unwrap());
        go.send(()).unwrap();
        queue.end();
    }
}
