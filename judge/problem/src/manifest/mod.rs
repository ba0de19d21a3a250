//! The catalogue: reads `problems.toml`, checks it, and reports every error at once.

mod builtin;
mod catalogue;
mod complaint;
mod document;
mod engine;
mod features;
mod languages;
mod limits;
mod placeholders;
mod problem;
mod programs;
mod protocols;
mod scoring;
mod section;
mod suggest;
mod test_groups;
mod verification;

pub use builtin::{BUILT_IN, CATALOGUE_SCHEMA};
pub use catalogue::{Catalogue, UnknownProblem, read_best_scores};
pub use complaint::CatalogueComplaint;
pub use document::{ManifestError, decode};
pub use languages::{built_in as built_in_languages, read_languages};
pub use protocols::REJECTION;
pub use suggest::closest;
