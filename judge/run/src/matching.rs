//! Files and folders that match a pattern, and the answer files of cases, which are found by patterns.

use glob::Pattern;
use judge_problem::AnswerFiles;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

/// A pattern that is invalid, or a folder that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// It has a syntax error.
    #[error("`{pattern}` is not a file pattern: {}", .error.msg)]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The syntax error.
        error: glob::PatternError,
    },
    /// A folder on its path cannot be read.
    #[error("cannot read the folder {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
}

/// A part of a pattern, between two slashes.
enum Part<'a> {
    Name(&'a str),
    Names(Pattern),
    /// `**`: any number of folders below each other.
    Folders,
}

/// Returns the files that match `pattern` below `folder` (empty: the current one), in each folder sorted by name. `*` stands
/// for any characters of a name, `?` for one character, `[ab]` for a or b, and `**` for any number of folders, without links
/// to folders. If a file has the pattern itself as its name, only that file matches. Special characters in `folder` have no
/// meaning. Names that are not UTF-8 are matched with replacement characters.
///
/// # Errors
/// A syntax error, or a folder that cannot be read. A missing folder has no matches.
pub fn matching(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, MatchError> {
    let itself = folder.join(pattern);
    if itself.symlink_metadata().is_ok() {
        return Ok(vec![itself]);
    }
    let names = pattern.split('/').filter(|name| !name.is_empty());
    let parts = names.map(part).collect::<Result<Vec<_>, _>>();
    let mut parts = parts.map_err(|error| MatchError::Pattern { pattern: pattern.to_owned(), error })?;
    parts.dedup_by(|one, other| matches!((one, other), (Part::Folders, Part::Folders)));
    let top = if pattern.starts_with('/') { Path::new("/") } else { folder };
    let mut found = Vec::new();
    // An empty pattern matches nothing.
    if !parts.is_empty() {
        walk(top.to_owned(), &parts, &mut found)?;
    }
    Ok(found)
}

fn part(name: &str) -> Result<Part<'_>, glob::PatternError> {
    Ok(match name {
        "**" => Part::Folders,
        _ if name.contains(['*', '?', '[']) => Part::Names(Pattern::new(name)?),
        _ => Part::Name(name),
    })
}

fn walk(place: PathBuf, parts: &[Part<'_>], found: &mut Vec<PathBuf>) -> Result<(), MatchError> {
    let Some((part, rest)) = parts.split_first() else {
        found.push(place);
        return Ok(());
    };
    match part {
        Part::Name(name) => {
            let next = place.join(name);
            // The rest of the pattern is searched below it.
            if !rest.is_empty() || next.symlink_metadata().is_ok() {
                walk(next, rest, found)?;
            }
        }
        Part::Names(pattern) => {
            for entry in entries(&place)? {
                if pattern.matches(&entry.file_name().to_string_lossy()) {
                    walk(place.join(entry.file_name()), rest, found)?;
                }
            }
        }
        Part::Folders => {
            if !rest.is_empty() {
                walk(place.clone(), rest, found)?;
            }
            for entry in entries(&place)?.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                let next = place.join(entry.file_name());
                if rest.is_empty() {
                    found.push(next.clone());
                }
                walk(next, parts, found)?;
            }
        }
    }
    Ok(())
}

/// Returns the entries of a folder, sorted by name. Empty if it is not a folder.
fn entries(place: &Path) -> Result<Vec<DirEntry>, MatchError> {
    let here = if place.as_os_str().is_empty() { Path::new(".") } else { place };
    match here.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Ok(mut entries) => {
            entries.sort_by_cached_key(DirEntry::file_name);
            Ok(entries)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(MatchError::Unreadable(here.to_owned(), error)),
    }
}

/// Returns every answer file once, sorted, and why some may be missing.
pub fn answer_files(answers: &AnswerFiles) -> (Vec<PathBuf>, Option<MatchError>) {
    let (mut files, unread) = matched_answers(answers);
    files.extend(answers.named.iter().map(|(_, answer)| answer.clone()));
    (files.into_iter().collect(), unread)
}

/// Returns the answer files that the patterns match, and why some may be missing.
fn matched_answers(answers: &AnswerFiles) -> (BTreeSet<PathBuf>, Option<MatchError>) {
    let (mut files, mut unread) = (BTreeSet::new(), None);
    for pattern in &answers.patterns {
        match matching(&answers.folder, pattern) {
            Ok(found) => files.extend(found),
            Err(error) => unread = unread.or(Some(error)),
        }
    }
    (files, unread)
}

/// The answer files of a problem, indexed by case.
#[derive(Debug)]
pub struct AnswerIndex {
    /// The answer files that the catalogue names, by the real path of the case's file.
    named: HashMap<PathBuf, PathBuf>,
    /// The answer files that a pattern matches, by their stem, each with the real path of its folder.
    by_stem: HashMap<OsString, Vec<(PathBuf, PathBuf)>>,
    /// Why there may be more answer files.
    unread: Option<MatchError>,
}

impl AnswerIndex {
    /// Looks for all answer files.
    pub fn of(answers: &AnswerFiles) -> Self {
        let mut by_stem: HashMap<OsString, Vec<_>> = HashMap::new();
        // An answer that the catalogue names belongs to its own case alone.
        let (files, unread) = matched_answers(answers);
        for file in files {
            if let Some(stem) = file.file_stem() {
                by_stem.entry(stem.to_owned()).or_default().push((real(folder_of(&file)), file));
            }
        }
        // If a file is named twice, the first entry counts.
        let named = answers.named.iter().rev().map(|(input, answer)| (real(input), answer.clone())).collect();
        Self { named, by_stem, unread }
    }

    /// Returns the answer file of the case in a file: the one that the catalogue names, or the one with its stem. If
    /// several have its stem, the one in its own folder is used.
    ///
    /// # Errors
    /// When there is none, but a folder could not be read.
    pub fn answer_of(&self, input: &Path) -> Result<Option<&Path>, &MatchError> {
        match (self.found(input), &self.unread) {
            (None, Some(unread)) => Err(unread),
            (found, _) => Ok(found),
        }
    }

    fn found(&self, input: &Path) -> Option<&Path> {
        if let Some(answer) = self.named.get(&real(input)) {
            return Some(answer);
        }
        let alike = self.by_stem.get(input.file_stem()?)?;
        let folder = real(folder_of(input));
        let beside = alike.iter().find(|(of_answer, _)| *of_answer == folder);
        beside.or(if alike.len() == 1 { alike.first() } else { None }).map(|(_, file)| &**file)
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns a path without links and `..`. A path that does not exist is returned unchanged.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the path of a file without links and `..`. For a missing file, it is the real path of its folder with its name.
pub fn real_place(file: &Path) -> PathBuf {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    match (whole.parent(), whole.file_name()) {
        (Some(folder), Some(name)) if !whole.exists() => real(folder).join(name),
        _ => real(&whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    /// Makes files, and the folders that they are in.
    fn make(top: &Path, files: &[PathBuf]) {
        for file in files {
            // A file may exist where a folder should be made.
            let _ = std::fs::create_dir_all(top.join(file).parent().unwrap());
            let _ = std::fs::write(top.join(file), "");
        }
    }

    proptest! {
        #[test]
        fn the_same_matches_as_by_another_library(
            files in prop::collection::vec("\\.?[ab]{1,2}(/[ab]{1,2}){0,3}", 0..8),
            pattern in "(\\./)?([ab?*]{1,3}|\\*\\*|\\[a-b\\]|\\[!a\\]b)(/([ab?*]{1,2}|\\*\\*|\\[ab\\])){0,3}",
        ) {
            let top = tempfile::tempdir().unwrap();
            make(top.path(), &files.iter().map(PathBuf::from).collect::<Vec<_>>());
            // The other library treats its own name as a pattern.
            prop_assume!(top.path().join(&pattern).symlink_metadata().is_err() || !pattern.contains(['*', '?', '[']));
            let whole = format!("{}/{pattern}", Pattern::escape(top.path().to_str().unwrap()));
            let expected = glob::glob(&whole).map(|found| {
                let mut found: Vec<_> = found.map(Result::unwrap).collect();
                found.sort();
                found
            });
            let mut ours = matching(top.path(), &pattern);
            if let Ok(found) = &mut ours {
                found.sort();
            }
            match (ours, expected) {
                (Ok(ours), Ok(expected)) => prop_assert_eq!(ours, expected),
                (Err(MatchError::Pattern { .. }), Err(_)) => {}
                (ours, expected) => prop_assert!(false, "{:?} {:?}", ours, expected.is_ok()),
            }
        }
    }

    #[test]
    fn folders_and_files_are_found_whatever_they_are_called() {
        for name in [&b"plain"[..], b"p [1]*?", b"no\xff\xfetext"] {
            let top = tempfile::tempdir().unwrap();
            let folder = top.path().join(OsStr::from_bytes(name));
            let files = [&b"in/1.txt"[..], b"in/2[1].txt", b"in/3\xff.txt", b"in/3.no"];
            let files = files.map(|file| PathBuf::from(OsStr::from_bytes(file)));
            make(&folder, &files);
            let whole = |names: &[PathBuf]| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
            assert_eq!(matching(&folder, "in/*.txt").unwrap(), whole(&files[..3]));
            assert_eq!(matching(&folder, "**/?[[]1].txt").unwrap(), whole(&files[1..2]));
            assert_eq!(matching(&folder, "in/2[1].txt").unwrap(), whole(&files[1..2]), "its own name");
            assert_eq!(matching(&folder, "none/*.txt").unwrap(), whole(&[]));
        }
    }

    #[test]
    fn a_pattern_starts_where_it_says() {
        let top = tempfile::tempdir().unwrap();
        make(top.path(), &["a/b".into()]);
        let absolute = format!("{}/*/b", top.path().display());
        assert_eq!(matching(Path::new("elsewhere"), &absolute).unwrap(), [top.path().join("a/b")]);
        let here: Vec<_> = matching(Path::new(""), "Cargo.t?ml").unwrap();
        assert_eq!(here, [PathBuf::from("Cargo.toml")]);
        assert!(matching(Path::new(""), "").unwrap().is_empty());
        assert_eq!(matching(Path::new(""), "./src/matchin?.rs").unwrap(), [PathBuf::from("./src/matching.rs")]);
    }

    #[test]
    fn links_in_a_circle_end() {
        let top = tempfile::tempdir().unwrap();
        make(top.path(), &["a/b/c".into()]);
        std::os::unix::fs::symlink("..", top.path().join("a/b/up")).unwrap();
        assert_eq!(matching(top.path(), "**/c").unwrap(), [top.path().join("a/b/c")]);
        let linked = top.path().join("a/b/up/b/c");
        assert_eq!(matching(top.path(), "a/b/*/b/c").unwrap(), [linked], "a name may be a link's");
    }

    #[test]
    fn an_answer_has_the_stem_of_its_case() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a/1.in", "a/1.ans", "b/1.in", "b/1.ans", "b/2.in", "a/2.ans", "a/3.in", "c/1.in", "n/4.txt"] {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), "").unwrap();
        }
        let named = vec![(path("a/3.in"), path("a/1.ans")), (path("a/4.in"), path("n/4.txt"))];
        let answers = AnswerFiles { patterns: vec!["*/*.ans".to_owned()], folder: folder.path().to_owned(), named };
        let index = AnswerIndex::of(&answers);
        let of = |name: &str| index.answer_of(&path(name)).unwrap().map(Path::to_owned);
        assert_eq!(of("a/1.in"), Some(path("a/1.ans")));
        assert_eq!(of("b/1.in"), Some(path("b/1.ans")));
        assert_eq!(of("b/2.in"), Some(path("a/2.ans")), "the only one");
        assert_eq!(of("a/3.in"), Some(path("a/1.ans")), "named");
        assert_eq!(of("c/1.in"), None, "one of two");
        assert_eq!(of("a/4.in"), Some(path("n/4.txt")), "named");
        assert_eq!(of("b/4.in"), None, "named for another case");
        assert_eq!(answer_files(&answers).0.len(), 4);
    }

    #[test]
    fn a_case_without_an_answer_is_an_error_where_a_folder_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("a")).unwrap();
        std::fs::write(path("a/1.ans"), "").unwrap();
        // Not even root can read this.
        std::os::unix::fs::symlink("circle", path("circle")).unwrap();
        let patterns = ["circle/*.ans", "a/*.ans"].map(str::to_owned).to_vec();
        let index = AnswerIndex::of(&AnswerFiles { patterns, folder: folder.path().to_owned(), named: Vec::new() });
        assert_eq!(index.answer_of(&path("1.in")).unwrap(), Some(&*path("a/1.ans")));
        assert!(
            matches!(index.answer_of(&path("2.in")), Err(MatchError::Unreadable(unread, _)) if *unread == path("circle"))
        );
    }
}
