//! The report of a comparison, its progress, and its power analysis.

mod claims;
mod interval_progress;
pub(super) mod json;
mod looks;
pub(super) mod power;
pub(super) mod power_sheet;
pub(super) mod rank;
mod record;
pub(super) mod report;
pub(super) mod sheet;
pub(super) mod text;

pub use interval_progress::{InterimResult, IntervalProgress};
pub use json::compare_schema;
pub use looks::{compare_looks_json, compare_looks_schema};
pub use power::{PowerReport, Spread, power_schema};
pub use rank::{RankReport, rank_schema};
pub use report::{CompareReport, Comparison, RunInfo};
