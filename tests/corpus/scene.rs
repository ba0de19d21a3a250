//! The targets of the corpus's programs: the names and places that are fixed in them.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const CANARY: &str = "/tmp/sbx_canary";
/// The file that distinguishes the test's folder from a folder of another program.
const OURS: &str = "of-the-test-corpus";
const ANSWER: &str = "the expected answer\n";
const PORT: u16 = 47113;
const ABSTRACT: &str = "sbx-canary-listener";
/// In the judge's environment.
pub(crate) const SECRET: (&str, &str) = ("JUDGE_SECRET", "sbx-secret-of-the-environment");
/// The first word of the bystander's command line.
const BYSTANDER: &str = "sbx_victim_secret";

/// The canary file, the listeners, a process of the judge's user, and the folders in which the judge works.
pub(crate) struct Scene {
    pub(crate) programs: PathBuf,
    pub(crate) work: tempfile::TempDir,
    user: Option<u32>,
    tcp: Vec<TcpListener>,
    udp: Vec<UdpSocket>,
    unix: [UnixListener; 2],
    bystander: Mutex<Child>,
    before: State,
}

/// State that must be the same after every program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    /// The entries of the canary's folder, of the system's folders and of places that every user can write to.
    names: BTreeSet<PathBuf>,
    /// Of the files that an attack would change.
    files: Vec<(PathBuf, u64, i64, u32)>,
    /// Shared memory, semaphores and message queues.
    shared: String,
}

impl Scene {
    /// `Err` says which of the names is used by another program.
    pub(crate) fn set(programs: &Path, user: Option<u32>) -> Result<Scene, String> {
        let addresses = [format!("127.0.0.1:{PORT}"), format!("[::1]:{PORT}")];
        let tcp = bound(&addresses, |address| TcpListener::bind(address))?;
        let udp = bound(&addresses, |address| UdpSocket::bind(address))?;
        let name = SocketAddr::from_abstract_name(ABSTRACT).unwrap();
        let nameless = UnixListener::bind_addr(&name).map_err(|error| format!("@{ABSTRACT}: {error}"))?;
        let canary = Path::new(CANARY);
        // One of a test that was killed.
        if canary.join(OURS).exists() {
            fs::remove_dir_all(canary).map_err(|error| format!("{CANARY}: {error}"))?;
        }
        fs::create_dir(canary).map_err(|error| format!("{CANARY}: {error}"))?;
        fs::write(canary.join(OURS), "").unwrap();
        fs::write(canary.join("answer.out"), ANSWER).unwrap();
        let unix = [UnixListener::bind(canary.join("sock")).unwrap(), nameless];
        let work = tempfile::Builder::new().prefix("corpus").tempdir_in(programs).unwrap();
        for path in [work.path(), canary] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            give(path, user);
        }
        for name in ["answer.out", "sock"] {
            give(&canary.join(name), user);
        }
        tcp.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        udp.iter().for_each(|socket| socket.set_nonblocking(true).unwrap());
        unix.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        let mut bystander = Command::new("/bin/sleep");
        bystander.arg0(BYSTANDER).arg("1000").stdin(Stdio::null());
        if let Some(user) = user {
            bystander.current_dir("/").uid(user).gid(user);
        }
        let bystander = Mutex::new(bystander.spawn().unwrap());
        let programs = programs.to_owned();
        Ok(Scene { before: State::of(&programs), programs, work, user, tcp, udp, unix, bystander })
    }

    /// A separate folder for one run of the judge, as its temporary and its current folder.
    pub(crate) fn folder(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir_in(self.work.path()).unwrap();
        give(folder.path(), self.user);
        folder
    }

    /// What has changed or was reached, if anything.
    pub(crate) fn damage(&self) -> Option<String> {
        if self.tcp.iter().any(|listener| listener.accept().is_ok())
            || self.unix.iter().any(|listener| listener.accept().is_ok())
        {
            return Some("a listener was reached".to_owned());
        }
        if self.udp.iter().any(|socket| socket.recv(&mut [0; 8]).is_ok()) {
            return Some("a datagram came".to_owned());
        }
        if self.bystander.lock().try_wait().unwrap().is_some() {
            return Some("the bystander was killed".to_owned());
        }
        let answer = fs::read_to_string(Path::new(CANARY).join("answer.out"));
        if answer.ok().as_deref() != Some(ANSWER) {
            return Some("the expected answer was changed".to_owned());
        }
        let now = State::of(&self.programs);
        if now == self.before {
            return None;
        }
        let news: Vec<_> = now.names.symmetric_difference(&self.before.names).collect();
        let files: Vec<_> = now.files.iter().filter(|file| !self.before.files.contains(file)).collect();
        Some(format!("changed: {news:?} {files:?}, shared memory and the like: {}", now.shared))
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let bystander = self.bystander.get_mut();
        let _ = bystander.kill();
        let _ = bystander.wait();
        let _ = fs::remove_dir_all(CANARY);
    }
}

impl State {
    fn of(programs: &Path) -> State {
        let inside = |folder: &str| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let system = ["/", "/etc", "/usr", CANARY].into_iter().flat_map(inside);
        let is_attacks =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sbx_"));
        let for_all = ["/dev/shm", "/tmp", "/var/tmp", "/run"].into_iter().flat_map(inside).filter(is_attacks);
        let watched = ["/etc/passwd", "/etc/shadow", CANARY, "/tmp/sbx_canary/answer.out", "/tmp/sbx_canary/sock"];
        let own = fs::read_dir(programs).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        let mut files: Vec<_> = watched.into_iter().map(PathBuf::from).chain(own).filter_map(fingerprint).collect();
        files.sort();
        let table = |name: &str| fs::read_to_string(format!("/proc/sysvipc/{name}")).unwrap_or_default();
        // The identity of each object in a table: its key and its number.
        let keys = |name: &str| {
            let row = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            table(name).lines().skip(1).map(row).collect::<Vec<_>>().join(", ")
        };
        State { names: system.chain(for_all).collect(), files, shared: ["shm", "sem", "msg"].map(keys).join("; ") }
    }
}

/// Size, time of the last change of anything about it, and mode.
fn fingerprint(path: PathBuf) -> Option<(PathBuf, u64, i64, u32)> {
    let meta = fs::metadata(&path).ok()?;
    let changed = meta.ctime() * 1_000_000_000 + meta.ctime_nsec();
    Some((path, meta.len(), changed, meta.mode()))
}

fn give(path: &Path, user: Option<u32>) {
    if user.is_some() {
        chown(path, user, user).unwrap();
    }
}

/// Not every machine has both kinds of addresses.
fn bound<T>(addresses: &[String], bind: impl Fn(&str) -> std::io::Result<T>) -> Result<Vec<T>, String> {
    let mut sockets = Vec::new();
    for address in addresses {
        match bind(address) {
            Ok(socket) => sockets.push(socket),
            Err(error) if matches!(error.kind(), ErrorKind::AddrNotAvailable | ErrorKind::Unsupported) => {}
            Err(error) => return Err(format!("{address}: {error}")),
        }
    }
    Ok(sockets)
}
