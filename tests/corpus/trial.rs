//! One program of the corpus before the judge.

use crate::expect::{Demand, Row};
use crate::outcome::Outcome;
use crate::pace::{awaited, in_time, patiently};
use crate::scene::{SECRET, Scene};
use crate::{Place, plain_user};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How much the machine's memory may vary besides the program's own, in MiB.
const OTHERS_MEMORY: u64 = 64;

/// The judge with its own folder, ready to start in this place.
fn judge(scene: &Scene, place: &Place<'_>, folder: &Path) -> Command {
    let judge = scene.programs.join("judge");
    let mut command = if place.user.is_some() {
        let mut command = Command::new(scene.programs.join("corpus-test"));
        command.arg(plain_user::BECOME).args(place.groups).arg("--").arg(judge);
        command
    } else {
        Command::new(judge)
    };
    command.current_dir(folder).env("TMPDIR", folder).env(SECRET.0, SECRET.1).stdin(Stdio::null());
    command.args(["exec", "--tier", place.tier]);
    command
}

/// Whether the judge can run in this place. `Err` says why not.
pub(crate) fn probe(scene: &Scene, place: &Place<'_>) -> Result<(), String> {
    let folder = scene.folder();
    let output = judge(scene, place, folder.path()).args(["--", "/bin/true"]).output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()) }
}

/// Runs the program of a row, and compares all results with the row. Returns the verdict; `Err` describes the
/// difference.
pub(crate) fn hold(row: &Row, scene: &Scene, place: &Place<'_>) -> Result<&'static str, String> {
    let folder = scene.folder();
    let mut judge = Running(start(row, scene, place, folder.path()));
    let began = Instant::now();
    let neighbour = row.demands.contains(&Demand::HostResponsive).then(|| neighbour(scene, place));
    let seen = watched(row, &mut judge.0, folder.path());
    let took = began.elapsed();
    if let Some(neighbour) = neighbour {
        neighbour?;
    }
    let read =
        |name: &str| fs::read(folder.path().join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let json = read("report.json").map_err(|error| format!("the judge did not report: {error}"))?;
    let outcome = Outcome::read(&json)?;
    for name in ["stdout", "stderr"] {
        let said = read(name).map_err(|error| format!("{name}: {error}"))?;
        if let Some(line) = said.lines().find(|line| line.starts_with("ESCAPED")) {
            return Err(line.to_owned());
        }
    }
    if let Some(damage) = scene.damage() {
        return Err(damage);
    }
    awaited(Duration::from_millis(500), "no process of the run is left", || {
        processes_of(row, scene).is_empty().then_some(())
    });
    awaited(Duration::from_secs(5), "the judge's own folders are removed", || {
        leftovers(folder.path()).is_empty().then_some(())
    });
    if let Some(core) = fs::read_dir(folder.path()).unwrap().flatten().find(|entry| is_core(&entry.file_name())) {
        return Err(format!("a core file is left: {}", core.path().display()));
    }
    seen?;
    outcome.hold_to(row)?;
    for demand in &row.demands {
        if let Demand::Answer(limit) = demand {
            in_time(took < patiently(*limit), || format!("the judge answered after {took:?}"));
        }
    }
    outcome.verdict()
}

/// A judge that is killed at the latest when the trial is over.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(row: &Row, scene: &Scene, place: &Place<'_>, folder: &Path) -> Child {
    let limits = &row.limits;
    let mut command = judge(scene, place, folder);
    let wall = patiently(row.wall()).as_millis();
    command.args(["--cpu", &format!("{}ms", limits.cpu_ms), "--wall", &format!("{wall}ms")]);
    command.args(["--memory", &format!("{}MiB", limits.memory_mib)]);
    command.args(["--output-limit", &format!("{}KiB", limits.output_kib)]);
    command.args(["--processes", &limits.processes.to_string()]);
    command.args(["--stdout", "stdout", "--stderr", "stderr", "--json", "report.json"]);
    if limits.stdin_mib > 0 {
        let path = folder.join("stdin");
        fs::File::create(&path).unwrap().set_len(limits.stdin_mib << 20).unwrap();
        command.arg("--stdin").arg(path);
    }
    let program = scene.programs.join(&row.name);
    command.arg("--").arg(program).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for the judge, and samples the resources that it and the program use meanwhile.
fn watched(row: &Row, judge: &mut Child, folder: &Path) -> Result<(), String> {
    let limit =
        row.demands.iter().find_map(|demand| if let Demand::Answer(limit) = demand { Some(*limit) } else { None });
    let limit = limit.unwrap_or(Duration::from_secs(10)) * 3;
    let before = meminfo();
    let (mut own, mut disk, mut fall) = (0, 0, 0);
    awaited(limit, "the judge answers at all", || {
        own = own.max(status(judge.id(), "VmHWM").unwrap_or(0) >> 10);
        if row.is_about_the_machine() {
            disk = disk.max(size(folder) >> 20);
            fall = fall.max(before.saturating_sub(meminfo()));
        }
        judge.try_wait().unwrap()
    });
    for demand in &row.demands {
        match *demand {
            Demand::OwnMemory(most) if own >= most => return Err(format!("the judge took {own} MiB")),
            Demand::Disk(most) if disk >= most => return Err(format!("{disk} MiB of disk")),
            // Other programs may have used it, but not in every try.
            Demand::HostMemory => {
                let most = row.limits.memory_mib + OTHERS_MEMORY;
                in_time(fall <= most, || format!("the machine's memory fell by {fall} MiB, more than {most}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A second judge beside the program.
fn neighbour(scene: &Scene, place: &Place<'_>) -> Result<(), String> {
    std::thread::sleep(Duration::from_millis(200));
    let folder = scene.folder();
    let began = Instant::now();
    let output = judge(scene, place, folder.path()).args(["--cpu", "1s", "--", "/bin/true"]).output().unwrap();
    in_time(began.elapsed() < patiently(Duration::from_secs(2)), || "a second judge was held up".to_owned());
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("a second judge: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// Processes of the program, including zombies, which only have their name.
fn processes_of(row: &Row, scene: &Scene) -> Vec<String> {
    let program = scene.programs.join(&row.name);
    let name: String = row.name.chars().take(15).collect();
    let is_its = |folder: &Path| {
        let read = |file: &str| fs::read(folder.join(file)).unwrap_or_default();
        let line = read("cmdline");
        let path = program.as_os_str().as_encoded_bytes();
        line.windows(path.len()).any(|part| part == path) || read("comm").trim_ascii_end() == name.as_bytes()
    };
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter(|folder| is_its(folder)).map(|folder| folder.display().to_string()).collect()
}

fn leftovers(folder: &Path) -> Vec<std::ffi::OsString> {
    let names = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("judge-sandbox.")).collect()
}

fn is_core(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name == "core" || name.starts_with("core.")
}

/// A figure of `/proc/PID/status`, in KiB.
fn status(pid: u32, field: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The memory that is available on the machine, in MiB.
fn meminfo() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
}

/// How many bytes the files of a folder take.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => std::os::unix::fs::MetadataExt::blocks(&meta) * 512,
        Err(_) => 0,
    };
    entries.map(of).sum()
}
