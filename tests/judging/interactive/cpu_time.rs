//! The CPU time of an interactive solver is its own, like the CPU time of a solver that prints an answer. A comparison
//! of the two with each other would measure how busy the machine was.

use super::scene_with;
use crate::support::pace::{at_most, in_time, slowness, unhurried};
use crate::support::{Folder, of_cases};

/// The maximal share by which the charged time may exceed the solver's own measurement.
const SHARE: f64 = 0.02;

/// How often each is measured.
const ROUNDS: u32 = 2;

/// The steps of the solver, in millions: about a third of a second.
const MILLIONS: u32 = 150;

const INTERACTIVE: &str = "interactor-command = \"./player report-to={report} ";

/// A measured case: the CPU time that the judge charges, and the CPU time by the solver's own account.
struct Charged {
    judged_ms: f64,
    own_ms: f64,
}

fn charged(folder: &Folder, solver: &str) -> Charged {
    let solver = format!("./player {solver}");
    let (_, report) = folder.json(&["run", "-p", "talk", "-s", &solver, "--cpu", "100s", "--wall", "300s"]);
    assert_eq!(of_cases(&report, "verdict"), ["accepted"], "{report}");
    let number = |field: &str| of_cases(&report, field)[0].as_f64().unwrap();
    Charged { judged_ms: number("cpu_ms"), own_ms: number("score") / 1_000.0 }
}

#[test]
#[ignore = "CI: many conversations"]
fn conversations_cost_the_solver_no_extra_cpu() {
    let alone = "checker-command = \"cat {answer}\"";
    let quiet = format!("{INTERACTIVE}say=go hear report-heard\"");
    // It computes before, during and after the solver's own work.
    let burning = format!("{INTERACTIVE}compute=50 say=go compute=400 hear compute=50 report-heard\"");
    let scenes = [alone, &quiet, &burning].map(scene_with);
    let [Some(alone), Some(quiet), Some(burning)] = scenes else { return };
    unhurried("the CPU time of a conversation", || {
        let work = MILLIONS * slowness();
        let (answers, converses) = (format!("work={work} say-cpu"), format!("hear work={work} say-cpu"));
        for _ in 0..ROUNDS {
            let of_all = [charged(&alone, &answers), charged(&quiet, &converses), charged(&burning, &converses)];
            for Charged { judged_ms, own_ms } in of_all {
                let most = own_ms * (1.0 + SHARE) + at_most(1) as f64;
                println!("CPU time: {judged_ms} ms, {own_ms} ms by the solver's own account");
                assert!(own_ms <= judged_ms, "{judged_ms} ms of CPU time, {own_ms} by its own account");
                in_time(judged_ms < most, || format!("{judged_ms} ms of CPU time, {own_ms} by its own account"));
            }
        }
    })
    .unwrap();
}
