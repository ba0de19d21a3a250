//! How many stored answers the journal keeps.

use super::{Bytes, UnitError};
use std::fmt;
use std::str::FromStr;

/// How many stored answers the journal keeps: by their packed size, the newest runs' first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepAnswers {
    /// All of them.
    All,
    /// The newest that fit; none at all with `0 B`.
    UpTo(Bytes),
}

impl Default for KeepAnswers {
    fn default() -> Self {
        Self::UpTo(Bytes(1 << 30))
    }
}

impl FromStr for KeepAnswers {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "all" { Ok(Self::All) } else { text.parse().map(Self::UpTo) }
    }
}

impl fmt::Display for KeepAnswers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.pad("all"),
            Self::UpTo(bytes) => bytes.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_a_size() {
        assert_eq!("all".parse(), Ok(KeepAnswers::All));
        assert_eq!("64 MiB".parse(), Ok(KeepAnswers::UpTo(Bytes(64 << 20))));
        assert_eq!(KeepAnswers::default().to_string(), "1 GiB");
        assert!("some".parse::<KeepAnswers>().is_err());
    }
}
