//! Effects as text.

use crate::paired::{Claim, EffectMeasure};
use crate::statistics::Interval;

/// Writes a number with two significant digits at the size of `scale`.
pub(in crate::report) fn rounded(value: f64, scale: f64) -> String {
    let decimals = if scale != 0.0 { (1.0 - scale.abs().log10().floor()).clamp(0.0, 6.0) as usize } else { 1 };
    let text = format!("{value:.decimals$}");
    // Zero has no sign.
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.trim_start_matches('-').to_owned() } else { text }
}

/// Writes an effect without its sign: `1.3 %`.
pub(in crate::report) fn size(measure: EffectMeasure, effect: f64) -> String {
    let shown = measure.shown(effect).abs();
    format!("{}{}", rounded(shown, shown), unit(measure))
}

/// Writes an effect with its sign: `+1.3 %`, `−0.4 %`.
pub(in crate::report) fn signed(measure: EffectMeasure, effect: f64) -> String {
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
pub(in crate::report) fn between(measure: EffectMeasure, interval: Interval) -> String {
    let (low, high) = (measure.shown(interval.low), measure.shown(interval.high));
    let radius = (high - low) / 2.0;
    let scale = if radius > 0.0 { radius } else { low };
    let unit = unit(measure);
    format!("from {}{unit} to {}{unit}", signed_number(low, scale), signed_number(high, scale))
}

/// The ratio of its arms above which an interval is not written with ±,
const LOPSIDED: f64 = 1.5;
/// and the share of the mean above which its radius is not: rounded, it might seem to reach 0.
const WIDE: f64 = 0.9;

/// Writes a mean, without its sign, with its interval, all of it on one side of 0: `1.3 % ± 0.4 %`, or `18 % (3 % to
/// 61 %)` where the mean is not in the middle or the interval nearly reaches 0.
pub(in crate::report) fn amount(measure: EffectMeasure, effect: f64, interval: Interval) -> String {
    let shown = [interval.low, effect, interval.high].map(|end| measure.shown(end));
    let arms = [shown[1] - shown[0], shown[2] - shown[1]];
    let is_wide = arms[0] + arms[1] > 2.0 * WIDE * shown[1].abs();
    if arms[0].max(arms[1]) <= LOPSIDED * arms[0].min(arms[1]) && !is_wide {
        return give_or_take(measure, effect, interval);
    }
    let mut ends = [shown[0].abs(), shown[2].abs()];
    ends.sort_by(f64::total_cmp);
    let scale = (ends[1] - ends[0]) / 2.0;
    let [mean, low, high] = [shown[1].abs(), ends[0], ends[1]].map(|end| rounded(end, scale));
    let unit = unit(measure);
    format!("{mean}{unit} ({low}{unit} to {high}{unit})")
}

/// Writes a mean with half its interval's width: `1.3 % ± 0.4 %`, without its sign.
pub(in crate::report) fn give_or_take(measure: EffectMeasure, effect: f64, interval: Interval) -> String {
    let radius = (measure.shown(interval.high) - measure.shown(interval.low)) / 2.0;
    let unit = unit(measure);
    let scale = if radius > 0.0 { radius } else { measure.shown(effect) };
    format!("{}{unit} ± {}{unit}", rounded(measure.shown(effect).abs(), scale), rounded(radius, scale))
}

fn unit(measure: EffectMeasure) -> &'static str {
    match measure {
        EffectMeasure::Ratio | EffectMeasure::Relative => " %",
        EffectMeasure::Difference => "",
        EffectMeasure::Points => " points",
    }
}

/// Returns the name of a claim in machine-readable reports.
pub(in crate::report) fn claim_name(claim: Claim) -> &'static str {
    match claim {
        Claim::Better => "better",
        Claim::Worse => "worse",
        Claim::Smaller => "smaller",
        Claim::Equal => "equal",
        Claim::Undecided { .. } => "undecided",
        Claim::TooFew => "too-few-cases",
    }
}

/// Writes a probability: `p = 0.036`, `p < 0.0001`.
pub(in crate::report) fn probability(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {}", rounded(p, p)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lopsided_interval_is_not_written_with_plus_and_minus() {
        let amounts = |low, mean, high| amount(EffectMeasure::Difference, mean, Interval { low, high });
        assert_eq!(amounts(10.0, 15.0, 22.5), "15.0 ± 6.2");
        assert_eq!(amounts(3.0, 18.0, 61.0), "18 (3 to 61)");
        assert_eq!(amounts(-61.0, -18.0, -3.0), "18 (3 to 61)");
        assert_eq!(amounts(0.6, 10.0, 20.5), "10.0 (0.6 to 20.5)");
        assert_eq!(amounts(5.0, 5.0, 5.0), "5.0 ± 0.0");
        let ratio = amount(EffectMeasure::Ratio, 0.5, Interval { low: 0.01, high: 0.6 });
        assert_eq!(ratio, "65 % (1 % to 82 %)");
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
