//! Runs one misbehaving program and checks the result.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{Breach, End, Execution, Sandbox, Stdin, Visible, Worker};

use super::cases::{Case, Termination};
use super::pace::{self, in_time, patiently};
use super::request;
use super::scene::{HIDDEN, Scene, folder_for_all, processes_with};

/// The exit code of a program for an unknown mode.
const NO_SUCH_MODE: i32 = 99;

/// Whether programs in this sandbox cannot execute what they wrote.
pub(crate) fn refuses_own_code(sandbox: &Sandbox) -> bool {
    sandbox.gaps().iter().any(|gap| gap.what == "execution")
}

/// The expected result of the case in this sandbox.
pub(crate) fn expected(case: &Case, sandbox: &Sandbox) -> Case {
    if case.executes_own && refuses_own_code(sandbox) {
        return Case { allowed: &[Termination::Code(4)], says: None, cpu: Some((0, 20)), ..*case };
    }
    *case
}

/// How a program receives its instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    ByArguments,
    /// By its input, after other runs with the same command line, which did nothing.
    ByInput,
}

/// The command line of a program whose input contains the instruction.
pub(crate) fn as_told(program: &str) -> [String; 2] {
    [program.to_owned(), "as-told".to_owned()]
}

/// After this many equal runs, the next is expected to be equal, too.
pub(crate) const ALIKE: usize = 4;

/// Runs `case` and checks its end, its usage and its leftovers. `Err` says what is wrong.
pub(crate) fn attempt(
    worker: &mut Worker,
    scene: &mut Scene,
    programs: &Path,
    case: &Case,
    told: Told,
) -> Result<(), String> {
    let program = programs.join(case.command.split(' ').next().unwrap());
    let hidden = programs.join(HIDDEN);
    let writable = folder_for_all(programs);
    let word = |word| match word {
        "@own" => program.display().to_string(),
        "@hidden" => hidden.display().to_string(),
        "@writable" => writable.path().display().to_string(),
        word => scene.word(word),
    };
    let words: Vec<String> = case.command.split(' ').map(word).collect();
    let mut request = request(program.clone(), &words);
    if case.command.contains("@hidden") {
        request.visible.push(Visible { path: hidden.clone(), writable: false });
    }
    if case.command.contains("@writable") {
        fs::set_permissions(writable.path(), fs::Permissions::from_mode(0o777)).unwrap();
        request.visible.push(Visible { path: writable.path().to_path_buf(), writable: true });
    }
    request.limits.cpu = Some(patiently(Duration::from_millis(case.cpu_ms)));
    request.limits.wall = Some(patiently(Duration::from_millis(case.wall_ms)));
    request.limits.memory = Some(case.memory_mib << 20);
    request.limits.processes = Some(case.processes);
    if case.stdin_mib > 0 {
        request.stdin = Stdin::Bytes(Arc::from(vec![b'i'; case.stdin_mib << 20]));
    }
    if told == Told::ByInput {
        request.argv = as_told(&words[0]).map(Into::into).into();
        request.stdin = Stdin::Bytes(Arc::from(b"nothing".as_slice()));
        for _ in 0..ALIKE {
            let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
            let is_nothing = Termination::Fine.is_of(&execution) && execution.stdout.is_empty();
            is_nothing.then_some(()).ok_or_else(|| format!("nothing is to be done: {execution:?}"))?;
        }
        request.stdin = Stdin::Bytes(words[1..].join(" ").into_bytes().into());
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
        // Where memory is only watched, a program can exceed the limit until that is noticed.
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
