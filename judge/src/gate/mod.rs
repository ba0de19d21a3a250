//! Does a solver still do what its baseline did? The file that records it, and the decision.
//!
//! ```text
//! TOML ─ Record::parse ─▶ Record ─▶ Baseline ┐
//! today's outcomes ──────▶ Baseline ─────────┴─ judge ─▶ Judgement: complaints, changes, totals
//! Record ─ Record::render ─▶ TOML, one line for each case
//! ```

mod file;
mod judgement;

pub use file::{InvalidRecord, Line, Record, Source};
pub use judgement::{Baseline, CaseResult, Change, Complaint, Entry, Judgement, Limits, TimeLimit, judge};
