//! Solvers, checkers and interactors: the files that they can see, their limits, and the resulting verdicts and scores.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod answer_folders;
mod bundled;
mod checker_protocols;
mod compilers;
mod confinement;
mod decimals;
mod fidelity;
mod interactive;
mod interpreters;
mod metrics;
mod protocols;
mod rejections;
mod scoring;
mod serve;
mod setters;
mod submissions;
#[path = "../support/mod.rs"]
mod support;
mod testers;
