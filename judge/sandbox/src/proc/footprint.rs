//! What one process holds, as its files in `/proc` tell.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};

use crate::api::text::text;

/// Kernel memory that comes with every task: its stack, its descriptions, its tables of signals and descriptors.
const TASK_BYTES: u64 = 32 << 10;

/// Memory of one process, its first thread dead or alive.
pub(crate) struct Footprint {
    /// A living thread of it: its files tell more than those of a dead leader.
    pub(crate) task: i32,
    pub(crate) process: i32,
    /// Pages of its own and of files that it has mapped, in memory or swapped out; those of shared memory if asked for.
    pub(crate) pages: u64,
    with_shared: bool,
    /// Page tables, kernel stacks and the like.
    pub(crate) overhead: u64,
    /// Of its address space.
    pub(crate) size: u64,
}

impl Footprint {
    /// `None` for what is dead or gone. Shared memory, which can belong to several processes and to none, may be
    /// counted elsewhere.
    pub(crate) fn of(process: i32, with_shared: bool) -> Option<Footprint> {
        if let Some(found) = Footprint::of_task(process, process, with_shared) {
            return Some(found);
        }
        tasks(process).find_map(|task| Footprint::of_task(process, task, with_shared))
    }

    /// Its threads, dead and alive.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = i32> {
        tasks(self.process)
    }

    /// The same process as it is now; `None` when it has ended.
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

    /// Counts the mappings, and notes which pieces of shared memory without a name are among them.
    pub(crate) fn mappings(&self, shared: &mut HashSet<String>) -> io::Result<u64> {
        let mut lines = BufReader::with_capacity(1 << 16, File::open(format!("/proc/{}/maps", self.task))?);
        let (mut count, mut line) = (0, Vec::new());
        while lines.read_until(b'\n', &mut line)? > 0 {
            count += 1;
            if line.ends_with(b" /dev/zero (deleted)\n") {
                // Addresses, permissions, offset, device, inode, path.
                shared.extend(String::from_utf8_lossy(&line).split_whitespace().nth(4).map(str::to_owned));
            }
            line.clear();
        }
        Ok(count)
    }

    /// Whether both are one piece of memory with two processes, as after `vfork`.
    pub(crate) fn is_same_memory(&self, other: &Footprint) -> bool {
        const KCMP_VM: i32 = 1;
        is_same(self.task, other.task, KCMP_VM)
    }
}

fn tasks(process: i32) -> impl Iterator<Item = i32> {
    let entries = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether two tasks have the same table of descriptors.
pub(crate) fn is_same_table(one: i32, other: i32) -> bool {
    const KCMP_FILES: i32 = 2;
    is_same(one, other, KCMP_FILES)
}

fn is_same(one: i32, other: i32, what: i32) -> bool {
    // SAFETY: a system call without pointers.
    unsafe { libc::syscall(libc::SYS_kcmp, one, other, what, 0, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured_in_every_way() {
        let mut ballast = vec![0_u8; 32 << 20];
        ballast.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        let own = Footprint::of(std::process::id().cast_signed(), false).unwrap();
        assert!(own.pages > 32 << 20 && own.size > own.pages, "{} of {}", own.pages, own.size);
        // While another test forks, that process has half of it.
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
        assert!(own.mappings(&mut before).unwrap() > 10);
        let notes = crate::protocol::notes::Notes::new().unwrap();
        let mut after = HashSet::new();
        own.mappings(&mut after).unwrap();
        assert!(after.difference(&before).count() >= 1);
        drop(notes);
    }
}
