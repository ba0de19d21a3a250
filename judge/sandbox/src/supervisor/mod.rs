//! Trusted commands: the process that starts and ends them, and the judge's side of it.

pub(crate) mod serve;
pub(crate) mod supervised;
