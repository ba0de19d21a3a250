//! Runs a plan on many machines with Slurm.
//!
//! The judge that submits a run writes it into a folder that all machines share. Tasks on the machines take pieces of
//! it and write their results, each to its own file. The judge reads these files as they grow.
//!
//! - [`SlurmRunner`] submits a run, follows it, and ends it.
//! - [`RunFolder`] is the folder of a run: the plan, copies of all files, the pieces and the tasks that took them.
//! - [`ResultLog`] is the file that a task writes its results to.
//!
//! The path of one piece:
//!
//! ```text
//! plan_file                    writes the plan into the run folder, with copies of the files that it names
//! run_folder ─▶ worker         a task takes a piece and plays it
//! worker ─▶ result_log         it appends the results
//! result_log ─▶ following      the judge reads them; pieces of a lost task run again
//! slurm, slurm_runner          the commands of Slurm; a run from its start to its end, followed or not
//! ```
//!
//! ```
//! use judge_slurm::RunFolder;
//! use std::path::Path;
//!
//! let folder = RunFolder::at(Path::new("/nowhere/judge-run.x"));
//! assert!(!folder.is_open(), "a run is over once its plan is gone");
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

mod following;
mod plan_file;
mod result_log;
mod run_folder;
mod slurm;
mod slurm_runner;
mod worker;

pub use plan_file::{PlanFile, WorkerSettings};
pub use result_log::{Entry, ResultLog};
pub use run_folder::{Incarnation, RunFolder};
pub use slurm::SlurmSettings;
pub use slurm_runner::{DetachedJobs, SlurmRunner, cancel, remove_folder};
pub use worker::work;
