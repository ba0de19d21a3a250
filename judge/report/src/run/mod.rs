//! The report of a run, in every format but HTML and JUnit.

pub(super) mod csv;
pub(super) mod feedback;
pub(super) mod json;
pub(super) mod metrics;
pub(super) mod record;
pub(super) mod report;
pub(super) mod tables;
pub(super) mod text;
