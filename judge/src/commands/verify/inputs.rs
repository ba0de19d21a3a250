//! Whether the generator is deterministic, and whether every input can be read and is valid.

use crate::commands::verify::{Subject, finding};
use judge_problem::{CaseSource, CommandTemplate, GeneratorChoice, counted, error_chain, quote};
use judge_report::{CheckResult, Finding};
use judge_run::cases::{Inputs, ProblemChecker, validate};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How many seeds the generator gets.
const SEEDS: usize = 5;
/// The seeds of a problem whose own cases are files.
const OTHER_SEEDS: [u64; 3] = [1, 2, 3];
/// A generator that is seeded by the clock can be detected only after the second has changed.
const SECOND: Duration = Duration::from_millis(1100);
/// Bytes that are not an input of any game.
const GARBAGE: &[u8] = b"\xff\x00 this is no input \xfe\n";

/// Checks that the generator prints the same for the same seed, and keeps to its time.
pub(super) fn generator(subject: &Subject<'_>) -> Option<Finding> {
    let choice = subject.problem.generator.as_ref()?;
    let own = subject.cases.iter().filter_map(|case| match case.source {
        CaseSource::Seed(seed) => Some(seed),
        CaseSource::File(_) | CaseSource::Made(_) => None,
    });
    let own: Vec<u64> = own.take(SEEDS).collect();
    let seeds = if own.is_empty() { OTHER_SEEDS.to_vec() } else { own };
    let inputs = Inputs::of(subject.problem);
    let show = |seed: u64| subject.command("gen", &format!("--seed {seed}"));
    let failed = |seed: u64, why: String| finding("generator", CheckResult::Failed, why, show(seed));
    let (mut made, mut slowest) = (Vec::new(), Duration::ZERO);
    let began = Instant::now();
    for &seed in &seeds {
        let started = Instant::now();
        match inputs.generate(seed) {
            Ok(input) => made.push(input),
            Err(error) => return Some(failed(seed, error_chain(&error))),
        }
        slowest = slowest.max(started.elapsed());
    }
    if matches!(choice, GeneratorChoice::Command(_) | GeneratorChoice::Files(_)) {
        sleep(SECOND.saturating_sub(began.elapsed()));
    }
    for (&seed, first) in seeds.iter().zip(&made) {
        match inputs.generate(seed) {
            Ok(again) if again == *first => {}
            Ok(_) => {
                return Some(failed(
                    seed,
                    format!("seed {seed} gave two different inputs: use no other source of chance than the seed"),
                ));
            }
            Err(error) => return Some(failed(seed, error_chain(&error))),
        }
    }
    Some(judged_generator(subject, &seeds, &made, slowest, show))
}

fn judged_generator(
    subject: &Subject<'_>,
    seeds: &[u64],
    made: &[Vec<u8>],
    slowest: Duration,
    show: impl Fn(u64) -> String,
) -> Finding {
    let limit = subject.problem.helper_limits.generator.wall;
    if let Some(place) = made.iter().position(Vec::is_empty) {
        let why = format!("seed {} gave an empty input", seeds[place]);
        return finding("generator", CheckResult::Failed, why, show(seeds[place]));
    }
    if made.len() > 1 && made.iter().all(|input| *input == made[0]) {
        let why = format!("seeds {} and {} give the same input: is the seed used?", seeds[0], seeds[1]);
        return finding("generator", CheckResult::Warning, why, show(seeds[1]));
    }
    if slowest * 2 > limit.0 {
        let why = format!("it takes {} ms of the {limit} of `generator-wall`", slowest.as_millis());
        return finding("generator", CheckResult::Warning, why, show(seeds[0]));
    }
    let detail = format!("{}, each made twice with the same bytes", counted(seeds.len(), "seed"));
    finding("generator", CheckResult::Ok, detail, show(seeds[0]))
}

/// Checks that the checker can read the input of every case, and that the validator accepts it.
pub(super) fn inputs(subject: &Subject<'_>) -> Vec<Finding> {
    let (inputs, checker) = (Inputs::of(subject.problem), ProblemChecker::of(subject.problem));
    let validator = subject.problem.verification.validator.as_ref();
    let mut refused = None;
    for case in &subject.cases {
        let failed = |why: String| {
            finding("inputs", CheckResult::Failed, format!("{}: {why}", case.name), subject.input_command(case))
        };
        let input = match inputs.load(case) {
            Ok(input) => input,
            Err(error) => return vec![failed(error_chain(&error))],
        };
        if let Err(error) = checker.prepare(&input, Some(&case.source)) {
            return vec![failed(error_chain(&error))];
        }
        if let (Some(validator), None) = (validator, &refused) {
            let why = match validate(subject.problem, validator, &input) {
                Ok(None) => continue,
                Ok(Some(why)) => format!("it refuses {}: {why}", case.name),
                Err(error) => format!("on {}: {}", case.name, error_chain(&error)),
            };
            let command = by_shell(validator, &subject.input_command(case));
            refused = Some(finding("validator", CheckResult::Failed, why, command));
        }
    }
    let detail = format!("{} can be read", counted(subject.cases.len(), "case"));
    let mut findings = vec![finding("inputs", CheckResult::Ok, detail, subject.show())];
    findings.extend(refused.or_else(|| Some(garbage(subject, validator?))));
    findings
}

/// Checks whether the validator refuses invalid inputs.
fn garbage(subject: &Subject<'_>, validator: &CommandTemplate) -> Finding {
    for (what, input, shown) in [
        ("an empty input", &b""[..], "printf ''"),
        ("garbage", GARBAGE, "printf '\\377\\000 this is no input \\376\\n'"),
    ] {
        match validate(subject.problem, validator, input) {
            Ok(None) => {
                return finding(
                    "validator",
                    CheckResult::Warning,
                    format!("it accepts {what}"),
                    by_shell(validator, shown),
                );
            }
            Ok(Some(_)) => {}
            Err(error) => {
                let why = format!("on {what}: {}", error_chain(&error));
                return finding("validator", CheckResult::Failed, why, by_shell(validator, shown));
            }
        }
    }
    let detail = format!("it accepts {}, and refuses garbage", counted(subject.cases.len(), "case"));
    finding("validator", CheckResult::Ok, detail, String::new())
}

/// Returns the command that runs the validator in a shell, on the output of another command.
fn by_shell(validator: &CommandTemplate, input: &str) -> String {
    let folder = quote(&validator.folder.to_string_lossy());
    format!("{input} | (cd {folder} && {})", validator.line.replace("{input}", "/dev/stdin"))
}
