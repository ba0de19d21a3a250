//! The report of a run, in every format but HTML.

mod cases;
pub(super) mod csv;
mod feedback;
pub(super) mod json;
pub(super) mod junit;
pub(super) mod leaderboard;
mod lines;
pub(super) mod markdown;
mod parts;
mod record;
pub(super) mod report;
mod run_record;
pub(super) mod summary;
mod test_groups;

pub use feedback::{Feedback, TestTexts};
pub use json::run_schema;
pub use lines::{JsonLines, lines_schema};
pub use parts::{CasePage, CaseRow, RunHead, case_page_json, case_page_schema, run_head_json, run_head_schema};
pub use report::RunReport;
