//! What a run is and does: problems, plans, solvers, cases, verdicts, scores and the journal. The package `judge` has the
//! command line, the reports and the pages over it, and shows all of these rooms as its own.
//!
//! The rooms are stacked in floors, and a room imports only from floors below its own; a test of the project holds
//! them to it:
//!
//! ```text
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
//!    matching                files that match a pattern
//!    parallel                work on many items, on all cores
//!    statistics, tune        a package of their own, `judge-statistics`: numbers in, numbers out
//! ```

pub mod cases;
pub mod command;
pub mod condition;
pub mod engine;
pub mod executor;
pub mod gate;
pub mod import;
pub mod interaction;
pub mod journal;
pub mod manifest;
pub mod matching;
pub mod model;
pub mod paired;
pub mod parallel;
pub mod plan;
pub mod program;
pub mod runner;
pub mod scoring;
pub mod solver;
pub mod verdict;

pub use judge_statistics as statistics;
pub use judge_statistics::tune;
