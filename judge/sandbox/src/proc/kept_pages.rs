//! A program's pages, kept mapped from run to run. The kernel counts the first and the last mapping of each page, for the
//! machine and for each control group: where this process has one all along, what maps the page for a moment has neither.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};

use rustix::mm::{Advice, MapFlags, ProtFlags};

/// The pages of a larger file are more than brief programs use, and would have to be read from the disk. What is measured
/// by the share of a page that a process has, for want of a control group, gets less by this process's share.
const MOST_BYTES: usize = 4 << 20;

/// The pages of one file, until this is dropped. They are never looked at, so it does not matter if the file changes.
pub(crate) struct KeptPages {
    place: NonNull<libc::c_void>,
    length: usize,
}

impl KeptPages {
    /// Those of the file at `path`; `None` if it is large, or cannot be read.
    pub(crate) fn of(path: &Path) -> Option<KeptPages> {
        // There may be something else by now, for which who opens it would wait.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path).ok()?;
        let length = file.metadata().ok().filter(|file| file.is_file())?.len();
        let length = usize::try_from(length).ok().filter(|length| (1..=MOST_BYTES).contains(length))?;
        map(&file, length).ok().map(|place| KeptPages { place, length })
    }
}

fn map(file: &File, length: usize) -> io::Result<NonNull<libc::c_void>> {
    // SAFETY: a new mapping, wherever the kernel likes.
    let place = unsafe { rustix::mm::mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0)? };
    // Before Linux 5.14 only those of them that a neighbour's mapping brings along.
    // SAFETY: the advice changes nothing that can be read there.
    let _ = unsafe { rustix::mm::madvise(place, length, Advice::LinuxPopulateRead) };
    NonNull::new(place).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

impl Drop for KeptPages {
    fn drop(&mut self) {
        // SAFETY: its own mapping, which nothing else knows of.
        let _ = unsafe { rustix::mm::munmap(self.place.as_ptr(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many kilobytes of the file this process has mapped.
    fn mapped(path: &Path) -> u64 {
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let lines = smaps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
        let size = lines.skip(1).find_map(|line| line.strip_prefix("Rss:")?.trim().strip_suffix(" kB"));
        size.map_or(0, |size| size.parse().unwrap())
    }

    #[test]
    fn all_pages_of_a_file_are_mapped_until_they_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let kept = KeptPages::of(&path).unwrap();
        assert_eq!(mapped(&path), 1 << 10);
        File::create(&path).unwrap();
        drop(kept);
        assert_eq!(mapped(&path), 0);
    }

    #[test]
    fn what_is_large_or_no_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        assert!(KeptPages::of(&path).is_none(), "there is none");
        File::create(&path).unwrap();
        assert!(KeptPages::of(&path).is_none(), "it is empty");
        File::create(&path).unwrap().set_len(MOST_BYTES as u64 + 1).unwrap();
        assert!(KeptPages::of(&path).is_none(), "it is large");
        assert!(KeptPages::of(folder.path()).is_none(), "it is a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(KeptPages::of(&pipe).is_none(), "nobody writes there");
    }
}
