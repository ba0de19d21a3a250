//! The metrics of a run: their columns, their means, and the non-dominated solvers for two of them.

use crate::run::report::RunReport;
use crate::text::{TextTable, exact, points_text};
use judge_problem::{Direction, InvalidText, MetricRule, Outcome, Problem};
use num_rational::BigRational;
use num_traits::Zero;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use std::collections::BTreeMap;

/// A metric that the problem declares.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MetricRecord<'a> {
    /// Its name in the record of a case.
    name: &'a str,
    /// Its source. A solver's own metrics are never part of a score.
    #[schemars(extend("enum" = ["checker", "solver"]))]
    by: &'static str,
    /// Which values are better, if the problem defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    direction: Option<&'static str>,
}

/// A metric of a solver over the whole run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MeanRecord {
    /// How many cases have it.
    cases: usize,
    /// Its mean over these cases, rounded to three decimals, or to three digits if it is smaller.
    mean: Option<Number>,
}

/// Returns the metrics that the problem declares.
pub(crate) fn metric_records<'a>(report: &'a RunReport<'_>) -> Vec<MetricRecord<'a>> {
    let record = |rule: &'a MetricRule| MetricRecord {
        name: &rule.name,
        by: if rule.is_by_checker() { "checker" } else { "solver" },
        direction: rule.direction.map(Direction::name),
    };
    report.plan.problem.metrics.iter().map(record).collect()
}

/// Returns the means of a solver by the name of the metric.
pub(crate) fn mean_records<'a>(report: &'a RunReport<'_>, solver: usize) -> BTreeMap<&'a str, MeanRecord> {
    let record = |rule: &'a MetricRule| {
        let (cases, mean) = mean_of(report, solver, rule)?;
        Some((&*rule.name, MeanRecord { cases, mean: exact(&points_text(&mean)) }))
    };
    report.plan.problem.metrics.iter().filter_map(record).collect()
}

/// Returns the number of accepted cases that have a metric, and its mean; `None` without a case.
fn mean_of(report: &RunReport<'_>, solver: usize, rule: &MetricRule) -> Option<(usize, BigRational)> {
    // The direction does not matter for a mean.
    let measure = Measure::Metric(rule.name.clone(), Direction::Max);
    means(report, solver, [&measure]).map(|(cases, [mean])| (cases, mean))
}

/// Returns the title of a metric's column. A number that the solver itself reports is marked.
pub(crate) fn title(rule: &MetricRule) -> String {
    if rule.is_by_checker() { rule.name.clone() } else { format!("{} (by the solver)", rule.name) }
}

/// Returns a metric of a job as text.
pub(crate) fn value(outcome: Option<&Outcome>, rule: &MetricRule) -> Option<String> {
    Some(outcome?.metrics.get(&rule.name)?.to_string())
}

/// Returns the mean of a metric of a solver as text, over the cases that have it.
pub(crate) fn mean_text(report: &RunReport<'_>, solver: usize, rule: &MetricRule) -> Option<String> {
    mean_of(report, solver, rule).map(|(_, mean)| points_text(&mean))
}

/// A measure that solvers are compared by in a table of non-dominated solvers.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Measure {
    Score(Direction),
    Cpu,
    Memory,
    Metric(String, Direction),
}

/// Two measures. A gain of one may be worth a loss of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pareto([Measure; 2]);

impl Pareto {
    /// Reads two measures of a problem: `score,metric:moves`.
    ///
    /// # Errors
    /// When they are not two, are unknown, or have no direction.
    pub fn of(problem: &Problem, text: &str) -> Result<Self, InvalidText> {
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        match names.as_slice() {
            [first, second] if first != second => {
                Ok(Self([Measure::of(problem, first)?, Measure::of(problem, second)?]))
            }
            _ => Err(InvalidText(format!("expected two measures, found `{text}`"))),
        }
    }

    fn names(&self) -> [String; 2] {
        self.0.each_ref().map(Measure::name)
    }
}

impl Measure {
    /// Returns the measure of this name. The prefix of a metric may be left out.
    fn of(problem: &Problem, name: &str) -> Result<Self, InvalidText> {
        let metric = name.strip_prefix(MetricRule::PREFIX).unwrap_or(name);
        match (name, problem.metrics.iter().find(|rule| rule.name == metric)) {
            (_, Some(rule)) => {
                let why = "[problem.metrics] does not say which values are better";
                let error = || InvalidText(format!("the metric `{}` has no direction: {why}", rule.name));
                let direction = rule.direction.ok_or_else(error)?;
                Ok(Self::Metric(rule.name.clone(), direction))
            }
            ("score", None) => Ok(Self::Score(problem.direction)),
            ("cpu", None) => Ok(Self::Cpu),
            ("memory", None) => Ok(Self::Memory),
            _ => {
                let known = ["score", "cpu", "memory"].map(str::to_owned).into_iter();
                let known: Vec<String> = known.chain(problem.metrics.iter().map(MetricRule::full_name)).collect();
                let error = format!("`{}` has no measure `{name}`; known: {}", problem.id, known.join(", "));
                Err(InvalidText(error))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Score(_) => "score".to_owned(),
            Self::Cpu => "cpu_ms".to_owned(),
            Self::Memory => "memory_bytes".to_owned(),
            Self::Metric(name, _) => format!("{}{name}", MetricRule::PREFIX),
        }
    }

    /// Returns the number of an outcome: times in milliseconds, memory in bytes.
    fn number(&self, outcome: &Outcome) -> Option<BigRational> {
        match self {
            Self::Score(_) => Some(outcome.score.as_ref()?.to_rational()),
            Self::Cpu => Some(BigRational::new(outcome.cpu?.as_nanos().into(), 1_000_000.into())),
            Self::Memory => Some(BigRational::from_integer(outcome.memory?.into())),
            Self::Metric(name, _) => Some(outcome.metrics.get(name)?.to_rational()),
        }
    }

    /// Returns whether a number is at least as good as another one.
    fn is_as_good(&self, number: &BigRational, other: &BigRational) -> bool {
        match self {
            Self::Score(Direction::Max) | Self::Metric(_, Direction::Max) => number >= other,
            Self::Score(Direction::Min) | Self::Metric(_, Direction::Min) | Self::Cpu | Self::Memory => number <= other,
        }
    }
}

/// Returns the number of accepted cases on which a solver has all of these numbers, and their means; `None` without a case.
fn means<const N: usize>(
    report: &RunReport<'_>,
    solver: usize,
    measures: [&Measure; N],
) -> Option<(usize, [BigRational; N])> {
    let (mut cases, mut sums) = (0, [(); N].map(|()| BigRational::zero()));
    for outcome in report.outcomes.of_solver(solver).flatten().filter(Outcome::is_accepted) {
        let numbers = measures.map(|measure| measure.number(&outcome));
        if numbers.iter().all(Option::is_some) {
            cases += 1;
            sums.iter_mut().zip(numbers.into_iter().flatten()).for_each(|(sum, number)| *sum += number);
        }
    }
    let count = BigRational::from_integer(cases.into());
    (cases > 0).then(|| (cases, sums.map(|sum| sum / &count)))
}

/// Returns the solvers that no other solver dominates. A solver dominates another if it is at least as good in both
/// measures, on at least as many cases, and better in one of these.
fn front<'a>(report: &'a RunReport<'_>, Pareto(measures): &Pareto) -> Vec<FrontRecord<'a>> {
    let solvers = report.plan.solvers.iter().enumerate();
    let all: Vec<_> = solvers
        .filter_map(|(place, solver)| Some((&solver.spec.name, means(report, place, measures.each_ref())?)))
        .collect();
    type Means = (usize, [BigRational; 2]);
    let is_as_good = |(cases, means): &Means, (other_cases, others): &Means| {
        cases >= other_cases
            && measures.iter().zip(means.iter().zip(others)).all(|(m, (own, its))| m.is_as_good(own, its))
    };
    let dominates = |one: &Means, other: &Means| is_as_good(one, other) && !is_as_good(other, one);
    let kept = all.iter().filter(|(_, one)| !all.iter().any(|(_, other)| dominates(other, one)));
    kept.map(|(name, (cases, means))| FrontRecord {
        name,
        means: means.iter().filter_map(|mean| exact(&points_text(mean))).collect(),
        cases: *cases,
    })
    .collect()
}

/// Returns the table of non-dominated solvers, if it was requested.
pub(crate) fn pareto_table(report: &RunReport<'_>) -> Option<TextTable> {
    let pareto = report.pareto?;
    let [first, second] = pareto.names();
    let titles = ["not dominated", &format!("mean {first}"), &format!("mean {second}"), "cases"];
    let row = |solver: FrontRecord<'_>| {
        let means = solver.means.iter().map(ToString::to_string);
        [solver.name.to_owned()].into_iter().chain(means).chain([solver.cases.to_string()]).collect()
    };
    Some(TextTable::new(&titles, 1, front(report, pareto).into_iter().map(row)))
}

/// The solvers that no other one is better than in both of two measures.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ParetoRecord<'a> {
    /// The two measures.
    measures: [String; 2],
    /// The solvers, in the order of the command line.
    solvers: Vec<FrontRecord<'a>>,
}

/// A solver that no other one dominates.
#[derive(Debug, Serialize, JsonSchema)]
struct FrontRecord<'a> {
    /// Its name.
    name: &'a str,
    /// The mean of each measure, rounded to three decimals.
    #[schemars(with = "Vec<f64>")]
    means: Vec<Number>,
    /// The number of accepted cases that have both.
    cases: usize,
}

/// Returns the record of non-dominated solvers, if it was requested.
pub(crate) fn pareto_record<'a>(report: &'a RunReport<'_>) -> Option<ParetoRecord<'a>> {
    let pareto = report.pareto?;
    Some(ParetoRecord { measures: pareto.names(), solvers: front(report, pareto) })
}
