//! The report of a search for good parameters.

pub(super) mod json_lines;
pub(super) mod report;
pub(super) mod sheet;
pub(super) mod text;

pub use json_lines::tune_schema;
pub use report::filled;
pub use report::{Candidate, TuneComparison, TuneReport};
