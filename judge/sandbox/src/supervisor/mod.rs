//! Trusted commands: the process that starts and ends them, the judge's side of it, and what stands for a program that
//! such a command starts itself.

pub(crate) mod serve;
pub(crate) mod stub;
pub(crate) mod supervised;
