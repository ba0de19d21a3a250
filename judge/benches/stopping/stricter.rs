//! The cost of keeping the level for rare losses by being stricter with all effects.

use crate::least::{Speed, least_false_percent};
use crate::populations::Population;
use crate::simulate::{ALPHA, LOOKS, mean_wald_cases, percent, settings};
use judge_statistics::{Decision, Random, Sequence, SequenceSettings};

/// The cases that determine the usual size of the effects.
const SCALE_CASES: usize = 16;

/// The median of the size of a standard normal number.
const NORMAL_MEDIAN: f64 = 0.6745;

/// A stricter rule.
#[derive(Clone, Copy)]
enum Rule {
    /// The rule as it is, with another level.
    Level(f64),
    /// Also the same claim by bets on the effects, truncated at this many robust standard deviations. These bets are
    /// fair for any distribution within the bound.
    Winsorised(f64),
}

pub(crate) fn stricter_table(runs: usize) {
    println!("\nStricter for all, {runs} runs: false decisions with rare losses, and cases of normal effects:\n");
    println!(
        "| rule | 1 % losses, noise 0.3 | least possible so fast | 5 % losses, noise 0.1 | times Wald's cases at 0.25 sd | at 0.5 sd |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let losses = |share, loss, noise| Population::RareLosses { share, loss, noise };
    let rare = [losses(0.01, 100.0_f64.ln(), 0.3), losses(0.05, 2.0, 0.1)];
    let wald = [0.25, 0.5].map(|mean| mean_wald_cases(mean, ALPHA / 2.0, &mut Random::new(7)));
    let levels = [0.05, 0.01, 0.005].map(Rule::Level);
    for rule in levels.into_iter().chain([4.0, 6.0, 8.0].map(Rule::Winsorised)) {
        let mut random = Random::new(8);
        let name = match rule {
            Rule::Level(alpha) => format!("α = {} %", 100.0 * alpha),
            Rule::Winsorised(size) => format!("also on effects cut off at {size} sd"),
        };
        let [one, five] = [0, 1].map(|place: usize| {
            let ends = (0..runs).map(|_| cases(rule, &rare[place], 0.0, LOOKS, &mut random));
            percent(ends.flatten().count(), runs)
        });
        let [quarter, half] = [(0.25, wald[0]), (0.5, wald[1])].map(|(mean, wald)| {
            let ends = (0..runs).map(|_| cases(rule, &Population::Normal, mean, 20_000, &mut random));
            ends.flatten().sum::<usize>() as f64 / runs as f64 / wald
        });
        let goals = [(0.25, quarter * wald[0]), (0.5, half * wald[1])].map(|(mean, cases)| Speed { mean, cases });
        let least = least_false_percent(0.01, 100.0_f64.ln() * 0.01 / 0.99 / 0.3, &goals);
        println!("| {name} | {one:.1} % | {least:.1} % | {five:.1} % | {quarter:.2} | {half:.2} |");
    }
}

/// The number of cases until a claim, if there is one.
fn cases(rule: Rule, population: &Population, mean: f64, most: usize, random: &mut Random) -> Option<usize> {
    let alpha = if let Rule::Level(alpha) = rule { alpha } else { ALPHA };
    let mut sequence = Sequence::new(SequenceSettings { alpha, ..settings() }).expect("useful settings");
    let mut cut_off = CutOff { effects: Vec::new(), bets: None };
    (1..=most).find(|_| {
        let effect = population.draw(random) + mean;
        sequence.push(effect);
        let agrees = match rule {
            Rule::Level(_) => None,
            Rule::Winsorised(size) => Some(cut_off.push(effect, size)),
        };
        let decision = sequence.decision();
        decision != Decision::Undecided && agrees.is_none_or(|other| other == decision)
    })
}

/// Bets on effects that are cut off where the first of them say.
struct CutOff {
    effects: Vec<f64>,
    bets: Option<(Sequence, f64)>,
}

impl CutOff {
    fn push(&mut self, effect: f64, size: f64) -> Decision {
        if self.bets.is_none() {
            self.effects.push(effect);
            if self.effects.len() < SCALE_CASES {
                return Decision::Undecided;
            }
            let mut sizes: Vec<f64> = self.effects.iter().map(|effect| effect.abs()).collect();
            sizes.sort_by(f64::total_cmp);
            let bound = size * sizes[SCALE_CASES / 2] / NORMAL_MEDIAN;
            let bounded = SequenceSettings { bound: Some(bound), ..settings() };
            let mut bets = Sequence::new(bounded).expect("useful settings");
            self.effects.iter().for_each(|effect| bets.push(effect.clamp(-bound, bound)));
            self.bets = Some((bets, bound));
        } else if let Some((bets, bound)) = &mut self.bets {
            bets.push(effect.clamp(-*bound, *bound));
        }
        self.bets.as_ref().map_or(Decision::Undecided, |(bets, _)| bets.decision())
    }
}
