//! Parallel maps over many items, on all cores.

use std::convert::Infallible;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The minimum number of items that is worth a thread.
const MIN_SHARE: usize = 8;

/// Returns the results of `work` for every number below `count`, in order.
///
/// # Panics
/// Panics if `work` panics.
pub fn map_on_all_cores<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let Ok(results) = try_map_on_all_cores(count, |number| Ok::<_, Infallible>(work(number)));
    results
}

/// Returns the results of `work` for every number below `count`, in order.
///
/// # Errors
/// Returns the error of the lowest number for which `work` fails. Some higher numbers may then not be tried.
///
/// # Panics
/// Panics if `work` panics.
pub fn try_map_on_all_cores<R: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    try_map(cores.min(count / MIN_SHARE), count, work)
}

/// Does the same on this number of threads.
///
/// # Errors
/// As [`try_map_on_all_cores`].
///
/// # Panics
/// Panics if `work` panics.
pub fn try_map<R: Send, E: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    if threads < 2 {
        return (0..count).map(work).collect();
    }
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take_turns = || {
        let mut results = Vec::new();
        while !has_failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            let result = work(number);
            has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.push((number, result));
        }
        results
    };
    let mut results: Vec<(usize, Result<R, E>)> = thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(take_turns)).collect();
        started.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    // Numbers are taken in order, so all below the lowest error are there.
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_result_in_its_place() {
        for count in [0, 1, 2 * MIN_SHARE - 1, 2 * MIN_SHARE, 1001] {
            let squares: Vec<_> = (0..count).map(|number| number * number).collect();
            assert_eq!(map_on_all_cores(count, |number| number * number), squares);
        }
    }

    #[test]
    fn the_first_failure_counts_and_ends_the_work() {
        for first in [0, 1, 15, 500, 997, 1000] {
            let tried = AtomicUsize::new(0);
            let result = try_map_on_all_cores(1001, |number| {
                tried.fetch_add(1, Ordering::Relaxed);
                // The later ones fail before the first one does.
                if number == first {
                    thread::sleep(std::time::Duration::from_millis(5));
                }
                if number < first { Ok(number) } else { Err(number) }
            });
            assert_eq!(result, Err(first));
            let cores = thread::available_parallelism().map_or(1, NonZero::get);
            assert!(tried.into_inner() <= first + cores, "not more than one failure for each core");
        }
    }

    #[test]
    #[should_panic(expected = "at number 700")]
    fn a_panic_is_the_callers() {
        map_on_all_cores(1000, |number| assert!(number != 700, "at number {number}"));
    }
}
