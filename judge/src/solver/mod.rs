//! Solvers: from the user's text to a program that can be run.

mod cache;
mod class_file;
mod compile;
mod compiler;
mod error;
mod find;
mod fingerprint;
mod java_source;
mod journals;
mod language;
mod line;
mod program;
mod project;
mod refusal;
mod rustup;
mod spec;
mod stage;
mod start_failure;
mod surroundings;
mod toolbox;
mod toolchain;
mod version;

pub use cache::Cache;
pub use compiler::{Purpose, RunCompiler};
pub use error::SolverError;
pub use find::{find_command, prepare};
pub use fingerprint::fingerprint;
pub use journals::{is_in_journal, journals_in};
pub use refusal::{check_choices, check_solver};
pub use spec::{SpecError, check_names, name_specs, names_apart, parse_specs};
pub use start_failure::ending;
pub use surroundings::{environment, visible};
pub use toolbox::{BuildSettings, Toolbox};
pub use version::survey;
