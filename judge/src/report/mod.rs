//! Shows results: values in, bytes out. Nothing else in the package prints.

mod cases;
mod exec;
mod figures;
mod json;
mod progress;
mod run;
mod style;
mod summary;
mod table;
mod terminal;

pub use exec::{ExecReport, exec_json, exec_line};
pub use figures::{Counts, milliseconds};
pub use json::run_json;
pub use progress::Progress;
pub use run::RunReport;
pub use style::{Paint, Style};
pub use summary::run_text;
pub use table::{Align, grid};
pub use terminal::{note, note_bytes, print, print_bytes};
