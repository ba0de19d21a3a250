//! Messages between the judge and its helpers.

/// All received bytes are a message or an error. A message that was read can be written and read again.
///
/// # Panics
/// When a message means something else after it was written and read again.
pub fn wire(bytes: &[u8]) {
    judge_sandbox::fuzzing::receive(bytes);
}
