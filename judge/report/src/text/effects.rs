//! Effects and intervals as text, and histograms.

use crate::text::terminal::{Paint, Style};
use judge_compare::paired::{Claim, EffectMeasure};
use judge_statistics::{Hypothesis, Interval};

/// Below this size, numbers are written with an exponent.
const MIN_DECIMAL: f64 = 1e-6;

/// Writes a number with two significant digits at the size of `scale`.
pub(crate) fn rounded(value: f64, scale: f64) -> String {
    if value != 0.0 && value.abs().max(scale.abs()) < MIN_DECIMAL {
        return format!("{value:.1e}");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 6")]
    let decimals = if scale != 0.0 { (1.0 - scale.abs().log10().floor()).clamp(0.0, 6.0) as usize } else { 1 };
    let text = format!("{value:.decimals$}");
    // Zero has no sign.
    if is_zero(&text) { text.trim_start_matches('-').to_owned() } else { text }
}

fn is_zero(text: &str) -> bool {
    text.trim_start_matches(['-', '0', '.']).is_empty()
}

/// Writes an effect without its sign: `1.3 %`.
pub(crate) fn size(measure: EffectMeasure, effect: f64) -> String {
    let shown = measure.shown(effect).abs();
    format!("{}{}", rounded(shown, shown), unit(measure))
}

/// Writes an effect with its sign: `+1.3 %`, `−0.4 %`.
pub(crate) fn signed(measure: EffectMeasure, effect: f64) -> String {
    let shown = measure.shown(effect);
    format!("{}{}", signed_number(shown, shown), unit(measure))
}

fn signed_number(shown: f64, scale: f64) -> String {
    let text = rounded(shown.abs(), scale);
    let sign = if shown < 0.0 { "−" } else { "+" };
    if is_zero(&text) { text } else { format!("{sign}{text}") }
}

/// Writes an interval: `from +0.9 % to +1.7 %`.
pub(crate) fn between(measure: EffectMeasure, interval: Interval) -> String {
    format!("from {}", signed_ends(measure, interval))
}

fn signed_ends(measure: EffectMeasure, interval: Interval) -> String {
    let (low, high) = (measure.shown(interval.low), measure.shown(interval.high));
    let (unit, scale) = (unit(measure), scale_of(measure, interval).unwrap_or(low));
    let [low, high] = [low, high].map(|end| signed_number(end, unless_nothing(end, scale)));
    format!("{low}{unit} to {high}{unit}")
}

/// Writes a mean, without its sign, with its interval: `1.3 % (0.9 % to 1.7 %)`.
pub(crate) fn amount(measure: EffectMeasure, effect: f64, interval: Interval) -> String {
    let shown = measure.shown(effect).abs();
    let effect = rounded(shown, unless_nothing(shown, scale_of(measure, interval).unwrap_or(shown)));
    format!("{effect}{} ({})", unit(measure), ends(measure, interval))
}

/// Writes the ends of an interval. If 0 lies outside, they have no sign, and the end nearer to 0 comes first: `0.9 % to 1.7 %`.
/// Otherwise they have signs.
pub(crate) fn ends(measure: EffectMeasure, interval: Interval) -> String {
    let unit = unit(measure);
    let [low, high] = [interval.low, interval.high].map(|end| measure.shown(end));
    if low < 0.0 && high > 0.0 {
        return signed_ends(measure, interval);
    }
    let (near, far) = if low.abs() <= high.abs() { (low.abs(), high.abs()) } else { (high.abs(), low.abs()) };
    let scale = scale_of(measure, interval).unwrap_or(far);
    let [near, far] = [near, far].map(|end| rounded(end, unless_nothing(end, scale)));
    format!("{near}{unit} to {far}{unit}")
}

/// Returns the size of the digits in which the ends of an interval differ, if they do.
fn scale_of(measure: EffectMeasure, interval: Interval) -> Option<f64> {
    let radius = (measure.shown(interval.high) - measure.shown(interval.low)).abs() / 2.0;
    (radius > 0.0).then_some(radius)
}

/// Returns a scale at which rounding does not turn a number into 0: the given scale, or the number's own.
fn unless_nothing(value: f64, scale: f64) -> f64 {
    if is_zero(&rounded(value, scale)) && value != 0.0 { value } else { scale }
}

/// Writes a mean with half its interval's width: `1.3 % ± 0.4 %`, without its sign.
pub(crate) fn give_or_take(measure: EffectMeasure, effect: f64, interval: Interval) -> String {
    let (shown, radius, unit) = (measure.shown(effect), scale_of(measure, interval), unit(measure));
    let scale = radius.unwrap_or(shown);
    format!("{}{unit} ± {}{unit}", rounded(shown.abs(), scale), rounded(radius.unwrap_or(0.0), scale))
}

fn unit(measure: EffectMeasure) -> &'static str {
    match measure {
        EffectMeasure::Total | EffectMeasure::Ratio | EffectMeasure::Relative => " %",
        EffectMeasure::Difference => "",
        EffectMeasure::Points => " points",
    }
}

/// Returns the name of a claim in machine-readable reports.
pub(crate) fn claim_name(claim: Claim) -> &'static str {
    match claim {
        Claim::Better => "better",
        Claim::Worse => "worse",
        Claim::Smaller => "smaller",
        Claim::Equal => "equal",
        Claim::Accepted(Hypothesis::H0) => "h0-accepted",
        Claim::Accepted(Hypothesis::H1) => "h1-accepted",
        Claim::Contrary => "contrary",
        Claim::Undecided { .. } => "undecided",
        Claim::TooFew => "too-few-cases",
    }
}

/// Returns the paint of a claim.
pub(crate) fn claim_paint(claim: Claim) -> Paint {
    match claim {
        Claim::Better => Paint::Good,
        Claim::Worse => Paint::Bad,
        _ => Paint::Strong,
    }
}

/// Writes a probability: `p = 0.036`, `p < 0.0001`.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {}", rounded(p, p)) }
}

/// The length of the longest bar.
const WIDTH: usize = 40;

/// The approximate number of bars.
const BARS: f64 = 12.0;

/// The share of the values at either end that the outermost bars include.
const TAIL: f64 = 0.02;

/// Returns a histogram that fits the terminal. 0 lies between two bars, and ties have a separate bar.
pub(crate) fn histogram(values: &[f64], unit: &str, style: Style) -> String {
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
    // The rest of the longest line: its label, its count, and three signs between them.
    let rest = labels + 3 + most.to_string().len();
    let width = style.width.map_or(WIDTH, |width| width.saturating_sub(rest).clamp(1, WIDTH));
    let line = |row: &Row| {
        let bar = "█".repeat((row.count * width).div_ceil(most));
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
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the small distance of two whole numbers"
    )]
    let count = (last - first) as usize;
    (0..=count).map(|offset| row(first + offset as f64)).collect()
}

/// Returns the value that this share of the sorted values lies below.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
    let place = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(place).copied()
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|round| *round >= step).unwrap_or(step)
}

fn edge(index: f64, step: f64) -> String {
    if index == 0.0 { "0".to_owned() } else { signed_number(index * step, step * 10.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_begins_with_its_end_near_zero() {
        let amounts = |low, mean, high| amount(EffectMeasure::Difference, mean, Interval { low, high });
        assert_eq!(amounts(3.0, 18.0, 61.0), "18 (3 to 61)");
        assert_eq!(amounts(-61.0, -18.0, -3.0), "18 (3 to 61)");
        assert_eq!(amounts(5.0, 5.0, 5.0), "5.0 (5.0 to 5.0)");
        let total = amount(EffectMeasure::Total, 0.013, Interval { low: 0.009, high: 0.017 });
        assert_eq!(total, "1.30 % (0.90 % to 1.70 %)");
        let ratio = amount(EffectMeasure::Ratio, 0.5, Interval { low: 0.01, high: 0.6 });
        assert_eq!(ratio, "65 % (1 % to 82 %)");
        // Rounding does not turn an end into 0.
        assert_eq!(
            (amounts(0.3, 9.0, 41.0), amounts(-41.0, -9.0, -0.3)),
            ("9 (0.30 to 41)".into(), "9 (0.30 to 41)".into())
        );
        assert_eq!(amounts(1e-9, 9.0, 41.0), "9 (1.0e-9 to 41)");
        assert_eq!(between(EffectMeasure::Difference, Interval { low: 0.3, high: 41.0 }), "from +0.30 to +41");
        assert_eq!(ends(EffectMeasure::Difference, Interval { low: -3.0, high: 41.0 }), "−3 to +41");
    }

    #[test]
    fn effects_keep_two_digits_and_their_sign() {
        let ratio = EffectMeasure::Ratio;
        assert_eq!(signed(ratio, 0.013_f64.ln_1p()), "+1.3 %");
        assert_eq!(signed(ratio, -0.5), "−39 %");
        assert_eq!(signed(ratio, 0.0), "0.0 %");
        assert_eq!(signed(EffectMeasure::Difference, -1234.5), "−1234");
        assert_eq!(
            (signed(ratio, 2e-12), signed(EffectMeasure::Points, -1e-4)),
            ("+2.0e-10 %".into(), "−0.00010 points".into())
        );
        let interval = Interval { low: 0.009_f64.ln_1p(), high: 0.017_f64.ln_1p() };
        assert_eq!(give_or_take(ratio, 0.013_f64.ln_1p(), interval), "1.30 % ± 0.40 %");
        assert_eq!(between(ratio, interval), "from +0.90 % to +1.70 %");
        assert_eq!(probability(0.0362), "p = 0.036");
        assert_eq!(probability(1e-9), "p < 0.0001");
    }

    #[test]
    fn every_value_is_in_a_bar_and_ties_have_their_own() {
        let plot = histogram(&[-3.0, -0.5, 0.0, 0.0, 0.5, 0.6, 2.0], " %", Style::PLAIN);
        let counts: usize = plot.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
        assert_eq!(counts, 7, "{plot}");
        assert!(plot.lines().any(|line| line.contains("no difference │") && line.ends_with(" 2")), "{plot}");
        assert!(plot.contains("0 to +0.5 %"), "{plot}");
        let narrow = histogram(&[-3.0, -0.5, 0.0, 0.0, 0.5, 0.6, 2.0], " %", Style::PLAIN.with_width(30));
        assert!(narrow.lines().all(|line| line.chars().count() <= 30), "{narrow}");
    }

    #[test]
    fn an_outlier_does_not_flatten_the_rest() {
        let mut values: Vec<f64> = (1..=99).map(|value| f64::from(value) / 10.0).collect();
        values.push(1e6);
        let plot = histogram(&values, "", Style::PLAIN);
        assert!(plot.lines().count() > 8 && plot.lines().count() < 16, "{plot}");
    }

    #[test]
    fn nothing_and_ties_alone_have_plots_too() {
        assert_eq!(histogram(&[], "", Style::PLAIN), "");
        assert!(histogram(&[0.0, 0.0], "", Style::PLAIN).contains("no difference"));
    }
}
