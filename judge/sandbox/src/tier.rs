//! Tiers of isolation, how to choose one, and what a tier does not guarantee.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How strongly programs are isolated, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces set up by root, and a control group. The program has its own uid.
    Root,
    /// A user namespace, and a control group that is delegated to this user.
    Delegated,
    /// A user namespace, without a control group.
    Userns,
    /// No namespaces: landlock, seccomp and resource limits.
    Bare,
    /// Limits only. Never chosen automatically.
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

    /// Whether programs of this tier run in namespaces.
    pub fn has_namespaces(self) -> bool {
        matches!(self, Tier::Root | Tier::Delegated | Tier::Userns)
    }

    /// Whether a control group limits and measures programs of this tier.
    pub(crate) fn has_cgroup(self) -> bool {
        matches!(self, Tier::Root | Tier::Delegated)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// This is not the name of a tier.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TierChoice {
    /// The strongest tier that works here.
    #[default]
    Auto,
    /// This tier or none.
    Forced(Tier),
}

/// How to open the sandbox.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which tier to use.
    pub tier: TierChoice,
    /// Whether to continue with only limits if there are neither namespaces nor landlock.
    pub allow_unsafe: bool,
    /// The executable that becomes the helper. Its `main` must call
    /// [`become_helper_if_asked`](crate::become_helper_if_asked). `None` means this process's own executable.
    pub helper: Option<PathBuf>,
    /// Where working folders are made in the tiers without namespaces. `None` means the system's temporary folder.
    pub scratch: Option<PathBuf>,
    /// A folder that stores for some minutes which tier works, so that the next start in the same environment need not
    /// try it again. When a worker fails, the entry is removed. `None` means that each start tries.
    pub tier_cache: Option<PathBuf>,
    /// Whether the first worker that the caller will ask for runs programs on all cores. It then starts while the
    /// caller does other things.
    pub all_cores: bool,
}

/// What no tier hides from a program, in plain words.
pub const GAP_OF_EVERY_TIER: &str = "programs share the machine's clock, its memory of files and its counters: one can leave \
                                     traces there for the next (\"Between cases\" in docs/security.md)";

/// Something that the tier in use does not guarantee.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// A short name, such as `"control group"`.
    pub what: Cow<'static, str>,
    /// What this means, in plain words.
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
