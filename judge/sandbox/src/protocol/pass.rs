//! What opens a filter for the process that put it on, and for its children on their way to their programs: a number
//! that only this process knows, where a system call has no argument and the kernel does not look.
//!
//! A program cannot learn it. It is in the memory of a process that no program may look into, and in the registers of
//! a call; `execve` gives a program other memory and clears its registers. And it opens no more than the filter: for
//! what it lets through, the kernel still asks for capabilities, which no program has.

use std::fs::File;
use std::io::{self, Read};

/// The secret number.
#[derive(Clone, Copy)]
pub(crate) struct Pass(u64);

/// The argument that holds it: the calls that are made with it have five at most.
pub(crate) const PLACE: u32 = 5;

impl Pass {
    pub(crate) fn random() -> io::Result<Pass> {
        let mut bytes = [0; 8];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Pass(u64::from_le_bytes(bytes)))
    }

    /// In the form of the arguments of `clone` that the flags used here leave unused.
    pub(crate) fn as_pointer<T>(self) -> *mut T {
        self.0 as *mut T
    }

    /// In the form of an argument; 0 without a pass.
    pub(crate) fn argument(pass: Option<Pass>) -> u64 {
        pass.map_or(0, |Pass(number)| number)
    }

    /// Its low and its high half.
    pub(crate) fn halves(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }
}
