//! Removes what killed judges have left on the machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::api::names;
use crate::cgroup::fs::kill_and_remove;
use crate::cgroup::site::Site;
use crate::helper::settings::Settings;
use crate::scratch::removal;

/// Sweeps the folder for files and folders, and the places for control groups. What cannot be removed stays: a process
/// may still be dying.
pub(crate) fn sweep(scratch: &Path, site: Option<&Site>) {
    for path in names::stale_in(scratch) {
        let _ = std::fs::remove_file(&path).or_else(|_| removal::remove(&path));
    }
    for parent in site.into_iter().flat_map(Site::parents) {
        for path in names::stale_in(parent) {
            kill_and_remove(&path);
        }
    }
}

/// Where one helper makes folders and groups: the judge removes them if the helper could not.
pub(crate) struct Traces {
    scratch: PathBuf,
    site: Option<Site>,
    name: String,
}

impl Traces {
    pub(crate) fn of(settings: &Settings) -> Traces {
        Traces { scratch: settings.scratch.clone(), site: settings.site.clone(), name: settings.name.clone() }
    }

    /// To be called when the helper has ended, and what it started is dying.
    pub(crate) fn remove(&self) {
        let folder = self.scratch.join(&self.name);
        for _ in 0..50 {
            if !folder.exists() || removal::remove(&folder).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let prefix = format!("{}.", self.name);
        for parent in self.site.iter().flat_map(Site::parents) {
            let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)) {
                kill_and_remove(&entry.path());
            }
        }
    }
}
