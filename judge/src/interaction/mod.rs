//! Conversations of a solver and an interactor: each reads what the other prints, through the judge.

mod activity;
mod converse;
mod decision;
mod interactor;
mod relay;

pub use converse::{Conversation, ConverseError, Partner, converse};
