//! Finds and compiles solvers, makes inputs, calls checkers and interactors, and plays a plan.

pub mod cases;
pub mod command;
pub mod executor;
pub mod interaction;
pub mod matching;
pub mod program;
pub mod runner;
pub mod solver;
