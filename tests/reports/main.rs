//! The display: reports in every format, the words on the terminal, and the pages of `judge ui`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod display;
mod formats;
mod runs;
mod snapshots;
#[path = "../support/mod.rs"]
mod support;
mod ui;
mod visible;
mod worst_cases;
