//! The code that several subcommands and the local server share. It loads a catalogue, runs solvers, records results
//! and publishes reports.
//!
//! - [`MatchRunner`] builds solvers and plays plans in one sandbox. [`Session`] is a run that can still grow.
//! - [`Recorder`] writes a run to the journal, and finds earlier results.
//! - [`Failure`] is an error as the user sees it: a message, its causes, a hint, and the exit code.
//!
//! The path of one run:
//!
//! ```text
//! GlobalArgs ─ load::catalogue ─▶ Catalogue ─ programs::compile ─▶ a problem with its programs
//! CaseArgs ─ case_selection::choose ─▶ ChosenCases ─ ReferenceScores::apply ─▶ cases with their best known scores
//! texts of solvers ─ entrants::solvers ─▶ Solver ─┐
//! cases ──────────────────────────────────────────┴▶ Plan ─ running::runner | MatchRunner::play ─▶ outcomes
//! outcomes ─ Recorder ─▶ the journal, and back by RestoredRun
//! outcomes ─ restored_run::score ─▶ ScoredRun ─▶ a report ─ Outputs | RunOutputs ─▶ files and standard output
//! ```
//!
//! A subcommand imports from here, and never from another subcommand.
//!
//! ```no_run
//! use judge_cli::CompareArgs;
//! use judge_session::{Failure, GlobalArgs, MatchRunner, load};
//!
//! fn play(args: &CompareArgs) -> Result<usize, Failure> {
//!     let catalogue = load::catalogue(GlobalArgs::default())?;
//!     let problem = load::problem(&catalogue, Some("columns"))?;
//!     let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
//!     let solvers = runner.solvers(&args.solvers)?;
//!     let plan = runner.plan(solvers, runner.cases(&args.cases, None)?)?;
//!     Ok(runner.play(plan)?.outcomes.finished().count())
//! }
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

pub mod answers;
pub mod best_scores;
pub mod case_selection;
pub mod command_line;
pub mod comparison;
pub mod detached;
mod edited;
pub mod entrants;
pub mod failure;
pub mod load;
pub mod manual_game;
pub mod match_runner;
pub mod outputs;
pub mod pairing;
pub mod problem_facts;
pub mod programs;
pub mod recorder;
pub mod restored_run;
pub mod running;
pub mod sandbox;
pub mod sealed;

pub use best_scores::{FromJournal, ReferenceScores};
pub use edited::{Snapshot, snapshot};
pub use failure::{Failure, Result};
pub use load::GlobalArgs;
pub use match_runner::{MatchResult, MatchRunner, ScoredMatch, Session};
pub use outputs::{Outputs, RunOutputs};
pub use recorder::{JournalOptions, Recorder, RunContext};
pub use restored_run::RestoredRun;
