//! `judge exec`: one program in the sandbox, for scripts.

use super::failure::Failure;
use super::run::no_temporary_folder;
use super::{load, walls};
use crate::cli::{ExecArgs, LimitArgs};
use crate::model::{Bytes, Exit, Invocation, Limits, Time, Verdict};
use crate::report::{self, ExecReport};
use crate::runner::{self, RunError};
use crate::solver::{self, Toolbox};
use crate::verdict::Ending;
use judge_sandbox::{Request, Sink, Stdin, Visible};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Standard output beyond this ends the program, unless the user says otherwise.
const OUTPUT: Bytes = Bytes(64_000_000);

/// Processes and threads at once, unless the user says otherwise.
const PROCESSES: u32 = 64;

/// What stands for "no limit" where a number is needed: more than any run takes.
const NO_TIME_LIMIT: Time = Time(Duration::from_secs(u32::MAX as u64));

/// Runs one program in the sandbox.
pub(super) fn exec(args: &ExecArgs) -> Result<Exit, Failure> {
    let limits = limits(&args.limits);
    let sandbox = walls::open(&args.sandbox)?;
    let mut toolbox = Toolbox::new().map_err(|error| no_temporary_folder(&error))?;
    let streams = Streams::open(args)?;
    let (ending, execution) = match solver::find_command(args.command.clone(), &mut toolbox) {
        Invocation::Program { program, argv, visible } => {
            let request = request(args, &limits, program, argv, visible, &streams)?;
            let execution = runner::run_alone(&sandbox, &request).map_err(|error| unwritten(args, error))?;
            let execution = execution.ok_or_else(Failure::interrupted)?;
            (solver::ending(&request.program, &execution, &limits), Some(execution))
        }
        Invocation::CannotStart(why) | Invocation::CompileError(why) => {
            (Ending::Failed(Verdict::CannotStart, why), None)
        }
    };
    let gaps = walls::gaps(sandbox.gaps());
    let report =
        ExecReport { ending: &ending, execution: execution.as_ref(), tier: sandbox.tier().name(), gaps: &gaps };
    streams.show(args)?;
    publish(args, &report)?;
    Ok(if ending == Ending::Clean { Exit::Success } else { Exit::NotAccepted })
}

fn limits(given: &LimitArgs) -> Limits {
    Limits {
        cpu: given.cpu.unwrap_or(NO_TIME_LIMIT),
        wall: given.wall.or_else(|| given.cpu.map(Limits::default_wall)).unwrap_or(NO_TIME_LIMIT),
        memory: given.memory.unwrap_or(Bytes(u64::MAX)),
        output: given.output_limit.unwrap_or(OUTPUT),
        processes: given.processes.map_or(PROCESSES, std::num::NonZeroU32::get),
    }
}

fn request(
    args: &ExecArgs,
    limits: &Limits,
    program: std::path::PathBuf,
    argv: Vec<std::ffi::OsString>,
    visible: Vec<std::path::PathBuf>,
    streams: &Streams,
) -> Result<Request, Failure> {
    let mut seen: Vec<_> = visible.into_iter().map(|path| Visible { path, writable: false }).collect();
    seen.extend(walls::visible(&args.sandbox)?);
    let bounded = |time: Time| (time != NO_TIME_LIMIT).then_some(time.0);
    let memory = (limits.memory != Bytes(u64::MAX)).then_some(limits.memory.0);
    Ok(Request {
        program,
        argv,
        environment: runner::environment(&args.sandbox.environment),
        stdin: stdin(args.stdin.as_deref())?,
        limits: judge_sandbox::Limits {
            cpu: bounded(limits.cpu),
            wall: bounded(limits.wall),
            memory,
            stdout: limits.output.0,
            stderr: limits.output.0,
            processes: Some(limits.processes),
            disk: memory.unwrap_or(OUTPUT.0),
        },
        visible: seen,
        stdout: Sink::File(Arc::clone(&streams.stdout)),
        stderr: Sink::File(Arc::clone(&streams.stderr)),
    })
}

fn stdin(path: Option<&Path>) -> Result<Stdin, Failure> {
    match path {
        None => Ok(Stdin::Empty),
        Some(path) if path == Path::new("-") => Ok(Stdin::File(Arc::new(spooled_stdin()?))),
        Some(path) if path.is_file() => match File::open(path) {
            Ok(file) => Ok(Stdin::File(Arc::new(file))),
            Err(error) => Err(Failure::usage(format!("cannot read {}: {error}", path.display()))),
        },
        Some(path) => Err(Failure::usage(format!("cannot read {}: it is not a file", path.display()))),
    }
}

/// Our own standard input in a file of no name: however much it is, none of it is in our memory, and the program gets
/// neither a terminal nor anybody else's pipe.
fn spooled_stdin() -> Result<File, Failure> {
    let mut file = nameless("judge-stdin")?;
    let copied = io::copy(&mut io::stdin().lock(), &mut file);
    copied.map_err(|error| Failure::usage(format!("cannot read the standard input: {error}")))?;
    Ok(file)
}

/// What the program writes: to files, the user's or ones of no name, so that none of it is in our memory.
struct Streams {
    stdout: Arc<File>,
    stderr: Arc<File>,
}

impl Streams {
    fn open(args: &ExecArgs) -> Result<Self, Failure> {
        let file = |what: &str, path: Option<&Path>| match path {
            None => nameless("judge-output").map(Arc::new),
            Some(path) => {
                create_without_waiting(path).map(Arc::new).map_err(|error| load::unwritable(what, path, &error))
            }
        };
        let stdout = file("the standard output to", args.stdout.as_deref())?;
        Ok(Self { stdout, stderr: file("the standard error to", args.stderr.as_deref())? })
    }

    /// Copies what did not go to a file of the user's to our own streams, unless a report takes standard output.
    fn show(&self, args: &ExecArgs) -> Result<(), Failure> {
        let (mut stdout, mut stderr) = (&*self.stdout, &*self.stderr);
        if args.stdout.is_none() && !json_on_stdout(args) {
            stdout.rewind()?;
            report::print_from(&mut stdout)?;
        }
        if args.stderr.is_none() {
            stderr.rewind()?;
            report::note_from(&mut stderr);
        }
        Ok(())
    }
}

/// Like [`File::create`], but a FIFO that nobody reads is an error at once.
fn create_without_waiting(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOCTTY;
    match rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::from_raw_mode(0o666)) {
        Ok(file) => {
            rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
            Ok(file.into())
        }
        Err(Errno::NXIO) => Err(io::Error::other("nobody reads this FIFO; start its reader first")),
        Err(error) => Err(error.into()),
    }
}

fn nameless(purpose: &str) -> Result<File, Failure> {
    let file = rustix::fs::memfd_create(purpose, rustix::fs::MemfdFlags::CLOEXEC);
    Ok(file.map_err(|error| Failure::fault(format!("cannot make a file in memory: {error}")))?.into())
}

/// The sandbox does not know the names of the files that it writes to.
fn unwritten(args: &ExecArgs, error: RunError) -> Failure {
    let files: Vec<_> =
        [&args.stdout, &args.stderr].into_iter().flatten().map(|path| path.display().to_string()).collect();
    let during_the_run = matches!(error, RunError::Run(_));
    let failure = Failure::from(error);
    if files.is_empty() || !during_the_run {
        return failure;
    }
    failure.with_hint(format!("its output goes to {}: is there room?", files.join(" and ")))
}

fn json_on_stdout(args: &ExecArgs) -> bool {
    args.json.as_deref() == Some(Path::new("-"))
}

fn publish(args: &ExecArgs, report: &ExecReport<'_>) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        let json = report::exec_json(report).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    report::note(&report::exec_line(report));
    Ok(())
}
