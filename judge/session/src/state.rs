//! Where the judge remembers, for its user, what no result depends on.

use std::path::PathBuf;

/// Returns the path of a file in the user's state folder, which need not exist; `None` if the user has no such folder.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")));
    state.map(|state| state.join("judge").join(name))
}
