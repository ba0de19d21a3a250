//! The report of a search for good parameters.

pub(super) mod report;

pub use report::{Candidate, Round, TuneReport, tune_schema, value};
