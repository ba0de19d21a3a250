//! The submissions of a package.

use crate::import::error::ImportError;
use crate::import::files;
use std::path::Path;

/// Returns a line for each folder of submissions: nothing of them is in a catalogue.
pub(super) fn left(root: &Path) -> Result<Vec<String>, ImportError> {
    let folder = root.join("submissions");
    let mut left = Vec::new();
    for entry in files::entries(&folder)?.into_iter().filter(|entry| entry.is_dir()) {
        let names: Vec<_> = files::entries(&entry)?.iter().map(|file| files::name(file)).collect();
        if !names.is_empty() {
            let expected = files::name(&entry);
            left.push(format!("submissions/{expected}, with their expected verdict: {}", names.join(", ")));
        }
    }
    Ok(left)
}
