//! A small process that removes the temporary files of this one if it is killed. After a server, there may be no other
//! judge whose sweep would remove them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use rustix::pipe::PipeFlags;

use crate::names;
use crate::process::{ChildProcess, OWN_EXECUTABLE, Role, take_socket};
use crate::scratch::disk;

/// Removes the files and folders of [`sweepable_name`](crate::sweepable_name) that this process has left in the folder
/// for temporary files, as soon as this process ends for whatever reason. If this value is dropped, nothing is removed.
pub struct Sweeper {
    process: ChildProcess,
    /// Closed by the kernel when this process ends.
    link: Option<File>,
}

impl Sweeper {
    /// Starts it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start() -> io::Result<Sweeper> {
        let (theirs, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let process = ChildProcess::start(SWEEPER, OWN_EXECUTABLE.as_ref(), theirs, None)?;
        let mut link = File::from(ours);
        let order =
            [crate::scratch::temporary().as_os_str().as_bytes(), b"\0", names::own_prefix().as_bytes(), b"\0"].concat();
        link.write_all(&order)?;
        Ok(Sweeper { process, link: Some(link) })
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        // This byte says that nothing is left.
        let _ = self.link.take().map(|mut link| link.write_all(b"."));
        let _ = self.process.wait();
    }
}

/// Runs until the judge has ended.
pub(crate) const SWEEPER: Role =
    Role { name: c"judge-sweeper", argument: "--judge-sandbox-sweeper", main: wait_and_sweep };

/// How often the sweeper tries to remove files that dying processes may still write to, and the pause between two
/// tries.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

fn wait_and_sweep() -> io::Result<()> {
    // A Ctrl-C at the terminal is for the judge.
    rustix::process::setpgid(None, None)?;
    let mut order = Vec::new();
    File::from(take_socket()?).read_to_end(&mut order)?;
    let mut parts = order.split(|byte| *byte == 0);
    let (Some(folder), Some(prefix), Some(b"")) = (parts.next(), parts.next(), parts.next()) else { return Ok(()) };
    let folder = PathBuf::from(OsString::from_vec(folder.to_vec()));
    for _ in 0..TRIES {
        let left: Vec<PathBuf> = fs::read_dir(&folder)?
            .flatten()
            .filter(|entry| entry.file_name().as_bytes().starts_with(prefix))
            .map(|entry| entry.path())
            .collect();
        if left.is_empty() {
            return Ok(());
        }
        left.iter().for_each(|path| drop(fs::remove_file(path).or_else(|_| disk::remove(path))));
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
