//! What is known of languages and of the cache on this machine.

use super::{Bytes, Language};
use std::path::PathBuf;

/// A language on this machine.
#[derive(Debug, Clone)]
pub struct LanguageStatus {
    /// The language.
    pub language: Language,
    /// The programs that are missing, one of which is needed for each of its commands; empty: it is installed.
    pub missing: Vec<String>,
    /// The version of its compiler or interpreter, where it was found out.
    pub version: Option<String>,
    /// The command that compiles here, if it is compiled.
    pub compile: Option<String>,
    /// The command that runs here.
    pub run: Option<String>,
}

/// What is in the cache of compiled programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSummary {
    /// Where it is.
    pub folder: PathBuf,
    /// The number of programs.
    pub programs: usize,
    /// Their size.
    pub bytes: Bytes,
    /// The most that is kept.
    pub bound: Bytes,
}
