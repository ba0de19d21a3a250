//! The regression gate: the baseline file, and the decision whether a solver still achieves what it records.
//!
//! ```text
//! TOML ─ BaselineFile::parse ─▶ BaselineFile ─▶ Baseline ───┐
//! outcomes of today ──────────▶ Baseline ───────────────────┼─ judge ─▶ Judgement: complaints, changes, totals
//! disturbed cases ─ repeat_disturbed ─▶ Conditions of today ┤
//! scores that vary ─ Noise ─ NoiseTest ─────────────────────┘
//! BaselineFile ─ BaselineFile::render ─▶ TOML, one line for each case
//! ```

mod baseline;
mod file;
mod judge;
mod judgement;
mod noise;

pub use baseline::{Baseline, BaselineCase, CaseResult, Conditions, Sample, repeat_disturbed};
pub use file::BaselineFile;
pub use judge::{averaged, judge, with_steady_times};
pub use judgement::{Change, Complaint, GateLimits, GateVerdict, Judgement, TimeLimit};
pub use noise::{Calibration, Design, MAX_RUNS, NoiseTest, POWER};
