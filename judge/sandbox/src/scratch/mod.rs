//! Working folders: in memory or on the host's disk, what is in them, and how they are emptied.

pub(crate) mod disk;
pub(crate) mod exchange;
pub(crate) mod folder;
pub(crate) mod memory_file;
pub(crate) mod own_mounts;
pub(crate) mod ramdisk;
pub(crate) mod removal;
