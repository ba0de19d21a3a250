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
//! 5  engine                  runs plans on many machines
//! 4  runner                  dispatcher and workers
//! 3  solver, cases, journal  effects: find or compile a solver · make inputs, check answers · SQLite
//!    interaction             a solver and an interactor converse
//!    import                  reads problem packages of others
//! 2  command                 a command of the problem's author, in the sandbox or trusted
//!    executor                runs one program: the seam to the sandbox
//!    paired, gate            decisions made of scoring and statistics
//! 1  manifest, plan, condition, verdict, scoring     pure logic
//!    program                 where a program is, and what it needs to see: found by reading
//! 0  model                   the types that all rooms share
//!    statistics, tune        a package of their own, `judge-statistics`: numbers in, numbers out
//! ```

pub mod cases;
pub mod cli;
pub mod command;
pub mod commands;
pub mod condition;
pub mod engine;
pub mod executor;
pub mod gate;
pub mod import;
pub mod interaction;
pub mod journal;
pub mod manifest;
pub mod model;
pub mod paired;
pub mod plan;
pub mod program;
pub mod report;
pub mod runner;
pub mod scoring;
pub mod solver;
mod ui;
pub mod verdict;
pub mod workflow;

pub use judge_statistics as statistics;
pub use judge_statistics::tune;
