//! Reads problems of others: what a package says, as a problem of a catalogue, and what of it has no place there.

mod ahc;
mod archive;
mod derived_limit;
mod detect;
mod dmoj;
mod error;
mod files;
mod imported;
mod kattis;
mod kind;
mod pahcer;
mod polygon;
mod program;
mod source;
mod submission;
mod text;
mod yaml;

pub use derived_limit::DerivedLimit;
pub use detect::{broken_links, builds, read};
pub use error::ImportError;
pub use imported::{Imported, Sources, ToCompile, ToMake};
pub use kind::Kind;
pub use program::{BUILD, RUN};
pub use source::Source;
