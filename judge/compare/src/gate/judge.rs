//! The decision of `judge gate`, without files and output.

use super::baseline::{Baseline, BaselineCase, CaseResult, Conditions, Sample};
use super::judgement::{Change, Complaint, GateLimits, Judgement, TimeLimit};
use super::noise::{Noise, NoiseTest, SamplePair, allowed};
use judge_problem::Direction;
use judge_problem::scoring::ScoreMeasure;
use judge_statistics::{Moments, mean_interval};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::time::Duration;

/// A case that was accepted in both runs.
struct ScoredPair<'a> {
    case: &'a str,
    was: &'a Sample,
    now: &'a Sample,
    tolerance: Option<&'a BigRational>,
    /// The CPU times, recorded and now; `None` if they are of different processors.
    cpu: Option<(Duration, Duration)>,
}

/// Compares a run with the baseline.
pub fn judge(baseline: &Baseline, today: &Baseline, limits: &GateLimits) -> Judgement {
    if let Some(complaint) = incomparable(baseline, today) {
        return Judgement { complaints: vec![complaint], ..Judgement::default() };
    }
    let pairs = pairs(baseline, today);
    let total = |score: fn(&ScoredPair<'_>) -> BigRational| pairs.iter().map(score).sum();
    let change =
        |pair: &ScoredPair<'_>| Change { case: pair.case.to_owned(), was: pair.was.clone(), now: pair.now.clone() };
    let mut judgement = Judgement {
        complaints: verdicts(baseline, today),
        changes: pairs.iter().filter(|pair| pair.was.mean() != pair.now.mean()).map(change).collect(),
        fixed: fixed(baseline, today),
        added: today.cases.keys().filter(|case| !baseline.cases.contains_key(*case)).cloned().collect(),
        accepted_in_both: pairs.len(),
        total_was: total(|pair| pair.was.mean().clone()),
        total_now: total(|pair| pair.now.mean().clone()),
        noise: None,
        untimed: limits.time.as_ref().map_or(0, |_| untimed(baseline, today)),
        is_disturbed: today.conditions.as_ref().is_some_and(|now| now.are_worse(baseline.conditions.as_ref())),
    };
    judgement.noise = noise_test(&pairs, &judgement.total_was, &judgement.total_now, &limits.max_drop, limits);
    judgement.complaints.extend(cases_fell(&pairs, limits));
    judgement.complaints.extend(total_fell(&judgement, &pairs, limits));
    judgement.complaints.extend(limits.time.as_ref().and_then(|limit| time_rose(&pairs, limit)));
    judgement
}

fn incomparable(baseline: &Baseline, today: &Baseline) -> Option<Complaint> {
    if baseline.problem != today.problem {
        Some(Complaint::ProblemChanged { was: baseline.problem.clone(), now: today.problem.clone() })
    } else if baseline.terms != today.terms {
        Some(Complaint::ProblemChanged { was: baseline.terms.clone(), now: today.terms.clone() })
    } else if baseline.checker != today.checker {
        Some(Complaint::CheckerChanged { was: baseline.checker.clone(), now: today.checker.clone() })
    } else {
        None
    }
}

fn verdicts(baseline: &Baseline, today: &Baseline) -> Vec<Complaint> {
    let worse = |(case, was): (&String, &BaselineCase)| {
        let case = case.clone();
        match (&was.result, today.cases.get(&case)) {
            (_, None) => Some(Complaint::CaseMissing { case }),
            (_, Some(now)) if is_other_input(was, now) => Some(Complaint::InputChanged { case }),
            (CaseResult::Accepted(_), Some(BaselineCase { result: CaseResult::Failed(now), .. })) => {
                Some(Complaint::VerdictWorse { case, now: *now })
            }
            _ => None,
        }
    };
    baseline.cases.iter().filter_map(worse).collect()
}

/// Returns the number of cases that were measured on different processors.
fn untimed(baseline: &Baseline, today: &Baseline) -> usize {
    let differs = |(case, was): &(&String, &BaselineCase)| {
        let now = today.cases.get(*case).filter(|now| was.cpu.is_some() && now.cpu.is_some());
        let conditions = [baseline, today].map(|run| run.conditions.as_ref());
        now.is_some_and(|now| !is_one_processor([*was, now], conditions))
    };
    baseline.cases.iter().filter(differs).count()
}

/// Inputs count as equal unless both hashes are known.
fn is_other_input(was: &BaselineCase, now: &BaselineCase) -> bool {
    was.input.is_some() && now.input.is_some() && was.input != now.input
}

fn fixed(baseline: &Baseline, today: &Baseline) -> Vec<String> {
    let had_failed =
        |case: &String| matches!(baseline.cases.get(case), Some(BaselineCase { result: CaseResult::Failed(_), .. }));
    let accepted = today.cases.iter().filter(|(_, now)| now.result.sample().is_some());
    accepted.map(|(case, _)| case).filter(|case| had_failed(case)).cloned().collect()
}

fn pairs<'a>(baseline: &'a Baseline, today: &'a Baseline) -> Vec<ScoredPair<'a>> {
    let conditions = [baseline, today].map(|run| run.conditions.as_ref());
    let both = |(case, was): (&'a String, &'a BaselineCase)| {
        let now = today.cases.get(case).filter(|now| !is_other_input(was, now))?;
        match (&was.result, &now.result) {
            (CaseResult::Accepted(before), CaseResult::Accepted(after)) => Some(ScoredPair {
                case,
                was: before,
                now: after,
                tolerance: was.tolerance.as_ref(),
                cpu: was.cpu.zip(now.cpu).filter(|_| is_one_processor([was, now], conditions)),
            }),
            _ => None,
        }
    };
    baseline.cases.iter().filter_map(both).collect()
}

/// Returns whether processors of one kind measured a case in two runs: those of its nodes, or of the judge's machine.
fn is_one_processor(cases: [&BaselineCase; 2], conditions: [Option<&Conditions>; 2]) -> bool {
    let machine = |run: usize| conditions[run].and_then(|run| run.processor.as_deref());
    let processor = |run: usize| cases[run].processor.as_deref().or_else(|| machine(run));
    match (processor(0), processor(1)) {
        (Some(was), Some(now)) => was == now,
        _ => cases[0].processor == cases[1].processor,
    }
}

/// Tests the totals, if scores vary.
fn noise_test(
    pairs: &[ScoredPair<'_>],
    was: &BigRational,
    now: &BigRational,
    max_drop: &BigRational,
    limits: &GateLimits,
) -> Option<NoiseTest> {
    let samples: Vec<SamplePair<'_>> = pairs.iter().map(|pair| (pair.was, pair.now)).collect();
    let (gain, factor) = allowed(was, now, max_drop, limits.direction);
    let (total, drop) = (was.to_f64().unwrap_or(0.0), max_drop.to_f64().unwrap_or(0.0));
    let noise = Noise::of(&samples, factor, limits.direction)?;
    Some(NoiseTest::of(&noise, gain, total, drop, limits.alpha, limits.may_repeat))
}

/// Returns the share of its size by which a number got worse, if that is more than `allowed`. A fall from 0 always
/// exceeds it, and has no share.
fn fall(
    was: &BigRational,
    now: &BigRational,
    direction: Direction,
    allowed: &BigRational,
) -> Option<Option<BigRational>> {
    let share = (!was.is_zero()).then(|| ((now - was) / was).abs());
    let is_worse = direction.compare(now, was).is_lt() && share.as_ref().is_none_or(|share| share > allowed);
    is_worse.then_some(share)
}

/// If scores vary, a complaint needs certainty that the case fell by more than its tolerance. All such cases share one
/// `alpha`.
fn cases_fell(pairs: &[ScoredPair<'_>], limits: &GateLimits) -> Vec<Complaint> {
    let held: Vec<(&ScoredPair<'_>, &BigRational)> =
        pairs.iter().filter_map(|pair| Some((pair, pair.tolerance?))).collect();
    let shared = GateLimits { alpha: limits.case_alpha / held.len().max(1) as f64, ..limits.clone() };
    let fell = |(pair, tolerance): &(&ScoredPair<'_>, &BigRational)| {
        let (was, now) = (pair.was.mean(), pair.now.mean());
        let drop = fall(was, now, limits.direction, tolerance)?;
        let noise = noise_test(std::slice::from_ref(*pair), was, now, tolerance, &shared);
        let complaint = || Complaint::CaseFell { case: pair.case.to_owned(), drop };
        noise.is_none_or(|test| test.is_fall()).then(complaint)
    };
    held.iter().filter_map(fell).collect()
}

fn total_fell(judgement: &Judgement, pairs: &[ScoredPair<'_>], limits: &GateLimits) -> Option<Complaint> {
    let drop = fall(&judgement.total_was, &judgement.total_now, limits.direction, &limits.max_drop)?;
    let is_certain = match &judgement.noise {
        Some(test) => test.is_fall(),
        None => limits.confident.is_none_or(|alpha| is_certain_fall(pairs, limits.direction, alpha)),
    };
    is_certain.then_some(Complaint::TotalFell { drop })
}

fn is_certain_fall(pairs: &[ScoredPair<'_>], direction: Direction, alpha: f64) -> bool {
    let scores = pairs.iter().filter_map(|pair| pair.was.constant().zip(pair.now.constant()));
    let effects: Vec<f64> = scores.filter_map(|(was, now)| ScoreMeasure::Difference.effect(&was, &now)).collect();
    // Fewer than two cases have no interval. Then the fall itself counts, as without `--confident`.
    mean_interval(&Moments::of(&effects), alpha).is_none_or(|interval| match direction {
        Direction::Max => interval.high < 0.0,
        Direction::Min => interval.low > 0.0,
    })
}

fn time_rose(pairs: &[ScoredPair<'_>], limit: &TimeLimit) -> Option<Complaint> {
    // Times below the resolution of the clock are 0 and have no ratio.
    let has_ratio = |times: &[f64; 2]| times.iter().all(|time| *time > 0.0);
    let seconds = |pair: &ScoredPair<'_>| pair.cpu.map(|(was, now)| [was, now].map(|time| time.as_secs_f64()));
    let timed: Vec<[f64; 2]> = pairs.iter().filter_map(seconds).filter(has_ratio).collect();
    let effects: Vec<f64> = timed.iter().map(|[was, now]| (now / was).ln()).collect();
    let total = |side: usize| timed.iter().map(|times| times[side]).sum::<f64>();
    let rise = total(1) / total(0) - 1.0;
    let interval = mean_interval(&Moments::of(&effects), limit.alpha)?;
    (rise > limit.max_rise && interval.low > limit.max_rise.ln_1p()).then_some(Complaint::TimeRose { rise })
}

/// A recorded CPU time is kept if the new one differs by at most this share or this time. Otherwise every update would
/// change every line of the file. A rise in many small steps still adds up, because it is measured against the kept
/// time.
const STEADY_SHARE: f64 = 0.25;
const STEADY_TIME: Duration = Duration::from_millis(5);

/// Returns the baseline averaged with today's runs, which passed the gate.
///
/// Only runs that pass are averaged in. This selection raises the mean and reduces the spread, and both are corrected.
/// Otherwise the baseline would rise from commit to commit until the gate raised false alarms.
pub fn averaged(baseline: &Baseline, today: &Baseline, test: &NoiseTest, direction: Direction) -> Baseline {
    let sign = if direction == Direction::Max { -1.0 } else { 1.0 };
    let mut selection = test.selection.iter();
    let mut averaged = baseline.clone();
    // The CPU times are today's.
    if let (Some(conditions), Some(today)) = (&mut averaged.conditions, &today.conditions) {
        conditions.processor.clone_from(&today.processor);
    }
    for (case, entry) in &mut averaged.cases {
        let Some(now) = today.cases.get(case) else { continue };
        match (&entry.result, &now.result) {
            (CaseResult::Accepted(before), CaseResult::Accepted(after)) => {
                let (by, squares) = selection.next().map_or((0.0, 0.0), |of| (sign * of.mean, of.squares));
                entry.result = CaseResult::Accepted(before.merged(after).corrected(by, squares));
            }
            (CaseResult::Failed(_), _) => entry.result = now.result.clone(),
            (CaseResult::Accepted(_), CaseResult::Failed(_)) => {}
        }
        entry.input = now.input.clone();
        entry.cpu = now.cpu;
        entry.processor.clone_from(&now.processor);
    }
    averaged
}

/// Returns the new baseline with the recorded CPU times where they are about the same.
pub fn with_steady_times(mut new: Baseline, recorded: &Baseline) -> Baseline {
    let conditions = [recorded.conditions.as_ref(), new.conditions.as_ref()];
    for (case, entry) in &mut new.cases {
        let is_steady =
            |was: &&BaselineCase| is_about_as_fast(entry, was) && is_one_processor([*was, &*entry], conditions);
        if let Some(was) = recorded.cases.get(case).filter(is_steady) {
            entry.cpu = was.cpu;
        }
    }
    new
}

fn is_about_as_fast(new: &BaselineCase, recorded: &BaselineCase) -> bool {
    let (Some(now), Some(was)) = (new.cpu, recorded.cpu) else { return false };
    now.abs_diff(was) <= was.mul_f64(STEADY_SHARE).max(STEADY_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use checkers::Score;
    use judge_problem::Verdict;
    use std::collections::BTreeMap;

    fn accepted(score: i64) -> BaselineCase {
        BaselineCase {
            result: CaseResult::Accepted(Score::from(score).into()),
            input: None,
            cpu: None,
            processor: None,
            tolerance: None,
        }
    }

    fn failed(verdict: Verdict) -> BaselineCase {
        BaselineCase { result: CaseResult::Failed(verdict), input: None, cpu: None, processor: None, tolerance: None }
    }

    fn run(entries: impl IntoIterator<Item = BaselineCase>) -> Baseline {
        let cases = entries.into_iter().enumerate().map(|(seed, entry)| (format!("seed-{seed:02}"), entry)).collect();
        Baseline {
            problem: "columns".to_owned(),
            terms: "max".to_owned(),
            checker: "1".to_owned(),
            conditions: None,
            cases,
        }
    }

    fn scores(scores: &[i64]) -> Baseline {
        run(scores.iter().map(|&score| accepted(score)))
    }

    fn percent(percent: i64) -> BigRational {
        BigRational::new(percent.into(), 100.into())
    }

    fn limits(direction: Direction, max_drop: i64) -> GateLimits {
        GateLimits {
            direction,
            max_drop: percent(max_drop),
            alpha: 0.05,
            case_alpha: 0.05,
            may_repeat: false,
            confident: None,
            time: None,
        }
    }

    #[test]
    fn the_same_run_passes_and_is_not_better() {
        let judgement = judge(&scores(&[5, 6]), &scores(&[5, 6]), &limits(Direction::Max, 0));
        assert!(judgement.holds() && !judgement.is_better(Direction::Max));
        assert!(judgement.changes.is_empty());
    }

    #[test]
    fn a_total_may_fall_by_the_limit_and_no_further() {
        let fell =
            |now, direction, limit| judge(&scores(&[50, 50]), &scores(now), &limits(direction, limit)).complaints;
        assert_eq!(fell(&[50, 45], Direction::Max, 5), []);
        assert_eq!(fell(&[50, 44], Direction::Max, 5), [Complaint::TotalFell { drop: Some(percent(6)) }]);
        assert_eq!(fell(&[50, 44], Direction::Min, 5), []);
        assert_eq!(fell(&[50, 56], Direction::Min, 5), [Complaint::TotalFell { drop: Some(percent(6)) }]);
    }

    #[test]
    fn a_fall_on_a_busier_machine_is_not_comparable_and_a_crash_or_a_gain_is() {
        use crate::gate::GateVerdict;
        let on = |noisy, baseline: Baseline| Baseline {
            conditions: Some(Conditions { runs: 20, noisy: f64::from(noisy) / 20.0, ..Conditions::default() }),
            ..baseline
        };
        let verdict = |recorded, noisy, today| {
            let baseline = on(recorded, scores(&[50, 50]));
            judge(&baseline, &on(noisy, today), &limits(Direction::Max, 0)).verdict()
        };
        let timed_out = |verdict| run([accepted(50), failed(verdict)]);
        for (recorded, noisy, today, expected) in [
            (0, 14, scores(&[50, 40]), GateVerdict::NotComparable),
            (0, 14, timed_out(Verdict::TimeLimit), GateVerdict::NotComparable),
            (0, 14, timed_out(Verdict::RuntimeError), GateVerdict::Fails),
            (0, 14, scores(&[50, 60]), GateVerdict::Holds),
            (0, 2, scores(&[50, 40]), GateVerdict::Fails),
            (14, 14, scores(&[50, 40]), GateVerdict::Fails),
        ] {
            assert_eq!(verdict(recorded, noisy, today.clone()), expected, "{recorded} {noisy} {today:?}");
        }
    }

    #[test]
    fn from_a_total_of_zero_every_fall_is_too_far() {
        let judgement = judge(&scores(&[0]), &scores(&[-1]), &limits(Direction::Max, 50));
        assert_eq!(judgement.complaints, [Complaint::TotalFell { drop: None }]);
    }

    #[test]
    fn a_worse_verdict_and_a_missing_case_are_complaints_and_a_fixed_one_is_not() {
        let baseline = run([accepted(5), failed(Verdict::TimeLimit), accepted(7)]);
        let today = run([failed(Verdict::RuntimeError), accepted(1)]);
        let judgement = judge(&baseline, &today, &limits(Direction::Max, 0));
        let worse = Complaint::VerdictWorse { case: "seed-00".to_owned(), now: Verdict::RuntimeError };
        assert_eq!(judgement.complaints, [worse, Complaint::CaseMissing { case: "seed-02".to_owned() }]);
        assert_eq!(judgement.fixed, ["seed-01"]);
    }

    #[test]
    fn a_new_case_is_named_and_a_gain_is_an_update() {
        let judgement = judge(&scores(&[5]), &scores(&[6, 9]), &limits(Direction::Max, 0));
        assert!(judgement.is_better(Direction::Max) && !judgement.is_better(Direction::Min));
        assert_eq!(judgement.added, ["seed-01"]);
        let change = Change { case: "seed-00".to_owned(), was: Score::from(5).into(), now: Score::from(6).into() };
        assert_eq!(judgement.changes, [change]);
        let fixed =
            judge(&run([failed(Verdict::WrongAnswer), accepted(1)]), &scores(&[4, 1]), &limits(Direction::Min, 0));
        assert!(fixed.is_better(Direction::Min));
    }

    #[test]
    fn another_problem_or_checker_is_said_and_not_compared() {
        let mut today = scores(&[1]);
        today.checker = "2".to_owned();
        let changed = Complaint::CheckerChanged { was: "1".to_owned(), now: "2".to_owned() };
        assert_eq!(judge(&scores(&[9]), &today, &limits(Direction::Max, 0)).complaints, [changed]);
        today.terms = "min".to_owned();
        let changed = Complaint::ProblemChanged { was: "max".to_owned(), now: "min".to_owned() };
        assert_eq!(judge(&scores(&[9]), &today, &limits(Direction::Max, 0)).complaints, [changed]);
        today.problem = "same-game".to_owned();
        let changed = Complaint::ProblemChanged { was: "columns".to_owned(), now: "same-game".to_owned() };
        assert_eq!(judge(&scores(&[9]), &today, &limits(Direction::Max, 0)).complaints, [changed]);
    }

    #[test]
    fn another_input_is_said_and_not_compared() {
        let with_input =
            |input: &str, score| run([BaselineCase { input: Some(input.to_owned()), ..accepted(score) }, accepted(7)]);
        let judgement = judge(&with_input("a", 9), &with_input("b", 1), &limits(Direction::Max, 0));
        assert_eq!(judgement.complaints, [Complaint::InputChanged { case: "seed-00".to_owned() }]);
        assert_eq!((judgement.total_was, judgement.total_now), (percent(700), percent(700)));
        assert!(judge(&with_input("a", 9), &with_input("a", 9), &limits(Direction::Max, 0)).holds());
    }

    #[test]
    fn a_case_with_a_tolerance_answers_for_itself() {
        let mut baseline = scores(&[100, 100]);
        for entry in baseline.cases.values_mut() {
            entry.tolerance = Some(percent(10));
        }
        let judgement = judge(&baseline, &scores(&[89, 200]), &limits(Direction::Max, 0));
        assert_eq!(judgement.complaints, [Complaint::CaseFell { case: "seed-00".to_owned(), drop: Some(percent(11)) }]);
        assert!(judge(&baseline, &scores(&[90, 200]), &limits(Direction::Max, 0)).holds());
    }

    #[test]
    fn a_confident_gate_lets_noise_pass_and_a_sure_fall_not() {
        let was = [100; 20];
        let noise: Vec<i64> = (0..20).map(|case| if case % 2 == 0 { 80 } else { 117 }).collect();
        let sure: Vec<i64> = (0..20).map(|case| if case % 2 == 0 { 96 } else { 98 }).collect();
        let confident = GateLimits { confident: Some(0.01), ..limits(Direction::Max, 1) };
        assert!(!judge(&scores(&was), &scores(&noise), &limits(Direction::Max, 1)).holds());
        assert!(judge(&scores(&was), &scores(&noise), &confident).holds());
        assert!(!judge(&scores(&was), &scores(&sure), &confident).holds());
        // One case has no interval, and must not fall at all.
        assert!(!judge(&scores(&[100]), &scores(&[1]), &confident).holds());
        // A certain fall within the limit is not a complaint.
        let lenient = GateLimits { confident: Some(0.01), ..limits(Direction::Max, 5) };
        assert!(judge(&scores(&was), &scores(&sure), &lenient).holds());
    }

    #[test]
    fn time_may_rise_by_noise_but_not_for_sure() {
        let timed = |time: fn(u64) -> u64| {
            let entry = |case| BaselineCase { cpu: Some(Duration::from_millis(time(case))), ..accepted(1) };
            run((0..20).map(entry))
        };
        let time = Some(TimeLimit { max_rise: 0.1, alpha: 0.01 });
        let with_time = GateLimits { time, ..limits(Direction::Max, 0) };
        let baseline = timed(|_| 100);
        let rose = |today: &Baseline| !judge(&baseline, today, &with_time).holds();
        assert!(rose(&timed(|case| 115 + case % 3)));
        assert!(!rose(&timed(|case| 105 + case % 3)));
        // One case took ten times as long. This counts as noise, even if other times rose by the allowed amount.
        assert!(!rose(&timed(|case| if case == 3 { 1_000 } else { 100 })));
        assert!(!rose(&timed(|case| if case == 3 { 1_000 } else { 105 + case % 3 })));
        assert!(judge(&baseline, &scores(&[1; 20]), &with_time).holds());
    }

    #[test]
    fn times_of_different_processors_are_not_compared() {
        let timed = |time, processor: Option<&str>| {
            let cpu = Some(Duration::from_millis(time));
            run((0..20).map(|_| BaselineCase { cpu, processor: processor.map(str::to_owned), ..accepted(1) }))
        };
        let time = Some(TimeLimit { max_rise: 0.1, alpha: 0.01 });
        let with_time = GateLimits { time, ..limits(Direction::Max, 0) };
        for (was, now, is_compared) in
            [(None, None, true), (Some("a"), Some("a"), true), (Some("a"), Some("b"), false), (None, Some("a"), false)]
        {
            let judgement = judge(&timed(100, was), &timed(200, now), &with_time);
            assert_eq!(judgement.holds(), !is_compared, "{was:?} {now:?}");
            assert_eq!(judgement.untimed, if is_compared { 0 } else { 20 });
        }
        let on = |machine: &str, time| {
            let conditions = Conditions { processor: Some(machine.to_owned()), ..Conditions::default() };
            Baseline { conditions: Some(conditions), ..timed(time, None) }
        };
        assert!(!judge(&on("a", 100), &on("a", 200), &with_time).holds());
        let other = judge(&on("a", 100), &on("b", 200), &with_time);
        assert!(other.holds() && other.untimed == 20);
        let steady = |machine| with_steady_times(on(machine, 101), &on("a", 100)).cases["seed-00"].cpu;
        assert_eq!([steady("a"), steady("b")], [100, 101].map(|time| Some(Duration::from_millis(time))));
        let runs = [timed(100, Some("a")), timed(300, Some("b"))];
        assert!(Baseline::of_runs(&runs).unwrap().cases.values().all(|case| case.cpu.is_none()));
    }

    fn baseline(times: &[u64], processor: &str) -> Baseline {
        let entry = |(case, cpu): (usize, &u64)| {
            let entry = BaselineCase {
                result: CaseResult::Accepted(Score::from(1).into()),
                input: None,
                cpu: Some(Duration::from_millis(*cpu)),
                processor: Some(processor.to_owned()),
                tolerance: None,
            };
            (case.to_string(), entry)
        };
        let cases: BTreeMap<String, BaselineCase> = times.iter().enumerate().map(entry).collect();
        Baseline { problem: String::new(), terms: String::new(), checker: String::new(), conditions: None, cases }
    }

    #[test]
    fn a_time_is_recorded_anew_where_it_changed_clearly() {
        let times = |new: &Baseline, recorded: &Baseline| -> Vec<u128> {
            let found = with_steady_times(new.clone(), recorded);
            found.cases.values().map(|entry| entry.cpu.unwrap().as_millis()).collect()
        };
        let recorded = baseline(&[100, 100, 100, 2, 2], "a");
        let new = baseline(&[124, 76, 126, 7, 8], "a");
        assert_eq!(times(&new, &recorded), [100, 100, 126, 2, 8]);
        assert_eq!(times(&baseline(&[124, 76, 126, 7, 8], "b"), &recorded), [124, 76, 126, 7, 8]);
    }
}
