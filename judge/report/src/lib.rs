//! Reports: values in, bytes out. No other room prints.

pub mod assets;
mod best;
mod compare;
mod doctor;
mod exec;
mod formats;
mod gate;
mod history;
mod html;
mod junit;
mod languages;
mod merge;
mod run;
mod served;
mod text;
mod tune;
mod verify;

pub use best::{BestFileError, best_json, best_schema, best_text, read_best_json};
pub use compare::{
    CompareReport, Comparison, InterimResult, IntervalProgress, PowerReport, RankReport, RunInfo, Spread,
    compare_looks_json, compare_looks_schema, compare_schema, power_schema, rank_schema,
};
pub use doctor::{doctor_json, doctor_schema, doctor_text};
pub use exec::{ExecReport, exec_json, exec_line, exec_schema};
pub use formats::{Format, Missing, Report, Written};
pub use gate::{CalibrationReport, GateReport, GatesReport, calibration_schema, gate_schema};
pub use history::{
    history_json, history_page_json, history_page_schema, history_schema, history_text, labels_text, stored_run_text,
};
pub use html::{GamePage, game_html, served_game_html};
pub use languages::{cache_text, languages_json, languages_schema, languages_text};
pub use merge::{MergeReport, MergedOrigin, MergedRun, MissingPart, RefusedFile, merge_json, merge_schema};
pub use run::{
    CasePage, CaseRow, Feedback, JsonLines, RunHead, RunReport, TestTexts, case_page_json, case_page_schema,
    lines_schema, run_head_json, run_head_schema, run_schema,
};
pub use served::{
    HandPage, NewCase, Points, ProblemPage, RecordedHand, ServerRecord, SolverNow, SolverPoints, StartedRecord,
    UnfinishedRun, error_json, error_schema, hand_json, hand_schema, labels_json, labels_schema, points_json,
    points_schema, problem_json, problem_schema, problems_json, problems_schema, progress_json, progress_schema,
    recorded_hand_json, recorded_hand_schema, server_json, server_schema, started_json, started_schema,
};
pub use text::{
    Counts, Field, GameFilm, GameText, Grid, MoveRange, Paint, PrintError, Progress, StderrLines, Steps, Style,
    best_score, can_step, every_how_many, failures_text, grid, left, milliseconds, note, note_from, note_lines, print,
    print_bytes, print_from, print_line, print_with, right, share_of_best, step_through,
};
pub use tune::filled;
pub use tune::{Candidate, TuneComparison, TuneReport, tune_schema};
pub use verify::{CheckResult, Finding, VerifiedProblem, count_checks, verify_json, verify_schema, verify_text};
