//! When a candidate is stopped: as soon as the comparison with the incumbent says that it is worse, or not better by more than
//! the smallest effect that counts. Two tests of `judge compare` look after each batch of cases:
//!
//! - that of `--until-decided`, which holds its level for any effects, and takes many cases where scores differ in size;
//! - that of `--h0` and `--h1`, between a loss of 5 % and a gain of 2 %, which takes fewer. A candidate that is better by that
//!   gain or more is stopped by it about once in forty times. The test of this file has the figures for recorded scores.

use judge_compare::paired::{self, Claim, EffectMeasure, FeatureValue, MinEffect, TestParameters};
use judge_problem::{Features, Number, Rule};
use judge_report::Versus;
use judge_session::{Failure, MatchResult, ScoredMatch};
use judge_statistics::{Hypotheses, Hypothesis, Interval};
use std::cmp::Ordering;
use std::sync::Arc;

/// The probability that a comparison of equal programs ever says otherwise, over all looks together.
const ALPHA: f64 = 0.05;

/// The loss and the gain that the test of two hypotheses decides between, unless the smallest effect that counts is larger than
/// that gain; in percent.
const LOSS: &str = "5%";
const GAIN: &str = "2%";

/// The probability that it stops a candidate with that gain, and that it takes one with that loss for one with the gain.
const LOST: f64 = 0.025;

/// After this many cases that the incumbent and the candidate have not both solved, nothing else is to be learned.
const UNSOLVED: usize = 16;

/// The incumbent and the candidate are these solvers of the plan.
const SOLVERS: [usize; 2] = [0, 1];

/// A look at a comparison.
#[derive(Debug, Clone)]
pub struct Look {
    /// What is known. The hypothesis H0 is that the candidate is not better.
    pub claim: Claim,
    /// The mean effect. Above 0 the candidate is better.
    pub effect: f64,
    /// The interval that holds at every look; `None` with too few cases.
    pub interval: Option<Interval>,
    /// What is measured.
    pub measure: EffectMeasure,
    /// How many cases both have played.
    pub cases: usize,
    /// Whether the candidate need not go on.
    pub is_over: bool,
}

/// Looks at the incumbent and the candidate of a result, which are its first and its second solver, after the same cases.
///
/// # Errors
/// When the smallest effect does not suit the scoring rule, or the scores do not suit it.
pub fn look(played: &MatchResult, min_effect: Option<&MinEffect>) -> Result<Look, Failure> {
    let scored = played.scored()?;
    let measure = scored.measure(None, min_effect);
    let parameters = parameters(measure, &scored.rule, min_effect)?;
    let paired = scored.paired(measure, SOLVERS[1]);
    let inference = paired::infer_interim(&paired, parameters)?;
    let least = min_effect.and(parameters.min_effect).unwrap_or(0.0);
    let is_below = inference.interval.is_some_and(|interval| interval.high < least);
    let is_loss = match hypotheses(measure, &scored.rule, least)? {
        None => false,
        Some(hypotheses) => {
            let parameters = TestParameters { min_effect: None, hypotheses: Some(hypotheses), ..parameters };
            paired::interim_claim(&paired, parameters)? == Claim::Accepted(Hypothesis::H0)
        }
    };
    let is_over = match inference.claim {
        Claim::Contrary | Claim::TooFew => false,
        Claim::Worse => true,
        Claim::Smaller | Claim::Equal => min_effect.is_some(),
        Claim::Better | Claim::Accepted(_) | Claim::Undecided { .. } => is_below,
    };
    let is_over =
        is_over || is_loss || lacks_total(&scored) || paired.solved == 0 && played.plan.cases.len() >= UNSOLVED;
    let claim = match inference.claim {
        claim if is_over && !claim.is_decided() => Claim::Accepted(Hypothesis::H0),
        claim => claim,
    };
    Ok(Look {
        claim,
        effect: if paired.pairs.is_empty() { 0.0 } else { paired.mean() },
        interval: inference.interval,
        measure,
        cases: played.plan.cases.len(),
        is_over,
    })
}

/// Returns the hypotheses that a candidate is stopped by; `None` for a measure without shares.
fn hypotheses(measure: EffectMeasure, rule: &Rule, least: f64) -> Result<Option<Hypotheses>, Failure> {
    let [loss, gain] = [LOSS, GAIN].map(|share| share.parse().map(MinEffect::Share).map_err(Failure::fault));
    let (loss, gain) = (measure.min_effect(rule, Some(&loss?)), measure.min_effect(rule, Some(&gain?)));
    Ok(match (loss, gain) {
        (Ok(Some(loss)), Ok(Some(gain))) => {
            Some(Hypotheses { h0: -loss, h1: gain.max(least), alpha: ALPHA, beta: LOST })
        }
        _ => None,
    })
}

fn parameters(measure: EffectMeasure, rule: &Rule, min_effect: Option<&MinEffect>) -> Result<TestParameters, Failure> {
    let min_effect = measure.min_effect(rule, min_effect)?;
    Ok(TestParameters { alpha: ALPHA, min_effect, bound: None, rare: None, hypotheses: None })
}

/// Returns whether the candidate has failed a case under a rule that gives no total then, and the incumbent has not: no
/// further case makes it better.
fn lacks_total(scored: &ScoredMatch<'_>) -> bool {
    let [incumbent, candidate] = SOLVERS.map(|solver| scored.board.headline(&scored.board.standings[solver]).is_some());
    incumbent && !candidate
}

/// Returns whether the candidate of a result is better than the incumbent by the problem's rule.
///
/// # Errors
/// When the scores do not suit the rule.
pub fn is_better(played: &MatchResult) -> Result<bool, Failure> {
    let scored = played.scored()?;
    let [incumbent, candidate] = SOLVERS.map(|solver| scored.board.headline(&scored.board.standings[solver]));
    Ok(match (incumbent, candidate) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(old), Some(new)) => scored.board.direction.compare(new, old) == Ordering::Greater,
    })
}

/// How many cases a range of a feature has at least.
const FEWEST: usize = 3;

/// Returns the comparison as it is reported, with the values of features where the candidate loses.
///
/// # Errors
/// As [`look`].
pub fn versus(
    played: &MatchResult,
    against: &str,
    min_effect: Option<&MinEffect>,
    features: &[Option<Arc<Features>>],
) -> Result<Versus, Failure> {
    let look = look(played, min_effect)?;
    let Look { claim, effect, interval, measure, cases, .. } = look;
    let losses = losses(played, measure, features)?;
    Ok(Versus { against: against.to_owned(), claim, effect, interval, measure, cases, losses })
}

/// Returns the ranges of features on which the candidate is worse, the worst first, in words.
fn losses(
    played: &MatchResult,
    measure: EffectMeasure,
    features: &[Option<Arc<Features>>],
) -> Result<Vec<String>, Failure> {
    let scored = played.scored()?;
    let paired = scored.paired(measure, SOLVERS[1]);
    let parameters = parameters(measure, &scored.rule, None)?;
    let known = features.iter().flatten().next();
    let mut found = Vec::new();
    for feature in known.iter().flat_map(|known| known.iter()) {
        let value = |(case, features): (usize, &Option<Arc<Features>>)| {
            let value: &Number = features.as_ref()?.get(&feature.name)?;
            Some(FeatureValue { case, value: value.clone() })
        };
        let values: Vec<FeatureValue> = features.iter().enumerate().filter_map(value).collect();
        let ranges = paired::by_feature(&paired, values, parameters);
        if ranges.len() < 2 {
            continue;
        }
        for range in ranges.into_iter().filter(|range| range.paired.cases >= FEWEST) {
            let mean = range.paired.mean();
            if mean < 0.0 {
                let values = match range.low == range.high {
                    true => format!("{} = {}", feature.name, range.low),
                    false => format!("{} from {} to {}", feature.name, range.low, range.high),
                };
                found.push((mean, format!("{values}: {} on {} cases", effect_text(measure, mean), range.paired.cases)));
            }
        }
    }
    found.sort_by(|left, right| left.0.total_cmp(&right.0));
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

fn effect_text(measure: EffectMeasure, effect: f64) -> String {
    match measure {
        EffectMeasure::Points | EffectMeasure::Difference => format!("{effect:+.3}"),
        EffectMeasure::Total | EffectMeasure::Ratio | EffectMeasure::Relative => format!("{:+.2} %", effect * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use judge_statistics::{
        Decision, Hypotheses, Hypothesis, LikelihoodRatio, Random, Sequence, SequenceSettings, Term,
    };

    /// The columns of the recorded scores: one solver, the same once more, and one that thinks for longer.
    fn recorded() -> [Vec<f64>; 3] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/paired_scores.tsv");
        let text = std::fs::read_to_string(path).expect("the recorded scores");
        let mut rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
        let head: Vec<&str> = rows.next().expect("a head").collect();
        let places = ["columns-short", "columns-again", "columns-long"]
            .map(|name| head.iter().position(|column| *column == name).expect("a column"));
        let mut columns = [const { Vec::new() }; 3];
        for row in rows.map(Iterator::collect::<Vec<_>>) {
            for (column, place) in columns.iter_mut().zip(places) {
                column.push(row[place].parse().expect("a score"));
            }
        }
        columns
    }

    /// Plays a candidate whose scores are those of a column, made this much better, on cases drawn from the recorded
    /// ones. Returns how many were played, and whether it was stopped.
    fn play(columns: &[Vec<f64>; 3], better_by: f64, cases: usize, random: &mut Random) -> (usize, bool) {
        let [incumbent, others @ ..] = columns;
        let candidate = &others[random.below(others.len())];
        let equal = incumbent.iter().sum::<f64>() / candidate.iter().sum::<f64>();
        let settings = SequenceSettings { alpha: super::ALPHA, min_effect: Some(0.001), bound: None, rare: None };
        let mut sequence = Sequence::new(settings).expect("useful settings");
        let hypotheses = Hypotheses { h0: -0.05, h1: 0.02, alpha: super::ALPHA, beta: super::LOST };
        let mut ratio = LikelihoodRatio::new(hypotheses);
        let mean = incumbent.iter().sum::<f64>() / incumbent.len() as f64;
        let mut played = 0;
        while played < cases {
            for _ in 0..2.max(played / 16).min(cases - played) {
                let case = random.below(incumbent.len());
                let (old, new) = (incumbent[case] / mean, candidate[case] * equal * (1.0 + better_by) / mean);
                let term = Term { effect: new - old, base: old };
                sequence.push_term(term);
                ratio.push(term);
                played += 1;
            }
            let is_below = sequence.interval().is_some_and(|interval| interval.high < 0.0);
            let is_loss = ratio.accepted() == Some(Hypothesis::H0);
            if sequence.decision() == Decision::Worse || is_below || is_loss {
                return (played, played < cases);
            }
        }
        (played, false)
    }

    #[test]
    #[ignore = "long: 1,000 candidates for each number of cases"]
    fn most_runs_are_saved_and_few_better_ones_lost() {
        let columns = recorded();
        println!("| cases | case runs saved | better ones lost | equal ones stopped |\n|---:|---:|---:|---:|");
        for cases in [100, 150, 200, 300] {
            let mut random = Random::new(cases as u64);
            let (mut played, mut lost, mut better, mut equal, mut equal_stopped) = (0, 0, 0, 0, 0);
            for candidate in 0..1_000 {
                let kind = candidate % 20;
                let better_by = match kind {
                    0 => 0.0,
                    1 => 0.02 + 0.08 * random.unit(),
                    _ => -0.05 - 0.45 * random.unit(),
                };
                let (runs, is_stopped) = play(&columns, better_by, cases, &mut random);
                played += runs;
                equal += usize::from(kind == 0);
                better += usize::from(kind == 1);
                equal_stopped += usize::from(kind == 0 && is_stopped);
                lost += usize::from(kind == 1 && is_stopped);
            }
            let percent = |part: usize, of: usize| 100.0 * part as f64 / of as f64;
            let saved = 100.0 - percent(played, 1_000 * cases);
            let (lost, equal) = (percent(lost, better), percent(equal_stopped, equal));
            println!("| {cases} | {saved:.1} % | {lost:.1} % | {equal:.1} % |");
            assert!(lost <= 5.0, "{cases} cases: {lost} % of the better ones lost");
            assert!(cases < 150 || saved >= 60.0, "{cases} cases: {saved} % saved");
        }
    }
}
