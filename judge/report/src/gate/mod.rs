//! The gate's findings.

pub(super) mod calibration;
pub(super) mod json;
pub(super) mod junit;
pub(super) mod markdown;
pub(super) mod report;
pub(super) mod sheet;
pub(super) mod text;

pub use calibration::{CalibrationReport, calibration_schema};
pub use json::gate_schema;
pub use report::{GateReport, GatesReport};
