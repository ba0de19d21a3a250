//! Programs that are submitted while others run.

use std::path::Path;
use std::time::{Duration, Instant};

use judge_sandbox::{End, Fault, Request, Sandbox, Sink, Stdin, Worker};

use super::judge_level::check;
use super::pace::{in_time, patiently};
use super::request;
use super::scene::processes_with;

/// Lengths of standard output and standard error, around the length above which they go through files.
const LENGTHS: [usize; 9] = [0, 3, 4095, 4096, 4097, 70_000, 65_536, 1_000_000, 5];

/// The program of this turn: it prints its input and then its own letter repeatedly.
fn of_turn(turn: usize) -> (Request, Vec<u8>, Vec<u8>) {
    let letter = |shift: usize| char::from(b'a' + ((turn + shift) % 26) as u8);
    let (out, err) = (LENGTHS[turn % LENGTHS.len()], LENGTHS[(turn / 2) % LENGTHS.len()]);
    let repeat =
        |length: usize, letter: char| format!("/usr/bin/head -c {length} /dev/zero | /usr/bin/tr '\\0' {letter}");
    let script =
        format!("/bin/cat; {}; {{ {}; }} >&2; exit {}", repeat(out, letter(0)), repeat(err, letter(1)), turn % 7);
    let input = format!("{turn}\n");
    let text = |letter: char, length: usize| letter.to_string().repeat(length);
    let mut request = request("/bin/sh".into(), &["sh".into(), "-c".into(), script]);
    request.limits.processes = Some(8);
    request.limits.stdout = 2_000_000;
    request.limits.stderr = 2_000_000;
    let answers = (format!("{input}{}", text(letter(0), out)), text(letter(1), err));
    request.stdin = Stdin::Bytes(input.into_bytes().into());
    (request, answers.0.into_bytes(), answers.1.into_bytes())
}

/// Each queued run has its own input, output and end, for any length of the queue.
pub(crate) fn in_order(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let told = |fault: Fault| format!("{fault}: {:?}", std::error::Error::source(&fault));
    for (ahead, turns) in [(1, 4), (2, 12), (Worker::QUEUE, 40)] {
        for turn in 0..turns + ahead {
            if turn < turns {
                worker.submit(&of_turn(turn).0).map_err(told)?;
            }
            let Some(turn) = (turn + 1).checked_sub(ahead).filter(|turn| *turn < turns) else { continue };
            let execution = worker.collect().map_err(told)?;
            let (_, stdout, stderr) = of_turn(turn);
            let is_its = execution.stdout == stdout && execution.stderr == stderr;
            let (seen, length) = (execution.stdout.len(), execution.stderr.len());
            check(is_its, || format!("turn {turn} of {ahead}: {seen} and {length} bytes, {:?}", execution.end))?;
            check(execution.end == End::Exited((turn % 7) as i32), || format!("turn {turn}: {:?}", execution.end))?;
        }
        check(!worker.is_ready(), || "something is left to collect".to_owned())?;
    }
    Ok(())
}

/// Captured output stays available until it is collected, regardless of what later programs write.
pub(crate) fn with_files_between(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let turns = [5, 0, 14];
    let [first, mut between, last] = turns.map(|turn| of_turn(turn).0);
    let file = || Sink::File(tempfile::tempfile().unwrap().into());
    (between.stdout, between.stderr) = (file(), file());
    [first, between, last].iter().try_for_each(|request| worker.submit(request)).map_err(|fault| fault.to_string())?;
    // All have ended by then.
    std::thread::sleep(patiently(Duration::from_millis(300)));
    for turn in turns {
        let execution = worker.collect().map_err(|fault| fault.to_string())?;
        let (_, stdout, stderr) = of_turn(turn);
        let expected = if turn == 0 { (Vec::new(), Vec::new()) } else { (stdout, stderr) };
        check((execution.stdout, execution.stderr) == expected, || format!("turn {turn} has the output of another"))?;
    }
    Ok(())
}

/// A program that cannot start, and one that exceeds its limit, do not affect later ones.
pub(crate) fn after_failures(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let mut endless = request(programs.join("cpu"), &["cpu".into(), "alone".into()]);
    endless.limits.cpu = Some(Duration::from_millis(50));
    let missing = request(programs.join("missing"), &["missing".into()]);
    let requests = [missing, of_turn(1).0, endless, of_turn(1).0];
    requests.iter().try_for_each(|request| worker.submit(request)).map_err(|fault| fault.to_string())?;
    let mut ends = Vec::new();
    for _ in requests {
        ends.push(worker.collect().map_err(|fault| fault.to_string())?.end);
    }
    let expected = [End::NotStarted(libc::ENOENT), End::Exited(1), End::Signalled(libc::SIGKILL), End::Exited(1)];
    check(ends == expected, || format!("{ends:?}"))
}

/// All waiting programs are cancelled with the running one, and none of them starts.
pub(crate) fn cancelled(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let canceller = worker.canceller();
    let mut request = request(programs.join("cpu"), &["cpu".into(), "asleep".into(), "1000".into()]);
    request.limits.wall = None;
    for _ in 0..3 {
        worker.submit(&request).map_err(|fault| fault.to_string())?;
    }
    let began = Instant::now();
    let results = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(patiently(Duration::from_millis(200)));
            canceller.cancel();
        });
        [worker.collect(), worker.collect(), worker.collect()]
    });
    check(results.iter().all(|result| matches!(result, Err(Fault::Cancelled))), || format!("{results:?}"))?;
    in_time(began.elapsed() < patiently(Duration::from_secs(3)), || format!("took {:?}", began.elapsed()));
    drop(worker);
    check(processes_with(&programs.join("cpu")).is_empty(), || "one lives on".to_owned())
}
