//! Control groups that belong to an ordinary user, as an administrator delegates them.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

/// Groups for memory and for processes. In version 2 one is for both.
pub(crate) struct Delegation(Vec<PathBuf>);

impl Delegation {
    /// Makes them and gives them to `user`. `Err` says why there are none. In version 1 CPU time has its own group,
    /// which is included if it is `counted`; in version 2 it always is.
    pub(crate) fn to(user: u32, counted: bool) -> Result<Delegation, String> {
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let place = |controller: &str| own.lines().find_map(|line| Some(line.split_once(controller)?.1));
        let mut delegation = Delegation(Vec::new());
        if let (Some(memory), Some(pids)) = (place(":memory:"), place(":pids:")) {
            let cpu = place(":cpuacct:").filter(|_| counted).map(|place| ("cpuacct", place));
            for (controller, place) in [("memory", memory), ("pids", pids)].into_iter().chain(cpu) {
                let parent = Path::new("/sys/fs/cgroup").join(controller).join(place.trim_start_matches('/'));
                let folder = delegation.make_in(&parent)?;
                let files = fs::read_dir(&folder).map_err(|error| error.to_string())?;
                give(user, files.flatten().map(|entry| entry.path()).chain([folder]))?;
            }
        } else {
            let own = Path::new("/sys/fs/cgroup").join(place("0::").unwrap_or_default().trim_start_matches('/'));
            let parent = own.ancestors().find(|folder| hands_on(folder));
            let folder = delegation.make_in(parent.ok_or("no control group with memory and pids stands above")?)?;
            // Not the limits, which belong to the administrator.
            let own_to_be = ["", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"];
            give(user, own_to_be.map(|name| folder.join(name)))?;
        }
        Ok(delegation)
    }

    fn make_in(&mut self, parent: &Path) -> Result<PathBuf, String> {
        let folder = parent.join(format!("misbehave-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        self.0.push(folder.clone());
        Ok(folder)
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.0
    }
}

fn give(user: u32, paths: impl IntoIterator<Item = PathBuf>) -> Result<(), String> {
    for path in paths {
        chown(&path, Some(user), Some(user)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Whether groups of version 2 below `folder` have the controllers that a judge needs.
fn hands_on(folder: &Path) -> bool {
    let control = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    ["memory", "pids"].iter().all(|wanted| control.split_whitespace().any(|name| name == *wanted))
}

impl Drop for Delegation {
    fn drop(&mut self) {
        for folder in &self.0 {
            // In version 2 the judge has moved itself to a leaf.
            let _ = fs::remove_dir(folder.join("judge"));
            let _ = fs::remove_dir(folder);
        }
    }
}
