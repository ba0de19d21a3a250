//! Misbehaving programs, in every tier that this machine gives, as root and as an ordinary user.
//!
//! `cargo test -p judge-sandbox --test misbehave [-- WORDS]`: WORDS name tiers, users or parts of a case.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test with a main of its own")]

mod cases;
mod delegation;
mod judge_level;
mod scene;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cases::{CASES, Case};
use judge_sandbox::{Execution, Limits, Options, Request, Sandbox, Sink, Stdin, Tier, TierChoice, Worker};
use scene::Scene;

/// Somebody who is nobody.
const PLAIN_USER: u32 = 65534;

fn main() -> ExitCode {
    judge_sandbox::become_helper_if_asked();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, rest @ ..] = arguments.as_slice()
        && mode == judge_level::VICTIM
    {
        judge_level::be_a_victim(rest);
    }
    if let Some(at) = arguments.iter().position(|argument| argument == "--programs") {
        let joined = &arguments[at + 2..];
        for folder in joined {
            std::fs::write(Path::new(folder).join("cgroup.procs"), "0").unwrap();
        }
        let among = if joined.is_empty() { &[Tier::Userns, Tier::Bare][..] } else { &[Tier::Delegated] };
        return verdict(tiers(among, Path::new(&arguments[at + 1]), &arguments[..at]));
    }
    // What a test runner may pass to every test.
    let words: Vec<String> = arguments.into_iter().filter(|argument| !argument.starts_with('-')).collect();
    let programs = tempfile::Builder::new().prefix("misbehave").tempdir().unwrap();
    std::fs::set_permissions(programs.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    if let Err(why) = scene::compile(programs.path()) {
        println!("skipped: {why}");
        return ExitCode::SUCCESS;
    }
    let all = [Tier::Root, Tier::Delegated, Tier::Userns, Tier::Bare];
    let mut failures = tiers(&all, programs.path(), &words);
    if rustix::process::geteuid().is_root() {
        failures += as_plain_user(programs.path(), &words);
    }
    verdict(failures)
}

fn verdict(failures: usize) -> ExitCode {
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs this test again as somebody without rights, then with control groups of that user's own; returns how many
/// failed.
fn as_plain_user(programs: &Path, words: &[String]) -> usize {
    let own = programs.join("misbehave-test");
    std::fs::copy(std::env::current_exe().unwrap(), &own).unwrap();
    let run = |words: &[String], joined: &[PathBuf]| {
        let mut command = Command::new(&own);
        command.args(words).arg("--programs").arg(programs).args(joined);
        let status = command.current_dir("/").uid(PLAIN_USER).gid(PLAIN_USER).status().unwrap();
        usize::from(!status.success())
    };
    let failures = run(words, &[]);
    match delegation::Delegation::to(PLAIN_USER) {
        Ok(delegation) => failures + run(words, delegation.folders()),
        Err(why) => {
            println!("skipped: as plain with control groups: {why}");
            failures
        }
    }
}

fn tiers(among: &[Tier], programs: &Path, words: &[String]) -> usize {
    let user = if rustix::process::geteuid().is_root() { "root" } else { "plain" };
    let mut failures = 0;
    let mut worked = 0;
    for &tier in among {
        let options = Options { tier: TierChoice::Forced(tier), ..Options::default() };
        match Sandbox::open(&options) {
            Ok(sandbox) => {
                worked += 1;
                failures += in_tier(&sandbox, user, programs, words);
            }
            Err(error) => println!("skipped: as {user}: {error}"),
        }
    }
    if worked == 0 {
        println!("FAILED: no tier works here");
        failures += 1;
    }
    failures
}

fn in_tier(sandbox: &Sandbox, user: &str, programs: &Path, words: &[String]) -> usize {
    let tier = sandbox.tier();
    let mut failures = 0;
    let mut tell = |name: &str, result: Result<(), String>, took: Duration| {
        let heading = format!("{user}/{tier}: {name}");
        match result {
            Ok(()) => println!("ok {heading} ({} ms)", took.as_millis()),
            Err(why) => {
                failures += 1;
                println!("FAILED {heading}: {why}");
            }
        }
    };
    let wanted = |name: &str| {
        let heading = format!("{user}/{tier}: {name}");
        words.is_empty() || words.iter().any(|word| heading.contains(word.as_str()))
    };
    let mut scene = Scene::set().unwrap();
    let mut worker = sandbox.worker(None).unwrap();
    for case in CASES.iter().filter(|case| wanted(case.command)) {
        let began = Instant::now();
        let result = attempt(&mut worker, &mut scene, programs, case);
        tell(case.command, result, began.elapsed());
    }
    for (name, test) in judge_level::TESTS.iter().filter(|(name, _)| wanted(name)) {
        let began = Instant::now();
        let result = test(sandbox, programs);
        tell(name, result, began.elapsed());
    }
    failures
}

fn attempt(worker: &mut Worker, scene: &mut Scene, programs: &Path, case: &Case) -> Result<(), String> {
    let words: Vec<String> = case.command.split(' ').map(|word| scene.word(word)).collect();
    let program = programs.join(&words[0]);
    let mut request = request(program.clone(), &words);
    request.limits.cpu = Some(Duration::from_millis(case.cpu_ms));
    request.limits.wall = Some(Duration::from_millis(case.wall_ms));
    request.limits.memory = Some(case.memory_mib << 20);
    request.limits.processes = Some(case.processes);
    if case.stdin_mib > 0 {
        request.stdin = Stdin::Bytes(Arc::from(vec![b'i'; case.stdin_mib << 20]));
    }
    let began = Instant::now();
    let execution =
        worker.run(&request).map_err(|fault| format!("{fault}: {:?}", std::error::Error::source(&fault)))?;
    let took = began.elapsed();
    judge(case, &execution)?;
    let limit = case.within + Duration::from_millis(case.wall_ms);
    if took > limit {
        return Err(format!("took {took:?}"));
    }
    let left = scene::processes_with(&program);
    if !left.is_empty() {
        return Err(format!("left {left:?}"));
    }
    scene.damage().map_or(Ok(()), Err)
}

fn judge(case: &Case, execution: &Execution) -> Result<(), String> {
    let text = String::from_utf8_lossy(&execution.stdout);
    let shown: String = text.chars().take(200).collect();
    let told = format!("{:?} {:?} {:?} {shown:?}", execution.end, execution.breaches, execution.usage);
    if !case.allowed.iter().any(|ending| ending.is_of(execution)) {
        return Err(format!("not one of {:?}: {told}", case.allowed));
    }
    if let Some(line) = text.lines().find(|line| line.starts_with("ESCAPED")) {
        return Err(format!("{line}: {told}"));
    }
    if case.says.is_some_and(|says| says != text) {
        return Err(format!("said something else: {told}"));
    }
    let between =
        |value: u64, bounds: Option<(u64, u64)>| bounds.is_none_or(|(least, most)| (least..=most).contains(&value));
    if !between(execution.usage.memory.unwrap_or(0) >> 20, case.peak) {
        return Err(format!("another peak than {:?} MiB: {told}", case.peak));
    }
    if !between(execution.usage.cpu.as_millis() as u64, case.cpu) {
        return Err(format!("another CPU time than {:?} ms: {told}", case.cpu));
    }
    Ok(())
}

/// A run of `program` with middling limits.
pub(crate) fn request(program: PathBuf, argv: &[String]) -> Request {
    Request {
        program,
        argv: argv.iter().map(Into::into).collect(),
        environment: vec![("GIVEN".into(), "yes".into())],
        stdin: Stdin::Empty,
        limits: Limits {
            cpu: Some(Duration::from_secs(2)),
            wall: Some(Duration::from_secs(8)),
            memory: Some(256 << 20),
            stdout: 65536,
            stderr: 4096,
            processes: Some(16),
            disk: 8 << 20,
        },
        visible: Vec::new(),
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    }
}
