//! Random number generators: the games' own, bit for bit, and the project's frozen one.

mod frozen;
mod lehmer;
mod sha1prng;
mod subtract_with_carry;

pub(crate) use frozen::Frozen;
pub(crate) use lehmer::Lehmer;
pub(crate) use sha1prng::Sha1Prng;
pub(crate) use subtract_with_carry::{LONG_LAG, SubtractWithCarry};
