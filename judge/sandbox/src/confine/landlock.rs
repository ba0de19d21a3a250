//! Landlock rulesets: which files a program may touch, and that its signals and sockets stay with the restricted.

use std::error::Error;
use std::fs::DirEntry;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};

use crate::request::{Context, Fault, Visible, is_shortage};

/// The newest version that this file knows how to use.
const NEWEST: ABI = ABI::V6;

/// The version from which on signals stay among the restricted.
pub(crate) const SCOPES_SIGNALS: i32 = 6;
/// The version from which on files cannot be emptied either.
pub(crate) const KNOWS_TRUNCATION: i32 = 3;

/// The kernel's version of landlock; 0 for none.
pub(crate) fn version() -> i32 {
    // SAFETY: with this flag the call takes no pointer and makes nothing.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, 1) };
    i32::try_from(version).unwrap_or(0).max(0)
}

/// Folders and files of the system that programs and their interpreters read. Those that are not there are left out.
pub(crate) const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    // Node reads it at its start, and ends if it may not.
    "/etc/ssl/openssl.cnf",
    "/etc/java-8-openjdk",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
    // Where the compilers of Pascal and Haskell find their libraries, and Mono its own settings.
    "/etc/fpc.cfg",
    "/etc/fpc-3.2.0.cfg",
    "/etc/fpc-3.2.2.cfg",
    "/var/lib/ghc",
    "/etc/mono",
];

/// Devices that every program may use.
pub(crate) const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What a program may touch.
pub(crate) struct FileAccess<'a> {
    /// It may do what it likes in here, but for `executes_own`.
    pub(crate) folder: (BorrowedFd<'a>, &'a Path),
    pub(crate) program: &'a Path,
    pub(crate) visible: &'a [Visible],
    /// Folders to leave out of the visible ones, without namespaces; with them, they are not there.
    pub(crate) hidden: &'a [PathBuf],
    /// Without namespaces: the system's folders one by one. With them, the whole of the small world that they show.
    pub(crate) whole_root: bool,
    /// Whether it may execute what it wrote itself.
    pub(crate) executes_own: bool,
}

impl FileAccess<'_> {
    /// Whether nothing that the program may write is in `path`, or around it: what a folder allows holds for all below.
    fn is_foreign(&self, path: &Path) -> bool {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let path = real(path);
        let writable = self.visible.iter().filter(|visible| visible.writable).map(|visible| &*visible.path);
        let mut own = writable.chain([self.folder.1]).map(real);
        own.all(|own| !own.starts_with(&path) && !path.starts_with(&own))
    }
}

/// What modes close to others in the folders that a ruleset without namespaces shows, by real paths. In a folder that the
/// program may write to nothing is left out: it could make no files there.
pub(crate) fn closed(visible: &[Visible]) -> Vec<PathBuf> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let of =
        |writable| visible.iter().filter(move |visible| visible.writable == writable).map(|visible| &*visible.path);
    let own: Vec<PathBuf> = of(true).filter_map(real).collect();
    let mut shown: Vec<PathBuf> = SYSTEM.iter().map(Path::new).chain(of(false)).filter_map(real).collect();
    // Each after the one that it is below.
    shown.sort();
    shown.dedup_by(|later, earlier| later.starts_with(earlier));
    let mut found = below(shown.into_iter());
    found.retain(|path| !own.iter().any(|own| path.starts_with(own)));
    found
}

/// The ruleset, for the child to put on.
pub(crate) fn ruleset(reach: &FileAccess<'_>) -> Result<Option<OwnedFd>, Fault> {
    build(reach).map_err(kernel_error).context("making a landlock ruleset")
}

/// The kernel's error, if it was one: a helper can tell its judge nothing but its number.
fn kernel_error(error: AnyError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&*error);
    while let Some(error) = cause {
        if let Some(errno) = error.downcast_ref().and_then(io::Error::raw_os_error) {
            return io::Error::from_raw_os_error(errno);
        }
        cause = error.source();
    }
    io::Error::other(error)
}

type AnyError = Box<dyn Error + Send + Sync>;

fn build(reach: &FileAccess<'_>) -> Result<Option<OwnedFd>, AnyError> {
    let everything = AccessFs::from_all(NEWEST);
    let reading = AccessFs::from_read(NEWEST);
    let looking = reading & !AccessFs::Execute;
    let owning = if reach.executes_own { everything } else { everything & !AccessFs::Execute };
    let mut set = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(reach.folder.0, owning))?;
    // What the whole of the small world allows.
    let everywhere = match reach.whole_root {
        true if reach.executes_own => reading,
        true => looking,
        false => BitFlags::EMPTY,
    };
    if reach.whole_root {
        (&mut set).add_rule(PathBeneath::new(PathFd::new("/")?, everywhere))?;
    }
    let mut rules = Rules { set, everywhere };
    for path in SYSTEM {
        // By the real path: what is hidden lies below that. The system's own links are as they are where nothing is hidden.
        let real = if reach.hidden.is_empty() { None } else { std::fs::canonicalize(path).ok() };
        grant_except_hidden(real.as_deref().unwrap_or(Path::new(path)), reach.hidden, reading, &mut rules)?;
    }
    rules.grant(reach.program, AccessFs::Execute | AccessFs::ReadFile)?;
    for &device in DEVICES {
        // Shared mappings of zeroes are memory, and need no file to be seen in.
        let writing = if device == "/dev/zero" { BitFlags::EMPTY } else { AccessFs::WriteFile | AccessFs::Truncate };
        rules.grant(Path::new(device), writing | AccessFs::ReadFile)?;
    }
    for visible in reach.visible {
        let access = match visible.writable {
            true => owning,
            false if reach.executes_own || reach.is_foreign(&visible.path) => reading,
            false => looking,
        };
        grant_except_hidden(&visible.path, reach.hidden, access, &mut rules)?;
    }
    Ok(rules.set.into())
}

/// Rules in the making.
struct Rules {
    set: RulesetCreated,
    /// What is granted everywhere.
    everywhere: BitFlags<AccessFs>,
}

impl Rules {
    fn grant(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), AnyError> {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
        // Each program that puts the rules on gets a copy of each.
        if self.everywhere.contains(access) {
            return Ok(());
        }
        // The system's own links lead to its own folders; others may have been put there by an earlier run.
        let follow = if SYSTEM.iter().any(|system| path == Path::new(system)) {
            ResolveFlags::empty()
        } else {
            ResolveFlags::NO_SYMLINKS
        };
        let fd = match rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), follow) {
            Ok(fd) => fd,
            Err(error) if is_shortage(error.raw_os_error()) => return Err(io::Error::from(error).into()),
            // What this machine does not have, and links.
            Err(_) => return Ok(()),
        };
        let is_file = rustix::fs::fstat(&fd)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::Directory);
        let access = if is_file { access & AccessFs::from_file(NEWEST) } else { access };
        (&mut self.set).add_rule(PathBeneath::new(fd.as_fd(), access))?;
        Ok(())
    }
}

/// Grants `path` but for what is hidden below it. A rule holds for all that is below a folder, and so the folders on
/// the way to a hidden one are granted piece by piece; in themselves they can be listed, and nothing else.
fn grant_except_hidden(
    path: &Path,
    hidden: &[PathBuf],
    access: BitFlags<AccessFs>,
    rules: &mut Rules,
) -> Result<(), AnyError> {
    if hidden.iter().any(|hidden| path.starts_with(hidden)) {
        return Ok(());
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return rules.grant(path, access);
    }
    rules.grant(path, AccessFs::ReadDir.into())?;
    for entry in std::fs::read_dir(path).into_iter().flatten() {
        let entry = entry?;
        // What a link leads to may be elsewhere.
        if !entry.file_type()?.is_symlink() {
            grant_except_hidden(&entry.path(), hidden, access, rules)?;
        }
    }
    Ok(())
}

//# What modes close to other users, in folders that a program sees: for one that comes past modes, the ruleset has to.

/// Folders that others may not enter and files that they may not read, below `roots` and not these themselves, by their
/// real paths.
pub(crate) fn below(roots: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = roots.collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match state(&entry) {
                State::Closed => found.push(entry.path()),
                State::OpenFolder => folders.push(entry.path()),
                State::Open => {}
            }
        }
    }
    found
}

enum State {
    Closed,
    OpenFolder,
    Open,
}

fn state(entry: &DirEntry) -> State {
    // Gone, if it cannot be looked at; what a link leads to has a mode and a place of its own.
    let Ok(meta) = entry.metadata() else { return State::Open };
    let (is_folder, is_link) = (meta.is_dir(), meta.is_symlink());
    let needed = if is_folder { 0o001 } else { 0o004 };
    match meta.mode() & needed != 0 {
        _ if is_link => State::Open,
        false => State::Closed,
        true if is_folder => State::OpenFolder,
        true => State::Open,
    }
}

/// Whether a folder on the way to `path`, or this folder itself, may not be passed by every user.
pub(crate) fn is_closed_to_others(path: &Path) -> bool {
    let closed = |path: &Path| {
        path.ancestors()
            .filter_map(|folder| folder.metadata().ok())
            .any(|meta| meta.is_dir() && meta.mode() & 0o001 == 0)
    };
    closed(path) || path.canonicalize().is_ok_and(|real| closed(&real))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn closed_files_and_folders_are_found_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::set_permissions(&root, Permissions::from_mode(0o700)).unwrap();
        fs::create_dir_all(root.join("open/closed/deep")).unwrap();
        for (name, mode) in [("private", 0o600), ("open/public", 0o644), ("open/group", 0o640)] {
            fs::write(root.join(name), "x").unwrap();
            fs::set_permissions(root.join(name), Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(root.join("open"), Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(root.join("open/closed"), Permissions::from_mode(0o750)).unwrap();
        symlink("private", root.join("link")).unwrap();
        let mut found = below([root.clone()].into_iter());
        found.sort();
        assert_eq!(found, ["open/closed", "open/group", "private"].map(|name| root.join(name)));
        assert!(is_closed_to_others(&root.join("open/public")) && !is_closed_to_others(Path::new("/usr/bin")));
    }
}
