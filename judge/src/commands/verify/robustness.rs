//! Whether the checker rejects bad answers, survives strange ones, and accepts the answer files.

use crate::commands::verify::{FEW, Subject, finding};
use checkers::Score;
use judge_problem::verdict::{ProtocolError, find_too_fine};
use judge_problem::{BadAnswer, CaseSource, CaseSpec, CheckerChoice, Problem, Ruling, counted, error_chain, quote};
use judge_report::{CheckResult, Finding};
use judge_run::cases::{CheckerError, Inputs, PreparedCase, ProblemChecker};

/// Answers that are bad in nearly every game, each with the command that prints it.
const BAD: [(BadAnswer, &str, &[u8], &str); 3] = [
    (BadAnswer::Empty, "an empty answer", b"", "printf ''"),
    (BadAnswer::Garbage, "garbage", b"this is no answer at all !\n", "echo 'this is no answer at all !'"),
    (BadAnswer::Garbage, "bytes that are no text", b"\xff\xfe\x00\x01\n", "printf '\\377\\376\\000\\001\\n'"),
];

/// Answers that may be right, each with the command that prints it. No checker may crash on them.
const STRANGE: [(&str, &[u8], &str); 4] = [
    ("a negative number", b"-1\n", "echo -1"),
    ("a huge number", b"99999999999999999999999999999999\n", "echo 99999999999999999999999999999999"),
    ("nan and inf", b"nan inf 1e999\n", "echo nan inf 1e999"),
    ("a null byte", b"1\x002\n", "printf '1\\0002\\n'"),
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
    let mut findings = Vec::new();
    for case in subject.cases.iter().take(FEW) {
        let Ok(prepared) = prepare(subject, case) else { return Vec::new() };
        for (kind, what, answer, print) in BAD {
            let command = format!("{print} | {}", subject.check_command(case));
            findings.extend(bad_answer(subject, &prepared, (kind, what), answer, case, command));
        }
        for (what, answer, print) in STRANGE {
            if let Err(why) = ruling(&prepared, answer) {
                let command = format!("{print} | {}", subject.check_command(case));
                findings.push(crashed(what, case, &why, command));
            }
        }
    }
    let mut cut = 0;
    for good in good.iter().take(FEW) {
        let (Ok(prepared), Some(half)) = (prepare(subject, &good.case), half(&good.answer)) else { continue };
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
        let detail = format!("rejects garbage and empty answers on {looked_at}{cut}");
        findings.push(finding("checker", CheckResult::Ok, detail, String::new()));
    }
    findings
}

fn prepare(subject: &Subject<'_>, case: &CaseSpec) -> Result<PreparedCase, String> {
    let input = Inputs::of(subject.problem).load(case).map_err(|error| error_chain(&error))?;
    ProblemChecker::of(subject.problem).prepare(&input, Some(&case.source)).map_err(|error| error_chain(&error))
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

fn bad_answer(
    subject: &Subject<'_>,
    prepared: &PreparedCase,
    (kind, what): (BadAnswer, &str),
    answer: &[u8],
    case: &CaseSpec,
    command: String,
) -> Option<Finding> {
    match ruling(prepared, answer) {
        Err(why) => Some(crashed(what, case, &why, command)),
        Ok(Some(Ruling::Accepted(score))) if !may_accept(subject, kind) => {
            let hint = format!("if it is a valid one, say `may-accept = [\"{}\"]`", kind.name());
            let detail = format!("it accepts {what} for {} with the score {score}; {hint}", case.name);
            Some(finding(&format!("checker: {what}"), CheckResult::Failed, detail, command))
        }
        Ok(_) => None,
    }
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
