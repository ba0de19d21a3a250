//! Generators of DMOJ, which print the input of a case, and its answer on standard error.

use super::sources;
use crate::error::ImportError;
use crate::imported::Sources;
use crate::submission;
use crate::yaml::Mapping;
use std::path::Path;

/// The key in all tables.
pub(super) const KEY: &str = "generator";

/// A generator.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) sources: Sources,
    /// Its arguments, where a case has none.
    pub(super) arguments: Vec<String>,
}

impl Generator {
    /// Reads `generator`; `None` if there is none.
    pub(super) fn read(config: &Mapping, root: &Path, left: &mut Vec<String>) -> Result<Option<Self>, ImportError> {
        if !config.has(KEY) {
            return Ok(None);
        }
        let (files, arguments) = match config.words(KEY) {
            Ok(_) => (sources::read(config, KEY, root)?, Vec::new()),
            Err(_) => {
                let own = config.mapping(KEY)?;
                sources::check(&own, "a generator")?;
                let limits = ["time_limit", "memory_limit"].into_iter().filter(|key| own.has(key));
                left.extend(limits.map(|key| {
                    format!(
                        "init.yml: `{KEY}.{key}`: generators run once, at import, with the limits of all generators"
                    )
                }));
                (sources::read(&own, "source", root)?, own.words("args")?.unwrap_or_default())
            }
        };
        if !submission::is_known(&files[0]) {
            return Err(config.unsupported("a generator in no language of `judge languages`"));
        }
        let named = |file: &std::path::PathBuf| (file.clone(), file.strip_prefix(root).unwrap_or(file).to_owned());
        let files = files.iter().map(named).collect();
        Ok(Some(Self { sources: Sources { what: "the generator".to_owned(), files, main: None }, arguments }))
    }
}
