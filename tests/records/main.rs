//! Stored results: the journal, past runs, and the shards and clusters whose results become one run.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod journal;
mod past_runs;
mod scale;
mod sealed;
mod shards;
mod slurm;
#[path = "../support/mod.rs"]
mod support;
