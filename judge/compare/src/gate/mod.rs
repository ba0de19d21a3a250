//! The regression gate: the baseline file, and the decision whether a solver still achieves what it records.
//!
//! ```text
//! TOML ─ BaselineFile::parse ─▶ BaselineFile ─▶ Baseline ┐
//! outcomes of today ──────────▶ Baseline ────────────────┴─ judge ─▶ Judgement: complaints, changes, totals
//! disturbed cases ─ repeat_disturbed ─▶ Conditions of today ┘
//!                                  scores that vary ─ Noise ─ NoiseTest ─┘
//! BaselineFile ─ BaselineFile::render ─▶ TOML, one line for each case
//! ```

mod averaging;
mod baseline;
mod calibration;
mod conditions;
mod file;
mod judge;
mod judgement;
mod noise;
mod noise_test;
mod sample;

pub use averaging::{averaged, with_steady_times};
pub use baseline::{Baseline, BaselineCase, CaseResult};
pub use calibration::{Calibration, Design};
pub use conditions::{Conditions, repeat_disturbed};
pub use file::{BaselineFile, BaselineSource, InvalidBaseline};
pub use judge::judge;
pub use judgement::{Change, Complaint, GateLimits, GateVerdict, Judgement, TimeLimit};
pub use noise_test::{MOST_RUNS, NoiseTest, POWER};
pub use sample::Sample;
