//! The submissions of a package, by the verdicts that their folders expect.

use super::config::Config;
use super::expected::Expected;
use crate::error::ImportError;
use crate::files;
use crate::submission;
use crate::text::Text;
use judge_problem::manifest::built_in_languages;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder in `include` for submissions in every language.
const DEFAULT: &str = "default";

/// The submissions that can be run.
pub(super) struct Submissions {
    /// Their files: where each is, and where it goes, relative to the `problems.toml`.
    pub(super) files: Vec<(PathBuf, PathBuf)>,
    /// Those that the time limit does not depend on, by the names that the problem has for them.
    pub(super) excluded: Vec<String>,
}

/// Writes a `[[problem.expect]]` for each submission that can be run. Returns these.
pub(super) fn write(
    text: &mut Text,
    root: &Path,
    config: &Config,
    left: &mut Vec<String>,
) -> Result<Submissions, ImportError> {
    let includes = files::entries(&root.join("include"))?;
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
            if let Some(why) = unnamed.or_else(|| why_not(&sources)) {
                without.entry(why).or_default().push(files::name(submission));
                continue;
            }
            let solver = files::inside(root, submission).to_string_lossy().into_owned();
            text.table("[[problem.expect]]").text("solver", &solver);
            if !expected.counts_for_time(&path)? {
                excluded.push(solver);
            }
            expected.write(text, &path, &mut loose)?;
            copied.extend(with_includes(root, submission, sources, &includes)?);
        }
        let line = |(why, names): (&str, Vec<String>)| format!("submissions/{name}: {}: {why}", names.join(", "));
        left.extend(without.into_iter().map(line));
        left.extend(loose);
    }
    Ok(Submissions { files: copied, excluded })
}

/// Returns why a submission cannot be run.
fn why_not(sources: &[PathBuf]) -> Option<&'static str> {
    let is_known = sources.iter().any(|source| submission::is_known(source));
    (!is_known).then_some("in no language of `judge languages`")
}

/// Returns the files of a submission. One that files in `include` belong to is a folder with these in it: of two files with
/// the same name, the included one counts.
fn with_includes(
    root: &Path,
    submission: &Path,
    sources: Vec<PathBuf>,
    includes: &[PathBuf],
) -> Result<Vec<(PathBuf, PathBuf)>, ImportError> {
    let belongs = |include: &&PathBuf| sources.iter().any(|source| is_for(&files::name(include), source));
    let mut includes: Vec<_> = includes.iter().filter(belongs).collect();
    if includes.is_empty() {
        return Ok(sources.into_iter().map(|file| (file.clone(), files::inside(root, &file))).collect());
    }
    // What is for one language counts before what is for all.
    includes.sort_by_key(|include| files::name(include) != DEFAULT);
    // A single source goes into a folder of its name.
    let folder = if submission.is_dir() { submission } else { submission.parent().unwrap_or(root) };
    let mut named: BTreeMap<_, _> = sources.into_iter().map(|file| (files::inside(folder, &file), file)).collect();
    for include in includes {
        named.extend(files::tree(root, include)?.into_iter().map(|file| (files::inside(include, &file), file)));
    }
    let to = files::inside(root, submission);
    Ok(named.into_iter().map(|(name, file)| (file, to.join(name))).collect())
}

/// Returns whether the files of a folder in `include` belong to a source.
fn is_for(include: &str, source: &Path) -> bool {
    let ending = source.extension().unwrap_or_default().to_string_lossy();
    let language = match include {
        DEFAULT => return true,
        "bash" => "shell",
        name => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    };
    built_in_languages().of_ending(&ending).any(|known| known.name == language)
}

fn sources(root: &Path, submission: &Path) -> Result<Vec<PathBuf>, ImportError> {
    files::check_link(root, submission)?;
    if submission.is_dir() { files::tree(root, submission) } else { Ok(vec![submission.to_owned()]) }
}
