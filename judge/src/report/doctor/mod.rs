//! What the sandbox can do on this machine, and what makes timings noisy.

mod findings;
mod json;
mod text;

pub use json::{doctor_json, doctor_schema};
pub use text::doctor_text;
