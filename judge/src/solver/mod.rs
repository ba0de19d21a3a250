//! From what the user named to something that can be run.

mod compile;
mod find;
mod interpreter;
mod spec;

pub use compile::Toolbox;
pub use find::{find_command, prepare};
pub use spec::{SpecError, parse_specs};
