//! The JSON schemas of all documents, by name: `judge schema NAME`.

use crate::best::{BestDocument, Record as BestRecord};
use crate::charted::{Boxes, CaseGrid, Points, ValueCounts};
use crate::compare::json::{CaseRecord, CompareDocument, PairRecord, WithLooks};
use crate::compare::power::PowerDocument;
use crate::compare::rank::RankDocument;
use crate::doctor::DoctorDocument;
use crate::evaluation::{EvaluationDocument, ServeStatus};
use crate::exec::ExecDocument;
use crate::find::FindReport;
use crate::gate::calibration::CalibrationDocument;
use crate::gate::json::GateDocument;
use crate::history::{HistoryDocument, HistoryPage};
use crate::html::game::{GameDocument, ReplayLine};
use crate::languages::LanguagesDocument;
use crate::merge::MergeReport;
use crate::run::json::{CasePage, RunDocument, RunHead, RunLine};
use crate::sealed::{SealedDocument, SealedScore};
use crate::served::{
    ApiError, CaseHistory, ManualGamePage, ProblemList, ProblemPage, RecordedManualGame, RunLabels, ServerRecord,
    StartedRuns, UnfinishedRun,
};
use crate::text::{ReplayRecord, Versioned};
use crate::tune::TuneLine;
use crate::verify::VerifyDocument;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// A comparison with lists of cases and effects. Reports create these while they are written.
type Comparison = CompareDocument<'static, Vec<CaseRecord<'static>>, Vec<PairRecord>>;

/// The name of a document, its title, and the function that makes its schema.
pub type NamedSchema = (&'static str, &'static str, fn() -> Schema);

/// The schemas of all documents.
pub const SCHEMAS: &[NamedSchema] = &[
    ("run", "judge run --json", schema_of::<RunDocument<'static>>),
    ("jsonl", "judge run --jsonl", schema_of::<RunLine<'static>>),
    ("sealed", "judge run --sealed --json", schema_of::<SealedDocument<'static>>),
    ("history", "judge history --json", schema_of::<HistoryDocument<'static>>),
    ("best", "judge best --json and --export", schema_of::<BestDocument<Vec<BestRecord>>>),
    ("compare", "judge compare --json", schema_of::<Comparison>),
    ("rank", "judge rank --json", schema_of::<RankDocument<'static>>),
    ("power", "judge power --json", schema_of::<PowerDocument<'static>>),
    ("gate", "judge gate --json", schema_of::<GateDocument<'static>>),
    ("calibration", "judge gate --calibrate --json", schema_of::<CalibrationDocument>),
    ("find", "judge find --json", schema_of::<Versioned<'static, FindReport>>),
    ("tune", "judge tune --jsonl", schema_of::<TuneLine<'static>>),
    ("exec", "judge exec --json", schema_of::<ExecDocument<'static>>),
    ("doctor", "judge doctor --json", schema_of::<DoctorDocument<'static>>),
    ("merge", "judge merge --json", schema_of::<Versioned<'static, MergeReport>>),
    ("languages", "judge languages --json", schema_of::<LanguagesDocument<'static>>),
    ("verify", "judge verify --json", schema_of::<VerifyDocument<'static>>),
    ("serve-evaluate", "judge serve, method evaluate", schema_of::<EvaluationDocument<'static>>),
    ("serve-sealed", "judge serve, method evaluate on sealed cases", schema_of::<SealedScore>),
    ("serve-status", "judge serve, method status", schema_of::<ServeStatus<'static>>),
    ("ui-runs", "GET /api/runs", schema_of::<HistoryPage<'static>>),
    ("ui-run", "GET /api/runs/{run}", schema_of::<RunHead<'static>>),
    ("ui-labels", "POST /api/runs/{run}/labels", schema_of::<RunLabels<'static>>),
    ("ui-cases", "GET /api/runs/{run}/cases", schema_of::<CasePage<'static>>),
    ("ui-points", "GET /api/runs/{run}/points", schema_of::<Points<'static>>),
    ("ui-counts", "GET /api/runs/{run}/counts", schema_of::<ValueCounts<'static>>),
    ("ui-boxes", "GET /api/runs/{run}/boxes", schema_of::<Boxes<'static>>),
    ("ui-case", "GET /api/problems/{problem}/cases/{case}", schema_of::<CaseHistory<'static>>),
    ("ui-grid", "GET /api/grid", schema_of::<CaseGrid<'static>>),
    ("ui-progress", "GET /api/events, event progress", schema_of::<UnfinishedRun<'static>>),
    ("ui-compare", "GET /api/compare", schema_of::<WithLooks<'static, Comparison>>),
    ("ui-problems", "GET /api/problems", schema_of::<ProblemList<'static>>),
    ("ui-problem", "GET /api/problems/{problem}", schema_of::<ProblemPage<'static>>),
    ("ui-server", "GET /api/server", schema_of::<ServerRecord<'_>>),
    ("ui-replay", "GET /api/runs/{run}/cases/{case}/replay", schema_of::<GameDocument<'static, ReplayRecord<'static>>>),
    ("ui-replay-line", "GET /api/runs/{run}/cases/{case}/replay?lines, a line", schema_of::<ReplayLine<'static>>),
    ("ui-started", "/api/started of judge ui --allow-run", schema_of::<StartedRuns<'static>>),
    ("ui-play", "POST /api/play/{problem}", schema_of::<ManualGamePage<'static>>),
    ("ui-played", "POST /api/play/{problem}/run", schema_of::<RecordedManualGame<'static>>),
    ("ui-error", "an error of the API of judge ui", schema_of::<ApiError<'static>>),
];

/// Returns the schema of the document with this name; `None` if there is no such document.
pub fn schema(name: &str) -> Option<Schema> {
    let (_, title, make) = SCHEMAS.iter().find(|(known, ..)| *known == name)?;
    let mut schema = make();
    schema.insert("title".to_owned(), (*title).into());
    Some(schema)
}

/// Returns the schema of the serialized form: fields that may be absent are not required, and never null.
fn schema_of<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings = settings.with_transform(RecursiveTransform(omit_nulls)).with_transform(RecursiveTransform(name_plainly));
    settings.into_generator().into_root_schema_for::<T>()
}

/// Removes null from the allowed values of an object's optional fields.
fn omit_nulls(schema: &mut Schema) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    for (_, field) in fields.iter_mut().filter(|(name, _)| !is_required(name)) {
        for key in ["type", "anyOf"] {
            let Some(Value::Array(kinds)) = field.get_mut(key) else { continue };
            kinds.retain(|kind| kind != "null" && kind["type"] != "null");
            if let ("type", [kind]) = (key, &**kinds) {
                field[key] = kind.clone();
            }
        }
    }
}

/// Names records as documents call them: `test_group` for `TestGroupRecord`.
fn name_plainly(schema: &mut Schema) {
    if let Some(Value::String(reference)) = schema.get_mut("$ref")
        && let Some(record) = reference.strip_prefix("#/$defs/")
    {
        *reference = format!("#/$defs/{}", plain_name(record));
    }
    if let Some(Value::Object(records)) = schema.get_mut("$defs") {
        *records = std::mem::take(records).into_iter().map(|(record, of)| (plain_name(&record), of)).collect();
    }
}

fn plain_name(record: &str) -> String {
    let mut name = String::new();
    for letter in record.replacen("Record", "", 1).chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    if name.is_empty() { "record".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_fields_are_absent_and_never_null() {
        let text = schema("run").unwrap().to_value();
        let case = &text["$defs"]["case"];
        assert_eq!([&text["title"], &case["properties"]["score"]["type"]], ["judge run --json", "number"]);
        assert!(case["required"].as_array().unwrap().iter().all(|name| name != "score"));
        let reference = &text["$defs"]["scoring"]["properties"]["reference"];
        assert_eq!(reference["anyOf"], serde_json::json!([{ "$ref": "#/$defs/reference" }]));
    }
}
