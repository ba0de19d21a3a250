//! What restricts a program: the walk from clone to exec, filters, rulesets, limits and identities.

pub(crate) mod bpf;
pub(crate) mod calls;
pub(crate) mod capabilities;
pub(crate) mod closed;
pub(crate) mod flags;
pub(crate) mod fork_gate;
pub(crate) mod identity;
pub(crate) mod landlock;
pub(crate) mod launch;
pub(crate) mod launcher;
pub(crate) mod rlimits;
pub(crate) mod seccomp;
pub(crate) mod walk;
pub(crate) mod walls;
