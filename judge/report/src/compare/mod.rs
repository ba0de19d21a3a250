//! The report of a comparison, of a ranking, and of a power analysis.

mod claims;
pub(super) mod json;
pub(super) mod power;
pub(super) mod rank;
pub(super) mod report;
pub(super) mod text;

pub use json::{compare_looks_json, compare_looks_schema, compare_schema};
pub use power::{PowerReport, Spread, power_schema};
pub use rank::{RankReport, rank_schema};
pub use report::{CompareReport, Comparison, InterimResult, IntervalProgress, RunInfo};
