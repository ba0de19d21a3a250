//! Remembers which tier works, for later starts in the same surroundings: to try it takes longer than all else that a
//! start does.

use std::borrow::Cow;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cgroup::site::Site;
use crate::procfs::text;
use crate::protocol::{Reader, Writer};
use crate::tier::{Gap, Options, Tier};

/// What was found holds for so long: not all that may change shows in the surroundings.
const LIFETIME: Duration = Duration::from_secs(600);

/// A longer file was not written here.
const MOST_BYTES: u64 = 1 << 20;

/// What decides which tiers work: files, which are compared whole.
const FILES: [&str; 9] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/self/mountinfo",
    "/proc/self/cgroup",
    "/proc/self/limits",
    "/proc/self/attr/current",
    // What `judge doctor` tells how to set.
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/user/max_user_namespaces",
];

/// The beginnings of lines of `/proc/self/status`: users, capabilities, filters, cores.
const STATUS: [&str; 7] = ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp", "Cpus_allowed:"];

const NAMESPACES: [&str; 4] = ["cgroup", "mnt", "pid", "user"];

/// Variables that change what calls of the C library do.
const VARIABLES: [&str; 3] = ["LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD"];

/// What was found out about a tier by trying it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) tier: Tier,
    pub(crate) site: Option<Site>,
    pub(crate) gaps: Vec<Gap>,
}

/// A file that holds one finding, and the surroundings that it was made in. Its name tells surroundings apart, so that one
/// who comes and goes between several finds each again.
pub(crate) struct Memory {
    folder: PathBuf,
    file: PathBuf,
    surroundings: Vec<u8>,
}

impl Memory {
    /// The memory for these options, of which `executable` and `scratch` are what they come to. `None`: they want none, or
    /// these surroundings cannot be told from others.
    pub(crate) fn of(options: &Options, executable: &Path, scratch: &Path) -> Option<Memory> {
        let folder = options.memory.clone()?;
        let surroundings = surroundings(options, executable, scratch).ok()?;
        let mut hasher = DefaultHasher::new();
        surroundings.hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        Some(Memory { folder, file, surroundings })
    }

    /// Where it is kept.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// What was found not long ago in the same surroundings.
    pub(crate) fn recall(&self) -> Option<Finding> {
        let file =
            File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&self.file).ok()?;
        let stat = file.metadata().ok()?;
        // What another user wrote there could lead this one anywhere.
        let is_own = stat.is_file() && stat.uid() == rustix::process::geteuid().as_raw();
        if !is_own || !is_recent(&stat) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let mut reader = Reader::of(bytes);
        (reader.bytes().ok()? == self.surroundings).then(|| Finding::decode(&mut reader).ok()).flatten()
    }

    /// Keeps a finding for later starts, instead of the one before. Where nothing can be written, they try again.
    pub(crate) fn keep(&self, finding: &Finding) {
        let mut writer = Writer::default();
        writer.bytes(&self.surroundings);
        finding.encode(&mut writer);
        // Not over the old one: who reads it meanwhile has it whole.
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            remove(&self.folder, |file| file == self.file || !fs::metadata(file).is_ok_and(|stat| is_recent(&stat)));
            File::options().write(true).create_new(true).mode(0o600).open(&self.file)?.write_all(&writer.into_bytes())
        };
        let _ = write();
    }
}

fn is_recent(stat: &fs::Metadata) -> bool {
    stat.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age < LIFETIME))
}

/// Removes those of the files in which findings are kept.
fn remove(folder: &Path, which: impl Fn(&Path) -> bool) {
    let is_kept = |name: &str| name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_kept)).map(|entry| entry.path()) {
        if which(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Forgets what is in `file`: something of it was not so.
pub(crate) fn forget(file: &Path) {
    let _ = fs::remove_file(file);
}

/// Forgets all that is in `folder`.
pub(crate) fn forget_all(folder: &Path) {
    remove(folder, |_| true);
}

impl Finding {
    fn encode(&self, writer: &mut Writer) {
        writer.bytes(self.tier.name().as_bytes()).u64(u64::from(self.site.is_some()));
        if let Some(site) = &self.site {
            site.encode(writer);
        }
        writer.u64(self.gaps.len() as u64);
        for Gap { what, meaning } in &self.gaps {
            writer.bytes(what.as_bytes()).bytes(meaning.as_bytes());
        }
    }

    fn decode(reader: &mut Reader) -> io::Result<Finding> {
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        let text = |bytes| String::from_utf8(bytes).map_err(|_| broken());
        let tier = text(reader.bytes()?)?.parse().map_err(|_| broken())?;
        let site = if reader.u64()? == 0 { None } else { Some(Site::decode(reader)?) };
        let mut gaps = Vec::new();
        for _ in 0..reader.u64()? {
            gaps.push(Gap { what: Cow::Owned(text(reader.bytes()?)?), meaning: text(reader.bytes()?)? });
        }
        Ok(Finding { tier, site, gaps })
    }
}

/// All that a finding depends on, as far as it can be read.
fn surroundings(options: &Options, executable: &Path, scratch: &Path) -> io::Result<Vec<u8>> {
    let mut writer = Writer::default();
    writer.bytes(env!("CARGO_PKG_VERSION").as_bytes()).bytes(format!("{:?}", options.tier).as_bytes());
    writer.u64(u64::from(options.allow_unsafe)).bytes(scratch.as_os_str().as_bytes());
    let program = fs::metadata(executable)?;
    let changed = (program.ctime(), program.ctime_nsec());
    for number in [program.dev(), program.ino(), changed.0.cast_unsigned(), changed.1.cast_unsigned()] {
        writer.u64(number);
    }
    for name in NAMESPACES {
        writer.u64(fs::metadata(format!("/proc/self/ns/{name}"))?.ino());
    }
    for path in FILES {
        // One that this kernel does not have is the same as an empty one.
        writer.bytes(text(path).unwrap_or_default().as_bytes());
    }
    let status = text("/proc/self/status")?;
    for line in status.lines().filter(|line| STATUS.iter().any(|beginning| line.starts_with(beginning))) {
        writer.bytes(line.as_bytes());
    }
    for name in VARIABLES {
        writer.bytes(std::env::var_os(name).unwrap_or_default().as_bytes());
    }
    Ok(writer.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::site::Version;
    use crate::tier::TierChoice;

    fn memory(folder: &Path, tier: Tier) -> Memory {
        let options = Options { tier: TierChoice::Forced(tier), memory: Some(folder.to_owned()), ..Options::default() };
        Memory::of(&options, Path::new("/proc/self/exe"), Path::new("/tmp")).unwrap()
    }

    fn finding() -> Finding {
        let site = Site { version: Version::Two, memory: "/a".into(), pids: None, cpu: Some("/b".into()) };
        let gap = |what, meaning: &str| Gap { what: Cow::Borrowed(what), meaning: meaning.to_owned() };
        Finding { tier: Tier::Root, site: Some(site), gaps: vec![gap("user", "ä"), gap("", "")] }
    }

    #[test]
    fn what_was_found_is_recalled_in_the_same_surroundings_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("deep/er");
        let (root, bare) = (memory(&folder, Tier::Root), memory(&folder, Tier::Bare));
        assert_eq!(root.recall(), None, "nothing is there yet");
        root.keep(&finding());
        assert_eq!((root.recall(), bare.recall()), (Some(finding()), None), "another tier was asked for");
        let other = Finding { tier: Tier::Bare, site: None, gaps: Vec::new() };
        bare.keep(&other);
        assert_eq!((root.recall(), bare.recall()), (Some(finding()), Some(other.clone())));
        root.keep(&other);
        assert_eq!(root.recall(), Some(other), "the last one counts");
        let alike = Memory { file: root.file.clone(), ..memory(&folder, Tier::Bare) };
        assert_eq!(alike.recall(), None, "of the same name, by chance");
        forget(root.file());
        assert!(root.recall().is_none() && bare.recall().is_some());
        fs::write(folder.join("not a finding"), "").unwrap();
        forget_all(&folder);
        assert_eq!(bare.recall(), None);
        assert!(folder.join("not a finding").exists());
    }

    #[test]
    fn what_is_old_broken_or_somebody_elses_is_not_recalled() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path(), Tier::Root);
        let file = memory.file().to_owned();
        memory.keep(&finding());
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(memory.recall(), None, "{length} bytes");
        }
        fs::write(&file, &whole).unwrap();
        assert_eq!(memory.recall(), Some(finding()));
        let set_age = |seconds| {
            fs::write(&file, &whole).unwrap();
            let file = File::options().write(true).open(&file).unwrap();
            let written = file.metadata().unwrap().modified().unwrap();
            file.set_modified(written - Duration::from_secs(seconds)).unwrap();
        };
        set_age(LIFETIME.as_secs() - 60);
        assert!(memory.recall().is_some());
        set_age(LIFETIME.as_secs() + 1);
        assert_eq!(memory.recall(), None);
        let other = super::tests::memory(folder.path(), Tier::Bare);
        other.keep(&finding());
        assert!(!file.exists(), "the next one that is kept removes what is old");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(other.file(), &link).unwrap();
        assert_eq!(Memory { file: link, ..other }.recall(), None, "a link may lead to another user's");
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_remembered() {
        let memory = memory(Path::new("/proc/judge"), Tier::Root);
        memory.keep(&finding());
        assert_eq!(memory.recall(), None);
    }
}
