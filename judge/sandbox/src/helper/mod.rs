//! The helper: a small process with one thread that starts and watches programs for one worker. Also the keeper: it
//! kills the program if the helper was killed or stopped.

pub(crate) mod backend;
pub(crate) mod run;

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
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
use crate::protocol::messages::{Answer, KeeperLink, ReceivedRun, RunSpec, Settings, send_answer};
use crate::protocol::shared_memory::KillTarget;
use crate::request::End;
use crate::tier::Tier;
use crate::{clock, cores};

/// Runs until the judge has ended.
pub(crate) const HELPER: Role = Role { name: c"judge-helper", argument: "--judge-sandbox-helper", main: serve };

fn serve() -> io::Result<()> {
    let socket = detach()?;
    let Some(mut first) = Received::receive(&socket)? else { return Ok(()) };
    let mut settings = Settings::decode(&mut first)?;
    if let Some(core) = settings.core {
        cores::pin(None, core)?;
    }
    if !settings.tier.has_cgroup() && settings.tier != Tier::Unsafe {
        // Programs inherit this. Most of a huge page can be given back without being freed, and then no process's size
        // shows it. If this fails, there are no huge pages.
        // SAFETY: a system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    let mut state = RunnerState::new(settings.core);
    // Before the first order, as it takes a moment. If it fails, that order reports it, and the next one tries again.
    let mut opened = Some(Backend::open(&mut settings, socket.as_fd()));
    let (mut last, mut left) = (None, None);
    let mut kept = None;
    while let Some(mut message) = left.take().map_or_else(|| Received::receive(&socket), |message| Ok(Some(message)))? {
        let ReceivedRun { spec, files, is_repeated } = ReceivedRun::decode(&mut message, &mut last)?;
        if spec.only_prepare {
            if let Some(Ok(backend @ Backend::Jails(_))) = &mut opened {
                // A failure occurs again, and is reported, when the program runs.
                let _ = backend.prepare(&spec, socket.as_fd());
            }
            continue;
        }
        let mut backend = match opened.take().unwrap_or_else(|| Backend::open(&mut settings, socket.as_fd())) {
            Ok(backend) => backend,
            Err(fault) => {
                send_answer(&Err(fault), &socket)?;
                continue;
            }
        };
        let answer = run(&mut backend, &spec, files, socket.as_fd(), &mut state);
        send_answer(&answer, &socket)?;
        // This comes after the answer, so the judge does not wait for it. If it fails, it is tried again before the
        // next run.
        let by_itself = |answer: &&Answer| matches!(answer.end, End::Exited(_));
        let ended = answer.as_ref().ok().filter(by_itself).filter(|_| state.was_alone);
        let _ = backend.tidy(ended.map(|answer| answer.usage.wall));
        if is_repeated && spec.is_in_memory() && answer.is_ok_and(|answer| is_short(&answer)) {
            // For the following runs, which are likely to be short, too. The kept pages belong to the same program,
            // because the order is the same.
            kept = kept.or_else(|| KeptPages::of(&spec.program));
            left = leave_to_init(&backend, &spec, &socket, &mut state)?;
        } else {
            kept = None;
        }
        opened = Some(Ok(backend));
    }
    Ok(())
}

/// Lets the init of the last run's jail, if there is one, serve the judge as long as it can. Returns an order that the
/// init could not follow.
fn leave_to_init(
    backend: &Backend,
    spec: &RunSpec,
    socket: &OwnedFd,
    state: &mut RunnerState,
) -> io::Result<Option<Received>> {
    let Some(jail) = backend.jail() else { return Ok(None) };
    let answer = match jail.serve_judge() {
        Ok(Some(Handback::Order(_, message))) => return Ok(Some(message)),
        Ok(Some(Handback::StartedRun(run))) => resume_run(backend, jail, spec, run, socket.as_fd(), state),
        // The next receive detects which side has closed.
        Ok(None) => return Ok(None),
        Err(fault) => return Err(io::Error::other(fault.to_string())),
    };
    send_answer(&answer, socket)?;
    Ok(None)
}

/// Detaches this process from the judge's session, signals and descriptors. Returns the socket.
fn detach() -> io::Result<OwnedFd> {
    let socket = take_socket()?;
    let _ = rustix::process::setsid();
    for signal in 1..=64 {
        // SAFETY: the default action needs no handler. Signals that cannot be changed are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // When the reader of a program's output has closed it, a write returns an error and does not end this process. The
    // signal is blocked instead of ignored, because programs would inherit that.
    process::block_only(&process::set(&[libc::SIGPIPE]));
    rustix::process::umask(Mode::from_raw_mode(0o022));
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    crate::confine::identity::empty_bounding_set();
    Ok(socket)
}

/// A larger file has more pages than short runs use, and they would have to be read from disk. Without a control group,
/// shared pages are divided among processes, and this process's share would be missing in the result.
const MAX_BYTES: usize = 4 << 20;

/// Keeps the pages of a file mapped from run to run. The kernel counts the first and the last mapping of each page, for
/// the machine and for each control group. While this process has a page mapped, a program's mapping is neither the
/// first nor the last. The pages are never read, so it does not matter if the file changes.
pub(crate) struct KeptPages {
    place: NonNull<libc::c_void>,
    length: usize,
}

impl KeptPages {
    /// Maps the file at `path`; `None` if it is large or cannot be read.
    pub(crate) fn of(path: &Path) -> Option<KeptPages> {
        // Opening a pipe would block.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path).ok()?;
        let length = file.metadata().ok().filter(|file| file.is_file())?.len();
        let length = usize::try_from(length).ok().filter(|length| (1..=MAX_BYTES).contains(length))?;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let place = unsafe { rustix::mm::mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0) }.ok()?;
        // Before Linux 5.14 this fails, and only the pages around a used one are mapped.
        // SAFETY: the advice does not change the content of the memory.
        let _ = unsafe { rustix::mm::madvise(place, length, Advice::LinuxPopulateRead) };
        NonNull::new(place).map(|place| KeptPages { place, length })
    }
}

impl Drop for KeptPages {
    fn drop(&mut self) {
        // SAFETY: this value's own mapping, which nothing else uses.
        let _ = unsafe { rustix::mm::munmap(self.place.as_ptr(), self.length) };
    }
}

/// Runs until its helper has ended. If the helper was killed with SIGKILL, the keeper then kills the program. If the
/// helper was stopped and does not kill a program in time, the keeper does. Needed where no namespace dies with the
/// helper. A program's children need not die with it, but they cannot leave its process group.
pub(crate) const KEEPER: Role = Role { name: c"judge-keeper", argument: "--judge-sandbox-keeper", main: keep };

/// The interval of checks for overdue programs, in nanoseconds.
const CHECK_INTERVAL: u64 = 2_000_000_000;

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
        match rustix::event::poll(&mut waiting, Some(&clock::timespec(CHECK_INTERVAL))) {
            Ok(0) if kill_target.is_overdue() => kill(kill_target.group()),
            Ok(0) | Err(Errno::INTR) => {}
            // The helper never writes, so the pipe was closed.
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
    use std::fs::File;

    use super::*;

    /// Kilobytes of the file that this process has mapped.
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
