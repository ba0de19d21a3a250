//! Control groups of version 1 that belong to an ordinary user, as an administrator hands them out.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

/// Groups below this process's own, for memory and for processes.
pub(crate) struct Delegation(Vec<PathBuf>);

impl Delegation {
    /// Makes them and gives them to `user`. `Err` says why there are none.
    pub(crate) fn to(user: u32) -> Result<Delegation, String> {
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let mut delegation = Delegation(Vec::new());
        for controller in ["memory", "pids"] {
            let line = own.lines().find_map(|line| line.split_once(&format!(":{controller}:")));
            let Some((_, place)) = line else {
                return Err(format!("no version 1 hierarchy for {controller}; of version 2, a systemd user has some"));
            };
            let name = format!("misbehave-{}", std::process::id());
            let folder = Path::new("/sys/fs/cgroup").join(controller).join(place.trim_start_matches('/')).join(name);
            fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            delegation.0.push(folder.clone());
            let files = fs::read_dir(&folder).map_err(|error| error.to_string())?;
            for path in files.flatten().map(|entry| entry.path()).chain([folder]) {
                chown(&path, Some(user), Some(user)).map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        Ok(delegation)
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.0
    }
}

impl Drop for Delegation {
    fn drop(&mut self) {
        for folder in &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}
