//! The helper: a small process that starts programs for one worker and watches over them, by one thread.

pub(crate) mod backend;
pub(crate) mod run;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags};

use crate::helper::backend::Backend;
use crate::helper::run::{RunnerState, resume_run, run};
use crate::namespace::init::Handback;
use crate::namespace::short_run::is_short;
use crate::process::{self, ChildProcess, Role, take_socket};
use crate::protocol::Received;
use crate::protocol::messages::{self, Answer, KeeperLink, ReceivedRun, RunOrder, RunSpec, Settings};
use crate::protocol::shared_memory::KillTarget;
use crate::request::{End, Fault};
use crate::tier::Tier;
use crate::{clock, cores};

/// A helper: until the judge has gone.
pub(crate) const HELPER: Role = Role { name: c"judge-helper", argument: "--judge-sandbox-helper", main: serve };

fn serve() -> io::Result<()> {
    let socket = settle()?;
    let Some(mut first) = Received::receive(&socket)? else { return Ok(()) };
    let settings = Settings::decode(&mut first)?;
    if let Some(core) = settings.core {
        cores::pin(None, core)?;
    }
    if !settings.tier.has_cgroup() && settings.tier != Tier::Unsafe {
        // Inherited by programs. Of a huge page, all but a piece can be given back: no process's size shows it any
        // more, and it is still there. No matter if it fails: then there are none.
        // SAFETY: a system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    let mut state = RunnerState::new(settings.core);
    let mut opened = Opened::now(settings, socket.as_fd());
    let (mut last, mut left) = (None, None);
    let mut kept = None;
    while let Some(mut message) = left.take().map_or_else(|| Received::receive(&socket), |message| Ok(Some(message)))? {
        let ReceivedRun { order, files, is_repeated } = ReceivedRun::decode(&mut message, &mut last)?;
        if order.attachments.only_prepare {
            opened.make_ready(&order.spec);
            continue;
        }
        let answer = opened.backend().and_then(|backend| run(backend, &order, files, socket.as_fd(), &mut state));
        send(&answer, &socket)?;
        let Some(backend) = &mut opened.backend else { continue };
        // Who waits for the answer does not wait for this. What fails now is tried again before the next run.
        let by_itself = |answer: &&Answer| matches!(answer.end, End::Exited(_));
        let ended = answer.as_ref().ok().filter(by_itself).filter(|_| state.was_alone);
        let _ = backend.tidy(ended.map(|answer| answer.usage.wall));
        if is_repeated && order.is_in_memory() && answer.is_ok_and(|answer| is_short(&answer)) {
            // For those that follow: they are likely to be brief, too. What is kept already is of the same program, as this is
            // the same order.
            kept = kept.or_else(|| KeptPages::of(&order.spec.program));
            left = leave_to_init(backend, &order, &socket, &mut state)?;
        } else {
            kept = None;
        }
    }
    Ok(())
}

fn send(answer: &Result<Answer, Fault>, socket: &OwnedFd) -> io::Result<()> {
    messages::encode_answer(answer).send(socket, &messages::captured_files(answer))
}

/// Leaves it to the init of the last run's jail to serve the judge, if there is one, as long as it can. Returns the order
/// that it could not follow, if that was why.
fn leave_to_init(
    backend: &Backend,
    order: &RunOrder,
    socket: &OwnedFd,
    state: &mut RunnerState,
) -> io::Result<Option<Received>> {
    let Some(jail) = backend.jail() else { return Ok(None) };
    let answer = match jail.serve_judge() {
        Ok(Some(Handback::Order(_, message))) => return Ok(Some(message)),
        Ok(Some(Handback::StartedRun(run))) => resume_run(backend, jail, &order.spec, run, socket.as_fd(), state),
        // What has gone will be missed by what comes next.
        Ok(None) => return Ok(None),
        Err(fault) => return Err(io::Error::other(fault.to_string())),
    };
    send(&answer, socket)?;
    Ok(None)
}

/// The backend, opened before there is an order: that takes a moment.
struct Opened<'a> {
    settings: Settings,
    judge: BorrowedFd<'a>,
    backend: Option<Backend>,
    /// Why there is none: yet to be told.
    fault: Option<Fault>,
}

impl Opened<'_> {
    fn now(mut settings: Settings, judge: BorrowedFd<'_>) -> Opened<'_> {
        let (backend, fault) = match Backend::open(&mut settings, judge) {
            Ok(backend) => (Some(backend), None),
            Err(fault) => (None, Some(fault)),
        };
        Opened { settings, judge, backend, fault }
    }

    /// Builds the jail for `spec`, if it needs one. What fails now fails again for the program itself, and is told then.
    fn make_ready(&mut self, spec: &RunSpec) {
        if let Some(backend @ Backend::Jails(_)) = &mut self.backend {
            let _ = backend.prepare(spec);
        }
    }

    /// The backend. Once its fault was told, opening it is tried again.
    fn backend(&mut self) -> Result<&mut Backend, Fault> {
        match (self.fault.take(), &mut self.backend) {
            (Some(fault), _) => Err(fault),
            (None, Some(backend)) => Ok(backend),
            (None, backend) => Ok(backend.insert(Backend::open(&mut self.settings, self.judge)?)),
        }
    }
}

/// Leaves behind what the judge's process was: its session, signals, descriptors. Returns the socket.
fn settle() -> io::Result<OwnedFd> {
    let socket = take_socket()?;
    let _ = rustix::process::setsid();
    for signal in 1..=64 {
        // SAFETY: the default action needs no handler; those that cannot be set are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // The reader of a program's output may go: an error, not this process's end. Blocked, as programs do not inherit
    // that.
    process::block_only(&process::set(&[libc::SIGPIPE]));
    rustix::process::umask(Mode::from_raw_mode(0o022));
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    crate::confine::identity::empty_bounding_set();
    Ok(socket)
}

//# A program's pages, kept mapped from run to run. The kernel counts the first and the last mapping of each page, for the
//# machine and for each control group: where this process has one all along, what maps the page for a moment has neither.

/// The pages of a larger file are more than brief programs use, and would have to be read from the disk. What is measured
/// by the share of a page that a process has, for want of a control group, gets less by this process's share.
const MAX_BYTES: usize = 4 << 20;

/// The pages of one file, until this is dropped. They are never looked at, so it does not matter if the file changes.
pub(crate) struct KeptPages {
    place: NonNull<libc::c_void>,
    length: usize,
}

impl KeptPages {
    /// Those of the file at `path`; `None` if it is large, or cannot be read.
    pub(crate) fn of(path: &Path) -> Option<KeptPages> {
        // There may be something else by now, for which who opens it would wait.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path).ok()?;
        let length = file.metadata().ok().filter(|file| file.is_file())?.len();
        let length = usize::try_from(length).ok().filter(|length| (1..=MAX_BYTES).contains(length))?;
        map(&file, length).ok().map(|place| KeptPages { place, length })
    }
}

fn map(file: &File, length: usize) -> io::Result<NonNull<libc::c_void>> {
    // SAFETY: a new mapping, wherever the kernel likes.
    let place = unsafe { rustix::mm::mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0)? };
    // Before Linux 5.14 only those of them that a neighbour's mapping brings along.
    // SAFETY: the advice changes nothing that can be read there.
    let _ = unsafe { rustix::mm::madvise(place, length, Advice::LinuxPopulateRead) };
    NonNull::new(place).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

impl Drop for KeptPages {
    fn drop(&mut self) {
        // SAFETY: its own mapping, which nothing else knows of.
        let _ = unsafe { rustix::mm::munmap(self.place.as_ptr(), self.length) };
    }
}

//# The keeper: a process that outlives a helper killed with SIGKILL, to kill the program that it leaves behind; and one
//# that a helper which was stopped has not killed in time.
//#
//# Needed where no namespace dies with the helper. A program may refuse to die with its parent, its children do so
//# anyway; but they cannot leave its process group.

/// A keeper: until its helper has gone.
pub(crate) const KEEPER: Role = Role { name: c"judge-keeper", argument: "--judge-sandbox-keeper", main: keep };

/// How often it looks whether a program is overdue, in nanoseconds.
const ROUND: u64 = 2_000_000_000;

/// Starts `executable` as a keeper.
pub(crate) fn start_keeper(executable: &Path) -> io::Result<(ChildProcess, KeeperLink)> {
    let (waiting, alive) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let kill_target = KillTarget::file()?;
    let keeper = ChildProcess::start(KEEPER, executable, waiting, Some(kill_target.try_clone()?))?;
    Ok((keeper, KeeperLink { alive, kill_target }))
}

fn keep() -> io::Result<()> {
    // A Ctrl-C at the terminal is for the judge.
    let _ = rustix::process::setsid();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let kill_target = KillTarget::map(rustix::stdio::stdout())?;
    loop {
        let mut waiting = [PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
        match rustix::event::poll(&mut waiting, Some(&clock::timespec(ROUND))) {
            Ok(0) if kill_target.is_overdue() => kill(kill_target.group()),
            Ok(0) | Err(Errno::INTR) => {}
            // Nothing is ever written to it: it was closed.
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        }
    }
    kill(kill_target.group());
    Ok(())
}

fn kill(group: i32) {
    if group > 0 {
        // SAFETY: a system call without pointers, on a group that the helper has not seen end.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many kilobytes of the file this process has mapped.
    fn mapped(path: &Path) -> u64 {
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let lines = smaps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
        let size = lines.skip(1).find_map(|line| line.strip_prefix("Rss:")?.trim().strip_suffix(" kB"));
        size.map_or(0, |size| size.parse().unwrap())
    }

    #[test]
    fn all_pages_of_a_file_are_mapped_until_they_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let kept = KeptPages::of(&path).unwrap();
        assert_eq!(mapped(&path), 1 << 10);
        File::create(&path).unwrap();
        drop(kept);
        assert_eq!(mapped(&path), 0);
    }

    #[test]
    fn what_is_large_or_no_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        assert!(KeptPages::of(&path).is_none(), "there is none");
        File::create(&path).unwrap();
        assert!(KeptPages::of(&path).is_none(), "it is empty");
        File::create(&path).unwrap().set_len(MAX_BYTES as u64 + 1).unwrap();
        assert!(KeptPages::of(&path).is_none(), "it is large");
        assert!(KeptPages::of(folder.path()).is_none(), "it is a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(KeptPages::of(&pipe).is_none(), "nobody writes there");
    }
}
