//! The parts of `judge find` and `judge reduce` that are neither statistics nor runs. They turn values into values.
//!
//! - [`shrink`] makes an input smaller as long as it shows a given property. An [`Oracle`] says whether an input is
//!   valid, and runs it.
//! - [`Text`] has the parts of an input that can be left out, and the numbers that count them.
//! - [`Explorer`] chooses the next cases of a search, [`mutant()`] changes an input.
//! - [`Reason`] identifies a way to fail. Two outcomes that fail in the same way have the same reason.
//!
//! The path of one reduction:
//!
//! ```text
//! input ─ Text::read ─▶ parts ─ Text::without ─▶ smaller inputs ─ Oracle::are_valid ─▶ valid inputs
//! valid inputs ─ Oracle::first ─▶ the first that still shows the property: the next input; without one, the end
//! ```
//!
//! ```
//! use judge_search::{Oracle, shrink};
//! use std::convert::Infallible;
//!
//! /// A solver that fails on lists with a 7, and any list is an input.
//! struct FailsOnSeven;
//!
//! impl Oracle for FailsOnSeven {
//!     type Error = Infallible;
//!
//!     fn are_valid(&self, inputs: &[&[u8]]) -> Vec<bool> {
//!         vec![true; inputs.len()]
//!     }
//!
//!     fn first(&mut self, inputs: &[Vec<u8>]) -> Result<Option<usize>, Infallible> {
//!         Ok(inputs.iter().position(|input| input.contains(&b'7')))
//!     }
//!
//!     fn jobs(&self) -> usize {
//!         1
//!     }
//! }
//!
//! let mut input = b"12\n7\n30\n".to_vec();
//! assert_eq!(shrink(&mut FailsOnSeven, &mut input), Ok(()));
//! assert_eq!(input, b"7\n");
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

mod explorer;
mod measures;
mod mutant;
mod reason;
mod shrink;
mod text;

pub use explorer::Explorer;
pub use measures::{UNCHECKED, add_all_names, add_measures, is_worse};
pub use mutant::mutant;
pub use reason::Reason;
pub use shrink::{Oracle, shrink};
pub use text::{Kind, Text};
