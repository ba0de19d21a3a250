//! Texts of a page: hidden characters are made visible. The templates escape markup.

use judge_problem::{one_line, visible};
use std::fmt;

/// A text with everything hidden in it made visible.
pub(super) struct Shown(String);

impl Shown {
    /// Returns a text in one line.
    pub(super) fn line(text: &str) -> Self {
        Self(one_line(text).into_owned())
    }

    /// Returns a text with its lines.
    pub(super) fn lines(text: &str) -> Self {
        Self(visible(text).into_owned())
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
