//! The helper: the process that starts programs for one worker, and the keeper that outlives it.

pub(crate) mod backend;
pub(crate) mod direct;
pub(crate) mod keeper;
pub(crate) mod pool;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod settings;
pub(crate) mod stdin;
