//! The worker that has tried the tier: handed out once, for its core.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use judge_sandbox::{End, Options, Sandbox, TierChoice, Worker};

use super::judge_level::check;
use super::request;

/// It is used instead of a new one, by one who asks for its core; else it ends.
pub(crate) fn is_handed_out_once(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let options = Options { tier: TierChoice::Forced(sandbox.tier()), ..Options::default() };
    let core = first_core();
    let before = children();
    let more = |than: usize| children().len() - before.len() - than;
    let opened = Sandbox::open(&options).map_err(|error| error.to_string())?;
    // In tiers without namespaces a worker is two processes.
    let each = more(0);
    check(each > 0, || "none waits".to_owned())?;
    let first = runs(opened.worker(core), programs)?;
    check(more(each) == 0, || format!("{} more for the first", more(each)))?;
    let second = runs(opened.worker(core), programs)?;
    check(more(each) == each, || format!("{} more for the second", more(each)))?;
    drop((opened, first, second));
    check(children() == before, || format!("{} are left", more(0)))?;
    let opened = Sandbox::open(&options).map_err(|error| error.to_string())?;
    let unpinned = runs(opened.worker(None), programs)?;
    check(more(each) == 0, || format!("{} more for one on all cores", more(each)))?;
    drop((opened, unpinned));
    check(children() == before, || format!("{} are left", more(0)))?;
    drop(Sandbox::open(&options).map_err(|error| error.to_string())?);
    check(children() == before, || format!("{} are left of one that was not asked for", more(0)))
}

/// Workers that are dismissed end while others begin: one after the other, they do not pile up. At last, all can be waited
/// for.
pub(crate) fn dismissed_ones_are_waited_for(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let before = children();
    let dismissed = judge_sandbox::DismissedWorkers::new();
    for _ in 0..8 {
        runs(sandbox.worker(first_core()), programs)?.dismiss(&dismissed);
    }
    let more = children().len() - before.len();
    check(more <= 6, || format!("{more} processes of eight workers are left"))?;
    dismissed.wait();
    check(children() == before, || "some are left".to_owned())
}

/// The first that this process may use.
pub(crate) fn first_core() -> Option<usize> {
    let cores = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU).find(|core| cores.is_set(*core))
}

/// Runs a program in it.
pub(crate) fn runs(worker: Result<Worker, judge_sandbox::Fault>, programs: &Path) -> Result<Worker, String> {
    let mut worker = worker.map_err(|fault| fault.to_string())?;
    let request = request(programs.join("output"), &["output", "code", "3"].map(str::to_owned));
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(execution.end == End::Exited(3), || format!("{execution:?}"))?;
    Ok(worker)
}

/// The processes that this one has started and not waited for.
pub(crate) fn children() -> BTreeSet<i32> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let of_task = |path: &Path| fs::read_to_string(path.join("children")).unwrap_or_default();
    let texts: Vec<String> = tasks.map(|task| of_task(&task.path())).collect();
    texts.iter().flat_map(|text| text.split_whitespace()).map(|pid| pid.parse().unwrap()).collect()
}
