//! Which answers the journal keeps.

use super::{Bytes, UnitError};
use std::fmt;
use std::str::FromStr;

/// Which answers the journal keeps: those of the newest runs, up to a compressed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// All of them.
    All,
    /// The newest that fit; none with `0 B`.
    UpTo(Bytes),
}

impl Default for Retention {
    fn default() -> Self {
        Self::UpTo(Bytes(1 << 30))
    }
}

impl FromStr for Retention {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "all" { Ok(Self::All) } else { text.parse().map(Self::UpTo) }
    }
}

impl fmt::Display for Retention {
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
        assert_eq!("all".parse(), Ok(Retention::All));
        assert_eq!("64 MiB".parse(), Ok(Retention::UpTo(Bytes(64 << 20))));
        assert_eq!(Retention::default().to_string(), "1 GiB");
        assert!("some".parse::<Retention>().is_err());
    }
}
