//! The gate's findings.

pub(super) mod formats;
pub(super) mod report;

pub use formats::gate_schema;
pub use report::GateReport;
