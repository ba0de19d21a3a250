//! The parts of all reports: tables, figures, colours, plots, JSON values, and the terminal.

mod against_past;
mod chart_points;
pub(super) mod column;
pub(super) mod csv_text;
pub(super) mod effects;
pub(super) mod figures;
pub(super) mod film;
mod game;
pub(super) mod json_text;
pub(super) mod json_value;
pub(super) mod labels;
pub(super) mod layout;
pub(super) mod markdown;
pub(super) mod moves;
pub(super) mod plot;
mod progress;
mod progress_state;
pub(super) mod provenance;
pub(super) mod sheet;
mod stepper;
pub(super) mod style;
pub(super) mod table;
pub(super) mod terminal;

pub use chart_points::every_how_many;
pub use column::{Field, left, right};
pub use figures::{Counts, milliseconds};
pub use film::GameFilm;
pub use game::GameText;
pub use moves::MoveRange;
pub use progress::Progress;
pub use stepper::{can_step, step_through};
pub use style::{Paint, Style};
pub use table::{Grid, grid};
pub use terminal::{PrintError, note, note_from, note_lines, print, print_bytes, print_from, print_line, print_with};
