//! File systems in memory for working folders, and this process's own view of mounts.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use std::{fs, io};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::CapabilitySet;
use rustix::time::{ClockId, clock_gettime};

use crate::confine::identity;
use crate::process::in_child;
use crate::protocol::FilterBypass;
use crate::request::{Context, Fault};
use crate::scratch::disk::open_folder;

/// The maximal number of files and folders.
const MAX_ENTRIES: u64 = 16384;
/// Kernel memory for one of them, without its content.
const ENTRY_BYTES: u64 = 1024;
/// Unmounting waits for every core of the machine. For runs much shorter than this, that would be noticeable.
const SHORT_RUN: Duration = Duration::from_millis(5);

/// A small file system in memory. Each run gets a new one, which reveals nothing about the run before, neither by its
/// content nor by times and numbers. It is kept after a run that has certainly not touched it.
pub(crate) struct Ramdisk {
    place: &'static str,
    owner: u32,
    executes: bool,
    pub(crate) size: u64,
    /// Opens the filter of this process, if it has one.
    pub(crate) bypass: Option<FilterBypass>,
    root: OwnedFd,
    /// When it was last changed before a program had it.
    fresh: Time,
    /// Whether each change gets a distinct time, even if changes follow quickly.
    pub(crate) has_distinct_times: bool,
    /// The next program gets it one tick later. Otherwise the next run, if it is equally short, would be just as
    /// uncertain.
    must_age: bool,
    /// When a program first had it, by the clock for file times.
    used_since: Option<Time>,
}

const MOUNTING: &str = "mounting the working folder";

/// Seconds and nanoseconds.
type Time = (i64, i64);

/// When the folder was last changed. A file that never had a name would not change it, but the filter refuses such
/// files.
fn last_change(root: BorrowedFd<'_>) -> rustix::io::Result<Time> {
    let stat = rustix::fs::fstat(root)?;
    Ok((stat.st_ctime, i64::try_from(stat.st_ctime_nsec).unwrap_or_default()))
}

impl Ramdisk {
    /// Mounts a file system at `place`, for the user `owner`. `executes`: files in it may be executed.
    pub(crate) fn mount(place: &'static str, owner: u32, executes: bool, size: u64) -> Result<Ramdisk, Fault> {
        let root = mount_tmpfs(place, owner, executes, size, None).context(MOUNTING)?;
        let has_distinct_times = tells_changes_apart(root.as_fd());
        let fresh = last_change(root.as_fd()).context(MOUNTING)?;
        let (bypass, must_age, used_since) = (None, false, None);
        Ok(Ramdisk { place, owner, executes, size, bypass, root, fresh, has_distinct_times, must_age, used_since })
    }

    /// The root folder.
    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// To be called before a program can change it.
    pub(crate) fn mark_used(&mut self) {
        while self.must_age && stamp_clock() <= self.fresh {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.used_since = Some(stamp_clock());
    }

    /// Checks whether a program has certainly not touched it; then it is clean. `run`: how long the program ran, if it
    /// had the filter and none of its tasks was killed. A killed task could have been making a file, which has no name
    /// yet but uses a number.
    pub(crate) fn note_run(&mut self, run: Option<Duration>) {
        let Some(used_since) = self.used_since else { return };
        // Unless changes have distinct times, a change in the same tick as the last one would not show.
        let is_unchanged = || last_change(self.root()).is_ok_and(|look| look == self.fresh);
        let Some(run) = run.filter(|_| is_unchanged()) else { return self.must_age = false };
        let would_show = self.has_distinct_times || used_since > self.fresh;
        self.must_age = run < SHORT_RUN && !would_show;
        if would_show {
            self.used_since = None;
        }
    }

    /// Whether it is unused, or certainly untouched.
    pub(crate) fn is_clean(&self) -> bool {
        self.used_since.is_none()
    }

    /// Makes sure that it is clean, and of this size.
    pub(crate) fn renew(&mut self, size: u64) -> Result<(), Fault> {
        if self.is_clean() && size == self.size {
            return Ok(());
        }
        self.unmount().context("removing the working folder")?;
        self.root = mount_tmpfs(self.place, self.owner, self.executes, size, self.bypass).context(MOUNTING)?;
        self.fresh = last_change(self.root()).context(MOUNTING)?;
        // A program that needs another size has not run in it yet. Only later runs would gain from waiting.
        self.must_age &= size == self.size;
        (self.size, self.used_since) = (size, None);
        Ok(())
    }

    /// Detaches it, so that nothing of it can be reached.
    pub(crate) fn unmount(&self) -> io::Result<()> {
        let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
        let (place, bypass) = (CString::new(self.place)?, FilterBypass::argument(self.bypass));
        // SAFETY: the path is valid during the call.
        done(unsafe { libc::syscall(libc::SYS_umount2, place.as_ptr(), flags.bits(), 0, 0, 0, bypass) })
    }
}

/// The time that a change would get now.
fn stamp_clock() -> Time {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

/// Tries whether every change gets a new time if the last one was read, as since Linux 6.13. Otherwise all changes in
/// one tick have the same time.
fn tells_changes_apart(root: BorrowedFd<'_>) -> bool {
    let change = || {
        rustix::fs::fchmod(root, Mode::RWXU)?;
        last_change(root)
    };
    let differ = || {
        let began = stamp_clock();
        let times = [change()?, change()?, change()?];
        // If a tick passed meanwhile, this proves nothing.
        rustix::io::Result::Ok(times.is_sorted_by(|time, next| time < next) && stamp_clock() == began)
    };
    (0..3).any(|_| differ().unwrap_or(false))
}

/// Mounts a file system, and returns its root folder.
fn mount_tmpfs(
    place: &str,
    owner: u32,
    executes: bool,
    size: u64,
    bypass: Option<FilterBypass>,
) -> io::Result<OwnedFd> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOATIME;
    let flags = if executes { flags } else { flags | MountFlags::NOEXEC };
    // Size 0 would mean no limit.
    let bytes = size.max(4096);
    let options = CString::new(format!("size={bytes},nr_inodes={MAX_ENTRIES},mode=0700,uid={owner},gid={owner}"))?;
    let (kind, path, flags) = (c"tmpfs".as_ptr(), CString::new(place)?, u64::from(flags.bits()));
    let bypass = FilterBypass::argument(bypass);
    // SAFETY: the strings are valid during the call.
    done(unsafe { libc::syscall(libc::SYS_mount, kind, path.as_ptr(), kind, flags, options.as_ptr(), bypass) })?;
    Ok(open_folder(CWD, place)?)
}

fn done(answer: libc::c_long) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The place of a file system, visible from any namespace.
pub(crate) struct Mountpoint {
    parent: OwnedFd,
    name: &'static str,
}

impl Mountpoint {
    /// The entry `name` of `parent`.
    pub(crate) fn new(parent: OwnedFd, name: &'static str) -> Mountpoint {
        Mountpoint { parent, name }
    }

    /// Bytes of memory that the file system there now holds.
    pub(crate) fn bytes(&self) -> u64 {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root = rustix::fs::openat(&self.parent, self.name, flags, Mode::empty());
        let Ok(stat) = root.and_then(rustix::fs::fstatfs) else { return 0 };
        let used = |all: u64, free: u64| all.saturating_sub(free);
        let pages = used(stat.f_blocks, stat.f_bfree).saturating_mul(stat.f_bsize.unsigned_abs());
        // The root folder exists from the start.
        pages + used(stat.f_files, stat.f_ffree).saturating_sub(1).saturating_mul(ENTRY_BYTES)
    }
}

/// Gives this process, which has one thread, its own mounts: as root, or as the only user of a user namespace. After an
/// error the process is in an undefined state, so try this in a child first.
pub(crate) fn enter() -> io::Result<()> {
    if identity::has(CapabilitySet::SYS_ADMIN) {
        unshare(libc::CLONE_NEWNS)?;
    } else {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)?;
        // These files belong to the user only while the process is dumpable.
        set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    // Unmounts on the host take effect here, and mounts here do not take effect there.
    let one_way = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", one_way)?;
    // If it fails, the tier has a gap.
    let _ = ignore_readings();
    Ok(())
}

/// Whether programs leave no access times in files, in this user's own mounts. Tried in a child. In a user namespace,
/// an ordinary user may not change how times are kept.
pub(crate) fn can_ignore_readings() -> bool {
    // SAFETY: the closure allocates and makes system calls.
    unsafe { in_child(|| enter().is_ok() && ignore_readings().is_ok()) }
}

fn ignore_readings() -> io::Result<()> {
    set_attributes(CWD, c"/", libc::MOUNT_ATTR_NOATIME, libc::AT_RECURSIVE)
}

/// `mount_setattr`, adding `attributes`.
pub(crate) fn set_attributes(at: BorrowedFd<'_>, path: &CStr, attributes: u64, flags: i32) -> io::Result<()> {
    // The mode of access times is one choice of several.
    let cleared = if attributes & libc::MOUNT_ATTR__ATIME == 0 { 0 } else { libc::MOUNT_ATTR__ATIME };
    let change = libc::mount_attr { attr_set: attributes, attr_clr: cleared, propagation: 0, userns_fd: 0 };
    // SAFETY: the path and the structure, whose size is passed, are valid during the call.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at.as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    done(answer)
}

fn unshare(what: libc::c_int) -> io::Result<()> {
    // SAFETY: a system call without pointers.
    done(unsafe { libc::unshare(what) }.into())
}
