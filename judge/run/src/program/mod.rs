//! Programs on this machine: where one is, what it needs to see in the sandbox, and why one cannot be started. All of it
//! is found out by reading files: nothing is executed.

mod find;
mod journals;
mod rustup;
mod start_failure;
mod surroundings;
mod toolchain;

pub use find::setters_program;
pub(crate) use find::{
    find_program, installed, is_below_here, is_open, language_program, named_program, refuse_private_link,
    show_arguments,
};
pub use journals::{is_in_journal, journals_in};
pub use start_failure::start_failure;
pub use surroundings::{environment, visible};
pub(crate) use toolchain::{head, is_executable};
