//! The totals of past runs as text.

use crate::text::figures::scores_text;
use checkers::Score;
use judge_problem::scoring::decimals_of_digits;
use judge_problem::{HistoryRow, Rule};
use num_rational::BigRational;

/// The digits that are shown of a total below 1.
const DIGITS: u32 = 3;

/// A total, or the difference of two: of sums of scores exactly, of other points rounded.
pub(super) fn figure(row: &HistoryRow, value: &BigRational) -> String {
    let exactly = Score::from_rational(value).filter(|_| row.rule == Rule::Sum.name());
    exactly.map_or_else(|| scores_text(value, decimals_of_digits(value, DIGITS)), |sum| sum.to_string())
}
