//! The content of the journal: the best scores, and past runs.

mod best;
mod figure;
mod history;
mod trend;

pub use best::{BestFileError, best_json, best_schema, best_text, read_best_json};
pub use history::{
    history_json, history_page_json, history_page_schema, history_schema, history_text, labels_text, stored_run_text,
};
