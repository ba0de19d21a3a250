//! Opens packages in folders and zip archives, and reads their files.

use crate::{ImportError, Result};
use judge_run::matching::real;
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

/// Cargo's output folder.
pub(super) const BUILT: &str = "target";

/// Returns the entries of a folder, sorted by name, without hidden files and broken links. Empty if the folder does not
/// exist.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = all_entries(folder)?;
    paths.retain(|path| path.exists());
    Ok(paths)
}

/// Returns a line for each broken link below a folder of the package at `root`, sorted. Unreadable folders are ignored.
pub(super) fn broken_links(root: &Path, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for path in all_entries(folder).unwrap_or_default() {
        match path.read_link() {
            Ok(target) if !path.exists() => {
                let link = inside(root, &path);
                found.push(format!("{}: a link to {}, which is not there", link.display(), target.display()));
            }
            Ok(_) => {}
            Err(_) if path.is_dir() && name(&path) != BUILT => found.extend(broken_links(root, &path)),
            Err(_) => {}
        }
    }
    found
}

fn all_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unreadable = |error| ImportError::unreadable(folder, error);
    let mut paths = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns all files below a folder of the package at `root`, sorted.
///
/// # Errors
/// Fails if a file cannot be read, or if a link leads out of the package or to a folder.
pub(super) fn tree(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        check_link(root, &path)?;
        if path.is_dir() {
            found.extend(tree(root, &path)?);
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

/// Rejects files outside the package, and links to folders, because these can form a cycle.
pub(super) fn check_link(root: &Path, path: &Path) -> Result<()> {
    let unreadable = |error| ImportError::unreadable(path, error);
    let (root, target) = (root.canonicalize().map_err(unreadable)?, path.canonicalize().map_err(unreadable)?);
    if target.starts_with(&root) && (target.is_file() || !path.is_symlink()) {
        return Ok(());
    }
    let what = format!("a link to {}", target.display());
    Err(ImportError::bad(path, what, "a file, or a link to a file of the package"))
}

/// Returns whether a relative path stays below its folder.
pub(super) fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Returns the file name as text.
pub(super) fn name(path: &Path) -> String {
    // `.` has its name only as an absolute path.
    let whole = path.file_name().is_none().then(|| path.canonicalize().unwrap_or_default());
    whole.as_deref().unwrap_or(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns whether the file has one of these extensions.
pub(super) fn has_extension(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending))
}

/// Returns the folder's name as a valid id.
pub(super) fn id_of(root: &Path) -> String {
    let folder = real(root);
    to_id(&name(&folder))
}

/// Returns a name as a valid id.
pub(super) fn to_id(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(valid).collect()
}

/// Returns the path of a file relative to the package.
pub(super) fn inside(root: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_owned()
}

/// Replaces files by copies in a new temporary folder, where `change` changes their text. Returns this folder, and the
/// number of changed files.
pub(super) fn change<'a>(
    files: impl Iterator<Item = &'a mut PathBuf>,
    change: impl Fn(&[u8]) -> Vec<u8>,
) -> Result<(TempDir, usize)> {
    let prefix = judge_sandbox::sweepable_name("changed") + ".";
    let unwritten = |error| ImportError::unreadable(&std::env::temp_dir(), error);
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(unwritten)?;
    let mut count = 0;
    for file in files {
        let text = fs::read(&*file).map_err(|error| ImportError::unreadable(file, error))?;
        let changed = change(&text);
        if changed != text {
            let copy = folder.path().join(count.to_string());
            let copied = fs::copy(&*file, &copy).and_then(|_| fs::write(&copy, changed));
            copied.map_err(|error| ImportError::unreadable(file, error))?;
            *file = copy;
            count += 1;
        }
    }
    Ok((folder, count))
}

/// A folder that macOS adds to archives.
const BESIDE: &str = "__MACOSX";

/// An open package. Dropping it removes the unpacked files.
#[derive(Debug)]
pub struct Source {
    /// The folder of the package.
    pub root: PathBuf,
    shown: PathBuf,
    _unpacked: Option<Unpacked>,
}

impl Source {
    /// Opens a folder or unpacks a zip archive. If an archive contains a single folder, that folder is the package.
    ///
    /// # Errors
    /// Fails if the path is neither, or if the archive is damaged, too large, or contains unsafe entries.
    pub fn open(path: &Path) -> Result<Self> {
        let kind = path.metadata().map_err(|error| ImportError::unreadable(path, error))?;
        if kind.is_dir() {
            return Ok(Self { root: path.to_owned(), shown: path.to_owned(), _unpacked: None });
        }
        let unpacked = unpack(path)?;
        let (mut root, mut shown) = (unpacked.root.clone(), path.to_owned());
        let mut entries = entries(&root)?;
        entries.retain(|entry| name(entry) != BESIDE);
        if let [only] = &*entries
            && only.is_dir()
        {
            shown.push(name(only));
            root.clone_from(only);
        }
        Ok(Self { root, shown, _unpacked: Some(unpacked) })
    }

    /// Returns the error with paths as the user sees them: `package.zip/problem.yaml`.
    pub fn explain(&self, error: ImportError) -> ImportError {
        let shown = |path: &Path| match path.strip_prefix(&self.root) {
            Ok(inside) if inside.as_os_str().is_empty() => self.shown.clone(),
            Ok(inside) => self.shown.join(inside),
            Err(_) => path.to_owned(),
        };
        error.with_paths(shown)
    }
}

/// The magic numbers of a zip archive: of a first file, or of an empty archive.
const SIGNATURES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The maximum number of entries of an archive.
const MAX_ENTRIES: usize = 100_000;

/// The maximum total size of its files, in bytes.
const MAX_BYTES: u64 = 4 << 30;

/// An unpacked archive. Dropping it removes the files. If the judge is killed, a later judge removes them.
#[derive(Debug)]
pub(super) struct Unpacked {
    /// The folder of the files. It has the name of the archive.
    pub(super) root: PathBuf,
    /// The temporary folder that contains it.
    pub(super) folder: TempDir,
}

/// Unpacks an archive.
///
/// # Errors
/// Fails if it is not an archive, is damaged or encrypted, has too many files or bytes, or contains a link or a path
/// that leads out.
pub(super) fn unpack(path: &Path) -> Result<Unpacked> {
    let unreadable = |error| ImportError::unreadable(path, error);
    let no_package = || ImportError::bad(path, "it is no package", "a folder or a zip archive");
    // Opening a pipe would wait for its writer.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(no_package());
    }
    let mut file = File::open(path).map_err(unreadable)?;
    let mut begin = [0; 4];
    if file.read_exact(&mut begin).is_err() || !SIGNATURES.contains(&&begin[..]) {
        return Err(no_package());
    }
    let mut archive = ZipArchive::new(file).map_err(|error| damaged(path, error))?;
    if archive.len() > MAX_ENTRIES {
        let what = format!("the archive has {} files", archive.len());
        return Err(ImportError::bad(path, what, format!("at most {MAX_ENTRIES}")));
    }
    let prefix = judge_sandbox::sweepable_name("package") + ".";
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(unreadable)?;
    let root = folder.path().join(path.file_stem().unwrap_or_default());
    fs::create_dir(&root).map_err(unreadable)?;
    let mut left = MAX_BYTES;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| damaged(path, error))?;
        let name = entry.name().map_err(|error| damaged(path, error))?.into_owned();
        let target = root.join(entry_path(path, &name)?);
        let unwritten = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => {
                ImportError::bad(path, format!("another file is in the place of `{name}`"), "one file for each path")
            }
            _ => unreadable(error),
        };
        if entry.is_dir() {
            fs::create_dir_all(&target).map_err(unwritten)?;
            continue;
        }
        if entry.is_symlink() {
            return Err(ImportError::bad(path, format!("`{name}` is a link"), "files and folders alone"));
        }
        left = write(&mut entry, &target, left).map_err(unwritten)?.ok_or_else(|| {
            let most = MAX_BYTES >> 30;
            ImportError::bad(
                path,
                format!("its files have more than {most} GiB"),
                "less: unpack it, and give the folder",
            )
        })?;
    }
    Ok(Unpacked { root, folder })
}

/// Returns the path of an entry below the folder of its archive.
fn entry_path(archive: &Path, name: &str) -> Result<PathBuf> {
    // Archives made on Windows may have backslashes as separators.
    let path = PathBuf::from(name.replace('\\', "/"));
    if stays_inside(&path) && !name.contains('\0') {
        return Ok(path);
    }
    Err(ImportError::bad(archive, format!("`{name}` leads out of the archive"), "paths of files in it"))
}

/// Writes a file and returns the remaining number of bytes. `None` if the file is larger. The sizes stated in an
/// archive are not trusted.
fn write(entry: &mut ZipFile<'_, File>, target: &Path, left: u64) -> io::Result<Option<u64>> {
    target.parent().map_or(Ok(()), fs::create_dir_all)?;
    let is_program = entry.unix_mode().is_some_and(|mode| mode & 0o100 != 0);
    let mut file = File::create_new(target)?;
    let written = io::copy(&mut entry.take(left.saturating_add(1)), &mut file)?;
    file.set_permissions(Permissions::from_mode(if is_program { 0o755 } else { 0o644 }))?;
    Ok(left.checked_sub(written))
}

fn damaged(path: &Path, error: ZipError) -> ImportError {
    match error {
        ZipError::Io(error) => ImportError::unreadable(path, error),
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            ImportError::bad(path, "the archive is encrypted", "one without a password: unpack it, and give the folder")
        }
        other => ImportError::bad(path, format!("it cannot be unpacked: {other}"), "a zip archive"),
    }
}
