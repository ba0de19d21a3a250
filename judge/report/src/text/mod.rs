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

pub(crate) use effects::{
    amount, between, claim_name, claim_paint, ends, give_or_take, histogram, probability, rounded, signed, size,
};
pub(crate) use failures::{Alike, Failures, failed_alike, last_lines};
pub use failures::{StderrLines, failures_text};
pub use figures::{Counts, best_score, chart_stride, milliseconds, points_text, share_of_best};
pub(crate) use figures::{Reference, ReferenceRecord, if_any, memory, paragraphs, scores_text, verdict_of};
pub use json::{Document, exact, exact_numbers, json_line};
pub(crate) use json::{Each, in_milliseconds};
pub(crate) use progress::{INTERVAL, bar, tell};
pub use progress::{Progress, Steps};
pub(crate) use provenance::{
    LabelsRecord, LimitsRecord, ProvenanceRecord, allowance_lines, limits_text, processors_line, provenance_lines,
};
pub use replay::{ColumnsMoves, GameOutline, GameReplay, GameText, MoveRange, can_step, step_through};
pub(crate) use replay::{Look, ReplayRecord, look};
pub(crate) use sheet::{
    COMMAND_WIDTH, MAX_ROWS, NOTE_WIDTH, NOTHING, Page, SENTENCE_WIDTH, Sheet, TextTable, code, cut, escaped, field,
    or_nothing, sheet_markdown, table, table_csv, words,
};
pub(crate) use table::{Column, number_names, painted, paragraph, whole};
pub use table::{Field, Grid, grid, left, right};
pub(crate) use terminal::paint_of;
pub use terminal::{
    Paint, PrintError, Style, note, note_from, note_lines, print, print_bytes, print_from, print_line, print_with,
};
