//! What a program is to see of the host, so that two runs with the same view can share what was built for it.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::protocol::messages::Task;

/// The program and the visible paths, each with the identity of what stands there now, and what is left out of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct View {
    places: Vec<(PathBuf, bool, Option<FileIdentity>)>,
    hidden: Vec<PathBuf>,
    folder: Option<PathBuf>,
}

/// Device, inode, and when it was last changed: a file replaced or made executable is another.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity(u64, u64, i64, i64);

impl View {
    pub(crate) fn of(task: &Task) -> View {
        let identity = |path: &PathBuf| {
            let metadata = std::fs::metadata(path).ok()?;
            // A folder changes whenever something in it does, which is no other view.
            let changed = if metadata.is_dir() { (0, 0) } else { (metadata.ctime(), metadata.ctime_nsec()) };
            Some(FileIdentity(metadata.dev(), metadata.ino(), changed.0, changed.1))
        };
        let program = (task.program.clone(), false, identity(&task.program));
        // A program that is shown as such is looked at once.
        let others = task.visible.iter().filter(|visible| visible.writable || visible.path != task.program);
        let visible = others.map(|visible| (visible.path.clone(), visible.writable, identity(&visible.path)));
        let places = [program].into_iter().chain(visible).collect();
        View { places, hidden: task.hidden.clone(), folder: task.folder.clone() }
    }
}
