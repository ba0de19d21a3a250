//! How many equal effects a growing sample weighs as much as.

/// The sizes of distances, updated one by one: sums for their entropy.
///
/// With w = |y| / sum |y|, they weigh as much as exp(-sum w ln w) equal ones (Hill's number of order 1). All sums are in
/// units of the largest size, so that none is infinite.
#[derive(Debug, Clone, Default)]
pub(super) struct Chances {
    largest: f64,
    /// The sum of u = |y| / largest.
    total: f64,
    /// The sum of u ln u.
    logarithms: f64,
}

impl Chances {
    /// Adds a distance.
    pub(super) fn push(&mut self, distance: f64) {
        let size = distance.abs();
        if size > self.largest {
            let share = self.largest / size;
            self.logarithms = if share > 0.0 { share * (self.logarithms + share.ln() * self.total) } else { 0.0 };
            self.total *= share;
            self.largest = size;
        }
        let unit = size / self.largest;
        if unit > 0.0 {
            self.total += unit;
            self.logarithms += unit * unit.ln();
        }
    }

    /// Returns the number of equal distances that these weigh as much as; 0 if all are 0.
    pub(super) fn number(&self) -> f64 {
        if self.total > 0.0 { self.total * (-self.logarithms / self.total).exp() } else { 0.0 }
    }

    /// Returns how many of these distances are against this sign, each counted by its share of the usual size, at most 1.
    pub(super) fn opposite(&self, distances: &[f64], sign: f64) -> f64 {
        let usual = self.total / self.number() * self.largest;
        distances.iter().map(|distance| (-sign * distance / usual).clamp(0.0, 1.0)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chances(distances: &[f64]) -> Chances {
        let mut chances = Chances::default();
        distances.iter().for_each(|&distance| chances.push(distance));
        chances
    }

    #[test]
    fn the_number_is_hills_whatever_the_order() {
        // Shares 1/2, 1/4, 1/4: exp(0.5 ln 2 + 0.5 ln 4) = 2^1.5.
        for order in [[2.0, -1.0, 1.0, 0.0], [0.0, 1.0, 2.0, -1.0], [-1.0, 1.0, 0.0, 2.0]] {
            assert!((chances(&order).number() - 2.0_f64.powf(1.5)).abs() < 1e-12, "{order:?}");
        }
        assert_eq!(chances(&[0.0, 0.0]).number(), 0.0);
        assert!((chances(&[1e-300, 1e300]).number() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn opposite_distances_count_by_their_share_of_the_usual_size() {
        // The usual size is 4 / 2^1.5 = 1.414.
        assert!((chances(&[2.0, -1.0, 1.0]).opposite(&[2.0, -1.0, 1.0], 1.0) - 2.0_f64.sqrt() / 2.0).abs() < 1e-12);
        assert!(
            (chances(&[2.0, -1.0, 1.0]).opposite(&[2.0, -1.0, 1.0], -1.0) - 1.0 - 2.0_f64.sqrt() / 2.0).abs() < 1e-12
        );
    }
}
