//! How the totals of a solver went, from run to run.

use super::figure::figure;
use crate::text::column::{Field, left, right};
use crate::text::style::Style;
use crate::text::table::grid;
use judge_problem::HistoryRow;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::collections::HashMap;

/// Fewer totals than this are read from the table.
const FEWEST: usize = 3;

/// The most totals that are drawn: the newest.
const MOST: usize = 40;

/// From the least to the greatest.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns a table with a sparkline for each solver that has several totals on the same cases by the same rule; `None` if
/// there is no such solver. The rows are the newest first.
pub(super) fn trends(rows: &[HistoryRow], style: Style) -> Option<String> {
    let columns = vec![
        left("solver"),
        left("problem"),
        right("runs"),
        right("first"),
        right("last"),
        left("totals, oldest to newest"),
    ];
    let mut table = grid(columns, style);
    let mut is_empty = true;
    for alike in comparable(rows) {
        let mut totals: Vec<_> = alike.iter().filter_map(|row| row.total.as_ref()).take(MOST).collect();
        if totals.len() < FEWEST {
            continue;
        }
        totals.reverse();
        is_empty = false;
        let newest = alike[0];
        let group = newest.group.as_deref().map_or_else(String::new, |group| format!(" ({group})"));
        table.add_row(vec![
            Field::new(format!("{}{group}", newest.solver)),
            Field::new(&newest.problem),
            Field::new(totals.len()),
            Field::new(figure(newest, totals[0])),
            Field::new(figure(newest, totals[totals.len() - 1])),
            Field::new(sparkline(&totals)),
        ]);
    }
    (!is_empty).then(|| table.text())
}

/// Returns the rows whose totals can be compared together: of one solver, on the same cases by the same rule.
fn comparable(rows: &[HistoryRow]) -> Vec<Vec<&HistoryRow>> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<&HistoryRow>> = Vec::new();
    for row in rows.iter().filter(|row| row.total.is_some()) {
        let key = (&row.problem, &row.solver, &row.rule, &row.group, row.case_set);
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(row);
    }
    groups
}

/// Returns a character for each value, the higher the greater it is.
fn sparkline(values: &[&BigRational]) -> String {
    let (Some(least), Some(greatest)) = (values.iter().min(), values.iter().max()) else { return String::new() };
    let range = *greatest - *least;
    let level = |value: &BigRational| {
        if range.is_zero() {
            return LEVELS[LEVELS.len() / 2];
        }
        let share = ((value - *least) / &range).to_f64().unwrap_or(0.0);
        LEVELS[((share * LEVELS.len() as f64) as usize).min(LEVELS.len() - 1)]
    };
    values.iter().map(|value| level(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_low_and_the_greatest_high() {
        let values = [0, 7, 1, 4, 3].map(|value: i64| BigRational::from_integer(value.into()));
        assert_eq!(sparkline(&values.iter().collect::<Vec<_>>()), "▁█▂▅▄");
        let equal = vec![&values[1]; 3];
        assert_eq!(sparkline(&equal), "▅▅▅");
        let huge: Vec<_> =
            (0..3).map(|n| BigRational::from_integer(num_bigint::BigInt::from(10).pow(400) * n)).collect();
        assert_eq!(sparkline(&huge.iter().collect::<Vec<_>>()), "▁▅█");
    }
}
