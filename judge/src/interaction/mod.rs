//! A solver and an interactor converse: each reads what the other prints, and the judge passes it on.

mod activity;
mod converse;
mod decision;
mod interactor;
mod relay;

pub use converse::{Conversation, ConverseError, converse};
