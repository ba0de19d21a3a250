//! The report of a comparison, of a ranking, and of a power analysis.

pub(super) mod claims;
pub(super) mod json;
pub(super) mod power;
pub(super) mod rank;
pub(super) mod report;
pub(super) mod text;

pub use json::growing_comparison;
pub use power::{PowerReport, Spread};
pub use rank::RankReport;
pub use report::{CompareReport, ComparedRuns, Comparison, InterimResult, IntervalProgress, RunInfo};
