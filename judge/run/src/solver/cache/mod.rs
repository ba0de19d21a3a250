//! Compiled programs, kept from run to run.
//!
//! An entry is one file, named by the hash of everything that it was made from. It begins with the hash of its own
//! content, and is written beside its place and then moved there: a reader finds a whole entry or none, and one that is
//! damaged is made anew. The folder belongs to the user alone; one that others could write to is not used.

mod entry;
mod folder;

use folder::Folder;
use judge_problem::{Bytes, CacheSummary, Digest};
use judge_sandbox::WorkFile;
use std::io;
use std::path::{Path, PathBuf};

/// The most bytes of all entries together; those that were not used for the longest time go first.
const BOUND: Bytes = Bytes(1 << 30);

/// The environment variable that names the folder.
const VARIABLE: &str = "JUDGE_CACHE";

/// The folder of entries within the cache.
const PROGRAMS: &str = "programs";

/// A cache of compiled programs.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    folder: Folder,
    bound: Bytes,
}

impl Cache {
    /// Returns where the cache of this user is: `$JUDGE_CACHE`, or `judge` in `$XDG_CACHE_HOME` or `~/.cache`.
    #[must_use]
    pub fn place() -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let shared = || variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let home = || Some(shared().or_else(|| Some(variable("HOME")?.join(".cache")))?.join("judge"));
        variable(VARIABLE).and_then(|path| std::path::absolute(path).ok()).or_else(home)
    }

    /// Opens the cache at this place, and makes its folders if they are missing.
    ///
    /// # Errors
    /// When they cannot be made, or other users can write to them.
    pub fn open(place: &Path) -> io::Result<Self> {
        Self::bounded(place, BOUND)
    }

    fn bounded(place: &Path, bound: Bytes) -> io::Result<Self> {
        let path = place.join(PROGRAMS);
        Ok(Self { folder: Folder::open(&path)?, path, bound })
    }

    /// Returns the files of an entry. One that is damaged is removed.
    pub(super) fn find(&self, key: &Digest) -> Option<Vec<WorkFile>> {
        let name = key.to_string();
        let bytes = self.folder.read(&name)?;
        let files = entry::unpack(key, &bytes);
        match files {
            Some(_) => self.folder.touch(&name),
            None => self.folder.remove(&name),
        }
        files
    }

    /// Stores an entry, and removes old ones until all have room. One that is too large is not stored.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn store(&self, key: &Digest, files: &[WorkFile]) -> io::Result<()> {
        let bytes = entry::pack(key, files);
        if bytes.len() as u64 > self.bound.0 {
            return Ok(());
        }
        self.folder.write(&key.to_string(), &bytes)?;
        let mut entries = self.folder.entries();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
        let mut total = 0;
        for entry in entries {
            total += entry.bytes;
            if total > self.bound.0 {
                self.folder.remove(&entry.name);
            }
        }
        Ok(())
    }

    /// Returns what is in the cache.
    #[must_use]
    pub fn summary(&self) -> CacheSummary {
        let entries = self.folder.entries();
        CacheSummary {
            folder: self.path.clone(),
            programs: entries.len(),
            bytes: Bytes(entries.iter().map(|entry| entry.bytes).sum()),
            bound: self.bound,
        }
    }

    /// Removes every entry.
    pub fn clear(&self) {
        self.folder.entries().iter().for_each(|entry| self.folder.remove(&entry.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, SystemTime};

    fn key(text: &str) -> Digest {
        Digest::of(text.as_bytes())
    }

    fn program(bytes: &[u8]) -> Vec<WorkFile> {
        vec![WorkFile { path: "a/main".into(), bytes: bytes.to_vec(), executable: true }]
    }

    #[test]
    fn a_program_is_found_again_by_its_key_alone() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::open(&place.path().join("deep/cache")).unwrap();
        assert_eq!(cache.find(&key("a")), None);
        cache.store(&key("a"), &program(b"one")).unwrap();
        cache.store(&key("a"), &program(b"one")).unwrap();
        assert_eq!(cache.find(&key("a")), Some(program(b"one")));
        assert_eq!((cache.find(&key("b")), cache.summary().programs), (None, 1));
        cache.clear();
        assert_eq!((cache.find(&key("a")), cache.summary().programs, cache.summary().bytes), (None, 0, Bytes(0)));
    }

    #[test]
    fn a_damaged_or_foreign_entry_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::open(place.path()).unwrap();
        let path = |text: &str| place.path().join(PROGRAMS).join(key(text).to_string());
        cache.store(&key("a"), &program(b"one")).unwrap();
        let whole = std::fs::read(path("a")).unwrap();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(path("a"), &damaged).unwrap();
            assert_eq!(cache.find(&key("a")), None, "{place}");
            assert!(!path("a").exists());
        }
        std::fs::write(path("a"), &whole[..whole.len() - 1]).unwrap();
        assert_eq!(cache.find(&key("a")), None);
        std::fs::write(path("b"), &whole).unwrap();
        assert_eq!(cache.find(&key("b")), None, "it is the entry of another key");
        std::fs::write(place.path().join("elsewhere"), &whole).unwrap();
        symlink(place.path().join("elsewhere"), path("a")).unwrap();
        assert_eq!(cache.find(&key("a")), None, "a link");
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let place = tempfile::tempdir().unwrap();
        let one = entry::pack(&key("a"), &program(&[0; 100])).len() as u64;
        let cache = Cache::bounded(place.path(), Bytes(2 * one)).unwrap();
        let age = |text: &str, seconds: u64| {
            let file = std::fs::File::open(place.path().join(PROGRAMS).join(key(text).to_string())).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        for (text, seconds) in [("a", 20), ("b", 10)] {
            cache.store(&key(text), &program(&[0; 100])).unwrap();
            age(text, seconds);
        }
        assert!(cache.find(&key("a")).is_some(), "this counts as a use");
        cache.store(&key("c"), &program(&[0; 100])).unwrap();
        let left = ["a", "b", "c"].map(|text| cache.find(&key(text)).is_some());
        assert_eq!(left, [true, false, true]);
        cache.store(&key("large"), &program(&[0; 1000])).unwrap();
        assert_eq!((cache.find(&key("large")), cache.summary().programs), (None, 2));
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let place = tempfile::tempdir().unwrap();
        let programs = place.path().join(PROGRAMS);
        drop(Cache::open(place.path()).unwrap());
        assert_eq!(std::fs::metadata(&programs).unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::set_permissions(&programs, PermissionsExt::from_mode(0o770)).unwrap();
        let refused = Cache::open(place.path()).unwrap_err().to_string();
        assert!(refused.contains("chmod 700"), "{refused}");
        std::fs::remove_dir(&programs).unwrap();
        symlink("/tmp", &programs).unwrap();
        assert!(Cache::open(place.path()).is_err(), "a link");
    }

    #[test]
    fn many_writers_and_readers_see_whole_entries() {
        let place = tempfile::tempdir().unwrap();
        let files = program(&[7; 100_000]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = Cache::open(place.path()).unwrap();
                    for _ in 0..20 {
                        cache.store(&key("a"), &files).unwrap();
                        assert_eq!(cache.find(&key("a")).as_ref(), Some(&files));
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(place.path().join(PROGRAMS)).unwrap().count(), 1);
    }
}
