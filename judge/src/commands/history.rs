//! `judge history`: lists past runs, shows one in full, gives it tags and a note, or removes some.

use judge_cli::{CaseFilterArgs, HistoryAction, HistoryArgs, ShowArgs};
use judge_journal::HistoryFilter;
use judge_problem::manifest::Catalogue;
use judge_problem::{Exit, HistoryRow, Labels, Note, RunChoice, SolverSpec, Tag, listed};
use judge_report::{Document, RunReport, Style};
use judge_run::solver;
use judge_session::detached::{self, DetachedRuns};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::restored_run::{RestoredRun, publish};
use judge_session::run_outputs::RunOutputs;
use judge_session::{case_filter, history_by_feature, load, recorder};
use std::path::Path;

/// Lists past runs, shows or labels one, or removes some.
pub(super) fn history(catalogue: Given<'_>, args: &HistoryArgs) -> Result<Exit, Failure> {
    if args.action.is_some() && args.choose_runs() {
        return Err(Failure::usage("these flags are of the list of runs, and a run is chosen by its number")
            .with_hint("give the flags of `show` after it: judge history show last --json -"));
    }
    let catalogue = load::catalogue(catalogue)?;
    match &args.action {
        None => list(&catalogue, args),
        Some(HistoryAction::Show(args)) => show(&catalogue, args),
        Some(HistoryAction::Tag { run, tags }) => {
            label(&catalogue, *run, |labels| labels.tags.extend(tags.iter().cloned()))
        }
        Some(HistoryAction::Untag { run, tags }) => untag(&catalogue, *run, tags),
        Some(HistoryAction::Note { run, text }) => note(&catalogue, *run, text),
        Some(HistoryAction::Rm { runs, cancel }) => remove(&catalogue, runs, *cancel),
    }
}

fn list(catalogue: &Catalogue, args: &HistoryArgs) -> Result<Exit, Failure> {
    let journal = recorder::look(catalogue)?;
    let filter = HistoryFilter {
        problem: args.problem.as_deref(),
        solver: args.solver.as_deref(),
        tag: args.tag.as_ref().map(AsRef::as_ref),
        // A setting can be asked for by its name.
        searches_as_one: !args.all && args.solver.is_none(),
        newest: (!args.all).then_some(args.limit.get()),
        ..HistoryFilter::default()
    };
    let mut rows = match &args.filter {
        CaseFilterArgs { condition: None, group_by: None } => journal.history(&filter)?,
        cases => history_by_feature::rows(&journal, catalogue, &filter, cases)?,
    };
    DetachedRuns::new(catalogue, &journal).mark(&mut rows)?;
    if let (true, Some(id)) = (rows.is_empty(), &args.problem) {
        catalogue.find(id)?;
    }
    if let Some(path) = &args.json {
        load::write("the JSON history", path, rows.to_json().map_err(Failure::fault)?.as_bytes())?;
    }
    let mut to_collect: Vec<_> =
        rows.iter().filter_map(|row| detached::how_to_collect(row.run, row.detached.as_ref(), &journal)).collect();
    to_collect.dedup();
    let is_full = filter.newest == Some(rows.len());
    if args.json.as_deref() != Some(Path::new("-")) {
        judge_report::print(&judge_report::history_text(&told_apart(rows), Style::of_stdout()))?;
    }
    to_collect.iter().for_each(|how| judge_report::note(how));
    if is_full {
        judge_report::note("older runs are not shown: -n N shows more, --all shows every run");
    }
    Ok(Exit::Success)
}

/// Names the solvers by what differs.
fn told_apart(mut rows: Vec<HistoryRow>) -> Vec<HistoryRow> {
    let spec = |row: &HistoryRow| SolverSpec { name: row.solver.clone(), text: row.command.clone() };
    let names = solver::names_apart(&rows.iter().map(spec).collect::<Vec<_>>());
    for (row, name) in rows.iter_mut().zip(names) {
        row.solver = name;
    }
    rows
}

fn show(catalogue: &Catalogue, args: &ShowArgs) -> Result<Exit, Failure> {
    let ShowArgs { run, filter, all, sort, reports } = args;
    let journal = recorder::look(catalogue)?;
    let mut run = journal.stored_run(journal.choose(*run)?)?;
    DetachedRuns::new(catalogue, &journal).mark_run(&mut run)?;
    detached::how_to_collect(run.id, run.detached.as_ref(), &journal).iter().for_each(|how| judge_report::note(how));
    let heading = judge_report::stored_run_text(&run);
    let problem = catalogue.find(&run.problem)?;
    let features = case_filter::filter_run(&mut run, problem, filter)?;
    let mut restored = RestoredRun { features, ..RestoredRun::of(&run, catalogue)? };
    let scored = restored.score(None, filter.group_by.as_deref()).map_err(Failure::fault)?;
    if !RunOutputs::check(reports)?.take_stdout() {
        judge_report::print(&heading)?;
        judge_report::print("")?;
    }
    let report = RunReport { order: sort.order(), ..restored.report(&run, &scored, *all) };
    publish(&report, reports)?;
    Ok(Exit::Success)
}

fn untag(catalogue: &Catalogue, run: RunChoice, tags: &[Tag]) -> Result<Exit, Failure> {
    let known = &recorder::look(catalogue)?;
    let id = known.choose(run)?;
    let labels = known.labels(id)?;
    if let Some(tag) = tags.iter().find(|tag| !labels.tags.contains(*tag)) {
        let names: Vec<&str> = labels.tags.iter().map(AsRef::as_ref).collect();
        let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", listed(&names, "and")) };
        return Err(Failure::usage(format!("run {id} has no tag `{tag}`: {has}")));
    }
    label(catalogue, run, |labels| labels.tags.retain(|tag| !tags.contains(tag)))
}

fn note(catalogue: &Catalogue, run: RunChoice, text: &str) -> Result<Exit, Failure> {
    let note = Note::if_any(text).map_err(Failure::usage)?;
    label(catalogue, run, |labels| labels.note = note)
}

/// Changes the tags and the note of a run, and says what they are now.
fn label(catalogue: &Catalogue, run: RunChoice, change: impl FnOnce(&mut Labels)) -> Result<Exit, Failure> {
    recorder::look(catalogue)?;
    let mut journal = recorder::open(catalogue)?;
    let run = journal.choose(run)?;
    let labels = journal.change_labels(run, change)?;
    judge_report::print(&judge_report::labels_text(run, &labels))?;
    Ok(Exit::Success)
}

fn remove(catalogue: &Catalogue, runs: &[RunChoice], cancel: bool) -> Result<Exit, Failure> {
    recorder::look(catalogue)?;
    let mut journal = recorder::open(catalogue)?;
    // All or none: before the first is removed.
    for choice in runs.iter().filter(|_| !cancel) {
        DetachedRuns::new(catalogue, &journal).check_ended(journal.choose(*choice)?, detached::NOT_REMOVED)?;
    }
    for choice in runs {
        let run = journal.choose(*choice)?;
        detached::end(catalogue, &journal, run, cancel)?;
        journal.remove(run)?;
        judge_report::note(&format!("run {run} is removed"));
    }
    Ok(Exit::Success)
}
