//! The browser that pages are tested in.

use crate::support::require::{Need, skip};
use std::path::PathBuf;

/// Returns the browser; `None`: it was said that there is none.
pub(crate) fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut paths = std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name)));
    let found = paths.find(|path| path.is_file());
    if found.is_none() {
        skip(Need::Browser, "no Chromium on the PATH");
    }
    found
}
