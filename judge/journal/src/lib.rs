//! The journal: every finished case of every run, in one SQLite file. The file survives any end of a run.
//!
//! - [`Journal`] is the open file. It returns recorded data.
//! - [`RunRecord`] describes a run: its plan, its checker, the content of its solvers, its machine.
//! - [`Recording`] is the record of a running run. Each batch of finished cases is one commit.
//!
//! The path of one result:
//!
//! ```text
//! RunRecord ─ begin | resume ─▶ Recording ─ append (one commit for each batch) ─▶ finish
//! files of shards ─ merge ─▶ one run of a Journal
//! Journal ─ history | stored_run | best | answer ─▶ recorded data
//! Journal ─ Watch::changes, repeatedly ─▶ changes since the last call
//! ```
//!
//! There is one format of journals. A file in another format is refused, and nothing is converted.
//!
//! ```
//! use judge_journal::{HistoryFilter, Journal};
//!
//! let folder = tempfile::tempdir()?;
//! let journal = Journal::open(folder.path())?;
//! assert_eq!(journal.path(), Journal::path_in(folder.path()));
//! assert!(journal.history(&HistoryFilter::default())?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
pub use history::{Changes, HistoryFilter, RunOrigin, Stamp, Watch};
pub use identity::{RunRecord, Surroundings, environment, this_machine};
pub use merge::{Difference, Gap, MergeError, Merged, Unusable, check, merge};
pub use recording::{CasePlaces, Part, Recording, RunEnd, unused_path};
pub use resume::{Changed, InputHashes, Resumption};
pub use store::{Journal, ReadableRows};
pub use stored::{Known, Reference};
