//! The journal: every finished case of every run, in one SQLite file that outlives any way a run can end.
//!
//! ```text
//! RunRecord ─ begin | resume ─▶ Recording ─ append (one commit for each batch) ─▶ finish
//! files of shards ─ merge ─▶ one run of a Journal
//! Journal ─ history | stored_run | best | answer ─▶ what was recorded
//! Journal ─ Watch::look, again and again ─▶ what has changed meanwhile
//! ```

mod answers;
mod begin;
mod best;
mod best_of_case;
mod best_result;
mod change;
mod cluster;
mod columns;
mod error;
mod faults;
mod file;
mod history;
mod key;
mod known;
mod labels;
mod legible;
mod lock;
mod merge;
mod nodes;
mod origins;
mod rank;
mod record;
mod recording;
mod reference;
mod rescue;
mod resume;
mod row_writer;
mod same_run;
mod schema;
mod store;
mod stored;
mod surroundings;
#[cfg(test)]
mod tests;
mod watch;

pub use best::Imported;
pub use error::JournalError;
pub use history::HistoryFilter;
pub use known::Known;
pub use legible::Legible;
pub use merge::{Difference, Gap, MergeError, Merged, Unusable, check, merge};
pub use record::{RunRecord, environment};
pub use recording::{CasePlaces, Part, Recording, RunEnd};
pub use reference::Reference;
pub use resume::{Changed, InputHashes, Resumption};
pub use store::Journal;
pub use surroundings::Surroundings;
pub use watch::{Changes, FinishedCase, RunOrigin, RunProgress, SolverProgress, Stamp, Watch};
