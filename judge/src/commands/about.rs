//! Commands that list things: problems, languages, this machine, and the schemas of reports: `judge list`, `show`,
//! `languages`, `doctor`, `schema`.

use judge_cli::{CacheAction, SandboxArgs};
use judge_problem::manifest::CATALOGUE_SCHEMA;
use judge_problem::{Exit, Problem};
use judge_report::{Style, TextTable, left, right};
use judge_run::solver::{self, Cache};
use judge_sandbox::Options;
use judge_session::{Failure, GlobalArgs, Result, load, outputs, problem_facts, sandbox};
use std::path::Path;

/// Lists the problems.
pub(super) fn list(global: GlobalArgs<'_>) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    let columns = [
        left("problem"),
        left("title").spare(1),
        left("scoring").spare(2),
        right("CPU").spare(3),
        right("memory").spare(4),
        right("cases").shrinking(),
    ];
    let mut table = TextTable::of(columns);
    for problem in &catalogue.problems {
        let Problem { id, title, scoring, limits, .. } = problem;
        let cases = problem.listed_cases();
        let row =
            [id.clone(), title.clone(), scoring.to_string(), limits.cpu.to_string(), limits.memory.to_string(), cases];
        table.add_row(row);
    }
    judge_report::print(&table.text(Style::of_stdout()))?;
    let have_solvers = catalogue.problems.iter().all(|problem| problem.default_solver.is_some());
    let run = match have_solvers {
        true => "`judge run -p ID` runs its bundled solver",
        false => "`judge run -p ID -s ./mybot` runs a solver",
    };
    judge_report::note(&format!("`judge show ID` shows the details of one; {run}"));
    Ok(Exit::Success)
}

/// Shows a problem.
pub(super) fn show(global: GlobalArgs<'_>, id: &str) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    let facts = problem_facts::facts(catalogue.find(id)?);
    let line = |(key, text): (&str, String)| format!("{key:<11} {}", text.replace('\n', "\n            "));
    judge_report::print(&format!("{id}\n{}", facts.into_iter().map(line).collect::<Vec<_>>().join("\n")))?;
    Ok(Exit::Success)
}

/// Shows the rules of a built-in game.
pub(super) fn rules(global: GlobalArgs<'_>, id: &str) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    let problem = catalogue.find(id)?;
    let Some(checker) = problem.checker.built_in() else {
        let error = format!("the rules of `{id}` are not known: its checker is a command");
        return Err(Failure::usage(error).with_hint(format!("`judge show {id}` shows its format and its source")));
    };
    judge_report::print(checker.rules.trim_end())?;
    let thresholds = problem_facts::thresholds(problem);
    if !thresholds.is_empty() {
        judge_report::print(&format!("\n## Points of this catalogue's cases\n\n{thresholds}"))?;
    }
    Ok(Exit::Success)
}

/// Shows the languages, with the versions that they have in the sandbox.
pub(super) fn languages(global: GlobalArgs<'_>, json: Option<&Path>) -> Result<Exit> {
    let catalogue = load::catalogue_without_note(global)?;
    let languages = load::languages(&catalogue)?;
    // This command has no --unsafe.
    let without_unsafe = |failure: Failure| match failure.exit() {
        Exit::Usage => failure.with_hint("`judge doctor` shows what is missing"),
        _ => failure,
    };
    let sandbox = sandbox::open(&SandboxArgs::default()).map_err(without_unsafe)?;
    let survey = solver::survey(&languages, &mut sandbox::compiler(&sandbox))?;
    outputs::publish_document(json, &*survey, |style| judge_report::languages_text(&survey, style))?;
    Ok(Exit::Success)
}

/// Shows or empties the cache.
pub(super) fn cache(action: Option<&CacheAction>) -> Result<Exit> {
    let nowhere = || Failure::usage("there is no place for a cache").with_hint("set JUDGE_CACHE or HOME to a folder");
    let place = Cache::place().ok_or_else(nowhere)?;
    let unusable = |error| Failure::usage(format!("cannot use the cache in {}: {error}", place.display()));
    let cache = Cache::open(&place).map_err(unusable)?;
    if let Some(CacheAction::Clear) = action {
        cache.clear();
    }
    judge_report::print(&judge_report::cache_text(&cache.summary()))?;
    Ok(Exit::Success)
}

/// Tries every tier and reports.
pub(super) fn doctor(json: Option<&Path>) -> Result<Exit> {
    let survey = judge_sandbox::survey(&Options { tier_cache: sandbox::tier_cache_file(), ..Options::default() });
    outputs::publish_document(json, &survey, |style| judge_report::doctor_text(&survey, style))?;
    let works = survey.tiers.iter().any(|tier| tier.missing.is_none());
    Ok(if works { Exit::Success } else { Exit::NotAccepted })
}

/// Prints a JSON schema.
pub(super) fn schema(of: &str) -> Result<Exit> {
    let text = match judge_report::schema(of) {
        Some(schema) => serde_json::to_string_pretty(&schema).map_err(Failure::fault)?,
        // The only schema that does not describe a report.
        None => CATALOGUE_SCHEMA.to_owned(),
    };
    judge_report::print(&text)?;
    Ok(Exit::Success)
}
