//! Installed programs: the path that one runs under, and the files and folders that it needs, found by inspection.
//!
//! Nothing is executed here: a program that is asked for its paths would run outside the sandbox.
//!
//! Trust: a link, a `#!` line, a `pyvenv.cfg`, a `.python-version` or an ELF header may come from the author of a
//! solver, to make more than the solver's own files visible. None of them decides what is visible. They name a folder,
//! and that folder is shown only if its own content shows that it is an installation ([`prefix`]): it contains a file
//! that only installations of a language have, or a version manager keeps its versions there. It is never a home, the
//! current folder, or a folder above one of them. Links in it that lead elsewhere are not followed. Files that an
//! author plants in the solver's own folder make only that folder visible. Library paths in ELF headers are not read:
//! an installation contains what it needs.

mod head;
mod installation;
mod lookup;
mod prefix;
mod script;
mod shim;
mod venv;

pub(super) use head::first_line;
pub(crate) use head::head;
pub(super) use installation::{Installation, installation};
pub(crate) use lookup::is_executable;
pub(super) use lookup::on_path;
pub(super) use script::{Interpreter, behind_env, interpreters};
