//! The parts of all reports: tables, figures, colours, plots, JSON values, and the terminal.

pub(super) mod column;
pub(super) mod csv_text;
pub(super) mod effects;
pub(super) mod figures;
pub(super) mod json_text;
pub(super) mod json_value;
pub(super) mod layout;
pub(super) mod markdown;
pub(super) mod plot;
mod progress;
mod progress_state;
pub(super) mod provenance;
pub(super) mod sheet;
pub(super) mod style;
pub(super) mod table;
pub(super) mod terminal;

pub use column::{Field, left, right};
pub use figures::{Counts, milliseconds};
pub use progress::Progress;
pub use style::{Paint, Style};
pub use table::{Grid, grid};
pub use terminal::{PrintError, note, note_from, note_lines, print, print_bytes, print_from, print_line};
