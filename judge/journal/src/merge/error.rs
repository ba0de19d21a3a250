//! Why runs cannot be merged.

use super::source::{NAMED, Source};
use crate::JournalError;
use judge_problem::error_chain;
use std::fmt;
use std::path::PathBuf;

/// Why runs cannot be merged. Nothing was.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// These files cannot be used.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Unusable(Vec<Unusable>),
    /// The results are not of one run: how each of these files differs from most of the others.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Different(Vec<Difference>),
    /// The journal that they are merged into cannot be written.
    #[error(transparent)]
    Target(JournalError),
}

/// A file that cannot be used, and why.
#[derive(Debug)]
pub struct Unusable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: JournalError,
}

impl fmt::Display for Unusable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            JournalError::Open { source, .. } => {
                write!(formatter, "{} cannot be read as a journal: {source}", self.path.display())
            }
            JournalError::Database(source) => write!(formatter, "{} cannot be read: {source}", self.path.display()),
            JournalError::Damaged(what) => write!(formatter, "{} is damaged: {what}", self.path.display()),
            error => formatter.write_str(&error_chain(error)),
        }
    }
}

/// Files whose results are not of the run of most others.
#[derive(Debug)]
pub struct Difference {
    /// The files.
    pub files: Vec<PathBuf>,
    /// A file of the run of most others.
    pub most: PathBuf,
    /// What is not the same.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, most, what } = self;
        let named: Vec<_> = files.iter().take(NAMED).map(|path| path.display().to_string()).collect();
        let more = match files.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let does = if files.len() == 1 { "does" } else { "do" };
        write!(formatter, "{}{more} {does} not belong with {}: {what}", named.join(", "), most.display())
    }
}

/// Whose fault it is that a merge failed.
pub(super) enum Failed {
    Source(Unusable),
    Different(Vec<Difference>),
    Target(JournalError),
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Self::Target(error.into())
    }
}

/// Fails unless all runs are of one plan.
pub(super) fn agree(sources: &[Source]) -> Result<(), MergeError> {
    let mut groups: Vec<Vec<&Source>> = Vec::new();
    for source in sources {
        match groups.iter_mut().find(|group| group[0].plan == source.plan) {
            Some(group) => group.push(source),
            None => groups.push(vec![source]),
        }
    }
    // Of groups of one size the first stays in front.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let [most, others @ ..] = &groups[..] else { return Ok(()) };
    if others.is_empty() {
        return Ok(());
    }
    Err(MergeError::Different(others.iter().map(|group| difference(group, most[0])).collect()))
}

fn difference(group: &[&Source], most: &Source) -> Difference {
    let changes = group[0].plan.differences(&most.plan);
    let mut what: Vec<String> = changes.iter().map(|change| change.text("there")).collect();
    let names: Vec<String> = group.iter().flat_map(|source| source.cases.0.iter().cloned()).collect();
    let count = group.iter().map(|source| source.cases.1).sum();
    if count > 0 {
        what.push(format!("it has {}", named(&names, count)));
    }
    Difference {
        files: group.iter().map(|source| source.path.clone()).collect(),
        most: most.path.clone(),
        what: what.join("; "),
    }
}

/// Names the first of `count` cases.
pub(super) fn named(names: &[String], count: usize) -> String {
    let named = &names[..names.len().min(NAMED)];
    match count - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
