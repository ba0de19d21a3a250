//! Comparisons, the gate, rankings and tuning: through the command line, and in simulations with a known truth.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod compare;
mod noisy_gate;
mod simulation;
#[path = "../support/mod.rs"]
mod support;
