//! The cases of a run: which there are, their inputs, and who says what an answer is worth.

mod checker;
mod features;
mod input;
mod select;

pub use checker::{Admitted, ReadError, Referee, RefereeError};
pub use features::{CaseReader, Described, FeatureFinder, describe_all};
pub use input::{InputError, Inputs};
pub use select::{SelectError, Selection, select};
