//! A small process that removes the temporary files of this one if it is killed. After a server, there may be no other
//! judge whose sweep would remove them.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::names;
use crate::process::{ChildProcess, OWN_EXECUTABLE, Role, take_socket};
use crate::protocol::{self, Message, Received};
use crate::scratch::disk;

/// Removes the files and folders of [`sweepable_name`](crate::sweepable_name) that this process has left in the folder
/// for temporary files, as soon as this process ends for whatever reason. If this value is dropped, nothing is removed.
pub struct Sweeper {
    process: ChildProcess,
    /// Closed by the kernel when this process ends.
    socket: OwnedFd,
}

/// What is to be removed: what begins with `prefix` in `folder`.
#[derive(Serialize, Deserialize)]
struct Order {
    #[serde(with = "crate::os_data")]
    folder: PathBuf,
    prefix: String,
}

impl Sweeper {
    /// Starts it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start() -> io::Result<Sweeper> {
        let (socket, theirs) = protocol::pair()?;
        let process = ChildProcess::start(SWEEPER, OWN_EXECUTABLE.as_ref(), theirs, None)?;
        let order = Order { folder: crate::scratch::temporary(), prefix: names::own_prefix() };
        Message::new(&order).send(&socket, &[])?;
        Ok(Sweeper { process, socket })
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        // The message says that nothing is left to remove.
        let _ = Message::empty().send(&self.socket, &[]);
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
    let socket = take_socket()?;
    let Some(order) = Received::receive(&socket)? else { return Ok(()) };
    let Order { folder, prefix } = order.decode()?;
    if Received::receive(&socket)?.is_some() {
        return Ok(());
    }
    for _ in 0..TRIES {
        let left: Vec<PathBuf> = fs::read_dir(&folder)?
            .flatten()
            .filter(|entry| entry.file_name().as_bytes().starts_with(prefix.as_bytes()))
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
