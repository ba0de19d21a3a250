//! The cases of a run: their selection, their inputs, and the checker of their answers.

mod checker;
mod features;
mod input;
mod select;

pub use checker::{CheckerError, PreparedCase, ProblemChecker, ReadError, check_externally};
pub use features::{CaseDescription, CaseReader, FeatureFinder, describe_all};
pub use input::{InputError, Inputs};
pub use select::{SelectError, Selection, select};
