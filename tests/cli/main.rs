//! What commands do, as scripts, CI jobs and people rely on it; and what is handed on with the program.
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
