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
        SchemaOf::Power => serde_json::to_string_pretty(&report::power_schema()),
        SchemaOf::Gate => serde_json::to_string_pretty(&report::gate_schema()),
        SchemaOf::Calibration => serde_json::to_string_pretty(&report::calibration_schema()),
        SchemaOf::Tune => serde_json::to_string_pretty(&report::tune_schema()),
        SchemaOf::Exec => serde_json::to_string_pretty(&report::exec_schema()),
        SchemaOf::Doctor => serde_json::to_string_pretty(&report::doctor_schema()),
        SchemaOf::Languages => serde_json::to_string_pretty(&report::languages_schema()),
        SchemaOf::Verify => serde_json::to_string_pretty(&report::verify_schema()),
        SchemaOf::Problems => Ok(CATALOGUE_SCHEMA.to_owned()),
    };
    report::print(&schema.map_err(Failure::fault)?)?;
    Ok(Exit::Success)
}
