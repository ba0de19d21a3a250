//! Kernel memory behind the open descriptors of a run: what sockets and pipes may hold, what is watched by `epoll`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::OnceLock;

use crate::proc::footprint::{Footprint, is_same_table};

/// How many descriptors a process may have where what is behind them is counted here.
pub(crate) const MOST: u64 = 256;

/// The size of a pipe that was not enlarged.
const PIPE_PAGES: u64 = 16;
/// One file watched by one `epoll`.
const WATCH_BYTES: u64 = 256;
/// What the kernel keeps of a report on an `epoll` until its reader closes it: as much as can be added between two
/// looks.
const REPORT_BYTES: u64 = 4 << 20;
/// The same for other files of `/proc`.
const PROC_BYTES: u64 = 8 << 10;

/// What was found behind the descriptors of some processes. What several have open counts once.
#[derive(Default)]
pub(crate) struct Descriptors {
    buffers: HashSet<String>,
    bytes: u64,
}

impl Descriptors {
    /// Adds those of `process`, in all the tables that its threads have.
    pub(crate) fn add(&mut self, process: &Footprint) {
        self.add_table(process.task);
        for task in process.tasks() {
            if task != process.task && !is_same_table(process.task, task) {
                self.add_table(task);
            }
        }
    }

    /// Bytes behind all that were added.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn add_table(&mut self, task: i32) {
        let folder = format!("/proc/{task}/fd");
        let Ok(entries) = fs::read_dir(&folder) else {
            // Gone, or it cannot be looked into: then every descriptor but the usual three counts as a full socket.
            // Since Linux 6.2 the folder's size tells how many there are.
            let count = fs::metadata(&folder).map_or(0, |folder| folder.len());
            self.bytes += count.saturating_sub(3) * socket_bytes();
            return;
        };
        for entry in entries.flatten() {
            // Closed meanwhile, if it cannot be read.
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            // Of a named one, the name may be no text.
            let target = target.to_string_lossy();
            self.bytes += match &*target {
                "anon_inode:[eventpoll]" => watched(task, &entry.file_name().to_string_lossy()) * WATCH_BYTES,
                _ if target.starts_with("socket:") => self.once(target.into_owned(), socket_bytes()),
                _ if target.starts_with("pipe:") => self.once(target.into_owned(), pipe_bytes()),
                _ if target.starts_with("/proc/") && target.contains("/fdinfo/") => REPORT_BYTES,
                _ if target.starts_with("/proc/") => PROC_BYTES,
                _ if target.starts_with('/') => match fs::metadata(entry.path()) {
                    Ok(file) if file.file_type().is_fifo() => self.once(named_pipe(&file), pipe_bytes()),
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

fn named_pipe(file: &fs::Metadata) -> String {
    format!("{} {}", file.dev(), file.ino())
}

/// How many files an `epoll` watches.
fn watched(task: i32, descriptor: &str) -> u64 {
    let path = format!("/proc/{task}/fdinfo/{descriptor}");
    let Ok(report) = File::open(Path::new(&path)) else { return 0 };
    let lines = BufReader::with_capacity(1 << 16, report).split(b'\n');
    lines.map_while(Result::ok).filter(|line| line.starts_with(b"tfd:")).count() as u64
}

fn pipe_bytes() -> u64 {
    PIPE_PAGES * rustix::param::page_size() as u64
}

/// What a socket can have received and not read: the size of the other end's buffer, which programs cannot change.
fn socket_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let pair = UnixStream::pair().ok();
        let size = pair.and_then(|(end, _)| rustix::net::sockopt::socket_send_buffer_size(&end).ok());
        // As long as the buffer is not full, it takes one more message, which may be as large as the buffer.
        2 * size.unwrap_or(212_992) as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_own() -> u64 {
        let own = Footprint::of(std::process::id().cast_signed(), false).unwrap();
        let mut found = Descriptors::default();
        found.add(&own);
        found.bytes()
    }

    #[test]
    fn buffers_count_by_what_they_can_hold() {
        // Other tests of this process have descriptors too; as many as here, none has.
        let before = of_own();
        let sockets: Vec<_> = (0..50).map(|_| UnixStream::pair().unwrap()).collect();
        let with_sockets = of_own();
        assert!(with_sockets > before + 90 * 212_992, "{before} {with_sockets}");
        drop(sockets);
        let pipes: Vec<_> = (0..100).map(|_| std::io::pipe().unwrap()).collect();
        let with_pipes = of_own();
        assert!((90..150).contains(&(with_pipes.saturating_sub(before) >> 16)), "{before} {with_pipes}");
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
