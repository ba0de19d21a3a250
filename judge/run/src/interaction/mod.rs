//! Conversations of a solver and an interactor, or a tester that starts the solver itself: each reads what the other
//! prints, through the judge.

mod converse;
mod decision;
mod relay;
mod tester;

pub use converse::{Conversation, ConverseError, Partner, converse};
pub use tester::{Trial, test};
