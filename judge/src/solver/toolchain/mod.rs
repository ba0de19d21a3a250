//! Installed programs: the path that one runs under, and the files and folders it needs, found out by looking alone.
//!
//! Nothing is executed here: a program that is asked where it lives would answer outside the sandbox.
//!
//! Whom to believe: a link, a `#!` line, a `pyvenv.cfg`, a `.python-version` or an ELF header may have been written by the
//! author of a solver, who would like to see more than the solver's own files. So none of them decides what is visible.
//! They lead to a place, and that place is shown only if it is an installation by its own content ([`prefix`]): a file
//! stands there that only the installations of a language have, or a version manager keeps its versions there. It is never
//! a home, the current folder, or a folder above one of them. Links in it that lead elsewhere are not followed. So what an
//! author can plant, in the solver's own folder, shows nothing but that folder. Library paths in ELF headers are not read:
//! what an installation needs is within it.

mod head;
mod installation;
mod lookup;
mod prefix;
mod script;
mod shim;
mod venv;

pub(super) use head::{first_line, head};
pub(super) use installation::{Installation, installation};
pub(super) use lookup::{is_executable, on_path};
pub(super) use script::{Interpreter, behind_env, interpreters};
