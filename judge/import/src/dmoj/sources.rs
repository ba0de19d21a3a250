//! The programs of a problem: a checker or a generator, of one file or several.

use crate::error::ImportError;
use crate::files;
use crate::yaml::Mapping;
use std::path::{Path, PathBuf};

/// Refuses a program of which more is asked than to be compiled and run.
pub(super) fn check(settings: &Mapping, what: &str) -> Result<(), ImportError> {
    if settings.words("flags")?.is_some_and(|flags| !flags.is_empty()) {
        return Err(settings.unsupported(format!("{what} that is compiled with `flags`")));
    }
    let language = ["lang", "language"].map(|key| settings.text(key)).into_iter().collect::<Result<Vec<_>, _>>()?;
    if language.iter().flatten().any(|name| name == "PY2") {
        return Err(settings.unsupported(format!("{what} in Python 2")));
    }
    Ok(())
}

/// Returns the files of a program, of which there is one at least.
pub(super) fn read(settings: &Mapping, key: &str, root: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let names = settings.words(key)?.unwrap_or_default();
    if names.is_empty() {
        return Err(settings.wrong(key, format!("there is no `{key}`"), "the name of a source"));
    }
    let find = |name: &String| {
        let path = root.join(name);
        if !path.is_file() {
            return Err(settings.wrong(key, format!("there is no file `{name}`"), "a source beside init.yml"));
        }
        files::check_link(root, &path)?;
        Ok(path)
    };
    names.iter().map(find).collect()
}
