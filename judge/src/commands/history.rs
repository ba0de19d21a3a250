//! `judge history`: lists past runs, shows one in full, adds tags and a note to one, or removes some.

use checkers::Score;
use judge_cli::{CaseFilterArgs, HistoryAction, HistoryArgs, ShowArgs};
use judge_journal::{HistoryFilter, Journal, JournalError};
use judge_problem::{
    Catalogue, Digest, Exit, Features, HistoryRow, Labels, Note, Outcome, Rule, RunChoice, RunId, RunState, SolverSpec,
    StoredRun, Tag, listed,
};
use judge_report::RunReport;
use judge_run::solver;
use judge_session::case_selection::{self, CaseDescriptions, check_filter};
use judge_session::detached::{self, DetachedRuns};
use judge_session::restored_run::{is_rescored, publish};
use judge_session::{Failure, GlobalArgs, RestoredRun, Result, RunOutputs, load, outputs, recorder};
use num_rational::BigRational;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// Lists past runs, shows or labels one, or removes some.
pub(super) fn history(global: GlobalArgs<'_>, args: &HistoryArgs) -> Result<Exit> {
    if args.action.is_some() && args.choose_runs() {
        return Err(Failure::usage("these flags are of the list of runs, and a run is chosen by its number")
            .with_hint("give the flags of `show` after it: judge history show last --json -"));
    }
    let catalogue = load::catalogue(global)?;
    match &args.action {
        None => list(&catalogue, args),
        Some(HistoryAction::Show(args)) => show(&catalogue, args),
        Some(HistoryAction::Tag { run, tags }) => {
            label(&catalogue, *run, |labels| labels.tags.extend(tags.iter().cloned()))
        }
        Some(HistoryAction::Untag { run, tags }) => untag(&catalogue, *run, tags),
        Some(HistoryAction::Note { run, text }) => {
            let note = Note::if_any(text).map_err(Failure::usage)?;
            label(&catalogue, *run, |labels| labels.note = note)
        }
        Some(HistoryAction::Rm { runs, cancel }) => remove(&catalogue, runs, *cancel),
    }
}

fn list(catalogue: &Catalogue, args: &HistoryArgs) -> Result<Exit> {
    let journal = recorder::open_to_read(catalogue)?;
    let filter = HistoryFilter {
        problem: args.problem.as_deref(),
        solver: args.solver.as_deref(),
        tag: args.tag.as_ref().map(AsRef::as_ref),
        // A setting can be requested by its name.
        searches_as_one: !args.all && args.solver.is_none(),
        // One more, to see whether there are older ones.
        newest: (!args.all).then(|| args.limit.get().saturating_add(1)),
        ..HistoryFilter::default()
    };
    let mut rows = match &args.filter {
        CaseFilterArgs { condition: None, group_by: None } => journal.history(&filter)?,
        cases => rows(&journal, catalogue, &filter, cases)?,
    };
    let has_older = !args.all && rows.len() > args.limit.get();
    rows.truncate(if args.all { usize::MAX } else { args.limit.get() });
    DetachedRuns::new(catalogue, &journal).mark(&mut rows)?;
    if let (true, Some(id)) = (rows.is_empty(), &args.problem) {
        catalogue.find(id)?;
    }
    let mut to_collect: Vec<_> =
        rows.iter().filter_map(|row| detached::how_to_collect(row.run, row.detached.as_ref(), &journal)).collect();
    to_collect.dedup();
    let text = |style| judge_report::history_text(&with_distinct_names(rows.clone()), style);
    outputs::publish_document(args.json.as_deref(), &*rows, text)?;
    to_collect.iter().for_each(|how| judge_report::note(how));
    if has_older {
        judge_report::note("older runs are not shown: -n N shows more, --all shows every run");
    }
    Ok(Exit::Success)
}

/// Gives the solvers names that differ.
fn with_distinct_names(mut rows: Vec<HistoryRow>) -> Vec<HistoryRow> {
    let spec = |row: &HistoryRow| SolverSpec { name: row.solver.clone(), text: row.command.clone() };
    let names = solver::names_apart(&rows.iter().map(spec).collect::<Vec<_>>());
    for (row, name) in rows.iter_mut().zip(names) {
        row.solver = name;
    }
    rows
}

fn show(catalogue: &Catalogue, args: &ShowArgs) -> Result<Exit> {
    let ShowArgs { run, filter, all, sort, pareto, reports } = args;
    let journal = recorder::open_to_read(catalogue)?;
    let mut run = journal.stored_run(journal.choose(*run)?)?;
    DetachedRuns::new(catalogue, &journal).mark_run(&mut run)?;
    detached::how_to_collect(run.id, run.detached.as_ref(), &journal).iter().for_each(|how| judge_report::note(how));
    let heading = judge_report::stored_run_text(&run);
    let problem = catalogue.find(&run.problem)?;
    let pareto = outputs::pareto(pareto.as_deref(), problem)?;
    let features = case_selection::filter_run(&mut run, problem, filter)?;
    let restored = RestoredRun { features, ..RestoredRun::of(&run, catalogue)? };
    let scored = restored.score(filter.group_by.as_deref()).map_err(Failure::fault)?;
    if filter.condition.is_none() && is_rescored(&run, &scored) {
        judge_report::note(&format!(
            "the scoring has changed since run {}: its totals of that time are in `judge history`",
            run.id
        ));
    }
    if !RunOutputs::check(reports)?.outputs.stdout_is_taken {
        judge_report::print(&heading)?;
        judge_report::print("")?;
    }
    let report = RunReport { order: sort.order(), pareto: pareto.as_ref(), ..restored.report(&run, &scored, *all) };
    publish(&report, reports)?;
    Ok(Exit::Success)
}

fn untag(catalogue: &Catalogue, run: RunChoice, tags: &[Tag]) -> Result<Exit> {
    let known = &recorder::open_to_read(catalogue)?;
    let id = known.choose(run)?;
    let labels = known.labels(id)?;
    if let Some(tag) = tags.iter().find(|tag| !labels.tags.contains(*tag)) {
        let names: Vec<&str> = labels.tags.iter().map(AsRef::as_ref).collect();
        let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", listed(&names, "and")) };
        return Err(Failure::usage(format!("run {id} has no tag `{tag}`: {has}")));
    }
    label(catalogue, run, |labels| labels.tags.retain(|tag| !tags.contains(tag)))
}

/// Changes the tags and the note of a run, and prints the new ones.
fn label(catalogue: &Catalogue, run: RunChoice, change: impl FnOnce(&mut Labels)) -> Result<Exit> {
    recorder::open_to_read(catalogue)?;
    let mut journal = recorder::open(catalogue)?;
    let run = journal.choose(run)?;
    let labels = journal.change_labels(run, change)?;
    judge_report::print(&judge_report::labels_text(run, &labels))?;
    Ok(Exit::Success)
}

fn remove(catalogue: &Catalogue, runs: &[RunChoice], cancel: bool) -> Result<Exit> {
    recorder::open_to_read(catalogue)?;
    let mut journal = recorder::open(catalogue)?;
    // All or none: before the first is removed. Afterwards, `last` is another run.
    let mut chosen = Vec::new();
    for choice in runs {
        let run = journal.choose(*choice)?;
        if journal.origin_of(run)?.is_some_and(|origin| origin.state == RunState::Running) {
            let error = Failure::from(JournalError::StillRunning(run));
            return Err(error.with_hint("wait for it, or end it with Ctrl-C"));
        }
        if !cancel {
            DetachedRuns::new(catalogue, &journal).check_ended(run, detached::NOT_REMOVED)?;
        }
        if !chosen.contains(&run) {
            chosen.push(run);
        }
    }
    for run in chosen {
        detached::end(catalogue, &journal, run, cancel)?;
        journal.remove(run)?;
        judge_report::note(&format!("run {run} is removed"));
    }
    Ok(Exit::Success)
}

/// The cases of a run that have the same value of a feature.
struct RunSlice {
    /// The value of the feature that the runs are grouped by; `None` without one.
    value: Option<Score>,
    /// Sorted hashes of the inputs: totals are comparable over the same cases only.
    inputs: Vec<Option<Digest>>,
    rule: Rule,
    decimals: u32,
    /// By place of the solver in the run.
    solvers: Vec<SolverTotals>,
}

/// The results of a solver on these cases.
struct SolverTotals {
    done: usize,
    accepted: usize,
    /// Of complete runs only.
    total: Option<BigRational>,
}

/// Past runs by feature. Data that several rows share is computed once.
struct FeatureHistory<'a> {
    journal: &'a Journal,
    catalogue: &'a Catalogue,
    filter: &'a CaseFilterArgs,
    /// By problem.
    descriptions: HashMap<String, CaseDescriptions>,
    slices: HashMap<RunId, Rc<Vec<RunSlice>>>,
}

/// Returns past runs, the newest first, with a row for each solver and each value of the feature that they are grouped
/// by. Runs without such a case, and runs of problems that are no longer in the catalogue, have no row.
pub(super) fn rows(
    journal: &Journal,
    catalogue: &Catalogue,
    runs: &HistoryFilter<'_>,
    filter: &CaseFilterArgs,
) -> Result<Vec<HistoryRow>> {
    // A change is against the run before, whether that has the tag or not.
    let all = journal.history(&HistoryFilter { newest: None, tag: None, ..runs.clone() })?;
    let has_tag = |row: &HistoryRow| runs.tag.is_none_or(|tag| row.labels.tags.iter().any(|own| own.as_ref() == tag));
    let mut history =
        FeatureHistory { journal, catalogue, filter, descriptions: HashMap::new(), slices: HashMap::new() };
    let newest = runs.newest.unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for (place, row) in all.iter().enumerate().filter(|(_, row)| has_tag(row)) {
        if rows.len() >= newest {
            break;
        }
        let is_before = |other: &&HistoryRow| {
            let same = other.solver == row.solver && other.problem == row.problem;
            same && other.run < row.run && other.state == RunState::Complete
        };
        let before = all[place..].iter().find(is_before);
        rows.extend(history.rows(row, before)?);
    }
    history.descriptions.values().for_each(CaseDescriptions::warn_of_unknown);
    if !history.descriptions.is_empty() {
        check_filter(filter, history.descriptions.values().flat_map(CaseDescriptions::known))?;
    }
    rows.truncate(newest);
    Ok(rows)
}

impl FeatureHistory<'_> {
    fn rows(&mut self, row: &HistoryRow, before: Option<&HistoryRow>) -> Result<Vec<HistoryRow>> {
        let slices = self.slices(row)?;
        let earlier = before.map(|before| self.slices(before)).transpose()?.unwrap_or_default();
        Ok(slices.iter().map(|slice| self.row(row, slice, before, &earlier)).collect())
    }

    fn row(&self, row: &HistoryRow, slice: &RunSlice, before: Option<&HistoryRow>, earlier: &[RunSlice]) -> HistoryRow {
        let none = SolverTotals { done: 0, accepted: 0, total: None };
        // A damaged journal may have a place that its run does not have.
        let SolverTotals { done, accepted, total } = slice.solvers.get(row.place).unwrap_or(&none);
        let comparable = |other: &&RunSlice| other.inputs == slice.inputs && other.rule == slice.rule;
        let before = before.zip(earlier.iter().find(comparable));
        let before = before.and_then(|(before, slice)| slice.solvers.get(before.place)?.total.as_ref());
        HistoryRow {
            group: self.filter.group_by.as_ref().map(|by| group(by, slice.value.as_ref())),
            planned: slice.inputs.len(),
            done: *done,
            accepted: *accepted,
            rule: slice.rule.name().to_owned(),
            decimals: slice.decimals,
            change: total.as_ref().zip(before).map(|(total, before)| total - before),
            total: total.clone(),
            ..row.clone()
        }
    }

    fn slices(&mut self, row: &HistoryRow) -> Result<Rc<Vec<RunSlice>>> {
        if let Some(known) = self.slices.get(&row.run) {
            return Ok(Rc::clone(known));
        }
        let slices = Rc::new(self.split(row)?);
        self.slices.insert(row.run, Rc::clone(&slices));
        Ok(slices)
    }

    fn split(&mut self, row: &HistoryRow) -> Result<Vec<RunSlice>> {
        let Ok(problem) = self.catalogue.find(&row.problem) else { return Ok(Vec::new()) };
        let mut run = self.journal.stored_run(row.run)?;
        let descriptions =
            self.descriptions.entry(row.problem.clone()).or_insert_with(|| CaseDescriptions::of(problem));
        let features = descriptions.filter(&mut run, self.filter);
        let value =
            |features: &Option<Arc<Features>>| features.as_ref()?.get(self.filter.group_by.as_deref()?).cloned();
        // Ordered with the absent value last.
        let mut parts: BTreeMap<(bool, Option<Score>), Vec<usize>> = BTreeMap::new();
        for (place, features) in features.iter().enumerate() {
            let value = value(features);
            parts.entry((value.is_none(), value)).or_default().push(place);
        }
        let all = std::mem::take(&mut run.cases);
        let slice = |((_, value), places)| {
            run.cases = all.only(places);
            self.slice(&run, value)
        };
        parts.into_iter().map(slice).collect()
    }

    fn slice(&self, run: &StoredRun, value: Option<Score>) -> Result<RunSlice> {
        let restored = RestoredRun::of(run, self.catalogue)?;
        let scored = restored.score(None).map_err(Failure::fault)?;
        let complete = run.state == RunState::Complete;
        let totals = |solver: usize| {
            let outcomes = || run.cases.outcomes().of_solver(solver).flatten();
            let total = scored.board.headline(&scored.board.standings[solver]).filter(|_| complete);
            SolverTotals {
                done: outcomes().count(),
                accepted: outcomes().filter(Outcome::is_accepted).count(),
                total: total.cloned(),
            }
        };
        let solvers = (0..run.entrants.len()).map(totals).collect();
        let mut inputs = run.cases.inputs().to_vec();
        inputs.sort_unstable();
        Ok(RunSlice { value, inputs, rule: scored.rule, decimals: scored.board.decimals, solvers })
    }
}

fn group(by: &str, value: Option<&Score>) -> String {
    value.map_or_else(|| format!("no {by}"), |value| format!("{by}={value}"))
}
