//! What a group of cases is worth.

use super::data::{Group, INPUT_FLAGS};
use crate::error::ImportError;
use std::collections::BTreeSet;

/// The keys of `testdata.yaml` that are read, here or with the checker.
const OLD_KEYS: [&str; 6] =
    ["accept_score", "reject_score", "grading", "grader_flags", "output_validator_flags", "on_reject"];

/// The keys of `test_group.yaml` that are read, and those that say nothing of points.
const KEYS: [&str; 8] = [
    "max_score",
    "score_aggregation",
    "verdict_aggregation",
    "require_pass",
    "output_validator_args",
    "output_validator_flags",
    "hint",
    "description",
];

/// What of the flags of the default grader is read.
const FLAGS: [&str; 13] = [
    "min",
    "max",
    "sum",
    "avg",
    "accept_if_any_accepted",
    "always_accept",
    "ignore_sample",
    "first_error",
    "worst_error",
    "no_errors",
    "pass-fail",
    "score",
    "verdict",
];

/// What a group is worth.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// The weight of all its cases together; `None`: the checker's scores count as they are.
    pub(super) weight: Option<f64>,
    /// What its cases count as, where they do not count by themselves.
    pub(super) aggregate: Option<&'static str>,
    /// The names of the groups that must be right.
    pub(super) depends_on: Vec<String>,
}

/// What is not done of the settings of groups, each line once.
pub(super) type Left = BTreeSet<String>;

/// Returns what a group with cases is worth. `is_old`: its settings are those of `testdata.yaml`. `names`: all groups with
/// cases.
pub(super) fn of_group(is_old: bool, group: &Group, names: &[&str], left: &mut Left) -> Result<Points, ImportError> {
    let points = if is_old { graded(group, left) } else { aggregated(group, names, left) }?;
    if !group.is_sample() {
        return Ok(points);
    }
    if points.weight.is_some_and(|weight| weight > 0.0) && group.settings.has("accept_score") {
        left.insert(format!("{}: `accept_score`: samples have no points", group.path));
    }
    Ok(Points { weight: Some(0.0), ..points })
}

/// The settings of `testdata.yaml`, which the default grader reads.
fn graded(group: &Group, left: &mut Left) -> Result<Points, ImportError> {
    let settings = &group.settings;
    let flags = settings.words("grader_flags")?.unwrap_or_default();
    let has = |flag: &str| flags.iter().any(|found| found == flag);
    let each = settings.number("accept_score")?.unwrap_or(1.0);
    let is_whole = has("min") || has("avg") || has("max");
    let mut say = |what: &str| left.insert(format!("{}: {what}", group.path));
    if settings.text("grading")?.is_some_and(|grading| grading == "custom") {
        say("`grading: custom`: graders are not run; the points of the cases are added");
    }
    if has("max") {
        say("`grader_flags: max`: no group counts its best case; it counts the mean");
    }
    if settings.text("reject_score")?.is_some_and(|score| score != "0") {
        say("`reject_score`: a failed case has no points");
    }
    if settings.text("on_reject")?.is_some_and(|what| what != "continue") && is_lenient(&flags) {
        say("`on_reject`: the cases after a rejected one run and count, too");
    }
    let weight = if is_whole { each } else { each * group.cases.len() as f64 };
    let aggregate = match () {
        () if has("min") => Some("min"),
        () if !is_lenient(&flags) => Some("all-or-nothing"),
        () => None,
    };
    Ok(Points { weight: Some(weight), aggregate, depends_on: Vec::new() })
}

fn is_lenient(flags: &[String]) -> bool {
    flags.iter().any(|flag| ["accept_if_any_accepted", "always_accept"].contains(&&**flag))
}

/// The settings of `test_group.yaml`.
fn aggregated(group: &Group, names: &[&str], left: &mut Left) -> Result<Points, ImportError> {
    let settings = &group.settings;
    let rule = settings.text("score_aggregation")?;
    let is_secret = group.path == "data/secret";
    let aggregate = match rule.as_deref() {
        Some("sum") => None,
        Some("min") => Some("min"),
        None if is_secret => None,
        Some(_) | None => Some("all-or-nothing"),
    };
    let worth = settings.text("max_score")?;
    let weight = match worth.as_deref() {
        Some("unbounded") => None,
        Some(_) => settings.number("max_score")?,
        None => is_secret.then_some(100.0),
    };
    let mut depends_on = Vec::new();
    for wanted in settings.words("require_pass")?.unwrap_or_default() {
        let named = |name: &str| [wanted.clone(), format!("secret/{wanted}")].iter().any(|wanted| is_in(name, wanted));
        let before = depends_on.len();
        depends_on
            .extend(names.iter().filter(|name| named(name) && **name != group.name()).map(|name| (*name).to_owned()));
        if depends_on.len() == before {
            left.insert(format!("{}: `require_pass: {wanted}` names no group of cases", group.path));
        }
    }
    depends_on.dedup();
    Ok(Points { weight, aggregate, depends_on })
}

/// Returns whether a group is the one of a name, or below it.
fn is_in(name: &str, above: &str) -> bool {
    name.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Names what a group, and those below it, ask for beyond adding their points, and every key that is not read.
pub(super) fn of_groups(is_old: bool, group: &Group, left: &mut Left) -> Result<(), ImportError> {
    let flags = group.settings.words("grader_flags")?.unwrap_or_default();
    let of_format = |key: &&str| if is_old { OLD_KEYS.contains(key) } else { KEYS.contains(key) };
    let known = |key: &&str| of_format(key) || INPUT_FLAGS.contains(key);
    for key in group.settings.keys().filter(|key| !known(key)) {
        let why = match key {
            "range" => "scores are not held to it",
            "static_validation" | "static_validation_score" => "sources are not validated",
            "full_feedback" => "all results are shown",
            "args" => "solvers get no arguments",
            _ => "it is not done",
        };
        left.insert(format!("{}: `{key}`: {why}", group.path));
    }
    for flag in flags.iter().filter(|flag| is_old && !FLAGS.contains(&&***flag)) {
        left.insert(format!("{}: `grader_flags: {flag}`: it is not done", group.path));
    }
    if !group.groups.is_empty() {
        let rules = flags.iter().filter(|flag| ["min", "max", "avg"].contains(&&***flag)).cloned();
        let rule = group.settings.text("score_aggregation")?.filter(|rule| rule != "sum");
        left.extend(
            rules
                .chain(rule)
                .map(|how| format!("{}: `{how}` over its groups: their points are added instead", group.path)),
        );
        if is_old && !is_lenient(&flags) && !group.is_sample() {
            let what =
                "without `accept_if_any_accepted` one rejected group rejects all: the points of the others are added";
            left.insert(format!("{}: {what}", group.path));
        }
    }
    group.groups.iter().try_for_each(|inner| of_groups(is_old, inner, left))
}
