//! Web pages in one file each: no network, no other files.

pub(super) mod game;
mod page;
pub(super) mod run;
pub(super) mod sheet;
