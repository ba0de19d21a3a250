//! The output validator of a package.

use crate::import::error::ImportError;
use crate::import::files;
use crate::import::imported::ToCompile;
use std::path::{Path, PathBuf};

/// Endings of sources that are compiled to one program.
const COMPILED: [&str; 6] = ["c", "cc", "cpp", "cxx", "rs", "go"];

/// The name of a compiled validator beside the `problems.toml`.
const PROGRAM: &str = "output_validator/validator.bin";

/// An output validator, with the command that runs it.
#[derive(Debug)]
pub(super) struct Validator {
    pub(super) command: String,
    pub(super) source: PathBuf,
    pub(super) files: Vec<(PathBuf, PathBuf)>,
    pub(super) program: Option<ToCompile>,
    /// Whether its sources name the file with a score that is not multiplied.
    pub(super) writes_scores: bool,
    /// Whether they name the file with a share of the case's points.
    pub(super) writes_multipliers: bool,
}

/// Finds the validator; `None` if the package has none.
pub(super) fn find(root: &Path) -> Result<Option<Validator>, ImportError> {
    let folders = ["output_validator", "output_validators"].map(|name| root.join(name));
    let Some(folder) = folders.iter().find(|folder| folder.is_dir()) else { return Ok(None) };
    let entries = files::entries(folder)?;
    let is_one = folder.ends_with("output_validator") && entries.iter().any(|entry| entry.is_file());
    let source = match &*entries {
        _ if is_one => folder.clone(),
        [] => return Ok(None),
        [one] => one.clone(),
        _ => {
            let what = format!("{} output validators, which must all accept", entries.len());
            return Err(ImportError::unsupported(folder, what));
        }
    };
    let base = if source.is_dir() { source.clone() } else { folder.clone() };
    let sources = if source.is_dir() { files::tree(root, &source)? } else { vec![source.clone()] };
    let inside = |file: &PathBuf| Path::new("output_validator").join(file.strip_prefix(&base).unwrap_or(file));
    let copies: Vec<_> = sources.iter().map(|file| (file.clone(), inside(file))).collect();
    let names = |word: &[u8]| sources.iter().any(|file| std::fs::read(file).is_ok_and(|text| contains(&text, word)));
    let (writes_scores, writes_multipliers) = (names(b"score.txt"), names(b"score_multiplier.txt"));
    let with = |command, program| {
        let (source, files) = (source.clone(), copies.clone());
        Some(Validator { command, source, files, program, writes_scores, writes_multipliers })
    };
    let scripts = sources.iter().find(|file| ["build", "run"].contains(&&*files::name(file)));
    if let Some(script) = scripts {
        return Err(ImportError::unsupported(script, "an output validator with its own script to build or run it"));
    }
    if let Some(main) = python(&sources) {
        return Ok(with(shell_words::join(["python3", &*inside(&main).to_string_lossy()]), None));
    }
    if !sources.iter().any(|file| COMPILED.iter().any(|ending| has_ending(file, ending))) {
        return Err(ImportError::unsupported(&source, "an output validator in another language than Python, C or C++"));
    }
    let program = ToCompile { source: source.clone(), program: PROGRAM.into() };
    Ok(with(format!("./{PROGRAM}"), Some(program)))
}

/// Returns the script that a Python program starts with.
fn python(sources: &[PathBuf]) -> Option<PathBuf> {
    let scripts: Vec<_> =
        sources.iter().filter(|file| ["py", "py3"].iter().any(|ending| has_ending(file, ending))).collect();
    let named = |name: &str| scripts.iter().find(|file| files::name(file) == name).map(|file| (*file).clone());
    named("__main__.py").or_else(|| named("main.py")).or_else(|| match &*scripts {
        [one] => Some((*one).clone()),
        _ => None,
    })
}

fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|found| found == ending)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}
