//! The submissions of a package, by the verdicts that their folders expect.

use super::package::inside;
use crate::import::error::ImportError;
use crate::import::files;
use crate::import::text::Text;
use crate::manifest::built_in_languages;
use std::path::{Path, PathBuf};

/// The folders of submissions, and which verdicts a case may have beside `accepted`.
const FOLDERS: [(&str, &[&str]); 5] = [
    ("accepted", &["accepted"]),
    ("wrong_answer", &["wrong-answer"]),
    ("run_time_error", &["runtime-error", "memory-limit"]),
    (SLOW, &["time-limit", "wall-limit"]),
    ("partially_accepted", &["wrong-answer", "runtime-error", "memory-limit", "time-limit", "wall-limit"]),
];

/// What is here takes longer than the time limit of the package, if it gives one.
const SLOW: &str = "time_limit_exceeded";

/// Writes a `[[problem.expect]]` for each submission that can be run, and returns the files of these.
pub(super) fn write(
    text: &mut Text,
    root: &Path,
    has_time_limit: bool,
    left: &mut Vec<String>,
) -> Result<Vec<PathBuf>, ImportError> {
    let mut copied = Vec::new();
    for folder in files::entries(&root.join("submissions"))? {
        let (place, name) = (inside(root, &folder), files::name(&folder));
        let mut refused = |names: &[String], why: &str| {
            if !names.is_empty() {
                left.push(format!("{}: {}: {why}", place.display(), names.join(", ")));
            }
        };
        let submissions = files::entries(&folder)?;
        let names: Vec<_> = submissions.iter().map(|submission| files::name(submission)).collect();
        let Some((_, verdicts)) = FOLDERS.iter().find(|(known, _)| *known == name) else {
            refused(&names, "its name stands for no verdict");
            continue;
        };
        if name == SLOW && !has_time_limit {
            refused(&names, "the package gives no time limit");
            continue;
        }
        let mut unknown = Vec::new();
        for submission in &submissions {
            let sources = sources(root, submission)?;
            if !sources.iter().any(|source| is_known(source)) {
                unknown.push(files::name(submission));
                continue;
            }
            text.table("[[problem.expect]]").text("solver", &inside(root, submission).to_string_lossy());
            match verdicts {
                [one] => text.text("verdict", one),
                several => {
                    text.texts("verdict", &several.iter().map(|verdict| (*verdict).to_owned()).collect::<Vec<_>>())
                }
            };
            copied.extend(sources);
        }
        refused(&unknown, "in no language of `judge languages`");
    }
    Ok(copied)
}

fn sources(root: &Path, submission: &Path) -> Result<Vec<PathBuf>, ImportError> {
    files::check_link(root, submission)?;
    if submission.is_dir() { files::tree(root, submission) } else { Ok(vec![submission.to_owned()]) }
}

/// Returns whether a source is in a language that is known. Python 2 and Prolog have the endings of others.
fn is_known(source: &Path) -> bool {
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
