//! The tags and the note of a run, as JSON.

use judge_problem::Labels;
use schemars::JsonSchema;
use serde::Serialize;

/// The tags and the note of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LabelsRecord<'a> {
    /// The tags that the user gave the run later, in alphabetical order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'a str>,
    /// The note that the user gave the run later.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl<'a> From<&'a Labels> for LabelsRecord<'a> {
    fn from(labels: &'a Labels) -> Self {
        Self { tags: labels.tags.iter().map(AsRef::as_ref).collect(), note: labels.note.as_ref().map(AsRef::as_ref) }
    }
}
