//! Problems, cases, limits, verdicts, exact scores and scoring rules: values, and what follows from them.

mod model;

pub mod condition;
pub mod manifest;
pub mod parallel;
pub mod plan;
pub mod scoring;
pub mod verdict;

pub use model::*;
