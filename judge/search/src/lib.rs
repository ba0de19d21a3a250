//! What `judge find` and `judge reduce` need that is neither statistics nor a run: values in, values out.
//!
//! - [`shrink`] makes an input small that shows something. An [`Oracle`] says whether an input is valid, and runs it.
//! - [`Text`] knows the parts of an input that can be left out, and the numbers that count them.
//! - [`Explorer`] says where the next cases are looked for, [`mutant()`] changes an input.
//! - [`Reason`] is what two outcomes have in common that fail in the same way.
//!
//! The way of one reduction:
//!
//! ```text
//! input ─ Text::read ─▶ parts ─ Text::without ─▶ smaller inputs ─ Oracle::are_valid ─▶ those of the problem
//! those ─ Oracle::first ─▶ the first that still shows it, which is the next input; without one, the end
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
pub use measures::{ComparedAnswers, UNCHECKED, add_all_names, add_measures, is_worse};
pub use mutant::mutant;
pub use reason::Reason;
pub use shrink::{Oracle, shrink};
pub use text::{Kind, Text};
