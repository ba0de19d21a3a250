//! Conditions on features, as `--where` takes them.

use judge_problem::condition::Condition;
use judge_problem::{Features, is_feature_name};

/// What has no value for some numbers, as in `1/0` and `log(-1)`.
const PARTIAL: [&str; 3] = ["/", "log", "sqrt"];

/// A condition names features and metrics, means the same in parentheses, and never holds together with its negation.
/// One of both holds if all values are known.
///
/// # Panics
/// When one of these does not hold.
pub fn condition(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(condition) = text.parse::<Condition>() else { return };
    assert_eq!(condition.to_string(), text);
    let mut features = Features::default();
    for (name, value) in condition.names().into_iter().zip([1, 4, -3].into_iter().cycle()) {
        // A metric is `metric:moves`.
        assert!(is_feature_name(&name.replace(':', "_")), "{name}");
        features.set(name, value.into());
    }
    let holds = condition.holds(&features);
    // Where the text is as deep as a condition may be, these are too deep.
    if let Ok(again) = format!("({text})").parse::<Condition>() {
        assert_eq!(again.holds(&features), holds);
        assert_eq!(again.names(), condition.names());
    }
    if let Ok(negation) = format!("!({text})").parse::<Condition>() {
        let is_known = !PARTIAL.iter().any(|part| text.contains(part));
        assert!(negation.holds(&features) != holds || !is_known && !holds, "{text}");
        let unknown = Features::default();
        assert!(!(negation.holds(&unknown) && condition.holds(&unknown)));
    }
}
