//! The parts of all reports: tables, figures, colours, JSON values, and the terminal.

pub(super) mod effects;
pub(super) mod failures;
pub(super) mod figures;
pub(super) mod json;
pub(super) mod progress;
pub(super) mod provenance;
pub(super) mod replay;
pub(super) mod sheet;
pub(super) mod table;
pub(super) mod terminal;

pub use failures::{StderrLines, failures_text};
pub use figures::{Counts, best_score, chart_stride, milliseconds, points_text, share_of_best};
pub use json::{Document, json_line};
pub use progress::{Progress, Steps};
pub use replay::{ColumnsMoves, GameReplay, GameText, MoveRange, can_step, step_through};
pub use table::{Field, Grid, grid, left, right};
pub use terminal::{
    Paint, PrintError, Style, note, note_from, note_lines, print, print_bytes, print_from, print_line, print_with,
};
