//! Searching for good parameters of a solver: which settings to try, on how many cases, and which to drop.
//!
//! Successive halving on paired cases (Jamieson and Talwalkar, "Non-stochastic best arm identification and
//! hyperparameter optimization", AISTATS 2016) with early dropping as in racing (Maron and Moore, "The racing
//! algorithm", Artificial Intelligence Review 11, 1997): many settings play few cases, the better half goes on to
//! twice as many, and so on. All settings of a rung play the same cases, so that what is compared is paired.
//!
//! Pure: the caller runs the solver.
//!
//! ```text
//! --param t=0.1..10:log ─ Parameter::from_str ─▶ Parameter ─ settings(count, seed) ─▶ settings
//! --budget ─ rungs ─▶ Rung (how many settings, how many cases)
//! values per setting and case ─ survivors ─▶ who goes on, the best first
//! ```

mod parameter;
mod race;

pub use parameter::{InvalidParameter, Parameter, Scale, Setting, fill, settings};
pub use race::{Rung, Survivor, rungs, survivors};
