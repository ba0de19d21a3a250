//! Web pages in one file each: no network, no other files.

mod frames;
mod game;
mod results;
mod template;

pub use frames::GameFilm;
pub use game::{GamePage, game_html};
pub use results::run_html;
