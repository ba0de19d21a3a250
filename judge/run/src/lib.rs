//! Finds and compiles solvers, makes inputs, runs solvers and checks their answers: the engine of `judge`.
//!
//! - [`solver::Toolbox`] builds solvers: [`solver::prepare`] turns the user's text into a program that can be run.
//! - [`cases::ProblemChecker`] reads the input of a case, and checks answers to it. [`cases::Inputs`] makes the inputs.
//! - [`runner::LocalRunner`] plays a plan: every solver on every case.
//!
//! The path of one result:
//!
//! ```text
//! text of a solver ─ solver::prepare ─▶ Solver ─┐
//! problem, seeds, files ─ cases::select ─▶ cases ┴▶ Plan ─ LocalRunner::run ─▶ a slot for each core
//! slot: Inputs::load ─▶ ProblemChecker::prepare ─▶ Executor::run (the sandbox) ─▶ PreparedCase::check ─▶ Outcome
//! Outcome ─ dispatcher ─▶ ResultStore::store (the journal) ─▶ the watcher of the run
//! ```
//!
//! ```
//! use judge_problem::Ruling;
//! use judge_problem::Catalogue;
//! use judge_run::cases::{Inputs, ProblemChecker};
//! use std::path::Path;
//!
//! let catalogue = Catalogue::built_in(Path::new("/"))?;
//! let problem = catalogue.find("columns")?;
//! let input = Inputs::of(problem).generate(7)?;
//! let case = ProblemChecker::of(problem).prepare(&input, None)?;
//! // In this game, an answer without moves is valid.
//! assert!(matches!(case.check(b"0")?, Ruling::Accepted(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

pub mod cases;
pub mod command;
pub mod executor;
pub mod files;
mod interaction;
pub mod matching;
pub mod program;
pub mod runner;
pub mod solver;
