//! Programs in namespaces: the jail as the helper sees it, and its init.

pub(crate) mod brief;
pub(crate) mod cloning;
pub(crate) mod config;
pub(crate) mod init;
pub(crate) mod jail;
pub(crate) mod mounts;
pub(crate) mod pid_counter;
pub(crate) mod view;
