//! The measured values belong to the program only, regardless of the state of the judge and of changes to the system
//! clock. Also tests that waiting in these tests is limited.

use crate::support::of_cases;
use crate::support::pace::{awaited, in_time, patiently, slowness, unhurried};
use crate::support::processes::{Guarded, Process};
use crate::support::require::{Need, skip};
use crate::support::stage::{Stage, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whether a library can be preloaded into the judge: not where it is linked statically.
fn preload_works(stage: &Stage) -> bool {
    let mut date = Command::new("date");
    date.arg("+%s").env("LD_PRELOAD", stage.path("preload.so")).env("LEAPING_CLOCK", "yes");
    let shown = String::from_utf8_lossy(&date.output().unwrap().stdout).trim().parse::<u64>();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let works = shown.is_ok_and(|shown| shown > now + 1800) && !cfg!(target_feature = "crt-static");
    if !works {
        skip(Need::Preload, "libraries cannot be preloaded here");
    }
    works
}

#[test]
fn memory_of_the_judge_is_not_the_solvers() {
    let Some(stage) = Stage::set() else { return };
    if !preload_works(&stage) {
        return;
    }
    for (_, tier) in crate::support::stage::users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_none()) {
        unhurried("a fat judge", || fat_judge(&stage, &tier)).unwrap();
    }
}

fn fat_judge(stage: &Stage, tier: &str) {
    let (solver, report) = (stage.text("solver"), stage.path("tmp").join("report.json"));
    let nap = patiently(Duration::from_millis(300)).as_millis().to_string();
    let arguments = ["exec", "--tier", tier, "--json", report.to_str().unwrap(), "--", &solver, "nap", &nap];
    let mut command = stage.judge(&arguments);
    command.env("LD_PRELOAD", stage.path("preload.so")).env("BALLAST_MIB", "500");
    let mut judge = Guarded(command.spawn().unwrap());
    awaited(Duration::from_secs(10), "the judge is fat", || {
        Process::of(judge.0.id())?.status("VmRSS").filter(|kibibytes| *kibibytes > 500 * 1024)
    });
    assert_eq!(judge.0.wait().unwrap().code(), Some(0));
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let peak = report["memory_bytes"].as_u64().unwrap();
    assert!(peak <= 16 << 20, "{} MiB in tier {tier}", peak >> 20);
}

#[test]
fn a_leaping_clock_changes_no_duration() {
    let Some(stage) = Stage::set() else { return };
    if !preload_works(&stage) {
        return;
    }
    let solver = stage.solver("nap 200");
    let arguments = ["run", "-p", "columns", "-s", &solver, "--seeds", "1-4", "--wall", "20s", "--json", "-"];
    let mut command = stage.judge(&arguments);
    command.env("LD_PRELOAD", stage.path("preload.so")).env("LEAPING_CLOCK", "yes");
    let report = json(command);
    assert_eq!(of_cases(&report, "verdict"), ["accepted"; 4], "{report}");
    let times = of_cases(&report, "wall_ms").into_iter().chain([&report["elapsed_ms"]]);
    assert!(times.into_iter().all(|time| (200.0..20_000.0).contains(&time.as_f64().unwrap())), "{report}");
}

/// The helpers, which measure, get no environment in which a library could be preloaded. So this test reads the
/// sources.
#[test]
fn nothing_that_measures_looks_at_the_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.join("sandbox/src"), root.join("run/src/runner")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { sources.push(path) }
        }
    }
    assert!(sources.len() > 40, "only {} sources found", sources.len());
    // The exception compares time stamps of files with each other, which contain the date, and measures nothing.
    for path in sources.iter().filter(|path| !path.ends_with("sandbox/src/scratch/ramdisk.rs")) {
        let source = fs::read_to_string(path).unwrap();
        for word in ["SystemTime", "UNIX_EPOCH", "Realtime", "CLOCK_REALTIME", "gettimeofday"] {
            assert!(!source.contains(word), "{} names {word}", path.display());
        }
    }
}

/// Runs the judge to its end and returns the largest resident size seen, in KiB.
fn watched(judge: &mut Guarded) -> u64 {
    let mut peak = 0;
    loop {
        peak = peak.max(Process::of(judge.0.id()).and_then(|process| process.status("VmHWM")).unwrap_or(0));
        if let Some(status) = judge.0.try_wait().unwrap() {
            assert_eq!(status.code(), Some(0));
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

const BYTES: u64 = 64 << 20;

#[test]
fn large_streams_pass_through_a_small_judge() {
    let Some(stage) = Stage::set() else { return };
    let (input, output) = (stage.path("tmp").join("in"), stage.path("tmp").join("out"));
    fs::File::create(&input).unwrap().set_len(BYTES).unwrap();
    let (solver, given) = (stage.text("solver"), input.display().to_string());
    let exec = ["exec", "--output-limit", "64MiB", "--wall", "60s"];
    let files = ["--stdin", &given, "--stdout", output.to_str().unwrap(), "--", &solver, "echo"];
    let pipes = ["--stdin", "-", "--", &solver, "echo"];
    for how in [&files[..], &pipes[..]] {
        let mut command = stage.judge(&[&exec[..], how].concat());
        let mut source = Guarded(Command::new("cat").arg(&input).stdout(Stdio::piped()).spawn().unwrap());
        command.stdin(source.0.stdout.take().unwrap());
        let mut judge = Guarded(command.spawn().unwrap());
        let mut stdout = judge.0.stdout.take().unwrap();
        let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()).unwrap());
        let peak = watched(&mut judge);
        println!("the judge's peak: {peak} KiB");
        assert!(peak > 0 && peak < 32 << 10, "{peak} KiB");
        let printed = reader.join().unwrap();
        let written = if how.contains(&"-") { printed } else { output.metadata().unwrap().len() };
        assert_eq!(written, BYTES);
    }
}

#[test]
fn late_tests_retry_with_longer_limits_then_fail() {
    let idle = slowness();
    let tries_until = |enough: u32| {
        let mut factors = Vec::new();
        let result = unhurried("a test of tests", || {
            factors.push(slowness() / idle);
            in_time(slowness() >= enough * idle, || "a test of being late".to_owned());
        });
        (result.is_ok(), factors)
    };
    assert_eq!(tries_until(1), (true, vec![1]));
    assert_eq!(tries_until(4), (true, vec![1, 2, 4]));
    assert_eq!(tries_until(9), (false, vec![1, 2, 4, 8]));
}

#[test]
#[should_panic(expected = "wrong, not late")]
fn what_is_wrong_is_not_tried_again() {
    let mut tries = 0;
    let _ = unhurried("a test of tests", || {
        tries += 1;
        assert!(tries > 1, "wrong, not late");
    });
}
