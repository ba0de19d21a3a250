//! Runs a plan on many machines. The judge that submits a run writes it into a folder that all machines share; tasks on
//! the machines take pieces of it and write down what they find, each in a file of its own; the judge reads these files as
//! they grow.
//!
//! ```text
//! plan_file, mirror, run_folder        the folder: the plan, copies of all files, the pieces and who took them
//! entry, result_log                    what a task writes down, and the file that it writes to
//! incarnation, worker                  a task: takes pieces and plays them
//! tracker                              what is finished, what is lost, and what runs again
//! slurm, cluster                       the commands of Slurm, and how and for what they are called
//! slurm_runner, following              a run: submits, follows, ends
//! detached                             a run that no judge follows
//! ```

mod cluster;
mod detached;
mod entry;
mod following;
mod incarnation;
mod mirror;
mod plan_file;
mod result_log;
mod run_folder;
mod slurm;
mod slurm_runner;
mod tracker;
mod worker;

pub use cluster::{OnInterrupt, SlurmSettings};
pub use detached::{DetachedJobs, cancel, remove_folder};
pub use entry::Entry;
pub use incarnation::Incarnation;
pub use plan_file::{PlanFile, WorkerSettings};
pub use result_log::ResultLog;
pub use run_folder::RunFolder;
pub use slurm_runner::{SlurmRunner, Start};
pub use worker::work;
