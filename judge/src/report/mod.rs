//! Shows results: values in, bytes out. Nothing else in the package prints.

mod best;
mod cases;
mod csv;
mod exec;
mod figures;
mod history;
mod html;
mod json;
mod junit;
mod leaderboard;
mod lines;
mod markdown;
mod progress;
mod record;
mod run;
mod style;
mod summary;
mod table;
mod terminal;

pub use best::{BestFileError, best_json, best_text, read_best_json};
pub use csv::run_csv;
pub use exec::{ExecReport, exec_json, exec_line};
pub use figures::{Counts, milliseconds};
pub use history::{history_json, history_text, stored_run_text};
pub use html::{GameFilm, GamePage, game_html, run_html};
pub use json::{run_json, run_schema};
pub use junit::run_junit;
pub use lines::{JsonLines, lines_schema};
pub use markdown::run_markdown;
pub use progress::Progress;
pub use run::RunReport;
pub use style::{Paint, Style};
pub use summary::run_text;
pub use table::{Align, grid};
pub use terminal::{note, note_bytes, print, print_bytes};
