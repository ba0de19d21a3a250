//! The identity of a checker.

use std::fmt;

/// The identity of a checker. Scores of different checkers, or of different versions of one, are not comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckerIdentity {
    /// The id of a built-in checker; the command of an external one, with a hash of the files that it names.
    pub name: String,
    /// The version of a built-in checker; 0 for an external one.
    pub version: u32,
}

impl fmt::Display for CheckerIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            0 => formatter.write_str(&self.name),
            version => write!(formatter, "{} {version}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_shown_where_there_is_one() {
        let shown = |name: &str, version| CheckerIdentity { name: name.to_owned(), version }.to_string();
        assert_eq!(shown("columns", 2), "columns 2");
        assert_eq!(shown("./check #0a1b", 0), "./check #0a1b");
    }
}
