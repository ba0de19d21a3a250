//! `judge history`: past runs, one of them in full, and forgetting them.

use crate::cli::{HistoryAction, HistoryArgs, KindArgs, ShowArgs};
use crate::journal::{HistoryFilter, RunChoice};
use crate::manifest::Catalogue;
use crate::model::Exit;
use crate::report::{self, Style};
use crate::workflow::best_scores::Reference;
use crate::workflow::failure::Failure;
use crate::workflow::outputs::Outputs;
use crate::workflow::restored_run::{Restored, publish};
use crate::workflow::{case_filter, history_by_feature, load, recorder};
use std::path::Path;

/// Lists past runs, or does what is asked with one of them.
pub(super) fn history(catalogue: Option<&Path>, args: &HistoryArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    match &args.action {
        None => list(&catalogue, args),
        Some(HistoryAction::Show(args)) => show(&catalogue, args),
        Some(HistoryAction::Rm { runs }) => remove(&catalogue, runs),
    }
}

fn list(catalogue: &Catalogue, args: &HistoryArgs) -> Result<Exit, Failure> {
    let journal = recorder::look(catalogue)?;
    let filter = HistoryFilter {
        problem: args.problem.as_deref(),
        solver: args.solver.as_deref(),
        newest: (!args.all).then_some(args.limit.get()),
    };
    let rows = match &args.kind {
        KindArgs { condition: None, group_by: None } => journal.history(&filter)?,
        kind => history_by_feature::rows(&journal, catalogue, &filter, kind)?,
    };
    if let Some(path) = &args.json {
        load::write("the JSON history", path, report::history_json(&rows).map_err(Failure::fault)?.as_bytes())?;
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        report::print(&report::history_text(&rows, Style::of_stdout()))?;
    }
    if filter.newest == Some(rows.len()) {
        report::note("older runs are not shown: -n N shows more, --all every one");
    }
    Ok(Exit::Success)
}

fn show(catalogue: &Catalogue, args: &ShowArgs) -> Result<Exit, Failure> {
    let ShowArgs { run, kind, all, reports } = args;
    let journal = recorder::look(catalogue)?;
    let mut run = journal.stored_run(journal.choose(*run)?)?;
    let heading = report::stored_run_text(&run);
    let problem = catalogue.find(&run.problem)?;
    let features = case_filter::narrow_one(&mut run, problem, kind)?;
    let mut restored = Restored { features, ..Restored::of(&run, catalogue)? };
    restored.measure(&run, &Reference::open(catalogue, problem, None)?);
    let scored = restored.score(None, kind.group_by.as_deref()).map_err(Failure::fault)?;
    if !Outputs::check(reports)?.take_stdout() {
        report::print(&heading)?;
        report::print("")?;
    }
    publish(&restored.report(&run, &scored), reports, *all)?;
    Ok(Exit::Success)
}

fn remove(catalogue: &Catalogue, runs: &[RunChoice]) -> Result<Exit, Failure> {
    let mut journal = recorder::look(catalogue)?;
    for choice in runs {
        let run = journal.choose(*choice)?;
        journal.remove(run)?;
        report::note(&format!("run {run} is forgotten"));
    }
    Ok(Exit::Success)
}
