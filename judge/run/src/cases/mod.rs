//! The cases of a run: their selection, their inputs, and the checker of their answers.

mod checker;
mod inputs;
mod select;

pub(crate) use checker::ExternalCase;
pub use checker::{
    Checked, CheckerError, CheckerProgram, Checking, PreparedCase, ProblemChecker, check_externally, validate,
};
pub(crate) use inputs::features;
pub use inputs::{CaseDescription, CaseReader, InputError, Inputs, ReadError, describe_all};
pub use select::{SelectError, Selection, select};
