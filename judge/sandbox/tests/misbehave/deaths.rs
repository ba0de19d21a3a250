//! The death of a judge or its helper: no process outlives them, and nothing is left.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use judge_sandbox::{Breach, End, Options, Sandbox, Stdin, TierChoice};

use super::attempt::{ALIKE, as_told};
use super::judge_level::check;
use super::pace::awaited;
use super::request;
use super::scene::{processes_of, processes_with};

/// The first argument of a process that will be killed in the middle of a run.
pub(crate) const VICTIM: &str = "--victim";

/// Opens the named tier and runs the named program until this process is killed.
pub(crate) fn be_a_victim(arguments: &[String]) -> ! {
    let tier = TierChoice::Forced(arguments[0].parse().unwrap());
    let sandbox = Sandbox::open(&Options { tier, ..Options::default() }).unwrap();
    let mut worker = sandbox.worker(None).unwrap();
    let mut request = request(arguments[1].clone().into(), &as_told(&arguments[1]));
    request.limits.cpu = None;
    request.limits.wall = None;
    // So in tiers with an init, the init has started the program.
    request.stdin = Stdin::Bytes(Arc::from(b"nothing".as_slice()));
    for _ in 0..ALIKE {
        assert_eq!(worker.run(&request).unwrap().end, End::Exited(0));
    }
    println!("ready");
    request.stdin = Stdin::Bytes(arguments[2..].join(" ").into_bytes().into());
    let execution = worker.run(&request);
    panic!("the program was to run until it is killed: {execution:?}");
}

/// A judge that is killed at the end of the test at the latest.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A judge that runs `program`, once that is seen to run.
fn victim(sandbox: &Sandbox, program: &Path, mode: &str) -> Victim {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([VICTIM, sandbox.tier().name()]).arg(program).arg(mode).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut victim = Victim(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(victim.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let runs = || (!processes_of(program).is_empty()).then_some(());
    awaited(Duration::from_secs(10), &format!("{mode} starts"), runs);
    victim
}

fn await_death(program: &Path) {
    let gone = || processes_with(program).is_empty().then_some(());
    awaited(Duration::from_secs(1), &format!("{} ends with its judge", program.display()), gone);
}

pub(crate) fn judge_killed(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut dead = Vec::new();
    for words in [["cpu", "alone"], ["processes", "relay"], ["processes", "keeper"]] {
        let program = programs.join(words[0]);
        let victim = victim(sandbox, &program, words[1]);
        dead.push(format!(".{}.", victim.0.id()));
        drop(victim);
        await_death(&program);
    }
    are_swept(sandbox, &dead)
}

/// What dead judges left is removed by their helpers or by the next judge.
fn are_swept(sandbox: &Sandbox, dead: &[String]) -> Result<(), String> {
    let options = Options { tier: TierChoice::Forced(sandbox.tier()), ..Options::default() };
    // Other judges may run on this machine. Their files stay.
    let is_theirs = |name: &String| dead.iter().any(|judge| name.contains(judge));
    awaited(Duration::from_secs(5), "the next judge sweeps", || {
        let opened = Sandbox::open(&options).map(drop).map_err(|error| error.to_string());
        (opened.is_err() || !leftovers().iter().any(is_theirs)).then_some(opened)
    })
}

/// A judge without its helper reports that, and leaves nothing of the run: no process, no folder, no control group.
pub(crate) fn helper_killed(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let program = programs.join("processes");
    for mode in ["keeper", "relay", "bomb"] {
        let mut victim = victim(sandbox, &program, mode);
        kill(helper_of(victim.0.id()));
        awaited(Duration::from_secs(5), "the judge ends without its helper", || victim.0.try_wait().unwrap());
        await_death(&program);
        let own = format!(".{}.", victim.0.id());
        let left = leftovers().into_iter().find(|name| name.contains(&own));
        check(left.is_none(), || format!("{mode}: {left:?} was left"))?;
    }
    Ok(())
}

pub(crate) fn judge_and_helper_killed(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let program = programs.join("processes");
    let victim = victim(sandbox, &program, "keeper");
    let own = format!(".{}.", victim.0.id());
    let helper = helper_of(victim.0.id());
    let has_others = || (processes_of(&program).len() > 5).then_some(());
    awaited(Duration::from_secs(10), "the program starts others", has_others);
    // The keeper first, as it would notice the helper's end.
    children_of(victim.0.id()).into_iter().filter(|child| *child != helper).chain([helper]).for_each(kill);
    drop(victim);
    await_death(&program);
    are_swept(sandbox, &[own])
}

/// A stopped process that is continued at the end of the test at the latest.
pub(crate) struct Stopped(u32);

impl Stopped {
    pub(crate) fn stop(pid: u32) -> Stopped {
        signal(pid, rustix::process::Signal::STOP);
        Stopped(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, rustix::process::Signal::CONT);
    }
}

/// The child of this process that `process` descends from, or is.
pub(crate) fn child_above(process: &Path) -> Option<u32> {
    let mut pid: u32 = process.file_name()?.to_str()?.parse().ok()?;
    loop {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        match parent {
            0 => return None,
            parent if parent == std::process::id() => return Some(pid),
            parent => pid = parent,
        }
    }
}

fn children_of(judge: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{judge}/task/{judge}/children")).unwrap();
    children.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// The helper process of a judge.
fn helper_of(judge: u32) -> u32 {
    let is_helper = |pid: &u32| {
        let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
        name == b"judge-helper\n"
    };
    children_of(judge).into_iter().find(is_helper).unwrap()
}

pub(crate) fn kill(pid: u32) {
    signal(pid, rustix::process::Signal::KILL);
}

fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// A program is ended even if its helper is stopped and does not watch it.
pub(crate) fn helper_stopped(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let program = programs.join("cpu");
    let mut worker = sandbox.worker(None).map_err(|error| error.to_string())?;
    let words = [program.display().to_string(), "alone".to_owned()];
    let mut request = request(program.clone(), &words);
    (request.limits.cpu, request.limits.wall) = (None, Some(Duration::from_secs(1)));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| worker.run(&request));
        let runs = || processes_of(&program).first().and_then(|process| child_above(process));
        let helper = awaited(Duration::from_secs(30), "a program starts", runs);
        let stopped = Stopped::stop(helper);
        // It is dead, and may be a zombie: without namespaces the helper reaps it.
        let gone = || processes_of(&program).is_empty().then_some(());
        awaited(Duration::from_secs(30), "a program ends though its helper is stopped", gone);
        drop(stopped);
        let execution = run.join().unwrap().map_err(|error| error.to_string())?;
        let breaches = &execution.breaches;
        check(breaches.contains(&Breach::Wall), || format!("not told to have run too long: {execution:?}"))
    })
}

/// A dead judge's working folder, with anything in it.
pub(crate) fn leftovers_swept(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let scratch = tempfile::tempdir().unwrap();
    let namespace = std::os::unix::fs::MetadataExt::ino(&fs::metadata("/proc/self/ns/pid").unwrap());
    let dead = scratch.path().join(format!("judge-sandbox.{namespace}.999999999.1.worker.0"));
    fs::create_dir_all(dead.join("box/deep/er")).unwrap();
    let foreign = scratch.path().join("judge-sandbox.1.999999999.1.worker.0");
    fs::create_dir(&foreign).unwrap();
    let options = Options {
        tier: TierChoice::Forced(sandbox.tier()),
        scratch: Some(scratch.path().to_path_buf()),
        ..Options::default()
    };
    drop(Sandbox::open(&options).map_err(|error| error.to_string())?);
    check(!dead.exists(), || "a dead judge's folder is still there".to_owned())?;
    check(foreign.exists(), || "the folder of a judge in another container was removed".to_owned())
}

/// Names of our kind in the temporary folder and in the control groups.
pub(crate) fn leftovers() -> Vec<String> {
    let mut waiting = vec![Path::new("/sys/fs/cgroup").to_path_buf()];
    let mut found = Vec::new();
    let mut look = |folder: &Path, waiting: &mut Vec<std::path::PathBuf>, deep: bool| {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("judge-sandbox.") {
                found.push(name);
            } else if deep && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
        }
    };
    look(&std::env::temp_dir(), &mut waiting, false);
    while let Some(folder) = waiting.pop() {
        look(&folder, &mut waiting, true);
    }
    found
}
