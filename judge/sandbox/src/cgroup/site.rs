//! Where on the machine this process can make control groups, and how processes join them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use libc::{c_int, c_long};

use serde::{Deserialize, Serialize};

use crate::names;
use crate::process::in_child;
use crate::procfs::{stat_of, text};

/// The interface of the memory controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Version {
    One,
    Two,
}

/// The folders in which groups can be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Site {
    pub(crate) version: Version,
    #[serde(with = "crate::os_data")]
    pub(crate) memory: PathBuf,
    #[serde(with = "crate::os_data")]
    pub(crate) pids: Option<PathBuf>,
    /// Where CPU time is counted: in a version 2 hierarchy, which needs no controller for it, or in `cpuacct`.
    #[serde(with = "crate::os_data")]
    pub(crate) cpu: Option<PathBuf>,
}

/// This process's place in one hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hierarchy {
    mount: PathBuf,
    own: PathBuf,
}

impl Site {
    /// The folders, without duplicates.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &Path> {
        let pids = self.pids.as_deref().filter(|pids| *pids != self.memory);
        let known = |cpu: &&Path| *cpu == self.memory || Some(*cpu) == self.pids.as_deref();
        let cpu = self.cpu.as_deref().filter(|cpu| !known(cpu));
        [Some(self.memory.as_path()), pids, cpu].into_iter().flatten()
    }

    /// Finds the folders by trying. The error says why no control group can be made.
    pub(crate) fn find() -> Result<Site, String> {
        let read = |file: &str| text(file).map_err(|error| format!("{file}: {error}"));
        let (mounts, own) = (read("/proc/self/mountinfo")?, read("/proc/self/cgroup")?);
        let unified = place(&mounts, &own, None);
        if let Some(place) = &unified
            && let Some(folder) = with_controllers(place)
        {
            let (pids, cpu) = (Some(folder.clone()), Some(folder.clone()));
            return Ok(Site { version: Version::Two, memory: folder, pids, cpu });
        }
        let Some(memory) = place(&mounts, &own, Some("memory")) else {
            return Err(match unified {
                None => "no control groups are mounted".to_owned(),
                Some(place) => format!("no group with memory and pids can be made at {}", place.own.display()),
            });
        };
        if !usable(&memory.own) {
            return Err(format!("{} is not writable", memory.own.display()));
        }
        let pids = place(&mounts, &own, Some("pids")).map(|place| place.own).filter(|own| usable(own));
        let accounts = [unified, place(&mounts, &own, Some("cpuacct"))].into_iter().flatten();
        let cpu = accounts.map(|place| place.own).find(|own| usable(own));
        Ok(Site { version: Version::One, memory: memory.own, pids, cpu })
    }
}

/// How many processes the kernel has killed for lack of memory in this process's group, which contains the programs of
/// tiers without groups of their own. `None` if the group does not count them. The place is read once.
pub(crate) fn kills_in_own_group() -> Option<u64> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let (mounts, own) = (text("/proc/self/mountinfo").ok()?, text("/proc/self/cgroup").ok()?);
        let file_in = |controller, name| File::open(place(&mounts, &own, controller)?.own.join(name)).ok();
        file_in(None, "memory.events").or_else(|| file_in(Some("memory"), "memory.oom_control"))
    };
    FILE.get_or_init(open).as_ref().map(|file| field(file, "oom_kill"))
}

/// This process's place in the version 1 hierarchy of `controller`, or in version 2.
fn place(mounts: &str, own: &str, controller: Option<&str>) -> Option<Hierarchy> {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let here = match controller {
            Some(controller) => controllers.split(',').any(|name| name == controller),
            None => controllers.is_empty(),
        };
        here.then_some(path)
    })?;
    mounts.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut kind = right.split(' ');
        let (system, options) = (kind.next()?, kind.nth(1)?);
        let matches = match controller {
            Some(controller) => system == "cgroup" && options.split(',').any(|option| option == controller),
            None => system == "cgroup2",
        };
        let mut fields = left.split(' ').skip(3);
        let (root, mount) = (fields.next()?, fields.next()?);
        let below = path.strip_prefix(root.trim_end_matches('/'))?;
        matches.then(|| Hierarchy { mount: mount.into(), own: join(mount, below) })
    })
}

fn join(mount: &str, below: &str) -> PathBuf {
    let below = below.trim_matches('/');
    if below.is_empty() { mount.into() } else { Path::new(mount).join(below) }
}

/// The leaf to which a judge moves itself and its shell, so that the group above can delegate its controllers.
const LEAF: &str = "judge";

/// The nearest folder, from this process's group upwards, that delegates memory and pids and lets this user make
/// groups.
fn with_controllers(place: &Hierarchy) -> Option<PathBuf> {
    for folder in place.own.ancestors().take_while(|folder| folder.starts_with(&place.mount)) {
        if delegates(folder) || (folder == place.own && !is_leaf(folder) && delegate(folder)) {
            return usable(folder).then(|| folder.to_owned());
        }
    }
    None
}

fn delegates(folder: &Path) -> bool {
    let control = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    ["memory", "pids"].iter().all(|wanted| control.split_whitespace().any(|name| name == *wanted))
}

/// Whether an earlier judge has moved the shell, and so this process, to the leaf. Then the group above is the one to
/// use.
fn is_leaf(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == LEAF) && folder.parent().is_some_and(delegates)
}

/// Lets this process's group delegate its controllers. Except for the root of the hierarchy, a group that does so must
/// contain no process. If only this process and its relatives are in the group, they move to a leaf.
fn delegate(folder: &Path) -> bool {
    let control = || fs::write(folder.join("cgroup.subtree_control"), "+memory +pids").is_ok() && delegates(folder);
    control() || (move_to_leaf(folder) && control())
}

fn move_to_leaf(folder: &Path) -> bool {
    let own = std::process::id().to_string();
    let alone = |text: &str| text.split_whitespace().all(|pid| pid == own || is_relative(pid));
    let Ok(members) = fs::read_to_string(folder.join("cgroup.procs")) else { return false };
    if !alone(&members) {
        return false;
    }
    let leaf = folder.join(LEAF);
    if !leaf.exists() && fs::create_dir(&leaf).is_err() {
        return false;
    }
    members.split_whitespace().all(|member| fs::write(leaf.join("cgroup.procs"), member).is_ok())
}

/// Whether `pid` is the parent of this process, such as `setpriv`, or a child, such as a helper.
fn is_relative(pid: &str) -> bool {
    let own = std::process::id();
    let parent = |pid: &str| -> Option<u32> { stat_of(pid)?.split(' ').nth(1)?.parse().ok() };
    parent(pid) == Some(own) || parent("self").is_some_and(|parent| parent.to_string() == pid)
}

/// Whether a group can be made here and joined.
fn usable(folder: &Path) -> bool {
    let trial = folder.join(names::unique("probe"));
    if fs::create_dir(&trial).is_err() {
        return false;
    }
    // Joining needs write permission here and, in version 2, in the nearest common ancestor. The judge tries it.
    let joined = can_be_joined(&trial);
    remove_all(&[trial]);
    joined
}

/// A way for processes to join a group.
///
/// A process that moves another one waits 5 to 15 ms, until every core has switched tasks. There is no wait when a
/// thread moves itself, or when a process is cloned into the group.
pub(crate) struct CgroupEntry {
    /// A process with one thread moves itself by writing to this file.
    file: File,
    /// Version 2: a process is cloned into this folder. Where that is not possible (before Linux 5.7, and in some
    /// containers), it moves itself.
    folder: Option<OwnedFd>,
}

impl CgroupEntry {
    /// Opens the way into the group `folder`.
    pub(crate) fn open(folder: &Path) -> io::Result<CgroupEntry> {
        let writable = |name| OpenOptions::new().write(true).open(folder.join(name));
        match writable("tasks") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = writable("cgroup.procs")?;
                Ok(CgroupEntry { file, folder: Some(File::open(folder)?.into()) })
            }
            tasks => Ok(CgroupEntry { file: tasks?, folder: None }),
        }
    }

    /// Moves this process, which has one thread, into the group. `is_cloned`: it was [cloned](clone_into) into the
    /// folder, if there is one.
    pub(crate) fn enter(&self, is_cloned: bool) -> io::Result<()> {
        if is_cloned && self.folder.is_some() { Ok(()) } else { (&self.file).write_all(b"0") }
    }

    /// The descriptor that [`CgroupEntry::enter`] needs.
    pub(crate) fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// The folder that a process can be cloned into.
    pub(crate) fn group(&self) -> Option<BorrowedFd<'_>> {
        self.folder.as_ref().map(AsFd::as_fd)
    }
}

/// Tries in a child whether a process can join the group `folder`.
pub(crate) fn can_be_joined(folder: &Path) -> bool {
    let Ok(entry) = CgroupEntry::open(folder) else { return false };
    if let Some(group) = entry.group() {
        // SAFETY: the child exits at once.
        match unsafe { clone_into(0, group) } {
            // SAFETY: this leaves without running the parent's destructors.
            Ok(None) => unsafe { libc::_exit(0) },
            Ok(Some((pid, _))) => {
                // SAFETY: the only pointer is null, and the child is this process's own.
                unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
                return true;
            }
            Err(_) => {}
        }
    }
    // SAFETY: the closure only makes system calls.
    unsafe { in_child(|| entry.enter(false).is_ok()) }
}

/// Clones this process into `group`, which is of version 2, as `fork` does. Returns the child's id and pidfd, or `None`
/// in the child.
///
/// # Safety
/// As for `fork`. The child must not return from the caller's frame.
pub(crate) unsafe fn clone_into(flags: c_int, group: BorrowedFd<'_>) -> io::Result<Option<(i32, OwnedFd)>> {
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    let mut pidfd: RawFd = -1;
    // SAFETY: all zeroes is a valid value.
    let mut wanted: libc::clone_args = unsafe { std::mem::zeroed() };
    wanted.flags = CLONE_INTO_CGROUP | u64::from((flags | libc::CLONE_PIDFD).cast_unsigned());
    wanted.pidfd = (&raw mut pidfd) as u64;
    wanted.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    wanted.cgroup = u64::from(group.as_raw_fd().cast_unsigned());
    // SAFETY: the structure and its size are valid during the call. The caller vouches for the child.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const wanted, size_of_val(&wanted)) };
    cloned(pid, pidfd)
}

/// The same without a group.
///
/// # Safety
/// As for [`clone_into`].
pub(crate) unsafe fn clone_beside(flags: c_int) -> io::Result<Option<(i32, OwnedFd)>> {
    let mut pidfd: RawFd = -1;
    let flags = flags | libc::CLONE_PIDFD | libc::SIGCHLD;
    // SAFETY: the place is valid during the call. The caller vouches for the child.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) };
    cloned(pid, pidfd)
}

fn cloned(pid: c_long, pidfd: RawFd) -> io::Result<Option<(i32, OwnedFd)>> {
    match pid {
        0 => Ok(None),
        1.. => {
            // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
            let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
            Ok(Some((i32::try_from(pid).map_err(io::Error::other)?, pidfd)))
        }
        _ => Err(io::Error::last_os_error()),
    }
}

/// Opens a file for reading and writing.
pub(crate) fn writable(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Writes to an existing file. `fs::write` would try to create a missing one, which is refused as a lack of permission.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}

/// Reads a small kernel file again.
fn contents<'a>(file: &File, buffer: &'a mut [u8; 1024]) -> &'a str {
    let length = file.read_at(buffer, 0).unwrap_or(0);
    std::str::from_utf8(&buffer[..length]).unwrap_or_default()
}

/// The number in a file; 0 for anything else.
pub(crate) fn number(file: &File) -> u64 {
    contents(file, &mut [0; 1024]).trim().parse().unwrap_or(0)
}

/// The number after `name` in a file with lines `NAME NUMBER`.
pub(crate) fn field(file: &File, name: &str) -> u64 {
    let mut buffer = [0; 1024];
    let line = contents(file, &mut buffer).lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// Removes groups whose last process is dead or dying.
pub(crate) fn remove_all(folders: &[PathBuf]) {
    for folder in folders {
        for _ in 0..50 {
            match std::fs::remove_dir(folder) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => break,
            }
        }
    }
}

/// Removes a group that another judge left, and kills what still runs in it.
pub(crate) fn kill_and_remove(folder: &Path) {
    // Version 1 has no such file. There the init of the jail dies with its helper, and all processes with it.
    let _ = fs::write(folder.join("cgroup.kill"), "1");
    remove_all(&[folder.to_owned()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
        35 31 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
        36 31 0:32 /outer /sys/fs/cgroup/pids rw,relatime shared:4 - cgroup cgroup rw,pids\n\
        37 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n\
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
    const OWN: &str = "8:pids:/outer/inner\n4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/\n";

    #[test]
    fn places_are_read_from_the_mount_table() {
        let own = |controller| place(MOUNTS, OWN, controller).map(|place| place.own);
        assert_eq!(own(Some("memory")), Some("/sys/fs/cgroup/memory/a/b".into()));
        assert_eq!(own(Some("pids")), Some("/sys/fs/cgroup/pids/inner".into()));
        assert_eq!(own(Some("cpuacct")), Some("/sys/fs/cgroup/cpu,cpuacct/c".into()));
        assert_eq!(own(None), Some("/sys/fs/cgroup/unified".into()));
        assert_eq!(own(Some("cpuset")), None);
    }
}
