//! The exit codes of the process, which scripts rely on.

/// The result of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: every case accepted, and the gate, if there was one, held.
    Success,
    /// 1: a case was not accepted, or the gate did not hold.
    NotAccepted,
    /// 2: the arguments, the catalogue or the files given are at fault.
    Usage,
    /// 3: the judge is at fault.
    Fault,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    /// Returns the number that the operating system gets.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::NotAccepted => 1,
            Self::Usage => 2,
            Self::Fault => 3,
            Self::Interrupted => 130,
        }
    }
}
