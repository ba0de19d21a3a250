//! How long a search may go on.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// The environment variable that says how many seconds a solution may take, such as `2.5`. Without it, each takes what
/// its problem's limit allows, less a margin.
pub const TIME_LIMIT_VARIABLE: &str = "SOLVER_TIME_LIMIT";

/// How much more wall time than processor time is taken on a busy machine. Judges bound both.
const PATIENCE: f64 = 2.0;

/// Measures the time since a solution started, in the processor time of its thread: other programs do not count.
#[derive(Debug)]
pub(crate) struct Clock {
    limit: f64,
    processor: Duration,
    wall: Instant,
}

impl Clock {
    /// Starts the clock with the limit of the environment, or else this one, in seconds.
    pub(crate) fn start(default_limit: f64) -> Self {
        let setting = std::env::var(TIME_LIMIT_VARIABLE).ok().and_then(|text| text.parse().ok());
        let limit = setting.filter(|limit: &f64| limit.is_finite() && *limit >= 0.0).unwrap_or(default_limit);
        Self { limit, processor: processor_time(), wall: Instant::now() }
    }

    /// Returns the share of the limit that has passed; above 1 when there is no time left.
    pub(crate) fn used(&self) -> f64 {
        let processor = (processor_time() - self.processor).as_secs_f64();
        let wall = self.wall.elapsed().as_secs_f64() / PATIENCE;
        // A limit of nothing is used up at once.
        processor.max(wall) / self.limit.max(f64::MIN_POSITIVE)
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Neither part is negative, and there are less than 10^9 nanoseconds.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
