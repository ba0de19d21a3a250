//! Finds where in the machine's control groups this process may make a group.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::api::names;
use crate::api::text::{stat_of, text};
use crate::cgroup::door::can_be_joined;
use crate::cgroup::fs::remove_all;
use crate::protocol::wire::{Reader, Writer};

/// The interface of the memory controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

/// The folders in which groups are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) version: Version,
    pub(crate) memory: PathBuf,
    pub(crate) pids: Option<PathBuf>,
    /// Where CPU time is counted: a version 2 hierarchy, which does so even without controllers, or `cpuacct`.
    pub(crate) cpu: Option<PathBuf>,
}

/// Where this process stands in one hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hierarchy {
    mount: PathBuf,
    own: PathBuf,
}

impl Site {
    /// The folders, each once.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &Path> {
        let pids = self.pids.as_deref().filter(|pids| *pids != self.memory);
        let known = |cpu: &&Path| *cpu == self.memory || Some(*cpu) == self.pids.as_deref();
        let cpu = self.cpu.as_deref().filter(|cpu| !known(cpu));
        [Some(self.memory.as_path()), pids, cpu].into_iter().flatten()
    }

    pub(crate) fn encode(&self, writer: &mut Writer) {
        let path = |path: Option<&PathBuf>| path.map_or(Vec::new(), |path| path.as_os_str().as_bytes().to_vec());
        writer.u64(u64::from(self.version == Version::Two)).bytes(&path(Some(&self.memory)));
        writer.bytes(&path(self.pids.as_ref())).bytes(&path(self.cpu.as_ref()));
    }

    pub(crate) fn decode(reader: &mut Reader) -> io::Result<Site> {
        let version = if reader.u64()? == 1 { Version::Two } else { Version::One };
        let memory = reader.os_string()?.into();
        let mut path = || -> io::Result<Option<PathBuf>> {
            let path = PathBuf::from(reader.os_string()?);
            Ok((!path.as_os_str().is_empty()).then_some(path))
        };
        Ok(Site { version, memory, pids: path()?, cpu: path()? })
    }

    /// Looks for a place, by trying. `Err` says why there is none.
    pub(crate) fn find() -> Result<Site, String> {
        let mounts = text("/proc/self/mountinfo").map_err(|error| error.to_string())?;
        let own = text("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let unified = place(&mounts, &own, None);
        if let Some(place) = &unified
            && let Some(folder) = with_controllers(place)
        {
            return Ok(Site {
                version: Version::Two,
                memory: folder.clone(),
                pids: Some(folder.clone()),
                cpu: Some(folder),
            });
        }
        let Some(memory) = place(&mounts, &own, Some("memory")) else {
            return Err(match unified {
                None => "no control groups are mounted".to_owned(),
                Some(place) => format!("no group with memory and pids can be made at {}", place.own.display()),
            });
        };
        if !usable(&memory.own) {
            return Err(format!("{} is not writable", memory.own.display()));
        }
        let pids = place(&mounts, &own, Some("pids")).map(|place| place.own).filter(|own| usable(own));
        let accounts = [unified, place(&mounts, &own, Some("cpuacct"))].into_iter().flatten();
        let cpu = accounts.map(|place| place.own).find(|own| usable(own));
        Ok(Site { version: Version::One, memory: memory.own, pids, cpu })
    }
}

/// This process's place in the version 1 hierarchy of `controller`, or in version 2.
fn place(mounts: &str, own: &str, controller: Option<&str>) -> Option<Hierarchy> {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let here = match controller {
            Some(controller) => controllers.split(',').any(|name| name == controller),
            None => controllers.is_empty(),
        };
        here.then_some(path)
    })?;
    mounts.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut kind = right.split(' ');
        let (system, options) = (kind.next()?, kind.nth(1)?);
        let matches = match controller {
            Some(controller) => system == "cgroup" && options.split(',').any(|option| option == controller),
            None => system == "cgroup2",
        };
        let mut fields = left.split(' ').skip(3);
        let (root, mount) = (fields.next()?, fields.next()?);
        let below = path.strip_prefix(root.trim_end_matches('/'))?;
        matches.then(|| Hierarchy { mount: mount.into(), own: join(mount, below) })
    })
}

fn join(mount: &str, below: &str) -> PathBuf {
    let below = below.trim_matches('/');
    if below.is_empty() { mount.into() } else { Path::new(mount).join(below) }
}

/// The leaf in which judges stand that have made the group above hand its controllers on.
const LEAF: &str = "judge";

/// The nearest folder, from this process's upwards, that hands memory and pids on to its children and lets this user
/// make some.
fn with_controllers(place: &Hierarchy) -> Option<PathBuf> {
    for folder in place.own.ancestors().take_while(|folder| folder.starts_with(&place.mount)) {
        if hands_on(folder) || (folder == place.own && !is_leaf(folder) && take_over(folder)) {
            return usable(folder).then(|| folder.to_owned());
        }
    }
    None
}

fn hands_on(folder: &Path) -> bool {
    let control = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    ["memory", "pids"].iter().all(|wanted| control.split_whitespace().any(|name| name == *wanted))
}

/// Whether an earlier judge has moved the shell, and so this process, here: the group above is the one to use.
fn is_leaf(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == LEAF) && folder.parent().is_some_and(hands_on)
}

/// Makes this process's group hand its controllers on. The hierarchy's root may hold processes; any other group must
/// hold none. If the group was given to this process alone, the processes in it move to a leaf.
fn take_over(folder: &Path) -> bool {
    let control = || fs::write(folder.join("cgroup.subtree_control"), "+memory +pids").is_ok() && hands_on(folder);
    control() || (move_to_leaf(folder) && control())
}

fn move_to_leaf(folder: &Path) -> bool {
    let own = std::process::id().to_string();
    let alone = |text: &str| text.split_whitespace().all(|pid| pid == own || is_kin(pid));
    let Ok(members) = fs::read_to_string(folder.join("cgroup.procs")) else { return false };
    if !alone(&members) {
        return false;
    }
    let leaf = folder.join(LEAF);
    if !leaf.exists() && fs::create_dir(&leaf).is_err() {
        return false;
    }
    members.split_whitespace().all(|member| fs::write(leaf.join("cgroup.procs"), member).is_ok())
}

/// Whether `pid` is the parent or a child of this process: a wrapper such as `setpriv`, or a helper.
fn is_kin(pid: &str) -> bool {
    let own = std::process::id();
    let parent = |pid: &str| -> Option<u32> { stat_of(pid)?.split(' ').nth(1)?.parse().ok() };
    parent(pid) == Some(own) || parent("self").is_some_and(|parent| parent.to_string() == pid)
}

/// Whether a group can be made here and joined.
fn usable(folder: &Path) -> bool {
    let trial = folder.join(names::unique("probe"));
    if fs::create_dir(&trial).is_err() {
        return false;
    }
    // Joining needs the right to write here and, in version 2, in the nearest common ancestor: only trying tells.
    let joined = can_be_joined(&trial);
    remove_all(&[trial]);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
        35 31 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
        36 31 0:32 /outer /sys/fs/cgroup/pids rw,relatime shared:4 - cgroup cgroup rw,pids\n\
        37 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n\
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
    const OWN: &str = "8:pids:/outer/inner\n4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/\n";

    #[test]
    fn places_are_read_from_the_mount_table() {
        let own = |controller| place(MOUNTS, OWN, controller).map(|place| place.own);
        assert_eq!(own(Some("memory")), Some("/sys/fs/cgroup/memory/a/b".into()));
        assert_eq!(own(Some("pids")), Some("/sys/fs/cgroup/pids/inner".into()));
        assert_eq!(own(Some("cpuacct")), Some("/sys/fs/cgroup/cpu,cpuacct/c".into()));
        assert_eq!(own(None), Some("/sys/fs/cgroup/unified".into()));
        assert_eq!(own(Some("cpuset")), None);
    }
}
