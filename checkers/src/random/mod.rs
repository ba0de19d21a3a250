//! Random number generators: the games' own, bit for bit, and the project's frozen one.

mod frozen;

pub(crate) use frozen::Frozen;
