//! The paths of a configuration: relative to a folder of it, with a seed in them.

use std::path::{Component, Path, PathBuf};

/// The path of a file for each seed, from the folder of the configuration: `tools/in/{SEED04}.txt`.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        Self { text: normal(Path::new(""), text).to_string_lossy().into_owned() }
    }

    /// Returns whether its files differ from seed to seed.
    pub(super) fn has_seed(&self) -> bool {
        self.of(1) != self.of(2)
    }

    pub(super) fn of(&self, seed: u64) -> PathBuf {
        PathBuf::from(self.text.replace("{SEED04}", &format!("{seed:04}")).replace("{SEED}", &seed.to_string()))
    }

    /// Returns the pattern of all its files, for a catalogue.
    pub(super) fn glob(&self) -> String {
        glob::Pattern::escape(&self.text.replace("{SEED04}", "\0").replace("{SEED}", "\0")).replace('\0', "*")
    }
}

/// Returns a path without `.` and `..`, from the folder that the other starts from.
pub(super) fn normal(folder: &Path, path: &str) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
