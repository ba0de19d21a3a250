//! What two runs do not agree in.

use std::fmt;

/// Something that two runs do not agree in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    what: String,
    own: String,
    theirs: String,
}

impl Change {
    /// Returns the change between these two values, if there is one.
    pub(super) fn of(what: &str, own: &str, theirs: &str) -> Option<Self> {
        let [what, own, theirs] = [what, own, theirs].map(str::to_owned);
        (own != theirs).then_some(Self { what, own, theirs })
    }

    /// Returns it as a sentence; `there` says where the other is.
    pub(super) fn text(&self, there: impl fmt::Display) -> String {
        format!("{}: {}, {there} {}", self.what, self.own, self.theirs)
    }

    /// Returns whether it is of what makes or holds the inputs. That is told by the inputs themselves.
    pub(super) fn is_of_inputs(&self) -> bool {
        [GENERATOR, PROBE, FILES].contains(&&*self.what)
    }

    /// Returns whether it is of what a plan says by itself, without its files.
    pub(super) fn is_of_plan(&self) -> bool {
        !self.is_of_inputs() && !["direction", "checker", "--dir"].contains(&&*self.what)
    }
}

pub(super) const GENERATOR: &str = "generator";
pub(super) const PROBE: &str = "what the generator makes of the first seed";
pub(super) const FILES: &str = "content of the input files";
