//! Solvers: from the user's text to a program that can be run.

mod cache;
mod class_file;
mod compile;
mod compiler;
mod ending;
mod error;
mod find;
mod fingerprint;
mod java_source;
mod language;
mod line;
mod project;
mod refusal;
mod spec;
mod stage;
mod submission;
mod toolbox;
mod version;

pub use cache::Cache;
pub use compiler::{Purpose, RunCompiler};
pub use ending::ending;
pub use error::SolverError;
pub use find::{bundled_for, find_command, prepare};
pub use fingerprint::fingerprint;
pub use refusal::{check_choices, check_solver, is_source};
pub use spec::{SpecError, check_names, name_specs, names_apart, parse_specs};
pub use submission::is_submission;
pub use toolbox::{BuildSettings, Toolbox};
pub use version::survey;
