//! `judge history`: past runs, one of them in full, and forgetting them.

use super::failure::Failure;
use super::outputs::Outputs;
use super::reference::Reference;
use super::stored::{Restored, publish};
use super::{journaling, load};
use crate::cli::{HistoryAction, HistoryArgs, ReportArgs};
use crate::journal::{HistoryFilter, RunChoice};
use crate::manifest::Catalogue;
use crate::model::Exit;
use crate::report::{self, Style};
use std::path::Path;

/// Lists past runs, or does what is asked with one of them.
pub(super) fn history(catalogue: Option<&Path>, args: &HistoryArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    match &args.action {
        None => list(&catalogue, args),
        Some(HistoryAction::Show { run, all, reports }) => show(&catalogue, *run, *all, reports),
        Some(HistoryAction::Rm { runs }) => remove(&catalogue, runs),
    }
}

fn list(catalogue: &Catalogue, args: &HistoryArgs) -> Result<Exit, Failure> {
    let journal = journaling::look(catalogue)?;
    let filter = HistoryFilter {
        problem: args.problem.as_deref(),
        solver: args.solver.as_deref(),
        newest: (!args.all).then_some(args.limit.get()),
    };
    let rows = journal.history(&filter)?;
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

fn show(catalogue: &Catalogue, choice: RunChoice, all: bool, reports: &ReportArgs) -> Result<Exit, Failure> {
    let journal = journaling::look(catalogue)?;
    let run = journal.stored_run(journal.choose(choice)?)?;
    let mut restored = Restored::of(&run, catalogue)?;
    let problem = catalogue.find(&run.problem)?;
    restored.measure(&run, &Reference::open(catalogue, problem, None)?);
    let scored = restored.score(None).map_err(Failure::fault)?;
    if !Outputs::check(reports)?.take_stdout() {
        report::print(&report::stored_run_text(&run))?;
        report::print("")?;
    }
    publish(&restored.report(&run, &scored), reports, all)?;
    Ok(Exit::Success)
}

fn remove(catalogue: &Catalogue, runs: &[RunChoice]) -> Result<Exit, Failure> {
    let mut journal = journaling::look(catalogue)?;
    for choice in runs {
        let run = journal.choose(*choice)?;
        journal.remove(run)?;
        report::note(&format!("run {run} is forgotten"));
    }
    Ok(Exit::Success)
}
