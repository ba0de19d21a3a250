//! The findings of the gate.

pub(super) mod calibration;
pub(super) mod formats;
pub(super) mod json;
pub(super) mod report;

pub use calibration::{CalibrationReport, calibration_schema};
pub use json::gate_schema;
pub use report::{GateReport, GatesReport};
