//! `judge languages`: what compiles and runs solvers here. `judge cache`: the compiled programs that are kept.

use judge_cli::{CacheAction, LanguagesArgs, SandboxArgs};
use judge_problem::Exit;
use judge_report::{Document, Style};
use judge_run::solver::{self, Cache};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{build, load, sandbox};
use std::path::Path;

/// Shows the languages, with the versions that they have in the sandbox.
pub(super) fn languages(catalogue: Given<'_>, args: &LanguagesArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue_without_note(catalogue)?;
    let languages = build::languages(&catalogue)?;
    let sandbox = sandbox::open(&SandboxArgs::default())?;
    let survey = solver::survey(&languages, &mut sandbox::compiler(&sandbox))?;
    if args.json.as_deref() != Some(Path::new("-")) {
        judge_report::print(&judge_report::languages_text(&survey, Style::of_stdout()))?;
    }
    if let Some(path) = &args.json {
        let json = survey.to_json().map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Shows or empties the cache.
pub(super) fn cache(action: Option<&CacheAction>) -> Result<Exit, Failure> {
    let nowhere = || Failure::usage("there is no place for a cache").with_hint("set JUDGE_CACHE or HOME to a folder");
    let place = Cache::place().ok_or_else(nowhere)?;
    let unusable = |error| Failure::usage(format!("cannot use the cache: {error}"));
    let cache = Cache::open(&place).map_err(unusable)?;
    if let Some(CacheAction::Clear) = action {
        cache.clear();
    }
    judge_report::print(&judge_report::cache_text(&cache.summary()))?;
    Ok(Exit::Success)
}
