//! Looks over the machine.

/// Cores that this process may run on.
pub(crate) fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64)
}
