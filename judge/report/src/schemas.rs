//! The JSON schemas of all documents, by name: `judge schema NAME`.

use crate::best::{BestDocument, Record as BestRecord};
use crate::case_history::CaseHistoryDocument;
use crate::charted::{Boxes, CaseGrid, Points, ValueCounts};
use crate::compare::json::{CaseRecord, CompareDocument, PairRecord, WithLooks};
use crate::compare::power::PowerDocument;
use crate::compare::rank::RankDocument;
use crate::doctor::DoctorDocument;
use crate::evaluation::{EvaluationDocument, ServeStatus};
use crate::exec::ExecDocument;
use crate::find::FindDocument;
use crate::gate::calibration::CalibrationDocument;
use crate::gate::json::GateDocument;
use crate::history::{HistoryDocument, HistoryPage};
use crate::html::ReplayDocument;
use crate::languages::LanguagesDocument;
use crate::merge::MergeDocument;
use crate::run::json::{HeadDocument, PageDocument, RowRecord, RunDocument, RunLine};
use crate::sealed::SealedDocument;
use crate::served::{
    ApiError, ManualGameDocument, ProblemDocument, ProblemList, RecordedManualGame, RunLabels, ServerRecord,
    StartedRuns, UnfinishedRun,
};
use crate::tune::TuneLine;
use crate::verify::VerifyDocument;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// A comparison whose cases and effects are lists. Reports make these as they are written.
type Comparison = CompareDocument<'static, Vec<CaseRecord<'static>>, Vec<PairRecord>>;

/// The name of a document, and the function that makes its schema.
pub type NamedSchema = (&'static str, fn() -> Schema);

/// The schemas of all documents.
pub const SCHEMAS: &[NamedSchema] = &[
    ("run", schema_of::<RunDocument<'static>>),
    ("jsonl", schema_of::<RunLine<'static>>),
    ("sealed", schema_of::<SealedDocument<'static>>),
    ("history", schema_of::<HistoryDocument<'static>>),
    ("best", schema_of::<BestDocument<Vec<BestRecord>>>),
    ("compare", schema_of::<Comparison>),
    ("rank", schema_of::<RankDocument<'static>>),
    ("power", schema_of::<PowerDocument<'static>>),
    ("gate", schema_of::<GateDocument<'static>>),
    ("calibration", schema_of::<CalibrationDocument>),
    ("find", schema_of::<FindDocument<'static>>),
    ("tune", schema_of::<TuneLine<'static>>),
    ("exec", schema_of::<ExecDocument<'static>>),
    ("doctor", schema_of::<DoctorDocument<'static>>),
    ("merge", schema_of::<MergeDocument<'static>>),
    ("languages", schema_of::<LanguagesDocument<'static>>),
    ("verify", schema_of::<VerifyDocument<'static>>),
    ("serve-evaluate", schema_of::<EvaluationDocument<'static>>),
    ("serve-status", schema_of::<ServeStatus<'static>>),
    ("ui-runs", schema_of::<HistoryPage<'static>>),
    ("ui-run", schema_of::<HeadDocument<'static>>),
    ("ui-labels", schema_of::<RunLabels<'static>>),
    ("ui-cases", schema_of::<PageDocument<Vec<RowRecord<'static>>>>),
    ("ui-points", schema_of::<Points<'static>>),
    ("ui-counts", schema_of::<ValueCounts<'static>>),
    ("ui-boxes", schema_of::<Boxes<'static>>),
    ("ui-case", schema_of::<CaseHistoryDocument<'static>>),
    ("ui-grid", schema_of::<CaseGrid<'static>>),
    ("ui-progress", schema_of::<UnfinishedRun<'static>>),
    ("ui-compare", schema_of::<WithLooks<'static, Comparison>>),
    ("ui-problems", schema_of::<ProblemList<'static>>),
    ("ui-problem", schema_of::<ProblemDocument<'static>>),
    ("ui-server", schema_of::<ServerRecord>),
    ("ui-replay", schema_of::<ReplayDocument<'static>>),
    ("ui-started", schema_of::<StartedRuns<'static>>),
    ("ui-play", schema_of::<ManualGameDocument<'static>>),
    ("ui-played", schema_of::<RecordedManualGame<'static>>),
    ("ui-error", schema_of::<ApiError<'static>>),
];

/// Returns the schema of the serialized form: fields that may be omitted are not required.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}
