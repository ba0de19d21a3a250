//! What the kernel tells of processes and cores.

pub(crate) mod cores;
pub(crate) mod descriptors;
pub(crate) mod footprint;
pub(crate) mod handler;
pub(crate) mod inherited;
pub(crate) mod signals;
pub(crate) mod steal;
pub(crate) mod tree;
