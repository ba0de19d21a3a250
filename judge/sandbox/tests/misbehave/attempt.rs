//! One misbehaving program: run, and judged by what came of it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{Execution, Stdin, Worker};

use super::cases::Case;
use super::pace::{self, patiently};
use super::request;
use super::scene::{Scene, processes_with};

/// How often a program may use too much CPU time before that is no accident.
const TRIES: usize = 5;

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
    let mut tries = 0;
    let took = loop {
        let began = Instant::now();
        let execution =
            worker.run(&request).map_err(|fault| format!("{fault}: {:?}", std::error::Error::source(&fault)))?;
        tries += 1;
        judge(case, &execution)?;
        match excess(case, &execution) {
            None => break began.elapsed(),
            Some(why) if tries == TRIES => return Err(format!("{why}, in {TRIES} tries")),
            Some(_) => {}
        }
    };
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
    if case.cpu.is_some_and(|(least, _)| (execution.usage.cpu.as_millis() as u64) < least) {
        return Err(format!("less CPU time than {:?} ms: {told}", case.cpu));
    }
    Ok(())
}

/// A try whose CPU time was too long, if it was: other work on the machine can be the reason, but not of every try.
fn excess(case: &Case, execution: &Execution) -> Option<String> {
    let most = pace::at_most(case.cpu?.1);
    let used = execution.usage.cpu;
    (used.as_millis() as u64 > most).then(|| format!("{used:?} of CPU time, more than {most} ms"))
}
