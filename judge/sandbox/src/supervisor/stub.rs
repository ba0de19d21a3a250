//! A stub: what a trusted command starts in place of a program that this process runs for it. Each process of the stub
//! hands its standard input and output to this process, waits, and ends as it is told.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::SocketFlags;

use crate::api::execution::End;
use crate::api::names;
use crate::protocol::wire::{self, Reader, Writer};
use crate::supervisor::supervised::executable;

/// The first argument of a process that is to become a stub, before the name of the socket.
const ARGUMENT: &str = "--judge-sandbox-stub=";

/// A program that ended without an exit code has this one, as in a shell.
const NOT_STARTED: i32 = 127;

/// An executable file that stands for a program. It is removed when this is dropped, or by the next
/// [`Sandbox::open`](crate::Sandbox::open) if this process is killed.
#[derive(Debug)]
pub struct Stub {
    file: PathBuf,
    listener: OwnedFd,
}

impl Stub {
    /// Makes the file, and listens. The name has no blanks: commands are taken apart at them.
    ///
    /// # Errors
    /// When the file or the socket cannot be made.
    pub fn create() -> io::Result<Stub> {
        let name = names::unique("stub");
        let stub = Stub { file: folder().join(&name), listener: wire::listen(name.as_bytes())? };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o700).open(&stub.file)?;
        // A script, not a link: programs that resolve links would see another path. The interpreter is this program, by a
        // path that is short and has no blanks, and still leads to it when its file has been replaced.
        writeln!(file, "#!{} {ARGUMENT}{name}", executable(Path::new(&own_executable())).display())?;
        Ok(stub)
    }

    /// The file to be started. Its arguments arrive with the [`StubCall`].
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Returns a process of the stub that has started, if there is one that waits.
    ///
    /// # Errors
    /// When the socket fails.
    pub fn call(&self) -> io::Result<Option<StubCall>> {
        loop {
            let socket = match rustix::net::accept_with(&self.listener, SocketFlags::CLOEXEC) {
                Ok(socket) => socket,
                Err(Errno::AGAIN) => return Ok(None),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            // A socket without a file has no mode: what another user's process says is not heard. One of the stub that
            // was killed meanwhile has not said anything.
            if rustix::net::sockopt::socket_peercred(&socket)?.uid != rustix::process::geteuid() {
                continue;
            }
            if let Ok(Some(message)) = Reader::receive(&socket)
                && let Ok(call) = StubCall::decode(message, socket)
            {
                return Ok(Some(call));
            }
        }
    }
}

/// Becomes readable when a process of the stub has started.
impl AsFd for Stub {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

/// A process of a [`Stub`], which waits to be told how it ends.
#[derive(Debug)]
pub struct StubCall {
    /// Its standard input.
    pub stdin: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its arguments, without the name of the program.
    pub arguments: Vec<OsString>,
    /// What tells it how it ends.
    pub link: StubLink,
}

/// What a process of a [`Stub`] is told by.
#[derive(Debug)]
pub struct StubLink {
    socket: OwnedFd,
}

impl StubCall {
    fn decode(mut message: Reader, socket: OwnedFd) -> io::Result<StubCall> {
        let arguments = (0..message.u64()?).map(|_| message.os_string()).collect::<io::Result<_>>()?;
        Ok(StubCall { stdin: message.fd()?, stdout: message.fd()?, arguments, link: StubLink { socket } })
    }
}

impl StubLink {
    /// Ends the process in the way that a program has ended. One that is gone is not told.
    pub fn end(self, end: End) {
        let (kind, number) = match end {
            End::Exited(code) => (0, code),
            End::Signalled(signal) => (1, signal),
            End::NotStarted(_) => (0, NOT_STARTED),
        };
        let _ = Writer::default().u64(kind).u64(u64::from(number.cast_unsigned())).send(&self.socket, &[]);
    }
}

/// Becomes readable when the process is gone.
impl AsFd for StubLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A path of this process's program for other processes.
fn own_executable() -> String {
    format!("/proc/{}/exe", std::process::id())
}

/// The folder for temporary files, unless there are blanks in its name.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir();
    let has_blanks = folder.as_os_str().as_bytes().iter().any(u8::is_ascii_whitespace);
    if has_blanks { PathBuf::from("/tmp") } else { folder }
}

/// The whole life of a stub's process, if this one was started to be one: the kernel starts a script with the argument in
/// its first line, the name of the script, and the arguments that it was given.
pub(crate) fn become_stub_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next().unwrap_or_default();
    let Some(name) = first.as_bytes().strip_prefix(ARGUMENT.as_bytes()) else { return };
    let own: Vec<OsString> = arguments.skip(1).collect();
    match stand_in(name, &own) {
        Ok((0, code)) => std::process::exit(code),
        Ok((_, signal)) => die_of(signal),
        Err(_) => std::process::exit(NOT_STARTED),
    }
}

/// Hands over the standard streams, and waits for what kind of end it is, and its number.
fn stand_in(name: &[u8], arguments: &[OsString]) -> io::Result<(u64, i32)> {
    let socket = wire::connect(name)?;
    let mut message = Writer::default();
    message.u64(arguments.len() as u64);
    for argument in arguments {
        message.bytes(argument.as_bytes());
    }
    message.send(&socket, &[rustix::stdio::stdin(), rustix::stdio::stdout()])?;
    let mut answer = Reader::receive(&socket)?.ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((answer.u64()?, (answer.u64()? as u32).cast_signed()))
}

/// Ends this process by a signal, without a core dump.
fn die_of(signal: i32) -> ! {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    // SAFETY: the default action needs no handler; a signal that does not exist is refused.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    std::process::exit(128 + signal)
}
