//! Shared memory without a file, where no control group charges it: a program asks for each piece, and gets it while
//! all pieces together fit into its limit. Such memory lives on where no process's size shows it, so that it counts in
//! full from when it is granted until no process has any of it mapped.

use std::io;

/// What one run was granted.
#[derive(Default)]
pub(crate) struct Grants {
    /// The largest first.
    granted: Vec<Grant>,
}

struct Grant {
    bytes: u64,
    /// Of the thread that asked. `None` once it is certain that it has mapped it.
    asker: Option<u32>,
}

impl Grants {
    /// Bytes of all that may still be mapped.
    pub(crate) fn bytes(&self) -> u64 {
        self.granted.iter().fold(0, |sum, grant| sum.saturating_add(grant.bytes))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.granted.is_empty()
    }

    /// Notes what `thread` was granted.
    pub(crate) fn add(&mut self, thread: u32, bytes: u64) {
        let at = self.granted.partition_point(|grant| grant.bytes > bytes);
        self.granted.insert(at, Grant { bytes, asker: Some(thread) });
    }

    /// Notes that `thread` has mapped what it got, or never will.
    pub(crate) fn settle(&mut self, has_mapped: impl Fn(u32) -> bool) {
        for grant in &mut self.granted {
            grant.asker = grant.asker.filter(|&thread| !has_mapped(thread));
        }
    }

    /// `mapped` pieces are mapped, but it is unknown which: the largest count, and those that may not be mapped yet.
    pub(crate) fn keep(&mut self, mapped: usize) {
        let mut left = mapped;
        self.granted.retain(|grant| {
            let kept = grant.asker.is_some() || left > 0;
            left -= usize::from(grant.asker.is_none() && left > 0);
            kept
        });
    }
}

/// Whether a thread of this number is there no more.
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
            grants.settle(|thread| thread == 7);
            grants.add(7, bytes);
        }
        assert_eq!(grants.bytes(), 7);
        grants.keep(1);
        assert_eq!(grants.bytes(), 6, "the largest, and the last, which may not be mapped yet");
        grants.settle(|thread| thread == 7);
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
        grants.settle(|thread| thread == 7);
        grants.add(7, 8);
        grants.keep(0);
        assert_eq!(grants.bytes(), 16, "the first of 7's is settled and gone");
        assert!(is_gone(4_000_000) && !is_gone(std::process::id()));
    }
}
