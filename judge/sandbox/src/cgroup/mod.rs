//! The control group of one jail. It limits and measures memory, processes and CPU time, in version 1, version 2 or a
//! mixture.

pub(crate) mod site;

use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cgroup::site::{CgroupEntry, Site, Version, field, number, remove_all, writable, write};
use crate::request::{Context, Fault};
use crate::{clock, procfs};

/// A control group, or one in each hierarchy that is needed. The files that a run reads are open.
pub(crate) struct Cgroup {
    folders: Vec<PathBuf>,
    memory: Memory,
    pids: Option<Pids>,
    /// A file with the CPU time of all tasks that were ever in the group: `cpuacct.usage` or `cpu.stat`.
    cpu: Option<(Version, File)>,
    /// Whether the peak can be reset, so that the next run can use the group again.
    pub(crate) reusable: bool,
    /// The charge after the last run, if it was read.
    usage: Cell<Option<u64>>,
    /// The state when the run began.
    pub(crate) before: Cell<Before>,
    /// The counters as they were read last, by this or another process with the same files. Only programs change them.
    pub(crate) counters: Cell<Counters>,
    /// Whether pages of files were evicted after the last run.
    pub(crate) evicted: Cell<bool>,
}

/// The state of a group before a run.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Before {
    usage: u64,
    counters: Counters,
}

struct Memory {
    version: Version,
    folder: PathBuf,
    usage: File,
    peak: Option<File>,
    kills: File,
    limit: Cell<Option<u64>>,
}

struct Pids {
    folder: PathBuf,
    refusals: File,
    /// Missing before Linux 6.1.
    peak: Option<File>,
    limit: Cell<Option<u32>>,
}

/// An init and its kernel memory need a fraction of this.
const MAX_RESIDUAL_BYTES: u64 = 16 << 20;

/// The memory that remains for a program whose limit is below the charge of the jail's init. No program starts with less.
const SMALLEST_LEFT: u64 = 64 << 10;

/// The kernel's `PID_MAX_LIMIT`: the most that a group's limit of processes can be.
const MAX_PROCESSES: u32 = 1 << 22;

/// How long to wait for the disks, in nanoseconds. Other programs may read from them all the time.
const MAX_DISK_WAIT: u64 = 100_000_000;

/// Counts of the kernel's refusals since the group was made.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Counters {
    kills: u64,
    refusals: u64,
}

/// What happened in the group during a run.
#[derive(Clone, Copy, Default)]
pub(crate) struct GroupEvents {
    /// The greatest charge in bytes, minus the charge before the run.
    pub(crate) peak: u64,
    /// The greatest charge and number of tasks of the group itself; `None` if unknown. If the kernel refused something
    /// below the group's limits, a group above or the machine had no more.
    pub(crate) most_charged: Option<u64>,
    pub(crate) most_tasks: Option<u64>,
    pub(crate) out_of_memory: bool,
    pub(crate) out_of_processes: bool,
}

impl Cgroup {
    /// Makes a group of this name.
    pub(crate) fn create(site: &Site, name: &str) -> Result<Cgroup, Fault> {
        let folders: Vec<PathBuf> = site.parents().map(|parent| parent.join(name)).collect();
        for (index, folder) in folders.iter().enumerate() {
            if let Err(error) = fs::create_dir(folder) {
                remove_all(&folders[..index]);
                return Err(error).context(format!("creating the control group {}", folder.display()));
            }
        }
        Cgroup::open(site, name, folders.clone()).context("opening the control group's files").inspect_err(|_| {
            remove_all(&folders);
        })
    }

    fn open(site: &Site, name: &str, folders: Vec<PathBuf>) -> io::Result<Cgroup> {
        let folder = site.memory.join(name);
        let read = |file: &str| File::open(folder.join(file));
        let (usage, kills, peak) = match site.version {
            Version::One => {
                let peak = writable(&folder.join("memory.max_usage_in_bytes"))?;
                (read("memory.usage_in_bytes")?, read("memory.oom_control")?, Some(peak))
            }
            Version::Two => {
                let peak = writable(&folder.join("memory.peak")).or_else(|_| read("memory.peak")).ok();
                (read("memory.current")?, read("memory.events")?, peak)
            }
        };
        let limit = Cell::new(None);
        let memory = Memory { version: site.version, folder: folder.clone(), usage, peak, kills, limit };
        let pids = match &site.pids {
            Some(parent) => {
                let folder = parent.join(name);
                let refusals = File::open(folder.join("pids.events"))?;
                let peak = File::open(folder.join("pids.peak")).ok();
                Some(Pids { folder, refusals, peak, limit: Cell::new(None) })
            }
            None => None,
        };
        let account = |folder: PathBuf| match File::open(folder.join("cpuacct.usage")) {
            Ok(usage) => Ok((Version::One, usage)),
            Err(_) => File::open(folder.join("cpu.stat")).map(|stat| (Version::Two, stat)),
        };
        let cpu = site.cpu.as_ref().map(|parent| account(parent.join(name))).transpose()?;
        let (reusable, (usage, before, counters, evicted)) = (memory.reset_peak(), Default::default());
        Ok(Cgroup { folders, memory, pids, cpu, reusable, usage, before, counters, evicted })
    }

    /// The ways to join the group, one for each hierarchy.
    pub(crate) fn entries(&self) -> io::Result<Vec<CgroupEntry>> {
        self.folders.iter().map(|folder| CgroupEntry::open(folder)).collect()
    }

    /// Sets the limits of the next run and reads the current charge. The group may have one process more than
    /// `processes`, for the jail's init.
    pub(crate) fn prepare(&self, memory: Option<u64>, processes: Option<u32>) -> Result<(), Fault> {
        self.memory.set_limit(memory).context("setting the control group's memory limit")?;
        if let Some(pids) = &self.pids {
            pids.set_limit(processes).context("setting the control group's process limit")?;
        }
        self.begin();
        Ok(())
    }

    /// Reads the current charge, before a run with the limits of the last one. Needs no path.
    pub(crate) fn begin(&self) {
        self.memory.reset_peak();
        let usage = self.usage.take().unwrap_or_else(|| number(&self.memory.usage));
        self.before.set(Before { usage, counters: self.counters.get() });
    }

    /// Continues a run that another process with the same files has begun.
    pub(crate) fn resume(&self, before: Before) {
        self.counters.set(before.counters);
        self.before.set(before);
    }

    /// The open files.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let Memory { usage, peak, kills, .. } = &self.memory;
        let cpu = self.cpu.as_ref().map(|(_, file)| file);
        let pids = self.pids.iter().flat_map(|pids| [&pids.refusals].into_iter().chain(&pids.peak));
        [usage, kills].into_iter().chain(peak).chain(pids).chain(cpu).map(AsFd::as_fd)
    }

    /// Whether much is charged to the group before a run. The kernel frees the memory of tasks a while after their end,
    /// and files that were read stay charged.
    pub(crate) fn has_residual_charge(&self) -> bool {
        let usage = number(&self.memory.usage);
        self.usage.set(Some(usage));
        usage > MAX_RESIDUAL_BYTES
    }

    /// Whether there was such a charge when the run began.
    pub(crate) fn had_residual_charge(&self) -> bool {
        self.before.get().usage > MAX_RESIDUAL_BYTES
    }

    /// Removes the pages from the machine's memory that the group's tasks were the first to read from files. The next
    /// program would find them there, and learn what this one has read. Before Linux 5.19, version 2 cannot do this.
    pub(crate) fn evict(&self) {
        wait_for_disks();
        let (file, bytes) = match self.memory.version {
            Version::One => ("memory.force_empty", 0),
            Version::Two => ("memory.reclaim", number(&self.memory.usage)),
        };
        // In version 2 this fails when memory of the init remains, as it always does.
        let _ = write(&self.memory.folder.join(file), &bytes.to_string());
        self.evicted.set(true);
    }

    /// CPU time of all tasks that were ever in the group, in nanoseconds.
    pub(crate) fn cpu(&self) -> Option<u64> {
        self.cpu.as_ref().map(|(version, file)| match version {
            Version::One => number(file),
            Version::Two => field(file, "usage_usec") * 1000,
        })
    }

    /// What happened since [`Cgroup::prepare`].
    pub(crate) fn events(&self) -> GroupEvents {
        let now = Counters {
            kills: field(&self.memory.kills, "oom_kill"),
            refusals: self.pids.as_ref().map_or(0, |pids| field(&pids.refusals, "max")),
        };
        self.counters.set(now);
        let Before { usage, counters: before } = self.before.get();
        let most_charged = self.memory.peak.as_ref().map(number);
        let out_of_processes = now.refusals > before.refusals;
        let tasks = self.pids.as_ref().filter(|_| out_of_processes).and_then(|pids| pids.peak.as_ref());
        GroupEvents {
            peak: most_charged.unwrap_or(0).saturating_sub(usage),
            most_charged,
            most_tasks: tasks.map(number),
            out_of_memory: now.kills > before.kills,
            out_of_processes,
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        remove_all(&self.folders);
    }
}

impl Memory {
    fn set_limit(&self, limit: Option<u64>) -> io::Result<()> {
        if self.limit.get() == limit && limit.is_some() {
            return Ok(());
        }
        let text = limit.map(|bytes| bytes.to_string());
        match self.version {
            Version::One => {
                let value = text.as_deref().unwrap_or("-1");
                // The memory limit may never exceed the limit of memory and swap together. Without swap accounting
                // this file is missing.
                let _ = fs::write(self.folder.join("memory.memsw.limit_in_bytes"), "-1");
                let file = self.folder.join("memory.limit_in_bytes");
                match write(&file, value) {
                    // The kernel refuses a limit below what the jail's init holds. The peak tells that the program
                    // has exceeded it.
                    Err(error) if is_busy(&error) => {
                        self.limit.set(None);
                        return self.set_least(&file);
                    }
                    written => written?,
                }
                let _ = fs::write(self.folder.join("memory.memsw.limit_in_bytes"), value);
            }
            Version::Two => {
                write(&self.folder.join("memory.max"), text.as_deref().unwrap_or("max"))?;
                let _ = fs::write(self.folder.join("memory.swap.max"), "0");
            }
        }
        self.limit.set(limit);
        Ok(())
    }

    /// Sets the least limit that the kernel takes. The charge may grow between reading it and writing the limit: the
    /// kernel charges pages in batches.
    fn set_least(&self, file: &Path) -> io::Result<()> {
        let mut left = SMALLEST_LEFT;
        loop {
            match write(file, &number(&self.usage).saturating_add(left).to_string()) {
                Err(error) if is_busy(&error) && left < MAX_RESIDUAL_BYTES => left *= 2,
                written => return written,
            }
        }
    }

    fn reset_peak(&self) -> bool {
        let word: &[u8] = if matches!(self.version, Version::One) { b"0" } else { b"reset" };
        self.peak.as_ref().is_some_and(|peak| peak.write_at(word, 0).is_ok())
    }
}

/// Waits until no disk is reading, for at most a moment. The kernel reads ahead for a program that has ended, and cannot
/// evict a page before it is there.
fn wait_for_disks() {
    // A request that waits for the disk is not counted, which is idle for an instant before it begins the next.
    const IDLE_CHECKS: u32 = 3;
    let (until, mut idle) = (clock::now() + MAX_DISK_WAIT, 0);
    while idle < IDLE_CHECKS && clock::now() < until {
        std::thread::sleep(Duration::from_micros(100));
        idle = if is_a_disk_reading() { 0 } else { idle + 1 };
    }
}

/// The first number in `inflight` counts the reads that a disk has begun and not ended.
fn is_a_disk_reading() -> bool {
    let mut disks = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    disks.any(|disk| {
        let counts = procfs::text(disk.path().join("inflight")).unwrap_or_default();
        counts.split_whitespace().next().is_some_and(|reads| reads != "0")
    })
}

fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EBUSY)
}

impl Pids {
    fn set_limit(&self, limit: Option<u32>) -> io::Result<()> {
        if self.limit.get() == limit && limit.is_some() {
            return Ok(());
        }
        let bounded = limit.filter(|count| *count < MAX_PROCESSES);
        let text = bounded.map_or_else(|| "max".to_owned(), |count| (u64::from(count) + 1).to_string());
        write(&self.folder.join("pids.max"), &text)?;
        self.limit.set(limit);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// In every hierarchy, the group includes the time of a child that has been waited for.
    #[test]
    fn both_versions_count_cpu_time() {
        let Ok(site) = Site::find() else {
            crate::require::skip(crate::require::Need::Root, "no control group to write to");
            return;
        };
        let cpuacct = Path::new("/sys/fs/cgroup/cpuacct").to_path_buf();
        let others = [Some(cpuacct).filter(|path| path.join("cgroup.procs").exists()), site.cpu.clone()];
        for cpu in others.into_iter().flatten() {
            let site = Site { cpu: Some(cpu.clone()), ..site.clone() };
            let Ok(group) = Cgroup::create(&site, &crate::names::unique("account")) else {
                crate::require::skip(crate::require::Need::Root, format!("{} is not writable", cpu.display()));
                continue;
            };
            let proc_files: Vec<PathBuf> = group.folders.iter().map(|folder| folder.join("cgroup.procs")).collect();
            let script =
                "for proc_file; do echo 0 > \"$proc_file\"; done; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
            assert!(Command::new("/bin/sh").args(["-c", script, "sh"]).args(proc_files).status().unwrap().success());
            let used = group.cpu().unwrap();
            assert!((2_000_000..2_000_000_000).contains(&used), "{}: {used} ns", cpu.display());
        }
    }
}
