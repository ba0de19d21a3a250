//! What a group of cases is worth.

use super::data::Group;
use crate::import::error::ImportError;

/// What a group is worth.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// The weight of all its cases together; `None`: the checker's scores count as they are.
    pub(super) weight: Option<f64>,
    /// Whether one failure loses all of it.
    pub(super) all_or_nothing: bool,
}

/// Returns what a group with cases is worth. `is_old`: its settings are those of `testdata.yaml`. Lines say what of them
/// is not done.
pub(super) fn of_group(is_old: bool, group: &Group, left: &mut Vec<String>) -> Result<Points, ImportError> {
    let points = if is_old { graded(group, left) } else { aggregated(group, left) }?;
    if !group.path.starts_with("data/sample") {
        return Ok(points);
    }
    if points.weight.is_some_and(|weight| weight > 0.0) && group.settings.has("accept_score") {
        left.push(format!("{}: `accept_score`: samples have no points", group.path));
    }
    Ok(Points { weight: Some(0.0), ..points })
}

/// The settings of `testdata.yaml`, which the default grader reads.
fn graded(group: &Group, left: &mut Vec<String>) -> Result<Points, ImportError> {
    let settings = &group.settings;
    let flags = settings.words("grader_flags")?.unwrap_or_default();
    let has = |flag: &str| flags.iter().any(|found| found == flag);
    let each = settings.number("accept_score")?.unwrap_or(1.0);
    let lenient = has("accept_if_any_accepted") || has("always_accept");
    let is_whole = has("min") || has("avg") || has("max");
    let mut say = |what: &str| left.push(format!("{}: {what}", group.path));
    if settings.text("grading")?.is_some_and(|grading| grading == "custom") {
        say("`grading: custom`: graders are not run; the points of the cases are added");
    }
    if has("max") {
        say("`grader_flags: max`: no group counts its best case; it counts the mean");
    }
    if settings.text("reject_score")?.is_some_and(|score| score != "0") {
        say("`reject_score`: a failed case has no points");
    }
    let weight = if is_whole { each } else { each * group.cases.len() as f64 };
    Ok(Points { weight: Some(weight), all_or_nothing: has("min") || !lenient })
}

/// The settings of `test_group.yaml`.
fn aggregated(group: &Group, left: &mut Vec<String>) -> Result<Points, ImportError> {
    let settings = &group.settings;
    let rule = settings.text("score_aggregation")?;
    let is_secret = group.path == "data/secret";
    let all_or_nothing = rule.as_deref().map_or(!is_secret, |rule| rule != "sum");
    let worth = settings.text("max_score")?;
    let weight = match worth.as_deref() {
        Some("unbounded") => None,
        Some(_) => settings.number("max_score")?,
        None => is_secret.then_some(100.0),
    };
    for key in ["require_pass", "static_validation_score", "static_validation"] {
        if settings.has(key) {
            left.push(format!("{}: `{key}` is not done: the group counts by its own cases", group.path));
        }
    }
    Ok(Points { weight, all_or_nothing })
}

/// Returns lines for what a group of groups asks for beyond adding their points.
pub(super) fn of_groups(group: &Group) -> Result<Vec<String>, ImportError> {
    let mut left = Vec::new();
    let flags = group.settings.words("grader_flags")?.unwrap_or_default();
    let flags = flags.iter().filter(|flag| ["min", "max", "avg"].contains(&&***flag));
    let rule = group.settings.text("score_aggregation")?.filter(|rule| rule != "sum");
    for how in flags.cloned().chain(rule) {
        if !group.groups.is_empty() {
            left.push(format!("{}: `{how}` over its groups: their points are added instead", group.path));
        }
    }
    for inner in &group.groups {
        left.extend(of_groups(inner)?);
    }
    Ok(left)
}
