//! Measures the memory of a run where no control group does: mapped pages, kernel memory for the processes, and the
//! files of a working folder in memory.
//!
//! Small items are not counted: descriptors of at most 1 KiB each, queued signals and timers, and the two output pipes.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io;

use crate::procfs::{Descriptors, Footprint, text};
use crate::scratch::ramdisk::Mountpoint;
use crate::watch::gauges::RunGauges;

/// How much 16 processes can hold unnoticed beyond their limit. 256 descriptors of 1 KiB each, 1024 signals or timers,
/// and 2 MiB in the output pipes are half of this.
pub(crate) const UNCOUNTED: u64 = 16 << 20;
/// Kernel memory for one mapping: its place in the tree of mappings, and links between pages and their owners, one for
/// each ancestor.
const MAPPING_BYTES: u64 = 1 << 10;
/// How many mappings of all processes are counted. Counting takes time, in which nobody watches the memory.
const MAX_COUNTED: u64 = 16 << 10;

/// How often shared pages are divided before a run is considered over its limit.
const DIVISIONS: usize = 4;

/// The memory of one run.
pub(crate) struct MemoryMeter<'a> {
    gauges: &'a RunGauges<'a>,
    grants: Grants,
    /// The maximal number of mappings of a process.
    max_mappings: OnceCell<u64>,
    last: u64,
    /// The greatest value so far.
    pub(crate) peak: u64,
}

impl<'a> MemoryMeter<'a> {
    pub(crate) fn start(gauges: &'a RunGauges<'a>) -> MemoryMeter<'a> {
        MemoryMeter { gauges, grants: Grants::default(), max_mappings: OnceCell::new(), last: 0, peak: 0 }
    }

    /// Bytes held now. While this is within `limit`, pages that several processes share may count several times, as
    /// dividing them takes long.
    pub(crate) fn now(&mut self, limit: u64) -> u64 {
        self.last = self.measure(limit);
        self.peak = self.peak.max(self.last);
        self.last
    }

    /// Whether `thread` may map `bytes` of anonymous shared memory. If so, they count from now on.
    pub(crate) fn grant(&mut self, thread: u32, bytes: u64, limit: u64) -> bool {
        let bytes = bytes.checked_next_multiple_of(rustix::param::page_size() as u64).unwrap_or(u64::MAX);
        // A thread that asks again has mapped its earlier grant.
        self.grants.mark_mapped(|asker| asker == thread);
        let fits = |held: u64| held.saturating_add(bytes) <= limit;
        let granted = fits(self.last.max(self.grants.bytes())) || fits(self.measure(limit.saturating_sub(bytes)));
        if granted {
            self.grants.add(thread, bytes);
            self.last = self.last.saturating_add(bytes);
        }
        granted
    }

    fn measure(&mut self, limit: u64) -> u64 {
        let members = self.gauges.members();
        // Granted memory is counted without searching for it.
        let processes: Vec<Footprint> = members
            .into_iter()
            .filter_map(|process| Footprint::of(process, !self.gauges.fixed.asks_for_memory))
            .collect();
        let overhead: u64 = processes.iter().map(|process| process.overhead).sum();
        let mut descriptors = Descriptors::default();
        self.gauges.as_user(|| processes.iter().for_each(|process| descriptors.add(process)));
        let rest = self.files().saturating_add(overhead + descriptors.bytes);
        let pages: u64 = processes.iter().map(|process| process.pages).sum();
        let most = processes.iter().map(|process| self.max_mappings(process) * MAPPING_BYTES).sum::<u64>();
        let all = |rest: u64, pages: u64, grants: &Grants| rest.saturating_add(pages).saturating_add(grants.bytes());
        if all(rest.saturating_add(most), pages, &self.grants) <= limit {
            return all(rest, pages, &self.grants);
        }
        let rest = rest.saturating_add(self.mappings(&processes));
        if all(rest, pages, &self.grants) <= limit {
            return all(rest, pages, &self.grants);
        }
        all(rest, self.gauges.as_user(|| proportional_pages_of(processes)), &self.grants)
    }

    fn files(&self) -> u64 {
        // If there are too many files to count, this is a different breach.
        let among_others = self.gauges.disk.filter(|disk| disk.is_in_memory).and_then(|disk| disk.bytes()).unwrap_or(0);
        self.gauges.folder.map_or(0, Mountpoint::bytes).saturating_add(among_others)
    }

    /// Kernel memory for all mappings. Frees grants that are mapped nowhere.
    fn mappings(&mut self, processes: &[Footprint]) -> u64 {
        let (mut shared, mut complete, mut count, mut left) = (HashSet::new(), true, 0, MAX_COUNTED);
        for process in processes {
            count += self.gauges.as_user(|| process.mappings(&mut shared, &mut left)).unwrap_or_else(|_| {
                complete = false;
                // It is gone, may not be read, or has too many.
                process.again().map_or(0, |process| self.max_mappings(&process))
            });
        }
        if complete && !self.grants.is_empty() {
            self.grants.mark_mapped(is_gone);
            self.grants.keep(shared.len());
        }
        count * MAPPING_BYTES
    }

    /// The number of pieces into which an address space of this size can be divided.
    fn max_mappings(&self, process: &Footprint) -> u64 {
        const DEFAULT_MAX_MAPPINGS: u64 = 65_530;
        let most = self.max_mappings.get_or_init(|| {
            let limit = text("/proc/sys/vm/max_map_count").ok().and_then(|count| count.trim().parse().ok());
            limit.unwrap_or(DEFAULT_MAX_MAPPINGS)
        });
        (process.size / rustix::param::page_size() as u64).min(*most)
    }
}

/// Pages of all processes, with shared pages divided among them.
fn proportional_pages_of(processes: Vec<Footprint>) -> u64 {
    let mut distinct: Vec<Footprint> = Vec::new();
    for process in processes {
        if !distinct.iter().any(|known| known.is_same_memory(&process)) {
            distinct.push(process);
        }
    }
    // Examining each page of a single process would take long. It would give less only if the process maps pages more
    // than once, and the kernel's largest size of the process counts these repeatedly too.
    if let [only] = &distinct[..] {
        return only.pages;
    }
    let mut least = u64::MAX;
    for _ in 0..DIVISIONS {
        // A process that may not be read counts in full.
        let part = |process: &Footprint| process.proportional().map_or(process.pages, |pages| pages.min(process.pages));
        least = least.min(distinct.iter().map(part).sum());
        let before = distinct.len();
        distinct = distinct.iter().filter_map(Footprint::again).collect();
        if distinct.len() == before {
            break;
        }
        // If a process ended meanwhile, its share was counted twice.
    }
    least
}

/// Anonymous shared memory that one run was granted, where no control group charges it. A program requests each piece,
/// and gets it while all pieces together fit into its limit. Such memory can exist without being in any process's size.
/// So it counts in full from the grant until no process has it mapped.
#[derive(Default)]
pub(crate) struct Grants {
    /// The largest first.
    granted: Vec<Grant>,
}

struct Grant {
    bytes: u64,
    /// The thread that asked; `None` once it has certainly mapped it.
    asker: Option<u32>,
}

impl Grants {
    /// Bytes of all pieces that may still be mapped.
    pub(crate) fn bytes(&self) -> u64 {
        self.granted.iter().fold(0, |sum, grant| sum.saturating_add(grant.bytes))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.granted.is_empty()
    }

    /// Adds a grant to `thread`.
    pub(crate) fn add(&mut self, thread: u32, bytes: u64) {
        let at = self.granted.partition_point(|grant| grant.bytes > bytes);
        self.granted.insert(at, Grant { bytes, asker: Some(thread) });
    }

    /// Marks grants whose thread has mapped them, or never will.
    pub(crate) fn mark_mapped(&mut self, has_mapped: impl Fn(u32) -> bool) {
        for grant in &mut self.granted {
            grant.asker = grant.asker.filter(|&thread| !has_mapped(thread));
        }
    }

    /// `mapped` pieces are mapped; which ones is unknown. Keeps the largest pieces, and pieces that may not be mapped
    /// yet.
    pub(crate) fn keep(&mut self, mapped: usize) {
        let mut left = mapped;
        self.granted.retain(|grant| {
            let kept = grant.asker.is_some() || left > 0;
            left -= usize::from(grant.asker.is_none() && left > 0);
            kept
        });
    }
}

/// Whether this thread does not exist any more.
pub(crate) fn is_gone(thread: u32) -> bool {
    let there = std::fs::metadata(format!("/proc/{thread}"));
    there.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_no_more_is_free_again() {
        let mut grants = Grants::default();
        for bytes in [1, 4, 2] {
            grants.mark_mapped(|thread| thread == 7);
            grants.add(7, bytes);
        }
        assert_eq!(grants.bytes(), 7);
        grants.keep(1);
        assert_eq!(grants.bytes(), 6, "the largest, and the last, which may not be mapped yet");
        grants.mark_mapped(|thread| thread == 7);
        grants.keep(1);
        assert_eq!(grants.bytes(), 4);
        grants.keep(0);
        assert!(grants.is_empty());
    }

    #[test]
    fn what_others_may_be_about_to_map_counts() {
        let mut grants = Grants::default();
        grants.add(7, 8);
        grants.add(8, 8);
        grants.keep(0);
        assert_eq!(grants.bytes(), 16);
        grants.mark_mapped(|thread| thread == 7);
        grants.add(7, 8);
        grants.keep(0);
        assert_eq!(grants.bytes(), 16, "the first of 7's is settled and gone");
        assert!(is_gone(4_000_000) && !is_gone(std::process::id()));
    }
}
