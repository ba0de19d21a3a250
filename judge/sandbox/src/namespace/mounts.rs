//! The file system of a jail: a small read-only root, the system's folders, the paths that the request shows, and a
//! place for the working folder.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};

use crate::confine::landlock::{DEVICES, SYSTEM};
use crate::protocol::messages::RunSpec;
use crate::request::{Context, Fault};
use crate::scratch::ramdisk::set_attributes;

/// The parent of the working folder.
pub(crate) const WORK_PARENT: &str = "/judge";
/// The working folder, as programs know it.
pub(crate) const WORK_FOLDER: &str = "/judge/box";
/// Its name in [`WORK_PARENT`].
pub(crate) const WORK_FOLDER_NAME: &str = "box";
/// This file reveals kernel addresses of sockets, which depend on the sockets of earlier programs.
pub(crate) const SOCKET_ADDRESSES: &str = "/proc/self/net/unix";
/// Where the new root is assembled. Everything that is needed from there is open already.
const STAGE: &str = "/tmp";

/// A path of the host that a jail shows at the same place.
pub(crate) enum Source {
    Link {
        path: PathBuf,
        target: PathBuf,
    },
    /// `tree` is a detached copy of the host's mounts at this path.
    Tree {
        path: PathBuf,
        tree: OwnedFd,
        folder: bool,
    },
}

/// How paths are mounted: to read, to write, to write but not to execute, and devices.
const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | WRITABLE;
const WRITABLE: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
const DATA: u64 = libc::MOUNT_ATTR_NOEXEC | WRITABLE;
const DEVICE: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;

/// Copies the mounts of all paths that `spec` needs, before anything is mounted over them, and with the rights of the
/// helper's user. `executes_own`: the program may execute files that it wrote.
pub(crate) fn sources(spec: &RunSpec, executes_own: bool) -> Result<Vec<Source>, Fault> {
    let private = rustix::mount::MountPropagationFlags::PRIVATE | rustix::mount::MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).context("making mounts private")?;
    let mut found = Vec::new();
    for path in SYSTEM {
        add(&mut found, Path::new(path), READ_ONLY, false, |_| true)?;
    }
    for path in DEVICES {
        add(&mut found, Path::new(path), DEVICE, false, |_| true)?;
    }
    let is_visible = |real: &Path| spec.visible.iter().any(|visible| real.starts_with(&visible.path));
    let writable = if executes_own { WRITABLE } else { DATA };
    for visible in &spec.visible {
        let attributes = if visible.writable { writable } else { READ_ONLY };
        add(&mut found, &visible.path, attributes, visible.writable, is_visible)?;
    }
    let may_be_data = !executes_own && spec.visible.iter().any(|visible| visible.writable);
    add(&mut found, &spec.program, READ_ONLY, may_be_data, |real| real == spec.program || is_visible(real))?;
    Ok(found)
}

/// Adds `path` and the links on the way to it, so that the path works in the jail, too. Follows links as the host does.
/// A path that does not exist, or whose target `may` not be shown, is left out. So is one that is shown already, unless
/// it `differs` from the folder around it.
fn add(
    found: &mut Vec<Source>,
    path: &Path,
    attributes: u64,
    differs: bool,
    may: impl FnOnce(&Path) -> bool,
) -> Result<(), Fault> {
    let (mut path, mut left) = (PathBuf::from("/"), path.to_owned());
    // The kernel's own maximum.
    let mut links = 40;
    loop {
        let mut parts = left.components();
        match parts.next() {
            None => break,
            Some(Component::Normal(name)) => path.push(name),
            Some(Component::ParentDir) => drop(path.pop()),
            Some(_) => {}
        }
        let rest = parts.as_path().to_owned();
        left = match fs::read_link(&path) {
            Ok(_) if links == 0 => return Ok(()),
            Ok(target) => {
                links -= 1;
                if !shown(found, &path) {
                    found.push(Source::Link { path: path.clone(), target: target.clone() });
                }
                path = if target.is_absolute() { "/".into() } else { path.parent().unwrap_or(&path).to_owned() };
                target.join(rest)
            }
            Err(_) => rest,
        };
    }
    if !may(&path) || (shown(found, &path) && !differs) {
        return Ok(());
    }
    let Ok(metadata) = fs::symlink_metadata(&path) else { return Ok(()) };
    let tree = copy(&path, attributes).context(format!("copying the mount of {}", path.display()))?;
    found.push(Source::Tree { path, tree, folder: metadata.is_dir() });
    Ok(())
}

fn shown(found: &[Source], path: &Path) -> bool {
    found.iter().any(|source| match source {
        Source::Link { path: link, .. } => link == path,
        Source::Tree { path: tree, folder: true, .. } => path.starts_with(tree),
        Source::Tree { path: tree, .. } => tree == path,
    })
}

/// Makes the assembled folder this process's root, without what is hidden, and with the folder to start in.
pub(crate) fn build_root(sources: &[Source], spec: &RunSpec) -> Result<(), Fault> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("tmpfs", STAGE, "tmpfs", flags, c"size=1m,nr_inodes=4096,mode=0755")
        .context("mounting the jail's root")?;
    rustix::process::chdir(STAGE).context("entering the jail's root")?;
    for source in sources {
        place(source)?;
    }
    for path in &spec.hidden {
        hide(path)?;
    }
    if let Some(folder) = &spec.folder {
        // It is empty, unless something in it is visible.
        fs::create_dir_all(folder.strip_prefix("/").unwrap_or(folder)).context("making the folder to start in")?;
    }
    create_standard_entries()?;
    // In a user namespace the kernel allows this only while the host's `/proc` is visible.
    mount_proc();
    rustix::process::pivot_root(".", ".").context("changing the root")?;
    rustix::mount::unmount(".", UnmountFlags::DETACH).context("unmounting the host's files")?;
    rustix::process::chdir("/").context("entering the new root")?;
    set_attributes(CWD, c"/", READ_ONLY, 0).context("making the root read-only")
}

fn copy(path: &Path, attributes: u64) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let tree = rustix::mount::open_tree(CWD, path, flags)?;
    set_attributes(tree.as_fd(), c"", attributes, libc::AT_EMPTY_PATH | libc::AT_RECURSIVE)?;
    Ok(tree)
}

/// Mounts a source at its path below the current folder.
fn place(source: &Source) -> Result<(), Fault> {
    let (Source::Link { path, .. } | Source::Tree { path, .. }) = source;
    let what = || format!("making a mount point for {} in the jail", path.display());
    let below = path.strip_prefix("/").unwrap_or(path);
    if let Some(parent) = below.parent() {
        fs::create_dir_all(parent).context(what())?;
    }
    match source {
        Source::Link { target, .. } => exists_is_fine(std::os::unix::fs::symlink(target, below)).context(what()),
        Source::Tree { folder, tree, .. } => {
            if *folder {
                exists_is_fine(fs::create_dir(below)).context(what())?;
            } else if !below.exists() {
                fs::File::create(below).context(what())?;
            }
            rustix::mount::move_mount(tree, "", CWD, below, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
                .context(format!("showing {} in the jail", path.display()))
        }
    }
}

/// Mounts an empty folder over a visible one, below the current folder, or a closed file over a file.
fn hide(path: &Path) -> Result<(), Fault> {
    let below = path.strip_prefix("/").unwrap_or(path);
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let what = || format!("hiding {} in the jail", path.display());
    match fs::symlink_metadata(below) {
        Ok(found) if found.is_dir() => {
            rustix::mount::mount("tmpfs", below, "tmpfs", flags, c"size=4k,nr_inodes=1,mode=0555").context(what())
        }
        Ok(found) if found.is_file() => {
            // As no device works on this mount, nobody can open it.
            let tree = copy(Path::new("/dev/null"), READ_ONLY).context(what())?;
            match rustix::mount::move_mount(tree, "", CWD, below, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH) {
                // It is gone: some files exist for a moment only.
                Err(Errno::NOENT) => Ok(()),
                mounted => mounted.context(what()),
            }
        }
        _ => Ok(()),
    }
}

/// The folders and links that programs expect.
fn create_standard_entries() -> Result<(), Fault> {
    let what = "making the jail's standard folders";
    for folder in [WORK_PARENT, WORK_FOLDER, "/dev", "/proc", "/etc"] {
        // The current folder will become the root.
        exists_is_fine(fs::create_dir(&folder[1..])).context(what)?;
    }
    let links = [
        (WORK_FOLDER, "tmp"),
        (WORK_FOLDER, "dev/shm"),
        ("/proc/self/fd", "dev/fd"),
        ("/proc/self/fd/0", "dev/stdin"),
        ("/proc/self/fd/1", "dev/stdout"),
        ("/proc/self/fd/2", "dev/stderr"),
    ];
    for (target, link) in links {
        exists_is_fine(std::os::unix::fs::symlink(target, link)).context(what)?;
    }
    Ok(())
}

fn exists_is_fine(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })
}

/// Mounts the jail's own `/proc`, which shows only the program's own processes. The kernel refuses this where the
/// host's `/proc` is masked.
fn mount_proc() {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let mounted = rustix::mount::mount("proc", "proc", "proc", flags, c"subset=pid,hidepid=invisible");
    let _ = mounted.or_else(|_| rustix::mount::mount("proc", "proc", "proc", flags, c"hidepid=2"));
}

/// Hides the addresses of sockets, and makes `/proc` read-only. If it fails, which happens where the owner of the file
/// is not mapped, the tier has a gap.
pub(crate) fn seal_proc() {
    let _ = fs::set_permissions(SOCKET_ADDRESSES, fs::Permissions::from_mode(0o000));
    let _ = set_attributes(CWD, c"/proc", libc::MOUNT_ATTR_RDONLY, 0);
}

/// What a program can see of the host: the identities of the program and of the visible paths, and the hidden paths.
/// Runs with the same view share a jail or a ruleset.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct View {
    places: Vec<(PathBuf, bool, Option<FileIdentity>)>,
    hidden: Vec<PathBuf>,
    folder: Option<PathBuf>,
}

/// Device, inode, and time of the last change. If a file was replaced or made executable, its identity changes.
type FileIdentity = (u64, u64, i64, i64);

impl View {
    pub(crate) fn of(spec: &RunSpec) -> View {
        let identity = |path: &PathBuf| {
            let metadata = std::fs::metadata(path).ok()?;
            // The time of a folder changes with its entries, which are not part of the view.
            let changed = if metadata.is_dir() { (0, 0) } else { (metadata.ctime(), metadata.ctime_nsec()) };
            Some((metadata.dev(), metadata.ino(), changed.0, changed.1))
        };
        let program = (spec.program.clone(), false, identity(&spec.program));
        // If the program is in a visible path, it is examined only once.
        let others = spec.visible.iter().filter(|visible| visible.writable || visible.path != spec.program);
        let visible = others.map(|visible| (visible.path.clone(), visible.writable, identity(&visible.path)));
        let places = [program].into_iter().chain(visible).collect();
        View { places, hidden: spec.hidden.clone(), folder: spec.folder.clone() }
    }
}
