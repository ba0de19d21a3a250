//! Tests of more than one program: the judge's size, cancelling, starting, thousands of runs.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use judge_sandbox::{Breach, End, Fault, Sandbox, Tier, Visible};

use super::attempt;
use super::cases::failed;
use super::pace::{in_time, patiently, slowness};
use super::request;
use super::scene::{folder_for_all, processes_with};
use super::{clocks, deaths, hoard, queue, races, short_runs, solvers, starts, streams, traces};

type Test = fn(&Sandbox, &Path) -> Result<(), String>;

/// The tests by name.
pub(crate) const TESTS: &[(&str, Test)] = &[
    ("judge killed", deaths::judge_killed),
    ("helper killed", deaths::helper_killed),
    ("judge and helper killed", deaths::judge_and_helper_killed),
    ("helper stopped", deaths::helper_stopped),
    ("leftovers swept", deaths::leftovers_swept),
    ("cancelled", cancelled),
    ("first worker", starts::is_handed_out_once),
    ("dismissed workers", starts::dismissed_ones_are_waited_for),
    ("copied helper", starts::are_like_executed_ones),
    ("clocks of trees", clocks::are_opened_where_needed),
    ("tier cache", starts::until_a_worker_fails),
    ("short runs in any order", short_runs::in_any_order),
    ("short runs, then much", short_runs::much_at_once),
    ("short runs without a helper", short_runs::without_a_helper),
    ("short runs after an exchange", short_runs::after_an_exchange),
    ("short runs and replaced", short_runs::replaced),
    ("short runs and cancelled", short_runs::cancelled),
    ("short runs without an init", short_runs::without_an_init),
    ("short runs as an init dies", short_runs::init_dies_at_any_moment),
    ("queue in order", queue::in_order),
    ("queue after failures", queue::after_failures),
    ("queue with files between", queue::with_files_between),
    ("queue cancelled", queue::cancelled),
    ("figures after a littered folder", figures_after_a_littered_folder),
    ("cannot start", cannot_start),
    ("stopped before it begins", stopped_before_it_begins),
    ("limits at their ends", limits_at_their_ends),
    ("outputs of every kind", streams::outputs_of_every_kind),
    ("programs written at once", races::programs_written_at_once),
    ("bystanders of forks", races::bystanders_of_forks),
    ("streams in files", streams::in_files),
    ("streams in pipes", streams::in_pipes),
    ("output without a reader", streams::output_without_a_reader),
    ("input untouched", streams::input_untouched),
    ("inputs of every kind", streams::inputs_of_every_kind),
    ("streams by name", streams::by_name),
    ("gap of a lone root", gap_of_a_lone_root),
    ("traces from run to run", traces::from_run_to_run),
    ("traces of helpers", traces::of_helpers),
    ("traces in other users' files", traces::other_users_files),
    ("traces among judges", traces::users_of_judges),
    ("dismissed", dismissed),
    ("fat judge", fat_judge),
    ("visible folders", visible_folders),
    ("closed files in visible folders", closed_files_in_visible_folders),
    ("own code in visible folders", own_code_in_visible_folders),
    ("interpreters", solvers::interpreters),
    ("java", solvers::java),
    ("process ids", traces::process_ids),
    ("locks", traces::locks),
    ("between cases", traces::messages),
    ("pages between cases", traces::pages),
    ("pages between cases, cancelled", traces::pages_of_the_cancelled),
    ("pages between cases, on their way", traces::pages_on_their_way),
    ("pages between cases, warmed up", traces::pages_of_warm_ups),
    ("addresses of sockets", traces::addresses),
    ("folder in memory", hoard::in_memory),
    ("many runs", many_runs),
    ("thousands of runs", thousands_of_runs),
];

/// Fails with `what`, unless it `holds`.
pub(crate) fn check(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn cancelled(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let canceller = worker.canceller();
    let mut request = request(programs.join("cpu"), &["cpu".into(), "asleep".into(), "1000".into()]);
    request.limits.wall = None;
    let began = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(patiently(Duration::from_millis(200)));
            canceller.cancel();
        });
        worker.run(&request)
    });
    check(matches!(result, Err(Fault::Cancelled)), || format!("{result:?}"))?;
    in_time(began.elapsed() < patiently(Duration::from_secs(3)), || format!("took {:?}", began.elapsed()));
    let again = worker.run(&request);
    check(matches!(again, Err(Fault::Cancelled)), || format!("later: {again:?}"))?;
    drop(worker);
    check(processes_with(&programs.join("cpu")).is_empty(), || "it lives on".to_owned())
}

/// Files that one run left in its folder are neither subtracted from the next run's figure nor charged to it.
fn figures_after_a_littered_folder(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let mut run = |words: [&str; 2], memory: u64| {
        let argv = ["processes", words[0], words[1]].map(str::to_owned);
        let mut request = request(programs.join("processes"), &argv);
        request.limits.memory = Some(memory << 20);
        request.limits.disk = 64 << 20;
        worker.run(&request).map_err(|fault| format!("{words:?}: {fault}: {:?}", std::error::Error::source(&fault)))
    };
    for _ in 0..3 {
        let litter = run(["litter", "40"], 256)?;
        check(litter.stdout == b"done\n" && litter.breaches.is_empty(), || format!("{litter:?}"))?;
        let pair = run(["pair", "30"], 64)?;
        let mib = pair.usage.memory.unwrap_or(0) >> 20;
        check(pair.stdout == b"done\n" && pair.breaches.is_empty(), || format!("{pair:?}"))?;
        check((28..=40).contains(&mib), || format!("{mib} MiB instead of 30 or so"))?;
        run(["litter", "40"], 256)?;
        // The limit is below the size of the leftover files, and the program needs more memory than the limit.
        let greedy = run(["pair", "30"], 20)?;
        check(greedy.breaches == [Breach::Memory], || format!("{greedy:?}"))?;
    }
    Ok(())
}

/// A wall time shorter than the start ends a run that has hardly begun, and its time says so.
fn stopped_before_it_begins(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    for _ in 0..20 {
        let mut request = request(programs.join("cpu"), &["cpu".into(), "asleep".into(), "1000".into()]);
        request.limits.wall = Some(Duration::from_micros(1));
        let began = Instant::now();
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        let wall = execution.usage.wall;
        let is_right = (Duration::from_micros(1)..=began.elapsed()).contains(&wall);
        check(execution.breaches == [Breach::Wall] && is_right, || format!("{execution:?}"))?;
    }
    Ok(())
}

/// The smallest and the largest limits that can be asked for are limits like others.
fn limits_at_their_ends(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let run = |memory: u64, processes: u32| {
        let mut request = request(programs.join("output"), &["output", "code", "3"].map(str::to_owned));
        (request.limits.memory, request.limits.processes) = (Some(memory), Some(processes));
        let run = sandbox.worker(None).and_then(|mut worker| worker.run(&request));
        run.map_err(|fault| format!("{memory} bytes, {processes} processes: {fault:?}"))
    };
    // Many times, as the group's charge may grow at any moment of a start.
    for memory in [0, 4096].repeat(20) {
        let execution = run(memory, 16)?;
        check(execution.breaches.contains(&Breach::Memory), || format!("{memory} bytes: {execution:?}"))?;
    }
    for processes in [1 << 22, u32::MAX] {
        let end = run(256 << 20, processes)?.end;
        check(end == End::Exited(3), || format!("{processes} processes: {end:?}"))?;
    }
    Ok(())
}

fn cannot_start(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let file = |name: &str, content: &[u8], mode: u32| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let busy = folder.path().join("busy");
    fs::copy(programs.join("output"), &busy).unwrap();
    let _writer = File::options().write(true).open(&busy).unwrap();
    let tries = [
        (folder.path().join("missing"), libc::ENOENT),
        (file("plain", b"#!/bin/sh\n", 0o644), libc::EACCES),
        (folder.path().to_path_buf(), libc::EACCES),
        (file("empty", b"", 0o755), libc::ENOEXEC),
        (file("garbage", b"\x7fELF but not really", 0o755), libc::ENOEXEC),
        (file("no-interpreter", b"#!/no/such/thing\n", 0o755), libc::ENOENT),
        (file("carriage-return", b"#!/bin/sh\r\necho\r\n", 0o755), libc::ENOENT),
        (busy, libc::ETXTBSY),
    ];
    for (path, errno) in tries {
        let end = worker.run(&request(path.clone(), &["x".into()])).map_err(|fault| fault.to_string())?.end;
        check(end == End::NotStarted(errno), || format!("{}: {end:?}, not {errno}", path.display()))?;
    }
    let script = file("script", b"#!/bin/sh\necho done\n", 0o755);
    let end = worker.run(&request(script, &["x".into()])).map_err(|fault| fault.to_string())?;
    check(end.end == End::Exited(0) && end.stdout == b"done\n", || format!("a good script: {end:?}"))
}

/// If programs run as the judge's user although that is root, a gap says so.
fn gap_of_a_lone_root(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap();
    let is_alone = map.lines().all(|line| line.split_whitespace().nth(2) == Some("1"));
    let is_root = rustix::process::geteuid().is_root();
    let is_told = sandbox.gaps().iter().any(|gap| gap.what == "user");
    let is_gap = if sandbox.tier() == Tier::Bare { !is_root || is_alone } else { is_root && is_alone };
    check(is_told == is_gap, || format!("alone: {is_alone}, told: {is_told}"))
}

/// A program that is no longer needed has some time, which is not counted.
fn dismissed(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let mut request = request(programs.join("cpu"), &["cpu".into(), "alone".into()]);
    request.limits.cpu = Some(Duration::from_millis(150));
    let (over, open) = std::io::pipe().unwrap();
    let closer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(open);
    });
    let began = Instant::now();
    let (execution, _) =
        worker.run_with(request.clone(), None, Some(over.as_fd())).map_err(|fault| fault.to_string())?;
    let took = began.elapsed();
    closer.join().unwrap();
    check(execution.end == End::Signalled(9) && execution.breaches.is_empty(), || format!("{execution:?}"))?;
    check(execution.usage.wall < took - Duration::from_millis(150), || format!("{:?} of {took:?}", execution.usage))?;
    // The next one has its whole time.
    let full = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(full.breaches == [Breach::Cpu], || format!("{full:?}"))
}

/// A large judge does not make its programs look large.
fn fat_judge(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut ballast = vec![0_u8; 300 << 20];
    for page in ballast.chunks_mut(4096) {
        page[0] = 1;
    }
    let mut worker = sandbox.worker(None).unwrap();
    let request = request(programs.join("output"), &["output".into(), "code".into(), "0".into()]);
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    drop(ballast);
    let memory = execution.usage.memory.unwrap();
    check(memory < 16 << 20, || format!("{} MiB", memory >> 20))
}

fn visible_folders(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.path().join("given"), "seen\n").unwrap();
    let script = format!("cat {0}/given; echo x > {0}/made", folder.path().display());
    let mut request = request("/bin/sh".into(), &["sh".into(), "-c".into(), script]);
    let visible = |writable| vec![Visible { path: folder.path().to_path_buf(), writable }];
    let hidden = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(hidden.stdout.is_empty() && failed(&hidden), || format!("not given: {hidden:?}"))?;
    request.visible = visible(false);
    let read = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(read.stdout == b"seen\n" && failed(&read), || format!("read only: {read:?}"))?;
    check(!folder.path().join("made").exists(), || "written although read only".to_owned())?;
    request.visible = visible(true);
    let written = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(written.end == End::Exited(0), || format!("writable: {written:?}"))?;
    check(folder.path().join("made").exists(), || "not written".to_owned())
}

/// A program of another user than the judge's reads no file that its mode closes to others, although it sees the folder
/// and needs a capability to get there.
fn closed_files_in_visible_folders(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    if !rustix::process::geteuid().is_root() || sandbox.gaps().iter().any(|gap| gap.what == "user") {
        return Ok(());
    }
    let mut worker = sandbox.worker(None).unwrap();
    let way = folder_for_all(programs);
    let shown = way.path().join("shown");
    fs::create_dir_all(shown.join("inner")).unwrap();
    for (name, mode) in [("public", 0o644), ("private", 0o600), ("inner/deep", 0o644)] {
        fs::write(shown.join(name), format!("{name}\n")).unwrap();
        fs::set_permissions(shown.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for (folder, mode) in [(shown.join("inner"), 0o700), (shown.clone(), 0o755), (way.path().to_path_buf(), 0o700)] {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    }
    let script = "cd $0 && cat public; cat private; cat inner/deep";
    let argv = ["sh", "-c", script, &shown.display().to_string()].map(str::to_owned);
    let mut request = request("/bin/sh".into(), &argv);
    request.visible = vec![Visible { path: shown, writable: false }];
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(execution.stdout == b"public\n", || {
        format!("{:?}: {execution:?}", String::from_utf8_lossy(&execution.stdout))
    })
}

/// No file that a program wrote is executed uncounted, however the folders overlap. The program itself may be anywhere.
fn own_code_in_visible_folders(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let outer = folder_for_all(programs);
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o777)).unwrap();
    let visible = |path: &Path, writable| Visible { path: path.to_path_buf(), writable };
    let word = |path: &Path| path.display().to_string();
    let own = programs.join("unseen");
    let around = vec![visible(outer.path(), false), visible(&inner, true)];
    let tries = [
        (vec!["unseen".into(), "elsewhere".into(), word(&own), word(&inner)], around),
        // In the tiers without namespaces the working folder is somewhere below.
        (vec!["unseen".into(), "copied".into(), word(&own)], vec![visible(&std::env::temp_dir(), false)]),
    ];
    for (argv, visible) in tries {
        let mut request = request(own.clone(), &argv);
        request.limits.cpu = Some(patiently(Duration::from_millis(100)));
        request.visible = visible;
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        let is_fine = match attempt::refuses_own_code(sandbox) {
            true => execution.end == End::Exited(4) && execution.breaches.is_empty(),
            false => execution.breaches == [Breach::Cpu],
        };
        check(is_fine, || format!("{argv:?}: {execution:?}"))?;
    }
    let program = inner.join("program");
    fs::copy(programs.join("output"), &program).unwrap();
    let mut request = request(program, &["output", "code", "0"].map(str::to_owned));
    request.visible = vec![visible(&inner, true)];
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(execution.end == End::Exited(0), || format!("a program in a folder to write to: {execution:?}"))
}

fn many_runs(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    runs_leave_nothing(sandbox, programs, 600)
}

fn thousands_of_runs(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    runs_leave_nothing(sandbox, programs, 3000)
}

/// Descriptors, processes, mounts, control groups and memory are the same after so many runs, or a hundred on a slow
/// machine.
fn runs_leave_nothing(sandbox: &Sandbox, programs: &Path, runs: usize) -> Result<(), String> {
    let runs = if slowness() == 1 { runs } else { 100 };
    let mut worker = sandbox.worker(None).unwrap();
    let argv = |mode: &str| ["output".to_owned(), mode.to_owned(), "0".to_owned()];
    let plain = request(programs.join("output"), &argv("code"));
    let messy = request(programs.join("escape"), &["escape".into(), "traps".into()]);
    let mut state = None;
    for number in 0..runs {
        let request = if number % 10 == 0 { &messy } else { &plain };
        let execution = worker.run(request).map_err(|fault| format!("run {number}: {fault}"))?;
        check(execution.end == End::Exited(0) && execution.breaches.is_empty(), || format!("{number}: {execution:?}"))?;
        if number == 50 {
            state = Some(State::now());
        }
    }
    std::thread::sleep(Duration::from_millis(500));
    let (before, after) = (state.unwrap(), State::now());
    check(before.counts == after.counts, || format!("{:?} became {:?}", before.counts, after.counts))?;
    check(after.resident < before.resident + 4096, || format!("{} KiB became {} KiB", before.resident, after.resident))
}

/// What must not grow, in this process and its children.
struct State {
    /// Descriptors of this process and its children, children, mounts, control groups.
    counts: [usize; 4],
    /// KiB.
    resident: usize,
}

impl State {
    fn now() -> State {
        let own = std::process::id();
        let mut family = vec![own];
        let mut next = 0;
        while let Some(&pid) = family.get(next) {
            for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                family.extend(children.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
            }
            next += 1;
        }
        let descriptors = |pid: &u32| fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
        let resident = |pid: &u32| {
            let statm = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
            statm.split(' ').nth(1).map_or(0, |pages| pages.parse::<usize>().unwrap() * 4)
        };
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap().lines().count();
        let own_groups = deaths::leftovers().iter().filter(|name| name.contains(&format!(".{own}."))).count();
        State {
            counts: [family.iter().map(descriptors).sum(), family.len(), mounts, own_groups],
            resident: family.iter().map(resident).sum(),
        }
    }
}
