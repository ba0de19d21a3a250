//! Interpreters and other installed programs: they run as on the host, and only necessary files are visible or
//! executed.

mod installations;
mod journals;
mod place;
mod private;
mod trust;
