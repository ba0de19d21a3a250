//! Programs on this machine: where one is, the files that it needs in the sandbox, and why it cannot be started. All of
//! this is found by reading files. Nothing is executed.

mod executable;
mod find;
mod installation;
mod version_manager;

pub use executable::{ProgramError, head, start_failure};
pub(crate) use executable::{is_executable, is_noexec};
pub(crate) use find::{
    MAX_SOURCES, installed, is_below_here, is_open, language_program, named_program, refuse_private_link,
    show_arguments, sources_in,
};
pub use find::{
    environment, find_program, hide_journal, is_in_journal, journal_files, journals_in, sandbox_limits,
    setters_program, visible,
};
