//! `judge best`: the best score on each case of a problem, to show and to share.

use judge_cli::BestArgs;
use judge_journal::{Imported, Journal};
use judge_problem::{Exit, Game};
use judge_report::{BestReport, Document, Style};
use judge_run::command::game_of;
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{load, recorder};
use std::path::Path;

/// The number of rows that are shown without `--all`.
const ROWS: usize = 100;

/// Shows the best scores, after importing those of others.
pub(super) fn best(catalogue: Given<'_>, args: &BestArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let game = game_of(load::problem(&catalogue, args.problem.id())?);
    let journal = match &args.import {
        Some(file) => import(recorder::open(&catalogue)?, &game, file)?,
        None => recorder::look(&catalogue)?,
    };
    let target = args.json.as_deref().or(args.export.as_deref());
    let rows = (!args.all).then_some(ROWS);
    let mut best = journal.best(&game, if target.is_some() { None } else { rows })?;
    if let Some(path) = target {
        let report = BestReport { game: &game, scores: &best.scores };
        load::write_with("the best scores", path, |out| Ok(report.write_json(out)?))?;
    }
    if target != Some(Path::new("-")) {
        best.scores.truncate(rows.unwrap_or(usize::MAX));
        judge_report::print(&judge_report::best_text(&best, Style::of_stdout()))?;
    }
    Ok(Exit::Success)
}

fn import(mut journal: Journal, game: &Game, file: &Path) -> Result<Journal, Failure> {
    let scores = load::best_scores(game, file)?;
    let Imported { better, no_better } = journal.import_best(game, &scores)?;
    judge_report::note(&format!("imported {better} better scores; on {no_better} cases the known one is as good"));
    Ok(journal)
}
