//! The submissions of a package, by the verdicts that their folders expect.

use super::config::Config;
use super::expected::Expected;
use crate::import::error::ImportError;
use crate::import::files;
use crate::import::submission;
use crate::import::text::Text;
use crate::manifest::built_in_languages;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes a `[[problem.expect]]` for each submission that can be run. Returns the files of these, and those that the time
/// limit does not depend on, by the names that the problem has for them.
pub(super) fn write(
    text: &mut Text,
    root: &Path,
    config: &Config,
    left: &mut Vec<String>,
) -> Result<(Vec<PathBuf>, Vec<String>), ImportError> {
    let includes = includes(root)?;
    let expected = Expected::read(root, config.scoring, left)?;
    let (mut copied, mut excluded) = (Vec::new(), Vec::new());
    for folder in files::entries(&root.join("submissions"))? {
        let name = files::name(&folder);
        let mut loose = Vec::new();
        let mut without: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for submission in &files::entries(&folder)? {
            let sources = sources(root, submission)?;
            let path = Path::new(&name).join(files::name(submission));
            let unnamed = (!expected.has(&path)).then_some("its name stands for no verdict");
            if let Some(why) = unnamed.or_else(|| why_not(&includes, &sources)) {
                without.entry(why).or_default().push(files::name(submission));
                continue;
            }
            let solver = files::inside(root, submission).to_string_lossy().into_owned();
            text.table("[[problem.expect]]").text("solver", &solver);
            if !expected.counts_for_time(&path)? {
                excluded.push(solver);
            }
            expected.write(text, &path, &mut loose)?;
            copied.extend(sources);
        }
        let line = |(why, names): (&str, Vec<String>)| format!("submissions/{name}: {}: {why}", names.join(", "));
        left.extend(without.into_iter().map(line));
        left.extend(loose);
    }
    Ok((copied, excluded))
}

/// Returns why a submission cannot be run as it is.
fn why_not(includes: &[String], sources: &[PathBuf]) -> Option<&'static str> {
    let is_for = |source: &PathBuf| includes.iter().any(|include| is_for(include, source));
    if !sources.iter().any(|source| submission::is_known(source)) {
        Some("in no language of `judge languages`")
    } else if sources.iter().any(is_for) {
        Some("the files in include are not compiled together with it")
    } else {
        None
    }
}

/// Returns the names of the folders in `include`: `default`, or a language of the formats.
fn includes(root: &Path) -> Result<Vec<String>, ImportError> {
    Ok(files::entries(&root.join("include"))?.iter().map(|folder| files::name(folder)).collect())
}

/// Returns whether the files of a folder in `include` belong to a source.
fn is_for(include: &str, source: &Path) -> bool {
    let ending = source.extension().unwrap_or_default().to_string_lossy();
    let language = match include {
        "default" => return true,
        "bash" => "shell",
        name => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    };
    built_in_languages().of_ending(&ending).any(|known| known.name == language)
}

fn sources(root: &Path, submission: &Path) -> Result<Vec<PathBuf>, ImportError> {
    files::check_link(root, submission)?;
    if submission.is_dir() { files::tree(root, submission) } else { Ok(vec![submission.to_owned()]) }
}
