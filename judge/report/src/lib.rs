//! The reports of `judge`. This crate turns values into bytes: it renders and prints, runs nothing and reads no
//! journal.
//!
//! - A [`Report`], such as [`RunReport`] or [`CompareReport`], is the result of a command as a value. It renders itself
//!   as text, and in each [`Format`] that it supports: JSON, JSON lines, CSV, JUnit, Markdown, HTML.
//! - A [`Document`] is a value with one JSON form. The local server sends serialized documents, each in one line:
//!   [`json_line`]. [`SCHEMAS`] has the JSON schema of each document by name, for `judge schema NAME`.
//! - A [`Style`] says whether text has colours, and how wide its lines are. [`print()`] writes text to standard output,
//!   [`note`] to standard error, and [`Progress`] shows the progress of a run.
//!
//! ```text
//! RunReport ─▶ run::tables ─▶ run::text, html::run ─▶ text of a terminal, Markdown, a web page
//!           ─▶ run::record ─▶ run::json, run::csv, junit ─▶ files for scripts
//! ```
//!
//! Comparisons, gates, searches and power analyses follow the same path. Shared code, such as tables, numbers, JSON and
//! the terminal, is in `text`.
//!
//! ```
//! use judge_compare::paired::EffectMeasure;
//! use judge_problem::{Provenance, Rule};
//! use judge_report::{Format, PowerReport, Report, Spread, Style};
//!
//! let spread = Spread {
//!     measure: EffectMeasure::Difference,
//!     rule: Rule::Sum,
//!     deviation: 10.0,
//!     cases: None,
//!     source: "given".to_owned(),
//! };
//! let report = PowerReport {
//!     spread,
//!     provenance: Provenance::default(),
//!     alpha: 0.05,
//!     power: 0.8,
//!     counts: vec![100],
//!     differences: Vec::new(),
//!     until_decided: false,
//! };
//! assert!(report.text(Style::PLAIN).contains("show a difference of"));
//!
//! let mut csv = Vec::new();
//! report.write(Format::Csv, &mut csv).expect("it has this format")?;
//! assert!(csv.starts_with(b"given,cases,difference\ncases,100,"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

pub mod assets;
mod best;
mod charted;
mod compare;
mod doctor;
mod evaluation;
mod exec;
mod find;
mod formats;
mod gate;
mod history;
mod html;
mod junit;
mod languages;
mod merge;
mod run;
mod schemas;
mod sealed;
mod served;
mod svg;
mod text;
mod tune;
mod verify;

pub use best::{BestReport, best_text, read_best_json};
pub use charted::{BoxGroup, Boxes, CaseGrid, GridColumn, Points, Ranges, SolverPoints, ValueCounts, box_groups};
pub use compare::json::growing_comparison;
pub use compare::power::{PowerReport, Spread};
pub use compare::rank::RankReport;
pub use compare::report::{CompareReport, ComparedRuns, Comparison, InterimResult, IntervalProgress, RunInfo};
pub use doctor::doctor_text;
pub use evaluation::{Evaluation, ServeStatus, Versus};
pub use exec::{ExecReport, exec_line};
pub use find::{FindReport, FoundCase, FoundValue};
pub use formats::{Format, Missing, Report};
pub use gate::calibration::CalibrationReport;
pub use gate::report::{GateReport, GatesReport, case_flags};
pub use history::{HistoryPage, history_text, labels_text, stored_run_text};
pub use html::game::{GameDocument, GamePage, ReplayLine, game_html, refused_html, served_game_html};
pub use languages::{cache_text, languages_text};
pub use merge::{MergeReport, MergedOrigin, MergedRun, MissingPart, RefusedFile};
pub use run::feedback::{TestTexts, feedback};
pub use run::json::{CasePage, CaseRow, JsonLines, RunHead};
pub use run::metrics::Pareto;
pub use run::record::Summary;
pub use run::report::RunReport;
pub use schemas::{NamedSchema, SCHEMAS, schema};
pub use sealed::{SealedReport, SealedScore};
pub use served::{
    ApiError, BestRecord, CaseHistory, FactRecord, ManualGamePage, ProblemList, ProblemPage, ProblemRecord,
    RecordedManualGame, RunLabels, ServerRecord, SolverRecord, StartedRecord, StartedRuns, UnfinishedRun, case_results,
    html_of,
};
pub use svg::{LastFrame, badge_svg, frame_svg, history_svg};
pub use text::{
    ColumnsMoves, Counts, Document, Field, GameOutline, GameReplay, GameText, MoveRange, Paint, PrintError, Progress,
    Sheet, StderrLines, Steps, Style, TextTable, best_score, can_step, chart_stride, exact, exact_numbers,
    failures_text, json_line, left, milliseconds, note, note_from, note_lines, points_text, print, print_bytes,
    print_from, print_line, print_with, reused_line, right, share_of_best, step_through,
};
pub use tune::{Candidate, TuneComparison, TuneReport, filled};
pub use verify::{CheckResult, Finding, VerifiedProblem, VerifyReport, count_checks, verify_text};
