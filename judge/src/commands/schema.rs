//! `judge schema`: the JSON schemas of the reports and of the catalogue.

use crate::cli::SchemaOf;
use crate::manifest::CATALOGUE_SCHEMA;
use crate::model::Exit;
use crate::report;
use crate::workflow::failure::Failure;

/// Prints a JSON schema.
pub(super) fn schema(of: SchemaOf) -> Result<Exit, Failure> {
    let schema = match of {
        SchemaOf::Run => serde_json::to_string_pretty(&report::run_schema()),
        SchemaOf::Jsonl => serde_json::to_string_pretty(&report::lines_schema()),
        SchemaOf::History => serde_json::to_string_pretty(&report::history_schema()),
        SchemaOf::Best => serde_json::to_string_pretty(&report::best_schema()),
        SchemaOf::Compare => serde_json::to_string_pretty(&report::compare_schema()),
        SchemaOf::Rank => serde_json::to_string_pretty(&report::rank_schema()),
        SchemaOf::Power => serde_json::to_string_pretty(&report::power_schema()),
        SchemaOf::Gate => serde_json::to_string_pretty(&report::gate_schema()),
        SchemaOf::Calibration => serde_json::to_string_pretty(&report::calibration_schema()),
        SchemaOf::Tune => serde_json::to_string_pretty(&report::tune_schema()),
        SchemaOf::Exec => serde_json::to_string_pretty(&report::exec_schema()),
        SchemaOf::Doctor => serde_json::to_string_pretty(&report::doctor_schema()),
        SchemaOf::Merge => serde_json::to_string_pretty(&report::merge_schema()),
        SchemaOf::Languages => serde_json::to_string_pretty(&report::languages_schema()),
        SchemaOf::Verify => serde_json::to_string_pretty(&report::verify_schema()),
        SchemaOf::UiRuns => serde_json::to_string_pretty(&report::history_page_schema()),
        SchemaOf::UiRun => serde_json::to_string_pretty(&report::run_head_schema()),
        SchemaOf::UiLabels => serde_json::to_string_pretty(&report::labels_schema()),
        SchemaOf::UiCases => serde_json::to_string_pretty(&report::case_page_schema()),
        SchemaOf::UiPoints => serde_json::to_string_pretty(&report::points_schema()),
        SchemaOf::UiProgress => serde_json::to_string_pretty(&report::progress_schema()),
        SchemaOf::UiCompare => serde_json::to_string_pretty(&report::compare_looks_schema()),
        SchemaOf::UiProblems => serde_json::to_string_pretty(&report::problems_schema()),
        SchemaOf::UiProblem => serde_json::to_string_pretty(&report::problem_schema()),
        SchemaOf::UiServer => serde_json::to_string_pretty(&report::server_schema()),
        SchemaOf::UiStarted => serde_json::to_string_pretty(&report::started_schema()),
        SchemaOf::UiPlay => serde_json::to_string_pretty(&report::hand_schema()),
        SchemaOf::UiPlayed => serde_json::to_string_pretty(&report::recorded_hand_schema()),
        SchemaOf::UiError => serde_json::to_string_pretty(&report::error_schema()),
        SchemaOf::Problems => Ok(CATALOGUE_SCHEMA.to_owned()),
    };
    report::print(&schema.map_err(Failure::fault)?)?;
    Ok(Exit::Success)
}
