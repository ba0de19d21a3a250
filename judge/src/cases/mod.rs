//! The cases of a run: which there are, their inputs, and who says what an answer is worth.

mod features;
mod input;
mod referee;
mod select;

pub use features::{CaseReader, Described, FeatureFinder, describe_all};
pub use input::{InputError, Inputs};
pub use referee::{Admitted, ReadError, Referee, RefereeError};
pub use select::{SelectError, Selection, select};
