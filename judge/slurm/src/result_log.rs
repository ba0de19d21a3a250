//! The file to which a task writes its results: entries one after the other, each with its length and hash. It has one
//! writer, is only appended to, and needs no lock. However the task ends, all entries except the last are complete, and
//! a reader stops before an incomplete one.

use judge_problem::{Digest, Evidence, FinishedJob, JobId, Node};
use judge_run::runner::{ResultStore, StoreLost, was_interrupted};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The lengths of an entry and of its answer, and the start of their hash.
const HEAD: usize = 8 + 8 + 16;

/// The length that means "no answer".
const NO_ANSWER: u64 = u64::MAX;

/// The maximal number of bytes that are read at once.
const READ_BYTES: u64 = 16 << 20;

/// How long a result is held before it is written. It is dropped if the task is told to end meanwhile. A cluster
/// signals all processes of a task, including its solvers and checkers, so their last results are wrong.
const HOLD_TIME: Duration = Duration::from_millis(150);

/// How often held results are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The log of a task, to be written.
#[derive(Debug)]
pub struct ResultLog {
    log: Arc<Mutex<LogFile>>,
    /// The places in the whole plan of the cases that are played now.
    places: Mutex<Vec<usize>>,
}

#[derive(Debug)]
struct LogFile {
    file: File,
    held: VecDeque<(Instant, Vec<u8>)>,
    /// Why the file can no longer be written.
    failed: Option<String>,
}

impl ResultLog {
    /// Makes the file of a task.
    ///
    /// # Errors
    /// When it cannot be made, or is there already.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        let log = Arc::new(Mutex::new(LogFile { file, held: VecDeque::new(), failed: None }));
        let written = Arc::downgrade(&log);
        std::thread::Builder::new().spawn(move || {
            while let Some(log) = written.upgrade() {
                log.lock().write_held();
                drop(log);
                std::thread::sleep(POLL_INTERVAL);
            }
        })?;
        Ok(Self { log, places: Mutex::default() })
    }

    /// Writes an entry at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, entry: &Entry) -> io::Result<()> {
        let mut log = self.log.lock();
        log.file.write_all(&packed(entry, None)?)?;
        log.file.sync_data()
    }

    /// Sets the places in the whole plan of the cases that are played next.
    pub(super) fn set_places(&self, places: Vec<usize>) {
        *self.places.lock() = places;
    }

    /// Waits until everything is written.
    pub(super) fn finish(&self) -> io::Result<()> {
        while !self.log.lock().held.is_empty() {
            std::thread::sleep(POLL_INTERVAL);
        }
        self.log.lock().failed.take().map_or(Ok(()), |why| Err(io::Error::other(why)))
    }

    fn hold(&self, batch: &[FinishedJob]) -> io::Result<()> {
        let places = self.places.lock();
        let mut log = self.log.lock();
        if let Some(why) = &log.failed {
            return Err(io::Error::other(why.clone()));
        }
        for finished in batch {
            let FinishedJob { job, outcome, features, evidence } = finished;
            let job = JobId { case: places[job.case], ..*job };
            let written = Box::new(Evidence { input: evidence.input, ..Evidence::default() });
            let (outcome, features) = (outcome.clone(), features.clone());
            let entry = Entry::Finished(FinishedJob { job, outcome, features, evidence: written });
            let bytes = packed(&entry, evidence.answer.as_deref())?;
            log.held.push_back((Instant::now(), bytes));
        }
        Ok(())
    }
}

impl LogFile {
    /// Writes the results that were held long enough. Drops all held results if the task was told to end.
    fn write_held(&mut self) {
        if was_interrupted() || self.failed.is_some() {
            self.held.clear();
            return;
        }
        let mut bytes = Vec::new();
        while self.held.front().is_some_and(|(came, _)| came.elapsed() >= HOLD_TIME) {
            bytes.extend(self.held.pop_front().into_iter().flat_map(|(_, entry)| entry));
        }
        // On a network file system, others see written data once it is synchronized.
        let write = |file: &mut File| file.write_all(&bytes).and_then(|()| file.sync_data());
        if !bytes.is_empty()
            && let Err(error) = write(&mut self.file)
        {
            self.failed = Some(error.to_string());
        }
    }
}

impl ResultStore for ResultLog {
    fn is_active(&self) -> bool {
        true
    }

    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost> {
        self.hold(batch).map_err(|error| StoreLost(error.to_string()))
    }
}

fn packed(entry: &Entry, answer: Option<&[u8]>) -> io::Result<Vec<u8>> {
    let text = serde_json::to_vec(entry)?;
    let answer = answer.map(lz4_flex::compress_prepend_size);
    let length = answer.as_ref().map_or(NO_ANSWER, |answer| answer.len() as u64);
    let mut bytes = [(text.len() as u64).to_le_bytes(), length.to_le_bytes()].concat();
    let answer = answer.unwrap_or_default();
    let hash = Digest::of_parts([&bytes[..], &text, &answer]);
    bytes.extend_from_slice(&hash.0[..16]);
    bytes.extend(text);
    bytes.extend(answer);
    Ok(bytes)
}

/// An entry, with the answer that follows it.
type AnsweredEntry = (Entry, Option<Vec<u8>>);

/// Reads the file of a task as it grows.
#[derive(Debug)]
pub(super) struct LogReader {
    path: PathBuf,
    /// How many bytes were read.
    pub(super) offset: u64,
    /// The incomplete rest.
    rest: Vec<u8>,
}

impl LogReader {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, rest: Vec::new() }
    }

    /// Returns the entries that have become whole since the last time, each with its answer.
    pub(super) fn read(&mut self) -> io::Result<Vec<AnsweredEntry>> {
        // Opened again, so that a network file system asks the server for the length.
        let mut file = File::open(&self.path)?;
        if file.metadata()?.len() <= self.offset {
            return Ok(Vec::new());
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let before = self.rest.len();
        file.take(READ_BYTES).read_to_end(&mut self.rest)?;
        self.offset += (self.rest.len() - before) as u64;
        let (mut entries, mut taken) = (Vec::new(), 0);
        while let Some((entry, length)) = unpacked(&self.rest[taken..]) {
            entries.push(entry);
            taken += length;
        }
        self.rest.drain(..taken);
        Ok(entries)
    }
}

/// Returns the first entry with its answer, and its length; `None` unless it is whole.
fn unpacked(bytes: &[u8]) -> Option<(AnsweredEntry, usize)> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (text, answer) = (number(0)?, number(8)?);
    let has_answer = answer != NO_ANSWER;
    let text_end = HEAD.checked_add(usize::try_from(text).ok()?)?;
    let end = text_end.checked_add(if has_answer { usize::try_from(answer).ok()? } else { 0 })?;
    let (text, answer) = (bytes.get(HEAD..text_end)?, bytes.get(text_end..end)?);
    if Digest::of_parts([&bytes[..16], text, answer]).0[..16] != bytes[16..HEAD] {
        return None;
    }
    let answer = if has_answer { Some(lz4_flex::decompress_size_prepended(answer).ok()?) } else { None };
    Some(((serde_json::from_slice(text).ok()?, answer), end))
}

/// An entry in the log of a task.
#[derive(Debug, Serialize, Deserialize)]
pub enum Entry {
    /// Where it runs: its first entry.
    Began(Node),
    /// The result of a job, whose case is the place in the whole plan. The answer follows the entry.
    Finished(FinishedJob),
    /// It cannot play anything, and why.
    Failed {
        /// The node that it runs on.
        node: String,
        /// The error.
        error: String,
        /// The remedy.
        hint: Option<String>,
        /// Whether the arguments are at fault, or else the machine.
        usage: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{Outcome, Verdict};

    fn finished(case: usize, answer: &[u8]) -> FinishedJob {
        let outcome = Outcome {
            score: Some("123456789012345678901234567890.5".parse().unwrap()),
            cpu: Some(Duration::from_micros(1234)),
            ..Outcome::without_run(Verdict::Accepted, String::new())
        };
        let evidence = Evidence { input: Some(Digest::of(b"x")), answer: Some(answer.to_vec()), ..Evidence::default() };
        FinishedJob { job: JobId { case, solver: 0 }, outcome, features: None, evidence: Box::new(evidence) }
    }

    #[test]
    fn a_log_is_read_as_it_grows_byte_by_byte() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, growing) = (folder.path().join("whole"), folder.path().join("growing"));
        let log = ResultLog::create(&whole).unwrap();
        log.set_places(vec![7, 9]);
        log.store(&[finished(0, b"one\xff"), finished(1, b"")]).unwrap();
        log.finish().unwrap();
        assert!(ResultLog::create(&whole).is_err(), "a log has one writer");
        let bytes = std::fs::read(&whole).unwrap();
        let (mut reader, mut found) = (LogReader::new(growing.clone()), Vec::new());
        for end in 0..=bytes.len() {
            std::fs::write(&growing, &bytes[..end]).unwrap();
            found.extend(reader.read().unwrap());
        }
        let jobs: Vec<_> = found
            .into_iter()
            .map(|(entry, answer)| match entry {
                Entry::Finished(mut job) => {
                    job.evidence.answer = answer;
                    job
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(jobs.iter().map(|job| job.job.case).collect::<Vec<_>>(), [7, 9]);
        assert_eq!(jobs[0].outcome, finished(0, b"").outcome);
        assert_eq!(jobs[0].evidence.answer.as_deref(), Some(&b"one\xff"[..]));
        assert_eq!(
            (jobs[1].evidence.answer.as_deref(), jobs[1].evidence.input),
            (Some(&b""[..]), Some(Digest::of(b"x")))
        );
    }

    #[test]
    fn a_damaged_entry_is_not_read() {
        let entry = Entry::Failed { node: "n1".to_owned(), error: "x".to_owned(), hint: None, usage: true };
        let bytes = packed(&entry, Some(b"answer")).unwrap();
        assert!(unpacked(&bytes).is_some());
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(unpacked(&damaged).is_none(), "{place}");
        }
        assert!(unpacked(&[0; 1000]).is_none(), "a hole");
    }
}
