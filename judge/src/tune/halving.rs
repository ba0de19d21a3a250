//! Successive halving: the settings and cases of each rung, and the settings that go on.

use crate::statistics::{Moments, mean_interval};

/// A rung of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// The number of settings in it, at most.
    pub settings: usize,
    /// The number of cases that each has finished at its end, earlier rungs included.
    pub cases: usize,
}

/// Plans a bracket within a budget of runs (one setting on one case).
///
/// The first rung has as many settings as the budget allows if each runs on `fewest_cases` there; each further rung has
/// half the settings, rounded up, and twice the cases, down to one setting. The cases of the further rungs then grow
/// evenly, to at most twice as many, until the budget is used up. Cases are not run again: with k settings, a power of
/// two, and c cases a bracket takes at least k c (1 + log2(k) / 2) runs. Empty if the budget is not enough for two
/// settings.
#[must_use]
pub fn rungs(budget: usize, fewest_cases: usize) -> Vec<Rung> {
    let affordable = |settings: usize| cost(&halvings(settings, fewest_cases)) <= budget;
    let mut settings = 1;
    for bit in (0..usize::BITS / 2).rev() {
        if affordable(settings + (1 << bit)) {
            settings += 1 << bit;
        }
    }
    if settings < 2 {
        return Vec::new();
    }
    let plan = halvings(settings, fewest_cases);
    let longest = (0..=GROWTH_STEPS).rev().map(|growth| grown(&plan, growth)).find(|plan| cost(plan) <= budget);
    longest.unwrap_or(plan)
}

/// The steps in which the cases of further rungs grow from once to twice as many.
const GROWTH_STEPS: usize = 1000;

fn halvings(settings: usize, fewest_cases: usize) -> Vec<Rung> {
    let first = Rung { settings, cases: fewest_cases };
    let next = |rung: &Rung| Rung { settings: rung.settings.div_ceil(2), cases: rung.cases.saturating_mul(2) };
    std::iter::successors(Some(first), |rung| (rung.settings > 1).then(|| next(rung))).collect()
}

fn grown(plan: &[Rung], growth: usize) -> Vec<Rung> {
    let first = plan[0].cases;
    let more = |cases: usize| (cases - first).saturating_mul(growth) / GROWTH_STEPS;
    plan.iter().map(|rung| Rung { cases: rung.cases.saturating_add(more(rung.cases)), ..*rung }).collect()
}

/// Returns the number of runs that a bracket takes.
fn cost(plan: &[Rung]) -> usize {
    let before = std::iter::once(0).chain(plan.iter().map(|rung| rung.cases));
    let runs = plan.iter().zip(before).map(|(rung, before)| rung.settings.saturating_mul(rung.cases - before));
    runs.fold(0, usize::saturating_add)
}

/// A setting that goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survivor {
    /// Its index in the table.
    pub setting: usize,
    /// Its mean value, failures counted as the worst of their case.
    pub mean: f64,
    /// The number of cases without an accepted answer.
    pub failures: usize,
}

/// Chooses the settings that go on after a rung: at most `keep`, the best first, without those that are certainly worse
/// than the best one.
///
/// `table` has a row for each setting with its value on each case, larger being better, on the scale of the measure
/// (the logarithm of the score for ratios); `None` is a failure, and counts as the worst value that any setting has on
/// that case: a failure is never an advantage. Certainly means: the paired interval at `alpha`, shared among the
/// settings (Bonferroni), is below 0. Equal means go by fewer failures, then by the order of the table.
#[must_use]
pub fn survivors(table: &[Vec<Option<f64>>], keep: usize, alpha: f64) -> Vec<Survivor> {
    let filled = impute(table);
    let mut order: Vec<Survivor> = filled.iter().zip(table).enumerate().map(survivor).collect();
    order.sort_by(|left, right| right.mean.total_cmp(&left.mean).then(left.failures.cmp(&right.failures)));
    let Some(best) = order.first().copied() else { return order };
    let shared = alpha / (table.len().max(2) - 1) as f64;
    order.retain(|other| !is_worse(&filled[other.setting], &filled[best.setting], shared));
    order.truncate(keep.max(1));
    order
}

fn survivor((setting, (values, row)): (usize, (&Vec<f64>, &Vec<Option<f64>>))) -> Survivor {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    Survivor { setting, mean, failures: row.iter().filter(|value| value.is_none()).count() }
}

/// Gives every failure the worst value of its case. A case on which all failed makes no difference.
fn impute(table: &[Vec<Option<f64>>]) -> Vec<Vec<f64>> {
    let worst = |case: usize| table.iter().filter_map(|row| row[case]).min_by(f64::total_cmp).unwrap_or(0.0);
    let fill = |row: &Vec<Option<f64>>| {
        row.iter().enumerate().map(|(case, value)| value.unwrap_or_else(|| worst(case))).collect()
    };
    table.iter().map(fill).collect()
}

fn is_worse(values: &[f64], best: &[f64], alpha: f64) -> bool {
    let mut effects = Moments::default();
    values.iter().zip(best).for_each(|(value, best)| effects.push(value - best));
    mean_interval(&effects, alpha).is_some_and(|interval| interval.high < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Random;

    #[test]
    fn a_plan_by_hand() {
        // 4 settings x 10 cases, then 2 x 10 more, then 1 x 20 more: 40 + 20 + 20.
        let rung = |settings, cases| Rung { settings, cases };
        assert_eq!(rungs(80, 10), [rung(4, 10), rung(2, 20), rung(1, 40)]);
        // 3 settings x 10 cases, then 2 x 12 more, then 1 x 25 more: 30 + 24 + 25. With 10 and 20 more it were 70.
        assert_eq!(rungs(79, 10), [rung(3, 10), rung(2, 22), rung(1, 47)]);
        assert_eq!(rungs(29, 10), []);
    }

    #[test]
    fn a_plan_uses_its_budget_and_no_more() {
        for budget in [24, 30, 100, 150, 1_000, 12_345, 1_000_000] {
            let plan = rungs(budget, 8);
            let cost = cost(&plan);
            assert!(cost <= budget && cost >= budget / 20 * 19, "{budget}: {cost}");
        }
    }

    #[test]
    fn the_better_half_goes_on_the_best_first() {
        let table = [[1.0, 2.0], [4.0, 3.0], [2.0, 3.0], [0.0, 1.0]].map(|row| row.map(Some).to_vec());
        let order: Vec<usize> = survivors(&table, 2, 0.05).iter().map(|survivor| survivor.setting).collect();
        assert_eq!(order, [1, 2]);
    }

    #[test]
    fn a_failure_counts_as_the_worst_of_its_case() {
        let table = [vec![Some(5.0), None], vec![Some(4.0), Some(1.0)], vec![Some(4.0), Some(3.0)]];
        let order = survivors(&table, 3, 0.05);
        assert_eq!(order[0], Survivor { setting: 2, mean: 3.5, failures: 0 });
        assert_eq!(order[1], Survivor { setting: 0, mean: 3.0, failures: 1 });
        let all_failed = [vec![None], vec![None]];
        assert_eq!(survivors(&all_failed, 2, 0.05).len(), 2);
    }

    #[test]
    fn the_certainly_worse_are_dropped_early() {
        let row = |shift: f64| (0..20).map(|case| Some(shift + f64::from(case * 7 % 5) / 10.0)).collect::<Vec<_>>();
        let mut noisy = row(-1.0);
        noisy[3] = Some(15.0);
        let table = [row(0.0), row(-1.0), noisy];
        let order: Vec<usize> = survivors(&table, 3, 0.05).iter().map(|survivor| survivor.setting).collect();
        assert_eq!(order, [0, 2]);
    }

    #[test]
    fn no_settings_leave_none_and_one_setting_survives() {
        assert_eq!(survivors(&[], 4, 0.05), []);
        assert_eq!(survivors(&[vec![Some(1.0)]], 0, 0.05).len(), 1);
    }

    #[test]
    fn a_bracket_finds_a_good_setting_under_noise() {
        // The value of setting k is -(k - 11)^2 / 20 with noise of spread about 1, shared by case in part.
        let mut random = Random::new(8);
        let plan = rungs(700, 10);
        let mut found = Vec::new();
        for _ in 0..20 {
            let mut alive: Vec<usize> = (0..plan[0].settings).collect();
            for rung in &plan {
                let noise = |random: &mut Random| (0..4).map(|_| random.unit() - 0.5).sum::<f64>() * 1.7;
                let shared: Vec<f64> = (0..rung.cases).map(|_| noise(&mut random)).collect();
                let play = |&setting: &usize| {
                    let level = -(setting as f64 - 11.0).powi(2) / 20.0;
                    shared.iter().map(|shared| Some(level + shared + noise(&mut random))).collect()
                };
                let table: Vec<Vec<Option<f64>>> = alive.iter().map(play).collect();
                let order = survivors(&table, (rung.settings / 2).max(1), 0.05);
                alive = order.iter().map(|survivor| alive[survivor.setting]).collect();
            }
            found.push(alive[0].abs_diff(11));
        }
        assert!(found.iter().filter(|&&distance| distance <= 3).count() >= 18, "{found:?}");
    }
}
