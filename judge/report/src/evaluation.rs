//! The results of `judge serve`: an evaluation as a document, and its feedback as text for a person or a model.

use crate::run::json::CaseRecords;
use crate::run::record::CaseRecord;
use crate::run::report::RunReport;
use crate::text::{self, Counts, Document, LimitsRecord, exact, first_lines, in_milliseconds, last_lines};
use judge_compare::paired::{Claim, EffectMeasure};
use judge_problem::{JobId, Outcome, RowKey, RowOrder, RunId, Verdict, as_text, counted};
use judge_statistics::Hypothesis;
use num_traits::Zero;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::time::Duration;

/// A candidate on some cases.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The report of the cases that were played: one solver, and an outcome for each case.
    pub report: &'a RunReport<'a>,
    /// The candidate's id.
    pub candidate: &'a str,
    /// The comparison with the incumbent, if there is one.
    pub versus: Option<&'a Versus>,
    /// The number of requested cases, if the comparison ended it before the last one.
    pub stopped_of: Option<usize>,
    /// How many cases were run.
    pub runs: usize,
    /// Whether it is now the best candidate on these cases.
    pub is_best: bool,
    /// Its number in the journal, if it was recorded.
    pub run: Option<RunId>,
}

/// A comparison with an incumbent.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Versus {
    /// The incumbent's id.
    pub against: String,
    /// The known result about the candidate.
    #[serde(serialize_with = "by_claim_name")]
    #[schemars(with = "&str", extend("enum" = CLAIMS))]
    pub claim: Claim,
    /// The mean effect. Above 0 the candidate is better. Absent if no case has one.
    pub effect: Option<f64>,
    /// The smallest mean effect that is not ruled out; absent with too few cases, or if losses have no bound.
    pub low: Option<f64>,
    /// The largest one; absent with too few cases.
    pub high: Option<f64>,
    /// The measured quantity.
    #[serde(serialize_with = "as_text::serialize")]
    #[schemars(with = "&str", extend("enum" = EffectMeasure::ALL.map(EffectMeasure::name)))]
    pub measure: EffectMeasure,
    /// How many cases both have played.
    pub cases: usize,
    /// The features and values on which the candidate loses, the worst first, in words.
    #[serde(skip)]
    pub losses: Vec<String>,
}

/// The result of the method `evaluate` of `judge serve`.
#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct EvaluationDocument<'a> {
    /// The candidate's id: equal programs have equal ids.
    candidate: &'a str,
    /// `accepted` if all cases are, else the commonest failure.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::name)))]
    verdict: &'static str,
    /// The total by the scoring rule; absent if the rule gives none.
    total: Option<Number>,
    /// The mean points of a case, likewise.
    mean: Option<Number>,
    /// How many cases were accepted.
    accepted: usize,
    /// How many were not.
    failures: usize,
    /// Whether the comparison ended it before the last case: total and mean are of the cases that were played.
    stopped_early: bool,
    /// The comparison with the incumbent; absent if there was none.
    comparison: Option<&'a Versus>,
    /// How many cases were run for this request.
    runs: usize,
    /// Whether the candidate is now the best of this server on these cases.
    is_best: bool,
    /// The number of the run in the journal, if it was recorded.
    run: Option<i64>,
    /// The limits that were used.
    limits: LimitsRecord,
    /// The wall time of the evaluation.
    elapsed_ms: f64,
    /// Text for a person or a model: verdict, totals, compiler messages, the worst cases with their reasons.
    feedback: String,
    /// The cases that were played, in their order.
    #[schemars(with = "Vec<CaseRecord<'a>>")]
    cases: CaseRecords<'a>,
}

/// The names of claims.
const CLAIMS: [&str; 6] = ["better", "worse", "not-better", "smaller", "equal", "undecided"];

fn claim_name(claim: Claim) -> &'static str {
    match claim {
        Claim::Accepted(Hypothesis::H0) => "not-better",
        Claim::Accepted(Hypothesis::H1) | Claim::Contrary | Claim::TooFew => "undecided",
        Claim::Better | Claim::Worse | Claim::Smaller | Claim::Equal | Claim::Undecided { .. } => {
            text::claim_name(claim)
        }
    }
}

fn by_claim_name<S: Serializer>(claim: &Claim, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(claim_name(*claim))
}

impl Document for Evaluation<'_> {
    fn record(&self) -> impl Serialize {
        let report = self.report;
        let verdicts: Vec<Verdict> = report.outcomes.verdicts().collect();
        let accepted = verdicts.iter().filter(|verdict| **verdict == Verdict::Accepted).count();
        EvaluationDocument {
            candidate: self.candidate,
            verdict: overall(&verdicts).name(),
            total: report.total(0).as_ref().and_then(exact),
            mean: report.mean(0).as_ref().and_then(exact),
            accepted,
            failures: verdicts.len() - accepted,
            stopped_early: self.stopped_of.is_some(),
            comparison: self.versus,
            runs: self.runs,
            is_best: self.is_best,
            run: self.run.map(|run| run.0),
            limits: (&report.plan.limits).into(),
            elapsed_ms: in_milliseconds(report.elapsed),
            feedback: self.feedback(),
            cases: CaseRecords(report),
        }
    }
}

/// Returns the verdict on all cases: accepted if all are. Otherwise it is the most frequent failure; among equally
/// frequent ones, the one that is most informative about the machine or the program.
fn overall(verdicts: &[Verdict]) -> Verdict {
    const PRECEDENCE: [Verdict; 11] = [
        Verdict::JudgeError,
        Verdict::CannotStart,
        Verdict::CompileError,
        Verdict::OutputLimit,
        Verdict::TimeLimit,
        Verdict::WallLimit,
        Verdict::MemoryLimit,
        Verdict::ProcessLimit,
        Verdict::RuntimeError,
        Verdict::WrongAnswer,
        Verdict::Skipped,
    ];
    let count = |verdict| verdicts.iter().filter(|one| **one == verdict).count();
    // The last of several maxima is the first in this order.
    let commonest = PRECEDENCE.into_iter().rev().max_by_key(|verdict| count(*verdict));
    commonest.filter(|verdict| count(*verdict) > 0).unwrap_or(Verdict::Accepted)
}

/// The maximal number of bytes of feedback.
const MAX_BYTES: usize = 8 << 10;

/// How many failed cases are described, how many accepted ones, and how many features.
const FAILURES: usize = 5;
const WEAKEST: usize = 3;
const LOSSES: usize = 5;

/// The number of lines shown of another program's text, and the number of characters per line.
const LINES: usize = 12;
const WIDTH: usize = 240;

impl Evaluation<'_> {
    /// Returns the feedback, bounded, without control characters but line feeds.
    pub fn feedback(&self) -> String {
        let mut lines = self.summary();
        let failed: Vec<(JobId, Outcome)> =
            self.report.played().filter(|(_, outcome)| !outcome.is_accepted()).collect();
        match failed.first() {
            Some((_, first)) if first.verdict == Verdict::CompileError => {
                lines.push("the compiler's messages:".to_owned());
                lines.extend(indented(&first.note));
            }
            _ => lines.extend(self.worst(&failed)),
        }
        if let Some(versus) = self.versus.filter(|versus| !versus.losses.is_empty()) {
            lines.push("it loses to the incumbent where:".to_owned());
            lines.extend(versus.losses.iter().take(LOSSES).map(|loss| format!("  {}", one_line(loss))));
        }
        bounded(&lines)
    }

    fn summary(&self) -> Vec<String> {
        let report = self.report;
        let verdicts: Vec<Verdict> = report.outcomes.verdicts().collect();
        let counts: Counts = verdicts.iter().copied().collect();
        let mut lines = vec![format!("{}: {counts}", overall(&verdicts).name())];
        let numbers = [("total", report.total(0)), ("mean", report.mean(0))];
        let known: Vec<String> =
            numbers.into_iter().filter_map(|(name, number)| Some(format!("{name} {}", number?))).collect();
        if !known.is_empty() {
            lines.push(format!("{} by the rule {}", known.join(", "), report.scored.rule));
        }
        if let Some(of) = self.stopped_of {
            lines.push(format!("stopped after {} of {}", report.plan.cases.len(), counted(of, "case")));
        }
        lines.extend(self.versus.map(Versus::line));
        lines
    }

    /// Describes failed cases, and then the accepted ones that lost the most.
    fn worst(&self, failed: &[(JobId, Outcome)]) -> Vec<String> {
        let report = self.report;
        let mut lines = Vec::new();
        let name = |job: JobId| report.plan.cases.at(job.case).name.to_string();
        for (job, outcome) in failed.iter().take(FAILURES) {
            let note = if outcome.note.is_empty() { String::new() } else { format!(": {}", one_line(&outcome.note)) };
            lines.push(format!("{}: {}{note}{}", one_line(&name(*job)), outcome.verdict.name(), used(outcome)));
            if !outcome.stderr.trim().is_empty() {
                lines.push("  standard error ends with:".to_owned());
                let last: Vec<&str> = last_lines(outcome.stderr.trim_end(), LINES).collect();
                lines.extend(indented(&last.join("\n")));
            }
        }
        let more = failed.len().saturating_sub(FAILURES);
        lines.extend((more > 0).then(|| format!("{} more failed", counted(more, "case"))));
        let order = RowOrder { key: RowKey::Lost, best_first: false, top: None };
        let accepted = report.played().filter(|(_, outcome)| outcome.is_accepted());
        let lost = |job| report.lost(job).filter(|lost| !lost.is_zero());
        let weakest = report.sorted(&order, accepted);
        for (job, outcome) in weakest.iter().take(WEAKEST) {
            let (Some(lost), Some(score)) = (lost(*job), &outcome.score) else { continue };
            let lost = report.points_text(&lost);
            let missing = if report.scored.rule.counts_raw_scores() {
                format!("{lost} worse than the best known")
            } else if report.scored.rule.max_points().is_some() {
                format!("{lost} points below the maximum")
            } else {
                format!("{lost} points below the best known")
            };
            let weight =
                if report.has_weights() { format!(", weight {}", report.weight(job.case)) } else { String::new() };
            lines.push(format!("{}: score {score}, {missing}{weight}", one_line(&name(*job))));
        }
        lines
    }
}

impl Versus {
    fn line(&self) -> String {
        let number = |effect: f64| self.measure.effect_text(effect);
        let interval = match (self.low, self.high) {
            (Some(low), Some(high)) => format!(" (from {} to {})", number(low), number(high)),
            (Some(low), None) => format!(" (at least {})", number(low)),
            (None, Some(high)) => format!(" (at most {})", number(high)),
            (None, None) => String::new(),
        };
        let effect = self.effect.map(|effect| format!(", by {}", number(effect))).unwrap_or_default();
        let claim = claim_name(self.claim);
        format!("against {}: {claim}{effect}{interval} on {}", self.against, counted(self.cases, "case"))
    }
}

/// Returns the usage of a program that exceeded a limit.
fn used(outcome: &Outcome) -> String {
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    match (outcome.verdict, outcome.cpu, outcome.wall) {
        (Verdict::TimeLimit | Verdict::WallLimit, Some(cpu), Some(wall)) => {
            format!(" (CPU {}, wall {})", seconds(cpu), seconds(wall))
        }
        _ => String::new(),
    }
}

/// Returns a text of another program as one line without control characters.
fn one_line(text: &str) -> String {
    judge_problem::one_line(&text.chars().take(WIDTH).collect::<String>().replace('\t', "    ")).into_owned()
}

/// Returns the first lines of a text of another program, indented, without control characters.
fn indented(text: &str) -> Vec<String> {
    first_lines(text, LINES, WIDTH).iter().map(|line| format!("    {}", one_line(line))).collect()
}

/// Returns as many of the lines as the bound allows.
fn bounded(lines: &[String]) -> String {
    const CUT: &str = "…\n";
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() + CUT.len() + 1 > MAX_BYTES {
            return text + CUT;
        }
        text += &format!("{line}\n");
    }
    text
}

/// The activity of a server: the result of the method `status` of `judge serve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeStatus<'a> {
    /// The judge's version.
    pub version: &'static str,
    /// The tier of the sandbox.
    pub tier: &'static str,
    /// The gaps of that tier.
    pub gaps: &'a [String],
    /// How many solvers run at once.
    pub jobs: usize,
    /// How many requests are being worked on.
    pub running: usize,
    /// How many requests wait.
    pub waiting: usize,
    /// How many may wait.
    pub queue: usize,
    /// How many evaluations were answered.
    pub evaluations: u64,
    /// How many cases were run.
    pub runs: u64,
    /// The number of cases answered from known results.
    pub cached: u64,
    /// The time since the server was started.
    pub uptime_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_failure_decides() {
        use Verdict::{Accepted, RuntimeError, TimeLimit, WrongAnswer};
        for (verdicts, expected) in [
            (&[Accepted, Accepted][..], Accepted),
            (&[], Accepted),
            (&[Accepted, Accepted, WrongAnswer], WrongAnswer),
            (&[RuntimeError, WrongAnswer, WrongAnswer], WrongAnswer),
            (&[WrongAnswer, RuntimeError, TimeLimit], TimeLimit),
        ] {
            assert_eq!(overall(verdicts), expected, "{verdicts:?}");
        }
    }

    #[test]
    fn texts_are_bounded_and_visible() {
        let hostile = "\u{1b}[2J\u{202e}x\r".repeat(1000);
        let lines: Vec<String> = (0..1000).flat_map(|_| indented(&hostile)).collect();
        let text = bounded(&lines);
        assert!(text.len() <= MAX_BYTES && text.ends_with("…\n"));
        assert!(!text.contains(|c: char| judge_problem::is_hidden(c) && c != '\n'), "{text:?}");
        assert_eq!(last_lines("a\nb\nc\n", 2).collect::<Vec<_>>(), ["b", "c"]);
    }
}
