//! The search for good parameters of a solver: the settings, the number of cases, and the choice of survivors.
//!
//! Successive halving on paired cases (Jamieson and Talwalkar, "Non-stochastic best arm identification and
//! hyperparameter optimization", AISTATS 2016) with early dropping as in racing (Maron and Moore, "The racing
//! algorithm", Artificial Intelligence Review 11, 1997): many settings run on few cases, the better half goes on to
//! twice as many, and so on. All settings of a rung run on the same cases, so that comparisons are paired. A sequence
//! of rungs is a bracket (Li and others, "Hyperband", JMLR 18, 2018).
//!
//! Pure: the caller runs the solver.
//!
//! ```text
//! --param t=0.1..10:log ─ Parameter::from_str ─▶ Parameter ─ settings(count, seed) ─▶ settings
//! --budget ─ rungs ─▶ Rung (how many settings, how many cases)
//! values per setting and case ─ survivors ─▶ the settings that go on, the best first
//! ```

mod halving;
mod parameter;

pub use halving::{Rung, Survivor, rungs, survivors};
pub use parameter::{InvalidParameter, Parameter, ParameterSetting, Scale, fill, settings};
