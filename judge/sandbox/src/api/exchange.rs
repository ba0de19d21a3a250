//! Files that go into a working folder before a run and come out of it afterwards: a compiler's source and its program.

use std::ffi::OsString;
use std::path::PathBuf;

/// A file of a working folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFile {
    /// Where it stands: below the working folder if it is given, below [`Exchange::made_in`] if it was made.
    pub path: PathBuf,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether it may be executed. Of a file that was made this says little: in some tiers a linker cannot set it.
    pub executable: bool,
}

/// What a program gets in its working folder, and what is taken out when it has ended well.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// Put there before the program starts, which may change them. The paths have plain names only; their folders are
    /// made, and the program may write in them.
    pub given: Vec<WorkFile>,
    /// Variables of the environment that hold the working folder's path.
    pub variables: Vec<OsString>,
    /// The name of a folder that is made for the program; all files that it has left there are taken.
    pub made_in: OsString,
    /// The names of the files there that are taken; empty: all files.
    pub wanted: Vec<OsString>,
    /// Whether they are taken after any exit code, and not after 0 alone.
    pub after_any_exit: bool,
    /// More files and folders than these are refused.
    pub most_files: u64,
    /// More bytes than these, in all files together, are refused.
    pub most_bytes: u64,
}

/// The files that a program made, or why they cannot be taken. A program that was killed, broke a limit, or failed where
/// that counts, has made none.
pub type Made = Result<Vec<WorkFile>, String>;
