//! From what the user named to something that can be run.

mod compile;
mod find;
mod fingerprint;
mod interpreter;
mod obstacle;
mod spec;
mod stage;

pub use compile::Toolbox;
pub use find::{find_command, prepare};
pub use fingerprint::fingerprint;
pub use obstacle::ending;
pub use spec::{SpecError, check_names, parse_spec, parse_specs};
