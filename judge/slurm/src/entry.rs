//! What a task writes down.

use judge_problem::{Digest, Evidence, Exit, Features, FinishedJob, JobId, Node, Number, Outcome, as_text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a task writes down.
#[derive(Debug, Serialize, Deserialize)]
pub enum Entry {
    /// Where it runs: its first entry.
    Began(Node),
    /// The result of a job. The answer follows the entry.
    Finished(Box<FinishedEntry>),
    /// It cannot play anything: what is wrong.
    Failed {
        /// The node that it runs on.
        node: String,
        /// The error.
        error: String,
        /// What to do.
        hint: Option<String>,
        /// Whether the arguments are at fault, or else the machine.
        usage: bool,
    },
}

/// The result of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishedEntry {
    case: usize,
    solver: usize,
    outcome: Outcome,
    features: Option<Vec<(String, String)>>,
    #[serde(with = "as_text::optional")]
    input: Option<Digest>,
}

impl Entry {
    /// Returns the entry of a task that cannot play anything.
    #[must_use]
    pub fn failed(node: String, error: String, hint: Option<String>, exit: Exit) -> Self {
        Self::Failed { node, error, hint, usage: exit == Exit::Usage }
    }

    /// Returns the entry of a finished job, the case of which has this place in the whole plan.
    pub(super) fn finished(finished: &FinishedJob, place: usize) -> Self {
        let features = finished.features.as_ref().map(|features| {
            features.iter().map(|feature| (feature.name.to_string(), feature.value.to_string())).collect()
        });
        Self::Finished(Box::new(FinishedEntry {
            case: place,
            solver: finished.job.solver,
            outcome: finished.outcome.clone(),
            features,
            input: finished.evidence.input,
        }))
    }
}

impl FinishedEntry {
    /// Returns the finished job.
    pub(super) fn into_job(self, answer: Option<Vec<u8>>) -> FinishedJob {
        let features = self.features.map(|pairs| {
            let mut features = Features::default();
            for (name, value) in &pairs {
                if let Ok(value) = value.parse::<Number>() {
                    features.set(name, value);
                }
            }
            Arc::new(features)
        });
        FinishedJob {
            job: JobId { case: self.case, solver: self.solver },
            outcome: self.outcome,
            features,
            evidence: Box::new(Evidence { input: self.input, answer, stored: None, transcript: None }),
        }
    }
}
