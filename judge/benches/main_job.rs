//! What the judge adds to the solver's own time: 1,000 tiny cases judged, against a bare loop over the same program
//! (posix_spawn, two pipes, waitpid) with no limits, no sandbox and no checker. Run in turns, so that a machine whose
//! speed drifts slows both alike; the ratio is what counts.
//!
//! `cargo bench -p judge --bench main_job`; `-- --limit 1.5` fails above that ratio.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CASES: usize = 1_000;
const ROUNDS: usize = 7;
const INPUT: &str = "6 13\n1\nabc\n";

#[expect(clippy::print_stdout, reason = "a benchmark reports on standard output")]
fn main() {
    judge_sandbox::become_helper_if_asked();
    let folder = tempfile::Builder::new().prefix("judge-bench-").tempdir().expect("a temporary folder");
    for case in 0..CASES {
        std::fs::write(folder.path().join(format!("{case}.in")), INPUT).expect("a case file");
    }
    let mut ratios = Vec::new();
    println!("{CASES} cases, solver `echo 0`, one job; milliseconds per case");
    println!("{:>8} {:>8} {:>8}", "bare", "judge", "ratio");
    for _ in 0..ROUNDS {
        let (bare, judged) = (bare_loop(), judge(folder.path()));
        let ratio = judged.as_secs_f64() / bare.as_secs_f64();
        println!("{:>8.3} {:>8.3} {ratio:>8.2}", per_case(bare), per_case(judged));
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ROUNDS / 2];
    println!("median ratio {median:.2}");
    let limit = std::env::args().skip_while(|argument| argument != "--limit").nth(1).map(|text| text.parse::<f64>());
    if let Some(Ok(limit)) = limit {
        assert!(median <= limit, "the median ratio {median:.2} is above {limit}");
    }
}

fn per_case(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3 / f64::from(u32::try_from(CASES).expect("a small number"))
}

/// The floor: start the program, give it the input, read its answer, wait for it.
fn bare_loop() -> Duration {
    let started = Instant::now();
    for _ in 0..CASES {
        let spawned = Command::new("/bin/echo").arg("0").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.expect("echo runs");
        // The program may be gone before it is given its input; that is no failure.
        let _ = child.stdin.take().expect("a pipe").write_all(INPUT.as_bytes());
        let output = child.wait_with_output().expect("echo ends");
        assert_eq!(output.stdout, b"0\n");
    }
    started.elapsed()
}

fn judge(folder: &Path) -> Duration {
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_judge"))
        .args(["run", "-p", "columns", "-s", "/bin/echo 0", "--jobs", "1", "--inputs", "*.in"])
        .current_dir(folder)
        .output()
        .expect("the judge runs");
    let elapsed = started.elapsed();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("{CASES} accepted")), "{text}{}", String::from_utf8_lossy(&output.stderr));
    elapsed
}
