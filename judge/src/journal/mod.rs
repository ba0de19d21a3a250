//! The journal: every finished case of every run, in one SQLite file that outlives any way a run can end.
//!
//! ```text
//! RunRecord ─ begin | resume ─▶ Recording ─ append (one commit for each batch) ─▶ finish
//! Journal ─ history | stored_run | best | answer ─▶ what was recorded
//! ```

mod answers;
mod begin;
mod best;
mod columns;
mod error;
mod history;
mod key;
mod known;
mod lock;
mod rank;
mod record;
mod recording;
mod row_writer;
mod schema;
mod store;
mod stored;
mod surroundings;
#[cfg(test)]
mod tests;

pub use best::Imported;
pub use error::JournalError;
pub use history::HistoryFilter;
pub use known::Known;
pub use record::{RunRecord, environment};
pub use recording::{Part, Recording, Resumption, RunEnd};
pub use store::Journal;
pub use surroundings::Surroundings;
