//! The catalogue: reads `problems.toml`, checks it, and reports every error at once.

mod builtin;
mod catalogue;
mod complaint;
mod features;
mod limits;
mod placeholders;
mod problem;
mod programs;
mod protocols;
mod scoring;
mod section;
mod suggest;
mod test_groups;

pub use builtin::{BUILT_IN, CATALOGUE_SCHEMA};
pub use catalogue::{Catalogue, ManifestError, UnknownProblem, read_best_scores};
pub use complaint::CatalogueComplaint;
pub use suggest::closest;
