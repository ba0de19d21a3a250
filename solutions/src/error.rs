//! Why a solution gives no answer.

/// Why a solution gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The input stops too early.
    #[error("the input ends where {expected} should stand")]
    Ends {
        /// What should have come next: `"the height"`.
        expected: &'static str,
    },
    /// The input has something else than the game's format says.
    #[error("word {position} of the input is `{found}` where {expected} should stand")]
    Unexpected {
        /// Which word of the input, from 1.
        position: usize,
        /// What should stand there.
        expected: &'static str,
        /// What stands there, shortened.
        found: String,
    },
    /// The answer cannot be written.
    #[error("the answer cannot be written: {0}")]
    Write(#[from] std::io::Error),
}
