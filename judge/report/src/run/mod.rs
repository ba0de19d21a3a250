//! The report of a run, in every format but HTML and JUnit.

pub(super) mod csv;
mod feedback;
pub(super) mod json;
pub(super) mod metrics;
pub(super) mod record;
pub(super) mod report;
pub(super) mod tables;
pub(super) mod text;

pub use feedback::{Feedback, TestTexts};
pub use json::{CasePage, CaseRow, JsonLines, RunHead};
pub use metrics::Pareto;
pub use record::Summary;
pub use report::RunReport;
