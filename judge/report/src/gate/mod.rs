//! The findings of the gate.

pub(super) mod calibration;
pub(super) mod formats;
pub(super) mod json;
pub(super) mod report;
