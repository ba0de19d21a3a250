//! Caches which tier works, for later starts in the same environment. Trying a tier takes longer than the rest of a
//! start.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cgroup::site::Site;
use crate::procfs::text;
use crate::protocol::{self, Message};
use crate::tier::{Gap, Options, Tier};

/// How long an entry is valid. Some changes of the environment cannot be seen.
const LIFETIME: Duration = Duration::from_secs(600);

/// A longer file was not written by this crate.
const MAX_BYTES: u64 = 1 << 20;

/// Files that decide which tiers work. They are compared as a whole.
const FILES: [&str; 9] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/self/mountinfo",
    "/proc/self/cgroup",
    "/proc/self/limits",
    "/proc/self/attr/current",
    // Settings that `judge doctor` suggests to change.
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/user/max_user_namespaces",
];

/// Beginnings of lines of `/proc/self/status`: users, capabilities, filters, cores.
const STATUS: [&str; 7] = ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp", "Cpus_allowed:"];

const NAMESPACES: [&str; 4] = ["cgroup", "mnt", "pid", "user"];

/// Variables that change what the C library does.
const VARIABLES: [&str; 3] = ["LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD"];

/// The result of trying a tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CachedTier {
    pub(crate) tier: Tier,
    pub(crate) site: Option<Site>,
    pub(crate) gaps: Vec<Gap>,
}

/// A file with one entry, and the environment that it was made in. The file is named by a hash of the environment, so
/// that several environments have an entry each.
pub(crate) struct TierCache {
    pub(crate) file: PathBuf,
    surroundings: String,
}

impl TierCache {
    /// The entry for these options. `executable` and `scratch` are the paths that follow from the options. `None` if
    /// the options want no cache, or if the environment cannot be read.
    pub(crate) fn for_options(options: &Options, executable: &Path, scratch: &Path) -> Option<TierCache> {
        let folder = options.tier_cache.as_ref()?;
        let surroundings = surroundings(options, executable, scratch).ok()?;
        let mut hasher = DefaultHasher::new();
        surroundings.hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        Some(TierCache { file, surroundings })
    }

    /// The entry, if it is recent and was made in the same environment.
    pub(crate) fn load(&self) -> Option<CachedTier> {
        let file =
            File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&self.file).ok()?;
        let stat = file.metadata().ok()?;
        // The entry of another user could contain anything.
        let is_own = stat.is_file() && stat.uid() == rustix::process::geteuid().as_raw();
        if !is_own || !is_recent(&stat) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let entry: Entry = protocol::decode(&bytes).ok()?;
        (entry.surroundings == self.surroundings).then_some(entry.tier)
    }

    /// Replaces the entry. If nothing can be written, the next start tries again.
    pub(crate) fn store(&self, tier: &CachedTier) {
        let entry = Message::new(&Entry { surroundings: self.surroundings.clone(), tier: tier.clone() });
        // Written to a new file, so that a concurrent reader sees the old entry complete.
        let write = || -> io::Result<()> {
            let folder = self.file.parent().unwrap_or(&self.file);
            fs::create_dir_all(folder)?;
            remove(folder, |file| file == self.file || !fs::metadata(file).is_ok_and(|stat| is_recent(&stat)));
            File::options().write(true).create_new(true).mode(0o600).open(&self.file)?.write_all(entry.content())
        };
        let _ = write();
    }
}

fn is_recent(stat: &fs::Metadata) -> bool {
    stat.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age < LIFETIME))
}

/// Removes some of the entries in `folder`.
fn remove(folder: &Path, which: impl Fn(&Path) -> bool) {
    let is_kept = |name: &str| name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_kept)).map(|entry| entry.path()) {
        if which(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes all entries in `folder`.
pub(crate) fn forget_all(folder: &Path) {
    remove(folder, |_| true);
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    surroundings: String,
    tier: CachedTier,
}

/// Everything readable that may influence the result of a trial.
fn surroundings(options: &Options, executable: &Path, scratch: &Path) -> io::Result<String> {
    let program = fs::metadata(executable)?;
    let inode = |name| fs::metadata(format!("/proc/self/ns/{name}")).map(|namespace| namespace.ino());
    let status = text("/proc/self/status")?;
    let is_relevant = |line: &&str| STATUS.iter().any(|beginning| line.starts_with(beginning));
    let all = (
        env!("CARGO_PKG_VERSION"),
        options.tier,
        options.allow_unsafe,
        scratch,
        (program.dev(), program.ino(), program.ctime(), program.ctime_nsec()),
        NAMESPACES.into_iter().map(inode).collect::<io::Result<Vec<u64>>>()?,
        // A file that this kernel does not have is the same as an empty one.
        FILES.map(|path| text(path).unwrap_or_default()),
        status.lines().filter(is_relevant).collect::<Vec<_>>(),
        VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default()),
    );
    Ok(format!("{all:?}"))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::cgroup::site::Version;
    use crate::tier::TierChoice;

    fn cache(folder: &Path, tier: Tier) -> TierCache {
        let options =
            Options { tier: TierChoice::Forced(tier), tier_cache: Some(folder.to_owned()), ..Options::default() };
        TierCache::for_options(&options, Path::new("/proc/self/exe"), Path::new("/tmp")).unwrap()
    }

    fn sample_entry() -> CachedTier {
        let site = Site { version: Version::Two, memory: "/a".into(), pids: None, cpu: Some("/b".into()) };
        let gap = |what, meaning: &str| Gap { what: Cow::Borrowed(what), meaning: meaning.to_owned() };
        CachedTier { tier: Tier::Root, site: Some(site), gaps: vec![gap("user", "ä"), gap("", "")] }
    }

    #[test]
    fn what_was_found_is_recalled_in_the_same_surroundings_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("deep/er");
        let (root, bare) = (cache(&folder, Tier::Root), cache(&folder, Tier::Bare));
        assert_eq!(root.load(), None, "nothing is there yet");
        root.store(&sample_entry());
        assert_eq!((root.load(), bare.load()), (Some(sample_entry()), None), "another tier was asked for");
        let other = CachedTier { tier: Tier::Bare, site: None, gaps: Vec::new() };
        bare.store(&other);
        assert_eq!((root.load(), bare.load()), (Some(sample_entry()), Some(other.clone())));
        root.store(&other);
        assert_eq!(root.load(), Some(other), "the last one counts");
        let alike = TierCache { file: root.file.clone(), ..cache(&folder, Tier::Bare) };
        assert_eq!(alike.load(), None, "of the same name, by chance");
        fs::remove_file(&root.file).unwrap();
        assert!(root.load().is_none() && bare.load().is_some());
        fs::write(folder.join("not a finding"), "").unwrap();
        forget_all(&folder);
        assert_eq!(bare.load(), None);
        assert!(folder.join("not a finding").exists());
    }

    #[test]
    fn what_is_old_broken_or_somebody_elses_is_not_recalled() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), Tier::Root);
        let file = cache.file.clone();
        cache.store(&sample_entry());
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(cache.load(), None, "{length} bytes");
        }
        fs::write(&file, &whole).unwrap();
        assert_eq!(cache.load(), Some(sample_entry()));
        let set_age = |seconds| {
            fs::write(&file, &whole).unwrap();
            let file = File::options().write(true).open(&file).unwrap();
            let written = file.metadata().unwrap().modified().unwrap();
            file.set_modified(written - Duration::from_secs(seconds)).unwrap();
        };
        set_age(LIFETIME.as_secs() - 60);
        assert!(cache.load().is_some());
        set_age(LIFETIME.as_secs() + 1);
        assert_eq!(cache.load(), None);
        let other = super::tests::cache(folder.path(), Tier::Bare);
        other.store(&sample_entry());
        assert!(!file.exists(), "the next one that is kept removes what is old");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&other.file, &link).unwrap();
        assert_eq!(TierCache { file: link, ..other }.load(), None, "a link may lead to another user's");
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_remembered() {
        let cache = cache(Path::new("/proc/judge"), Tier::Root);
        cache.store(&sample_entry());
        assert_eq!(cache.load(), None);
    }
}
