//! Facts about past runs: states, rows of the history, tags and notes, best scores, jobs on a cluster, and which
//! answers are kept.

use crate::text::{InvalidText, is_hidden, named_enum};
use crate::{Bytes, CaseName, CheckerIdentity, Digest, Direction, Outcome, RunId, Stop};
use checkers::Score;
use num_rational::BigRational;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// A past run, as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunChoice {
    /// By its number.
    Number(RunId),
    /// `last`: the newest one.
    Last,
}

impl FromStr for RunChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = || text.parse().ok().filter(|_| is_number).map(|number| Self::Number(RunId(number)));
        let choice = if text == "last" { Some(Self::Last) } else { number() };
        choice.ok_or("expected the number of a run, as in `judge history`, or `last`")
    }
}

named_enum! {
    /// The state of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunState {
        /// A judge is running it.
        Running = "running",
        /// It runs or has ended on a cluster, and no judge follows it.
        Detached = "detached",
        /// The judge was killed, or lost its journal.
        Killed = "killed",
        /// Ctrl-C.
        Interrupted = "interrupted",
        /// `--fail-fast` stopped it at a failed case, or an evaluation was decided before its last case.
        Stopped = "stopped",
        /// It was merged from shards, and some cases are missing.
        Partial = "partial",
        /// It was completed.
        Complete = "complete",
    }
}

impl RunState {
    /// Returns the state of a run that ended for this reason.
    pub fn ended(stop: Option<Stop>) -> Self {
        match stop {
            None => Self::Complete,
            Some(Stop::Interrupted | Stop::Detached) => Self::Interrupted,
            Some(Stop::FailFast) => Self::Stopped,
        }
    }
}

/// Where a run continues without the judge that submitted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterJob {
    /// The engine that runs it: `slurm`.
    pub engine: String,
    /// Its id in that engine.
    pub id: String,
    /// The folder of the run on the shared file system.
    pub folder: PathBuf,
}

/// The cluster job of an unfinished run that no judge follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetachedJob {
    /// The engine that runs it: `slurm`.
    pub engine: String,
    /// Its id in that engine.
    pub id: String,
    /// Its state.
    pub state: JobState,
}

/// The state of a job on a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// At least one of its tasks runs.
    Running,
    /// All its tasks wait.
    Pending,
    /// It has ended, and its results were not collected.
    Ended,
    /// The cluster did not report it. Contains the error of the cluster.
    Unknown(String),
}

impl fmt::Display for DetachedJob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = if self.engine == "slurm" { "Slurm" } else { &self.engine };
        let does = match self.state {
            JobState::Running => "runs",
            JobState::Pending => "waits",
            JobState::Ended => "has ended",
            JobState::Unknown(_) => "may run",
        };
        write!(formatter, "{does} on {engine} (job {})", self.id)
    }
}

/// A solver in a past run.
#[derive(Debug, Clone)]
pub struct HistoryRow {
    /// The run.
    pub run: RunId,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// The start in local time, to the minute.
    pub started_here: String,
    /// Its state.
    pub state: RunState,
    /// Its job, if it is detached.
    pub detached: Option<DetachedJob>,
    /// The problem's id.
    pub problem: String,
    /// The solver's name.
    pub solver: String,
    /// The solver, as it was given: its path or command.
    pub command: String,
    /// Hash of the solver's content.
    pub solver_hash: Digest,
    /// Its place in the run.
    pub place: usize,
    /// The number of settings tried, if this row is the best setting of a search.
    pub settings: Option<usize>,
    /// The group of cases that the numbers refer to, such as `colors=4`. `None` for all cases.
    pub group: Option<String>,
    /// The number of planned cases.
    pub planned: usize,
    /// The number of finished cases.
    pub done: usize,
    /// The number of accepted cases.
    pub accepted: usize,
    /// The name of the scoring rule of the total.
    pub rule: String,
    /// The number of decimals that shows sums of its scores exactly.
    pub decimals: u32,
    /// Its total; `None` if the rule gives none, or the run was killed.
    pub total: Option<BigRational>,
    /// Hash of the cases in the total and of all that turns their scores into it. Only equal ones are comparable.
    pub case_set: Option<[u8; 32]>,
    /// The difference from the previous total of a solver with this name, on the same cases and by the same rule.
    pub change: Option<BigRational>,
    /// Which scores are good.
    pub direction: Direction,
    /// The commit that was checked out.
    pub git_commit: Option<String>,
    /// Whether tracked files differed from it.
    pub git_dirty: Option<bool>,
    /// The user's message.
    pub message: Option<String>,
    /// The tags and the note that the user added later.
    pub labels: Labels,
}

/// The tags and the note of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Labels {
    /// The tags that the user gave the run later, in alphabetical order.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub tags: BTreeSet<Tag>,
    /// The note that the user gave the run later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub note: Option<Note>,
}

impl Labels {
    /// The maximum number of tags of a run.
    pub const MAX_TAGS: usize = 20;

    /// Adds the labels of another part of the same run, and returns the ones that exceed a limit and are left out. The
    /// paragraphs of its note are added to the own ones.
    pub fn add(&mut self, other: Self) -> Self {
        let mut new = (&other.tags - &self.tags).into_iter();
        let room = Self::MAX_TAGS.saturating_sub(self.tags.len());
        self.tags.extend(new.by_ref().take(room));
        let note = match (&self.note, other.note) {
            (Some(own), Some(more)) => match own.with_paragraphs_of(&more) {
                Ok(both) => self.note.replace(both).and(None),
                Err(_) => Some(more),
            },
            (None, more) => std::mem::replace(&mut self.note, more),
            (Some(_), None) => None,
        };
        Self { tags: new.collect(), note }
    }
}

/// A word that finds runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Tag(String);

/// A text about a run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Note(String);

/// The separator of paragraphs.
const PARAGRAPH: &str = "\n\n";

impl Tag {
    /// The maximum number of characters of a tag.
    pub const MAX_CHARS: usize = 40;
}

impl Note {
    /// The maximum number of characters of a note.
    pub const MAX_CHARS: usize = 2000;

    /// Returns the paragraphs of both notes in alphabetical order, without duplicates. If this note has all of them, it stays
    /// as it is.
    ///
    /// # Errors
    /// Fails if they are too long together.
    fn with_paragraphs_of(&self, other: &Self) -> Result<Self, InvalidText> {
        let own: BTreeSet<&str> = self.0.split(PARAGRAPH).collect();
        let more: BTreeSet<&str> = other.0.split(PARAGRAPH).collect();
        if more.is_subset(&own) {
            return Ok(self.clone());
        }
        (&own | &more).into_iter().collect::<Vec<_>>().join(PARAGRAPH).parse()
    }

    /// Reads a text. An empty text is not a note.
    ///
    /// # Errors
    /// Fails if the text is too long or has a character that cannot be shown.
    pub fn if_any(text: &str) -> Result<Option<Self>, InvalidText> {
        if text.trim().is_empty() { Ok(None) } else { text.parse().map(Some) }
    }
}

/// Returns the text of a label, unless it is empty or too long.
fn with_length(kind: &str, text: &str, most: usize) -> Result<String, InvalidText> {
    match text.chars().count() {
        0 => Err(InvalidText(format!("the {kind} is empty"))),
        length if length > most => Err(InvalidText(format!("a {kind} has at most {most} characters"))),
        _ => Ok(text.to_owned()),
    }
}

impl FromStr for Tag {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let wrong = |c: &char| c.is_whitespace() || is_hidden(*c) || *c == ',';
        match text.chars().find(wrong) {
            Some(c) => Err(InvalidText(format!("a tag is one word, without `{}`", c.escape_default()))),
            None => with_length("tag", text, Self::MAX_CHARS).map(Self),
        }
    }
}

impl FromStr for Note {
    type Err = InvalidText;

    /// Reads a text and trims white space around it.
    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let text = text.trim();
        match text.chars().find(|c| is_hidden(*c) && *c != '\n') {
            Some(c) => {
                let shown = c.escape_default();
                let error = format!("a note has no control characters but line feeds, and this one has `{shown}`");
                Err(InvalidText(error))
            }
            None => with_length("note", text, Self::MAX_CHARS).map(Self),
        }
    }
}

impl AsRef<str> for Tag {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl AsRef<str> for Note {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A problem with one version of its checker. Scores are comparable within a game only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The problem's id.
    pub problem: String,
    /// The identity of its checker.
    pub checker: CheckerIdentity,
    /// Which scores are good.
    pub direction: Direction,
}

/// The best score on a case, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestScore {
    /// The case's name.
    pub case: CaseName,
    /// Hash of its input.
    pub input: Digest,
    /// The score.
    pub score: Score,
    /// The solver's name.
    pub solver: Arc<str>,
    /// Hash of the solver's content.
    pub solver_hash: Digest,
    /// The machine of the run.
    pub host: Arc<str>,
    /// The run, in the journal of that machine.
    pub run: RunId,
    /// When that run started, in UTC, as ISO 8601 writes it.
    pub date: Arc<str>,
    /// Whether it was imported from another journal. The run is then in that journal.
    pub imported: bool,
}

/// Some of the best scores, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestScores {
    /// In natural order of the case names.
    pub scores: Vec<BestScore>,
    /// The number of cases with a score.
    pub cases: usize,
}

/// The scores of a solver in a past run.
#[derive(Debug, Clone)]
pub struct PastScores {
    /// The run.
    pub run: RunId,
    /// The rounded score by the hash of the case's input. `None` for a failed case.
    pub scores: HashMap<Digest, Option<f64>>,
}

/// Which answers the journal keeps: all, or the newest runs' up to a compressed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// All of them.
    All,
    /// The newest answers that fit. `0 B` keeps none.
    UpTo(Bytes),
}

impl Default for Retention {
    fn default() -> Self {
        Self::UpTo(Bytes(1 << 30))
    }
}

impl FromStr for Retention {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        if text == "all" { Ok(Self::All) } else { text.parse().map(Self::UpTo) }
    }
}

impl fmt::Display for Retention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.pad("all"),
            Self::UpTo(bytes) => bytes.fmt(formatter),
        }
    }
}

/// How far a run is.
#[derive(Debug)]
pub struct RunProgress {
    /// The run.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// The number of planned cases.
    pub planned: usize,
    /// The time since it started.
    pub elapsed: Duration,
    /// Its solvers, in their order.
    pub solvers: Vec<SolverProgress>,
    /// The results since the last call, in the order of solvers and cases. Empty at the first call.
    pub finished: Vec<FinishedCase>,
}

/// How far a solver is.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct SolverProgress {
    /// Its name.
    #[serde(rename = "solver")]
    pub name: String,
    /// How many cases it has finished.
    pub done: usize,
    /// How many of them were accepted.
    pub accepted: usize,
}

/// A new result.
#[derive(Debug)]
pub struct FinishedCase {
    /// The case's name.
    pub case: String,
    /// The place of the solver.
    pub solver: usize,
    /// The outcome.
    pub outcome: Outcome,
}

/// A result of a case in any run.
#[derive(Debug, Clone)]
pub struct CaseResult {
    /// The run.
    pub run: RunId,
    /// When the run started, in UTC.
    pub started: String,
    /// The user's message.
    pub message: Option<String>,
    /// The solver's name.
    pub solver: String,
    /// Hash of the case's input: a case of the same name may have had another one.
    pub input: Option<Digest>,
    /// Whether the answer is stored.
    pub has_answer: bool,
    /// The outcome.
    pub outcome: Outcome,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(tags: &[&str], note: &str) -> Labels {
        Labels { tags: tags.iter().map(|tag| tag.parse().unwrap()).collect(), note: note.parse().ok() }
    }

    #[test]
    fn a_tag_is_a_short_visible_word() {
        for tag in ["best", "wider-beam", "v1.2", "größer", "λ=3", &"x".repeat(40)] {
            assert_eq!(tag.parse::<Tag>().unwrap().as_ref(), tag);
        }
        for (tag, error) in [
            ("", "the tag is empty"),
            ("two words", "a tag is one word, without ` `"),
            ("a,b", "a tag is one word, without `,`"),
            ("\u{1b}[31m", r"a tag is one word, without `\u{1b}`"),
            ("a\u{202e}b", r"a tag is one word, without `\u{202e}`"),
            (&"x".repeat(41), "a tag has at most 40 characters"),
        ] {
            assert_eq!(tag.parse::<Tag>().unwrap_err().to_string(), error, "{tag:?}");
        }
    }

    #[test]
    fn a_note_is_a_visible_text_of_some_lines() {
        assert_eq!(" one\ntwo \n".parse::<Note>().unwrap().as_ref(), "one\ntwo");
        for (note, error) in [
            (" \n", "the note is empty"),
            ("a\u{7}b", r"this one has `\u{7}`"),
            ("a\tb", r"this one has `\t`"),
            ("a\u{202e}b", r"this one has `\u{202e}`"),
            (&"x".repeat(2001), "a note has at most 2000 characters"),
        ] {
            let said = note.parse::<Note>().unwrap_err().to_string();
            assert!(said.ends_with(error), "{note:?}: {said}");
        }
    }

    #[test]
    fn the_labels_of_parts_come_together_in_any_order_and_once() {
        let parts = [labels(&["b", "a"], "first"), labels(&["c"], "second\n\nthird"), labels(&[], "")];
        let mut expected = None;
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 1]] {
            let mut all = Labels::default();
            let left_out = order.map(|part| all.add(parts[part].clone()));
            assert_eq!(left_out, [const { Labels { tags: BTreeSet::new(), note: None } }; 3]);
            assert_eq!(*expected.get_or_insert_with(|| all.clone()), all, "{order:?}");
        }
        assert_eq!(expected, Some(labels(&["a", "b", "c"], "first\n\nsecond\n\nthird")));
    }

    #[test]
    fn labels_beyond_a_limit_are_left_out_and_returned() {
        let (mut all, mut left_out) = (Labels::default(), Vec::new());
        for part in 0..100 {
            let part = labels(&[&format!("tag-{part}")], &format!("{part} {}", "x".repeat(100)));
            left_out.push(all.add(part));
        }
        let length = all.note.as_ref().unwrap().as_ref().chars().count();
        assert!(
            all.tags.len() == Labels::MAX_TAGS && length > Note::MAX_CHARS - 110 && length <= Note::MAX_CHARS,
            "{length}"
        );
        assert_eq!(left_out[99], labels(&["tag-99"], &format!("99 {}", "x".repeat(100))));
        // A note of the maximal length stays.
        let mut long = labels(&[], &"z".repeat(Note::MAX_CHARS));
        assert_eq!(long.add(labels(&[], "a")), labels(&[], "a"));
        assert_eq!(long, labels(&[], &"z".repeat(Note::MAX_CHARS)));
    }

    #[test]
    fn all_or_a_size() {
        assert_eq!("all".parse(), Ok(Retention::All));
        assert_eq!("64 MiB".parse(), Ok(Retention::UpTo(Bytes(64 << 20))));
        assert_eq!(Retention::default().to_string(), "1 GiB");
        assert!("some".parse::<Retention>().is_err());
    }
}
