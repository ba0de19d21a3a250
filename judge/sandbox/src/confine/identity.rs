//! The user that programs run as when root starts them, and capabilities.

use std::ops::Range;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::{fs, io};

use rustix::thread::CapabilitySet;

use crate::names;
use crate::procfs::text;
use crate::request::{Context, Fault};

/// Ids that no distribution, container manager or login assigns. The first range is so large that two judges are
/// unlikely to choose the same even if they cannot see each other's locks. The second is for user namespaces that map
/// only 16 bits.
const RANGES: [Range<u32>; 2] = [1_900_000_000..2_100_000_000, 60_578..61_184];
/// How many ids are tried.
const TRIES: u32 = 1000;

/// A uid and gid that no other process on this machine has. Reserved until this is dropped.
pub(crate) struct Identity {
    id: u32,
    _lock: UnixDatagram,
}

impl Identity {
    /// Reserves one; `None` if this process cannot become another user.
    pub(crate) fn take() -> Result<Option<Identity>, Fault> {
        let Some(range) = range() else { return Ok(None) };
        let identity = Identity::take_from(&range)?;
        Ok(can_become(identity.id).then_some(identity))
    }

    fn take_from(range: &Range<u32>) -> Result<Identity, Fault> {
        let count = range.end - range.start;
        let first = u32::try_from(names::random().unwrap_or_default() % u64::from(count)).unwrap_or_default();
        for step in 0..count.min(TRIES) {
            let id = range.start + (first + step) % count;
            match lock(id) {
                Ok(lock) if !is_in_use(id) => return Ok(Identity { id, _lock: lock }),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                Err(error) => return Err(error).context("taking a user id for the programs"),
            }
        }
        let what =
            format!("finding a user id for the programs that is not taken, from {} to {},", range.start, range.end - 1);
        Err(rustix::io::Errno::AGAIN).context(what)
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }
}

/// Whether [`Identity::take`] can succeed.
pub(crate) fn is_available() -> bool {
    range().is_some_and(|range| can_become(range.start))
}

/// The range of ids, if this process may change to another user.
fn range() -> Option<Range<u32>> {
    let needed = CapabilitySet::SETUID
        | CapabilitySet::SETGID
        | CapabilitySet::CHOWN
        | CapabilitySet::KILL
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER;
    if !has(needed) {
        return None;
    }
    let maps = ["uid", "gid"].map(|kind| fs::read_to_string(format!("/proc/self/{kind}_map")).unwrap_or_default());
    RANGES.into_iter().find(|range| maps.iter().all(|map| is_mapped(map, range)))
}

/// Whether a user namespace with this map contains the whole range.
fn is_mapped(map: &str, range: &Range<u32>) -> bool {
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().map_while(|number| number.parse::<u64>().ok());
        let (first, count) = (numbers.next().unwrap_or(0), numbers.nth(1).unwrap_or(0));
        first <= u64::from(range.start) && u64::from(range.end) <= first + count
    })
}

/// Reserves an abstract socket name, which is unique across pid namespaces. The kernel releases it when the process
/// ends, however it ends.
fn lock(id: u32) -> io::Result<UnixDatagram> {
    UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(format!("judge-sandbox-uid-{id}"))?)
}

/// Whether a user or process has this id. In the large range none does.
fn is_in_use(id: u32) -> bool {
    if RANGES[0].contains(&id) {
        return false;
    }
    let users = text("/etc/passwd").unwrap_or_default();
    let is_user = users.lines().any(|line| line.split(':').nth(2) == Some(&id.to_string()));
    let mut processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    is_user || processes.any(|entry| entry.metadata().is_ok_and(|entry| entry.uid() == id))
}

/// Whether the kernel lets this thread take this uid and gid. Takes them as real ids, which changes no permission, and
/// gives them back.
fn can_become(id: u32) -> bool {
    const KEEP: u32 = u32::MAX;
    // SAFETY: these system calls change only the calling thread. The C library would change all threads.
    let set = |call, real: u32| unsafe { libc::syscall(call, real, KEEP, KEEP) == 0 };
    let takes = |call, own: u32| {
        let taken = set(call, id);
        assert!(!taken || set(call, own), "a thread that has taken the id {id} cannot take {own} again");
        taken
    };
    takes(libc::SYS_setresgid, rustix::process::getgid().as_raw())
        && takes(libc::SYS_setresuid, rustix::process::getuid().as_raw())
}

/// The capability that a program of another user needs to pass closed folders and read the files that it is shown. With
/// it, a program can search any folder and read any file that landlock permits. So the landlock rules must leave out
/// everything that file modes close to others.
pub(crate) const READ_SEARCH: CapabilitySet = CapabilitySet::DAC_READ_SEARCH;

/// Drops every capability from the bounding set, so that no later `execve` can restore one. This process keeps its own,
/// and may pass on [`READ_SEARCH`].
pub(crate) fn empty_bounding_set() {
    if let Ok(mut sets) = rustix::thread::capabilities(None) {
        sets.inheritable = sets.permitted & READ_SEARCH;
        let _ = rustix::thread::set_capabilities(None, sets);
    }
    // The first refused number does not exist, or this process lacks the permission for all of them.
    for capability in 0..64 {
        // SAFETY: a system call without pointers.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } != 0 {
            break;
        }
    }
}

/// Whether this process has all of `wanted`.
pub(crate) fn has(wanted: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn what_is_taken_is_not_taken_again_until_it_is_given_back() {
        let few = 4_000_000_000..4_000_000_003;
        let mut taken: Vec<Identity> = (0..3).map(|_| Identity::take_from(&few).unwrap()).collect();
        taken.sort_by_key(Identity::id);
        assert_eq!(taken.iter().map(Identity::id).collect::<Vec<_>>(), few.clone().collect::<Vec<_>>());
        let none = Identity::take_from(&few).err().unwrap();
        assert!(none.is_shortage() && none.to_string().contains("from 4000000000 to 4000000002"), "{none}");
        taken.remove(1);
        // Children forked by other tests keep inherited descriptors open until they close them.
        let deadline = Instant::now() + Duration::from_secs(10);
        let again = loop {
            match Identity::take_from(&few) {
                Ok(identity) => break identity,
                Err(none) => assert!(none.is_shortage() && Instant::now() < deadline, "{none}"),
            }
        };
        assert_eq!(again.id(), 4_000_000_001);
    }

    #[test]
    fn to_try_an_id_changes_nothing() {
        // What a change of ids can change. Other lines of the file change with the other threads of the tests.
        let state = || {
            let status = fs::read_to_string("/proc/thread-self/status").unwrap();
            let credentials = |line: &&str| {
                ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:"].iter().any(|name| line.starts_with(name))
            };
            let credentials: Vec<_> = status.lines().filter(credentials).map(str::to_owned).collect();
            assert_eq!(credentials.len(), 9, "{status}");
            let death = rustix::process::parent_process_death_signal().unwrap();
            let dumpable = format!("{:?}", rustix::process::dumpable_behavior().unwrap());
            (credentials, death, dumpable)
        };
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::CONT)).unwrap();
        let before = state();
        let may = has(CapabilitySet::SETUID | CapabilitySet::SETGID);
        assert_eq!(can_become(1_900_000_000) && can_become(61_000), may && range().is_some());
        assert_eq!(state(), before);
    }

    #[test]
    fn ids_in_use_are_passed_over() {
        assert!(is_in_use(0) && !is_in_use(61_000));
    }

    #[test]
    fn ranges_are_those_of_the_user_namespace() {
        let [wide, narrow] = &RANGES;
        let known = |map| (is_mapped(map, wide), is_mapped(map, narrow));
        assert_eq!(known("         0          0 4294967295\n"), (true, true));
        assert_eq!(known("         0     100000      65536\n"), (false, true));
        assert_eq!(known("         0       1000          1\n         1     100000      65536\n"), (false, true));
        assert_eq!(known("         0          0          1\n"), (false, false));
        assert_eq!(known(""), (false, false));
    }
}
