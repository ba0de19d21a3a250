//! Cores that a judge keeps to itself: two judges on one machine would otherwise tie their programs to the same ones.

use std::io::{ErrorKind, Result};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// The name of a core's lock, before its number.
const LOCKS: &str = "judge-core-";

/// Cores that no other judge ties its programs to while this lives.
///
/// The lock of a core is a Unix socket with an abstract name. It needs no folder that all users can write, and ends with its holder,
/// however that ends. Judges in different network namespaces, such as those of containers, do not see each other's. A
/// user who holds every lock only makes the judges of others run untied.
#[derive(Debug, Default)]
pub struct CoreClaims {
    cores: Vec<usize>,
    free: Vec<usize>,
    /// Held, never listened to.
    locks: Vec<UnixListener>,
}

/// What became of an attempt to lock a core.
enum Attempt {
    Locked(UnixListener),
    /// Another judge has it.
    Taken,
    /// There are no such locks here.
    Unknown,
}

impl CoreClaims {
    /// Takes this many of these cores, the first free ones; fewer if there are not as many. Never waits.
    #[must_use]
    pub fn take(cores: &[usize], count: usize) -> Self {
        Self::take_named(LOCKS, cores, count)
    }

    fn take_named(name: &str, cores: &[usize], count: usize) -> Self {
        let mut claims = Self::default();
        for &core in cores {
            let is_wanted = claims.cores.len() < count;
            let list = if is_wanted { &mut claims.cores } else { &mut claims.free };
            match attempt(name, core) {
                Attempt::Taken => continue,
                Attempt::Locked(lock) if is_wanted => claims.locks.push(lock),
                Attempt::Locked(_) | Attempt::Unknown => {}
            }
            list.push(core);
        }
        claims
    }

    /// Returns the cores that were taken.
    #[must_use]
    pub fn cores(&self) -> &[usize] {
        &self.cores
    }

    /// Returns the other cores that no judge had taken, and that are still free.
    #[must_use]
    pub fn free(&self) -> &[usize] {
        &self.free
    }
}

fn attempt(name: &str, core: usize) -> Attempt {
    let bind = || -> Result<UnixListener> {
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("{name}{core}"))?)
    };
    match bind() {
        Ok(lock) => Attempt::Locked(lock),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Attempt::Taken,
        Err(_) => Attempt::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_take_different_cores_and_go_on_when_there_are_none() {
        let name = format!("judge-test-{}-", std::process::id());
        let take = |count| CoreClaims::take_named(&name, &[4, 1, 7], count);
        let first = take(1);
        assert_eq!((first.cores(), first.free()), (&[4][..], &[1, 7][..]));
        let second = take(2);
        assert_eq!((second.cores(), second.free()), (&[1, 7][..], &[][..]));
        assert_eq!(take(1).cores(), &[]);
        drop(first);
        assert_eq!(take(1).cores(), [4], "a lock ends with its holder");
    }
}
