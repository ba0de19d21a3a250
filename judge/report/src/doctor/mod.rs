//! The capabilities of the sandbox on this machine, and the sources of noise in timings.

mod findings;
mod json;
mod text;

pub use json::{doctor_json, doctor_schema};
pub use text::doctor_text;
