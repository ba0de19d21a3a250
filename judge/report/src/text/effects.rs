//! Effects as text.

use judge_compare::paired::{Claim, EffectMeasure};
use judge_statistics::{Hypothesis, Interval};

/// Writes a number with two significant digits at the size of `scale`.
pub(crate) fn rounded(value: f64, scale: f64) -> String {
    let decimals = if scale != 0.0 { (1.0 - scale.abs().log10().floor()).clamp(0.0, 6.0) as usize } else { 1 };
    let text = format!("{value:.decimals$}");
    // Zero has no sign.
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.trim_start_matches('-').to_owned() } else { text }
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
    let is_nothing = text.trim_start_matches(['0', '.']).is_empty();
    let sign = if is_nothing {
        ""
    } else if shown < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{text}")
}

/// Writes an interval: `from +0.9 % to +1.7 %`.
pub(crate) fn between(measure: EffectMeasure, interval: Interval) -> String {
    let (low, high) = (measure.shown(interval.low), measure.shown(interval.high));
    let radius = (high - low) / 2.0;
    let scale = if radius > 0.0 { radius } else { low };
    let unit = unit(measure);
    let end = |end: f64| signed_number(end, unless_nothing(end, scale));
    format!("from {}{unit} to {}{unit}", end(low), end(high))
}

/// Writes a mean, without its sign, with its interval: `1.3 % (0.9 % to 1.7 %)`.
pub(crate) fn amount(measure: EffectMeasure, effect: f64, interval: Interval) -> String {
    let shown = measure.shown(effect).abs();
    let effect = rounded(shown, unless_nothing(shown, scale_of(measure, interval).unwrap_or(shown)));
    format!("{effect}{} ({})", unit(measure), ends(measure, interval))
}

/// Writes the ends of an interval that is all on one side of 0, without their sign, the nearer one first: `0.9 % to
/// 1.7 %`. Those of another one have signs, as 0 lies between them.
pub(crate) fn ends(measure: EffectMeasure, interval: Interval) -> String {
    let unit = unit(measure);
    let [low, high] = [interval.low, interval.high].map(|end| measure.shown(end));
    if low < 0.0 && high > 0.0 {
        let scale = (high - low) / 2.0;
        let [low, high] = [low, high].map(|end| signed_number(end, unless_nothing(end, scale)));
        return format!("{low}{unit} to {high}{unit}");
    }
    let (near, far) = if low.abs() <= high.abs() { (low.abs(), high.abs()) } else { (high.abs(), low.abs()) };
    let scale = scale_of(measure, interval).unwrap_or(far);
    let [near_text, far] = [near, far].map(|end| rounded(end, unless_nothing(end, scale)));
    if near > 0.0 && near_text.trim_start_matches(['0', '.']).is_empty() {
        return format!("above 0 to {far}{unit}");
    }
    format!("{near_text}{unit} to {far}{unit}")
}

/// Returns the size of the digits in which the ends of an interval differ, if they do.
fn scale_of(measure: EffectMeasure, interval: Interval) -> Option<f64> {
    let radius = (measure.shown(interval.high) - measure.shown(interval.low)).abs() / 2.0;
    (radius > 0.0).then_some(radius)
}

/// Returns the scale for a number that is not to become 0 by rounding: the given one, or that of the number itself.
fn unless_nothing(value: f64, scale: f64) -> f64 {
    let is_nothing = rounded(value.abs(), scale).trim_start_matches(['0', '.']).is_empty();
    if is_nothing && value != 0.0 { value } else { scale }
}

/// Writes a mean with half its interval's width: `1.3 % ± 0.4 %`, without its sign.
pub(crate) fn give_or_take(measure: EffectMeasure, effect: f64, interval: Interval) -> String {
    let radius = (measure.shown(interval.high) - measure.shown(interval.low)) / 2.0;
    let unit = unit(measure);
    let scale = if radius > 0.0 { radius } else { measure.shown(effect) };
    format!("{}{unit} ± {}{unit}", rounded(measure.shown(effect).abs(), scale), rounded(radius, scale))
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

/// Writes a probability: `p = 0.036`, `p < 0.0001`.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {}", rounded(p, p)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_stands_with_its_interval_from_the_near_end_to_the_far_one() {
        let amounts = |low, mean, high| amount(EffectMeasure::Difference, mean, Interval { low, high });
        assert_eq!(amounts(3.0, 18.0, 61.0), "18 (3 to 61)");
        assert_eq!(amounts(-61.0, -18.0, -3.0), "18 (3 to 61)");
        assert_eq!(amounts(5.0, 5.0, 5.0), "5.0 (5.0 to 5.0)");
        let total = amount(EffectMeasure::Total, 0.013, Interval { low: 0.009, high: 0.017 });
        assert_eq!(total, "1.30 % (0.90 % to 1.70 %)");
        let ratio = amount(EffectMeasure::Ratio, 0.5, Interval { low: 0.01, high: 0.6 });
        assert_eq!(ratio, "65 % (1 % to 82 %)");
        // An end that is not 0 is not shown as 0.
        assert_eq!(
            (amounts(0.3, 9.0, 41.0), amounts(-41.0, -9.0, -0.3)),
            ("9 (0.30 to 41)".into(), "9 (0.30 to 41)".into())
        );
        assert_eq!(amounts(1e-9, 9.0, 41.0), "9 (above 0 to 41)");
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
        let interval = Interval { low: 0.009_f64.ln_1p(), high: 0.017_f64.ln_1p() };
        assert_eq!(give_or_take(ratio, 0.013_f64.ln_1p(), interval), "1.30 % ± 0.40 %");
        assert_eq!(between(ratio, interval), "from +0.90 % to +1.70 %");
        assert_eq!(probability(0.0362), "p = 0.036");
        assert_eq!(probability(1e-9), "p < 0.0001");
    }
}
