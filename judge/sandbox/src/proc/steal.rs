//! Time that a hypervisor gave to others while a program was to run.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use crate::api::clock;

/// A count this old still stands for the present, and a shorter run is not looked at: the kernel counts in ticks of
/// 10 ms, and reading them takes as long as a very short run.
const FRESH: u64 = 20_000_000;

/// Reads the stolen time of one core, or of all.
pub(crate) struct Steal {
    /// `/proc/stat`.
    source: PathBuf,
    /// The first word of the core's line.
    line: String,
    /// Every core's line ends within this many bytes.
    most_bytes: usize,
    noted: Noted,
}

/// A count, and when it was read.
#[derive(Clone, Copy, Default)]
struct Noted {
    at: u64,
    ticks: Option<u64>,
}

impl Steal {
    /// Of the core that programs are tied to; `None`: they may run on any.
    pub(crate) fn of(core: Option<u64>) -> Steal {
        let line = core.map_or_else(|| "cpu".to_owned(), |core| format!("cpu{core}"));
        // Ten numbers of up to twenty digits each, for this core, those before it, and all together.
        let most_bytes = core.map_or(1, |core| core as usize + 2) * 256;
        Steal { source: "/proc/stat".into(), line, most_bytes, noted: Noted::default() }
    }

    /// A run is about to begin.
    pub(crate) fn begin(&mut self) {
        if clock::now().saturating_sub(self.noted.at) > FRESH {
            self.noted = self.read();
        }
    }

    /// Nanoseconds stolen since [`Steal::begin`], of a run that took so long; `None` for a short one, and where the
    /// kernel does not tell.
    pub(crate) fn end(&mut self, wall: Duration) -> Option<Duration> {
        if wall < Duration::from_nanos(FRESH) {
            return None;
        }
        let now = self.read();
        let before = std::mem::replace(&mut self.noted, now);
        let ticks = self.noted.ticks?.checked_sub(before.ticks?)?;
        Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100))
    }

    fn read(&self) -> Noted {
        let text = self.beginning().unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(&self.line)?.strip_prefix(' '));
        let at = clock::now();
        // User, nice, system, idle, waiting, interrupts, soft interrupts, stolen.
        let ticks = line.and_then(|line| line.split_whitespace().nth(7)?.parse().ok());
        Noted { at, ticks }
    }

    /// The lines of cores, and some of what follows them, by one read: the kernel does not say how long the file is, and the
    /// pieces of one of unknown length begin small.
    fn beginning(&self) -> std::io::Result<String> {
        let mut bytes = vec![0; self.most_bytes];
        let length = File::open(&self.source)?.read(&mut bytes)?;
        bytes.truncate(length);
        String::from_utf8(bytes).map_err(|_| std::io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn stolen_time_is_that_of_the_core_between_begin_and_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let machine = |all: u64, first: u64| {
            let text = format!("cpu  9 9 9 9 9 9 9 {all} 0 0\ncpu0 1 2 3 4 5 6 7 {first} 0 0\ncpu01 0 0 0 0 0 0 0 5\n");
            fs::write(file.path(), text).unwrap();
        };
        let mut one = Steal { source: file.path().to_owned(), ..Steal::of(Some(0)) };
        let mut all = Steal { source: file.path().to_owned(), ..Steal::of(None) };
        let mut absent = Steal { source: file.path().to_owned(), ..Steal::of(Some(7)) };
        machine(100, 10);
        for steal in [&mut one, &mut all, &mut absent] {
            steal.begin();
        }
        machine(140, 13);
        let second = Duration::from_secs(1);
        assert_eq!(one.end(Duration::from_millis(1)), None, "too short to tell");
        assert_eq!(one.end(second), Some(Duration::from_millis(30)));
        assert_eq!(one.end(second), Some(Duration::ZERO), "counted once");
        assert_eq!(all.end(second), Some(Duration::from_millis(400)));
        assert_eq!(absent.end(second), None);
    }
}
