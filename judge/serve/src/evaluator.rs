//! The evaluator of a server: it owns the cores, and the state that requests share.

use crate::candidate::{Candidate, KEPT};
use crate::known::Known;
use crate::problems::ReadyProblem;
use crate::queue::{Queue, Rank};
use crate::rpc::{Answer, json};
use crate::slots::SlotPool;
use judge_cli::EvaluatorArgs;
use judge_problem::Catalogue;
use judge_report::ServeStatus;
use judge_run::executor;
use judge_run::matching::real;
use judge_run::program::journal_files;
use judge_run::runner::RunSettings;
use judge_sandbox::{Sandbox, Sweeper, Tier, TierChoice};
use judge_session::sealed::real_path;
use judge_session::{Failure, running, sandbox};
use lru::LruCache;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The state that requests share.
pub struct Evaluator {
    pub(crate) args: EvaluatorArgs,
    /// Whether results are recorded.
    pub(crate) records: bool,
    /// The file of the sealed cases, if there are some.
    pub(crate) sealed: Option<PathBuf>,
    /// The files that no program sees: that one, and the journal with the files beside it.
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) slots: Arc<SlotPool>,
    pub(crate) settings: RunSettings,
    /// The candidates that were used last, by what they were made from.
    pub(crate) prepared: Mutex<LruCache<String, Arc<Candidate>>>,
    pub(crate) catalogue: Catalogue,
    /// The problems that were requested, by their ids.
    pub(crate) problems: Mutex<HashMap<String, Arc<ReadyProblem>>>,
    pub(crate) known: Mutex<Known>,
    pub(crate) queue: Arc<Queue>,
    /// A journal that is one file has one writer at a time.
    pub(crate) journal_lock: Mutex<()>,
    pub(crate) counters: Counters,
    requests: AtomicU64,
    started: Instant,
    /// Dropped last.
    _sweeper: Sweeper,
}

/// Counters of the work since the start.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    evaluations: AtomicU64,
    runs: AtomicU64,
    cached: AtomicU64,
}

impl Counters {
    /// Counts this many evaluations, which ran this many programs, and took this many results from memory.
    pub(crate) fn count(&self, evaluations: usize, runs: usize, cached: usize) {
        let counts = [(&self.evaluations, evaluations), (&self.runs, runs), (&self.cached, cached)];
        for (counter, more) in counts {
            counter.fetch_add(more as u64, Ordering::Relaxed);
        }
    }
}

impl Evaluator {
    /// Opens the sandbox and claims the cores. `sealed` is the file of the sealed cases. If `records` is true, results
    /// are recorded in the catalogue's journal.
    ///
    /// # Errors
    /// When the requested sandbox does not work here.
    pub fn open(
        catalogue: Catalogue,
        args: EvaluatorArgs,
        records: bool,
        sealed: Option<PathBuf>,
    ) -> Result<Arc<Self>, Failure> {
        // First: while this process is small and has one thread, the sweeper is a copy of it.
        let sweeper = Sweeper::start().map_err(Failure::fault)?;
        let sandbox = sandbox::open(&args.conditions.sandbox)?;
        refuse_bare(&sandbox, &args)?;
        refuse_shown(&sandbox, &args, sealed.as_deref())?;
        let settings = running::local_settings(&args.jobs, false);
        let jobs = settings.jobs.get();
        let cores = (0..jobs).map(|slot| settings.cores.get(slot).copied());
        let slots = SlotPool::new(Arc::clone(&sandbox), cores);
        // There are more requests than jobs, so that one is compiled or scored while others play.
        let queue = Queue::new(args.queue.get(), 2 * jobs + 2);
        let hidden = sealed.iter().chain(journal_files()).cloned().collect();
        Ok(Arc::new(Self {
            args,
            records,
            sealed,
            hidden,
            sandbox,
            slots,
            settings,
            prepared: Mutex::new(LruCache::new(KEPT)),
            catalogue,
            problems: Mutex::default(),
            known: Mutex::new(Known::new()),
            queue,
            journal_lock: Mutex::new(()),
            counters: Counters::default(),
            requests: AtomicU64::new(0),
            started: Instant::now(),
            _sweeper: sweeper,
        }))
    }

    /// Cancels all running and waiting requests, and waits for their end.
    pub fn end(&self) {
        self.queue.end();
        executor::DISMISSED.wait();
    }

    /// Returns the rank of a new request of this priority.
    pub(crate) fn rank(&self, priority: i32) -> Rank {
        (Reverse(priority), self.requests.fetch_add(1, Ordering::SeqCst))
    }

    /// Describes its activity.
    pub(crate) fn status(&self) -> Answer {
        let (running, waiting) = self.queue.counts();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Ok(json(&ServeStatus {
            version: env!("CARGO_PKG_VERSION"),
            tier: self.sandbox.tier().name(),
            gaps: &sandbox::gaps(self.sandbox.gaps()),
            jobs: self.settings.jobs.get(),
            running,
            waiting,
            queue: self.queue.bound,
            evaluations: count(&self.counters.evaluations),
            runs: count(&self.counters.runs),
            cached: count(&self.counters.cached),
            uptime_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }))
    }
}

/// Fails if `--dir` shows candidates the file of the sealed cases.
fn refuse_shown(sandbox: &Sandbox, args: &EvaluatorArgs, sealed: Option<&Path>) -> Result<(), Failure> {
    let Some(sealed) = sealed.map(real_path).transpose()? else { return Ok(()) };
    let shown = sandbox::visible(&args.conditions.sandbox, sandbox)?;
    match shown.iter().find(|shown| sealed.starts_with(real(&shown.path))) {
        None => Ok(()),
        Some(shown) => {
            Err(Failure::usage(format!("--dir {} shows the sealed cases to candidates", shown.path.display()))
                .with_hint("--sealed names a file in another folder"))
        }
    }
}

/// Fails in tier `bare`, unless the user allows it.
fn refuse_bare(sandbox: &Sandbox, args: &EvaluatorArgs) -> Result<(), Failure> {
    let is_wanted = matches!(args.conditions.sandbox.tier, TierChoice::Forced(Tier::Bare));
    if sandbox.tier() != Tier::Bare || is_wanted {
        return Ok(());
    }
    let error = "only tier `bare` works here, in which programs see which files and processes exist";
    Err(Failure::usage(error).with_hint("--tier bare allows it; `judge doctor` shows what the other tiers need"))
}
