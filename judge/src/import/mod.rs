//! Reads problems of others: what a package says, as a problem of a catalogue, and what of it has no place there.

mod error;
mod files;
mod imported;
mod kattis;
mod text;
mod yaml;

pub use error::ImportError;
pub use imported::{Imported, ToCompile};
pub use kattis::read as read_kattis;
