//! `judge exec`: one program in the sandbox, for scripts.

use super::failure::Failure;
use super::run::no_temporary_folder;
use super::{load, walls};
use crate::cli::{ExecArgs, LimitArgs};
use crate::model::{Bytes, Exit, Invocation, Limits, Time, Verdict};
use crate::report::{self, ExecReport};
use crate::solver::{self, Toolbox};
use crate::verdict::{self, Ending};
use judge_sandbox::{Execution, Request, Sandbox, Sink, Stdin, Visible};
use std::fs::File;
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
    let (ending, execution) = match solver::find_command(args.command.clone(), &mut toolbox) {
        Invocation::Program { program, argv, visible } => {
            let request = request(args, &limits, program, argv, visible)?;
            let execution = run(&sandbox, &request)?;
            (verdict::ending(&execution, &limits), Some(execution))
        }
        Invocation::CannotStart(why) | Invocation::CompileError(why) => {
            (Ending::Failed(Verdict::CannotStart, why), None)
        }
    };
    let gaps = walls::gaps(&sandbox);
    let report =
        ExecReport { ending: &ending, execution: execution.as_ref(), tier: sandbox.tier().name(), gaps: &gaps };
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
) -> Result<Request, Failure> {
    let mut seen: Vec<_> = visible.into_iter().map(|path| Visible { path, writable: false }).collect();
    seen.extend(walls::visible(&args.sandbox)?);
    let bounded = |time: Time| (time != NO_TIME_LIMIT).then_some(time.0);
    let memory = (limits.memory != Bytes(u64::MAX)).then_some(limits.memory.0);
    Ok(Request {
        program,
        argv,
        environment: crate::runner::environment(&args.sandbox.environment),
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
        stdout: sink("the standard output", args.stdout.as_deref())?,
        stderr: sink("the standard error", args.stderr.as_deref())?,
    })
}

fn stdin(path: Option<&Path>) -> Result<Stdin, Failure> {
    match path {
        None => Ok(Stdin::Empty),
        Some(path) if path == Path::new("-") => Ok(Stdin::Bytes(load::bytes("the standard input", path)?.into())),
        Some(path) if path.is_file() => match File::open(path) {
            Ok(file) => Ok(Stdin::File(Arc::new(file))),
            Err(error) => Err(Failure::usage(format!("cannot read {}: {error}", path.display()))),
        },
        Some(path) => Err(Failure::usage(format!("cannot read {}: it is not a file", path.display()))),
    }
}

fn sink(what: &str, path: Option<&Path>) -> Result<Sink, Failure> {
    let Some(path) = path else { return Ok(Sink::Capture) };
    match File::create(path) {
        Ok(file) => Ok(Sink::File(Arc::new(file))),
        Err(error) => Err(Failure::usage(format!("cannot write {what} to {}: {error}", path.display()))),
    }
}

/// Ctrl-C needs no care of ours: when the judge goes, its helper ends what it runs.
fn run(sandbox: &Sandbox, request: &Request) -> Result<Execution, Failure> {
    let core = None;
    sandbox.worker(core).and_then(|mut worker| worker.run(request)).map_err(Failure::fault)
}

fn publish(args: &ExecArgs, report: &ExecReport<'_>) -> Result<(), Failure> {
    let json_on_stdout = args.json.as_deref() == Some(Path::new("-"));
    if let Some(execution) = report.execution {
        if !json_on_stdout {
            report::print_bytes(&execution.stdout)?;
        }
        report::note_bytes(&execution.stderr);
    }
    if let Some(path) = &args.json {
        let json = report::exec_json(report).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    report::note(&report::exec_line(report));
    Ok(())
}
