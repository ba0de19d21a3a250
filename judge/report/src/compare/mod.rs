//! The report of a comparison, of a ranking, and of a power analysis.

pub(super) mod claims;
pub(super) mod json;
pub(super) mod power;
pub(super) mod rank;
pub(super) mod report;
pub(super) mod text;
