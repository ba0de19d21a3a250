//! Claims about solvers: paired comparisons, and the gate.

pub mod gate;
pub mod paired;
