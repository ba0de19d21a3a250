//! The promises of claims in simulation, where the truth is known: reduced, deterministic forms of the benchmarks in
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
