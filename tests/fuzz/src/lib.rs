//! Fuzz targets: functions that take any bytes and panic if a property that must always hold is broken.
//!
//! `tests/smoke.rs` drives them with damaged samples on the stable toolchain; `fuzz_targets/` passes them to libFuzzer.

mod catalogue;
mod checkers;
mod comparison;
mod condition;
mod samples;
mod tokens;
mod wire;

pub use catalogue::catalogue;
pub use checkers::checkers;
pub use comparison::comparison;
pub use condition::condition;
pub use tokens::tokens;
pub use wire::wire;

/// A fuzz target.
pub struct Target {
    /// Its name, also of its program in `fuzz_targets/` and of its corpus.
    pub name: &'static str,
    /// Takes any bytes. Panics when it has found a defect.
    pub run: fn(&[u8]),
    /// Returns well-formed inputs, to be damaged.
    pub samples: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub const TARGETS: [Target; 6] = [
    Target { name: "tokens", run: tokens, samples: samples::answers },
    Target { name: "catalogue", run: catalogue, samples: samples::catalogues },
    Target { name: "condition", run: condition, samples: samples::conditions },
    Target { name: "comparison", run: comparison, samples: samples::comparisons },
    Target { name: "wire", run: wire, samples: judge_sandbox::fuzzing::messages },
    Target { name: "checkers", run: checkers, samples: samples::games },
];
