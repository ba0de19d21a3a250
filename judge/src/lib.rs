//! A local judge and scorer for score-based programming games. The binary `judge` calls this library.
//!
//! The rooms are stacked in floors, and a room imports only from floors below its own; a test of the project holds
//! them to it:
//!
//! ```text
//! 10 main, lib               parse, dispatch, exit code
//! 9  commands                one file for each subcommand: load → plan → run → score → report
//! 8  ui                      a web page over the journal, and the API below it
//! 7  workflow                what several subcommands share
//! 6  report, cli             values in, bytes out · the command line's grammar
//! 5  and below              the package `judge-core`: problems, runs, verdicts, scores and the journal
//! ```

pub mod cli;
pub mod commands;
pub mod report;
mod ui;
pub mod workflow;

pub use judge_core::{
    cases, command, condition, engine, executor, gate, import, interaction, journal, manifest, matching, model, paired,
    parallel, plan, program, runner, scoring, solver, statistics, tune, verdict,
};
