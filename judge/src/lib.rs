//! The program `judge`: it parses the command line, runs the subcommand, and ends with its exit code.
//!
//! - [`judge_cli::Cli`] is the command line, parsed.
//! - [`commands::dispatch`] calls the one file of the subcommand, and turns an error into text and an exit code.
//! - [`judge_session::Failure`] is that error, and [`judge_problem::Exit`] the exit code.
//!
//! The path of `judge run`:
//!
//! ```text
//! main ─ Cli::read ─▶ commands::dispatch ─▶ commands::run::run
//!   load     programs::catalogue, case_selection::choose, ReferenceScores::open ─▶ problem, cases, best known scores
//!   plan     entrants::solvers ─▶ Plan; Sharded::of ─▶ the part that this process plays
//!   record   Recorder::start ─▶ the journal, with earlier results
//!   play     PlanRunner::run ─▶ outcomes
//!   score    restored_run::score ─▶ points and totals
//!   report   RunOutputs::publish ─▶ the table and the files; the exit code
//! ```
//!
//! ```no_run
//! use judge_cli::Cli;
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     judge::commands::dispatch(Cli::read())
//! }
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

pub mod commands;
