//! Chooses the next cases of a search: near the best cases so far, or where similar cases were best.

use judge_statistics::{Random, reflected};

/// The number of best points that can be parents of new ones.
const PARENTS: usize = 24;

/// A point's estimated value is the mean of itself and this many nearest neighbours.
const NEAR: usize = 4;

/// The value of an untried candidate is estimated from this many neighbours.
const NEIGHBOURS: usize = 24;

/// The spread of the neighbours is multiplied by this and added to their mean, because the search aims for the highest
/// values.
const OPTIMISM: f64 = 3.0;

/// With fewer values than this, nothing is estimated.
const MIN_KNOWN: usize = 16;

/// Searches points from 0 to 1 in each dimension for high values. The values may be noisy. The same seed and values
/// give the same points.
pub struct Explorer {
    /// Which dimensions are categories.
    categories: Vec<bool>,
    random: Random,
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
}

impl Explorer {
    /// Starts a search.
    pub fn new(categories: Vec<bool>, seed: u64) -> Self {
        Self { categories, random: Random::new(seed), points: Vec::new(), values: Vec::new() }
    }

    /// Adds a point that was tried. Larger values are better.
    pub fn tell(&mut self, point: Vec<f64>, value: f64) {
        self.points.push(point);
        self.values.push(value);
    }

    /// Returns a new point near a good one. `None` while there are too few values.
    pub fn near_good(&mut self) -> Option<Vec<f64>> {
        if self.points.len() < MIN_KNOWN || self.categories.is_empty() {
            return None;
        }
        let mut parents: Vec<usize> = (0..self.points.len()).collect();
        parents.sort_by(|&left, &right| self.values[right].total_cmp(&self.values[left]).then(left.cmp(&right)));
        let rank_of = rank_shares(&parents);
        parents.truncate(PARENTS);
        let mut believed: Vec<(f64, usize)> =
            parents.into_iter().map(|parent| (self.mean_rank_near(parent, &rank_of), parent)).collect();
        believed.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        // Neighbours separate luck from value. But a new summit has no neighbours, so every other parent is chosen by
        // its own value.
        if self.random.unit() < 0.5 {
            believed.sort_by(|left, right| rank_of[right.1].total_cmp(&rank_of[left.1]));
        }
        // Each one is half as likely as the one before it.
        let place = believed.iter().position(|_| self.random.unit() < 0.5).unwrap_or(0);
        let parent = self.points[believed[place].1].clone();
        Some(self.changed(parent))
    }

    fn mean_rank_near(&self, point: usize, rank_of: &[f64]) -> f64 {
        let near = nearest(&self.points, &self.points[point], NEAR);
        near.iter().map(|&(_, place)| rank_of[place]).sum::<f64>() / near.len() as f64
    }

    /// Changes one or more dimensions by steps of any size: large steps find hills, small ones their tops.
    fn changed(&mut self, mut point: Vec<f64>) -> Vec<f64> {
        let certain = self.random.below(point.len());
        for (place, (share, &is_category)) in point.iter_mut().zip(&self.categories).enumerate() {
            if place != certain && self.random.unit() < 0.5 {
                continue;
            }
            *share = if is_category {
                self.random.unit()
            } else {
                let step = self.random.normal() * 10.0_f64.powf(-3.5 * self.random.unit());
                reflected(*share + step)
            };
        }
        point
    }

    /// Returns the candidates that are most likely to have high values, at most `count`, the most likely first. Empty
    /// while there are too few values.
    pub fn likeliest<'a>(&self, candidates: impl Iterator<Item = (usize, &'a [f64])>, count: usize) -> Vec<usize> {
        if self.points.len() < MIN_KNOWN {
            return Vec::new();
        }
        let mut expected: Vec<(f64, usize)> =
            candidates.map(|(candidate, point)| (self.expected(point), candidate)).collect();
        expected.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        expected.into_iter().take(count).map(|(_, candidate)| candidate).collect()
    }

    /// Returns an optimistic estimate of the value at a point: the mean of its neighbours plus a multiple of their spread.
    fn expected(&self, point: &[f64]) -> f64 {
        let near = nearest(&self.points, point, NEIGHBOURS);
        let count = near.len() as f64;
        let mean = near.iter().map(|&(_, place)| self.values[place]).sum::<f64>() / count;
        let squares: f64 = near.iter().map(|&(_, place)| (self.values[place] - mean).powi(2)).sum();
        mean + OPTIMISM * (squares / count).sqrt()
    }
}

/// Returns, for each point, the share of all points that are not better. `best_first` lists the points.
fn rank_shares(best_first: &[usize]) -> Vec<f64> {
    let mut shares = vec![0.0; best_first.len()];
    for (rank, &point) in best_first.iter().enumerate() {
        shares[point] = 1.0 - rank as f64 / best_first.len() as f64;
    }
    shares
}

/// Returns the nearest points, with the squares of their distances.
fn nearest(points: &[Vec<f64>], point: &[f64], count: usize) -> Vec<(f64, usize)> {
    let mut near: Vec<(f64, usize)> = Vec::with_capacity(count + 1);
    for (place, other) in points.iter().enumerate() {
        let distance = other.iter().zip(point).map(|(other, own)| (other - own).powi(2)).sum();
        if near.len() == count && near[count - 1].0 <= distance {
            continue;
        }
        let at = near.partition_point(|(known, _)| *known <= distance);
        near.insert(at, (distance, place));
        near.truncate(count);
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search that needs more tries is given up.
    const MAX_TRIES: usize = 1500;

    /// Returns the number of tries until a failure is found. The region of the failure contains one case in ten
    /// thousand, and the loss grows towards it.
    fn tries(dimensions: usize, seed: u64, noise: f64) -> usize {
        let mut explorer = Explorer::new(vec![false; dimensions], seed);
        let mut random = Random::new(seed + 1000);
        let side = 1e-4_f64.powf(1.0 / dimensions as f64);
        let corner: Vec<f64> = (0..dimensions).map(|_| random.unit() * (1.0 - side)).collect();
        for number in 1..MAX_TRIES {
            let near = if number % 2 == 0 { explorer.near_good() } else { None };
            let point = near.unwrap_or_else(|| (0..dimensions).map(|_| random.unit()).collect());
            let misses = point.iter().zip(&corner).map(|(x, low)| (low - x).max(x - low - side).max(0.0));
            let miss = misses.fold(0.0, f64::max);
            if miss == 0.0 {
                return number;
            }
            explorer.tell(point, -miss + noise * random.normal());
        }
        MAX_TRIES
    }

    fn median(mut tries: Vec<usize>) -> usize {
        tries.sort_unstable();
        tries[tries.len() / 2]
    }

    #[test]
    #[ignore = "CI: whole searches"]
    fn rare_regions_are_found_uphill() {
        // Random points take 6931 tries.
        for (dimensions, noise) in [(1, 0.0), (2, 0.0), (3, 0.0), (2, 0.01)] {
            let found = median((0..9).map(|seed| tries(dimensions, seed, noise)).collect());
            assert!(found <= 693, "{dimensions} dimensions, noise {noise}: {found}");
        }
    }

    #[test]
    fn candidates_like_the_best_come_first() {
        let mut explorer = Explorer::new(vec![false; 2], 1);
        assert!(explorer.likeliest([(0, &[0.5, 0.5][..])].into_iter(), 1).is_empty());
        let mut random = Random::new(2);
        for _ in 0..100 {
            let point = vec![random.unit(), random.unit()];
            let value = point[0];
            explorer.tell(point, value);
        }
        let points: Vec<[f64; 2]> = (0..50).map(|_| [random.unit(), random.unit()]).collect();
        let chosen = explorer.likeliest(points.iter().enumerate().map(|(place, point)| (place, &point[..])), 5);
        assert_eq!(chosen.len(), 5);
        assert!(chosen.iter().all(|&place| points[place][0] > 0.7), "{chosen:?}");
    }

    #[test]
    fn points_stay_inside() {
        assert!([-0.2, 0.3, 1.4, 7.9, -3.1].into_iter().map(reflected).all(|number| (0.0..=1.0).contains(&number)));
        let mut explorer = Explorer::new(vec![true, false], 3);
        for number in 0..30 {
            explorer.tell(vec![f64::from(number) / 30.0, 1.0], f64::from(number));
        }
        for _ in 0..100 {
            let point = explorer.near_good().unwrap();
            assert!(point.iter().all(|share| (0.0..=1.0).contains(share)), "{point:?}");
        }
    }
}
