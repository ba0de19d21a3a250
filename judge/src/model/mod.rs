//! The words that cross the walls between rooms: passive data, no effects.

mod case;
mod digest;
mod direction;
mod event;
mod exit;
mod features;
mod keep;
mod limits;
mod natural;
mod number;
mod outcome;
mod problem;
mod rule;
mod ruling;
mod seeds;
mod solver;
mod units;
mod verdict;

pub use case::{CaseName, CaseSource, CaseSpec, Thresholds, ThresholdsError};
pub use digest::{Digest, DigestError};
pub use direction::Direction;
pub use event::{Evidence, Finished, JobId, Recalled, RunEvent, Stop, StoredResult};
pub use exit::Exit;
pub use features::{Feature, FeatureRule, Features, is_feature_name};
pub use keep::KeepAnswers;
pub use limits::Limits;
pub use natural::natural_key;
pub use number::{Number, NumberError};
pub use outcome::Outcome;
pub use problem::{CheckerChoice, GeneratorChoice, Problem};
pub use rule::{Aggregate, RankForm, Rule, UnknownRule};
pub use ruling::Ruling;
pub use seeds::{Seeds, SeedsError};
pub use solver::{Invocation, Solver, SolverSpec};
pub use units::{Bytes, Percent, Time, UnitError};
pub use verdict::Verdict;
