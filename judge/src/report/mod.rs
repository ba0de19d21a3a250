//! Reports: values in, bytes out. No other room prints.

mod compare;
mod doctor;
mod exec;
mod formats;
mod gate;
mod html;
mod languages;
mod past;
mod renderings;
mod run;
mod text;
mod tune;
mod verify;

pub use compare::{
    CompareReport, Comparison, InterimResult, IntervalProgress, PowerReport, RunInfo, Spread, compare_schema,
    power_schema,
};
pub use doctor::{doctor_json, doctor_schema, doctor_text};
pub use exec::{ExecReport, exec_json, exec_line, exec_schema};
pub use formats::{Format, Missing, Rendered, Report};
pub use gate::{CalibrationReport, GateReport, calibration_schema, gate_schema};
pub use html::{GameFilm, GamePage, game_html};
pub use languages::{cache_text, languages_json, languages_schema, languages_text};
pub use past::{
    BestFileError, best_json, best_schema, best_text, history_json, history_schema, history_text, read_best_json,
    stored_run_text,
};
pub use run::{JsonLines, RunReport, lines_schema, run_schema};
pub use text::{
    Counts, Field, Grid, Paint, PrintError, Progress, Style, grid, left, milliseconds, note, note_from, note_lines,
    print, print_bytes, print_from, print_line, right,
};
pub use tune::{Candidate, TuneComparison, TuneReport, tune_schema};
pub use verify::{CheckResult, Finding, VerifiedProblem, count_checks, verify_json, verify_schema, verify_text};
