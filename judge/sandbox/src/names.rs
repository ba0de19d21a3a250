//! Names of files, folders and control groups that the sandbox makes. A name contains its owner's process id and start
//! time, so that a later start can remove what a killed process left.

use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::procfs::stat_of;

/// All names begin with this.
const PREFIX: &str = "judge-sandbox";

/// Returns a new name: `judge-sandbox.NAMESPACE.PID.START.PURPOSE.RANDOM`. Nobody can guess the last part and make such
/// a file first. A file or folder with such a name in the folder of [`Options::scratch`](crate::Options::scratch) is
/// removed by the next [`Sandbox::open`](crate::Sandbox::open) after this process has ended.
pub fn unique(purpose: &str) -> String {
    format!("{}{purpose}.{:016x}", own_prefix(), random().unwrap_or_default())
}

/// What all names of this process begin with.
pub(crate) fn own_prefix() -> String {
    let pid = std::process::id();
    format!("{PREFIX}.{}.{pid}.{}.", pid_namespace(), start_time(pid).unwrap_or(0))
}

/// A number that cannot be guessed.
///
/// # Errors
/// When a signal comes early at boot.
pub(crate) fn random() -> rustix::io::Result<u64> {
    let mut bytes = [0; 8];
    // The kernel fills all eight, or none.
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(u64::from_ne_bytes(bytes))
}

/// The pid namespace of this process. Process ids are valid only inside it, and containers may share folders.
fn pid_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |namespace| namespace.ino())
}

/// Returns the entries of a folder that a dead process of this user made under a name of
/// [`sweepable_name`](crate::sweepable_name), or under such a name behind a dot.
pub fn stale_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let own = rustix::process::geteuid().as_raw();
    let is_left = |entry: &DirEntry| {
        entry.file_name().to_str().is_some_and(is_stale) && entry.metadata().is_ok_and(|entry| entry.uid() == own)
    };
    entries.flatten().filter(is_left).map(|entry| entry.path()).collect()
}

/// Whether `name` was made by a judge that is dead.
fn is_stale(name: &str) -> bool {
    let mut parts = name.trim_start_matches('.').split('.');
    if parts.next() != Some(PREFIX) || number(parts.next()) != Some(pid_namespace()) {
        return false;
    }
    let (Some(pid), Some(start)) = (number(parts.next()), number(parts.next())) else { return false };
    u32::try_from(pid).ok().and_then(start_time) != Some(start)
}

fn number(text: Option<&str>) -> Option<u64> {
    text?.parse().ok()
}

/// When a process started, in clock ticks since boot. Together with the process id, this is unique until the next boot.
fn start_time(pid: u32) -> Option<u64> {
    stat_of(pid)?.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_whose_name_is_no_text_is_alive() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        // The kernel cuts long names, even inside a character.
        let path = folder.path().join(std::ffi::OsStr::from_bytes(b"b\xd1"));
        fs::copy("/bin/cat", &path).unwrap();
        let mut child = std::process::Command::new(&path).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let started = start_time(child.id());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(started.is_some());
    }

    #[test]
    fn only_what_a_dead_process_left_is_stale() {
        let own = unique("box");
        assert!(!is_stale(&own), "we live");
        assert!(!is_stale("judge-sandbox"));
        assert!(!is_stale("system.slice"));
        let pid = std::process::id();
        let here = pid_namespace();
        assert!(is_stale(&format!("judge-sandbox.{here}.{pid}.1.box.0")), "the pid lives, but started at another time");
        assert!(is_stale(&format!("judge-sandbox.{here}.999999999.1.box.0")));
        assert!(is_stale(&format!(".judge-sandbox.{here}.999999999.1.new.0.x")));
        assert!(!is_stale("judge-sandbox.7.999999999.1.box.0"), "whether it lives cannot be seen from here");
    }
}
