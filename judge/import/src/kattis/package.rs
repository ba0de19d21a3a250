//! What a package says.

use super::config::Config;
use super::data::Group;
use super::validator::Validator;
use crate::files;
use crate::program::Program;
use std::collections::BTreeSet;

/// What a package says, read and not yet judged.
pub(super) struct Package {
    pub(super) config: Config,
    /// Whether the settings of groups are in `testdata.yaml`.
    pub(super) old_groups: bool,
    /// `data/sample` and `data/secret`.
    pub(super) groups: Vec<Group>,
    pub(super) validator: Option<Validator>,
    pub(super) input_validator: Option<Program>,
    /// The flags of its validator.
    pub(super) flags: Vec<String>,
}

impl Package {
    /// Returns the groups that have cases.
    pub(super) fn with_cases(&self) -> Vec<&Group> {
        self.groups.iter().flat_map(Group::with_cases).collect()
    }

    /// Returns whether two cases have the same file name.
    pub(super) fn has_namesakes(&self) -> bool {
        let mut names = BTreeSet::new();
        let cases = self.with_cases().into_iter().flat_map(|group| &group.cases);
        cases.map(|case| files::name(&case.input)).any(|name| !names.insert(name))
    }
}
