//! The content of the journal: the best scores, and past runs.

mod best;
mod history;

pub use best::{BestFileError, best_json, best_schema, best_text, read_best_json};
pub use history::{history_json, history_schema, history_text, stored_run_text};
