//! A request that waits or runs: its rank among the others, its cancellation, and its progress.

use crate::rpc::RpcError;
use parking_lot::Mutex;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The order of requests: by higher priority, and then the earlier request. The smallest is next.
pub(crate) type Rank = (Reverse<i32>, u64);

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Progress {
    pub(crate) state: &'static str,
    pub(crate) done: usize,
    pub(crate) cases: usize,
}

/// The client gets progress at most this often.
const PAUSE: Duration = Duration::from_millis(100);

type Notify = Box<dyn Fn(Progress) + Send + Sync>;
type Hook = Box<dyn Fn() + Send + Sync>;

/// A request that waits or runs.
pub(crate) struct Task {
    pub(crate) rank: Rank,
    cancelled: AtomicBool,
    hooks: Mutex<(u64, BTreeMap<u64, Arc<Hook>>)>,
    notify: Option<Notify>,
    /// When the client last got progress, or when the request came.
    told: Mutex<Instant>,
}

impl Task {
    /// Returns a task of this rank. `notify` receives its progress.
    pub(crate) fn new(rank: Rank, notify: Option<Notify>) -> Arc<Self> {
        Arc::new(Self {
            rank,
            cancelled: AtomicBool::new(false),
            hooks: Mutex::default(),
            notify,
            told: Mutex::new(Instant::now()),
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
    pub(crate) fn check(&self) -> Result<(), RpcError> {
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
        let mut told = self.told.lock();
        if told.elapsed() >= PAUSE {
            *told = Instant::now();
            drop(told);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

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
}
