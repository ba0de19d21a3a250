//! The solutions of a package, and the verdicts that their tags promise.

use super::element::Element;
use crate::error::ImportError;
use crate::submission;
use crate::text::Text;
use std::path::{Path, PathBuf};

/// The tags, and which verdicts a case may have beside `accepted`.
const TAGS: [(&str, &[&str]); 11] = [
    ("main", &["accepted"]),
    ("accepted", &["accepted"]),
    ("wrong-answer", &["wrong-answer"]),
    ("presentation-error", &["wrong-answer"]),
    ("time-limit-exceeded", &["time-limit", "wall-limit"]),
    ("time-limit-exceeded-or-accepted", &["accepted", "time-limit", "wall-limit"]),
    ("time-limit-exceeded-or-memory-limit-exceeded", &["time-limit", "wall-limit", "memory-limit", "runtime-error"]),
    ("memory-limit-exceeded", &["memory-limit", "runtime-error"]),
    ("failed", &["runtime-error", "memory-limit", "process-limit"]),
    ("runtime-error", &["runtime-error", "memory-limit", "process-limit"]),
    ("rejected", &["wrong-answer", "runtime-error", "time-limit", "wall-limit", "memory-limit", "output-limit"]),
];

/// Writes a `[[problem.expect]]` for each solution that can be run, and returns where these are and go.
pub(super) fn write(
    text: &mut Text,
    problem: &Element<'_>,
    left: &mut Vec<String>,
) -> Result<Vec<(PathBuf, PathBuf)>, ImportError> {
    let mut copied = Vec::new();
    for solution in problem.all(&["assets", "solutions", "solution"]) {
        let Some(source) = solution.first(&["source"]) else {
            return Err(solution.bad("the solution has no source", "<source path=\"…\"/>"));
        };
        let named = source.required("path")?;
        let tag = solution.attribute("tag").unwrap_or("accepted");
        let Some((_, verdicts)) = TAGS.iter().find(|(known, _)| *known == tag) else {
            left.push(solution.left(&format!("{named}: the tag `{tag}` stands for no verdict")));
            continue;
        };
        let file = source.file("path")?;
        let is_old = source.attribute("type").is_some_and(|kind| kind.starts_with("python.2"));
        if is_old || !submission::is_known(&file) {
            left.push(solution.left(&format!("{named}: in no language of `judge languages`")));
            continue;
        }
        let extra = solution.all(&["extra-tags", "extra-tag"]);
        if !extra.is_empty() {
            left.push(solution.left(&format!("{named}: extra tags for single testsets and groups")));
        }
        let to = Path::new("solutions").join(file.file_name().unwrap_or_default());
        text.table("[[problem.expect]]").text("solver", &to.to_string_lossy());
        submission::write_verdicts(text, verdicts);
        copied.push((file, to));
    }
    Ok(copied)
}
