//! Web pages in one file each: no network, no other files.

mod frames;
mod game;
pub(super) mod results;
mod shown;

pub use frames::GameFilm;
pub use game::{GamePage, game_html};
