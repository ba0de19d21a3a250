//! Opens packages in folders and zip archives.

use crate::error::ImportError;
use crate::files;
use std::fs::{File, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tempfile::TempDir;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

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
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let kind = path.metadata().map_err(|error| ImportError::unreadable(path, error))?;
        if kind.is_dir() {
            return Ok(Self { root: path.to_owned(), shown: path.to_owned(), _unpacked: None });
        }
        let unpacked = unpack(path)?;
        let (mut root, mut shown) = (unpacked.root.clone(), path.to_owned());
        let mut entries = files::entries(&root)?;
        entries.retain(|entry| files::name(entry) != BESIDE);
        if let [only] = &*entries
            && only.is_dir()
        {
            shown.push(files::name(only));
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
    /// The temporary folder of that.
    pub(super) folder: TempDir,
}

/// Unpacks an archive.
///
/// # Errors
/// Fails if it is not an archive, is damaged or encrypted, has too many files or bytes, or contains a link or a path
/// that leads out.
pub(super) fn unpack(path: &Path) -> Result<Unpacked, ImportError> {
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
        let target = root.join(inside(path, &name)?);
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
fn inside(archive: &Path, name: &str) -> Result<PathBuf, ImportError> {
    // Archives made on Windows may have backslashes as separators.
    let path = PathBuf::from(name.replace('\\', "/"));
    if files::stays_inside(&path) && !name.contains('\0') {
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
