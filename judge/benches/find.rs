//! How many runs `judge find` needs, and how small `judge reduce` makes a case.
//!
//! `cargo bench -p judge --bench find [-- region|seeds|reduce|columns] [N]`; the first three by default. N is the
//! number of searches (40), or of seeds for `columns` (5000), which takes a quarter of an hour of CPU time: the bundled
//! solver has a tenth of a second for each case.
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A failure in a region that contains one case in ten thousand. The score falls towards the region.
const REGION: &str = "exec awk '{ a = $1 / 10000 - 0.7; b = $2 - 0.3; d = (a < 0 ? -a : a) + (b < 0 ? -b : b)
    if (d < 0.00707) exit 3; print 1000 + int(50000 * d) }'";

/// The searches of the goals.
const SEARCHES: usize = 40;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let number = words.iter().find_map(|word| word.parse().ok());
    let is_asked = |name: &str| words.iter().any(|word| word == name);
    let all = !["region", "seeds", "reduce", "columns"].into_iter().any(is_asked);
    let folder = tempfile::tempdir().expect("a folder");
    if all || is_asked("region") {
        region(folder.path(), number.unwrap_or(SEARCHES));
    }
    if all || is_asked("seeds") {
        seeds(folder.path());
    }
    if all || is_asked("reduce") {
        reduce(folder.path());
    }
    if is_asked("columns") {
        columns(folder.path(), number.unwrap_or(5000));
    }
}

fn judge(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_judge"))
        .current_dir(folder)
        .args(arguments)
        .args(["--json", "-"])
        .output()
        .expect("the judge starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file can be written");
}

fn parameters(folder: &Path, solver: &str) {
    write(
        folder,
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {n} {x} {seed}\"\n\
         trusted = true\nseeds = \"1-3\"\n[problem.generator-parameters]\nn = \"1..10000\"\nx = \"0.0..1.0\"\n",
    );
    write(folder, "bot.sh", solver);
}

/// A region of parameters: the median of the runs.
fn region(folder: &Path, searches: usize) {
    parameters(folder, REGION);
    let runs = |draw: usize| {
        let draw = draw.to_string();
        let find = ["find", "-s", "bot.sh", "--for", "failure", "--top", "1", "--budget", "20000", "--draw", &draw];
        judge(folder, &[&find[..], &["--no-journal"]].concat())["runs"].as_u64().unwrap_or(u64::MAX)
    };
    let mut all: Vec<u64> = (1..=searches).map(runs).collect();
    all.sort_unstable();
    println!("region of 1 in 10,000: median {} runs of {searches} searches (random: 6,931)", all[all.len() / 2]);
}

/// A failure at one seed in a hundred: as many runs as the first such seed.
fn seeds(folder: &Path) {
    parameters(folder, "read n x seed; [ $((seed % 100)) = 63 ] && exit 3; echo $n");
    let report = judge(folder, &["find", "-s", "bot.sh", "--for", "failure", "--top", "1", "--no-journal"]);
    println!("failure at seed 63, whatever the parameters: {} runs, by batches of 16", report["runs"]);
}

/// A planted bug in ten thousand pieces of columns.
fn reduce(folder: &Path) {
    let piece = |number: usize| match number % 97 {
        0 => "***\n".to_owned(),
        _ => {
            [number * 7, number * 5 + number / 11, number * 3 + number / 7]
                .map(|letter| char::from(b"abcdefgh"[letter % 8]))
                .iter()
                .collect::<String>()
                + "\n"
        }
    };
    let text: String = (0..10_000).map(piece).collect();
    write(folder, "big.in", &format!("8 15\n10000\n{text}"));
    write(
        folder,
        "bot.sh",
        "exec awk 'NR > 2 { if ($1 == \"***\") magic++; if (magic > 40 && $1 ~ /^h/) late++; a = a \"1 0\\n\" }
            END { if (late > 2) exit 3; printf \"%d\\n%s\", NR - 2, a }'",
    );
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_judge"))
        .current_dir(folder)
        .args(["reduce", "--problems", "builtin", "-p", "columns", "-s", "bot.sh", "--input", "big.in"])
        .output()
        .expect("the judge starts");
    let small = String::from_utf8_lossy(&output.stdout);
    let pieces = small.lines().nth(1).unwrap_or("?");
    println!("10,000 pieces -> {pieces}, of 44 at least; {:.1} s", started.elapsed().as_secs_f64());
}

/// The worst losses of greedy to the bundled solver, as shares of the better score. All seeds are played first. The shorter
/// searches then take these scores from the journal, because the bundled solver gets others each time.
fn columns(folder: &Path, seeds: usize) {
    let range = format!("1-{seeds}");
    let solvers =
        ["--problems", "builtin", "-p", "columns", "-s", "bundled:columns-greedy", "--against", "bundled:columns"];
    let limited = ["--env", "SOLVER_TIME_LIMIT=0.1", "--reuse"];
    let worst = |budget: usize| -> Vec<String> {
        let budget = budget.to_string();
        let find = ["find", "--seeds", &range, "--top", "10", "--budget", &budget];
        let report = judge(folder, &[&find[..], &solvers, &limited].concat());
        report["found"].as_array().into_iter().flatten().map(|found| found["case"].to_string()).collect()
    };
    let all = worst(seeds);
    for cases in [seeds * 15 / 100, seeds * 3 / 10] {
        let shared = worst(cases).iter().filter(|case| all.contains(case)).count();
        let runs = 2 * cases;
        println!(
            "columns, greedy against the bundled solver: {shared} of the ten worst of {seeds} seeds in {cases} cases ({runs} runs)"
        );
    }
}
