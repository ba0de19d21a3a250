//! What the kernel tells of processes and cores; signals, descriptors and children of this process.

pub(crate) mod child_process;
pub(crate) mod core_claims;
pub(crate) mod cores;
pub(crate) mod descriptors;
pub(crate) mod footprint;
pub(crate) mod handler;
pub(crate) mod inherited;
pub(crate) mod kept_pages;
pub(crate) mod signals;
pub(crate) mod steal;
pub(crate) mod tree;
