//! One misbehaving program: run, and judged by what came of it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{Execution, Stdin, Worker};

use super::cases::Case;
use super::pace::{self, patiently};
use super::request;
use super::scene::{Scene, processes_with};

/// Runs `case` and judges it by its ending, its figures and what it left. `Err` says what is wrong.
pub(crate) fn attempt(worker: &mut Worker, scene: &mut Scene, programs: &Path, case: &Case) -> Result<(), String> {
    let words: Vec<String> = case.command.split(' ').map(|word| scene.word(word)).collect();
    let program = programs.join(&words[0]);
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
    let limit = patiently(case.within + Duration::from_millis(case.wall_ms));
    if took > limit {
        return Err(format!("took {took:?}"));
    }
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
    let cpu = case.cpu.map(|(least, most)| (least, pace::at_most(most)));
    if !between(execution.usage.cpu.as_millis() as u64, cpu) {
        return Err(format!("another CPU time than {cpu:?} ms: {told}"));
    }
    Ok(())
}
