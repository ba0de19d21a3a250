//! The next setting to try: the one from which the largest improvement is expected.

use super::model::Model;
use super::space::Space;
use crate::{Random, normal_level};

/// The number of points anywhere, around each of the best settings, and in each step of the climb.
const ANYWHERE: usize = 120;
const AROUND: usize = 24;
const BEST: usize = 5;
const CLIMB: usize = 60;

/// The spreads of the steps around a setting.
const SPREADS: [f64; 4] = [0.3, 0.1, 0.03, 0.01];

/// Returns the point with the largest expected improvement over the best setting, as far as a random search and a climb
/// from its result find it. With a `corner` only among the points with its categories, over the best setting there.
pub(super) fn propose(
    model: &Model,
    space: &Space,
    points: &[Vec<f64>],
    corner: Option<&[f64]>,
    random: &mut Random,
) -> Vec<f64> {
    let mut beliefs = model.beliefs();
    beliefs.sort_by(|left, right| right.1.mean.total_cmp(&left.1.mean));
    let lowest = beliefs.last().map_or(0.0, |(_, belief)| belief.mean);
    beliefs.retain(|(place, _)| corner.is_none_or(|corner| space.has_categories(&points[*place], corner)));
    let target = beliefs.first().map_or(lowest, |(_, belief)| belief.mean);
    let placed = |mut point: Vec<f64>| {
        if let Some(corner) = corner {
            space.set_categories(&mut point, corner);
        }
        space.point(&space.setting(&point))
    };
    let mut best = (f64::NEG_INFINITY, placed(space.anywhere(random)));
    let consider = |point: Vec<f64>, best: &mut (f64, Vec<f64>)| {
        let point = placed(point);
        let worth = log_improvement(model, &point, target);
        if worth > best.0 {
            *best = (worth, point);
        }
    };
    (0..ANYWHERE).for_each(|_| consider(space.anywhere(random), &mut best));
    for (candidate, _) in beliefs.iter().take(BEST) {
        for step in 0..AROUND {
            consider(space.near(&points[*candidate], SPREADS[step % SPREADS.len()], random), &mut best);
        }
    }
    for step in 0..CLIMB {
        let spread = 0.1 * 0.05_f64.powf(step as f64 / CLIMB as f64);
        let near = space.near(&best.1, spread, random);
        consider(near, &mut best);
    }
    best.1
}

/// Returns the logarithm of the expected improvement over the target.
fn log_improvement(model: &Model, point: &[f64], target: f64) -> f64 {
    let belief = model.processes.at(point);
    let deviation = belief.deviation.max(1e-9);
    let z = (belief.mean - target) / deviation;
    let log_density = -0.5 * z * z - 0.5 * (2.0 * std::f64::consts::PI).ln();
    if z < -6.0 {
        // The first term of the expansion for large negative z, where the difference below has no digits left.
        return deviation.ln() + log_density - 2.0 * (-z).ln();
    }
    deviation.ln() + (log_density.exp() + z * normal_level(z)).max(f64::MIN_POSITIVE).ln()
}
