//! Solvers: from the user's text to a program that can be run.

mod compile;
mod compiler;
mod find;
mod fingerprint;
mod journals;
mod language;
mod program;
mod refusal;
mod rustup;
mod spec;
mod stage;
mod start_failure;
mod surroundings;
mod toolchain;

pub use compile::Toolbox;
pub use compiler::RunCompiler;
pub use find::{find_command, prepare};
pub use fingerprint::fingerprint;
pub use journals::{is_in_journal, journals_in};
pub use refusal::{SolverError, check_solver};
pub use spec::{SpecError, check_names, name_specs, names_apart, parse_specs};
pub use start_failure::ending;
pub use surroundings::{environment, visible};
