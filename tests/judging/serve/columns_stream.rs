//! A thousand candidates for the game of columns, as a search makes them: most are worse than the best one so far.

use super::{Served, place};
use crate::support::require::{self, Need};
use serde_json::{Value, json};
use std::process::Command;

/// The strength of the incumbent, in pieces of a thousand.
const STRENGTH: u64 = 350;

/// Programs that are made the same way, and how many of them the stream has.
struct Kind {
    name: &'static str,
    count: u64,
    /// The strengths that are tried.
    strengths: [u64; 2],
    /// The true effect on all cases that makes a program one of these.
    effect: [f64; 2],
}

const KINDS: [Kind; 3] = [
    Kind { name: "worse by 5 to 50 %", count: 900, strengths: [110, 330], effect: [-0.5, -0.05] },
    Kind { name: "equal within 1 %", count: 50, strengths: [340, 360], effect: [-0.01, 0.01] },
    Kind { name: "better by 2 to 10 %", count: 50, strengths: [360, 450], effect: [0.02, 0.1] },
];

/// A hundred cases of 60 to 160 pieces, which a bot plays in a millisecond or two.
fn cases() -> Vec<String> {
    let case =
        |seed: u64| format!("seed={seed},colors={},k={},magic={}", 4 + seed % 4, 60 + seed * 37 % 100, seed % 50);
    (1..=100).map(case).collect()
}

fn params(solver: &str) -> Value {
    json!({"problem": "columns", "solver": {"command": solver}, "cases": cases()})
}

/// Plays a program on all cases, and returns the result.
fn played(served: &mut Served, solver: &str) -> Value {
    let result = served.result("evaluate", &params(solver));
    assert_eq!((&result["verdict"], &result["stopped_early"]), (&json!("accepted"), &json!(false)), "{result}");
    result
}

/// Returns programs of each kind, with the number of the kind, mixed as a search mixes them. They are told apart by playing all cases.
fn stream(served: &mut Served, incumbent: f64) -> Vec<(usize, String)> {
    let mut salt = 1;
    let mut of_kind = |kind: &Kind| {
        let [low, high] = kind.strengths;
        let mut found = Vec::new();
        while (found.len() as u64) < kind.count {
            salt += 1;
            let solver = format!("./columns_bot {} {salt}", low + salt * 7919 % (high - low));
            let effect = played(served, &solver)["total"].as_f64().unwrap() / incumbent - 1.0;
            if (kind.effect[0]..=kind.effect[1]).contains(&effect) {
                found.push(solver);
            }
        }
        found
    };
    let mut all: Vec<(usize, String)> = Vec::new();
    for (number, kind) in KINDS.iter().enumerate() {
        all.extend(of_kind(kind).into_iter().map(|solver| (number, solver)));
    }
    (0..all.len()).map(|place| all[place * 389 % all.len()].clone()).collect()
}

#[test]
#[ignore = "long: plays columns 200,000 times, some minutes"]
fn a_stream_for_columns_saves_runs() {
    let folder = place();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/judging/serve/columns_bot.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-static", "-o"]).arg(folder.path().join("columns_bot")).arg(source);
    match compiler.status() {
        Err(error) => return require::skip(Need::Cc, error),
        Ok(status) => assert!(status.success()),
    }
    let arguments = ["serve", "--problems", "builtin", "--jobs", "2"];
    let incumbent = format!("./columns_bot {STRENGTH} 0");
    let mut served = Served::start_as(folder, &arguments);
    let total = played(&mut served, &incumbent)["total"].as_f64().unwrap();
    let candidates = stream(&mut served, total);
    assert_eq!(served.end(), Some(0));

    let mut served = Served::start_as(served.into_folder(), &arguments);
    let against = played(&mut served, &incumbent)["candidate"].clone();
    let (mut runs, mut stopped) = (0, [0; KINDS.len()]);
    for (kind, solver) in &candidates {
        let mut params = params(solver);
        params["against"] = against.clone();
        let result = served.result("evaluate", &params);
        runs += result["runs"].as_u64().unwrap();
        stopped[*kind] += u64::from(result["stopped_early"] == true);
    }
    for (kind, stopped) in KINDS.iter().zip(stopped) {
        println!("{}: {stopped} of {} were stopped", kind.name, kind.count);
    }
    println!("{runs} of 100,000 case runs");
    assert_eq!(served.result("status", &json!({}))["runs"], runs + 100);
    assert!(runs <= 40_000 && stopped[2] * 20 <= KINDS[2].count, "{runs} runs, {} better ones lost", stopped[2]);
}
