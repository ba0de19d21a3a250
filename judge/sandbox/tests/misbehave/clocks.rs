//! The kernel's counter of a tree's CPU time is open for programs that need it, and for no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use judge_sandbox::{Breach, Execution, Options, Sandbox, Tier, TierChoice, Worker};

use super::judge_level::check;
use super::pace::{in_time, patiently};
use super::request;
use super::starts::{children, first_core};

/// The programs' modes.
const MODES: [&str; 3] = ["alone", "threads", "children"];

/// In jails it is open for unpinned programs with a limit and, without a control group, for programs that ask for
/// another process. A user that cannot inspect a helper sees no counters.
pub(crate) fn are_opened_where_needed(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let may_look = rustix::process::geteuid().is_root();
    if !may_look || !sandbox.tier().has_namespaces() || sandbox.gaps().iter().any(|gap| gap.what == "tree clock") {
        return Ok(());
    }
    let has_group = sandbox.tier() != Tier::Userns;
    for core in [first_core(), None] {
        let before = children();
        let options = Options { tier: TierChoice::Forced(sandbox.tier()), ..Options::default() };
        let opened = Sandbox::open(&options).map_err(|error| error.to_string())?;
        let mut worker = opened.worker(core).map_err(|fault| fault.to_string())?;
        let helpers: BTreeSet<i32> = children().difference(&before).copied().collect();
        for (has_limit, mode) in [false, true].into_iter().flat_map(|has| MODES.map(|mode| (has, mode))) {
            let (clocks, execution) = during(&mut worker, &helpers, programs, mode, has_limit)?;
            let expected = (core.is_none() && has_limit) || (!has_group && mode != "alone");
            let what = || format!("{mode}, core {core:?}, limit {has_limit}: {clocks} clocks, {execution:?}");
            check(clocks <= usize::from(expected), what)?;
            in_time(clocks == usize::from(expected), what);
            let breach = if has_limit { Breach::Cpu } else { Breach::Wall };
            check(execution.breaches == [breach], what)?;
        }
    }
    Ok(())
}

/// The number of counters that helpers have open while a program spins, and how it ended.
fn during(
    worker: &mut Worker,
    helpers: &BTreeSet<i32>,
    programs: &Path,
    mode: &str,
    has_limit: bool,
) -> Result<(usize, Execution), String> {
    let mut request = request(programs.join("cpu"), &["cpu".to_owned(), mode.to_owned()]);
    request.limits.cpu = has_limit.then_some(patiently(Duration::from_millis(100)));
    request.limits.wall = Some(patiently(Duration::from_millis(if has_limit { 5000 } else { 150 })));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| worker.run(&request));
        let mut most = 0;
        while !run.is_finished() {
            most = most.max(helpers.iter().map(|helper| clocks_of(*helper)).sum());
            std::thread::sleep(Duration::from_millis(2));
        }
        let execution = run.join().unwrap().map_err(|fault| fault.to_string())?;
        Ok((most, execution))
    })
}

fn clocks_of(helper: i32) -> usize {
    let files = fs::read_dir(format!("/proc/{helper}/fd")).into_iter().flatten().flatten();
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.filter(|target| target.to_string_lossy().contains("perf_event")).count()
}
