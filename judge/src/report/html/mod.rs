//! Web pages in one file each: no network, no other files.

mod frames;
mod game;
pub(super) mod results;
pub(super) mod sheet;
mod shown;
mod table;

pub use frames::GameFilm;
pub use game::{GamePage, game_html};
