//! Landlock rulesets: which files a program may touch, and that its signals and sockets stay with the restricted.

use std::error::Error;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};

use crate::api::execution::Fault;
use crate::api::fault::{Context, is_shortage};
use crate::api::request::Visible;
use crate::confine::closed;

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
pub(crate) struct Reach<'a> {
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

impl Reach<'_> {
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
    let mut found = closed::below(shown.into_iter());
    found.retain(|path| !own.iter().any(|own| path.starts_with(own)));
    found
}

/// The ruleset, for the child to put on.
pub(crate) fn ruleset(reach: &Reach<'_>) -> Result<Option<OwnedFd>, Fault> {
    build(reach).map_err(kernels).context("making a landlock ruleset")
}

/// The kernel's error, if it was one: a helper can tell its judge nothing but its number.
fn kernels(error: AnyError) -> io::Error {
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

fn build(reach: &Reach<'_>) -> Result<Option<OwnedFd>, AnyError> {
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
        around(real.as_deref().unwrap_or(Path::new(path)), reach.hidden, reading, &mut rules)?;
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
        around(&visible.path, reach.hidden, access, &mut rules)?;
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
fn around(path: &Path, hidden: &[PathBuf], access: BitFlags<AccessFs>, rules: &mut Rules) -> Result<(), AnyError> {
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
            around(&entry.path(), hidden, access, rules)?;
        }
    }
    Ok(())
}
