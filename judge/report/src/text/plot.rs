//! A histogram of differences as text.

use super::effects::rounded;

/// The length of the longest bar.
const WIDTH: usize = 40;

/// The approximate number of bars.
const BARS: f64 = 12.0;

/// The share of the values at either end that the outermost bars include.
const TAIL: f64 = 0.02;

/// Returns a histogram. 0 lies between two bars, and ties have a bar of their own.
pub(crate) fn histogram(values: &[f64], unit: &str) -> String {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| *value != 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let ties = values.len() - sorted.len();
    let mut rows = bars(&sorted, unit);
    if ties > 0 {
        let place = rows.iter().position(|row| row.low >= 0.0).unwrap_or(rows.len());
        rows.insert(place, Row { low: 0.0, label: "no difference".to_owned(), count: ties });
    }
    let most = rows.iter().map(|row| row.count).max().unwrap_or(0).max(1);
    let labels = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
    let line = |row: &Row| {
        let bar = "█".repeat((row.count * WIDTH).div_ceil(most));
        let padding = " ".repeat(labels - row.label.chars().count());
        format!("{padding}{} │{bar} {}", row.label, row.count)
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

struct Row {
    low: f64,
    label: String,
    count: usize,
}

fn bars(sorted: &[f64], unit: &str) -> Vec<Row> {
    let (Some(least), Some(most)) = (at(sorted, TAIL), at(sorted, 1.0 - TAIL)) else { return Vec::new() };
    let step = round_step((most.max(0.0) - least.min(0.0)) / BARS);
    let (first, last) = ((least / step).floor(), (most / step).floor());
    let bar = |value: f64| (value / step).floor().clamp(first, last);
    let row = |index: f64| {
        let label = format!("{} to {}{unit}", edge(index, step), edge(index + 1.0, step));
        Row { low: index * step, label, count: sorted.iter().filter(|value| bar(**value) == index).count() }
    };
    (0..=(last - first) as usize).map(|offset| row(first + offset as f64)).collect()
}

/// Returns the value that this share of the sorted values lies below.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    sorted.get((share * sorted.len().saturating_sub(1) as f64).round() as usize).copied()
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|round| *round >= step).unwrap_or(step)
}

fn edge(index: f64, step: f64) -> String {
    let text = rounded((index * step).abs(), step * 10.0);
    match index {
        index if index < 0.0 => format!("−{text}"),
        index if index > 0.0 => format!("+{text}"),
        _ => "0".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::histogram;

    #[test]
    fn every_value_is_in_a_bar_and_ties_have_their_own() {
        let plot = histogram(&[-3.0, -0.5, 0.0, 0.0, 0.5, 0.6, 2.0], " %");
        let counts: usize = plot.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
        assert_eq!(counts, 7, "{plot}");
        assert!(plot.lines().any(|line| line.contains("no difference │") && line.ends_with(" 2")), "{plot}");
        assert!(plot.contains("0 to +0.5 %"), "{plot}");
    }

    #[test]
    fn an_outlier_does_not_flatten_the_rest() {
        let mut values: Vec<f64> = (1..=99).map(|value| f64::from(value) / 10.0).collect();
        values.push(1e6);
        let plot = histogram(&values, "");
        assert!(plot.lines().count() > 8 && plot.lines().count() < 16, "{plot}");
    }

    #[test]
    fn nothing_and_ties_alone_have_plots_too() {
        assert_eq!(histogram(&[], ""), "");
        assert!(histogram(&[0.0, 0.0], "").contains("no difference"));
    }
}
