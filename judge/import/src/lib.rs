//! Reads problems of others: what a package says, as a problem of a catalogue, and what of it has no place there.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod ahc;
mod detect;
mod dmoj;
mod error;
mod files;
mod imported;
mod kattis;
mod pahcer;
mod polygon;
mod program;
mod source;
mod text;
mod yaml;

pub use detect::{broken_links, builds, read};
pub use error::{ImportError, Kind};
pub use imported::{DerivedLimit, Imported, Sources, ToCompile, ToMake};
pub use program::{BUILD, RUN};
pub use source::Source;
