//! Starts one program: a `vfork`-like clone whose child puts on its walls and becomes the program.

use std::ffi::{CString, OsString, c_char, c_void};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

use crate::api::execution::Fault;
use crate::api::fault::{Context, is_shortage};
use crate::confine::walk::{Shared, Step, become_program};
use crate::confine::walls::Walls;
use crate::protocol::messages::Task;
use crate::protocol::pass::Pass;

/// Everything a child needs, laid out before the clone: the child shares this memory and must not allocate.
pub(crate) struct Launch<'a> {
    program: CString,
    argv: Vec<CString>,
    environment: Vec<CString>,
    /// Standard input, output and error.
    stdio: [BorrowedFd<'a>; 3],
    /// The folder that it starts in.
    folder: BorrowedFd<'a>,
    walls: Walls<'a>,
}

/// What became of a launch.
pub(crate) enum Launched {
    /// The program runs.
    Running(Child),
    /// `execve` failed with this error number.
    Refused(i32),
}

/// A started program. Its id is its own until it is waited for.
pub(crate) struct Child {
    pub(crate) pid: i32,
    /// When it started, in nanoseconds of the monotonic clock.
    pub(crate) started: u64,
}

/// Several times what the walk needs, and little enough for the allocator to have it at hand.
const STACK_BYTES: usize = 32 * 1024;

impl<'a> Launch<'a> {
    /// A launch of `task` behind `walls`. `Err` holds the error number of `execve` for strings with a NUL byte.
    pub(crate) fn new(
        task: &Task,
        stdio: [BorrowedFd<'a>; 3],
        folder: BorrowedFd<'a>,
        walls: Walls<'a>,
    ) -> Result<Launch<'a>, i32> {
        let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| libc::EINVAL);
        let pair = |(name, value): &(OsString, OsString)| {
            let mut bytes = name.clone();
            bytes.push("=");
            bytes.push(value);
            text(&bytes.into_vec())
        };
        Ok(Launch {
            program: text(task.program.as_os_str().as_bytes())?,
            argv: task.argv.iter().map(|argument| text(argument.as_bytes())).collect::<Result<_, _>>()?,
            environment: task.environment.iter().map(pair).collect::<Result<_, _>>()?,
            stdio,
            folder,
            walls,
        })
    }

    /// Opens the folder that a program starts in.
    pub(crate) fn folder(path: &Path) -> Result<OwnedFd, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).context(format!("entering {}", path.display()))
    }

    /// Adds variables to the environment that hold the working folder's path, which has no NUL byte.
    pub(crate) fn name_folder(&mut self, variables: &[OsString], path: &Path) {
        let value = path.as_os_str().as_bytes();
        let lines = variables.iter().map(|name| [name.as_bytes(), b"=", value].concat());
        self.environment.extend(lines.filter_map(|line| CString::new(line).ok()));
    }

    /// Starts the program; returns when it runs or when it is certain that it will not.
    pub(crate) fn start(&mut self) -> Result<Launched, Fault> {
        // A file that was written a moment ago may still be open for writing in a process just forked elsewhere.
        for _ in 0..10 {
            match self.attempt()? {
                Launched::Refused(libc::ETXTBSY) => std::thread::sleep(Duration::from_millis(2)),
                launched => return Ok(launched),
            }
        }
        self.attempt()
    }

    fn attempt(&mut self) -> Result<Launched, Fault> {
        let pointers = |texts: &[CString]| -> Vec<*const c_char> {
            texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let pass: *mut c_void = self.walls.pass.map_or(std::ptr::null_mut(), Pass::as_pointer);
        let mut shared = Shared {
            argv: pointers(&self.argv),
            environment: pointers(&self.environment),
            program: &self.program,
            stdio: self.stdio,
            folder: self.folder,
            walls: &mut self.walls,
            step: Step::Signals,
            errno: 0,
            started: 0,
        };
        let mut stack = vec![std::mem::MaybeUninit::<u128>::uninit(); STACK_BYTES / 16];
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let unused = std::ptr::null_mut::<c_void>();
        // SAFETY: the stack is large enough for `become_program`. It touches nothing but `shared` and this thread's `errno`, takes
        // no lock and calls only system calls, so that it does not matter what other threads do meanwhile. CLONE_VFORK keeps
        // this thread waiting until the child has executed or ended, so that the stack and `shared` outlive its use of them.
        // With these flags the kernel does not look at the last three arguments.
        let pid = unsafe {
            libc::clone(
                become_program,
                stack.as_mut_ptr().add(stack.len()).cast::<c_void>(),
                flags,
                (&raw mut shared).cast::<c_void>(),
                unused,
                pass,
                pass,
            )
        };
        if pid < 0 {
            return Err(Fault::System { action: "starting a process".into(), source: io::Error::last_os_error() });
        }
        if shared.errno == 0 {
            return Ok(Launched::Running(Child { pid, started: shared.started }));
        }
        // SAFETY: no pointers are passed but null; the child has ended and is this process's to reap.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL) };
        match (shared.step, shared.errno) {
            (Step::Exec, errno) if !is_shortage(errno) => Ok(Launched::Refused(errno)),
            (step, errno) => {
                Err(Fault::System { action: step.action().into(), source: io::Error::from_raw_os_error(errno) })
            }
        }
    }
}
