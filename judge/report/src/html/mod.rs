//! Web pages in one file each: no network, no other files.

pub(super) mod game;
pub(super) mod page;
pub(super) mod run;
