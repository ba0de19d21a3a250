//! The cases of a run: their selection, their inputs, and the checker of their answers.

mod checker;
mod error;
mod external;
mod features;
mod input;
mod select;

pub use checker::{PreparedCase, ProblemChecker};
pub use error::{CheckerError, ReadError};
pub use external::{Checked, Checking, check_externally};
pub use features::{CaseDescription, CaseReader, FeatureFinder, describe_all};
pub use input::{InputError, Inputs};
pub use select::{SelectError, Selection, select};
