//! Web pages in one file each: no network, no other files.

mod case_row;
mod drawn_rows;
mod figures;
mod game;
mod live;
mod numbers;
mod pairs;
pub(super) mod results;
mod script;
pub(super) mod sheet;
mod shown;
mod table;

pub use game::{GamePage, game_html, served_game_html};
