//! A run in the form of its page: its rows, their fields, filters and orders.

use crate::reply::Refused;
use checkers::Score;
use judge_journal::Journal;
use judge_problem::condition::Formula;
use judge_problem::scoring::ScoredRun;
use judge_problem::{
    Catalogue, Condition, Features, GeneratorChoice, JobId, MetricRule, Outcome, Problem, RunId, StoredRun, Verdict,
};
use judge_report::{CaseRow, RunReport, best_score, share_of_best};
use judge_run::cases::CaseReader;
use judge_session::case_selection::{self, CaseDescriptions, stored_features};
use judge_session::command_line::at_places;
use judge_session::{Failure, RestoredRun};
use parking_lot::Mutex;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A run in the form of its page.
pub(super) struct ShownRun {
    pub(super) run: StoredRun,
    restored: RestoredRun,
    pub(super) scored: ScoredRun,
    /// The best score of each case.
    best: Vec<Option<Score>>,
    features: OnceLock<Vec<Option<Arc<Features>>>>,
    /// The rows that were requested last, the newest first.
    rows: Mutex<VecDeque<(RowQuery, Arc<Vec<JobId>>)>>,
}

impl ShownRun {
    /// Reads a run from the journal, and scores it as `judge history show` does.
    pub(super) fn read(journal: &Journal, catalogue: &Catalogue, id: RunId) -> Result<Self, Refused> {
        let run = journal.stored_run(id)?;
        let restored = RestoredRun::of(&run, catalogue)?;
        let scored = restored.score(None).map_err(Failure::fault)?;
        let best = (0..run.cases.len()).map(|case| best_score(&restored.plan, &restored.outcomes, case)).collect();
        Ok(Self { run, restored, scored, best, features: OnceLock::new(), rows: Mutex::default() })
    }

    /// Returns its report.
    pub(super) fn report(&self) -> RunReport<'_> {
        self.restored.report(&self.run, &self.scored, false)
    }

    /// Returns its problem.
    pub(super) fn problem(&self) -> &Problem {
        &self.restored.plan.problem
    }

    /// Returns the name of a solver.
    pub(super) fn solver_name(&self, solver: usize) -> &str {
        &self.restored.plan.solvers[solver].spec.name
    }

    /// Returns the number of its solvers.
    pub(super) fn solver_count(&self) -> usize {
        self.restored.plan.solvers.len()
    }

    /// Returns every job.
    fn jobs(&self) -> impl Iterator<Item = JobId> {
        let solvers = self.solver_count();
        (0..self.run.cases.len()).flat_map(move |case| (0..solvers).map(move |solver| JobId { case, solver }))
    }

    /// Returns the rows of a query. Rows without the number come last.
    pub(super) fn rows(&self, query: RowQuery) -> Result<Arc<Vec<JobId>>, Refused> {
        let mut known = self.rows.lock();
        if let Some((_, rows)) = known.iter().find(|(known, _)| *known == query) {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(sorted(self, &query)?);
        known.truncate(KEPT - 1);
        known.push_front((query, Arc::clone(&rows)));
        Ok(rows)
    }

    /// Returns a job as a row of a page.
    pub(super) fn row<'a>(&self, report: &'a RunReport<'a>, job: JobId, reader: Option<&CaseReader>) -> CaseRow<'a> {
        let known = || self.features.get().and_then(|features| features[job.case].clone());
        let read = || {
            let described = reader?.describe(&self.run.cases.specs().at(job.case)).ok()?;
            let is_recorded = self.run.cases.inputs()[job.case] == Some(described.input);
            is_recorded.then(|| Arc::new(described.features))
        };
        let stored = || Some(Arc::new(self.run.cases.features()[job.case].as_ref()?.features()));
        let has_answer =
            self.run.cases.at(job.case).results[job.solver].as_ref().is_some_and(|result| result.answer.is_some());
        let features = known().or_else(read).or_else(stored);
        CaseRow { report, job, relative: self.relative(job), features, has_answer }
    }

    /// Returns the reader of the inputs of its cases; `None` if reading would start a program.
    pub(super) fn reader(&self) -> Option<CaseReader> {
        let problem = self.problem();
        (!starts_programs(problem)).then(|| CaseReader::of(problem))
    }

    /// Returns the names of the features of its first case.
    pub(super) fn feature_names(&self) -> Vec<String> {
        let first = || self.reader()?.describe(&self.run.cases.iter().next()?.spec).ok();
        let stored = || Some(self.run.cases.features().iter().flatten().next()?.features());
        let features = first().map(|first| first.features).or_else(stored).unwrap_or_default();
        features.iter().map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the names that rows can be filtered and sorted by, in addition to the features of the cases.
    pub(super) fn field_names(&self) -> Vec<String> {
        let metrics = self.problem().metrics.iter().map(MetricRule::full_name);
        Field::OF_EVERY_RUN.iter().map(|(name, _)| (*name).to_owned()).chain(metrics).collect()
    }

    /// Fails if a field is a feature that no case has, or a metric that the problem does not declare.
    pub(super) fn check_field(&self, field: &Field) -> Result<(), Refused> {
        let name = match field {
            Field::Metric(name) => return Ok(case_selection::check_metric(self.problem(), name)?),
            Field::Feature(name) => name,
            _ => return Ok(()),
        };
        let problem = self.problem();
        if self.run.cases.features().iter().all(Option::is_none) {
            check_inputs(problem, &format!("judge history show {} --where CONDITION --html PATH", self.run.id))?;
        }
        let known: Vec<&Features> = self.features().iter().flatten().map(Arc::as_ref).collect();
        Ok(case_selection::check_names([name.as_str()], &known)?)
    }

    /// Returns a number of a row; `None` if it has none.
    pub(super) fn value(&self, job: JobId, field: &Field) -> Option<Score> {
        let place = |place: usize| i64::try_from(place).ok().map(Score::from);
        match field {
            Field::Case => place(job.case),
            Field::Solver => place(job.solver),
            Field::Verdict => place(self.restored.outcomes.verdict(job) as usize),
            Field::Score => self.outcome(job)?.score,
            Field::Points => self.outcome(job).and_then(|_| self.report().points(job))?.parse().ok(),
            Field::Relative => format!("{:.9}", self.relative(job)?).parse().ok(),
            Field::Cpu => milliseconds(self.outcome(job)?.cpu?),
            Field::Wall => milliseconds(self.outcome(job)?.wall?),
            Field::Memory => Some(Score::from(i64::try_from(self.outcome(job)?.memory?).ok()?)),
            Field::Metric(name) => self.outcome(job)?.metrics.get(name).cloned(),
            Field::Feature(name) => self.features()[job.case].as_ref()?.get(name).cloned(),
        }
    }

    /// Returns the share of the best score of its case that a job reached.
    pub(super) fn relative(&self, job: JobId) -> Option<f64> {
        let score = self.outcome(job)?.score?;
        let best = self.best[job.case].as_ref()?;
        share_of_best(self.problem().direction, &score, best)
    }

    /// Returns the mean share of the best scores that a solver reached; a failure counts 0.
    pub(super) fn mean_relative(&self, solver: usize) -> Option<f64> {
        let of_case = |case: usize| {
            self.best[case].as_ref()?;
            let job = JobId { case, solver };
            self.outcome(job).map(|_| self.relative(job).unwrap_or(0.0))
        };
        let shares = (0..self.best.len()).filter_map(of_case);
        let (sum, count) = shares.fold((0.0, 0), |(sum, count), share| (sum + share, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Returns the outcome of a job, if it has one.
    pub(super) fn outcome(&self, job: JobId) -> Option<Outcome> {
        self.restored.outcomes.get(job)
    }

    fn features(&self) -> &[Option<Arc<Features>>] {
        let read = || match starts_programs(self.problem()) {
            true => stored_features(&self.run),
            false => CaseDescriptions::of(self.problem()).describe_run(&self.run),
        };
        self.features.get_or_init(read)
    }
}

/// Returns whether reading the input of a case starts a program of the problem's author.
pub(super) fn starts_programs(problem: &Problem) -> bool {
    matches!(problem.generator, Some(GeneratorChoice::Command(_) | GeneratorChoice::Files(_)))
}

/// Fails if reading the inputs of its cases, and so their features, starts a program. The hint is the command that does.
pub(super) fn check_inputs(problem: &Problem, hint: &str) -> Result<(), Failure> {
    if !starts_programs(problem) {
        return Ok(());
    }
    let error = format!("the inputs of `{}` are made by running its generator, which a page does not do", problem.id);
    Err(Failure::usage(error).with_hint(at_places(hint)))
}

/// Returns a time in milliseconds with three decimals, rounded as in reports.
fn milliseconds(time: Duration) -> Option<Score> {
    let micros = (time.as_nanos() + 500) / 1000;
    format!("{}.{:03}", micros / 1000, micros % 1000).parse().ok()
}

/// The number of queries of a run whose rows are kept.
const KEPT: usize = 4;

/// Which rows are shown, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RowQuery {
    /// Only rows for which this holds.
    pub(super) condition: Option<Condition>,
    /// Only rows of the solver of this place.
    pub(super) solver: Option<usize>,
    pub(super) by: Field,
    pub(super) descending: bool,
}

fn sorted(run: &ShownRun, query: &RowQuery) -> Result<Vec<JobId>, Refused> {
    let RowQuery { condition, solver, by, descending } = query;
    run.check_field(by)?;
    let names = Names::of(run, condition.iter().flat_map(Condition::names))?;
    let holds = |job| condition.as_ref().is_none_or(|condition| condition.holds(&names.numbers(run, job)));
    let is_shown = |job: &JobId| solver.is_none_or(|solver| solver == job.solver) && holds(*job);
    let jobs = run.jobs().filter(is_shown);
    if *by == Field::Case {
        let mut jobs: Vec<JobId> = jobs.collect();
        if *descending {
            jobs.reverse();
        }
        return Ok(jobs);
    }
    let mut rows: Vec<_> = jobs.map(|job| (run.value(job, by), job)).collect();
    rows.sort_by(|(left, _), (right, _)| compare(left.as_ref(), right.as_ref(), *descending));
    Ok(rows.into_iter().map(|(_, job)| job).collect())
}

fn compare(left: Option<&Score>, right: Option<&Score>, descending: bool) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) if descending => right.cmp(left),
        (Some(left), Some(right)) => left.cmp(right),
        _ => right.is_some().cmp(&left.is_some()),
    }
}

/// The names in a condition or in formulas, and where their numbers come from.
pub(super) struct Names {
    /// The same number for every row.
    verdicts: Features,
    fields: Vec<(String, Field)>,
}

impl Names {
    /// Resolves names. Fails if one is unknown.
    pub(super) fn of<'a>(run: &ShownRun, names: impl IntoIterator<Item = &'a str>) -> Result<Self, Refused> {
        let (mut verdicts, mut fields) = (Features::default(), Vec::new());
        for name in names {
            if let Some(number) = verdict_number(name) {
                verdicts.set(name, number.into());
                continue;
            }
            let field = Field::named(name);
            run.check_field(&field)?;
            fields.push((name.to_owned(), field));
        }
        Ok(Self { verdicts, fields })
    }

    /// Returns the numbers of a row.
    pub(super) fn numbers(&self, run: &ShownRun, job: JobId) -> Features {
        let mut numbers = self.verdicts.clone();
        for (name, field) in &self.fields {
            if let Some(value) = run.value(job, field) {
                numbers.set(name, value);
            }
        }
        numbers
    }
}

/// Formulas of a chart, with the numbers of its rows.
pub(super) struct Axes<const N: usize> {
    formulas: [Formula; N],
    names: Names,
}

impl<const N: usize> Axes<N> {
    /// Parses the formulas of axes. Fails if one is invalid, or has an unknown name.
    pub(super) fn parse(run: &ShownRun, texts: [&str; N]) -> Result<Self, Refused> {
        let parse = |text: &str| text.parse::<Formula>().map_err(|error| Failure::usage(format!("`{text}`: {error}")));
        let formulas = texts.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let names = Names::of(run, formulas.iter().flat_map(Formula::names))?;
        let formulas = formulas.try_into().map_err(|_| Failure::fault("as many formulas as texts"))?;
        Ok(Self { formulas, names })
    }

    /// Returns the numbers of a row; `None` unless it has all of them.
    pub(super) fn of(&self, run: &ShownRun, job: JobId) -> Option<[f64; N]> {
        let numbers = self.names.numbers(run, job);
        let values: Vec<f64> =
            self.formulas.iter().map(|formula| formula.value(&numbers)).collect::<Option<Vec<_>>>()?;
        values.try_into().ok()
    }
}

/// A number of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) enum Field {
    /// The place of the case in the run.
    #[default]
    Case,
    /// The place of the solver in the run.
    Solver,
    /// The place of the verdict: accepted first.
    Verdict,
    Score,
    Points,
    /// The share of the best score of the case.
    Relative,
    Cpu,
    Wall,
    Memory,
    /// A metric of the result: `metric:moves`.
    Metric(String),
    /// A feature of the case.
    Feature(String),
}

impl Field {
    /// The fields of every run, with their names. A feature of the same name is hidden.
    const OF_EVERY_RUN: [(&'static str, Self); 9] = [
        ("case", Self::Case),
        ("solver", Self::Solver),
        ("verdict", Self::Verdict),
        ("score", Self::Score),
        ("points", Self::Points),
        ("relative", Self::Relative),
        ("cpu_ms", Self::Cpu),
        ("wall_ms", Self::Wall),
        ("memory_bytes", Self::Memory),
    ];

    /// Returns the field of this name: a field of every run, a metric, or else a feature.
    pub(super) fn named(name: &str) -> Self {
        if let Some(metric) = name.strip_prefix(MetricRule::PREFIX) {
            return Self::Metric(metric.to_owned());
        }
        let known = Self::OF_EVERY_RUN.into_iter().find(|(known, _)| *known == name);
        known.map_or_else(|| Self::Feature(name.to_owned()), |(_, field)| field)
    }
}

/// Returns the number of a verdict's code in a condition, such as `verdict!=AC`.
fn verdict_number(code: &str) -> Option<i64> {
    let place = Verdict::ALL.iter().position(|verdict| verdict.code() == code)?;
    i64::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_a_field_of_its_own() {
        let fields: std::collections::HashSet<_> =
            Field::OF_EVERY_RUN.map(|(name, _)| Field::named(name)).into_iter().collect();
        assert_eq!(fields.len(), Field::OF_EVERY_RUN.len());
        assert!(!fields.iter().any(|field| matches!(field, Field::Feature(_))));
        assert_eq!(Field::named("N"), Field::Feature("N".to_owned()));
        assert_eq!(Field::named("metric:N"), Field::Metric("N".to_owned()));
    }

    #[test]
    fn verdicts_are_in_the_order_of_summaries() {
        assert_eq!((verdict_number("AC"), verdict_number("WA"), verdict_number("XX")), (Some(0), Some(1), None));
    }
}
