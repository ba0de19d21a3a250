//! Documents that only `judge ui` serves.

mod error;
mod events;
mod hand;
mod labels;
mod points;
mod problems;
mod server;
mod started;

pub use error::{error_json, error_schema};
pub use events::{NewCase, SolverNow, UnfinishedRun, progress_json, progress_schema};
pub use hand::{HandPage, RecordedHand, hand_json, hand_schema, recorded_hand_json, recorded_hand_schema};
pub use labels::{labels_json, labels_schema};
pub use points::{Points, SolverPoints, points_json, points_schema};
pub use problems::{ProblemPage, problem_json, problem_schema, problems_json, problems_schema};
pub use server::{ServerRecord, server_json, server_schema};
pub use started::{StartedRecord, started_json, started_schema};
