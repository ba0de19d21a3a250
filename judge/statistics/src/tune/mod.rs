//! The search for good parameters of a solver: which setting runs on which case, and which setting is best.
//!
//! A new setting runs on few cases. From all runs a Gaussian process learns what a setting is worth, and another one how noisy
//! the settings are: a mean of noisy scores counts for less. The next settings are those with the largest expected improvement
//! (Jones, Schonlau and Welch, "Efficient global optimization of expensive black-box functions", Journal of Global Optimization
//! 13, 1998). Where categories behave differently, each combination of them has a process of its own.
//!
//! Settings that may be the best run on more cases, the others do not: a race (Maron and Moore, "The racing algorithm",
//! Artificial Intelligence Review 11, 1997). Settings are compared on the cases that they share, so that easy and hard cases
//! make no difference.
//!
//! Pure: the caller runs the solver. The same seed and values give the same search.
//!
//! ```text
//! --param t=0.1..10:log ─ Parameter::from_str ─▶ Parameter ─ Space::new ─▶ Space
//! Search::next_round ─▶ settings × cases to run ─ Search::tell(setting, case, value) ─┐   until the budget is spent
//!        ▲  table: what each setting is worth ─ noise ─ model, processes               │
//!        └──────────────────────────────────────────────────────────────────────────────┘
//! Search::best ─▶ the setting with the highest expected worth
//! ```

mod model;
mod noise;
mod parameter;
mod process;
mod processes;
mod search;
mod space;
mod table;
#[cfg(test)]
mod tests;

pub use parameter::{Domain, InvalidParameter, Parameter, ParameterCondition};
pub use search::{Search, SearchRound, SearchSettings};
pub use space::{InvalidSpace, ParameterSetting, Space};
