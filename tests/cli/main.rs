//! The behaviour of commands that scripts, CI jobs and users rely on; and the files that are distributed with the
//! program.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod check;
mod commands;
mod docs;
mod everyday;
mod find;
mod fuzz;
mod import;
mod many_files;
mod naming;
mod new;
mod python;
mod reduce;
mod release;
#[path = "../support/mod.rs"]
mod support;
mod verify;
