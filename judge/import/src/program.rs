//! Checkers and validators of a package, as scripts or compiled programs.

use crate::{Result, Sources, ToCompile, files};
use regex::bytes::Regex;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Uses of testlib that give points. Some styles have a space before a parenthesis.
static POINTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)(?:\bquitpi?|_pc)\s*\(|\bquitf?\s*\(\s*_points\b").expect("the pattern is valid")
});

/// Uses of testlib that read the group or the testset of a test, which Polygon gives as arguments.
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b(?:validator|checker)\s*\.\s*(?:group|testset)\s*\(").expect("the pattern is valid")
});

/// The header of testlib. It contains all identifiers, so it is not searched.
const TESTLIB: &str = "testlib.h";

/// Extensions of sources that are compiled to one program.
const COMPILED: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "C", "rs", "go"];

/// Extensions of files that are not programs: headers, and texts for people.
const COMPANIONS: [&str; 13] = ["h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl", "ipp", "tpp", "tcc", "md", "txt"];

/// The script that builds the program of a folder.
pub const BUILD: &str = "build";

/// That program, or a script instead.
pub const RUN: &str = "run";

/// The name of the compiled program in the folder of its sources.
const PROGRAM: &str = "validator.bin";

/// A program and the command that runs it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) command: String,
    /// Its source file or folder in the package.
    pub(super) source: PathBuf,
    pub(super) files: Vec<(PathBuf, PathBuf)>,
    pub(super) compiled: Option<ToCompile>,
}

/// The script or language of a program that is not supported: its path, and why.
pub(super) type Refusal = (PathBuf, &'static str);

/// Returns the programs in a folder. Each is a file or a folder. `is_one`: all files of the folder are one program.
/// Headers and texts are not programs.
pub(super) fn all(folder: &Path, is_one: bool) -> Result<Vec<PathBuf>> {
    let entries = files::entries(folder)?;
    let has_files = entries.iter().any(|entry| entry.is_file());
    Ok(if is_one && has_files {
        vec![folder.to_owned()]
    } else {
        entries.into_iter().filter(|entry| !is_companion(entry)).collect()
    })
}

/// Whether it is a header or a text, or a folder of them. Links to folders are never followed, because they can form a cycle.
fn is_companion(path: &Path) -> bool {
    if path.is_dir() && !path.is_symlink() {
        return files::entries(path).is_ok_and(|inner| inner.iter().all(|entry| is_companion(entry)));
    }
    path.is_file() && files::has_extension(path, &COMPANIONS)
}

/// Returns the program in a file or folder. Its files go into the folder `to` beside the `problems.toml`.
pub(super) fn read(root: &Path, source: &Path, to: &str, what: &str) -> Result<Result<Program, Refusal>> {
    if source.is_dir() {
        return Ok(of_files(source, source, files::tree(root, source)?, to, what));
    }
    let folder = source.parent().unwrap_or(root);
    files::check_link(root, source)?;
    let mut sources = vec![source.to_owned()];
    for companion in files::entries(folder)?.into_iter().filter(|entry| is_companion(entry)) {
        files::check_link(root, &companion)?;
        sources.extend(if companion.is_dir() { files::tree(root, &companion)? } else { vec![companion] });
    }
    Ok(of_files(folder, source, sources, to, what))
}

/// Returns the program made of these files below the folder `base`.
pub(super) fn of_files(
    base: &Path,
    source: &Path,
    sources: Vec<PathBuf>,
    to: &str,
    what: &str,
) -> Result<Program, Refusal> {
    let below = |file: &PathBuf| file.strip_prefix(base).unwrap_or(file).to_owned();
    let inside = |file: &PathBuf| Path::new(to).join(below(file));
    let copies = sources.iter().map(|file| (file.clone(), inside(file))).collect();
    let script = |name: &str| sources.iter().find(|file| below(file) == Path::new(name));
    let as_it_is = match [BUILD, RUN].map(script) {
        [Some(build), Some(_)] => return Err((build.clone(), "with scripts to build and to run it")),
        [None, Some(run)] if run.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0) => {
            Some(format!("./{}", inside(run).display()))
        }
        [None, Some(run)] => return Err((run.clone(), "whose `run` is not executable; run chmod +x on it")),
        [Some(_), None] => None,
        [None, None] => match python(&sources) {
            Some(main) => Some(shell_words::join(["python3", &*inside(&main).to_string_lossy()])),
            None if sources.iter().any(|file| files::has_extension(file, &COMPILED)) => None,
            None => return Err((source.to_owned(), language_of(&sources))),
        },
    };
    let program = Path::new(to).join(PROGRAM);
    let compiled = as_it_is.is_none().then(|| ToCompile {
        sources: Sources {
            what: what.to_owned(),
            files: sources.iter().map(|file| (file.clone(), below(file))).collect(),
            main: None,
        },
        program: program.clone(),
    });
    let command = as_it_is.unwrap_or_else(|| format!("./{}", program.display()));
    Ok(Program { command, source: source.to_owned(), files: copies, compiled })
}

/// Returns the unsupported language of a program.
fn language_of(sources: &[PathBuf]) -> &'static str {
    let has = |ending: &str| sources.iter().any(|file| files::has_extension(file, &[ending]));
    match () {
        () if has("ctd") => "in the language of Checktestdata, which is not supported",
        () if has("viva") => "in the language of VIVA, which is not supported",
        () if has("py") || has("py3") => "of several Python files, none of them `main.py` or `__main__.py`",
        () => "in another language than Python, C, C++, Rust or Go",
    }
}

/// Returns whether one of the sources uses identifiers that give points.
pub(super) fn gives_points(sources: &[(PathBuf, PathBuf)]) -> bool {
    contain(sources, &POINTS)
}

/// Returns whether one of the sources reads the group or the testset of a test.
pub(super) fn reads_places(sources: &[(PathBuf, PathBuf)]) -> bool {
    contain(sources, &PLACES)
}

fn contain(sources: &[(PathBuf, PathBuf)], pattern: &Regex) -> bool {
    let own = sources.iter().filter(|(file, _)| files::name(file) != TESTLIB);
    own.filter_map(|(source, _)| std::fs::read(source).ok()).any(|text| pattern.is_match(&text))
}

/// Returns the main script of a Python program.
fn python(sources: &[PathBuf]) -> Option<PathBuf> {
    let scripts: Vec<_> = sources.iter().filter(|file| files::has_extension(file, &["py", "py3"])).collect();
    let named = |name: &str| scripts.iter().find(|file| files::name(file) == name).map(|file| (*file).clone());
    named("__main__.py").or_else(|| named("main.py")).or_else(|| match &*scripts {
        [one] => Some((*one).clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_in_every_style() {
        for text in
            ["quitp(0.5)", "quitp (0.5)", "quitpi\n (\"x\")", "quitf(_pc(3), \"\")", "_pc (3)", "quitf (_points, \"\")"]
        {
            assert!(POINTS.is_match(text.as_bytes()), "{text}");
        }
        for text in ["quitf(_ok, \"5 points\")", "int quitps;", "quit(_wa, \"\")"] {
            assert!(!POINTS.is_match(text.as_bytes()), "{text}");
        }
    }
}
