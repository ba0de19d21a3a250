//! Problems, cases, limits, verdicts and exact scores: plain values. Nothing here starts a program or writes a file.
//!
//! The main types:
//! - [`Problem`]: how cases are generated, solved, checked and scored. A [`manifest::Catalogue`] reads it from `problems.toml`.
//! - [`plan::Plan`]: every solver on every case, in an order that is fair to all.
//! - [`Outcome`]: what a solver achieved on a case: its [`Verdict`], its exact score and its measurements.
//!
//! From a problem to a ranking:
//! ```text
//! problems.toml ─ Catalogue::parse ─▶ Problem ─ Plan::new ─▶ Plan ─ (judge-run) ─▶ end of the solver, ruling of the checker
//! end and ruling ─ verdict ─▶ Outcome, by case and solver in an OutcomeGrid
//! scores ─ scoring::score ─▶ Scoreboard ─ scoring::leaderboard ─▶ ranks
//! ```
//!
//! ```
//! use checkers::Score;
//! use judge_problem::manifest::Catalogue;
//! use judge_problem::scoring::{CaseTerms, Results, SolverScores, leaderboard, score};
//! use std::path::Path;
//!
//! let catalogue = Catalogue::built_in(Path::new("."))?;
//! let problem = catalogue.find("same-game")?;
//! let solver = |name: &str, scores: [Option<i64>; 2]| SolverScores {
//!     name: name.to_owned(),
//!     scores: scores.map(|score| score.map(Score::from).into()).to_vec(),
//! };
//! let results = Results {
//!     direction: problem.direction,
//!     failure: problem.failure.as_ref(),
//!     cases: CaseTerms::Plain(2),
//!     groups: &problem.test_groups,
//!     solvers: &[solver("old", [Some(10), None]), solver("new", [Some(9), Some(5)])],
//! };
//! let scoreboard = score(&problem.scoring, &results)?;
//! assert_eq!(leaderboard(&results, &scoreboard)[0].solver, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod case;
mod case_list;
mod checker;
pub mod condition;
mod features;
mod generator;
mod history;
mod identity;
mod jobs;
mod limits;
pub mod manifest;
mod outcome;
mod parallel;
mod plan;
mod problem;
pub mod scoring;
mod solver;
mod stored_run;
mod text;
pub mod verdict;

pub use case::{
    BestOrigin, CaseName, CaseSource, CaseSpec, FIRST_FRESH_SEED, FIRST_TRAINING_SEED, GroupAggregate, KnownBest,
    Members, Seeds, TestGroup, Thresholds, parse_seed,
};
pub use case_list::{CaseList, ReadFile, Repetitions, TermsBySource};
pub use checker::{
    AnswerFiles, CheckerProtocol, CommandTemplate, ExternalChecker, Kattis, MatchPlace, ProtocolName, Role,
    ScoreSearch, ScoreStream, Testlib, TokenRules,
};
pub use condition::Condition;
pub use features::{
    FeatureRule, Features, MetricRule, Metrics, NamedNumbers, StoredFeatures, is_feature_name, rules_word,
};
pub use generator::{GeneratorCall, GeneratorParameter};
pub use history::{
    BestScore, BestScores, CaseResult, ClusterJob, DetachedJob, FinishedCase, Game, HistoryRow, JobState, Labels, Note,
    PastScores, Retention, RunChoice, RunProgress, RunState, SolverProgress, Tag,
};
pub use identity::{CheckerIdentity, Digest, DigestWriter, RunId};
pub use jobs::{
    Evidence, FinishedJob, JobId, KnownOutcome, OutcomeGrid, RunEvent, RunningJobs, Stop, StoredResult, TaskCounts,
};
pub use limits::{
    Allowance, Bytes, CommandLimits, CompileLimits, HelperLimits, Limits, Percent, Time, TimeFactor, Weight,
    parse_limit,
};
pub use manifest::{
    Catalogue, ManifestError, SlurmTable, UnknownProblem, built_in_languages, closest, decode, read_best_scores,
    read_languages, unknown_placeholders,
};
pub use outcome::{BrokenRule, Exit, KeptStderr, Outcome, Rejection, Ruling, Verdict};
pub use parallel::{map_on_all_cores, try_map, try_map_on_all_cores};
pub use plan::{CaseFlags, Order, Plan};
pub use problem::{
    BadAnswer, BestSource, CheckerChoice, Expectation, FileGenerator, GeneratorChoice, PackageKind, Problem,
    ScoreRange, SealedChoice, TOKENS, Verification, Viewer,
};
pub use scoring::{Aggregate, Direction, RowKey, RowOrder, Rule};
pub use solver::{
    BASE_ENVIRONMENT, BundledSolver, CacheSummary, Invocation, JOURNAL_FOLDER, Language, LanguageChoice,
    LanguageStatus, Languages, Program, Runtime, Solver, SolverSpec,
};
pub use stored_run::{
    Machine, Node, NodeList, Origin, Provenance, Shard, StoredCase, StoredCases, StoredEntrant, StoredOutcome,
    StoredRun, iso_utc,
};
pub use text::{
    InvalidText, LOG_COMMAND, after_colon, as_text, beginning, counted, error_chain, fill_placeholders, first_of,
    is_hidden, listed, natural_key, one_line, quote, quote_path, quote_words, split_words, tail, visible, with_flags,
    without_flags,
};
pub use verdict::Termination;
