//! The journal: every finished case of every run, in one SQLite file that outlives any way a run can end.
//!
//! ```text
//! RunRecord ─ begin | resume ─▶ Recording ─ append (one commit for each batch) ─▶ finish
//! files of shards ─ merge ─▶ one run of a Journal
//! Journal ─ history | stored_run | best | answer ─▶ what was recorded
//! Journal ─ Watch::look, again and again ─▶ what has changed meanwhile
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

mod best;
mod columns;
mod error;
mod file;
mod history;
mod identity;
mod merge;
mod recording;
mod resume;
mod rows;
mod store;
mod stored;
#[cfg(test)]
mod tests;

pub use best::Imported;
pub use error::JournalError;
pub use history::{Changes, FinishedCase, HistoryFilter, RunOrigin, RunProgress, SolverProgress, Stamp, Watch};
pub use identity::{RunRecord, Surroundings, environment};
pub use merge::{Difference, Gap, MergeError, Merged, Unusable, check, merge};
pub use recording::{CasePlaces, Part, Recording, RunEnd};
pub use resume::{Changed, InputHashes, Resumption};
pub use store::{Journal, Legible};
pub use stored::{Known, Reference};
