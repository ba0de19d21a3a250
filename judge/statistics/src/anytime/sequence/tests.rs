//! Decisions and intervals of growing samples.

use super::*;

fn sequence(effects: impl IntoIterator<Item = f64>, min_effect: Option<f64>) -> Sequence {
    let mut sequence = Sequence::new(SequenceSettings { alpha: 0.05, min_effect, bound: None, rare: None }).unwrap();
    effects.into_iter().for_each(|effect| sequence.push(effect));
    sequence
}

/// A deterministic sample around a mean, with standard deviation near 1.
fn wave(mean: f64, cases: usize) -> impl Iterator<Item = f64> {
    (0..cases).map(move |case| mean + (case as f64 * 2.399).sin() * std::f64::consts::SQRT_2)
}

#[test]
fn clear_effects_are_decided_on_their_side() {
    assert_eq!(sequence(wave(0.8, 60), None).decision(), Decision::Better);
    assert_eq!(sequence(wave(-0.8, 60), None).decision(), Decision::Worse);
    assert_eq!(sequence(wave(0.0, 200), None).decision(), Decision::Undecided);
    assert_eq!(sequence(wave(0.0, 200), Some(0.5)).decision(), Decision::Smaller);
    assert_eq!(sequence(wave(0.0, 200), Some(0.1)).decision(), Decision::Undecided);
}

#[test]
#[ignore = "CI: thousands of intervals"]
fn the_interval_agrees_with_the_decision_at_every_look() {
    for mean in [0.0, 0.1, 0.45, -0.7] {
        let mut growing = sequence([], Some(0.4));
        for effect in wave(mean, 150) {
            growing.push(effect);
            let Some(interval) = growing.interval() else {
                assert_eq!(growing.decision(), Decision::Undecided);
                continue;
            };
            match growing.decision() {
                Decision::Better => assert!(interval.low > 0.0),
                Decision::Worse => assert!(interval.high < 0.0),
                Decision::Smaller => assert!(interval.is_within(0.4)),
                Decision::Undecided => assert!(interval.contains(0.0), "{mean} {interval:?}"),
            }
        }
    }
}

/// Nine of ten cases tie: every center above 0 makes losses of them.
#[test]
fn a_claim_on_many_ties_has_an_interval_without_0() {
    let mut growing = sequence([], None);
    while growing.decision() == Decision::Undecided {
        let case = growing.count();
        growing.push(if case.is_multiple_of(10) { 80.0 + case as f64 % 30.0 } else { 0.0 });
    }
    let interval = growing.interval().unwrap();
    assert!(growing.decision() == Decision::Better && interval.low > 0.0, "{interval:?} after {}", growing.count());
}

#[test]
fn the_interval_holds_the_mean_and_shrinks() {
    let widths = [30, 120, 480, 1_920].map(|cases| {
        let interval = sequence(wave(5.0, cases), None).interval().unwrap();
        assert!(interval.contains(5.0), "{cases} {interval:?}");
        interval.radius()
    });
    // By about half for four times the cases.
    assert!(widths.windows(2).all(|pair| pair[1] < 0.65 * pair[0]), "{widths:?}");
    assert!(widths[3] < 0.1, "{widths:?}");
}

#[test]
fn the_unit_and_the_sides_do_not_matter() {
    let plain = sequence(wave(0.3, 90), Some(0.9)).interval().unwrap();
    let scaled = sequence(wave(0.3, 90).map(|effect| effect * -1e-6), Some(0.9e-6)).interval().unwrap();
    assert!((scaled.low * -1e6 - plain.high).abs() < 1e-6 && (scaled.high * -1e6 - plain.low).abs() < 1e-6);
}

#[test]
fn identical_solvers_are_called_so_after_fifty_nine_cases_and_never_better() {
    assert_eq!(sequence(vec![0.0; 58], Some(0.001)).decision(), Decision::Undecided);
    assert_eq!(sequence(vec![0.0; 59], Some(0.001)).decision(), Decision::Smaller);
    assert_eq!(sequence(vec![0.0; 500], None).decision(), Decision::Undecided);
    assert_eq!(sequence(vec![0.0; 20], None).interval(), Some(Interval { low: 0.0, high: 0.0 }));
}

#[test]
fn few_cases_decide_nothing_and_have_no_interval() {
    let few = sequence(wave(9.0, 9), Some(0.1));
    assert_eq!((few.decision(), few.interval()), (Decision::Undecided, None));
    assert_eq!(sequence([], None).interval(), None);
}

#[test]
fn with_a_bound_the_interval_starts_as_everything_and_closes_in() {
    let bounded = |effects: &[f64], min_effect| {
        let mut sequence =
            Sequence::new(SequenceSettings { alpha: 0.05, min_effect, bound: Some(2.0), rare: None }).unwrap();
        effects.iter().for_each(|&effect| sequence.push(effect));
        sequence
    };
    assert_eq!(bounded(&[], None).interval(), Some(Interval { low: -2.0, high: 2.0 }));
    let widths = [10, 100, 1_000].map(|cases| {
        let effects: Vec<f64> = wave(0.4, cases).collect();
        let interval = bounded(&effects, None).interval().unwrap();
        assert!(interval.contains(Moments::of(&effects).mean()) && interval.low > -2.0 && interval.high < 2.0);
        interval.radius()
    });
    assert!(widths.windows(2).all(|pair| pair[1] < 0.6 * pair[0]), "{widths:?}");
    assert_eq!(bounded(&wave(0.4, 1_000).collect::<Vec<_>>(), None).decision(), Decision::Better);
    assert_eq!(bounded(&wave(-0.4, 1_000).collect::<Vec<_>>(), None).decision(), Decision::Worse);
    assert_eq!(bounded(&wave(0.0, 1_000).collect::<Vec<_>>(), Some(0.4)).decision(), Decision::Smaller);
    // Forty effects of the size of the bound say much, five hundred ties little.
    assert_eq!(bounded(&[2.0; 40], None).decision(), Decision::Better);
    assert_eq!(bounded(&[0.0; 500], Some(0.001)).decision(), Decision::Undecided);
}

#[test]
fn with_a_bound_the_interval_agrees_with_the_decision() {
    for mean in [0.0, 0.3, -0.5] {
        let settings = SequenceSettings { alpha: 0.05, min_effect: Some(0.4), bound: Some(2.5), rare: None };
        let mut growing = Sequence::new(settings).unwrap();
        for (case, effect) in wave(mean, 400).enumerate() {
            growing.push(effect);
            if case % 8 != 0 {
                continue;
            }
            let interval = growing.interval().unwrap();
            match growing.decision() {
                Decision::Better => assert!(interval.low > 0.0),
                Decision::Worse => assert!(interval.high < 0.0),
                Decision::Smaller => assert!(interval.is_within(0.4)),
                Decision::Undecided => assert!(interval.contains(0.0), "{mean} {interval:?}"),
            }
        }
        assert_ne!(growing.decision(), Decision::Undecided);
    }
}

#[test]
fn rare_effects_get_the_chance_to_show() {
    // 0.95^71 = 0.0262, 0.95^72 = 0.0249.
    let rare = |cases| {
        let settings = SequenceSettings { alpha: 0.05, min_effect: None, bound: None, rare: Some(0.05) };
        let mut sequence = Sequence::new(settings).unwrap();
        wave(0.8, cases).for_each(|effect| sequence.push(effect));
        (sequence.decision(), sequence.interval().is_some_and(|interval| interval.contains(0.0)))
    };
    assert_eq!(rare(71), (Decision::Undecided, true));
    assert_eq!(rare(72), (Decision::Better, false));
}

#[test]
fn useless_settings_are_refused() {
    let valid = SequenceSettings { alpha: 0.05, min_effect: None, bound: None, rare: None };
    let error = |settings| Sequence::new(settings).unwrap_err().to_string();
    for alpha in [0.0, 0.5, f64::NAN] {
        let refused = error(SequenceSettings { alpha, ..valid });
        assert_eq!(refused, format!("alpha must be above 0 and at most 0.25, not {alpha}"));
    }
    for effect in [-1.0, 0.0] {
        let refused = error(SequenceSettings { min_effect: Some(effect), ..valid });
        assert_eq!(refused, format!("the smallest effect that matters must be above 0, not {effect}"));
    }
    let unbounded = error(SequenceSettings { bound: Some(f64::INFINITY), ..valid });
    assert_eq!(unbounded, "the bound of the effects must be above 0, not inf");
    let never = error(SequenceSettings { rare: Some(0.0), ..valid });
    assert_eq!(never, "the share of rare effects must be from 0.01 % to 50 %, not 0");
}

/// Cases of different sizes, on which the second solver is better by this share.
fn shares(share: f64, cases: usize, unit: f64) -> Sequence {
    let mut sequence =
        Sequence::new(SequenceSettings { alpha: 0.05, min_effect: Some(0.1), bound: None, rare: None }).unwrap();
    for (case, noise) in wave(0.0, cases).enumerate() {
        let base = unit * (1.0 + (case % 5) as f64);
        sequence.push_term(Term { effect: base * (share + 0.1 * noise), base });
    }
    sequence
}

#[test]
fn a_share_of_a_total_is_tested_like_a_mean_in_any_unit() {
    for unit in [1.0, 1e-9, 1e60] {
        assert_eq!(shares(0.1, 60, unit).decision(), Decision::Better);
        assert_eq!(shares(-0.1, 60, unit).decision(), Decision::Worse);
        assert_eq!(shares(0.0, 200, unit).decision(), Decision::Smaller);
        let interval = shares(0.2, 300, unit).interval().unwrap();
        assert!(interval.contains(0.2) && interval.radius() < 0.05, "{interval:?}");
    }
}

#[test]
fn a_ratio_that_is_the_same_on_every_case_is_certain_and_none_without_a_total() {
    let of = |sign: f64| {
        let mut sequence =
            Sequence::new(SequenceSettings { alpha: 0.05, min_effect: None, bound: None, rare: None }).unwrap();
        (0..60).for_each(|case| {
            let base = sign * (1.0 + f64::from(case % 3));
            sequence.push_term(Term { effect: 0.25 * base.abs(), base });
        });
        sequence
    };
    let interval = of(1.0).interval().unwrap();
    assert!((interval.low - 0.25).abs() < 1e-6 && (interval.high - 0.25).abs() < 1e-6, "{interval:?}");
    assert_eq!((of(-1.0).decision(), of(-1.0).interval()), (Decision::Undecided, None));
}

#[test]
fn with_a_bound_and_bases_that_vary_smaller_is_about_the_mean_base() {
    let settings = SequenceSettings { alpha: 0.05, min_effect: Some(0.1), bound: Some(1.0), rare: None };
    let mut varying = Sequence::new(settings).unwrap();
    // Bases of 1 and 3: a tenth of the total is 0.2 a case.
    let mut plain = Sequence::new(SequenceSettings { min_effect: Some(0.2), ..settings }).unwrap();
    let mut decided = [None; 2];
    for (case, effect) in wave(0.0, 400).enumerate() {
        let effect = 0.2 * effect;
        varying.push_term(Term { effect, base: [1.0, 3.0][case % 2] });
        plain.push(effect);
        if case % 2 == 1 {
            assert_eq!(varying.decision(), plain.decision(), "{case}");
        }
        for (decided, sequence) in decided.iter_mut().zip([&varying, &plain]) {
            *decided = decided.or((sequence.decision() == Decision::Smaller).then_some(case));
        }
    }
    assert!(decided[1].is_some() && decided[0].is_some(), "{decided:?}");
    let (one, other) = (varying.interval().unwrap(), plain.interval().unwrap());
    assert!((one.low * 2.0 - other.low).abs() < 1e-6 && (one.high * 2.0 - other.high).abs() < 1e-6);
}

/// The fastest of some hundreds of cases, early and late: other load on the machine affects the minimum least.
#[test]
fn looks_take_no_longer_after_many_cases() {
    let mut growing = sequence([], Some(1e-6));
    let effects: Vec<f64> = wave(0.0, 10_000).collect();
    let times = effects.chunks(100).map(|effects| {
        let started = std::time::Instant::now();
        for &effect in effects {
            growing.push(effect);
            assert_eq!(growing.decision(), Decision::Undecided);
        }
        started.elapsed()
    });
    let times: Vec<std::time::Duration> = times.collect();
    let (early, late) = (times[..10].iter().min().unwrap(), times[90..].iter().min().unwrap());
    assert!(*late < *early * 5, "{early:?} {late:?}");
}
