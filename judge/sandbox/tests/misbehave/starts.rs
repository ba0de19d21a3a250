//! How workers start and end: the worker that tried the tier, helpers that are copies, and the tier cache.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use judge_sandbox::{End, Fault, Options, Sandbox, TierChoice, Worker};

use super::judge_level::check;
use super::request;

/// It is used for its core instead of a new one. Otherwise it ends.
pub(crate) fn is_handed_out_once(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let options = Options { tier: TierChoice::Forced(sandbox.tier()), ..Options::default() };
    let core = first_core();
    let before = children();
    let more = |than: usize| children().len() - before.len() - than;
    let opened = Sandbox::open(&options).map_err(|error| error.to_string())?;
    // In tiers without namespaces a worker has two processes.
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

/// Dismissed workers end while others start, and do not pile up. In the end, all can be waited for.
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

/// The first core that this process may use.
pub(crate) fn first_core() -> Option<usize> {
    let cores = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU).find(|core| cores.is_set(*core))
}

/// Runs a program in the worker.
pub(crate) fn runs(worker: Result<Worker, judge_sandbox::Fault>, programs: &Path) -> Result<Worker, String> {
    let mut worker = worker.map_err(|fault| fault.to_string())?;
    let request = request(programs.join("output"), &["output", "code", "3"].map(str::to_owned));
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(execution.end == End::Exited(3), || format!("{execution:?}"))?;
    Ok(worker)
}

/// The children of this process, including zombies.
pub(crate) fn children() -> BTreeSet<i32> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let of_task = |path: &Path| fs::read_to_string(path.join("children")).unwrap_or_default();
    let texts: Vec<String> = tasks.map(|task| of_task(&task.path())).collect();
    texts.iter().flat_map(|text| text.split_whitespace()).map(|pid| pid.parse().unwrap()).collect()
}

/// The first argument of a process that compares helpers. It is small and has one thread.
pub(crate) const COMPARE: &str = "--compare-helpers";

/// A helper that is a copy is like one that was executed. It keeps nothing of the judge's.
pub(crate) fn are_like_executed_ones(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut compare = Command::new(std::env::current_exe().unwrap());
    let output = compare.args([COMPARE, sandbox.tier().name()]).arg(programs).output().unwrap();
    let why = String::from_utf8_lossy(&output.stderr);
    check(output.status.success() && output.stdout == b"alike\n", || format!("{why} ({})", output.status))
}

/// Compares them in the named tier, and exits.
pub(crate) fn compare(arguments: &[String]) -> ! {
    let tier = TierChoice::Forced(arguments[0].parse().unwrap());
    let begun = |helper: Option<PathBuf>| {
        let before = children();
        let opened = Sandbox::open(&Options { tier, helper, ..Options::default() }).unwrap();
        let _worker = runs(opened.worker(first_core()), arguments[1].as_ref()).unwrap();
        let read = |pid: &i32, file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let is_helper = |pid: &&i32| read(pid, "comm") == b"judge-helper\n";
        let helper = *children().difference(&before).find(is_helper).unwrap();
        let is_executed = read(&helper, "cmdline").ends_with(b"-helper\0");
        (is_executed, inherited(helper), open_files(helper))
    };
    let (is_executed, copied, copied_files) = begun(None);
    assert!(!is_executed, "it was to be a copy");
    let (is_executed, executed, executed_files) = begun(std::env::current_exe().ok());
    assert!(is_executed);
    assert_eq!(copied, executed);
    // Files that others left open for this process are closed in a copy, too.
    assert!(copied_files.is_subset(&executed_files), "{copied_files:?}, {executed_files:?}");
    // Otherwise a program would look as large as the process that started it.
    let ballast = std::hint::black_box(vec![1_u8; 16 << 20]);
    let (is_executed, ..) = begun(None);
    assert!(is_executed, "a large process was copied");
    drop(ballast);
    println!("alike");
    std::process::exit(0)
}

/// What a process inherits: users, signals, capabilities, cores, group, session, and its folder if this user may see
/// it.
fn inherited(pid: i32) -> Vec<String> {
    const KEYS: [&str; 12] =
        ["Umask", "PPid", "Uid", "Gid", "Groups", "Threads", "Sig", "Shd", "Cap", "NoNewPrivs", "Seccomp", "Cpus"];
    let path = |file: &str| PathBuf::from(format!("/proc/{pid}/{file}"));
    let status = fs::read_to_string(path("status")).unwrap();
    // Pending signals change.
    let is_passing = |line: &str| line.contains("Pnd:") || line.starts_with("SigQ");
    let is_kept = |line: &&str| KEYS.iter().any(|key| line.starts_with(key)) && !is_passing(line);
    let mut told: Vec<String> = status.lines().filter(is_kept).map(str::to_owned).collect();
    let stat = fs::read_to_string(path("stat")).unwrap();
    let ids = stat.rsplit_once(") ").unwrap().1.split(' ').skip(2).take(2);
    let is_own: Vec<bool> = ids.map(|id| id == pid.to_string()).collect();
    told.push(format!("a group and a session of its own: {is_own:?}"));
    let folder = fs::read_link(path("cwd")).map(|folder| folder.parent().map(Path::to_owned));
    told.push(format!("folder: {:?}", folder.ok()));
    told
}

/// The kinds of a process's open files, if this user may see them.
fn open_files(pid: i32) -> BTreeSet<String> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    // Without numbers and names, which differ.
    targets.map(|target| target.to_string_lossy().split(['[', '.']).next().unwrap_or_default().to_owned()).collect()
}

/// A start that uses the cache does not write it again. Its first worker works. When a worker fails, the next start
/// tries the tier.
pub(crate) fn until_a_worker_fails(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("of/the/sandbox");
    let tier = TierChoice::Forced(sandbox.tier());
    let options = Options { tier, tier_cache: Some(memory.clone()), ..Options::default() };
    let open = || Sandbox::open(&options).map_err(|error| error.to_string());
    let written = || {
        let mut files = fs::read_dir(&memory).ok()?;
        files.next()?.unwrap().metadata().map(|stat| (stat.mtime(), stat.mtime_nsec())).ok()
    };
    let before = children();
    drop(open()?);
    let first = written();
    check(first.is_some(), || "nothing is remembered".to_owned())?;
    let recalled = open()?;
    check(written() == first, || "it was tried again".to_owned())?;
    check((recalled.tier(), recalled.gaps()) == (sandbox.tier(), sandbox.gaps()), || {
        format!("{} with {:?} became {} with {:?}", sandbox.tier(), sandbox.gaps(), recalled.tier(), recalled.gaps())
    })?;
    let mut worker = runs(recalled.worker(first_core()), programs)?;
    check(written() == first, || "a worker that works has it forgotten".to_owned())?;
    for child in children().difference(&before) {
        let pid = rustix::process::Pid::from_raw(*child).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    let lost = worker.run(&request(programs.join("output"), &["output".to_owned(), "code".into(), "3".into()]));
    check(matches!(lost, Err(Fault::HelperGone(_))), || format!("{lost:?}"))?;
    check(written().is_none(), || "it is still remembered".to_owned())?;
    drop((open()?, worker, recalled));
    check(written().is_some_and(|again| Some(again) != first), || "it was not tried again".to_owned())?;
    check(children() == before, || "processes are left".to_owned())
}
