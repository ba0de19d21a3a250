//! Solutions that come with a package.

use super::text::Text;
use judge_problem::manifest::built_in_languages;
use std::path::Path;

/// Writes which verdicts the solution of a `[[problem.expect]]` may have.
pub(super) fn write_verdicts(text: &mut Text, verdicts: &[&str]) {
    match verdicts {
        [one] => text.text("verdict", one),
        several => text.texts("verdict", &several.iter().map(|verdict| (*verdict).to_owned()).collect::<Vec<_>>()),
    };
}

/// Returns whether a source is in a language that is known. Python 2 and Prolog have the endings of others.
pub(super) fn is_known(source: &Path) -> bool {
    let ending = source.extension().unwrap_or_default().to_string_lossy();
    let text = std::fs::read(source).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let is_other = match &*ending {
        "py" => text.lines().next().is_some_and(|line| line.starts_with("#!") && line.contains("python2")),
        "pl" => text.contains(":-"),
        _ => false,
    };
    !is_other && built_in_languages().of_ending(&ending).next().is_some()
}
