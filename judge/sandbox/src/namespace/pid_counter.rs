//! The counter from which a jail's processes get their ids: what one program has counted up, the next must not see.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The host's file: it is about the namespace of who writes to it.
const PLACE: &str = "/proc/sys/kernel/ns_last_pid";

/// The counter of this process's namespace.
pub(crate) struct PidCounter(File);

impl PidCounter {
    /// `None` where the kernel has no such file or does not let it be written to. To be called while the host's files
    /// are in sight.
    pub(crate) fn find() -> Option<PidCounter> {
        File::options().read(true).write(true).open(PLACE).ok().map(PidCounter)
    }

    /// The next process gets the first id after the init's.
    pub(crate) fn rewind(&self) -> io::Result<()> {
        self.0.write_all_at(b"1", 0)
    }

    /// Whether the process with this id was the last that got one.
    pub(crate) fn is_at(&self, pid: i32) -> bool {
        let mut text = [0; 16];
        let length = self.0.read_at(&mut text, 0).unwrap_or_default();
        std::str::from_utf8(&text[..length]).is_ok_and(|last| last.trim().parse() == Ok(pid))
    }
}
