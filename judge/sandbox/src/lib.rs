//! Runs one program once, isolated and measured.
//!
//! The crate is for judges of programming games and for other callers that run programs they do not trust: thousands of
//! short runs, one after the other, on a Linux machine, as root or as an ordinary user. It has no notion of problems or
//! verdicts. A caller asks for a run and decides what its result means.
//!
//! # The main types
//!
//! - A [`Sandbox`] is opened once. It chooses a [`Tier`] by trying what works on this machine, and lists in
//!   [`Sandbox::gaps`] what that tier does not guarantee here.
//! - A [`Worker`] comes from [`Sandbox::worker`]. It is one helper process that runs one program at a time. Callers
//!   open one for each core.
//! - [`Worker::run`] takes a [`Request`] and returns an [`Execution`]: how the program ended, which limits it exceeded,
//!   what it used and what it wrote. A [`Fault`] is always a failure of the sandbox, never of the program.
//!
//! # Example
//!
//! The sandbox has no executable of its own. Each of its processes is the calling program, executed again with an
//! argument that names the role of the process; or a copy of the calling process, if that is small and has only one
//! thread. Therefore [`become_helper_if_asked`] must come first in `main`, before threads, arguments and output.
//! Without this call, a program starts itself again and again.
//!
//! ```standalone_crate
//! use std::time::Duration;
//!
//! use judge_sandbox::{End, Limits, Options, Request, Sandbox, Stdin};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     judge_sandbox::become_helper_if_asked();
//!
//!     let sandbox = Sandbox::open(&Options::default())?;
//!     let mut worker = sandbox.worker(None)?;
//!     let limits = Limits {
//!         cpu: Some(Duration::from_secs(5)),
//!         wall: Some(Duration::from_secs(10)),
//!         memory: Some(64 << 20),
//!         stdout: 1024,
//!         stderr: 1024,
//!         processes: Some(1),
//!         disk: 1 << 20,
//!     };
//!     let input = Stdin::Bytes(b"hello".as_slice().into());
//!     let execution = worker.run(&Request { stdin: input, ..Request::new("/bin/cat", limits) })?;
//!     assert_eq!(execution.end, End::Exited(0));
//!     assert_eq!(execution.stdout, b"hello");
//!     assert!(execution.breaches.is_empty());
//!     Ok(())
//! }
//! ```
//!
//! # Steps of a run
//!
//! 1. [`Worker::submit`] sends the request to the helper, as one message on a socket. Standard streams travel with it
//!    as descriptors. If a request equals the last one, only a short repeat message is sent.
//! 2. The helper prepares a working folder, the limits and, in tiers with namespaces, a jail: namespaces with an init
//!    in them. It keeps up to four jails, one for each view of the host.
//! 3. The init, or in other tiers the helper, clones a child. The child confines itself in a fixed order (signals,
//!    session, standard streams, working folder, resource limits, user, capabilities, no-new-privileges, landlock,
//!    seccomp) and executes the program. If a step fails, that is a [`Fault`] with the step's name. Only a failed
//!    `execve` is [`End::NotStarted`].
//! 4. The helper watches: it captures output, reads meters, and kills the program when it exceeds a limit.
//! 5. When the program has ended, its other processes are killed and reaped. If it read from a disk, its control group's
//!    pages of files are evicted. The helper sends the answer, from which [`Worker::collect`] makes the [`Execution`],
//!    and then cleans the working folder.
//!
//! While the judge repeats its request and runs take less than two milliseconds and write little, the jail's init
//! serves the socket in place of the helper and does all of this. This saves waking a process for each run.
//!
//! # Tiers
//!
//! | tier | isolated by | limited and measured by |
//! |---|---|---|
//! | [`root`](Tier::Root) | namespaces set up by root, a uid of its own, landlock, seccomp | a control group |
//! | [`delegated`](Tier::Delegated) | a user namespace, landlock, seccomp | a delegated control group |
//! | [`userns`](Tier::Userns) | a user namespace, landlock, seccomp | meters that read `/proc`, a fork gate |
//! | [`bare`](Tier::Bare) | landlock, seccomp; a uid of its own if root starts it | meters that read `/proc`, a fork gate |
//! | [`unsafe`](Tier::Unsafe) | nothing but a uid of its own if root starts it | meters that read `/proc`, a fork gate |
//!
//! # Processes and sockets
//!
//! ```text
//! judge ─ socketpair ─▶ helper            one for each Worker, with one thread that watches
//!   │                     │
//!   │                     ├─ tiers with namespaces ─ socketpair ─▶ init, pid 1 of a jail
//!   │                     │                                          └─ clone(VM|VFORK) ─▶ program
//!   ├─ the same socket ───┼────────────────────────────────────────▶ init, while short runs repeat
//!   │                     └─ tiers without ─ a thread that has the filter on ─ clone(VM|VFORK) ─▶ program
//!   ├─ pipe ─▶ keeper                     one for each helper without namespaces
//!   ├─ socketpair ─▶ supervisor           one for each trusted command that runs
//!   └─ abstract socket ◀─ stub            what such a command starts in place of a program that a worker runs
//! ```
//!
//! A message is its length and a value that serde encodes. Descriptors travel with its first packet. A closed socket is
//! an order, too: the receiver ends the processes that it has started, and then itself.
//!
//! # Ownership and lifetime
//!
//! | what | owner | ends when |
//! |---|---|---|
//! | helper | [`Worker`], or [`DismissedWorkers`] | its socket closes: it kills the program and removes its folder and control groups |
//! | keeper | [`Worker`] | its pipe closes, because the helper has ended: it kills the process group that the helper has set; also two seconds after a run's limit on elapsed time |
//! | init | the helper | the helper ends (`PR_SET_PDEATHSIG`) or drops the jail; the pid namespace ends with it |
//! | dead man's switch: a pipe whose owner is the program's process group | the helper without namespaces, the supervisor | its process ends: the kernel then kills the group |
//! | program | the init or the helper | it exits, exceeds a limit, or a process above it ends |
//! | input | [`Worker`]: a sealed memfd | the run ends |
//! | output | the helper, or the init while it serves the judge: pipes, read into memory and memfds, up to the limit | the caller has it |
//! | status: start, CPU time of reaped orphans, whether an order of the judge's is answered | a page that helper and init share | the jail ends |
//! | kill target: the program's process group | a memfd that helper, program's child and keeper map | the helper and the keeper end |
//! | fork gate | a seccomp listener in the helper, where no control group counts processes | the helper ends: new processes are refused |
//! | working folder | the init (a tmpfs of its own) or the helper (a tmpfs, else a folder on disk) | the jail or the helper ends |
//! | control groups | the helper, one for each jail | the jail ends |
//! | cache of the tier that works | [`Sandbox::open`], in the folder [`Options::tier_cache`] | after ten minutes, in another environment, when a worker fails, when [`survey`] runs |
//! | supervisor | [`Supervisors`] | it is idle and killed; its socket closes: it kills the command with all that it has started |
//! | sweeper | [`Sweeper`] | its socket closes: it removes the temporary files of the judge, unless these are gone |
//! | stub | the trusted command that started it | the judge tells it how to end ([`StubCall`]), or its supervisor ends the command |
//!
//! Names of folders and control groups contain the id and the start time of the process that made them. The next
//! [`Sandbox::open`] removes what a killed judge has left, and a [`Worker`] what its helper has left.
//!
//! # What a caller should know
//!
//! - [`Request`] and [`Limits`] are plain structures without defaults: when they get a field, each caller must set it,
//!   because a forgotten limit would mean no limit. Errors and reports are `#[non_exhaustive]`.
//! - Where a control group's pages were evicted after a run, the same request starts the program once more before its next
//!   run: without input, for at most a second, and without an answer. This does not happen if the program may write to a
//!   visible path, or exchanges files.
//! - The library has no mutable global state. Signals, which [`reset_inherited_signals`] changes, belong to the
//!   process. A few facts about the kernel are cached in statics.
//! - `unsafe` code of the whole project is in this crate.
//!
//! # Layers
//!
//! A module imports only modules below it, and files do not import each other in a circle.
//!
//! ```text
//! doctor               surveys the machine
//! sandbox              chooses a tier by trying
//! worker               the judge's side of a helper
//! helper               runs programs for a worker
//! namespace            a jail and its init
//! watch                output, limits, meters, the reaper
//! scratch              working folders
//! confine              from clone to exec: limits, user, landlock, seccomp
//! supervisor · sweeper · tier_cache · fuzzing
//! protocol             messages and memory that processes share
//! cgroup               control groups
//! process · cores · names
//! request · tier · procfs · clock · os_data
//! ```

// Tests cast as they like.
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss))]

mod cgroup;
mod clock;
mod confine;
mod cores;
mod doctor;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod helper;
mod names;
mod namespace;
mod os_data;
mod process;
mod procfs;
mod protocol;
mod request;
#[cfg(test)]
#[path = "../../../tests/support/require.rs"]
mod require;
mod sandbox;
mod scratch;
mod supervisor;
mod sweeper;
mod tier;
mod tier_cache;
mod watch;
mod worker;

pub use cores::{CoreClaims, Cores};
pub use doctor::{Feature, Machine, Survey, TierReport, survey};
pub use names::{stale_in, unique as sweepable_name};
pub use process::reset_inherited_signals;
pub use procfs::stat as process_stat;
pub use request::{
    Breach, End, Exchange, Execution, Fault, Limits, OutputFiles, OutputFilesError, Request, Sink, Stdin, Usage,
    Visible, WorkFile,
};
pub use sandbox::{OpenError, Sandbox, become_helper_if_asked};
pub use supervisor::{Stub, StubCall, StubLink, Supervised, Supervisors};
pub use sweeper::Sweeper;
pub use tier::{GAP_OF_EVERY_TIER, Gap, Options, Tier, TierChoice, UnknownTier};
pub use watch::capture::{both_ends, write_what_fits};
pub use worker::{Canceller, DismissedWorkers, Observer, Worker};
