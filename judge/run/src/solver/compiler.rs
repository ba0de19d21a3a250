//! Runs a compiler in the sandbox: the source is untrusted, and may make the compiler do anything.

use super::spec::{NotBuilt, missing, tool, usable};
use crate::matching::real;
use crate::runner::Result;
use crate::{command, program};
use judge_problem::verdict::{self, Termination};
use judge_problem::{Bytes, CompileLimits, Digest, Language, LanguageStatus, Languages, Limits, Program, Verdict};
use judge_sandbox::{Breach, End, Exchange, Execution, OutputFiles, Request, WorkFile};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Why a compiler or interpreter is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// To compile the solver of this name.
    Compile(&'a str),
    /// To ask its version.
    Version,
}

/// Runs a compiler in the sandbox, with its input and output files.
pub type RunCompiler<'a> = dyn FnMut(Purpose<'_>, &Request, &Exchange) -> Result<(Execution, OutputFiles)> + 'a;

// The limits of every compiler, which no problem sets.

/// Its output. At most [`MESSAGE`] of it is kept.
const OUTPUT: Bytes = Bytes(1 << 20);
/// The size of its messages that are kept.
const MESSAGE: Bytes = Bytes(16 << 10);
/// Processes and threads alive at once.
const PROCESSES: u32 = 512;
/// The size of the files that it may write.
const DISK: Bytes = Bytes(512 << 20);
/// The size and the number of the compiled files.
const MADE: Bytes = Bytes(256 << 20);
const MADE_FILES: u64 = 10_000;

/// The folder for compiled files, relative to the working folder. The path of the working folder depends on the tier:
/// with relative paths, a compiler makes the same program from the same source.
pub(super) const OUT: &str = "out";

/// The working folder, by a name that is the same in every tier: some compilers write it into the program.
const HERE: (&str, &str) = ("PWD", "/proc/self/cwd");

/// Runs a compiler, with all its arguments, on the sources of the solver `name`, which are put into its working folder.
pub(super) fn compile(
    compiler: &Program,
    name: &str,
    sources: Vec<WorkFile>,
    limits: &CompileLimits,
    run: &mut RunCompiler<'_>,
) -> Result<Vec<WorkFile>, NotBuilt> {
    let limits = run_limits(limits);
    let exchange = Exchange {
        input_files: sources,
        variables: ["HOME", "TMPDIR"].map(OsString::from).into(),
        output_folder: OUT.into(),
        max_files: MADE_FILES,
        max_bytes: MADE.0,
        ..Exchange::default()
    };
    let (execution, made) = run(Purpose::Compile(name), &request(compiler, &limits), &exchange)?;
    outcome(compiler, &limits, &execution, made)
}

fn run_limits(limits: &CompileLimits) -> Limits {
    let CompileLimits { cpu, wall, memory } = *limits;
    Limits { cpu, wall, memory, output: OUTPUT, processes: PROCESSES }
}

fn request(compiler: &Program, limits: &Limits) -> Request {
    let here = [(HERE.0.to_owned(), HERE.1.to_owned())];
    // The first half of the messages is kept as a whole, and the first ones matter.
    let stderr = 4 * MESSAGE.0;
    let limits = judge_sandbox::Limits { disk: DISK.0, ..program::sandbox_limits(limits, stderr) };
    Request {
        argv: compiler.argv.clone(),
        environment: program::environment(compiler, &here),
        visible: program::visible(compiler).collect(),
        ..Request::new(&compiler.path, limits)
    }
}

/// Returns the compiled files, or why there are none.
fn outcome(
    compiler: &Program,
    limits: &Limits,
    execution: &Execution,
    made: OutputFiles,
) -> Result<Vec<WorkFile>, NotBuilt> {
    if let End::NotStarted(errno) = execution.end {
        return Err(NotBuilt::CannotStart(unstarted(compiler, errno)));
    }
    let said = message(execution);
    let why = match (verdict::termination(execution, limits), made) {
        (Termination::Clean, Ok(files)) if files.is_empty() => "the compiler produced no program".to_owned(),
        (Termination::Clean, Ok(files)) => return Ok(files),
        (Termination::Clean, Err(why)) => format!("the compiler's output cannot be used: {why}"),
        (Termination::Failed(Verdict::RuntimeError, _), _)
            if !said.is_empty() && matches!(execution.end, End::Exited(_)) =>
        {
            return Err(NotBuilt::Refused(said));
        }
        (Termination::Failed(Verdict::RuntimeError, note), _) if matches!(execution.end, End::Signalled(_)) => {
            format!("the compiler was {note}")
        }
        (Termination::Failed(Verdict::RuntimeError, note), _) => format!("the compiler ended with {note}"),
        // A compiler has another limit on files than a solver.
        (Termination::Failed(Verdict::OutputLimit, _), _) if execution.breaches.contains(&Breach::Disk) => {
            format!("the compiler used more than {} or too many files on disk", DISK)
        }
        (Termination::Failed(_, note), _) => format!("the compiler used {note}"),
    };
    Err(NotBuilt::Refused(format!("{why}\n{said}").trim_end().to_owned()))
}

fn unstarted(compiler: &Program, errno: i32) -> String {
    let errno = Errno::from_raw_os_error(errno);
    let why = program::start_failure(&compiler.path, errno).unwrap_or_else(|| errno.to_string());
    // Without namespaces, root's private folders stay closed to the user that programs run as.
    let hint = match errno {
        Errno::ACCESS => "; install it where every user can read it, or use a tier with namespaces",
        _ => "",
    };
    format!("the compiler {} cannot be started in the sandbox: {why}{hint}", compiler.path.display())
}

/// Returns a compiler's message, cut to its limit.
fn message(execution: &Execution) -> String {
    let said = [&*execution.stderr, &*execution.stdout].concat();
    let kept = said.len().min(usize::try_from(MESSAGE.0).unwrap_or(usize::MAX));
    let all = execution.usage.stderr_bytes + execution.usage.stdout_bytes;
    let text = String::from_utf8_lossy(&said[..kept]).trim().to_owned();
    match all.saturating_sub(kept as u64) {
        0 => text,
        more => format!("{text}\n[and {} more]", Bytes(more)),
    }
}

/// The longest line that is shown as a version.
const MAX_VERSION_CHARS: usize = 100;

/// Finds out which languages are installed, and in which version.
///
/// # Errors
/// Those of `run`.
pub fn survey(languages: &Languages, run: &mut RunCompiler<'_>) -> Result<Vec<LanguageStatus>> {
    let status = |language: &Language| {
        let missing = missing(language);
        let version = if missing.is_empty() { language_version(language, run)? } else { None };
        let (compile, run) = (usable(&language.compile).cloned(), usable(&language.run).cloned());
        Ok(LanguageStatus { language: language.clone(), missing, version, compile, run })
    };
    languages.iter().map(status).collect()
}

/// Returns the line with the version that a language's `version` prints; `None` if it fails.
pub(super) fn language_version(language: &Language, run: &mut RunCompiler<'_>) -> Result<Option<String>> {
    let Some(program) = version_program(language) else { return Ok(None) };
    let variables = ["HOME", "TMPDIR"].map(OsString::from).into();
    let exchange = Exchange { variables, output_folder: OUT.into(), ..Exchange::default() };
    let request = request(&program, &run_limits(&CompileLimits::default()));
    let (execution, _) = run(Purpose::Version, &request, &exchange)?;
    if execution.end != End::Exited(0) {
        return Ok(None);
    }
    let said = [execution.stdout, execution.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Ok(version_line(&said).map(|line| line.chars().take(MAX_VERSION_CHARS).collect()))
}

/// Returns the first line with something like `1.2`, or else the first that is not empty. Some programs print warnings
/// first.
fn version_line(said: &str) -> Option<&str> {
    let has_number = |line: &&str| {
        let is_point = |three: &[u8]| three[0].is_ascii_digit() && three[1] == b'.' && three[2].is_ascii_digit();
        line.as_bytes().windows(3).any(is_point)
    };
    let mut lines = said.lines().map(str::trim);
    lines.clone().find(has_number).or_else(|| lines.find(|line| !line.is_empty()))
}

fn version_program(language: &Language) -> Option<Program> {
    let tool = main_tool(language)?;
    let words = command::words(language.version.as_ref()?, &[("tool", Path::new(&tool))]).ok()?;
    let mut program = program::installed(words.first()?.to_str()?)?.ok()?;
    program.argv.extend(words.into_iter().skip(1));
    Some(program)
}

/// Returns the program that compiles a language, or else runs it.
fn main_tool(language: &Language) -> Option<String> {
    let lines = if language.compile.is_empty() { &language.run } else { &language.compile };
    tool(usable(lines)?)
}

/// The compilers that a script or a makefile may start, which the judge cannot see in the command.
const STARTED_BY_SCRIPTS: [&str; 13] =
    ["make", "cc", "c++", "gcc", "g++", "clang", "clang++", "rustc", "go", "javac", "fpc", "ghc", "ocamlopt"];

/// Returns a hash that changes when one of the programs of a language is replaced.
pub(super) fn tools_identity(language: &Language) -> Digest {
    let main = main_tool(language);
    let is_script = main.as_deref().is_some_and(|main| ["sh", "bash", "make"].contains(&main));
    let started = STARTED_BY_SCRIPTS.iter().filter(|_| is_script).map(|&name| name.to_owned());
    let names = main.into_iter().chain(language.needs.iter().cloned()).chain(started);
    let programs = names.filter_map(|name| program::installed(&name)?.ok());
    Digest::of_parts(programs.map(|program| {
        let file = real(&program.path);
        let meta = file.metadata().ok().map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino()));
        [file.as_os_str().as_bytes(), format!("{meta:?}").as_bytes()].concat()
    }))
}

/// Returns a hash of what the processor can do. With `-march=native` a program may crash on another one, and machines may
/// share a cache.
pub(super) fn processor_identity() -> Digest {
    // The kernel queries each core that is read, so the others are left out.
    processor_of(File::open("/proc/cpuinfo").map(|file| BufReader::with_capacity(1024, file)))
}

fn processor_of(description: io::Result<impl BufRead>) -> Digest {
    let is_wanted =
        |line: &String| ["vendor_id", "model", "flags", "Features", "CPU"].iter().any(|key| line.starts_with(key));
    // An empty line ends the first core.
    let core = description
        .into_iter()
        .flat_map(|text| text.lines().map_while(io::Result::ok))
        .take_while(|line| !line.is_empty());
    Digest::of_parts(core.filter(is_wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_sandbox::{OutputFilesError, Usage};

    fn ended(end: End, breaches: &[Breach], stderr: &str, made: OutputFiles) -> String {
        let usage = Usage { stderr_bytes: stderr.len() as u64, ..Usage::default() };
        let stderr = stderr.as_bytes()[..stderr.len().min(16 << 10)].to_vec();
        let execution = Execution { end, breaches: breaches.to_vec(), usage, stdout: Vec::new(), stderr };
        let compiler = Program { path: "/no/such/cc".into(), ..Program::default() };
        match outcome(&compiler, &run_limits(&CompileLimits::default()), &execution, made) {
            Ok(files) => format!("{} files", files.len()),
            Err(NotBuilt::Refused(why) | NotBuilt::CannotStart(why)) => why,
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_result_of_a_compiler_has_its_message() {
        let file = || Ok(vec![WorkFile { path: "main".into(), bytes: Vec::new(), executable: true }]);
        let none = || Ok(Vec::new());
        for (end, breaches, stderr, made, expected) in [
            (End::Exited(0), &[][..], "warning", file(), "1 files"),
            (End::Exited(1), &[], " a.c:1: error\n", none(), "a.c:1: error"),
            (End::Exited(4), &[], "", none(), "the compiler ended with exit code 4"),
            (End::Signalled(11), &[], "oh", none(), "the compiler was killed by signal 11 (SIGSEGV)\noh"),
            (End::Signalled(9), &[Breach::Cpu], "oh", none(), "the compiler used more than 60s of CPU time\noh"),
            (End::Exited(1), &[Breach::Memory], "", none(), "the compiler used more than 2 GiB of memory"),
            (
                End::Exited(1),
                &[Breach::Disk],
                "",
                none(),
                "the compiler used more than 512 MiB or too many files on disk",
            ),
            (End::Exited(0), &[], "", none(), "the compiler produced no program"),
            (End::Exited(0), &[], "", Err(OutputFilesError("x".into())), "the compiler's output cannot be used: x"),
        ] {
            assert_eq!(ended(end, breaches, stderr, made), expected);
        }
        let unstarted = ended(End::NotStarted(13), &[], "", none());
        assert!(unstarted.starts_with("the compiler /no/such/cc cannot be started in the sandbox: "), "{unstarted}");
    }

    #[test]
    fn the_head_of_a_long_message_is_kept() {
        let said = ended(End::Exited(1), &[], &"é".repeat(1 << 20), Ok(Vec::new()));
        assert!(said.starts_with("éé") && said.ends_with("\n[and 2032 KiB more]"), "{}", &said[said.len() - 40..]);
        assert!(said.len() < 17 << 10);
    }

    #[test]
    fn the_line_with_the_version_is_found_behind_warnings() {
        assert_eq!(
            version_line("warning: JDK 13 is old\n\n info: kotlinc-jvm 1.3.31 (JRE 17)\n"),
            Some("info: kotlinc-jvm 1.3.31 (JRE 17)")
        );
        assert_eq!(version_line("\nr2000\n"), Some("r2000"));
        assert_eq!(version_line("\n"), None);
    }

    #[test]
    fn a_program_for_another_processor_is_another_entry() {
        let of = |text: &str| processor_of(Ok(text.as_bytes())).0;
        let here = of("processor\t: 0\nflags\t: sse avx\ncpu MHz\t: 2000\n\nflags\t: other\n");
        assert_eq!(here, of("processor\t: 1\nflags\t: sse avx\ncpu MHz\t: 999\n\n"));
        assert_ne!(here, of("processor\t: 0\nflags\t: sse\n\n"));
    }
}
