//! A file system in memory, small and empty: what a working folder is wherever one can be mounted.

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

/// Files and folders in it, at most.
const MAX_ENTRIES: u64 = 16384;
/// The kernel's memory for one of them, beside its contents.
const ENTRY_BYTES: u64 = 1024;
/// To unmount one waits for every core of the machine, which a run much shorter than this would be measurably longer
/// for.
const BRIEF: Duration = Duration::from_millis(5);

/// A mounted one. A run gets another than the run before, which tells nothing of that, neither by what is in it nor by
/// its times and numbers. After a run that has certainly left it alone it is kept.
pub(crate) struct Ramdisk {
    place: &'static str,
    owner: u32,
    executes: bool,
    size: u64,
    /// Opens the filter of this process, if it has one on.
    bypass: Option<FilterBypass>,
    root: OwnedFd,
    /// When it was last changed before a program had it.
    fresh: Time,
    /// Whether each change has a time of its own, however soon it follows another.
    has_distinct_times: bool,
    /// The next program gets it a tick of that clock later. Else a run as brief as the last would leave the same doubt, and
    /// so need another one, and so on.
    must_age: bool,
    /// When a program first had it, by the clock that files are stamped with.
    used_since: Option<Time>,
}

/// Seconds and nanoseconds, as files are stamped with them.
type Time = (i64, i64);

/// When anything was last done in a folder. Only a file that never had a name would not show: the filter refuses those.
fn last_change(root: BorrowedFd<'_>) -> rustix::io::Result<Time> {
    let stat = rustix::fs::fstat(root)?;
    Ok((stat.st_ctime, stat.st_ctime_nsec as i64))
}

impl Ramdisk {
    /// Mounts one at `place`, for the user `owner`. `executes`: whether files in it may be executed.
    pub(crate) fn mount(place: &'static str, owner: u32, executes: bool, size: u64) -> Result<Ramdisk, Fault> {
        Ramdisk::mount_with(None, place, owner, executes, size, None)
    }

    /// From now on this process has a filter on, which `bypass` opens.
    pub(crate) fn set_bypass(&mut self, bypass: Option<FilterBypass>) {
        self.bypass = bypass;
    }

    fn mount_with(
        bypass: Option<FilterBypass>,
        place: &'static str,
        owner: u32,
        executes: bool,
        size: u64,
        has_distinct_times: Option<bool>,
    ) -> Result<Ramdisk, Fault> {
        let what = "mounting the working folder";
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOATIME;
        let flags = if executes { flags } else { flags | MountFlags::NOEXEC };
        // Of size 0 it would have no limit.
        let bytes = size.max(4096);
        let options = format!("size={bytes},nr_inodes={MAX_ENTRIES},mode=0700,uid={owner},gid={owner}");
        let options = CString::new(options).map_err(io::Error::from).context(what)?;
        mount_tmpfs(place, flags, &options, bypass).context(what)?;
        let root = open_folder(CWD, place).context(what)?;
        let has_distinct_times = has_distinct_times.unwrap_or_else(|| tells_changes_apart(root.as_fd()));
        let fresh = last_change(root.as_fd()).context(what)?;
        let (must_age, used_since) = (false, None);
        Ok(Ramdisk { place, owner, executes, size, bypass, root, fresh, has_distinct_times, must_age, used_since })
    }

    /// Whether a program's first change shows, however soon it comes.
    #[cfg(test)]
    pub(crate) fn has_distinct_times(&self) -> bool {
        self.has_distinct_times
    }

    /// Its top folder.
    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// From now on a program may change it.
    pub(crate) fn mark_used(&mut self) {
        while self.must_age && stamp_clock() <= self.fresh {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.used_since = Some(stamp_clock());
    }

    /// Looks whether a program has certainly left it alone: then it is as new. `run`: how long it ran, if it had the filter
    /// on and no task of it was killed: that may have been while it made a file, which has no name yet, but a number.
    pub(crate) fn notice(&mut self, run: Option<Duration>) {
        let Some(used_since) = self.used_since else { return };
        // Where changes are not all told apart, one in the same tick of the clock as the last would not show.
        let is_unchanged = || last_change(self.root()).is_ok_and(|look| look == self.fresh);
        let Some(run) = run.filter(|_| is_unchanged()) else { return self.must_age = false };
        let would_show = self.has_distinct_times || used_since > self.fresh;
        self.must_age = run < BRIEF && !would_show;
        if would_show {
            self.used_since = None;
        }
    }

    /// Whether it is as new: it was not handed out, or is known to have been left alone.
    pub(crate) fn is_clean(&self) -> bool {
        self.used_since.is_none()
    }

    /// Makes sure that it is as new, and of this size.
    pub(crate) fn renew(&mut self, size: u64) -> Result<(), Fault> {
        if self.is_clean() && size == self.size {
            return Ok(());
        }
        self.unmount().context("removing the working folder")?;
        // Who asks for another size has not run in it yet: one program does not wait for what only the next ones gain.
        let must_age = self.must_age && size == self.size;
        let is_known = Some(self.has_distinct_times);
        *self = Ramdisk::mount_with(self.bypass, self.place, self.owner, self.executes, size, is_known)?;
        self.must_age = must_age;
        Ok(())
    }

    /// Nothing of it can be reached any more.
    pub(crate) fn unmount(&self) -> io::Result<()> {
        let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
        let (place, bypass) = (CString::new(self.place)?, FilterBypass::argument(self.bypass));
        // SAFETY: the path is valid during the call.
        done(unsafe { libc::syscall(libc::SYS_umount2, place.as_ptr(), flags.bits(), 0, 0, 0, bypass) })
    }
}

/// The time that a change would be stamped with now.
fn stamp_clock() -> Time {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

/// Tries whether a change always has another time than the one before, once that was looked at, as since Linux 6.13: else
/// all of one tick of the clock have the same.
fn tells_changes_apart(root: BorrowedFd<'_>) -> bool {
    let change = || {
        rustix::fs::fchmod(root, Mode::RWXU)?;
        let stat = rustix::fs::fstat(root)?;
        rustix::io::Result::Ok((stat.st_ctime, stat.st_ctime_nsec))
    };
    let differ = || {
        let began = stamp_clock();
        let times = [change()?, change()?, change()?];
        // A tick that passes meanwhile makes it no proof.
        rustix::io::Result::Ok(times.is_sorted_by(|time, next| time < next) && stamp_clock() == began)
    };
    (0..3).any(|_| differ().unwrap_or(false))
}

fn mount_tmpfs(place: &str, flags: MountFlags, options: &CStr, bypass: Option<FilterBypass>) -> io::Result<()> {
    let (kind, place, bypass) = (c"tmpfs".as_ptr(), CString::new(place)?, FilterBypass::argument(bypass));
    let flags = u64::from(flags.bits());
    // SAFETY: the strings are valid during the call.
    done(unsafe { libc::syscall(libc::SYS_mount, kind, place.as_ptr(), kind, flags, options.as_ptr(), bypass) })
}

fn done(answer: libc::c_long) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Where one is mounted, seen from any namespace.
pub(crate) struct Mountpoint {
    parent: OwnedFd,
    name: &'static str,
}

impl Mountpoint {
    /// The entry `name` of `parent`.
    pub(crate) fn new(parent: OwnedFd, name: &'static str) -> Mountpoint {
        Mountpoint { parent, name }
    }

    /// Bytes of memory that the one mounted there now holds.
    pub(crate) fn bytes(&self) -> u64 {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root = rustix::fs::openat(&self.parent, self.name, flags, Mode::empty());
        let Ok(stat) = root.and_then(rustix::fs::fstatfs) else { return 0 };
        let used = |all: u64, free: u64| all.saturating_sub(free);
        let pages = used(stat.f_blocks, stat.f_bfree).saturating_mul(stat.f_bsize.unsigned_abs());
        // Its top folder is there from the start.
        pages + used(stat.f_files, stat.f_ffree).saturating_sub(1).saturating_mul(ENTRY_BYTES)
    }
}

//# A view of the machine's mounts for this process and its children alone, so that it can mount what it likes.

/// Gives this process, which has one thread, mounts of its own: by root's rights, or as the only user of a user
/// namespace. After an error it may be in neither world: it is to be tried in a child first.
pub(crate) fn enter() -> io::Result<()> {
    if identity::has(CapabilitySet::SYS_ADMIN) {
        unshare(libc::CLONE_NEWNS)?;
    } else {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)?;
        // The files for it are the user's only while the user may look into this process.
        set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    // What the machine unmounts goes here as well; what is mounted here stays here.
    let one_way = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", one_way)?;
    // No matter if it fails: then there is a gap.
    let _ = ignore_readings();
    Ok(())
}

/// Whether programs of this process leave no time of reading in files that stay, in this user's own mounts: tried in a
/// child. In a user namespace of its own, an ordinary user may not say how times are kept.
pub(crate) fn can_ignore_readings() -> bool {
    // SAFETY: the closure allocates and makes system calls.
    unsafe { in_child(|| enter().is_ok() && ignore_readings().is_ok()) }
}

fn ignore_readings() -> io::Result<()> {
    set_attributes(CWD, c"/", libc::MOUNT_ATTR_NOATIME, libc::AT_RECURSIVE)
}

/// `mount_setattr`, adding `attributes`.
pub(crate) fn set_attributes(at: BorrowedFd<'_>, path: &CStr, attributes: u64, flags: i32) -> io::Result<()> {
    // How times of reading are kept is one choice of several.
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
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn unshare(what: libc::c_int) -> io::Result<()> {
    // SAFETY: a system call without pointers.
    if unsafe { libc::unshare(what) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
