//! Values of JSON documents, and the schemas of the documents.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Number;
use std::str::FromStr;
use std::time::Duration;

/// Returns the schema of the serialized form: fields that may be omitted are not required.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Whether a count is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(crate) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Whether a flag is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Milliseconds, to the microsecond.
pub(crate) fn in_milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A decimal number of any length as a JSON number.
pub(crate) fn exact(number: &impl ToString) -> Option<Number> {
    Number::from_str(&number.to_string()).ok()
}
