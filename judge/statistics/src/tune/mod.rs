//! The search for good parameters of a solver: which setting runs on which case, and which setting is best.
//!
//! A new setting runs on few cases. From all runs, a Gaussian process learns the worth of the settings, and another one
//! learns their noise: a mean of noisy scores counts less. The next settings are those with the largest expected
//! improvement (Jones, Schonlau and Welch, "Efficient global optimization of expensive black-box functions", Journal of
//! Global Optimization 13, 1998). If categories behave differently, each combination of them has its own process.
//!
//! Only settings that may be the best run on more cases: a race (Maron and Moore, "The racing algorithm", Artificial
//! Intelligence Review 11, 1997). Settings are compared on the cases that they share, so that easy and hard cases make
//! no difference.
//!
//! The search is pure: the caller runs the solver. The same seed and values give the same search.
//!
//! ```text
//! --param t=0.1..10:log ─ Parameter::from_str ─▶ Parameter ─ Space::new ─▶ Space
//! Search::next_round ─▶ settings × cases to run ─ Search::tell(setting, case, value) ─┐   until the budget is spent
//!        ▲            table: the worth of each setting ─ noise ─ model, processes     │
//!        └────────────────────────────────────────────────────────────────────────────┘
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
