//! One misbehaving program: run, and judged by what came of it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{Breach, End, Execution, Stdin, Worker};

use super::cases::Case;
use super::pace::{self, in_time, patiently};
use super::request;
use super::scene::{Scene, processes_with};

/// The exit code of a program that does not know the mode it is started in.
const NO_SUCH_MODE: i32 = 99;

/// Runs `case` and judges it by its ending, its figures and what it left. `Err` says what is wrong.
pub(crate) fn attempt(worker: &mut Worker, scene: &mut Scene, programs: &Path, case: &Case) -> Result<(), String> {
    let program = programs.join(case.command.split(' ').next().unwrap());
    let word = |word| if word == "@own" { program.display().to_string() } else { scene.word(word) };
    let words: Vec<String> = case.command.split(' ').map(word).collect();
    let mut request = request(program.clone(), &words);
    request.limits.cpu = Some(patiently(Duration::from_millis(case.cpu_ms)));
    request.limits.wall = Some(patiently(Duration::from_millis(case.wall_ms)));
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
    let limit = execution.usage.wall.min(patiently(Duration::from_millis(case.wall_ms))) + patiently(case.within);
    in_time(took < limit, || format!("took {took:?}, more than {limit:?}"));
    let left = processes_with(&program);
    if !left.is_empty() {
        return Err(format!("left {left:?}"));
    }
    scene.damage().map_or(Ok(()), Err)
}

fn judge(case: &Case, execution: &Execution) -> Result<(), String> {
    let text = String::from_utf8_lossy(&execution.stdout);
    let shown: String = text.chars().take(200).collect();
    let told = format!("{:?} {:?} {:?} {shown:?}", execution.end, execution.breaches, execution.usage);
    if execution.end == End::Exited(NO_SUCH_MODE) {
        return Err(format!("there is no such mode: {told}"));
    }
    if let Some(line) = text.lines().find(|line| line.starts_with("ESCAPED")) {
        return Err(format!("{line}: {told}"));
    }
    if !case.allowed.iter().any(|ending| ending.is_of(execution)) {
        let why = || format!("not one of {:?}: {told}", case.allowed);
        in_time(!matches!(execution.breaches.first(), Some(Breach::Cpu | Breach::Wall)), why);
        return Err(why());
    }
    if case.says.is_some_and(|says| says != text) {
        return Err(format!("said something else: {told}"));
    }
    if let Some((least, most)) = case.peak {
        let peak = execution.usage.memory.unwrap_or(0) >> 20;
        // Where memory is watched, what passes the limit before that is seen is a matter of time.
        let excess = most.saturating_sub(case.memory_mib);
        let why = || format!("another peak than {least} to {most} MiB: {told}");
        in_time(excess == 0 || peak <= case.memory_mib + pace::at_most(excess), why);
        if peak < least || (excess == 0 && peak > most) {
            return Err(why());
        }
    }
    let Some((least, most)) = case.cpu else { return Ok(()) };
    let used = execution.usage.cpu.as_millis() as u64;
    let most = pace::at_most(most);
    in_time(used <= most, || format!("more than {most} ms of CPU time: {told}"));
    if used < least {
        return Err(format!("less CPU time than {least} ms: {told}"));
    }
    Ok(())
}
