//! Control groups: where they can be made, one for each jail, their files.

pub(crate) mod door;
pub(crate) mod fs;
pub(crate) mod group;
pub(crate) mod site;
