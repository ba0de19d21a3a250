//! The judge under adverse conditions: killed, without resources, deceived and on unfriendly machines, always through
//! its command line.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test may panic, and tells what it measures")]

#[path = "../../judge/sandbox/tests/misbehave/delegation.rs"]
mod delegation;
#[path = "../support/mod.rs"]
mod support;

mod busy_gate;
mod death;
mod inherited;
mod journal;
mod measures;
mod repetition;
mod shortage;
mod start;
mod streams;
mod tiers;
mod timing;
