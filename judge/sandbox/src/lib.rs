//! Runs one program once, isolated and measured. Knows no problem and no verdict.
//!
//! [`Sandbox::open`] chooses a [`Tier`] by trying what works on this machine. [`Sandbox::worker`] starts a [`Worker`],
//! which runs one [`Request`] at a time and returns an [`Execution`]: how the program ended, the limits that it passed,
//! what it used, what it wrote. A [`Fault`] is always the sandbox's own, never the program's.
//!
//! # Example
//!
//! The sandbox has no binary of its own: each of its processes is the calling program, executed again; or a copy of the
//! calling process, if that is small and has one thread, as copies are ready sooner. Therefore [`become_helper_if_asked`]
//! comes first in `main`, before threads, arguments and output. A program that leaves it out starts itself again and again.
//!
//! ```standalone_crate
//! use std::time::Duration;
//!
//! use judge_sandbox::{End, Limits, Options, Request, Sandbox, Sink, Stdin};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     judge_sandbox::become_helper_if_asked();
//!
//!     let sandbox = Sandbox::open(&Options::default())?;
//!     let mut worker = sandbox.worker(None)?;
//!     let execution = worker.run(&Request {
//!         program: "/bin/cat".into(),
//!         argv: vec!["cat".into()],
//!         environment: Vec::new(),
//!         stdin: Stdin::Bytes(b"hello".as_slice().into()),
//!         limits: Limits {
//!             cpu: Some(Duration::from_secs(5)),
//!             wall: Some(Duration::from_secs(10)),
//!             memory: Some(64 << 20),
//!             stdout: 1024,
//!             stderr: 1024,
//!             processes: Some(1),
//!             disk: 1 << 20,
//!         },
//!         visible: Vec::new(),
//!         hidden: Vec::new(),
//!         folder: None,
//!         stdout: Sink::Capture,
//!         stderr: Sink::Capture,
//!     })?;
//!     assert_eq!(execution.end, End::Exited(0));
//!     assert_eq!(execution.stdout, b"hello");
//!     assert!(execution.breaches.is_empty());
//!     Ok(())
//! }
//! ```
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
//! [`Sandbox::gaps`] lists what the tier in use does not guarantee on this machine.
//!
//! # Processes and sockets
//!
//! ```text
//! judge ─ socketpair ─▶ helper            one for each Worker, with one thread that watches
//!   │                     │  settings once, then an order for each run; standard streams travel as descriptors
//!   │                     ├─ tiers with namespaces ─ socketpair ─▶ init, pid 1 of a jail
//!   │                     │                                          └─ clone(VM|VFORK) ─▶ program
//!   ├─ the same socket ───┼────────────────────────────────────────▶ init, while programs are alike and brief
//!   │                     └─ tiers without ─ a thread that has the filter on ─ clone(VM|VFORK) ─▶ program
//!   ├─ pipe ─▶ keeper                     one for each helper without namespaces
//!   ├─ socketpair ─▶ supervisor           one for each trusted command that runs
//!   └─ abstract socket ◀─ stub            what such a command starts in place of a program that a worker runs
//! ```
//!
//! A message on a socket is its length, then fields in a fixed order; descriptors travel with its first packet. A socket
//! that closes is an order as well: the receiver ends what it has started, and then itself.
//!
//! A judge that orders the same again says just that. The helper leaves such orders to the jail's init once one of them
//! has ended within two milliseconds and written little: then one process less is woken for each. The init gives the
//! helper its socket back with whatever else is ordered, and with a program that takes longer or writes more: that goes
//! on, and the helper watches it.
//!
//! A helper keeps up to four jails, one for each view of the host that was asked for lately. The namespaces and the init of
//! the first are made when the helper starts, as they do not depend on what will be ordered. A jail's init mounts the
//! working folder anew after a run, unless its times show that the program, which was alone, left it untouched.
//!
//! The child of a clone walks to its program in a fixed order: signals, session, standard streams, working folder,
//! resource limits, user, capabilities, no-new-privileges, landlock, seccomp, exec. A step that fails is a [`Fault`]
//! with its name; only exec itself yields [`End::NotStarted`]. In a jail where the filter is the same for all programs, the
//! init has it on since it is built and children inherit it, as they do from the thread that starts them where there is no
//! jail; a secret argument, the pass, opens the few calls that these and a child on its way still need.
//!
//! # Who owns and ends what
//!
//! | what | owner | ends when |
//! |---|---|---|
//! | helper | [`Worker`]; once it is dismissed, the judge | its socket closes: it kills the program and removes its folder and control groups |
//! | keeper | [`Worker`] | its pipe closes, because the helper has gone: it kills the process group that the helper has noted; also two seconds after a run's limit on the clock |
//! | init | the helper | the helper ends (`PR_SET_PDEATHSIG`) or drops the jail; the pid namespace ends with it |
//! | program | the init or the helper | it exits, passes a limit, or a process above it ends |
//! | input | [`Worker`]: a sealed memfd; the helper opens it again for the run | the run ends |
//! | output | the helper, or the init while it serves the judge: pipes, read into memfds that it shares with its [`Worker`], at most up to the limit | the worker ends; each run overwrites them |
//! | notes: start, CPU time of reaped orphans, whether an order of the judge's is answered | a page that helper and init share | the jail ends |
//! | charge: the program's process group | a memfd that helper, program's child and keeper map | the helper and the keeper end |
//! | fork gate | a seccomp listener in the helper, where no control group counts processes | the helper ends: new processes are refused |
//! | working folder | the init (a tmpfs of its own) or the helper (a tmpfs, else a folder on disk) | the jail or the helper ends |
//! | control groups | the helper, one for each jail | the jail ends |
//! | memory of a tier that works | [`Sandbox::open`], in the folder [`Options::memory`] | after ten minutes, in other surroundings, when a worker fails, when `judge doctor` looks |
//! | supervisor | the judge ([`Supervised`]) | its socket closes: it kills the command with all that it has started |
//! | stub | the trusted command that started it | the judge tells it how to end ([`StubCall`]), or its supervisor ends the command |
//!
//! Folders and control groups bear the id and the start time of the process that made them. What a judge that was
//! killed has left is removed by the next [`Sandbox::open`], and what a helper has left by its [`Worker`].
//!
//! # Floors
//!
//! A module imports only from floors below its own, and files do not import each other in a circle.
//!
//! ```text
//! lib                    what callers see
//! doctor · sandbox       surveys the machine · chooses a tier
//! probe                  tries a tier
//! worker                 the judge's side of a helper
//! entry · sweep · memory what a process of the sandbox becomes · removes what was left · remembers what was tried
//! helper · supervisor    runs programs for a worker · runs trusted commands
//! namespace              a jail and its init
//! watch                  output, limits, meters, the reaper
//! scratch                working folders
//! cgroup · confine       control groups · from clone to exec: limits, user, landlock, seccomp
//! proc                   what /proc tells; signals and descriptors of this process
//! fuzzing                the fuzz targets' door to the messages, behind a feature
//! protocol               messages and shared memory between the processes
//! api                    requests, executions, faults, tiers; clocks, names, texts, children
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
mod tier;
mod tier_cache;
mod watch;
mod worker;

pub use cores::{CoreClaims, Cores};
pub use doctor::{Feature, FeatureState, Machine, Survey, TierReport, survey};
pub use names::unique as sweepable_name;
pub use process::reset_inherited_signals;
pub use procfs::stat as process_stat;
pub use request::{
    Breach, End, Exchange, Execution, Fault, Limits, OutputFiles, OutputFilesError, Request, Sink, Stdin, Usage,
    Visible, WorkFile,
};
pub use sandbox::{OpenError, Sandbox, become_helper_if_asked};
pub use supervisor::{Stub, StubCall, StubLink, Supervised, Supervisors};
pub use tier::{GAP_OF_EVERY_TIER, Gap, Options, Tier, TierChoice, UnknownTier};
pub use worker::{Canceller, DismissedWorkers, Observer, Worker};
