//! The catalogue: reads `problems.toml`, checks it, and reports every error at once.

mod catalogue;
mod document;
mod problem;
mod programs;
mod protocols;

pub use catalogue::{
    BUILT_IN, CATALOGUE_SCHEMA, Catalogue, SlurmTable, UnknownProblem, built_in_languages, read_best_scores,
    read_languages,
};
pub use document::{CatalogueComplaint, ManifestError, closest, decode};
pub use programs::unknown_placeholders;
pub use protocols::REJECTION;
