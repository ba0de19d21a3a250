//! Measures a conversation of one line at a time against the same two static programs with only two pipes between them:
//! on one core, which is the baseline, and on two. Covers the judge's interactors and testers in every tier, with a
//! solver that answers at once and one that thinks. All take turns, and the reported value is the ratio to the baseline
//! of the same round.
//!
//! `cargo bench -p judge --bench conversation` `-- --rounds 21` for more than seven rounds.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use judge_sandbox::Cores;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const ROUNDS: usize = 7;
/// Lines that each side sends to a solver that answers at once, and to one that thinks, and the steps of its thinking:
/// some milliseconds.
const KINDS: [(&str, usize, usize); 2] = [("answers at once", 20_000, 0), ("thinks", 200, 2_000_000)];

/// The times of a conversation with one kind of solver, in milliseconds.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    /// The solver's CPU time, if it is measured.
    cpu: Option<f64>,
}

/// A way to hold the conversation: a name, and a function that holds one.
type Contestant = (String, Box<dyn Fn(&Path) -> Option<Took>>);

fn main() {
    judge_sandbox::become_helper_if_asked();
    // `cargo test --benches` only checks whether it works.
    let in_earnest = std::env::args().any(|argument| argument == "--bench");
    let mut arguments = std::env::args().skip_while(|argument| argument != "--rounds");
    let rounds = arguments.nth(1).and_then(|number| number.parse().ok()).unwrap_or(ROUNDS);
    for (kind, lines, steps) in KINDS {
        let (lines, rounds) = if in_earnest { (lines, rounds) } else { (lines / 100, 1) };
        let scene = match scene(lines) {
            Ok(scene) => scene,
            Err(why) => return println!("skipped: {why}"),
        };
        println!(
            "\na solver that {kind}, {lines} exchanges; milliseconds, and the ratio to one core without the judge"
        );
        println!("{:<28} {:>9} {:>9} {:>8} {:>9}", "", "least", "median", "ratio", "CPU time");
        measure(&scene, &contestants(lines, steps), rounds);
    }
}

/// A folder with the programs and their catalogue. `Err` says what is missing on this machine.
fn scene(lines: usize) -> Result<TempDir, String> {
    let folder = tempfile::Builder::new().prefix("judge-bench-").tempdir().expect("a temporary folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/conversation/talk.c");
    let built = Command::new("cc").args(["-static", "-O2", "-o"]).arg(folder.path().join("talk")).arg(source).status();
    if !built.map_err(|error| format!("no C compiler, `cc`: {error}; apt-get install gcc libc6-dev"))?.success() {
        return Err("`cc -static` fails".to_owned());
    }
    let problem = |id: &str, command: String| {
        format!("[[problem]]\nid = \"{id}\"\n{command}\ngenerator-command = \"echo {{seed}}\"\nseeds = \"1-2\"\n")
    };
    let interactor = problem("interactor", format!("interactor-command = \"./talk ask {lines} {{report}}\""));
    let tester = problem("tester", format!("tester-command = \"./talk test {lines} {{report}} {{solver}}\""));
    std::fs::write(folder.path().join("problems.toml"), interactor + &tester).expect("a catalogue");
    Ok(folder)
}

fn contestants(lines: usize, steps: usize) -> Vec<Contestant> {
    let cores = Cores::here().numbers;
    let (first, last) = (cores[0], cores[cores.len() - 1]);
    let mut found: Vec<Contestant> = vec![
        ("one core".to_owned(), Box::new(move |folder| bare_loop(folder, lines, [first, first], steps))),
        ("two cores".to_owned(), Box::new(move |folder| bare_loop(folder, lines, [first, last], steps))),
    ];
    for tier in ["root", "userns", "bare"] {
        for problem in ["interactor", "tester"] {
            found.push((format!("{problem}, {tier}"), Box::new(move |folder| judged(folder, problem, tier, 1, steps))));
        }
    }
    let at_once = Box::new(move |folder: &Path| judged(folder, "interactor", "root", 2, steps));
    found.push(("interactor, root, two slots".to_owned(), at_once));
    found
}

fn bare_loop(folder: &Path, lines: usize, [one, other]: [usize; 2], steps: usize) -> Option<Took> {
    let words = ["loop".to_owned(), lines.to_string(), one.to_string(), other.to_string(), steps.to_string()];
    let output = Command::new(folder.join("talk")).args(words).output().ok()?;
    Some(Took { wall: String::from_utf8(output.stdout).ok()?.trim().parse().ok()?, cpu: None })
}

/// The longest of simultaneous conversations, one for each slot; `None` if the tier does not work.
fn judged(folder: &Path, problem: &str, tier: &str, slots: usize, steps: usize) -> Option<Took> {
    let (solver, seeds, jobs) = (format!("./talk echo {steps}"), format!("1-{slots}"), slots.to_string());
    let run = ["run", "-p", problem, "-s", &solver, "--seeds", &seeds, "--jobs", &jobs, "--tier", tier, "--json", "-"];
    let limits = ["--cpu", "100s", "--wall", "200s"];
    let output = Command::new(env!("CARGO_BIN_EXE_judge")).args(run).args(limits).current_dir(folder).output().ok()?;
    if output.status.code() == Some(2) {
        return None;
    }
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let cases = report["cases"].as_array().expect("cases");
    assert!(cases.iter().all(|case| case["verdict"] == "accepted"), "{report:#}");
    let longest = |key: &str| cases.iter().filter_map(|case| case[key].as_f64()).reduce(f64::max);
    Some(Took { wall: longest("wall_ms")?, cpu: longest("cpu_ms") })
}

fn measure(scene: &TempDir, contestants: &[Contestant], rounds: usize) {
    let mut took: Vec<Vec<Took>> = contestants.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for ((_, hold), took) in contestants.iter().zip(&mut took) {
            took.extend(hold(scene.path()));
        }
    }
    let floor = took[0].clone();
    for ((name, _), took) in contestants.iter().zip(took) {
        if took.len() < rounds {
            println!("{name:<28} not on this machine");
            continue;
        }
        let walls: Vec<f64> = took.iter().map(|took| took.wall).collect();
        let ratios = walls.iter().zip(&floor).map(|(wall, floor)| wall / floor.wall).collect();
        let cpu = median(took.iter().filter_map(|took| took.cpu).collect());
        let least = walls.iter().copied().fold(f64::INFINITY, f64::min);
        let cpu = cpu.map_or(String::new(), |cpu| format!("{cpu:.1}"));
        let [middle, ratio] = [median(walls), median(ratios)].map(Option::unwrap_or_default);
        println!("{name:<28} {least:>9.1} {middle:>9.1} {ratio:>8.2} {cpu:>9}");
    }
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
