//! Failures. Failures of one solver for one reason are shown together.

use crate::text::terminal::{Paint, Style, paint_of};
use indexmap::IndexMap;
use judge_problem::{JobId, Outcome, Plan, Verdict, counted, first_of, one_line, visible};
use std::collections::HashSet;

/// The number of reasons that are explained.
const EXPLAINED: usize = 10;

/// The number of distinct reasons. Failures with further reasons are only counted.
const MAX_REASONS: usize = 1000;

/// The number of failures for one reason that are named.
const NAMED: usize = 10;

/// The number of lines of a solver's standard error that are shown, the last ones.
pub(crate) const STDERR_LINES: usize = 5;

/// The start of the part of a checker's reason that differs from case to case.
const FOUND: &str = ": expected ";

/// Failures of one solver with one verdict and one reason.
#[derive(Debug)]
pub(crate) struct FailureGroup {
    /// The first of them in the order of the plan.
    pub(crate) first: JobId,
    /// Its outcome.
    pub(crate) outcome: Outcome,
    /// How many there are.
    pub(crate) cases: usize,
    /// The jobs that are named.
    named: Vec<JobId>,
    /// Whether all have the same note.
    is_one_note: bool,
}

impl FailureGroup {
    /// Returns their note, or as much of it as holds for all.
    pub(crate) fn note(&self) -> &str {
        if self.is_one_note { &self.outcome.note } else { reason(&self.outcome.note) }
    }

    /// Returns their cases: `seed-1, seed-2 and 7 more`.
    pub(crate) fn case_names(&self, plan: &Plan) -> String {
        first_of(self.named.iter().map(|job| plan.cases.at(job.case).name), self.named.len(), self.cases)
    }

    /// Returns the lines below the first line of the note: its other lines, the end of standard error, and the command
    /// that reproduces the first failure, if there is one.
    pub(crate) fn details(&self, plan: &Plan, lines: StderrLines, style: Style) -> Vec<String> {
        let more = self.note().lines().skip(1);
        let command = plan.reproduce(self.first);
        let command = command.map(|command| format!("    {}", style.paint(Paint::Faint, &one_line(&command))));
        said(more).chain(lines.quoted(&self.outcome.stderr)).chain(command).collect()
    }
}

/// The failures of a run.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// By solver, verdict and reason, in the order of the first ones.
    reasons: IndexMap<(usize, Verdict, String), FailureGroup>,
    /// How many failures there are.
    all: usize,
}

impl Failures {
    /// Returns how many failures are not explained, if any.
    pub(crate) fn more(&self) -> Option<String> {
        let more = self.all - self.shown().map(|alike| alike.cases).sum::<usize>();
        (more > 0).then(|| format!("… and {more} more failures"))
    }

    /// Returns the reasons to explain: the first one of each solver, then the others.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &FailureGroup> {
        let mut seen = HashSet::new();
        let (mut chosen, others): (Vec<_>, Vec<_>) =
            self.reasons.values().partition(|alike| seen.insert(alike.first.solver));
        chosen.extend(others);
        chosen.into_iter().take(EXPLAINED)
    }
}

/// Returns failures, in the order of the plan, by their reason.
pub(crate) fn failure_groups(failed: impl IntoIterator<Item = (JobId, Outcome)>) -> Failures {
    let mut found = Failures::default();
    for (job, outcome) in failed {
        found.all += 1;
        let key = (job.solver, outcome.verdict, reason(&outcome.note).to_owned());
        if let Some(alike) = found.reasons.get_mut(&key) {
            alike.cases += 1;
            if alike.named.len() < NAMED {
                alike.named.push(job);
            }
            alike.is_one_note &= alike.outcome.note == outcome.note;
        } else if found.reasons.len() < MAX_REASONS {
            let alike = FailureGroup { first: job, outcome, cases: 1, named: vec![job], is_one_note: true };
            found.reasons.insert(key, alike);
        }
    }
    found
}

fn reason(note: &str) -> &str {
    note.split_once(FOUND).map_or(note, |(reason, _)| reason)
}

/// Returns failures for people. Failures of one solver for one reason are together.
pub fn failures_text(
    plan: &Plan,
    failed: impl IntoIterator<Item = (JobId, Outcome)>,
    stderr: StderrLines,
    style: Style,
) -> String {
    let failed = failure_groups(failed);
    let mut lines = Vec::new();
    for alike @ FailureGroup { first, outcome, cases, .. } in failed.shown() {
        let name = one_line(&plan.cases.at(first.case).name.0).into_owned();
        let what = if *cases == 1 { name.clone() } else { counted(*cases, "case") };
        let solver = one_line(&plan.solvers[first.solver].spec.name);
        let verdict = style.paint(paint_of(outcome.verdict), outcome.verdict.name());
        let note = alike.note().lines().next().unwrap_or_default();
        lines.push(format!("{what} ({solver}): {verdict}: {}", one_line(note)));
        if *cases > 1 {
            lines.push(format!("    the first of them: {name}"));
        }
        lines.extend(alike.details(plan, stderr, style));
    }
    lines.extend(failed.more());
    lines.join("\n")
}

/// Which lines of a solver's standard error are shown.
#[derive(Debug, Clone, Copy)]
pub enum StderrLines {
    /// All that are kept.
    All,
    /// The last ones. The text says how the others are shown.
    Last(&'static str),
}

impl StderrLines {
    /// Returns these lines of a text, quoted, and before them how many there are.
    pub(crate) fn quoted(self, text: &str) -> Vec<String> {
        let all = text.lines().count();
        match self {
            Self::Last(hint) if all > STDERR_LINES => {
                let before = format!("    … the last {STDERR_LINES} of {all} lines; {hint}");
                std::iter::once(before).chain(said(last_lines(text, STDERR_LINES))).collect()
            }
            _ => said(text.lines()).collect(),
        }
    }
}

/// Returns the last lines of a text, at most this many.
pub(crate) fn last_lines(text: &str, most: usize) -> impl Iterator<Item = &str> {
    text.lines().skip(text.lines().count().saturating_sub(most))
}

/// Returns the first `most` lines of a text, each with at most `width` characters, and how many lines follow.
pub(crate) fn first_lines(text: &str, most: usize, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().take(most).map(|line| line.chars().take(width).collect()).collect();
    let more = text.lines().count().saturating_sub(most);
    lines.extend((more > 0).then(|| format!("… {} more", counted(more, "line"))));
    lines
}

/// Quotes the lines of a program.
fn said<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    lines.map(|line| format!("    | {}", visible(line)))
}
