//! Comparisons, the gate, rankings and tuning: from the outside, and in simulations whose truth is known.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod compare;
mod noisy_gate;
mod simulation;
#[path = "../support/mod.rs"]
mod support;
