//! The cases of a run: which there are, their inputs, and who says what an answer is worth.

mod input;
mod referee;
mod select;

pub use input::{InputError, Inputs};
pub use referee::{Admitted, Referee, RefereeError, Ruling};
pub use select::{SelectError, Selection, select};
