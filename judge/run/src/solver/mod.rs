//! Solvers: from the user's text to a program that can be run.

mod answers;
mod compile;
mod compiler;
mod find;
mod project;
mod spec;
mod toolbox;

pub use answers::read_answer;
pub use compiler::{Purpose, RunCompiler, survey};
pub use find::{
    bundled_for, check_choices, check_solver, ending, find_command, fingerprint, language_settings, prepare,
    shared_content,
};
pub use spec::{
    SolverError, SpecError, check_names, is_submission, name_specs, named_language, names_apart, parse_specs,
};
pub use toolbox::{BuildSettings, Cache, Toolbox};
