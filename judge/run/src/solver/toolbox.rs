//! Where solvers are built, and the cache of compiled programs.
//!
//! An entry of the cache is one file, named by the hash of everything that it was made from. It begins with the hash of
//! its own content. It is written under a temporary name and then renamed, so that a reader finds a complete entry or
//! none. A damaged entry is made again. Only the user can write to the folder; otherwise it is not used.

use crate::files::make_readable;
use judge_problem::{
    BundledSolver, Bytes, CacheSummary, CompileLimits, Digest, LanguageChoice, Languages, built_in_languages,
};
use judge_sandbox::{Tier, WorkFile};
use rustix::fs::{Mode, OFlags};
use std::fs::{DirBuilder, File, Metadata, Permissions, read_dir, set_permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// How solvers are built. By default: in the built-in languages, without limits that a problem would set, and without a
/// cache.
#[derive(Debug, Default)]
pub struct BuildSettings {
    /// The available languages; `None`: the built-in ones.
    pub languages: Option<Languages>,
    /// The languages that the user chose.
    pub choices: Vec<LanguageChoice>,
    /// The limits of compilers.
    pub compiler: CompileLimits,
    /// The maximal number of bytes of a solver's sources; `None`: as many as a compiler accepts.
    pub source: Option<Bytes>,
    /// The memory limit of solvers, without allowances; `None`: unlimited.
    pub memory: Option<Bytes>,
    /// The solvers that come with the judge: `bundled:ID` names one.
    pub bundled: &'static [BundledSolver],
    /// The folder for compiled programs; `None`: they are not kept. It is opened when something is compiled.
    pub cache: Option<PathBuf>,
}

impl BuildSettings {
    /// Returns the available languages. The built-in ones are read on first use.
    pub fn languages(&self) -> &Languages {
        self.languages.as_ref().unwrap_or_else(|| built_in_languages())
    }
}

/// Builds solvers in a temporary folder that is removed with the toolbox.
#[derive(Debug)]
pub struct Toolbox {
    /// Made on first use. Most solvers are programs already, which every user can read.
    build_folder: OnceLock<BuildFolder>,
    /// Whether programs reach their files through the folders above them, as another user.
    pub(super) needs_open_parents: bool,
    pub(super) settings: BuildSettings,
    /// Set once something was compiled.
    cache: OnceLock<Result<Cache, String>>,
    /// Why the first entry could not be written that was refused.
    unwritten: OnceLock<String>,
}

impl Toolbox {
    /// Returns an empty toolbox for the programs of a sandbox of this tier.
    pub fn new(tier: Tier, settings: BuildSettings) -> Self {
        let needs_open_parents = rustix::process::geteuid().is_root() && !tier.has_namespaces();
        Self {
            build_folder: OnceLock::new(),
            needs_open_parents,
            settings,
            cache: OnceLock::new(),
            unwritten: OnceLock::new(),
        }
    }

    /// Returns how solvers are built.
    pub fn settings(&self) -> &BuildSettings {
        &self.settings
    }

    /// Returns the cache, if it is wanted and can be used.
    pub(super) fn cache(&self) -> Option<&Cache> {
        let place = self.settings.cache.as_ref()?;
        let open = || Cache::open(place).map_err(|error| format!("{}: {error}", place.display()));
        self.cache.get_or_init(open).as_ref().ok()
    }

    /// Stores an entry in the cache, if it can be used. Without the entry, the next run compiles again.
    pub(super) fn store(&self, key: &Digest, files: &[WorkFile]) {
        let Some(cache) = self.cache() else { return };
        if let Err(error) = cache.store(key, files) {
            let _ = self.unwritten.set(format!("{}: {error}", cache.path.display()));
        }
    }

    /// Returns why the cache could not be used, if the judge tried to use it.
    pub fn cache_failure(&self) -> Option<&str> {
        let unopened = self.cache.get().and_then(|cache| cache.as_ref().err());
        unopened.or_else(|| self.unwritten.get()).map(String::as_str)
    }

    /// Returns a path relative to its build folder, if it is in one. It is the same for every toolbox.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let mut below = path.strip_prefix(&self.build_folder.get()?.path).ok()?.components();
        below.next();
        Some(below.as_path().to_owned())
    }

    /// Returns a copy of a file that every user can read, and execute if its owner can.
    pub(super) fn copy(&self, file: &Path) -> io::Result<PathBuf> {
        let folder = self.new_folder()?;
        let copy = folder.join(file.file_name().unwrap_or(file.as_os_str()));
        std::fs::copy(file, &copy)?;
        share(&folder)?;
        Ok(copy)
    }

    /// Stores files in a new folder. Every user can read and execute them: in some tiers a linker cannot set the mode.
    pub(super) fn keep(&self, files: &[WorkFile]) -> io::Result<PathBuf> {
        let folder = self.new_folder()?;
        for file in files {
            let path = folder.join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            std::fs::write(&path, &file.bytes)?;
            set_permissions(&path, Permissions::from_mode(0o755))?;
        }
        share(&folder)?;
        Ok(folder)
    }

    fn new_folder(&self) -> io::Result<PathBuf> {
        Ok(tempfile::Builder::new().prefix("built-").tempdir_in(self.build_folder()?)?.keep())
    }

    fn build_folder(&self) -> io::Result<&Path> {
        if let Some(build_folder) = self.build_folder.get() {
            return Ok(&build_folder.path);
        }
        let made = BuildFolder::make(self.needs_open_parents)?;
        // Solvers are built in parallel. A second folder is removed again.
        Ok(&self.build_folder.get_or_init(|| made).path)
    }
}

/// The folder for builds. No other user of the machine can read it. With namespaces, the sandbox shows the files
/// without the folders above them. Without namespaces, a program that root starts runs as another user and passes
/// through these folders; one of their names is random, so that others cannot guess it.
#[derive(Debug)]
struct BuildFolder {
    /// The temporary folder itself, or one in it.
    path: PathBuf,
    /// Removed with the build folder.
    _folder: TempDir,
}

impl BuildFolder {
    fn make(needs_open_parents: bool) -> io::Result<Self> {
        // If the judge is killed, the next judge's sweep removes it.
        let prefix = judge_sandbox::sweepable_name("build") + ".";
        let mode = |mode| Permissions::from_mode(mode);
        let folder = tempfile::Builder::new().prefix(&prefix).permissions(mode(0o700)).tempdir()?;
        // A program gets its files by paths without links.
        let mut path = folder.path().canonicalize()?;
        if needs_open_parents {
            let mut secret = [0; 16];
            File::open("/dev/urandom")?.read_exact(&mut secret)?;
            path.push(format!("{:032x}", u128::from_ne_bytes(secret)));
            std::fs::create_dir(&path)?;
            for folder in [folder.path(), &path] {
                set_permissions(folder, mode(0o711))?;
            }
        }
        Ok(Self { path, _folder: folder })
    }
}

/// Makes the files readable for all users in spite of the umask, because the solver runs as another user in the sandbox.
fn share(folder: &Path) -> io::Result<()> {
    set_permissions(folder, Permissions::from_mode(0o755))?;
    for entry in read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            share(&path)?;
        } else {
            make_readable(&path)?;
        }
    }
    Ok(())
}

/// The most bytes of all entries together. The least recently used ones are removed first.
const BOUND: Bytes = Bytes(1 << 30);

/// The environment variable that names the folder.
const VARIABLE: &str = "JUDGE_CACHE";

/// The folder of entries within the cache.
const PROGRAMS: &str = "programs";

/// A cache of compiled programs.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    /// The path of the descriptor. The folder is open, so that nobody can put another in its place.
    folder: PathBuf,
    _open: OwnedFd,
    bound: Bytes,
}

/// A file of the folder.
struct Entry {
    name: String,
    bytes: u64,
    /// When it was last written or found.
    used: SystemTime,
}

impl Cache {
    /// Returns where the cache of this user is: `$JUDGE_CACHE`, or `judge` in `$XDG_CACHE_HOME` or `~/.cache`.
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
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = rustix::fs::open(&path, flags, Mode::empty())?;
        let (stat, shown) = (rustix::fs::fstat(&open)?, path.display());
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other(format!("{shown} belongs to another user")));
        }
        if stat.st_mode & 0o077 != 0 {
            return Err(io::Error::other(format!("{shown} is open to other users; run chmod 700 {shown}")));
        }
        Ok(Self { folder: format!("/proc/self/fd/{}", open.as_raw_fd()).into(), _open: open, path, bound })
    }

    /// Returns the files of an entry. One that is damaged is removed.
    pub(super) fn find(&self, key: &Digest) -> Option<Vec<WorkFile>> {
        let (name, mut bytes) = (key.to_string(), Vec::new());
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mut file = File::options().read(true).custom_flags(flags).open(self.folder.join(&name)).ok()?;
        file.read_to_end(&mut bytes).ok()?;
        let files = unpack(key, &bytes);
        match files {
            Some(_) => drop(file.set_modified(SystemTime::now())),
            None => self.remove(&name),
        }
        files
    }

    /// Stores an entry, and removes old ones until all fit. An entry that is too large is not stored.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn store(&self, key: &Digest, files: &[WorkFile]) -> io::Result<()> {
        let bytes = pack(key, files)?;
        if bytes.len() as u64 > self.bound.0 {
            return Ok(());
        }
        // Other processes see all of it or nothing.
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(&bytes)?;
        file.persist(self.folder.join(key.to_string()))?;
        let mut entries = self.entries();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
        let mut total = 0;
        for entry in entries {
            total += entry.bytes;
            if total > self.bound.0 {
                self.remove(&entry.name);
            }
        }
        Ok(())
    }

    /// Returns the size of the cache.
    pub fn summary(&self) -> CacheSummary {
        let entries = self.entries();
        CacheSummary {
            folder: self.path.clone(),
            programs: entries.len(),
            bytes: Bytes(entries.iter().map(|entry| entry.bytes).sum()),
            bound: self.bound,
        }
    }

    /// Removes every entry.
    pub fn clear(&self) {
        self.entries().iter().for_each(|entry| self.remove(&entry.name));
    }

    /// Removes a file, if it is there.
    fn remove(&self, name: &str) {
        let _ = std::fs::remove_file(self.folder.join(name));
    }

    /// Returns every finished file, and removes what a killed process has left.
    fn entries(&self) -> Vec<Entry> {
        let found = read_dir(&self.folder).into_iter().flatten().flatten().filter_map(|entry| {
            // The folder may also contain files of the user.
            let is_own = |name: &String| name.starts_with(UNFINISHED) || name.parse::<Digest>().is_ok();
            let name = entry.file_name().into_string().ok().filter(is_own)?;
            let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
            Some(Entry { name, bytes: metadata.len(), used: metadata.modified().ok()? })
        });
        let (unfinished, finished): (Vec<_>, Vec<_>) = found.partition(|found| found.name.starts_with(UNFINISHED));
        let is_old = |found: &&Entry| found.used.elapsed().is_ok_and(|age| age > ABANDONED);
        unfinished.iter().filter(is_old).for_each(|found| self.remove(&found.name));
        finished
    }
}

/// The beginning of the names of entries that are being written.
const UNFINISHED: &str = ".judge-unfinished-";

/// After this time, an unfinished entry counts as left by a killed process.
const ABANDONED: Duration = Duration::from_secs(600);

/// Packs the files of the entry with this key.
fn pack(key: &Digest, files: &[WorkFile]) -> io::Result<Vec<u8>> {
    let content = postcard::to_stdvec(files).map_err(io::Error::other)?;
    Ok([&hash(key, &content).0[..], &content].concat())
}

/// Returns the files of an entry; `None` if it is incomplete, or not the entry of this key. Their paths stay within their
/// folder.
fn unpack(key: &Digest, bytes: &[u8]) -> Option<Vec<WorkFile>> {
    let (expected, content) = bytes.split_at_checked(key.0.len())?;
    let files: Vec<WorkFile> = postcard::from_bytes(content).ok().filter(|_| hash(key, content).0 == *expected)?;
    let stays = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    files.iter().all(|file| stays(&file.path) && !file.path.as_os_str().is_empty()).then_some(files)
}

fn hash(key: &Digest, content: &[u8]) -> Digest {
    Digest::of_parts([&key.0[..], content])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

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
    fn files_of_the_user_stay() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::open(place.path()).unwrap();
        let own = ["thesis.tex", "new-chapter"].map(|name| place.path().join(PROGRAMS).join(name));
        for file in &own {
            std::fs::write(file, "text").unwrap();
            let written = std::fs::File::open(file).unwrap();
            written.set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        }
        cache.store(&key("a"), &program(b"one")).unwrap();
        assert_eq!(cache.summary().programs, 1);
        cache.clear();
        assert!(own.iter().all(|file| file.exists()) && cache.find(&key("a")).is_none());
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let place = tempfile::tempdir().unwrap();
        let one = pack(&key("a"), &program(&[0; 100])).unwrap().len() as u64;
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
