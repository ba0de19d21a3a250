//! Landlock rulesets: which files a program may access. Programs can signal and connect to each other only.

use std::error::Error;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};

use crate::protocol::messages::RunSpec;
use crate::request::{Context, Fault, Visible, is_shortage};

/// The newest version that this file supports.
const NEWEST: ABI = ABI::V6;

/// The first version that confines signals.
pub(crate) const SCOPES_SIGNALS: i32 = 6;
/// The first version that controls truncation.
pub(crate) const KNOWS_TRUNCATION: i32 = 3;

/// The kernel's version of landlock; 0 for none.
pub(crate) fn version() -> i32 {
    // SAFETY: with this flag the call uses no pointer and creates nothing.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, 1) };
    i32::try_from(version).unwrap_or(0).max(0)
}

/// The system's files and folders that programs and their interpreters read. Missing ones are left out.
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
    // Node reads it at its start, and exits if it cannot.
    "/etc/ssl/openssl.cnf",
    "/etc/java-8-openjdk",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
    // The library paths of Pascal and Haskell compilers, and Mono's settings.
    "/etc/fpc.cfg",
    "/etc/fpc-3.2.0.cfg",
    "/etc/fpc-3.2.2.cfg",
    "/var/lib/ghc",
    "/etc/mono",
];

/// Devices that every program may use.
pub(crate) const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What a program may access.
pub(crate) struct FileAccess<'a> {
    /// The program has full access here, but see `executes_own`.
    pub(crate) folder: (BorrowedFd<'a>, &'a Path),
    pub(crate) spec: &'a RunSpec,
    /// Folders to exclude from visible ones. Only without namespaces: a jail does not contain them.
    pub(crate) hidden: &'a [PathBuf],
    /// In a jail, the whole root is readable. Otherwise the system's folders are listed one by one.
    pub(crate) whole_root: bool,
    /// Whether it may execute what it wrote.
    pub(crate) executes_own: bool,
}

impl FileAccess<'_> {
    /// Whether `path` neither contains nor is inside something that the program may write. Access to a folder includes
    /// all below it.
    fn is_foreign(&self, path: &Path) -> bool {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let path = real(path);
        let writable = self.spec.visible.iter().filter(|visible| visible.writable).map(|visible| &*visible.path);
        let mut own = writable.chain([self.folder.1]).map(real);
        own.all(|own| !own.starts_with(&path) && !path.starts_with(&own))
    }
}

/// The paths that file modes close to others in the folders that a ruleset without namespaces shows, by real paths. No
/// path is excluded from a folder that the program may write, as it could then make no files there. Finding them takes
/// long, and ends early if `is_cancelled`.
pub(crate) fn closed(visible: &[Visible], is_cancelled: &dyn Fn() -> bool) -> Result<Vec<PathBuf>, Fault> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let of =
        |writable| visible.iter().filter(move |visible| visible.writable == writable).map(|visible| &*visible.path);
    let own: Vec<PathBuf> = of(true).filter_map(real).collect();
    let mut shown: Vec<PathBuf> = SYSTEM.iter().map(Path::new).chain(of(false)).filter_map(real).collect();
    // Each after its ancestors.
    shown.sort();
    shown.dedup_by(|later, earlier| later.starts_with(earlier));
    let mut found = below(shown.into_iter(), is_cancelled)?;
    found.retain(|path| !own.iter().any(|own| path.starts_with(own)));
    Ok(found)
}

/// Makes the ruleset, which the child applies to itself.
pub(crate) fn ruleset(reach: &FileAccess<'_>) -> Result<Option<OwnedFd>, Fault> {
    build(reach).map_err(kernel_error).context("making a landlock ruleset")
}

/// The kernel's error number, if there is one. A helper can report only that to its judge.
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
    // Access to the whole root.
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
        // By the real path, as hidden paths are below that. Where nothing is hidden, the system's own links can stay.
        let real = if reach.hidden.is_empty() { None } else { std::fs::canonicalize(path).ok() };
        grant_except_hidden(real.as_deref().unwrap_or(Path::new(path)), reach.hidden, reading, &mut rules)?;
    }
    rules.grant(&reach.spec.program, AccessFs::Execute | AccessFs::ReadFile)?;
    for &device in DEVICES {
        // Shared mappings of zeroes use memory that no file shows.
        let writing = if device == "/dev/zero" { BitFlags::EMPTY } else { AccessFs::WriteFile | AccessFs::Truncate };
        rules.grant(Path::new(device), writing | AccessFs::ReadFile)?;
    }
    for visible in &reach.spec.visible {
        let access = match visible.writable {
            true => owning,
            false if reach.executes_own || reach.is_foreign(&visible.path) => reading,
            false => looking,
        };
        grant_except_hidden(&visible.path, reach.hidden, access, &mut rules)?;
    }
    Ok(rules.set.into())
}

/// A ruleset that is being built.
struct Rules {
    set: RulesetCreated,
    /// Access that is granted everywhere.
    everywhere: BitFlags<AccessFs>,
}

impl Rules {
    fn grant(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), AnyError> {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
        // Applying a ruleset copies every rule, so redundant ones are left out.
        if self.everywhere.contains(access) {
            return Ok(());
        }
        // The system's own links lead to its own folders. Other links may have been made by an earlier run.
        let follow = if SYSTEM.iter().any(|system| path == Path::new(system)) {
            ResolveFlags::empty()
        } else {
            ResolveFlags::NO_SYMLINKS
        };
        let fd = match rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), follow) {
            Ok(fd) => fd,
            Err(error) if is_shortage(error.raw_os_error()) => return Err(io::Error::from(error).into()),
            // Missing paths, and links.
            Err(_) => return Ok(()),
        };
        let is_file = rustix::fs::fstat(&fd)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::Directory);
        let access = if is_file { access & AccessFs::from_file(NEWEST) } else { access };
        (&mut self.set).add_rule(PathBeneath::new(fd.as_fd(), access))?;
        Ok(())
    }
}

/// Grants access to `path` except for what is hidden below it. A rule includes everything below a folder. So the
/// folders on the way to a hidden one are granted entry by entry, and can only be listed themselves.
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
        // The target of a link may be elsewhere.
        if !entry.file_type()?.is_symlink() {
            grant_except_hidden(&entry.path(), hidden, access, rules)?;
        }
    }
    Ok(())
}

/// Folders that others may not enter and files that they may not read, by their real paths, below `roots` but not
/// `roots` themselves. Ends early if `is_cancelled`.
pub(crate) fn below(
    roots: impl Iterator<Item = PathBuf>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = roots.collect();
    while let Some(folder) = folders.pop() {
        if is_cancelled() {
            return Err(Fault::Cancelled);
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // If it cannot be read, it is gone. The target of a link has its own mode.
            let Some(meta) = entry.metadata().ok().filter(|meta| !meta.is_symlink()) else { continue };
            let needed = if meta.is_dir() { 0o001 } else { 0o004 };
            if meta.mode() & needed == 0 {
                found.push(entry.path());
            } else if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(found)
}

/// Whether some user may not pass `path` or a folder above it.
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
        assert!(matches!(below([root.clone()].into_iter(), &|| true), Err(Fault::Cancelled)));
        let mut found = below([root.clone()].into_iter(), &|| false).unwrap();
        found.sort();
        assert_eq!(found, ["open/closed", "open/group", "private"].map(|name| root.join(name)));
        assert!(is_closed_to_others(&root.join("open/public")) && !is_closed_to_others(Path::new("/usr/bin")));
    }
}
