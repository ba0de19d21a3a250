//! The targets of the attacks: things that programs must neither read, reach nor change.

use std::fs;
use std::io::{self, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::pace::slowness;

/// A secret file, listeners, and a process of the judge's user.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    path: UnixListener,
    nameless: UnixListener,
    datagrams: [UnixDatagram; 2],
    name: String,
    victim: Child,
}

impl Scene {
    pub(crate) fn set() -> io::Result<Scene> {
        let folder = tempfile::Builder::new().prefix("misbehave-scene").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        fs::create_dir(folder.path().join("folder"))?;
        fs::write(folder.path().join("secret"), "the expected answer\n")?;
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let udp = UdpSocket::bind(tcp.local_addr()?)?;
        let path = UnixListener::bind(folder.path().join("socket"))?;
        let name = format!("misbehave-{}", std::process::id());
        let nameless = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        let datagrams = [
            UnixDatagram::bind(folder.path().join("datagram"))?,
            // Names of stream and datagram sockets are separate.
            UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name)?)?,
        ];
        fs::set_permissions(folder.path().join("datagram"), fs::Permissions::from_mode(0o777))?;
        for end in &datagrams {
            end.set_nonblocking(true)?;
        }
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        path.set_nonblocking(true)?;
        nameless.set_nonblocking(true)?;
        let victim = Command::new("/bin/sleep").arg("1000").stdin(Stdio::null()).spawn()?;
        Ok(Scene { folder, tcp, udp, path, nameless, datagrams, name, victim })
    }

    /// Replaces a placeholder of a command line.
    pub(crate) fn word(&self, word: &str) -> String {
        let inside = |name: &str| self.folder.path().join(name).display().to_string();
        match word {
            "@victim" => self.victim.id().to_string(),
            "@secret" => inside("secret"),
            "@folder" => inside("folder"),
            "@port" => self.tcp.local_addr().unwrap().port().to_string(),
            "@abstract" => self.name.clone(),
            "@socket" => inside("socket"),
            "@datagram" => inside("datagram"),
            other => match other.strip_prefix('@') {
                Some(seconds) => (seconds.parse::<f64>().unwrap() * f64::from(slowness())).to_string(),
                None => other.to_owned(),
            },
        }
    }

    /// What has changed, if anything.
    pub(crate) fn damage(&mut self) -> Option<String> {
        let secret = self.folder.path().join("secret");
        if fs::read_to_string(&secret).ok().as_deref() != Some("the expected answer\n") {
            return Some("the secret file was changed".to_owned());
        }
        if fs::metadata(&secret).unwrap().mode() & 0o777 == 0 {
            return Some("the secret file's mode was changed".to_owned());
        }
        let folder = self.folder.path().join("folder");
        if !folder.is_dir() || fs::read_dir(folder).unwrap().next().is_some() {
            return Some("the folder was changed".to_owned());
        }
        if self.tcp.accept().is_ok() || self.path.accept().is_ok() || self.nameless.accept().is_ok() {
            return Some("a listener was reached".to_owned());
        }
        if self.udp.recv(&mut [0; 8]).is_ok() || self.datagrams.iter().any(|end| end.recv(&mut [0; 8]).is_ok()) {
            return Some("a datagram came".to_owned());
        }
        if self.victim.try_wait().unwrap().is_some() {
            return Some("the bystander was killed".to_owned());
        }
        None
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// Processes with `marker` in their command line.
pub(crate) fn processes_with(marker: &Path) -> Vec<PathBuf> {
    let marker = marker.as_os_str().as_encoded_bytes();
    processes(|line| line.windows(marker.len()).any(|window| window == marker))
}

/// Processes whose command line begins with `program`.
pub(crate) fn processes_of(program: &Path) -> Vec<PathBuf> {
    processes(|line| line.starts_with(program.as_os_str().as_encoded_bytes()))
}

fn processes(are_meant: impl Fn(&[u8]) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let mut line = Vec::new();
        let read = fs::File::open(entry.path().join("cmdline")).and_then(|mut file| file.read_to_end(&mut line));
        if read.is_ok() && are_meant(&line) {
            found.push(entry.path());
        }
    }
    found
}

/// A folder that programs of every user can reach: below `programs`, or where an ordinary user can make one.
pub(crate) fn folder_for_all(programs: &Path) -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("misbehave").permissions(fs::Permissions::from_mode(0o755));
    builder.tempdir_in(programs).or_else(|_| builder.tempdir()).unwrap()
}

const HEADER: &str = include_str!("misbehave.h");
const SOURCES: [(&str, &str); 13] = [
    ("cpu", include_str!("cpu.c")),
    ("memory", include_str!("memory.c")),
    ("output", include_str!("output.c")),
    ("processes", include_str!("processes.c")),
    ("escape", include_str!("escape.c")),
    ("disk", include_str!("disk.c")),
    ("enter", include_str!("enter.c")),
    ("unseen", include_str!("unseen.c")),
    ("channels", include_str!("channels.c")),
    ("hoard", include_str!("hoard.c")),
    ("sharing", include_str!("sharing.c")),
    ("between", include_str!("between.c")),
    ("races", include_str!("races.c")),
];

/// A copy of `unseen` that only its owner can read but everybody can execute.
pub(crate) const HIDDEN: &str = "hidden";

/// Compiles the programs into `folder`. `Err` says why that is impossible here.
pub(crate) fn compile(folder: &Path) -> Result<(), String> {
    let sources = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write = |name: &str, text: &str| fs::write(sources.path().join(name), text).map_err(|error| error.to_string());
    write("misbehave.h", HEADER)?;
    for (name, text) in SOURCES {
        let source = format!("{name}.c");
        write(&source, text)?;
        let flags = ["-std=gnu11", "-O1", "-w", "-static", "-pthread", "-fno-builtin", "-fno-optimize-sibling-calls"];
        let output = Command::new("cc")
            .args(flags)
            .arg("-o")
            .arg(folder.join(name))
            .arg(sources.path().join(&source))
            .output()
            .map_err(|error| format!("no C compiler: {error}"))?;
        if !output.status.success() {
            return Err(format!("cc does not build {source}: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    let hidden = folder.join(HIDDEN);
    let hide = |_| fs::set_permissions(&hidden, fs::Permissions::from_mode(0o711));
    fs::copy(folder.join("unseen"), &hidden).and_then(hide).map_err(|error| error.to_string())
}
