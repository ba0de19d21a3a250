//! Interpreters and other installed programs: they run as on the host, and nothing is seen or executed that need not be.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "each test uses its own part")]
mod support;

mod installations;
mod journals;
mod place;
mod private;
mod trust;
