//! The cases of a run: their selection, their inputs, and the checker of their answers.

mod checker;
mod error;
mod external;
mod features;
mod input;
mod made;
mod select;

pub use checker::{PreparedCase, ProblemChecker};
pub use error::{CheckerError, InputError, ReadError};
pub use external::{Checked, CheckerProgram, Checking, check_externally, check_input};
pub use features::{CaseDescription, CaseReader, FeatureFinder, describe_all};
pub use input::Inputs;
pub use select::{SelectError, Selection, select};
