//! How many points a chart has.

/// The most points of a chart: more of them are one stain.
const MOST: usize = 5000;

/// Returns of how many points one is drawn, evenly chosen, where there are this many.
#[must_use]
pub fn every_how_many(points: usize) -> usize {
    points.div_ceil(MOST).max(1)
}
