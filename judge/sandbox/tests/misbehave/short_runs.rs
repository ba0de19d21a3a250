//! Repeated short runs, which the init of a jail handles alone, and everything that may come in between.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{Breach, End, Exchange, Execution, Fault, Request, Sandbox, Sink, Stdin, Tier, Worker};

use super::attempt::{ALIKE, as_told};
use super::deaths::{Stopped, child_above, kill};
use super::judge_level::check;
use super::pace::{awaited, patiently};
use super::request;
use super::scene::{folder_for_all, processes_of, processes_with};

/// A run that follows `words`, with the same command line as all others of its program.
fn told(program: PathBuf, words: &str) -> Request {
    let mut request = request(program.clone(), &as_told(&program.display().to_string()));
    request.stdin = Stdin::Bytes(Arc::from(words.as_bytes()));
    request
}

fn run(worker: &mut Worker, request: &Request) -> Result<Execution, String> {
    worker.run(request).map_err(|fault| format!("{fault}: {:?}", std::error::Error::source(&fault)))
}

/// Runs that do nothing, until the helper expects the next one to be alike.
fn nothing(worker: &mut Worker, program: &Path) -> Result<(), String> {
    for _ in 0..ALIKE {
        let execution = run(worker, &told(program.to_path_buf(), "nothing"))?;
        let is_nothing = execution.end == End::Exited(0) && execution.stdout.is_empty();
        check(is_nothing && execution.breaches.is_empty(), || format!("nothing: {execution:?}"))?;
    }
    Ok(())
}

/// Instructions to a program, and the expected results.
const TURNS: [(&str, End, usize, Option<Breach>); 14] = [
    ("nothing", End::Exited(0), 0, None),
    ("exactly 3", End::Exited(0), 3, None),
    ("exactly 4095", End::Exited(0), 4095, None),
    ("exactly 4096", End::Exited(0), 4096, None),
    ("exactly 4097", End::Exited(0), 4097, None),
    ("exactly 30000", End::Exited(0), 30_000, None),
    ("exactly 65536", End::Exited(0), 65_536, None),
    ("exactly 65537", End::Signalled(libc::SIGKILL), 65_536, Some(Breach::Output)),
    ("code 42", End::Exited(42), 0, None),
    ("signal 15", End::Signalled(15), 0, None),
    ("complaints", End::Exited(0), 5, None),
    ("daemonize", End::Exited(0), 5, None),
    ("null-pointer", End::Signalled(11), 0, None),
    ("late", End::Exited(0), 5, None),
];

/// In any order, each run has its own end, output and figures.
pub(crate) fn in_any_order(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let program = programs.join("output");
    let mut worker = sandbox.worker(None).unwrap();
    let mut state = 7_u64;
    let mut turn = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Every second one does nothing.
        TURNS[((state >> 33) as usize % (2 * TURNS.len())).saturating_sub(TURNS.len())]
    };
    for (ahead, count) in [(1, 120), (3, 60), (Worker::QUEUE, 120)] {
        let turns: Vec<_> = (0..count).map(|_| turn()).collect();
        for begun in 0..count + ahead {
            if let Some((words, ..)) = turns.get(begun) {
                worker.submit(&told(program.clone(), words)).map_err(|fault| fault.to_string())?;
            }
            let Some(&(words, end, length, breach)) = (begun + 1).checked_sub(ahead).and_then(|turn| turns.get(turn))
            else {
                continue;
            };
            let execution = worker.collect().map_err(|fault| format!("{words}: {fault}"))?;
            let shown = || format!("{words}: {:?} {:?} {:?}", execution.end, execution.breaches, execution.usage);
            // A program that exceeds a limit may have ended by itself just before.
            check(execution.end == end || breach.is_some(), shown)?;
            check(execution.stdout.len() == length && execution.breaches == Vec::from_iter(breach), shown)?;
            let usage = &execution.usage;
            check(usage.stdout_bytes == length as u64 + u64::from(breach.is_some()), shown)?;
            check(usage.memory.is_some_and(|bytes| (1 << 12..16 << 20).contains(&bytes)), shown)?;
        }
    }
    Ok(())
}

/// A run that writes more than a pipe holds, after runs that wrote nothing, writes all of it.
pub(crate) fn much_at_once(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    const MUCH: usize = 3 << 20;
    let program = programs.join("output");
    let mut worker = sandbox.worker(None).unwrap();
    for turn in 0..8 {
        let (words, length) = if turn % 4 == 3 { (format!("exactly {MUCH}"), MUCH) } else { ("nothing".to_owned(), 0) };
        let mut request = told(program.clone(), &words);
        request.limits.stdout = MUCH as u64;
        let execution = run(&mut worker, &request)?;
        let shown = || format!("{words}: {:?} {:?} {:?}", execution.end, execution.breaches, execution.usage);
        check(execution.end == End::Exited(0) && execution.breaches.is_empty(), shown)?;
        check(execution.stdout.len() == length && execution.usage.stdout_bytes == length as u64, shown)?;
    }
    Ok(())
}

/// A worker with an init, and its helper, after runs that did nothing.
fn with_init(sandbox: &Sandbox, programs: &Path) -> Result<Option<(Worker, u32)>, String> {
    if sandbox.tier() == Tier::Bare {
        return Ok(None);
    }
    let program = programs.join("cpu");
    let mut worker = sandbox.worker(None).unwrap();
    let asleep = told(program.clone(), "asleep 0.5");
    let helper = std::thread::scope(|scope| {
        scope.spawn(|| worker.run(&asleep).map(drop));
        let runs = || processes_of(&program).first().and_then(|process| child_above(process));
        awaited(Duration::from_secs(30), "a program starts", runs)
    });
    nothing(&mut worker, &program)?;
    Ok(Some((worker, helper)))
}

/// While the helper is stopped, short runs continue, and a longer one is ended all the same.
pub(crate) fn without_a_helper(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let Some((mut worker, helper)) = with_init(sandbox, programs)? else { return Ok(()) };
    let program = programs.join("cpu");
    let run_of = |words| {
        let mut request = told(program.clone(), words);
        (request.limits.cpu, request.limits.wall) = (None, Some(Duration::from_secs(1)));
        request
    };
    let (mut served, mut rounds, began) = (0, 0, Instant::now());
    // On a busy machine it may take long until runs are short.
    while rounds < 10 || (served == 0 && began.elapsed() < Duration::from_secs(30)) {
        rounds += 1;
        for _ in 0..ALIKE {
            run(&mut worker, &run_of("nothing"))?;
        }
        let stopped = Stopped::stop(helper);
        for _ in 0..ALIKE {
            worker.submit(&run_of("nothing")).map_err(|fault| fault.to_string())?;
        }
        // The helper handles a run that is not short, as may happen on a busy machine, and the runs behind it.
        let mut collected = 0;
        while collected < ALIKE && is_soon_ready(&worker) {
            let execution = worker.collect().map_err(|fault| fault.to_string())?;
            check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
            collected += 1;
        }
        drop(stopped);
        (collected..ALIKE).try_for_each(|_| worker.collect().map(drop)).map_err(|fault| fault.to_string())?;
        served += collected;
    }
    check(served > 0, || "the helper does it all".to_owned())?;
    for _ in 0..ALIKE {
        run(&mut worker, &run_of("nothing"))?;
    }
    worker.submit(&run_of("alone")).map_err(|fault| fault.to_string())?;
    awaited(Duration::from_secs(30), "it starts", || (!processes_of(&program).is_empty()).then_some(()));
    let stopped = Stopped::stop(helper);
    awaited(Duration::from_secs(30), "it ends", || processes_of(&program).is_empty().then_some(()));
    drop(stopped);
    let execution = worker.collect().map_err(|fault| fault.to_string())?;
    check(execution.breaches.contains(&Breach::Wall), || format!("{execution:?}"))
}

fn is_soon_ready(worker: &Worker) -> bool {
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        worker.is_ready()
    })
}

/// Runs that the init cannot handle alone come between others.
pub(crate) fn after_an_exchange(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let program = programs.join("output");
    let mut worker = sandbox.worker(None).unwrap();
    for _ in 0..3 {
        nothing(&mut worker, &program)?;
        let exchange = Exchange {
            input_files: Vec::new(),
            variables: Vec::new(),
            output_folder: "made".into(),
            output_names: Vec::new(),
            take_after_any_exit: false,
            max_files: 1,
            max_bytes: 1,
        };
        let (execution, made) = worker
            .run_with(told(program.clone(), "exactly 7"), Some(&exchange), None)
            .map_err(|fault| fault.to_string())?;
        check(execution.stdout == b"xxxxxxx" && made == Ok(Vec::new()), || format!("{execution:?} {made:?}"))?;
        nothing(&mut worker, &program)?;
        let mut into_file = told(program.clone(), "exactly 5");
        let file = tempfile::tempfile().unwrap();
        into_file.stdout = Sink::File(file.try_clone().unwrap().into());
        let execution = run(&mut worker, &into_file)?;
        check(execution.stdout.is_empty() && file.metadata().unwrap().len() == 5, || format!("{execution:?}"))?;
    }
    Ok(())
}

/// If the program's file is replaced, the new one runs.
pub(crate) fn replaced(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = folder_for_all(programs);
    let (program, next) = (folder.path().join("program"), folder.path().join("next"));
    let mut worker = sandbox.worker(None).unwrap();
    for (name, code) in [("output", 42), ("disk", 99), ("output", 42)] {
        fs::copy(programs.join(name), &next).unwrap();
        fs::rename(&next, &program).unwrap();
        let code = End::Exited(code);
        for turn in 0..2 {
            let execution = run(&mut worker, &told(program.clone(), "code 42"))?;
            check(execution.end == code, || format!("{name}, turn {turn}: {execution:?}"))?;
            nothing(&mut worker, &program)?;
        }
    }
    fs::remove_file(&program).unwrap();
    let execution = run(&mut worker, &told(program, "code 42"))?;
    check(execution.end == End::NotStarted(libc::ENOENT), || format!("{execution:?}"))
}

/// Cancelled while the init waits for a program, and in the middle of one.
pub(crate) fn cancelled(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let program = programs.join("cpu");
    for words in [None, Some("asleep 1000")] {
        let mut worker = sandbox.worker(None).unwrap();
        nothing(&mut worker, &program)?;
        let canceller = worker.canceller();
        if let Some(words) = words {
            worker.submit(&told(program.clone(), words)).map_err(|fault| fault.to_string())?;
            awaited(Duration::from_secs(30), "it starts", || (!processes_of(&program).is_empty()).then_some(()));
        }
        canceller.cancel();
        let result = match words {
            Some(_) => worker.collect(),
            None => worker.run(&told(program.clone(), "nothing")),
        };
        check(matches!(result, Err(Fault::Cancelled)), || format!("{result:?}"))?;
        drop(worker);
        check(processes_with(&program).is_empty(), || "it lives on".to_owned())?;
    }
    Ok(())
}

/// The init of the jail that a helper built last.
fn init_of(helper: u32) -> u32 {
    let children = fs::read_to_string(format!("/proc/{helper}/task/{helper}/children")).unwrap();
    children.split_whitespace().last().unwrap().parse().unwrap()
}

/// A killed init is not dead before all its processes are.
fn await_death(init: u32) {
    let is_dead = || fs::read_to_string(format!("/proc/{init}/stat")).map_or(true, |stat| stat.contains(") Z "));
    awaited(Duration::from_secs(30), "an init dies", || is_dead().then_some(()));
}

/// An init that dies takes only its program with it. The next program gets another init.
pub(crate) fn without_an_init(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let Some((mut worker, helper)) = with_init(sandbox, programs)? else { return Ok(()) };
    let program = programs.join("cpu");
    for _ in 0..5 {
        // Until it waits for the next order.
        std::thread::sleep(patiently(Duration::from_millis(50)));
        let init = init_of(helper);
        kill(init);
        await_death(init);
        nothing(&mut worker, &program)?;
    }
    worker.submit(&told(program.clone(), "asleep 1000")).map_err(|fault| fault.to_string())?;
    awaited(Duration::from_secs(30), "it starts", || (!processes_of(&program).is_empty()).then_some(()));
    // Until the helper watches it.
    std::thread::sleep(patiently(Duration::from_millis(50)));
    kill(init_of(helper));
    let result = worker.collect();
    check(matches!(result, Err(Fault::System { .. })), || format!("{result:?}"))?;
    nothing(&mut worker, &program)
}

/// Whenever its init dies, a run has one answer, its own or none.
pub(crate) fn init_dies_at_any_moment(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let Some((mut worker, mut helper)) = with_init(sandbox, programs)? else { return Ok(()) };
    let program = programs.join("output");
    for moment in (0..60).step_by(4) {
        nothing(&mut worker, &program)?;
        let began = Instant::now();
        let words = format!("exactly {moment}");
        worker.submit(&told(program.clone(), &words)).map_err(|fault| fault.to_string())?;
        while began.elapsed() < Duration::from_micros(20 * moment) {}
        let init = init_of(helper);
        kill(init);
        match worker.collect() {
            Ok(execution) => check(execution.stdout.len() as u64 == moment, || format!("{words}: {execution:?}"))?,
            Err(Fault::System { .. } | Fault::HelperGone(_)) => {}
            Err(fault) => return Err(format!("{words}: {fault}")),
        }
        await_death(init);
        match worker.run(&told(program.clone(), "code 42")) {
            Ok(execution) => check(execution.end == End::Exited(42), || format!("after {words}: {execution:?}"))?,
            // It is unknown whether the answer was sent.
            Err(Fault::HelperGone(_)) => (worker, helper) = with_init(sandbox, programs)?.ok_or("no init")?,
            Err(fault) => return Err(format!("after {words}: {fault}")),
        }
    }
    Ok(())
}
