//! Claims about solvers that hold exactly as worded. This crate turns exact scores into claims with their uncertainty.
//! It runs no solver.
//!
//! The main types:
//! - [`paired::PairedComparison`]: two solvers on the same cases, with one effect for each case.
//! - [`paired::Inference`]: an estimate, its interval, and a [`paired::Claim`] if there is one.
//! - [`gate::Judgement`]: whether a solver is as good as its recorded [`gate::Baseline`], and why not.
//!
//! ```text
//! outcomes of two solvers ─ PairedComparison::of ─▶ PairedComparison ─ infer_fixed | infer_sequential ─▶ Inference
//! baseline file ─ BaselineFile::parse ─▶ Baseline ┐
//! outcomes of today ────────────────────▶ Baseline ┴─ gate::judge ─▶ Judgement
//! ```
//!
//! ```
//! use checkers::Score;
//! use judge_compare::gate::{self, Baseline, BaselineCase, CaseResult, GateLimits};
//! use judge_problem::{Direction, Percent};
//! use std::collections::BTreeMap;
//!
//! let run = |score: i64| Baseline {
//!     problem: "same-game".to_owned(),
//!     terms: "max".to_owned(),
//!     checker: "same-game 1".to_owned(),
//!     conditions: None,
//!     cases: BTreeMap::from([(
//!         "seed-1".to_owned(),
//!         BaselineCase {
//!             result: CaseResult::Accepted(Score::from(score).into()),
//!             input: None,
//!             cpu: None,
//!             processor: None,
//!             tolerance: None,
//!         },
//!     )]),
//! };
//! let limits = GateLimits {
//!     direction: Direction::Max,
//!     max_drop: "5%".parse::<Percent>()?.0,
//!     alpha: 0.01,
//!     case_alpha: 0.01,
//!     may_repeat: false,
//!     confident: None,
//!     time: None,
//! };
//! assert!(gate::judge(&run(100), &run(97), &limits).holds());
//! assert!(!gate::judge(&run(100), &run(90), &limits).holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

pub mod gate;
pub mod paired;
