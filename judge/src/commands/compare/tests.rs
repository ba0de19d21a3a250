//! Looks case by case agree with going through all cases at each look, under every rule.

use super::*;
use checkers::Score;
use clap::Parser;
use judge_problem::{
    Catalogue, Direction, Invocation, Outcome, Plan, Program, Solver, SolverSpec, Thresholds, Verdict,
};
use judge_statistics::Random;
use std::path::Path;
use std::time::Duration;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: CompareArgs,
}

fn args(more: &[&str]) -> CompareArgs {
    Line::parse_from([&["compare", "a", "b", "c", "--until-decided"], more].concat()).args
}

fn solver(name: &str) -> Solver {
    let program = Program { path: "/bin/none".into(), argv: vec![name.into()], ..Program::default() };
    Solver::new(SolverSpec { name: name.to_owned(), text: name.to_owned() }, Invocation::Program(program))
}

/// Three solvers under this rule, before the first case.
fn nothing_played(rule: &str, direction: Direction) -> MatchResult {
    let mut problem = Catalogue::built_in(Path::new("/")).unwrap().find("columns").unwrap().clone();
    problem.scoring = rule.parse().unwrap();
    problem.direction = direction;
    let plan = Plan::new(problem, ["a", "b", "c"].map(solver).to_vec(), CaseList::default());
    MatchResult { outcomes: OutcomeGrid::new(0, 3), plan, inputs: Vec::new(), stop: None }
}

/// Adds a case with these scores; a solver without one fails.
fn add(played: &mut MatchResult, weight: &str, scores: [Option<i64>; 3]) {
    let mut case = CaseSpec::from_seed(played.plan.cases.len() as u64 + 1);
    case.weight = weight.parse().unwrap();
    played.plan.cases.push(case);
    let outcome = |score: Option<i64>| {
        let verdict = if score.is_some() { Verdict::Accepted } else { Verdict::WrongAnswer };
        Some(Outcome { score: score.map(Into::into), ..Outcome::without_run(verdict, String::new()) })
    };
    played.outcomes.add_case(scores.map(outcome));
}

/// Returns the decision of a look that goes through all cases.
fn is_over(played: &MatchResult, second: usize, args: &CompareArgs) -> bool {
    let scored = played.scored().unwrap();
    let measure = scored.measure(args.statistics.measure(), unit(args).as_ref());
    // A percentage of a total of 0 is meaningless.
    let Ok(parameters) = parameters(args, measure, &scored.rule, 2) else { return false };
    let paired = scored.paired(measure, second);
    let is_unsolved = paired.solved == 0 && played.plan.cases.len() >= UNSOLVED;
    is_unsolved || paired::interim_claim(&paired, parameters).unwrap().is_decided()
}

/// Scores of three solvers: of many sizes; the second is slightly better, the third fails now and then. The first cases
/// have none, and late ones may be of the other sign.
fn scores(case: usize, late_sign: i64, random: &mut Random) -> [Option<i64>; 3] {
    let size = (2_000.0 * (3.0 * random.unit()).exp()) as i64;
    let sign = if case > 70 { late_sign } else { 1 };
    let mut near = |percent: f64| sign * (size as f64 * (1.0 + 0.01 * percent + 0.1 * (random.unit() - 0.5))) as i64;
    match case {
        0 | 1 => [Some(0), Some(0), None],
        _ => [Some(sign * size), Some(near(1.5)), (case % 11 != 3).then(|| near(-1.0))],
    }
}

#[test]
#[ignore = "CI: many comparisons"]
fn looks_case_by_case_find_what_a_look_at_all_cases_finds() {
    let rules = [
        ("sum", &[][..]),
        ("sum", &["--min-effect", "5%"]),
        ("sum", &["--h0", "0", "--h1", "2%"]),
        ("sum", &["--exact", "--bound", "200000", "--min-effect", "20%"]),
        ("mean", &["--measure", "ratio"]),
        ("mean", &["--measure", "difference", "--rare", "5%"]),
        ("sum", &["--min-effect", "500"]),
        ("relative", &[]),
        ("relative", &["--exact"]),
        ("rank", &["--h0", "-10%", "--h1", "10%"]),
        ("log", &[]),
        ("exact", &[]),
    ];
    let ends: usize = std::thread::scope(|threads| {
        let looks = rules.map(|(rule, more)| threads.spawn(move || decided_looks(rule, more)));
        looks.into_iter().map(|looks| looks.join().unwrap()).sum()
    });
    assert!(ends > 300, "{ends}");
}

/// Plays cases under this rule. Both kinds of looks must agree. Returns how many looks decided.
fn decided_looks(rule: &str, more: &[&str]) -> usize {
    let mut ends = 0;
    for (direction, weights, late_sign) in [
        (Direction::Max, ["1", "1", "1"], 1),
        (Direction::Min, ["1", "1", "1"], -1),
        (Direction::Max, ["1", "2", "1/3"], 1),
    ] {
        let (args, mut random) = (args(more), Random::new(5));
        let mut played = nothing_played(rule, direction);
        let mut looks = Looks::new(&played, &args);
        for case in 0..110 {
            add(&mut played, weights[case % 3], scores(case, late_sign, &mut random));
            looks.add(&played).unwrap();
            assert!(looks.growing.is_some());
            for second in [1, 2] {
                let found = looks.is_over(&played, second).unwrap();
                if found || case % 4 == 0 {
                    assert_eq!(found, is_over(&played, second, &args), "{rule} {more:?} {direction:?} {case}");
                }
                ends += usize::from(found);
            }
        }
    }
    ends
}

#[test]
fn cases_whose_points_depend_on_others_are_scored_together() {
    let args = args(&[]);
    let mut played = nothing_played("thresholds", Direction::Max);
    let mut looks = Looks::new(&played, &args);
    let mut random = Random::new(5);
    for case in 0..40 {
        add(&mut played, "1", scores(case, 1, &mut random));
        if case == 20 {
            let steps = (1..=9).rev().map(|step| Score::from(step * 1_000)).collect();
            let thresholds = Thresholds::new(Direction::Max, steps, None).unwrap();
            let given = |(place, mut spec): (usize, CaseSpec)| {
                spec.thresholds = (place == case).then(|| thresholds.clone());
                spec
            };
            played.plan.cases = played.plan.cases.iter().enumerate().map(given).collect();
        }
        looks.add(&played).unwrap();
        assert_eq!(looks.is_over(&played, 1).unwrap(), is_over(&played, 1, &args), "{case}");
        assert_eq!(looks.growing.is_some(), case < 20);
    }
}

/// The CPU time of this thread: programs that run beside it do not count.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}

/// The least CPU time of some hundreds of cases, early and late. Looks that went through all cases would take ten times
/// as long at the end.
#[test]
#[ignore = "CI: ten thousand cases"]
fn a_look_takes_no_longer_after_ten_thousand_cases() {
    let args = args(&["--min-effect", "0.001%"]);
    let mut random = Random::new(6);
    let mut played = nothing_played("sum", Direction::Max);
    let mut looks = Looks::new(&played, &args);
    let mut a_hundred = || -> Duration {
        let started = cpu_time();
        for _ in 0..100 {
            let near = 10_000 + random.below(1_000) as i64;
            add(&mut played, "1", [10_500, near, 21_000 - near].map(Some));
            looks.add(&played).unwrap();
            looks.is_over(&played, 1).unwrap();
        }
        cpu_time() - started
    };
    let times: Vec<Duration> = (0..100).map(|_| a_hundred()).collect();
    let (early, late) = (times[..10].iter().min().unwrap(), times[90..].iter().min().unwrap());
    assert!(*late < *early * 4, "{early:?} {late:?}");
}

/// Scores of three solvers that tie on nine of ten cases, differ now and then by a lot, or fail.
fn rough_scores(kind: usize, case: usize, random: &mut Random) -> [Option<i64>; 3] {
    let size = 1 + (1_000.0 * (2.0 * random.unit()).exp()) as i64;
    let gain = 1 + (300.0 * random.unit()) as i64;
    match kind {
        0 if !case.is_multiple_of(10) => [Some(size); 3],
        0 => [Some(size), Some(size + gain), Some(size - gain / 3)],
        1 => [Some(size), Some(size + 20), (!case.is_multiple_of(9)).then_some(size + 30)],
        _ => [Some(size), Some(size + gain - 140), Some((size as f64 * (1.05 + 0.3 * random.unit())) as i64)],
    }
}

/// No claim contradicts the interval next to it, and no possible claim is missing.
fn check_claim(inference: (paired::Claim, Option<judge_statistics::Interval>), min_effect: Option<f64>, what: &str) {
    let (claim, Some(interval)) = inference else { return };
    let agrees = match claim {
        paired::Claim::Better => interval.low > 0.0,
        paired::Claim::Worse => interval.high < 0.0,
        paired::Claim::Smaller => min_effect.is_some_and(|bound| interval.is_within(bound)),
        paired::Claim::Undecided { .. } => interval.contains(0.0),
        _ => true,
    };
    assert!(agrees, "{what}: {claim:?}, {interval:?}");
}

#[test]
#[ignore = "CI: many comparisons"]
fn no_claim_has_an_interval_that_contains_0() {
    let mut claims = 0;
    for measure in EffectMeasure::ALL {
        let name = measure.name();
        for more in [&[][..], &["--min-effect", "30%"], &["--rare", "9%"], &["--exact", "--bound", "9000"]] {
            let is_bounded = matches!(measure, EffectMeasure::Relative | EffectMeasure::Ratio);
            let more = if is_bounded && more.contains(&"--exact") { &["--exact"][..] } else { more };
            let more = if measure.is_share() || !more.contains(&"30%") { more } else { &["--min-effect", "300"] };
            let args = args(&[&["--measure", name], more].concat());
            for kind in 0..3 {
                let (mut played, mut random) = (nothing_played("sum", Direction::Max), Random::new(kind as u64));
                for case in 0..90 {
                    add(&mut played, "1", rough_scores(kind, case, &mut random));
                    if case > 8 && case % 9 != 0 {
                        continue;
                    }
                    let scored = played.scored().unwrap();
                    let Ok(parameters) = parameters(&args, measure, &scored.rule, 1) else { continue };
                    for second in [1, 2] {
                        let paired = scored.paired(measure, second);
                        let what = format!("{name} {more:?} kind {kind}, {case} cases");
                        let fixed = paired::infer_fixed(&paired, parameters);
                        check_claim((fixed.claim, fixed.interval), parameters.min_effect, &what);
                        let Ok(now) = paired::infer_interim(&paired, parameters) else { continue };
                        check_claim((now.claim, now.interval), parameters.min_effect, &what);
                        claims += usize::from(now.claim.is_decided()) + usize::from(fixed.claim.is_decided());
                    }
                }
            }
        }
    }
    assert!(claims > 200, "{claims}");
}
