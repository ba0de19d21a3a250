//! The regression gate: the baseline file, and the decision whether a solver still achieves what it records.
//!
//! ```text
//! TOML ─ BaselineFile::parse ─▶ BaselineFile ─▶ Baseline ┐
//! outcomes of today ──────────▶ Baseline ────────────────┴─ judge ─▶ Judgement: complaints, changes, totals
//!                                  scores that vary ─ Noise ─┘
//! BaselineFile ─ BaselineFile::render ─▶ TOML, one line for each case
//! ```

mod baseline;
mod calibration;
mod file;
mod judge;
mod judgement;
mod noise;
mod sample;

pub use baseline::{Baseline, BaselineCase, CaseResult};
pub use calibration::{Calibration, Design};
pub use file::{BaselineFile, BaselineSource, InvalidBaseline};
pub use judge::judge;
pub use judgement::{Change, Complaint, GateLimits, Judgement, TimeLimit};
pub use noise::{NoiseTest, POWER, averaged};
pub use sample::Sample;
