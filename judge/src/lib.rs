//! A local judge and scorer for score-based programming games. The binary `judge` calls this library.
//!
//! The rooms are stacked in floors, and a room imports only from floors below its own; a test of the project holds
//! them to it:
//!
//! ```text
//! 8  main, lib               parse, dispatch, exit code
//! 7  commands                one file for each subcommand: load → plan → run → score → report
//! 6  workflow                what several subcommands share
//! 5  report, cli             values in, bytes out · the command line's grammar
//! 4  runner                  dispatcher and workers
//! 3  solver, cases, journal  effects: find or compile a solver · make inputs, check answers · SQLite
//!    interaction             a solver and an interactor converse
//!    import                  reads problem packages of others
//! 2  command                 a command of the problem's author, under a supervisor
//!    executor                runs one program: the seam to the sandbox
//!    paired, gate, tune      decisions made of scoring and statistics
//! 1  manifest, plan, condition, verdict, scoring, statistics     pure logic
//! 0  model                   the types that all rooms share
//! ```

pub mod cases;
pub mod cli;
pub mod command;
pub mod commands;
pub mod condition;
pub mod executor;
pub mod gate;
pub mod import;
pub mod interaction;
pub mod journal;
pub mod manifest;
pub mod model;
pub mod paired;
pub mod plan;
pub mod report;
pub mod runner;
pub mod scoring;
pub mod solver;
pub mod statistics;
pub mod tune;
pub mod verdict;
pub mod workflow;
