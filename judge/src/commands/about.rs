//! `judge list` and `judge show`.

use judge_cli::{CacheAction, LanguagesArgs, SandboxArgs, SchemaOf};
use judge_problem::manifest::CATALOGUE_SCHEMA;
use judge_problem::{CheckerChoice, Exit, Problem};
use judge_report::{Style, grid, left, right};
use judge_run::solver;
use judge_run::solver::Cache;
use judge_sandbox::Options;
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{load, problem_facts, programs, sandbox};
use std::path::Path;

/// Lists the problems.
pub(super) fn list(catalogue: Given<'_>) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let columns = [
        left("problem"),
        left("title").spare(1),
        left("scoring").spare(2),
        right("CPU").spare(3),
        right("memory").spare(4),
        right("cases").shrinking(),
    ];
    let mut table = grid(columns, Style::of_stdout());
    for problem in catalogue.problems() {
        let Problem { id, title, scoring, limits, .. } = problem;
        let cases = cases(problem);
        let row =
            [id.clone(), title.clone(), scoring.to_string(), limits.cpu.to_string(), limits.memory.to_string(), cases];
        table.add_row(row);
    }
    judge_report::print(&table.text())?;
    judge_report::note("`judge show ID` shows the details of one; `judge run -p ID` runs its bundled solver");
    Ok(Exit::Success)
}

fn cases(problem: &Problem) -> String {
    let patterns = &problem.inputs;
    let listed = (!problem.cases.is_empty()).then(|| problem.cases.len().to_string());
    listed.into_iter().chain(patterns.iter().cloned()).collect::<Vec<_>>().join(" + ")
}

/// Shows a problem.
pub(super) fn show(catalogue: Given<'_>, id: &str) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let facts = problem_facts::facts(catalogue.find(id)?);
    let line = |(key, text): (&str, String)| format!("{key:<11} {}", text.replace('\n', "\n            "));
    judge_report::print(&format!("{id}\n{}", facts.into_iter().map(line).collect::<Vec<_>>().join("\n")))?;
    Ok(Exit::Success)
}

/// Shows the rules of a built-in game.
pub(super) fn rules(catalogue: Given<'_>, id: &str) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(id)?;
    let CheckerChoice::BuiltIn(checker) = &problem.checker else {
        let error = format!("the rules of `{id}` are not known: its checker is a command");
        return Err(Failure::usage(error).with_hint(format!("`judge show {id}` shows its format and its source")));
    };
    judge_report::print(checker.rules().trim_end())?;
    let thresholds = problem_facts::thresholds(problem);
    if !thresholds.is_empty() {
        judge_report::print(&format!("\n## Points of this catalogue's cases\n\n{thresholds}"))?;
    }
    Ok(Exit::Success)
}

/// Shows the languages, with the versions that they have in the sandbox.
pub(super) fn languages(catalogue: Given<'_>, args: &LanguagesArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue_without_note(catalogue)?;
    let languages = programs::languages(&catalogue)?;
    let sandbox = sandbox::open(&SandboxArgs::default())?;
    let survey = solver::survey(&languages, &mut sandbox::compiler(&sandbox))?;
    if args.json.as_deref() != Some(Path::new("-")) {
        judge_report::print(&judge_report::languages_text(&survey, Style::of_stdout()))?;
    }
    if let Some(path) = &args.json {
        let json = judge_report::languages_json(&survey).map_err(Failure::fault)?;
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

/// Tries every tier and reports.
pub(super) fn doctor(json: Option<&Path>) -> Result<Exit, Failure> {
    let survey = judge_sandbox::survey(&Options { tier_cache: sandbox::memory(), ..Options::default() });
    if json != Some(Path::new("-")) {
        judge_report::print(&judge_report::doctor_text(&survey, Style::of_stdout()))?;
    }
    if let Some(path) = json {
        let json = judge_report::doctor_json(&survey).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    let works = survey.tiers.iter().any(|tier| tier.missing.is_none());
    Ok(if works { Exit::Success } else { Exit::NotAccepted })
}

/// Prints a JSON schema.
pub(super) fn schema(of: SchemaOf) -> Result<Exit, Failure> {
    let schema = match of {
        SchemaOf::Run => serde_json::to_string_pretty(&judge_report::run_schema()),
        SchemaOf::Jsonl => serde_json::to_string_pretty(&judge_report::lines_schema()),
        SchemaOf::History => serde_json::to_string_pretty(&judge_report::history_schema()),
        SchemaOf::Best => serde_json::to_string_pretty(&judge_report::best_schema()),
        SchemaOf::Compare => serde_json::to_string_pretty(&judge_report::compare_schema()),
        SchemaOf::Rank => serde_json::to_string_pretty(&judge_report::rank_schema()),
        SchemaOf::Power => serde_json::to_string_pretty(&judge_report::power_schema()),
        SchemaOf::Gate => serde_json::to_string_pretty(&judge_report::gate_schema()),
        SchemaOf::Calibration => serde_json::to_string_pretty(&judge_report::calibration_schema()),
        SchemaOf::Tune => serde_json::to_string_pretty(&judge_report::tune_schema()),
        SchemaOf::Exec => serde_json::to_string_pretty(&judge_report::exec_schema()),
        SchemaOf::Doctor => serde_json::to_string_pretty(&judge_report::doctor_schema()),
        SchemaOf::Merge => serde_json::to_string_pretty(&judge_report::merge_schema()),
        SchemaOf::Languages => serde_json::to_string_pretty(&judge_report::languages_schema()),
        SchemaOf::Verify => serde_json::to_string_pretty(&judge_report::verify_schema()),
        SchemaOf::UiRuns => serde_json::to_string_pretty(&judge_report::history_page_schema()),
        SchemaOf::UiRun => serde_json::to_string_pretty(&judge_report::run_head_schema()),
        SchemaOf::UiLabels => serde_json::to_string_pretty(&judge_report::labels_schema()),
        SchemaOf::UiCases => serde_json::to_string_pretty(&judge_report::case_page_schema()),
        SchemaOf::UiPoints => serde_json::to_string_pretty(&judge_report::points_schema()),
        SchemaOf::UiProgress => serde_json::to_string_pretty(&judge_report::progress_schema()),
        SchemaOf::UiCompare => serde_json::to_string_pretty(&judge_report::compare_looks_schema()),
        SchemaOf::UiProblems => serde_json::to_string_pretty(&judge_report::problems_schema()),
        SchemaOf::UiProblem => serde_json::to_string_pretty(&judge_report::problem_schema()),
        SchemaOf::UiServer => serde_json::to_string_pretty(&judge_report::server_schema()),
        SchemaOf::UiStarted => serde_json::to_string_pretty(&judge_report::started_schema()),
        SchemaOf::UiPlay => serde_json::to_string_pretty(&judge_report::hand_schema()),
        SchemaOf::UiPlayed => serde_json::to_string_pretty(&judge_report::recorded_hand_schema()),
        SchemaOf::UiError => serde_json::to_string_pretty(&judge_report::error_schema()),
        SchemaOf::Problems => Ok(CATALOGUE_SCHEMA.to_owned()),
    };
    judge_report::print(&schema.map_err(Failure::fault)?)?;
    Ok(Exit::Success)
}
