//! What a solver reached before.

use super::{Digest, RunId};
use std::collections::HashMap;

/// The scores of a solver in a past run.
#[derive(Debug, Clone)]
pub struct PastScores {
    /// The run.
    pub run: RunId,
    /// By the hash of the case's input, rounded; `None` where it failed.
    pub scores: HashMap<Digest, Option<f64>>,
}
