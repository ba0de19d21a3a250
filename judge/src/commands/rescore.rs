//! `judge rescore`: another rule on the raw scores of a past run, without running anything.

use super::failure::Failure;
use super::stored::{Restored, publish};
use super::{journaling, load};
use crate::cli::RescoreArgs;
use crate::journal::{BestScore, Game, Journal};
use crate::manifest::closest;
use crate::model::{Exit, Rule, UnknownRule};
use std::path::Path;

/// Scores a past run.
pub(super) fn rescore(catalogue: Option<&Path>, args: &RescoreArgs) -> Result<Exit, Failure> {
    let rule = args.score.as_deref().map(rule).transpose()?;
    let catalogue = load::catalogue(catalogue)?;
    let journal = journaling::look(&catalogue)?;
    let run = journal.stored_run(journal.choose(args.run)?)?;
    let mut restored = Restored::of(&run, &catalogue)?;
    if let Some(source) = &args.best {
        let game = Game::of(catalogue.find(&run.problem)?);
        restored.set_bests(&run, &bests(&journal, &game, source)?);
    }
    let scored = restored.score(rule.clone()).map_err(Failure::usage)?;
    if rule.is_some_and(|rule| rule != scored.rule) {
        let hint = "add `thresholds = […]` to each [[problem.case]]";
        return Err(Failure::usage(format!("run {} has cases without thresholds", run.id)).with_hint(hint));
    }
    publish(&restored.report(&run, &scored), &args.reports, args.all)?;
    Ok(Exit::Success)
}

/// The best scores that the user wants to be measured by.
fn bests(journal: &Journal, game: &Game, source: &Path) -> Result<Vec<BestScore>, Failure> {
    match source.to_str() {
        Some("none") => Ok(Vec::new()),
        Some("ledger") => Ok(journal.best(game, None)?.scores),
        _ => load::best_scores(game, source),
    }
}

fn rule(name: &str) -> Result<Rule, Failure> {
    name.parse().map_err(|error: UnknownRule| {
        let hint = match closest(name, Rule::NAMES) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("one of {}", Rule::NAMES.join(", ")),
        };
        Failure::usage(error).with_hint(hint)
    })
}
