//! The web page of a run.

use crate::assets::RUN_CHARTS;
use crate::charted::Ranges;
use crate::html::page::{Charts, OF_RUN, Shown, Table, in_script, table};
use crate::run::metrics::{pareto_table, title, value};
use crate::run::report::RunReport;
use crate::run::tables::{groups, leaderboard, matrix, test_groups};
use crate::text::chart_stride;
use crate::text::{
    Counts, NOTHING, allowance_lines, best_score, in_milliseconds, json_line, memory, milliseconds, or_nothing,
    provenance_lines, share_of_best,
};
use askama::Template;
use judge_problem::{JobId, Outcome, Verdict, is_feature_name, one_line};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use std::{fmt, io};

/// The largest matrix that is shown, in cells. The table of cases has all of them.
const MAX_MATRIX_CELLS: usize = 20_000;

/// A table with more rows than this is drawn while it is scrolled, because a browser cannot hold a million rows.
const MAX_ROWS: usize = 2_000;

#[derive(Template)]
#[template(path = "results.html")]
struct Page<'a> {
    title: Shown,
    heading: Shown,
    summary: Shown,
    /// Date, command, limits and machine; the number of skipped cases and of noisy timings; values that are the same in
    /// every row.
    lines: Vec<Shown>,
    solvers: Table<'a>,
    /// The tables after the charts, each with its heading.
    tables: Vec<(&'static str, Table<'a>)>,
    matrix: Option<Table<'a>>,
    /// The titles of the columns between the verdict and the note.
    titles: Vec<String>,
    has_solvers: bool,
    cases: Vec<CaseRow>,
    /// All rows, if there are too many for a plain table.
    drawn: Option<DrawnRows<'a>>,
    charts: Charts,
}

/// Writes the results of a run as a self-contained web page.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn run_html(report: &RunReport<'_>, output: &mut dyn Write) -> io::Result<()> {
    let problem = &report.plan.problem;
    let counts: Counts = report.outcomes.verdicts().collect();
    let summary = format!(
        "{counts}; {} with {} at once; sandbox tier {}; judge {}",
        milliseconds(report.elapsed),
        report.jobs,
        report.tier,
        env!("CARGO_PKG_VERSION")
    );
    let message = report.message.map(|message| format!("; {message}")).unwrap_or_default();
    let figures = Figures::of(report);
    let has_solvers = report.plan.solvers.len() > 1;
    let is_drawn = report.played().nth(MAX_ROWS).is_some();
    let rows = || report.ordered_played().map(|(job, outcome)| CaseRow::of(report, &figures, job, &outcome));
    let solvers = leaderboard(report);
    let tables = [
        ("Test groups", "test-groups", test_groups(report)),
        ("Groups", "groups", groups(report)),
        ("Solvers that no other one dominates", "pareto", pareto_table(report)),
    ];
    let has_matrix = has_solvers && report.outcomes.len() <= MAX_MATRIX_CELLS;
    let matrix = has_matrix.then(|| matrix(report, usize::MAX));
    let page = Page {
        title: Shown::line(&format!("{} – {counts}", problem.title)),
        heading: Shown::line(&problem.title),
        summary: Shown::line(&format!("{summary}{message}")),
        lines: lines(report, &figures.same).iter().map(|line| Shown::line(line)).collect(),
        solvers: table("solvers", &solvers),
        tables: tables.iter().filter_map(|(title, id, content)| Some((*title, table(id, content.as_ref()?)))).collect(),
        matrix: matrix.as_ref().map(|content| table("solvers-side-by-side", content)),
        titles: figures.titles(report),
        has_solvers,
        cases: if is_drawn { Vec::new() } else { rows().collect() },
        drawn: is_drawn.then_some(DrawnRows { report, figures: &figures }),
        charts: Charts::drawn_by(&OF_RUN, RUN_CHARTS, numbers(report)),
    };
    page.write_into(output)
}

fn lines(report: &RunReport<'_>, same: &[Option<String>; 7]) -> Vec<String> {
    let known = same.iter().zip(FIGURES).filter_map(|(value, (title, _))| Some((title, value.as_ref()?)));
    let known: Vec<_> =
        known.filter(|(_, value)| *value != NOTHING).map(|(title, value)| format!("{title} {value}")).collect();
    let known = (!known.is_empty()).then(|| format!("the same on every case: {}", known.join(", ")));
    let mut lines = provenance_lines(report.provenance, Some(&report.plan.limits));
    lines.extend(allowance_lines(report.plan));
    lines.extend(report.remarks().chain(known));
    lines
}

/// A solver on a case.
struct CaseRow {
    case: Shown,
    solver: Shown,
    verdict: Verdict,
    figures: Vec<Shown>,
    noisy: bool,
    details: Option<Details>,
}

/// Why a case was not accepted, and the solver's standard error.
struct Details {
    note: Shown,
    /// The rest of the note, and standard error.
    texts: Vec<Shown>,
    command: Option<Shown>,
}

impl CaseRow {
    /// Returns the row of a job.
    fn of(report: &RunReport<'_>, figures: &Figures, job: JobId, outcome: &Outcome) -> Self {
        Self {
            case: Shown::line(&report.plan.cases.at(job.case).name.0),
            solver: Shown::line(&report.plan.solvers[job.solver].spec.name),
            verdict: outcome.verdict,
            figures: figures.of_row(report, job, outcome).iter().map(|figure| Shown::line(figure)).collect(),
            noisy: outcome.is_accepted() && outcome.noisy && figures.show_noise,
            details: (!outcome.is_accepted() || !outcome.stderr.is_empty()).then(|| details(report, job, outcome)),
        }
    }
}

fn details(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> Details {
    let (note, more) = outcome.note.split_once('\n').unwrap_or((&outcome.note, ""));
    let texts = [more, &outcome.stderr].into_iter().filter(|text| !text.is_empty());
    Details {
        note: Shown::line(if outcome.is_accepted() { "standard error" } else { note }),
        texts: texts.map(Shown::lines).collect(),
        command: report.plan.reproduce(job).map(|command| Shown::line(&command)),
    }
}

/// Returns a figure of a job, if it has it.
type FigureOf = fn(&RunReport<'_>, JobId, &Outcome) -> Option<String>;

/// The figures of a case, each with its title.
const FIGURES: [(&str, FigureOf); 7] = [
    ("score", |_, _, outcome| outcome.score.as_ref().map(ToString::to_string)),
    ("points", |report, job, _| report.points(job)),
    ("weight", |report, job, _| Some(report.weight(job.case))),
    ("group", |report, job, _| report.plan.test_group_name(job.case).map(str::to_owned)),
    ("CPU", |_, _, outcome| outcome.cpu.map(milliseconds)),
    ("wall", |_, _, outcome| outcome.wall.map(milliseconds)),
    ("memory", |_, _, outcome| outcome.memory.map(memory)),
];

/// Which figures have a column.
struct Figures {
    /// Each figure that is the same in every row, and so needs no column.
    same: [Option<String>; FIGURES.len()],
    /// Whether noisy timings are marked. They are not if most timings are noisy.
    show_noise: bool,
}

impl Figures {
    fn of(report: &RunReport<'_>) -> Self {
        let mut rows = report.played();
        let Some((job, outcome)) = rows.next() else {
            return Self { same: Default::default(), show_noise: false };
        };
        let first = |place| figure(report, place, job, &outcome);
        // The score always has a column.
        let mut same: [Option<String>; FIGURES.len()] = std::array::from_fn(|place| (place > 0).then(|| first(place)));
        let mut is_single = true;
        for (job, outcome) in rows {
            is_single = false;
            for (place, known) in same.iter_mut().enumerate() {
                if known.as_ref().is_some_and(|known| figure(report, place, job, &outcome) != *known) {
                    *known = None;
                }
            }
        }
        if is_single {
            // A single row has no constant columns, only unknown figures.
            same.iter_mut().for_each(|known| *known = known.take().filter(|known| known == NOTHING));
        }
        Self { same, show_noise: !report.is_mostly_noisy() }
    }

    fn shown(&self) -> impl Iterator<Item = usize> {
        (0..FIGURES.len()).filter(|&place| self.same[place].is_none())
    }

    /// Returns the titles of the columns.
    fn titles(&self, report: &RunReport<'_>) -> Vec<String> {
        let metrics = report.plan.problem.metrics.iter().map(title);
        self.shown().map(|place| FIGURES[place].0.to_owned()).chain(metrics).collect()
    }

    /// Returns the figures of a row, a column each.
    fn of_row(&self, report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> Vec<String> {
        let metrics = report.plan.problem.metrics.iter().map(|rule| or_nothing(value(Some(outcome), rule)));
        self.shown().map(|place| figure(report, place, job, outcome)).chain(metrics).collect()
    }
}

/// Returns a figure of a job, by its index in [`FIGURES`].
fn figure(report: &RunReport<'_>, place: usize, job: JobId, outcome: &Outcome) -> String {
    or_nothing(FIGURES[place].1(report, job, outcome))
}

/// A line of JSON with what all rows share, the names of the solvers and of the verdicts. Then the rows of a run, one line of
/// JSON each: the verdict's code, the case, the solver's place, and the figures; then
/// whether the timing is noisy (0 or 1), and the note, the texts and the command, if there are any. Its display form is
/// safe in a script.
struct DrawnRows<'a> {
    report: &'a RunReport<'a>,
    figures: &'a Figures,
}

impl fmt::Display for DrawnRows<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solvers: Vec<_> = self.report.plan.solvers.iter().map(|solver| one_line(&solver.spec.name)).collect();
        let verdicts: Vec<_> = Verdict::ALL.iter().map(|verdict| (verdict.code(), verdict.name())).collect();
        formatter.write_str(&in_script(&json_line(&(solvers, verdicts)).map_err(|_| fmt::Error)?))?;
        for (job, outcome) in self.report.ordered_played() {
            let CaseRow { case, figures, noisy, details, .. } = CaseRow::of(self.report, self.figures, job, &outcome);
            let mut row = vec![outcome.verdict.code().into(), case.to_string().into(), job.solver.into()];
            row.extend(figures.iter().map(|figure| serde_json::Value::from(figure.to_string())));
            if noisy || details.is_some() {
                row.push(u8::from(noisy).into());
            }
            if let Some(details) = details {
                let texts: Vec<String> = details.texts.iter().map(ToString::to_string).collect();
                row.extend([details.note.to_string().into(), texts.into()]);
                row.extend(details.command.map(|command| command.to_string().into()));
            }
            formatter.write_str(&in_script(&json_line(&row).map_err(|_| fmt::Error)?))?;
        }
        Ok(())
    }
}

/// The numbers that every row may have, named as in the page of `judge ui`.
const FIELDS: [&str; 7] = ["score", "points", "relative", "cpu_ms", "wall_ms", "memory_bytes", "case"];

#[derive(Serialize)]
struct Numbers<'a> {
    /// The names of the numbers.
    fields: &'a [Cow<'a, str>],
    /// How many rows the run has.
    rows: usize,
    solvers: &'a [SolverNumbers<'a>],
    /// How often each number occurs, over all rows: in the order of the fields.
    counts: Vec<Ranges<'a>>,
}

#[derive(Serialize)]
struct SolverNumbers<'a> {
    solver: Cow<'a, str>,
    /// Its mean share of the best scores; a failure counts 0.
    relative: Option<f64>,
    /// The names of the cases.
    cases: Vec<String>,
    /// A list for each field, with a number for each case that has it.
    numbers: Vec<Vec<Option<f64>>>,
}

/// Returns the numbers of a run as JSON that is safe in a script.
fn numbers(report: &RunReport<'_>) -> String {
    let features = feature_names(report);
    let metrics = &report.plan.problem.metrics;
    let metric_names = metrics.iter().map(|rule| Cow::Owned(rule.full_name()));
    let named = FIELDS.into_iter().map(Cow::Borrowed).chain(metric_names);
    let fields: Vec<Cow<'_, str>> = named.chain(features.iter().copied().map(Cow::Borrowed)).collect();
    let rows = report.played().count();
    let empty =
        |solver| SolverNumbers { solver, relative: None, cases: Vec::new(), numbers: vec![Vec::new(); fields.len()] };
    let names = report.plan.solvers.iter().map(|solver| one_line(&solver.spec.name));
    let mut solvers: Vec<_> = names.map(empty).collect();
    // The sum and the number of the shares of the best scores that each solver has reached.
    let mut shares = vec![(0.0, 0_u32); solvers.len()];
    let mut all = vec![vec![Vec::new(); solvers.len()]; fields.len()];
    let every = chart_stride(rows);
    for (row, (job, outcome)) in report.played().enumerate() {
        let best = best_score(report.plan, report.outcomes, job.case);
        let share_of = |best| share_of_best(report.plan.problem.direction, outcome.score.as_ref()?, best);
        let relative = best.as_ref().and_then(share_of);
        if best.is_some() {
            let (sum, count) = &mut shares[job.solver];
            *sum += relative.unwrap_or(0.0);
            *count += 1;
        }
        let feature = |name: &&str| report.features[job.case].as_ref()?.get(name)?.to_string().parse().ok();
        let features = features.iter().map(feature);
        let metrics = metrics.iter().map(|rule| value(Some(&outcome), rule)?.parse().ok());
        let values = values(report, job, &outcome, relative).into_iter().chain(metrics).chain(features);
        let values: Vec<_> = values.map(|value| value.filter(|value| value.is_finite())).collect();
        for (field, value) in all.iter_mut().zip(&values) {
            field[job.solver].extend(value);
        }
        if row % every == 0 {
            let solver = &mut solvers[job.solver];
            solver.cases.push(one_line(&report.plan.cases.at(job.case).name.0).into_owned());
            solver.numbers.iter_mut().zip(values).for_each(|(list, value)| list.push(value));
        }
    }
    for (solver, (sum, count)) in solvers.iter_mut().zip(shares) {
        solver.relative = (count > 0).then(|| sum / f64::from(count));
    }
    let names: Vec<&str> = solvers.iter().map(|solver| &*solver.solver).collect();
    let counts = fields.iter().zip(&all).map(|(field, values)| Ranges::of(field, &names, values)).collect();
    // Every value in it can be written as JSON.
    in_script(&json_line(&Numbers { fields: &fields, rows, solvers: &solvers, counts }).unwrap_or_default())
}

/// Returns the names of the features of the first case that has some.
fn feature_names<'a>(report: &'a RunReport<'_>) -> Vec<&'a str> {
    let first = report.features.iter().flatten().next();
    let names = first.into_iter().flat_map(|features| features.iter()).map(|(name, _)| name);
    names.filter(|name| is_feature_name(name) && !FIELDS.contains(name)).collect()
}

/// Returns the numbers of [`FIELDS`].
fn values(report: &RunReport<'_>, job: JobId, outcome: &Outcome, relative: Option<f64>) -> [Option<f64>; FIELDS.len()] {
    [
        outcome.score.as_ref().and_then(|score| score.to_string().parse().ok()),
        report.points(job).and_then(|points| points.parse().ok()),
        relative,
        outcome.cpu.map(in_milliseconds),
        outcome.wall.map(in_milliseconds),
        outcome.memory.map(|memory| memory as f64),
        Some(job.case as f64),
    ]
}
