//! Interpreters and other installed programs: they run as on the host, and nothing is seen or executed that need not be.

mod installations;
mod journals;
mod place;
mod private;
mod trust;
