//! Reads `/proc`: the processes below a process, their memory, and the kernel memory behind their descriptors.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Most of these files are shorter.
const USUAL_BYTES: usize = 4096;

/// Returns the text of a file, for example in `/proc`. Names in it can contain any bytes. Bytes that are not UTF-8 are
/// replaced.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    // `take` avoids asking for the length, which the kernel does not report for these files.
    File::open(path)?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Returns the fields of `stat` for the process or thread with this folder in `/proc`, separated by spaces, without id
/// and name. The first fields are state, parent and process group. The name is in parentheses and can contain any
/// character. `None` if the process is gone.
pub fn stat(folder: &Path) -> Option<String> {
    Some(text(folder.join("stat")).ok()?.rsplit_once(") ")?.1.to_owned())
}

/// The same for a process id, or for `self`.
pub(crate) fn stat_of(process: impl Display) -> Option<String> {
    stat(Path::new(&format!("/proc/{process}")))
}

/// The descendants of `root`. Some may be gone by the time the caller looks at them.
pub(crate) fn descendants(root: i32) -> Vec<i32> {
    let mut found = children(root);
    let mut next = 0;
    loop {
        while let Some(&pid) = found.get(next) {
            found.extend(children(pid));
            next += 1;
        }
        // Processes whose parent died in the meantime are now children of the root.
        found.extend(children(root).into_iter().filter(|pid| !found.contains(pid)).collect::<Vec<_>>());
        if next == found.len() {
            return found;
        }
    }
}

/// The processes of a process group.
pub(crate) fn group(id: i32) -> Vec<i32> {
    numbers_in("/proc").filter(|pid| group_of(*pid) == Some(id)).collect()
}

/// The process group of `pid`.
fn group_of(pid: i32) -> Option<i32> {
    stat_of(pid)?.split(' ').nth(2)?.parse().ok()
}

/// The entries of a folder that are numbers.
fn numbers_in(folder: &str) -> impl Iterator<Item = i32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The children of all threads of `pid`.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| text(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Kills all descendants of `root` that can be found now. An id that was reused in the meantime is not killed, as the
/// pidfd was opened before the second look.
pub(crate) fn kill_descendants(root: i32) {
    let open = |pid: i32| Some((pid, pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?));
    let found: Vec<_> = descendants(root).into_iter().filter_map(open).collect();
    let still = descendants(root);
    for (_, pidfd) in found.iter().filter(|(pid, _)| still.contains(pid)) {
        // Fails only for a process that is dead.
        let _ = pidfd_send_signal(pidfd, Signal::KILL);
    }
}

/// CPU time in nanoseconds, rounded down, of the processes that `pid` and its children have waited for.
pub(crate) fn reaped_cpu(pid: i32) -> u64 {
    let stat = stat_of(pid).unwrap_or_default();
    let ticks: u64 = stat.split(' ').skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second()
}

/// The number of threads of `pid`.
pub(crate) fn threads(pid: i32) -> u64 {
    fs::metadata(format!("/proc/{pid}/task")).map_or(0, |task| task.nlink().saturating_sub(2))
}

/// The folder in `/proc` of a living thread of `pid`.
pub(crate) fn living_thread(pid: i32) -> Option<PathBuf> {
    let is_alive = |task: &PathBuf| text(task.join("statm")).is_ok_and(|statm| !statm.starts_with("0 "));
    let first = PathBuf::from(format!("/proc/{pid}"));
    if is_alive(&first) {
        return Some(first);
    }
    fs::read_dir(first.join("task")).ok()?.flatten().map(|thread| thread.path()).find(is_alive)
}

/// Kernel memory for each task: stack, descriptors, tables of signals and files.
const TASK_BYTES: u64 = 32 << 10;

/// The memory of one process, whether its first thread is alive or not.
pub(crate) struct Footprint {
    /// A living thread. The files of a dead one contain less.
    pub(crate) task: i32,
    pub(crate) process: i32,
    /// Bytes of anonymous pages and of mapped files, in memory or swapped out, and of shared memory if asked for.
    pub(crate) pages: u64,
    with_shared: bool,
    /// Bytes of page tables, kernel stacks and the like.
    pub(crate) overhead: u64,
    /// Size of the address space in bytes.
    pub(crate) size: u64,
}

impl Footprint {
    /// `None` for a process that is dead or gone. Shared memory can belong to several processes or to none, and is
    /// counted elsewhere unless `with_shared`.
    pub(crate) fn of(process: i32, with_shared: bool) -> Option<Footprint> {
        let of_task = |task| Footprint::of_task(process, task, with_shared);
        of_task(process).or_else(|| tasks(process).find_map(of_task))
    }

    /// Its threads, dead and alive.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = i32> {
        tasks(self.process)
    }

    /// The same process now; `None` if it has ended.
    pub(crate) fn again(&self) -> Option<Footprint> {
        Footprint::of(self.process, self.with_shared)
    }

    fn of_task(process: i32, task: i32, with_shared: bool) -> Option<Footprint> {
        let status = text(format!("/proc/{task}/status")).ok()?;
        let mut found = Footprint { task, process, pages: 0, with_shared, overhead: 0, size: 0 };
        for line in status.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let place = match name {
                "VmSize" => &mut found.size,
                "RssAnon" | "RssFile" | "VmSwap" | "HugetlbPages" => &mut found.pages,
                "RssShmem" if with_shared => &mut found.pages,
                "VmPTE" => &mut found.overhead,
                "Threads" => {
                    found.overhead += value.trim().parse::<u64>().ok()? * TASK_BYTES;
                    break;
                }
                _ => continue,
            };
            *place += value.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10;
        }
        (found.size > 0).then_some(found)
    }

    /// The same pages, each divided by the number of processes that share it.
    pub(crate) fn proportional(&self) -> Option<u64> {
        let rollup = text(format!("/proc/{}/smaps_rollup", self.task)).ok()?;
        let parts = ["Pss_Anon:", "Pss_File:", "SwapPss:", "Pss_Shmem:"];
        let parts = if self.with_shared { &parts[..] } else { &parts[..3] };
        let kilobytes = rollup.lines().filter_map(|line| {
            let value = parts.iter().find_map(|part| line.strip_prefix(part))?;
            value.trim().strip_suffix(" kB")?.parse::<u64>().ok()
        });
        Some(kilobytes.sum::<u64>() << 10)
    }

    /// Counts the mappings, which are taken off `left`, and collects the inodes of anonymous shared memory. Fails if there
    /// are more than `left`.
    pub(crate) fn mappings(&self, shared: &mut HashSet<String>, left: &mut u64) -> io::Result<u64> {
        let mut lines = BufReader::with_capacity(1 << 16, File::open(format!("/proc/{}/maps", self.task))?);
        let (mut count, mut line) = (0, Vec::new());
        while lines.read_until(b'\n', &mut line)? > 0 {
            count += 1;
            *left = left.checked_sub(1).ok_or(io::ErrorKind::FileTooLarge)?;
            if line.ends_with(b" /dev/zero (deleted)\n") {
                // Addresses, permissions, offset, device, inode, path.
                shared.extend(String::from_utf8_lossy(&line).split_whitespace().nth(4).map(str::to_owned));
            }
            line.clear();
        }
        Ok(count)
    }

    /// Whether both processes share one address space, as after `vfork`.
    pub(crate) fn is_same_memory(&self, other: &Footprint) -> bool {
        const KCMP_VM: i32 = 1;
        is_same(self.task, other.task, KCMP_VM)
    }
}

fn tasks(process: i32) -> impl Iterator<Item = i32> {
    numbers_in(&format!("/proc/{process}/task"))
}

/// Whether two tasks share their table of descriptors.
pub(crate) fn is_same_table(one: i32, other: i32) -> bool {
    const KCMP_FILES: i32 = 2;
    is_same(one, other, KCMP_FILES)
}

fn is_same(one: i32, other: i32, what: i32) -> bool {
    // SAFETY: a system call without pointers.
    unsafe { libc::syscall(libc::SYS_kcmp, one, other, what, 0, 0) == 0 }
}

/// The maximal number of descriptors of a process whose kernel memory is counted here.
pub(crate) const MAX_DESCRIPTORS: u64 = 256;

/// The default size of a pipe.
const PIPE_PAGES: u64 = 16;
/// Kernel memory for one file in one `epoll`.
const WATCH_BYTES: u64 = 256;
/// Kernel memory for an open report on an `epoll`: the most that can be added between two checks.
const REPORT_BYTES: u64 = 4 << 20;
/// Kernel memory for other open files of `/proc`.
const PROC_BYTES: u64 = 8 << 10;

/// Kernel memory behind the descriptors of some processes. A file that several of them have open counts once.
#[derive(Default)]
pub(crate) struct Descriptors {
    buffers: HashSet<String>,
    /// Bytes of everything that was added.
    pub(crate) bytes: u64,
}

impl Descriptors {
    /// Adds the descriptors of all threads of `process`.
    pub(crate) fn add(&mut self, process: &Footprint) {
        self.add_table(process.task);
        for task in process.tasks() {
            if task != process.task && !is_same_table(process.task, task) {
                self.add_table(task);
            }
        }
    }

    fn add_table(&mut self, task: i32) {
        let folder = format!("/proc/{task}/fd");
        let Ok(entries) = fs::read_dir(&folder) else {
            // The process is gone, or this process may not read it. Then every descriptor except the usual three counts
            // as a full socket. Since Linux 6.2 the size of the folder is the number of descriptors.
            let count = fs::metadata(&folder).map_or(0, |folder| folder.len());
            self.bytes += count.saturating_sub(3) * socket_bytes();
            return;
        };
        for entry in entries.flatten() {
            // If it cannot be read, it was closed.
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            // The name of a file may be no UTF-8.
            let target = target.to_string_lossy();
            self.bytes += match &*target {
                "anon_inode:[eventpoll]" => watched(task, &entry.file_name().to_string_lossy()) * WATCH_BYTES,
                _ if target.starts_with("socket:") => self.once(target.into_owned(), socket_bytes()),
                _ if target.starts_with("pipe:") => self.once(target.into_owned(), pipe_bytes()),
                _ if target.starts_with("/proc/") && target.contains("/fdinfo/") => REPORT_BYTES,
                _ if target.starts_with("/proc/") => PROC_BYTES,
                _ if target.starts_with('/') => match fs::metadata(entry.path()) {
                    Ok(file) if file.file_type().is_fifo() => {
                        self.once(format!("{} {}", file.dev(), file.ino()), pipe_bytes())
                    }
                    _ => 0,
                },
                _ => 0,
            };
        }
    }

    fn once(&mut self, name: String, bytes: u64) -> u64 {
        if self.buffers.insert(name) { bytes } else { 0 }
    }
}

/// The number of files in an `epoll`.
fn watched(task: i32, descriptor: &str) -> u64 {
    let path = format!("/proc/{task}/fdinfo/{descriptor}");
    let Ok(report) = File::open(Path::new(&path)) else { return 0 };
    let lines = BufReader::with_capacity(1 << 16, report).split(b'\n');
    lines.map_while(Result::ok).filter(|line| line.starts_with(b"tfd:")).count() as u64
}

fn pipe_bytes() -> u64 {
    PIPE_PAGES * rustix::param::page_size() as u64
}

/// The maximal size of the receive queue of a socket: the send buffer of the other end, which programs cannot change.
fn socket_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let pair = UnixStream::pair().ok();
        let size = pair.and_then(|(end, _)| rustix::net::sockopt::socket_send_buffer_size(&end).ok());
        // A buffer that is not full takes one more message, which may be as large as the buffer.
        2 * size.unwrap_or(212_992) as u64
    })
}

#[cfg(test)]
mod tests {
    use rustix::mm::{MapFlags, ProtFlags};

    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn bytes_that_are_no_text_hide_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status");
        for (bytes, expected) in [
            (&b"Name:\tbot\n"[..], "Name:\tbot\n"),
            (b"Name:\tb\xfft\nVmSize:\t1 kB\n", "Name:\tb\u{fffd}t\nVmSize:\t1 kB\n"),
            (b"", ""),
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(text(&path).unwrap(), expected);
        }
        std::fs::write(&path, "x".repeat(3 * USUAL_BYTES)).unwrap();
        assert_eq!(text(&path).unwrap().len(), 3 * USUAL_BYTES);
        assert!(text(folder.path().join("none")).is_err());
    }

    #[test]
    fn a_name_may_look_like_fields() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("stat"), b"7 (a) R 1 (\xff) S 5 7 7").unwrap();
        assert_eq!(stat(folder.path()).unwrap(), "S 5 7 7");
        let own = stat_of("self").unwrap();
        assert_eq!(own.split(' ').nth(1).unwrap(), std::os::unix::process::parent_id().to_string());
        assert_eq!(stat_of(i32::MAX), None);
    }

    #[test]
    fn grandchildren_are_found() {
        let own = std::process::id() as i32;
        let mut shell =
            Command::new("/bin/sh").args(["-c", "sleep 60 & read x"]).stdin(Stdio::piped()).spawn().unwrap();
        let shell_pid = shell.id() as i32;
        let mut found = Vec::new();
        for _ in 0..1000 {
            found = descendants(own);
            if descendants(shell_pid).len() == 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let sleeper = descendants(shell_pid);
        assert_eq!(sleeper.len(), 1);
        found.extend(&sleeper);
        assert!(found.contains(&shell_pid) && found.contains(&sleeper[0]));
        assert!(group_of(own).is_some_and(|id| group(id).contains(&sleeper[0])));
        assert_eq!(threads(shell_pid), 1);
        assert!(living_thread(shell_pid).is_some());
        // SAFETY: a system call without pointers, on a process that this test started.
        unsafe { libc::kill(sleeper[0], libc::SIGKILL) };
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }

    #[test]
    fn a_process_is_measured_in_every_way() {
        let mut ballast = vec![0_u8; 32 << 20];
        ballast.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        let own = Footprint::of(std::process::id().cast_signed(), false).unwrap();
        assert!(own.pages > 32 << 20 && own.size > own.pages, "{} of {}", own.pages, own.size);
        // While another test forks, its child shares half of it.
        let is_whole = || own.proportional().unwrap() > 32 << 20;
        assert!((0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            is_whole()
        }));
        assert!((64 << 10..8 << 20).contains(&own.overhead), "{}", own.overhead);
        assert!(own.is_same_memory(&own) && is_same_table(own.task, own.task));
        drop(ballast);
        let mut child = std::process::Command::new("/bin/cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let other = Footprint::of(child.id().cast_signed(), false).unwrap();
        assert!(!own.is_same_memory(&other) && !is_same_table(own.task, other.task));
        drop(child.stdin.take());
        assert!(Footprint::of(child.id().cast_signed(), false).is_none_or(|dying| dying.pages > 0));
        child.wait().unwrap();
    }

    #[test]
    fn mappings_are_counted_and_shared_ones_told() {
        let own = Footprint::of(std::process::id().cast_signed(), false).unwrap();
        let mut before = HashSet::new();
        let mut left = 10;
        assert!(own.mappings(&mut before, &mut left).is_err(), "more than ten");
        assert_eq!(left, 0);
        assert!(own.mappings(&mut before, &mut { u64::MAX }).unwrap() > 10);
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let place = unsafe { rustix::mm::mmap_anonymous(std::ptr::null_mut(), 4096, protection, flags) }.unwrap();
        let mut after = HashSet::new();
        own.mappings(&mut after, &mut { u64::MAX }).unwrap();
        assert!(after.difference(&before).count() >= 1);
        // SAFETY: this test's own mapping, which nothing else uses.
        unsafe { rustix::mm::munmap(place, 4096) }.unwrap();
    }

    /// Returns the bytes of the sockets and pipes that this process has opened since the last call, and of its other
    /// descriptors.
    fn added(found: &mut Descriptors) -> u64 {
        let before = found.bytes;
        found.add(&Footprint::of(std::process::id().cast_signed(), false).unwrap());
        found.bytes - before
    }

    #[test]
    fn buffers_count_by_what_they_can_hold() {
        // Other tests of this process open descriptors, too, but fewer than these. A buffer counts once, so it does not
        // matter which ones they close.
        let mut found = Descriptors::default();
        added(&mut found);
        let sockets: Vec<_> = (0..50).map(|_| UnixStream::pair().unwrap()).collect();
        let with_sockets = added(&mut found);
        assert!(with_sockets > 90 * 212_992, "{with_sockets}");
        drop(sockets);
        let pipes: Vec<_> = (0..100).map(|_| std::io::pipe().unwrap()).collect();
        let with_pipes = added(&mut found);
        assert!((90..150).contains(&(with_pipes >> 16)), "{with_pipes}");
        drop(pipes);
    }

    #[test]
    fn every_watch_of_an_epoll_counts() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let watcher = rustix::event::epoll::create(rustix::event::epoll::CreateFlags::CLOEXEC).unwrap();
        let copies: Vec<_> = (0..20).map(|_| reader.try_clone().unwrap()).collect();
        for copy in &copies {
            let nothing = rustix::event::epoll::EventData::new_u64(0);
            rustix::event::epoll::add(&watcher, copy, nothing, rustix::event::epoll::EventFlags::IN).unwrap();
        }
        let number = std::os::fd::AsRawFd::as_raw_fd(&watcher).to_string();
        assert_eq!(watched(std::process::id().cast_signed(), &number), 20);
    }
}
