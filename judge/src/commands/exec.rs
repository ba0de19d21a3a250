//! `judge exec`: one program in the sandbox, for scripts.

use judge_cli::{ExecArgs, LimitArgs};
use judge_problem::{Bytes, Exit, Limits, Program, Termination, Time, Verdict};
use judge_report::ExecReport;
use judge_run::files::MAX_FILE_BYTES;
use judge_run::program;
use judge_run::runner::{self, RunError};
use judge_run::solver::{self, BuildSettings, Toolbox};
use judge_sandbox::{Request, Sink, Stdin, Visible};
use judge_session::load::is_stdout;
use judge_session::outputs::{refuse_input_as_output, refuse_two_in_one};
use judge_session::{Failure, Result, load, sandbox};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The default limit of standard output.
const OUTPUT: Bytes = Bytes(64_000_000);

/// The default limit of processes and threads.
const PROCESSES: u32 = 64;

/// Means "no limit": no run takes this long.
const NO_TIME_LIMIT: Time = Time(Duration::from_secs(u32::MAX as u64));

/// Runs one program in the sandbox.
pub(super) fn exec(args: &ExecArgs) -> Result<Exit> {
    let limits = limits(&args.limits);
    let sandbox = sandbox::open_for_all_cores(&args.sandbox)?;
    let toolbox = Toolbox::new(sandbox.tier(), BuildSettings::default());
    let visible = sandbox::visible(&args.sandbox, &sandbox)?;
    let streams = Streams::open(args)?;
    let (ending, execution) = match solver::find_command(args.command.clone(), &toolbox)?.program() {
        Ok(program) => {
            let request = request(args, &limits, program.clone(), &streams, visible);
            let execution =
                runner::run_alone(&sandbox, |worker| worker.run(&request)).map_err(|error| unwritten(args, error))?;
            let execution = execution.ok_or_else(Failure::interrupted)?;
            (solver::ending(&request.program, &execution, &limits), Some(execution))
        }
        Err(why) => (Termination::Failed(Verdict::CannotStart, why), None),
    };
    let gaps = sandbox::gaps(sandbox.gaps());
    let report = ExecReport { ending: &ending, execution: execution.as_ref(), tier: sandbox.tier(), gaps: &gaps };
    streams.show(args)?;
    load::write_json(args.json.as_deref(), &report)?;
    judge_report::note(&judge_report::exec_line(&report));
    Ok(if ending == Termination::Clean { Exit::Success } else { Exit::NotAccepted })
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

/// Returns the request to the sandbox. `seen` has the files and folders of `--dir`.
fn request(args: &ExecArgs, limits: &Limits, program: Program, streams: &Streams, mut seen: Vec<Visible>) -> Request {
    let hidden = runner::hidden(&program, &seen);
    seen.extend(program::visible(&program));
    let bounded = |time: Time| (time != NO_TIME_LIMIT).then_some(time.0);
    let memory = (limits.memory != Bytes(u64::MAX)).then_some(limits.memory.0);
    let limits = judge_sandbox::Limits {
        cpu: bounded(limits.cpu),
        wall: bounded(limits.wall),
        memory,
        ..program::sandbox_limits(limits, limits.output.0)
    };
    Request {
        environment: program::environment(&program, &args.sandbox.environment),
        argv: program.argv,
        stdin: streams.stdin.clone(),
        visible: seen,
        hidden,
        stdout: Sink::File(Arc::clone(&streams.stdout)),
        stderr: Sink::File(Arc::clone(&streams.stderr)),
        ..Request::new(program.path, limits)
    }
}

fn stdin(path: Option<&Path>) -> Result<Stdin> {
    match path {
        None => Ok(Stdin::Empty),
        Some(path) if path == Path::new("-") => Ok(Stdin::File(Arc::new(spooled(io::stdin().lock(), MAX_FILE_BYTES)?))),
        Some(path) => {
            let unreadable = |why: &dyn Display| Failure::usage(format!("cannot read {}: {why}", path.display()));
            // Before it is opened: opening a pipe waits for its writer.
            let is_file = path.metadata().map_err(|error| unreadable(&error))?.is_file();
            if !is_file {
                return Err(unreadable(&"it is not a file"));
            }
            Ok(Stdin::File(Arc::new(File::open(path).map_err(|error| unreadable(&error))?)))
        }
    }
}

/// Copies the judge's standard input to an anonymous file, so that the program gets neither a terminal nor a pipe of another
/// process. The file is in memory, so an input that is too long is refused.
fn spooled(input: impl Read, most: Bytes) -> Result<File> {
    let mut file = nameless("judge-stdin")?;
    let length = io::copy(&mut input.take(most.0 + 1), &mut file)
        .map_err(|error| Failure::usage(format!("cannot read the standard input: {error}")))?;
    if length > most.0 {
        let error = format!("cannot read the standard input: it is longer than {most}");
        return Err(Failure::usage(error).with_hint("--stdin FILE takes a file of any length"));
    }
    Ok(file)
}

/// The streams of the program. Its output goes to the user's files or to anonymous ones.
struct Streams {
    stdin: Stdin,
    stdout: Arc<File>,
    stderr: Arc<File>,
}

/// Returns the user's files that take the standard output, the standard error and the report of the program: not the streams
/// of the judge.
fn files(args: &ExecArgs) -> [Option<&Path>; 3] {
    let [stdout, json] = [&args.stdout, &args.json].map(|path| path.as_deref().filter(|path| !is_stdout(path)));
    [stdout, args.stderr.as_deref().filter(|path| *path != Path::new("-")), json]
}

impl Streams {
    fn open(args: &ExecArgs) -> Result<Self> {
        // The input comes first: if it is unusable, no output file is emptied.
        let stdin = stdin(args.stdin.as_deref())?;
        // The output would empty the input before it is read.
        refuse_input_as_output(args.stdin.as_deref(), files(args).into_iter().flatten())?;
        if [&args.stdout, &args.json].iter().all(|path| path.as_deref().is_some_and(is_stdout)) {
            let error = "--stdout and --json cannot both go to standard output";
            return Err(Failure::usage(error).with_hint("give one of them a file"));
        }
        let files = files(args);
        // Two outputs may go to one device or pipe.
        let is_file = |path: &&Path| path.metadata().map_or(true, |meta| meta.is_file());
        let flags = ["--stdout", "--stderr", "--json"].into_iter().zip(files);
        refuse_two_in_one(flags.filter_map(|(flag, path)| Some((flag, path.filter(is_file)?))))?;
        let names = ["the standard output to", "the standard error to", "the JSON report"];
        names.iter().zip(files).try_for_each(|(what, path)| load::probe(what, path))?;
        let open = |stream: usize| match files[stream] {
            None => nameless("judge-output").map(Arc::new),
            Some(path) => load::create_without_waiting(path)
                .map(Arc::new)
                .map_err(|error| load::unwritable(names[stream], path, &error)),
        };
        Ok(Self { stdin, stdout: open(0)?, stderr: open(1)? })
    }

    /// Copies output that did not go to a file of the user to the judge's own streams, unless a report goes to standard
    /// output.
    fn show(&self, args: &ExecArgs) -> Result<()> {
        let (mut stdout, mut stderr) = (&*self.stdout, &*self.stderr);
        let [shows_stdout, shows_stderr, _] = files(args).map(|file| file.is_none());
        let unreadable = |error| Failure::fault(format!("cannot read the output of the program: {error}"));
        if shows_stdout && args.json.as_deref().is_some_and(is_stdout) {
            let length = stdout.metadata().map_err(unreadable)?.len();
            if length > 0 {
                let output = Bytes(length);
                judge_report::note(&format!(
                    "standard output has the report, not the {output} of the program: --stdout FILE keeps them"
                ));
            }
        } else if shows_stdout {
            stdout.rewind().map_err(unreadable)?;
            judge_report::print_from(&mut stdout)?;
        }
        if shows_stderr {
            stderr.rewind().map_err(unreadable)?;
            judge_report::note_from(&mut stderr);
        }
        Ok(())
    }
}

fn nameless(purpose: &str) -> Result<File> {
    let file = rustix::fs::memfd_create(purpose, rustix::fs::MemfdFlags::CLOEXEC);
    Ok(file.map_err(|error| Failure::fault(format!("cannot make a file in memory: {error}")))?.into())
}

/// Adds the names of the output files to an error of the sandbox, which does not have them.
fn unwritten(args: &ExecArgs, error: RunError) -> Failure {
    let files: Vec<_> = files(args)[..2].iter().flatten().map(|path| path.display().to_string()).collect();
    let during_the_run = matches!(error, RunError::Run(_));
    let failure = Failure::from(error);
    if files.is_empty() || !during_the_run {
        return failure;
    }
    failure.with_hint(format!("its output goes to {}: is there room?", files.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_does_not_end_is_refused() {
        assert!(spooled(&b"abc"[..], Bytes(3)).is_ok());
        let refused = spooled(io::repeat(0), Bytes(3)).unwrap_err();
        assert!(refused.in_one_line().contains("longer than 3 B"), "{refused:?}");
    }
}
