//! Whether the programs of a problem work: the generator is deterministic, every input is valid, and the checker rejects bad
//! answers, survives strange ones, and accepts the answer files.

use crate::commands::verify::{FEW, Subject, finding};
use checkers::Score;
use judge_problem::verdict::{ProtocolError, find_too_fine};
use judge_problem::{
    BadAnswer, CaseSource, CaseSpec, CheckerChoice, CommandTemplate, GeneratorChoice, Problem, Ruling, counted,
    error_chain, quote,
};
use judge_report::{CheckResult, Finding};
use judge_run::cases::{CaseReader, CheckerError, Inputs, PreparedCase, ProblemChecker, validate};
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
    let may_use_clock = matches!(choice, GeneratorChoice::Command(_) | GeneratorChoice::Files(_));
    let made = make_twice(subject, &seeds, may_use_clock);
    let (result, seed, detail) = made.unwrap_or_else(|(seed, why)| (CheckResult::Failed, seed, why));
    Some(finding("generator", result, detail, subject.command("gen", &format!("--seed {seed}"))))
}

/// Makes the input of each seed twice. Returns the result and the seed that shows it; or the seed that fails, and why.
fn make_twice(
    subject: &Subject<'_>,
    seeds: &[u64],
    may_use_clock: bool,
) -> Result<(CheckResult, u64, String), (u64, String)> {
    let inputs = Inputs::of(subject.problem);
    let make = |seed: u64| inputs.generate(seed).map_err(|error| (seed, error_chain(&error)));
    let (mut made, mut slowest, began) = (Vec::new(), Duration::ZERO, Instant::now());
    for &seed in seeds {
        let started = Instant::now();
        made.push(make(seed)?);
        slowest = slowest.max(started.elapsed());
    }
    if may_use_clock {
        sleep(SECOND.saturating_sub(began.elapsed()));
    }
    for (&seed, first) in seeds.iter().zip(&made) {
        if make(seed)? != *first {
            let why = "gave two different inputs: use no other source of chance than the seed";
            return Err((seed, format!("seed {seed} {why}")));
        }
    }
    if let Some(place) = made.iter().position(Vec::is_empty) {
        return Err((seeds[place], format!("seed {} gave an empty input", seeds[place])));
    }
    let limit = subject.problem.helper_limits.generator.wall;
    Ok(if made.len() > 1 && made.iter().all(|input| *input == made[0]) {
        let why = format!("seeds {} and {} give the same input: is the seed used?", seeds[0], seeds[1]);
        (CheckResult::Warning, seeds[1], why)
    } else if slowest * 2 > limit.0 {
        let why = format!("it takes {} ms of the {limit} of `generator-wall`", slowest.as_millis());
        (CheckResult::Warning, seeds[0], why)
    } else {
        let detail = format!("{}, each made twice with the same bytes", counted(seeds.len(), "seed"));
        (CheckResult::Ok, seeds[0], detail)
    })
}

/// Checks that the checker can read the input of every case, and that the validator accepts it.
pub(super) fn inputs(subject: &Subject<'_>) -> Vec<Finding> {
    let reader = CaseReader::of(subject.problem);
    let validator = subject.problem.verification.validator.as_ref();
    let mut refused = None;
    for case in &subject.cases {
        let input = match reader.open(case) {
            Ok((input, _)) => input,
            Err(error) => {
                let detail = format!("{}: {}", case.name, error_chain(&error));
                return vec![finding("inputs", CheckResult::Failed, detail, subject.input_command(case))];
            }
        };
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
        let (result, why) = match validate(subject.problem, validator, input) {
            Ok(Some(_)) => continue,
            Ok(None) => (CheckResult::Warning, format!("it accepts {what}")),
            Err(error) => (CheckResult::Failed, format!("on {what}: {}", error_chain(&error))),
        };
        return finding("validator", result, why, by_shell(validator, shown));
    }
    let detail = format!("it accepts {}, and refuses garbage", counted(subject.cases.len(), "case"));
    finding("validator", CheckResult::Ok, detail, String::new())
}

/// Returns the command that runs the validator in a shell, on the output of another command.
fn by_shell(validator: &CommandTemplate, input: &str) -> String {
    let folder = quote(&validator.folder.to_string_lossy());
    format!("{input} | (cd {folder} && {})", validator.line.replace("{input}", "/dev/stdin"))
}

/// Answers on which no checker may crash, each with the command that prints it. Answers with a kind are bad in nearly every
/// game.
const STRANGE: [(Option<BadAnswer>, &str, &[u8], &str); 7] = [
    (Some(BadAnswer::Empty), "an empty answer", b"", "printf ''"),
    (Some(BadAnswer::Garbage), "garbage", b"this is no answer at all !\n", "echo 'this is no answer at all !'"),
    (Some(BadAnswer::Garbage), "bytes that are no text", b"\xff\xfe\x00\x01\n", "printf '\\377\\376\\000\\001\\n'"),
    (None, "a negative number", b"-1\n", "echo -1"),
    (None, "a huge number", b"99999999999999999999999999999999\n", "echo 99999999999999999999999999999999"),
    (None, "nan and inf", b"nan inf 1e999\n", "echo nan inf 1e999"),
    (None, "a null byte", b"1\x002\n", "printf '1\\0002\\n'"),
];

/// An answer that was accepted.
pub(super) struct GoodAnswer {
    pub(super) case: CaseSpec,
    pub(super) answer: Vec<u8>,
    pub(super) score: Score,
    /// The command that reproduces it.
    pub(super) command: String,
}

/// Checks how the checker treats bad answers. `good`: answers that it accepts.
pub(super) fn checker(subject: &Subject<'_>, good: &[GoodAnswer]) -> Vec<Finding> {
    if !subject.problem.checker.checks_answers() {
        return Vec::new();
    }
    let reader = CaseReader::of(subject.problem);
    let (mut findings, mut rejects_all) = (Vec::new(), true);
    for case in subject.cases.iter().take(FEW) {
        let Ok((_, prepared)) = reader.open(case) else { return Vec::new() };
        for (kind, what, answer, print) in STRANGE {
            let command = format!("{print} | {}", subject.check_command(case));
            match (ruling(&prepared, answer), kind) {
                (Err(why), _) => findings.push(crashed(what, case, &why, command)),
                (Ok(Some(Ruling::Accepted(score))), Some(kind)) if !may_accept(subject, kind) => {
                    let hint = format!("if it is a valid one, say `may-accept = [\"{}\"]`", kind.name());
                    let detail = format!("it accepts {what} for {} with the score {score}; {hint}", case.name);
                    findings.push(finding(&format!("checker: {what}"), CheckResult::Failed, detail, command));
                }
                // The setter allows it, or it is decided after several passes.
                (Ok(Some(Ruling::Accepted(_)) | None), Some(_)) => rejects_all = false,
                (Ok(_), _) => {}
            }
        }
    }
    let mut cut = 0;
    for good in good.iter().take(FEW) {
        let (Ok((_, prepared)), Some(half)) = (reader.open(&good.case), half(&good.answer)) else { continue };
        cut += 1;
        findings.extend(truncated(subject, &prepared, good, half));
    }
    // The same fault on another case gives no new information.
    let mut seen = std::collections::HashSet::new();
    findings.retain(|finding| seen.insert((finding.result == CheckResult::Failed, finding.check.clone())));
    if findings.is_empty() {
        let looked_at = counted(subject.cases.len().min(FEW), "case");
        let cut = match cut {
            0 => "; no accepted answer to cut in half".to_owned(),
            cut => format!(", and {} cut in half", counted(cut, "answer")),
        };
        let does = if rejects_all { "rejects garbage and empty answers" } else { "reads garbage and empty answers" };
        let detail = format!("{does} on {looked_at}{cut}");
        findings.push(finding("checker", CheckResult::Ok, detail, String::new()));
    }
    findings
}

/// Returns the ruling, if the answer is ruled on in this pass.
fn ruling(prepared: &PreparedCase, answer: &[u8]) -> Result<Option<Ruling>, String> {
    match prepared.check(answer) {
        Ok(ruling) => Ok(Some(ruling)),
        Err(CheckerError::Protocol(ProtocolError::NextPass(_))) => Ok(None),
        Err(error) => Err(error_chain(&error)),
    }
}

fn crashed(what: &str, case: &CaseSpec, why: &str, command: String) -> Finding {
    let detail = format!("on {what} for {}: {why}", case.name);
    finding(&format!("checker: {what}"), CheckResult::Failed, detail, command)
}

fn may_accept(subject: &Subject<'_>, kind: BadAnswer) -> bool {
    subject.problem.verification.may_accept.contains(&kind)
}

/// The first half may itself be an answer, such as fewer moves, but then its score must be lower.
fn truncated(subject: &Subject<'_>, prepared: &PreparedCase, good: &GoodAnswer, half: &[u8]) -> Option<Finding> {
    let what = "the first half of an answer";
    let check = subject.check_command(&good.case);
    let file = format!("{}.out", quote(&good.case.name.0));
    let command = format!("{} --save-answers answers && head -c {} answers/{file} | {check}", good.command, half.len());
    let score = match ruling(prepared, half) {
        Err(why) => return Some(crashed(what, &good.case, &why, command)),
        Ok(Some(Ruling::Accepted(score))) if !may_accept(subject, BadAnswer::Truncated) => score,
        Ok(_) => return None,
    };
    let whole = &good.score;
    let is_worse = subject.problem.direction.compare(&score, whole).is_lt();
    let result = if is_worse { CheckResult::Warning } else { CheckResult::Failed };
    let hint = "if it is a valid one, say `may-accept = [\"truncated\"]`";
    let detail =
        format!("it accepts {what} for {} with the score {score}, and the whole with {whole}; {hint}", good.case.name);
    Some(finding(&format!("checker: {what}"), result, detail, command))
}

/// Returns the first half of the words of an answer; `None` if there is only one.
fn half(answer: &[u8]) -> Option<&[u8]> {
    let is_end = |&place: &usize| {
        !answer[place].is_ascii_whitespace() && answer.get(place + 1).is_none_or(u8::is_ascii_whitespace)
    };
    let ends: Vec<usize> = (0..answer.len()).filter(is_end).collect();
    (ends.len() > 1).then(|| &answer[..=ends[ends.len() / 2 - 1]])
}

/// Checks that every answer file is accepted on its case; if the solver runs in several passes, only that it exists.
pub(super) fn answer_files(subject: &Subject<'_>) -> Option<Finding> {
    let answers = subject.problem.checker.answers()?;
    if answers.is_empty() || !subject.problem.checker.checks_answers() {
        return None;
    }
    let (inputs, checker) = (Inputs::of(subject.problem), ProblemChecker::of(subject.problem));
    let (mut accepted, mut of_passes, mut too_fine) = (0, 0, None);
    for case in &subject.cases {
        let CaseSource::File(path) = &case.source else { continue };
        let failed =
            |detail: String, command: String| Some(finding("answer files", CheckResult::Failed, detail, command));
        let look = || format!("ls {}", quote(&path.to_string_lossy()));
        let file = match checker.answer_file(Some(&case.source)) {
            Ok(Some(file)) => file,
            Ok(None) => return failed(format!("there is none for {}", case.name), look()),
            Err(error) => return failed(format!("{}: {error}", case.name), look()),
        };
        let name = file.to_string_lossy();
        let command = format!("{} < {}", subject.check_command(case), quote(&name));
        let Ok(prepared) = inputs.load(case).map(|input| checker.prepare(&input, Some(&case.source))) else { continue };
        // No pass has to give the content of the file.
        if prepared.as_ref().is_ok_and(|prepared| prepared.passes() > 1) {
            of_passes += 1;
            continue;
        }
        let ruled = judge_run::files::read(&file).map_err(|error| error.to_string()).and_then(|answer| {
            too_fine = too_fine.take().or_else(|| fine_tolerance(subject.problem, &answer, &name));
            ruling(prepared.as_ref().map_err(|error| error_chain(error))?, &answer)
        });
        match ruled {
            Ok(Some(Ruling::Rejected(why))) => return failed(format!("the checker rejects {name}: {why}"), command),
            Err(why) => return failed(format!("{name}: {why}"), command),
            Ok(_) => accepted += 1,
        }
    }
    if let Some(detail) = too_fine {
        return Some(finding("answer files", CheckResult::Warning, detail, subject.show()));
    }
    let detail = match of_passes {
        0 => format!("{} accepted", counted(accepted, "file")),
        count => format!("{} found; the checker decides on several passes", counted(count, "file")),
    };
    Some(finding("answer files", CheckResult::Ok, detail, String::new()))
}

/// Returns why a tolerance is finer than a solver can compute, if this is so for a number in an answer file.
fn fine_tolerance(problem: &Problem, answer: &[u8], name: &str) -> Option<String> {
    let CheckerChoice::Tokens(rules, _) = &problem.checker else { return None };
    let number = find_too_fine(rules, answer)?;
    let apart = number.abs().next_up() - number.abs();
    let most = "a solver that computes with doubles can miss it by more: give a relative tolerance, too";
    Some(format!(
        "the tolerance of {rules} is finer than doubles near {number:e} of {name}, which are {apart:.1e} apart; {most}"
    ))
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn half_an_answer_ends_with_a_word() {
        assert_eq!(half(b"1 2 3 4\n"), Some(&b"1 2"[..]));
        assert_eq!(half(b"12\n34"), Some(&b"12"[..]));
        assert_eq!(half(b" ab  cd ef"), Some(&b" ab"[..]));
        assert_eq!((half(b"1234\n"), half(b" \n"), half(b"")), (None, None, None));
    }
}
