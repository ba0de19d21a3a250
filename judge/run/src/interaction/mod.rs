//! Conversations of a solver and an interactor, or a tester that starts the solver itself: each reads what the other
//! prints, through the judge.

mod activity;
mod converse;
mod decision;
mod interactor;
mod relay;
mod tester;
mod transcript;
mod trial;
mod unread;

pub use converse::{Conversation, ConverseError, Partner, converse};
pub use tester::Trial;
pub use trial::test;
