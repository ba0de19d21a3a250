//! The promises of claims in simulation, with a known truth: reduced, deterministic forms of the benchmarks in
//! `judge/benches`, which share the populations and problems below.

mod fixed;
mod fixed_populations;
mod gate;
mod gate_life;
mod populations;
mod stopping;
mod tune;
mod tuners;
mod tuning_problems;
