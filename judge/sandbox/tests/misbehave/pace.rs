//! How much slower than a real machine this one is: an emulated one gets more time.

use std::time::Duration;

/// The environment variable that tells.
pub(crate) const SLOWNESS: &str = "MISBEHAVE_SLOWNESS";

/// The factor; 1 on a real machine.
pub(crate) fn slowness() -> u32 {
    std::env::var(SLOWNESS).map_or(1, |factor| factor.parse().unwrap())
}

/// What takes `time` on a real machine, here.
pub(crate) fn patiently(time: Duration) -> Duration {
    time * slowness()
}

/// What measures `most` on a real machine measures no more here: emulated processors also count the time in which
/// their host did something else.
pub(crate) fn at_most(most: u64) -> u64 {
    if slowness() == 1 { most } else { most * u64::from(slowness()) * 2 }
}
