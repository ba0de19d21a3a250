//! The browser that pages are tested in.

use crate::support::require::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Returns the command that starts it without a window. All that it leaves, its sockets too when it is killed, is in `folder`,
/// which is made if it is not there.
pub(crate) fn headless(chromium: &Path, folder: &Path) -> Command {
    std::fs::create_dir_all(folder).unwrap();
    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu"]);
    command.arg(format!("--user-data-dir={}", folder.display())).env("TMPDIR", folder);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}
