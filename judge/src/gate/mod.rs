//! The regression gate: the baseline file, and the decision whether a solver still achieves what it records.
//!
//! ```text
//! TOML ─ BaselineFile::parse ─▶ BaselineFile ─▶ Baseline ┐
//! outcomes of today ──────────▶ Baseline ────────────────┴─ judge ─▶ Judgement: complaints, changes, totals
//! BaselineFile ─ BaselineFile::render ─▶ TOML, one line for each case
//! ```

mod baseline;
mod file;
mod judge;
mod judgement;

pub use baseline::{Baseline, BaselineCase, CaseResult};
pub use file::{BaselineFile, BaselineSource, InvalidBaseline};
pub use judge::judge;
pub use judgement::{Change, Complaint, GateLimits, Judgement, TimeLimit};
