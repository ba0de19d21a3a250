//! `judge schema`: the JSON schemas of the reports and of the catalogue.

use judge_cli::SchemaOf;
use judge_problem::Exit;
use judge_problem::manifest::CATALOGUE_SCHEMA;
use judge_session::failure::Failure;

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
