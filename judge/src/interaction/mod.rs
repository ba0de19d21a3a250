//! A solver and an interactor converse: each reads what the other prints, and the judge passes it on.

mod activity;
mod closing;
mod converse;
mod interactor;
mod relay;

pub use converse::{Conversation, ConverseError, converse};
