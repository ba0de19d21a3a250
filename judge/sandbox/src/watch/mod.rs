//! What watches a running program: its output, its limits, its end.

pub(crate) mod capture;
pub(crate) mod conclude;
pub(crate) mod cpu_meter;
pub(crate) mod doorkeeper;
pub(crate) mod gauges;
pub(crate) mod grants;
pub(crate) mod memory_meter;
pub(crate) mod meter;
pub(crate) mod own_program;
pub(crate) mod program;
pub(crate) mod reaper;
pub(crate) mod tree_clock;
pub(crate) mod watcher;
