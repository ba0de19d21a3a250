//! Runs a plan on many machines. The judge that submits a run writes it into a folder that all machines share; tasks on
//! the machines take pieces of it and write down what they find, each in a file of its own; the judge reads these files as
//! they grow.
//!
//! ```text
//! plan_file, run_folder      the folder: the plan, copies of all files, the pieces and who took them
//! worker, result_log         a task: takes pieces, plays them, and writes down what it finds
//! following                  what is finished, what is lost, and what runs again
//! slurm                      the commands of Slurm, and how and for what they are called
//! slurm_runner               a run: submits, follows, ends; also without a judge that follows it
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
pub use slurm::{OnInterrupt, SlurmSettings};
pub use slurm_runner::{DetachedJobs, SlurmRunner, Start, cancel, remove_folder};
pub use worker::work;
