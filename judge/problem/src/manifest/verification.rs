//! Reads what `judge verify` holds a problem against: its validator and its `[[problem.expect]]` tables.

use super::placeholders;
use super::programs::Place;
use super::section::{Located, Section};
use super::suggest::instead;
use crate::model::{BadAnswer, Expectation, Members, ScoreRange, Seeds, Verdict, Verification};
use checkers::Score;
use glob::Pattern;

/// Reads the keys of a problem that are for `judge verify` alone.
pub(super) fn read(section: &Section<'_>, place: Place<'_>) -> Verification {
    let command = section.text("validator-command");
    let validator = command.filter(|command| placeholders::check(section, "validator-command", command, &["input"]));
    let bad = BadAnswer::NAMES.map(|(name, _)| name);
    let named = section.texts("may-accept");
    let may_accept = named.iter().filter_map(|text| {
        let found = BadAnswer::NAMES.into_iter().find(|(name, _)| *name == text.value);
        found.map(|(_, answer)| answer).or_else(|| unknown(section, text, "kind of bad answer", &bad))
    });
    Verification {
        validator: validator.map(|command| place.command(command.value)),
        may_accept: may_accept.collect(),
        expectations: section.sections("expect", "[[problem.expect]]").into_iter().filter_map(expectation).collect(),
    }
}

fn expectation(section: Section<'_>) -> Option<Expectation> {
    let solver = section.text("solver");
    let verdicts = verdicts(&section);
    let range = section.numeric::<ScoreRange>("score", "a number, or a range in quotes such as \"10-20\"");
    let least = section.numeric::<Score>("min-score", "a number: the least score");
    let most = section.numeric::<Score>("max-score", "a number: the greatest score");
    let seeds = section.parsed::<Seeds>("seeds");
    let names = section.texts("cases");
    let patterns = names.iter().filter_map(|text| pattern(&section, text)).collect();
    if solver.is_none() {
        section.missing("solver", "\"solutions/good.py\"");
    }
    let has_cases = seeds.is_some() || !names.is_empty();
    let score = score(&section, range, least, most);
    section.finish();
    let members = Members { names: patterns, seeds: seeds.map(|seeds| seeds.value) };
    Some(Expectation { solver: solver?.value.to_owned(), verdicts, score, cases: has_cases.then_some(members) })
}

fn verdicts(section: &Section<'_>) -> Vec<Verdict> {
    let names: Vec<&str> =
        Verdict::ALL.into_iter().filter(|verdict| can_be_expected(*verdict)).map(Verdict::name).collect();
    let texts = section.one_or_more_texts("verdict");
    let read = |text: &Located<&str>| match Verdict::from_name(text.value).filter(|verdict| can_be_expected(*verdict)) {
        Some(verdict) => Some(verdict),
        None => unknown(section, text, "verdict", &names),
    };
    let read: Vec<Verdict> = texts.iter().flatten().filter_map(read).collect();
    if read.is_empty() { vec![Verdict::Accepted] } else { read }
}

/// The judge's own faults are no solver's result.
fn can_be_expected(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::JudgeError | Verdict::Skipped)
}

fn score(
    section: &Section<'_>,
    range: Option<Located<ScoreRange>>,
    least: Option<Located<Score>>,
    most: Option<Located<Score>>,
) -> ScoreRange {
    let given = |located: Located<Score>| (located.value, located.span);
    let ((least, at), (most, until)) = (least.map(given).unzip(), most.map(given).unzip());
    let Some(range) = range else {
        if let (Some(least), Some(most), Some(span)) = (&least, &most, &until)
            && least > most
        {
            section.complain(span.clone(), format!("no score is at least {least} and at most {most}"), "exchange them");
        }
        return ScoreRange { least, most };
    };
    if let Some(span) = at.or(until) {
        section.complain(
            span,
            "the range of the score is given twice",
            "keep either `score`, or `min-score` and `max-score`",
        );
    }
    range.value
}

fn pattern(section: &Section<'_>, text: &Located<&str>) -> Option<Pattern> {
    Pattern::new(text.value)
        .map_err(|error| {
            let message = format!("`{}` is not a pattern of case names: {}", text.value, error.msg);
            section.complain(text.span.clone(), message, "expected names such as \"tiny\" or \"small-*\"");
        })
        .ok()
}

fn unknown<T>(section: &Section<'_>, text: &Located<&str>, what: &str, names: &[&str]) -> Option<T> {
    let message = format!("there is no {what} `{}`", text.value);
    section.complain(text.span.clone(), message, instead(text.value, names));
    None
}
