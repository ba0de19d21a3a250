//! The numbers of charts, as `judge ui` serves them and reports contain them.

use schemars::JsonSchema;
use serde::Serialize;

/// The number of ranges of a histogram.
const RANGES: usize = 24;

/// If the largest number is at least this many times the smallest, ranges are equal on a logarithmic axis: three
/// decades.
const DECADES: f64 = 1000.0;

/// Two numbers of each case of a run, for charts: `GET /api/runs/{run}/points`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Points<'a> {
    /// The run's number.
    pub run: i64,
    /// The formula of the first number.
    pub x: &'a str,
    /// The formula of the second number.
    pub y: &'a str,
    /// How many rows have both numbers.
    pub total: usize,
    /// The points of each solver: all, or an evenly chosen part.
    pub solvers: Vec<SolverPoints<'a>>,
}

/// The points of a solver.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SolverPoints<'a> {
    /// Its name.
    pub solver: &'a str,
    /// The names of the cases.
    pub cases: Vec<String>,
    /// The first number of each.
    pub x: Vec<f64>,
    /// The second number of each.
    pub y: Vec<f64>,
}

/// How often numbers of a run's cases are in each of some ranges: `GET /api/runs/{run}/counts`. All cases count.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValueCounts<'a> {
    /// The run's number.
    pub run: i64,
    /// The ranges.
    #[serde(flatten)]
    pub ranges: Ranges<'a>,
}

/// How often the values of a number are in each of some ranges.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ranges<'a> {
    /// The formula of the number.
    x: &'a str,
    /// How many rows have the number.
    total: usize,
    /// Whether the ranges are equal on a logarithmic axis: the numbers span three decades.
    logarithmic: bool,
    /// The ends of the ranges: one more than there are ranges. A number on an end counts above it, the largest below it.
    edges: Vec<f64>,
    /// The counts of each solver.
    solvers: Vec<SolverCounts<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SolverCounts<'a> {
    /// Its name.
    solver: &'a str,
    /// How many of its numbers are in each range.
    counts: Vec<usize>,
}

impl<'a> Ranges<'a> {
    /// Counts the numbers of each solver.
    pub fn of(x: &'a str, names: &[&'a str], values: &[Vec<f64>]) -> Self {
        let all = || values.iter().flatten().copied();
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = all().fold(ends, |(low, high), value| (low.min(value), high.max(value)));
        let total = all().count();
        let logarithmic = low > 0.0 && high >= DECADES * low;
        let edges = if total == 0 { Vec::new() } else { edges(low, high, logarithmic) };
        let of_solver =
            |(solver, values): (&&'a str, &Vec<f64>)| SolverCounts { solver, counts: counts(&edges, values) };
        let solvers = names.iter().zip(values).map(of_solver).collect();
        Self { x, total, logarithmic, edges, solvers }
    }
}

/// Returns the ends of equal ranges.
fn edges(low: f64, high: f64, logarithmic: bool) -> Vec<f64> {
    if low >= high {
        return vec![low, low + 1.0];
    }
    let between = |share: f64| match logarithmic {
        true => low * (high / low).powf(share),
        false => low + (high - low) * share,
    };
    let inner = (1..RANGES).map(|range| between(range as f64 / RANGES as f64));
    std::iter::once(low).chain(inner).chain([high]).collect()
}

fn counts(edges: &[f64], values: &[f64]) -> Vec<usize> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    for value in values {
        let above = edges.partition_point(|edge| edge <= value);
        let range = above.saturating_sub(1).min(counts.len().saturating_sub(1));
        if let Some(count) = counts.get_mut(range) {
            *count += 1;
        }
    }
    counts
}

/// How a number is spread in groups of the cases of a run: `GET /api/runs/{run}/boxes`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Boxes<'a> {
    /// The run's number.
    pub run: i64,
    /// The formula of the number.
    pub y: &'a str,
    /// The formula by which the cases are grouped.
    pub by: &'a str,
    /// The names of the solvers.
    pub solvers: Vec<&'a str>,
    /// The groups, in the order of their values.
    pub groups: Vec<BoxGroup>,
}

/// The cases with one value, or with values of a range.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoxGroup {
    /// The value or the range, as it is read.
    label: String,
    /// The spread of each solver's numbers; null if it has none.
    boxes: Vec<Option<Spread>>,
}

/// How numbers are spread.
#[derive(Debug, Serialize, JsonSchema, PartialEq)]
struct Spread {
    /// How many there are.
    count: usize,
    /// The least.
    low: f64,
    /// A quarter is below it.
    q1: f64,
    /// Half of the numbers are below it.
    median: f64,
    /// Three quarters are below it.
    q3: f64,
    /// The largest.
    high: f64,
}

/// Up to this many values have a group each.
const MAX_VALUES: usize = 12;

/// The number of groups of more values, with about as many cases each.
const GROUPS: usize = 8;

/// Returns groups by the first number of each pair, for each solver, with the spread of the second number.
pub fn box_groups(solvers: &[Vec<(f64, f64)>]) -> Vec<BoxGroup> {
    let mut values: Vec<f64> = solvers.iter().flatten().map(|(by, _)| *by).collect();
    values.sort_by(f64::total_cmp);
    let all = values.clone();
    values.dedup();
    let starts = if values.len() <= MAX_VALUES { values.clone() } else { starts(&all) };
    let group = |(place, start): (usize, &f64)| {
        let end = starts.get(place + 1).copied().unwrap_or(f64::INFINITY);
        let is_in = |by: f64| by >= *start && by < end;
        let last = values.iter().copied().rfind(|value| is_in(*value)).unwrap_or(*start);
        let label = if last > *start { format!("{}–{}", short(*start), short(last)) } else { short(*start) };
        let spread = |pairs: &Vec<(f64, f64)>| {
            Spread::of(pairs.iter().filter(|(by, _)| is_in(*by)).map(|(_, value)| *value).collect())
        };
        BoxGroup { label, boxes: solvers.iter().map(spread).collect() }
    };
    starts.iter().enumerate().map(group).collect()
}

/// Returns the first values of groups of about as many cases each.
fn starts(sorted: &[f64]) -> Vec<f64> {
    let mut starts: Vec<f64> = (0..GROUPS).map(|group| sorted[group * sorted.len() / GROUPS]).collect();
    starts.dedup();
    starts
}

/// Returns a number whole, or in about four digits.
fn short(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < 1e15 {
        return format!("{number:.0}");
    }
    if !(0.01..1e15).contains(&size) {
        return format!("{number:.2e}");
    }
    let decimals = [1000.0, 100.0, 10.0].iter().filter(|limit| size < **limit).count();
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (low, high) = (*values.first()?, *values.last()?);
        // Between two neighbours, in proportion: type 7 of Hyndman and Fan.
        let at = |quarters: usize| {
            let place = quarters * (values.len() - 1);
            let (below, rest) = (place / 4, (place % 4) as f64 / 4.0);
            let next = values[(below + 1).min(values.len() - 1)];
            values[below] + rest * (next - values[below])
        };
        Some(Self { count: values.len(), low, q1: at(1), median: at(2), q3: at(3), high })
    }
}

/// The cases of several runs, each relative to the best of them: `GET /api/grid`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaseGrid<'a> {
    /// The problem's id.
    pub problem: &'a str,
    /// Which scores are good.
    pub direction: &'static str,
    /// The key by which the cases are sorted.
    pub sort: &'a str,
    /// How many cases there are.
    pub total: usize,
    /// The solvers of past runs.
    pub columns: Vec<GridColumn>,
    /// The names of the cases: all, or evenly chosen ones.
    pub cases: Vec<String>,
    /// The number by which each is sorted; null if it has none.
    pub keys: Vec<Option<f64>>,
    /// The features of the cases.
    pub features: &'a [String],
}

/// A solver of a past run in a grid.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct GridColumn {
    /// As the address names it: `run:12/NAME`.
    pub key: String,
    /// The run's number.
    pub run: i64,
    /// The solver's name.
    pub solver: String,
    /// For each case the share of the best score of these runs, from 0 to 1; null if it has no score.
    pub relative: Vec<Option<f64>>,
    /// For each case the verdict's short code; empty if the run has no result of it.
    pub codes: Vec<&'static str>,
    /// How many cases it has a result of, of all.
    pub known: usize,
    /// On how many cases its score is the best of all, alone or tied.
    pub bests: usize,
    /// The mean share over the cases that it has a result of; failures count 0.
    pub mean: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_counted_once() {
        let numbers: Vec<f64> = (0..=240).map(f64::from).collect();
        let counted = Ranges::of("x", &["a", "b"], &[numbers, vec![240.0]]);
        assert_eq!((counted.total, counted.edges.len(), counted.logarithmic), (242, RANGES + 1, false));
        assert_eq!(counted.solvers[0].counts[..2], [10, 10]);
        assert_eq!(counted.solvers[0].counts.iter().sum::<usize>(), 241);
        assert_eq!(counted.solvers[1].counts.last(), Some(&1));
    }

    #[test]
    fn three_decades_are_counted_by_logarithm() {
        let ranges = |values: Vec<f64>| Ranges::of("x", &["a"], &[values]);
        let counted = ranges(vec![1.0, 10.0, 1000.0]);
        assert!(counted.logarithmic && counted.edges[12] > 31.0 && counted.edges[12] < 32.0);
        assert!(!ranges(vec![0.0, 10.0, 1000.0]).logarithmic);
        let one = ranges(vec![5.0; 3]);
        assert_eq!((one.edges, &*one.solvers[0].counts), (vec![5.0, 6.0], &[3][..]));
        assert!(ranges(Vec::new()).edges.is_empty());
    }

    #[test]
    fn boxes_have_the_quartiles() {
        let spread = Spread::of(vec![4.0, 1.0, 2.0, 3.0]);
        let expected = Spread { count: 4, low: 1.0, q1: 1.75, median: 2.5, q3: 3.25, high: 4.0 };
        assert_eq!((spread, Spread::of(Vec::new())), (Some(expected), None));
        let few = box_groups(&[vec![(4.0, 1.0), (5.0, 2.0), (4.0, 3.0)], vec![(5.0, 9.0)]]);
        let labels: Vec<_> = few.iter().map(|group| &*group.label).collect();
        assert_eq!((labels, few[0].boxes[1].is_none()), (vec!["4", "5"], true));
        assert_eq!([5.0, 0.25, 1234.5, 12.345, 0.0012].map(short), ["5", "0.25", "1234", "12.35", "1.20e-3"]);
        let many = box_groups(&[(0..100).map(|place| (f64::from(place) / 2.0, 1.0)).collect()]);
        let counts: Vec<_> = many.iter().map(|group| group.boxes[0].as_ref().unwrap().count).collect();
        assert_eq!((counts.iter().sum::<usize>(), counts.len(), &*many[0].label), (100, GROUPS, "0–5.5"));
    }
}
