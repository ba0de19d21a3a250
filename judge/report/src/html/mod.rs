//! Web pages in one file each: no network, no other files.

mod game;
mod page;
pub(super) mod run;
pub(super) mod sheet;

pub use game::{GameDocument, GamePage, ReplayLine, game_html, refused_html, served_game_html};
