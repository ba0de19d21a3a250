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
mod schemas;
mod served;
mod text;
mod tune;
mod verify;

pub use best::{BestFileError, BestReport, best_text, read_best_json};
pub use compare::{
    CompareReport, ComparedRuns, Comparison, GrowingComparison, InterimResult, IntervalProgress, PowerReport,
    RankReport, RunInfo, Spread,
};
pub use doctor::doctor_text;
pub use exec::{ExecReport, exec_line};
pub use formats::{Format, Missing, Report, Written};
pub use gate::{CalibrationReport, GateReport, GatesReport};
pub use history::{HistoryPage, history_text, labels_text, stored_run_text};
pub use html::{GamePage, game_html, served_game_html};
pub use languages::{cache_text, languages_text};
pub use merge::{MergeReport, MergedOrigin, MergedRun, MissingPart, RefusedFile};
pub use run::{CasePage, CaseRow, Feedback, JsonLines, RunHead, RunReport, TestTexts};
pub use schemas::SCHEMAS;
pub use served::{
    ApiError, HandPage, NewCase, Points, ProblemList, ProblemPage, RecordedHand, RunLabels, ServerRecord, SolverNow,
    SolverPoints, StartedRecord, UnfinishedRun,
};
pub use text::{
    Counts, Document, Field, GameFilm, GameText, Grid, MoveRange, Paint, PrintError, Progress, StderrLines, Steps,
    Style, best_score, can_step, every_how_many, failures_text, grid, left, milliseconds, note, note_from, note_lines,
    print, print_bytes, print_from, print_line, print_with, right, share_of_best, step_through,
};
pub use tune::filled;
pub use tune::{Candidate, TuneComparison, TuneReport};
pub use verify::{CheckResult, Finding, VerifiedProblem, VerifyReport, count_checks, verify_text};
