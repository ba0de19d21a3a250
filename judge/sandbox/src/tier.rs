//! The tiers of isolation, what may be asked for, and what a tier cannot hold.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How strongly programs are isolated, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces and a control group, set up by root; the program runs under a uid of its own.
    Root,
    /// A user namespace and a control group that was delegated to this user.
    Delegated,
    /// A user namespace; no control group.
    Userns,
    /// No namespaces: landlock, seccomp and resource limits.
    Bare,
    /// Limits only. Never chosen by itself.
    Unsafe,
}

impl Tier {
    /// Every tier, strongest first.
    pub const ALL: [Tier; 5] = [Tier::Root, Tier::Delegated, Tier::Userns, Tier::Bare, Tier::Unsafe];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Root => "root",
            Tier::Delegated => "delegated",
            Tier::Userns => "userns",
            Tier::Bare => "bare",
            Tier::Unsafe => "unsafe",
        }
    }

    /// Whether programs of this tier run in namespaces of their own.
    pub fn has_namespaces(self) -> bool {
        matches!(self, Tier::Root | Tier::Delegated | Tier::Userns)
    }

    /// Whether a control group measures and limits them.
    pub(crate) fn has_cgroup(self) -> bool {
        matches!(self, Tier::Root | Tier::Delegated)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Not the name of a tier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tier: root, delegated, userns, bare or unsafe")]
pub struct UnknownTier(pub String);

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(name: &str) -> Result<Tier, UnknownTier> {
        Tier::ALL.into_iter().find(|tier| tier.name() == name).ok_or_else(|| UnknownTier(name.to_owned()))
    }
}

/// Which tier to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TierChoice {
    /// The strongest that works here.
    #[default]
    Auto,
    /// This one or none.
    Forced(Tier),
}

/// How to open the sandbox.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which tier to use.
    pub tier: TierChoice,
    /// Continue with limits alone where neither namespaces nor landlock are available.
    pub allow_unsafe: bool,
    /// The executable that becomes the helper: one whose `main` calls
    /// [`become_helper_if_asked`](crate::become_helper_if_asked). `None`: this process's own.
    pub helper: Option<PathBuf>,
    /// Where working folders are made in the tiers without namespaces. `None`: the system's temporary folder.
    pub scratch: Option<PathBuf>,
    /// A folder in which to remember for some minutes which tier works, so that a later start in the same surroundings does
    /// not try it again. When a worker fails, it is forgotten. `None`: each start tries.
    pub tier_cache: Option<PathBuf>,
    /// Whether the first worker that is asked for will be one whose programs run on all cores: it starts while the caller
    /// does other things.
    pub all_cores: bool,
}

/// What no tier keeps from a program, in plain words.
pub const GAP_OF_EVERY_TIER: &str = "programs share the machine's clock, its memory of files and its counters: one can leave \
                                     traces there for the next (\"Between cases\" in docs/security.md)";

/// Something that does not hold in the tier in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// A short name: `"control group"`.
    pub what: Cow<'static, str>,
    /// What it means, in plain words.
    pub meaning: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for tier in Tier::ALL {
            assert_eq!(tier.to_string().parse(), Ok(tier));
        }
        assert_eq!("rot".parse::<Tier>(), Err(UnknownTier("rot".to_owned())));
    }
}
