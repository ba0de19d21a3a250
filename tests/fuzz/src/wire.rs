//! Messages between the judge and its helpers.

/// Whatever arrives is a message or an error; what is understood is written and understood again.
///
/// # Panics
/// When a message that was read means something else after it was written and read again.
pub fn wire(bytes: &[u8]) {
    judge_sandbox::fuzzing::receive(bytes);
}
