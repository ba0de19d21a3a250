//! Removes what judges that were killed have left on the machine.

use std::path::Path;

use crate::cgroup_site::Site;
use crate::{cgroup, names, removal};

/// Sweeps the folder for files and folders, and the places for control groups. What cannot be removed stays: a process
/// may still be dying.
pub(crate) fn sweep(scratch: &Path, site: Option<&Site>) {
    for path in names::stale_in(scratch) {
        let _ = std::fs::remove_file(&path).or_else(|_| removal::remove(&path));
    }
    for parent in site.into_iter().flat_map(Site::parents) {
        for path in names::stale_in(parent) {
            cgroup::kill_and_remove(&path);
        }
    }
}
