//! Puts files into a working folder before a run, and takes files out of it after the run.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use crate::request::{Context, Exchange, Fault, OutputFiles, OutputFilesError, WorkFile};
use crate::scratch::disk::open_folder;

/// The maximal depth of folders.
const MAX_DEPTH: usize = 32;

/// Puts the input files into an empty working folder.
pub(crate) fn put_input_files(exchange: &Exchange, folder: BorrowedFd<'_>) -> Result<(), Fault> {
    let owner = rustix::fs::fstat(folder).context("examining the working folder")?;
    let (uid, gid) = (Uid::from_raw(owner.st_uid), Gid::from_raw(owner.st_gid));
    let is_another = (uid, gid) != (geteuid(), getegid());
    for file in &exchange.input_files {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The helper's umask does not change these.
        let mode = if file.executable { 0o755 } else { 0o644 };
        let put = |path: &Path| -> io::Result<()> {
            let above: Vec<_> = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).collect();
            above.iter().rev().try_for_each(|above| make_writable(folder, above))?;
            let fd = File::from(rustix::fs::openat(folder, path, flags, Mode::from_raw_mode(mode))?);
            if is_another {
                rustix::fs::fchown(&fd, Some(uid), Some(gid))?;
            }
            (&fd).write_all(&file.bytes)
        };
        put(&file.path).context(format!("putting {} into the working folder", file.path.display()))?;
    }
    make_writable(folder, Path::new(&exchange.output_folder)).context("making a folder in the working folder")
}

/// Makes a folder that the program may write to, unless it exists.
fn make_writable(folder: BorrowedFd<'_>, path: &Path) -> rustix::io::Result<()> {
    match rustix::fs::mkdirat(folder, path, Mode::RWXU) {
        Err(Errno::EXIST) => return Ok(()),
        made => made?,
    }
    // Only the program's user can pass the working folder, but may not be the one that makes this folder.
    rustix::fs::chmodat(folder, path, Mode::from_raw_mode(0o777), AtFlags::empty())
}

/// Takes the output files, when all processes of the run are dead.
pub(crate) fn take_output_files(exchange: &Exchange, folder: BorrowedFd<'_>) -> OutputFiles {
    let owner = rustix::fs::fstat(folder).map_err(|error| OutputFilesError(error.to_string()))?.st_uid;
    take(exchange, folder, Some(owner))
}

impl Exchange {
    /// Puts the input files into an empty folder, for a program outside the sandbox.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn put_outside(&self, folder: &Path) -> Result<(), Fault> {
        let put = put_input_files(self, open_folder(CWD, folder).context("opening the folder of a program")?.as_fd());
        put.map_err(|fault| match fault {
            Fault::System { action, source } => {
                Fault::System { action: format!("{action} {}", folder.display()), source }
            }
            fault => fault,
        })
    }

    /// Takes the output files of a program outside the sandbox. Any user may own them.
    ///
    /// # Errors
    /// When there are too many, or one is not a file.
    pub fn take_outside(&self, folder: &Path) -> OutputFiles {
        take(self, open_folder(CWD, folder).map_err(|error| refusal(folder, error))?.as_fd(), None)
    }
}

fn take(exchange: &Exchange, folder: BorrowedFd<'_>, owner: Option<u32>) -> OutputFiles {
    let mut collector = Collector { exchange, owner, count: 0, bytes: 0, files: Vec::new() };
    let top = open_folder(folder, &exchange.output_folder)
        .map_err(|error| refusal(Path::new(&exchange.output_folder), error))?;
    collector.gather(&top, Path::new(""), 0)?;
    Ok(collector.files)
}

/// What was found so far.
struct Collector<'a> {
    exchange: &'a Exchange,
    /// The only possible owner of a file. `None`: anyone.
    owner: Option<u32>,
    count: u64,
    bytes: u64,
    files: Vec<WorkFile>,
}

impl Collector<'_> {
    fn gather(&mut self, folder: &OwnedFd, place: &Path, depth: usize) -> Result<(), OutputFilesError> {
        if depth > MAX_DEPTH {
            return Err(OutputFilesError(format!("folders are more than {MAX_DEPTH} deep")));
        }
        for entry in Dir::read_from(folder).map_err(|error| refusal(place, error))? {
            let entry = entry.map_err(|error| refusal(place, error))?;
            let name = entry.file_name();
            if name == c"." || name == c".." || !self.wants(place, OsStr::from_bytes(name.to_bytes())) {
                continue;
            }
            self.count += 1;
            if self.count > self.exchange.max_files {
                return Err(OutputFilesError(format!("there are more than {} files", self.exchange.max_files)));
            }
            let path = place.join(OsStr::from_bytes(name.to_bytes()));
            let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
            let stat = stat.map_err(|error| refusal(&path, error))?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => {
                    let inner = open_folder(folder.as_fd(), name).map_err(|error| refusal(&path, error))?;
                    self.gather(&inner, &path, depth + 1)?;
                }
                // A hard link may lead to a file that only the judge can read.
                FileType::RegularFile if self.owner.is_none_or(|owner| stat.st_uid == owner) => {
                    let bytes = self.read(folder, name).map_err(|error| refusal(&path, error))?;
                    self.files.push(WorkFile { path, bytes, executable: stat.st_mode & 0o100 != 0 });
                }
                _ => return Err(refusal(&path, "neither a folder nor a file of its own")),
            }
            if self.bytes > self.exchange.max_bytes {
                return Err(OutputFilesError(format!("the files are larger than {} bytes", self.exchange.max_bytes)));
            }
        }
        Ok(())
    }

    fn wants(&self, place: &Path, name: &OsStr) -> bool {
        let wanted = &self.exchange.output_names;
        wanted.is_empty() || !place.as_os_str().is_empty() || wanted.iter().any(|wanted| wanted == name)
    }

    /// Reads at most one byte more than allowed.
    fn read(&mut self, folder: &OwnedFd, name: &std::ffi::CStr) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(folder, name, flags, Mode::empty())?;
        let left = self.exchange.max_bytes.saturating_sub(self.bytes).saturating_add(1);
        let mut bytes = Vec::new();
        File::from(fd).take(left).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(bytes)
    }
}

fn refusal(path: &Path, reason: impl Display) -> OutputFilesError {
    OutputFilesError(format!("{}: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn given(path: &str, executable: bool) -> WorkFile {
        WorkFile { path: path.into(), bytes: b"source".to_vec(), executable }
    }

    fn exchange() -> Exchange {
        Exchange {
            input_files: vec![given("-a b\n.c", false), given("sub/folder/tool", true)],
            variables: vec!["HOME".into()],
            output_folder: "out".into(),
            output_names: Vec::new(),
            take_after_any_exit: false,
            max_files: 4,
            max_bytes: 10,
        }
    }

    /// The output after `make` has changed the folder.
    fn taken(make: impl FnOnce(&Path)) -> OutputFiles {
        let folder = tempfile::tempdir().unwrap();
        let fd: OwnedFd = File::open(folder.path()).unwrap().into();
        put_input_files(&exchange(), fd.as_fd()).unwrap();
        for (path, executable) in [("-a b\n.c", false), ("sub/folder/tool", true)] {
            let path = folder.path().join(path);
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!((std::fs::read(&path).unwrap(), mode & 0o111 != 0), (b"source".to_vec(), executable));
        }
        let sub = std::fs::metadata(folder.path().join("sub/folder")).unwrap().permissions().mode();
        assert_eq!(sub & 0o777, 0o777);
        make(&folder.path().join("out"));
        take_output_files(&exchange(), fd.as_fd())
    }

    fn refusal_of(make: impl FnOnce(&Path)) -> String {
        taken(make).unwrap_err().to_string()
    }

    #[test]
    fn all_files_that_were_made_are_taken() {
        assert_eq!(taken(|_| {}), Ok(Vec::new()));
        let made = taken(|out| {
            std::fs::create_dir_all(out.join("a/b")).unwrap();
            std::fs::write(out.join("a/b/c"), "0123456789").unwrap();
        });
        assert_eq!(made, Ok(vec![WorkFile { path: "a/b/c".into(), bytes: b"0123456789".to_vec(), executable: false }]));
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        for made in [
            refusal_of(|out| symlink("/etc/passwd", out.join("x")).unwrap()),
            refusal_of(|out| symlink("/etc", out.join("x")).unwrap()),
            refusal_of(|out| drop(UnixListener::bind(out.join("x")).unwrap())),
            refusal_of(|out| {
                rustix::fs::mknodat(rustix::fs::CWD, out.join("x"), FileType::Fifo, Mode::RUSR, 0).unwrap()
            }),
        ] {
            assert_eq!(made, "x: neither a folder nor a file of its own");
        }
        let replaced = refusal_of(|out| {
            std::fs::remove_dir(out).unwrap();
            symlink("/etc", out).unwrap();
        });
        assert!(replaced.starts_with("out: "), "{replaced}");
    }

    #[test]
    fn too_much_is_refused() {
        assert_eq!(
            refusal_of(|out| std::fs::write(out.join("x"), "01234567890").unwrap()),
            "the files are larger than 10 bytes"
        );
        let sparse = refusal_of(|out| File::create(out.join("x")).unwrap().set_len(1 << 40).unwrap());
        assert_eq!(sparse, "the files are larger than 10 bytes");
        let many = refusal_of(|out| (0..5).for_each(|name| std::fs::write(out.join(name.to_string()), "").unwrap()));
        assert_eq!(many, "there are more than 4 files");
        let deep = Exchange { max_files: 100, ..exchange() };
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("out").join("d/".repeat(40))).unwrap();
        let fd: OwnedFd = File::open(folder.path()).unwrap().into();
        assert_eq!(
            take_output_files(&deep, fd.as_fd()),
            Err(OutputFilesError("folders are more than 32 deep".to_owned()))
        );
    }
}
