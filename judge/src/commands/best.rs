//! `judge best`: the best score on each case of a problem, to show and to share.

use judge_cli::{BestArgs, RescoreArgs};
use judge_journal::{Imported, Journal};
use judge_problem::{Exit, Game, InvalidText, Problem, Rule, closest, counted, listed};
use judge_report::{BestReport, Document, Style};
use judge_run::command::game_of;
use judge_session::restored_run::{self, publish};
use judge_session::{
    Failure, FromJournal, GlobalArgs, ReferenceScores, RestoredRun, Result, case_selection, load, recorder,
};
use std::num::NonZeroU64;
use std::path::Path;

/// The number of rows that are shown without `--all`.
const ROWS: usize = 100;

/// Shows the best scores, after importing others'.
pub(super) fn best(global: GlobalArgs<'_>, args: &BestArgs) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    let game = game_of(load::problem(&catalogue, args.problem.id())?);
    let journal = match &args.import {
        Some(file) => import(recorder::open(&catalogue)?, &game, file)?,
        None => recorder::open_to_read(&catalogue)?,
    };
    let target = args.json.as_deref().or(args.export.as_deref());
    let rows = (!args.all).then_some(ROWS);
    let mut best = journal.best(&game, if target.is_some() { None } else { rows })?;
    if let Some(path) = target {
        let report = BestReport { game: &game, scores: &best.scores };
        load::write_with("the best scores", path, |out| Ok(report.write_json(out)?))?;
    }
    if !target.is_some_and(load::is_stdout) {
        best.scores.truncate(rows.unwrap_or(usize::MAX));
        judge_report::print(&judge_report::best_text(&best, Style::of_stdout()))?;
    }
    Ok(Exit::Success)
}

fn import(mut journal: Journal, game: &Game, file: &Path) -> Result<Journal> {
    let scores = load::parse_best_scores(game, file, &load::bytes("the best scores", file)?)?;
    let Imported { better, no_better } = journal.import_best(game, &scores)?;
    let (better, others) = (counted(better, "better score"), counted(no_better, "case"));
    judge_report::note(&format!("imported {better}; on {others} the known one is as good"));
    Ok(journal)
}

/// Scores a past run by a rule.
pub(super) fn rescore(global: GlobalArgs<'_>, args: &RescoreArgs) -> Result<Exit> {
    let rule = args.score.as_deref().map(rule).transpose()?;
    let catalogue = load::catalogue(global)?;
    let journal = recorder::open_to_read(&catalogue)?;
    let mut run = journal.stored_run(journal.choose(args.run)?)?;
    let problem = catalogue.find(&run.problem)?;
    let features = case_selection::filter_run(&mut run, problem, &args.filter)?;
    let rule = scaled(rule, args.scale, &problem.scoring)?;
    let scoring = rule.as_ref().unwrap_or(&problem.scoring).clone();
    let problem = Problem { scoring, ..problem.clone() };
    let reference = ReferenceScores::open(&catalogue, &problem, Some(&run), args.best.as_deref(), FromJournal::Today)?;
    ReferenceScores::note_unused(args.best.as_deref(), &problem.scoring);
    let restored = RestoredRun { features, ..RestoredRun::relative_to(&run, &problem, &reference) };
    let scored = restored.score(args.filter.group_by.as_deref()).map_err(Failure::usage)?;
    if rule.is_some_and(|rule| rule != scored.rule) {
        let hint = "add `thresholds = […]` to each [[problem.case]]";
        return Err(Failure::usage(format!("run {} has cases without thresholds", run.id)).with_hint(hint));
    }
    if let Some(score) = restored_run::below_failure(&restored.plan, &restored.outcomes) {
        judge_report::note(&format!(
            "a score of {score} is below `failure`: scores count as they are, and a solver with failures has no total; \
             `failure` in [problem.scoring] below every score gives it one"
        ));
    }
    publish(&restored.report(&run, &scored, args.all), &args.reports)?;
    Ok(Exit::Success)
}

/// Returns the rule with the given scale, or else with the scale of the problem's own rule.
fn scaled(rule: Option<Rule>, scale: Option<NonZeroU64>, own: &Rule) -> Result<Option<Rule>> {
    let scaled = rule.as_ref().unwrap_or(own);
    if scale.is_some() && !scaled.has_scale() {
        let error = format!("the rule `{scaled}` has no scale");
        let hint = format!("--scale goes with --score {}", listed(&Rule::names_of(Rule::has_scale), "or"));
        return Err(Failure::usage(error).with_hint(hint));
    }
    let scale = scale.map(|scale| scale.get().into()).or_else(|| own.scale().cloned());
    Ok(match scale {
        Some(scale) => Some(scaled.with_scale(scale)),
        None => rule,
    })
}

fn rule(name: &str) -> Result<Rule> {
    name.parse().map_err(|error: InvalidText| {
        let hint = match closest(name, Rule::names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("one of {}", Rule::names().join(", ")),
        };
        Failure::usage(error).with_hint(hint)
    })
}
