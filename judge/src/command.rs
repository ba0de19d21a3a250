//! Runs a helper command of the user's side (a compiler, a checker, a generator) to its end, bounded in time.

use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// How much of each output stream is kept.
const KEPT_BYTES: u64 = 64 << 20;

/// What came of a command.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// A command that gave no result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command line is empty, or its quotes do not match.
    #[error("`{0}` is not a command line")]
    Unreadable(String),
    /// It could not be started.
    #[error("cannot start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It ran too long and was ended.
    #[error("`{program}` ran longer than {} s and was ended", limit.as_secs())]
    Timeout {
        /// The program.
        program: String,
        /// How long it was allowed to run.
        limit: Duration,
    },
    /// Its output could not be stored.
    #[error("cannot store the output of `{program}`")]
    Output {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Splits a command line as a shell would, and puts `values` in the place of their `{name}`s.
///
/// # Errors
/// When it is empty or its quotes do not match.
pub fn words(line: &str, values: &[(&str, &Path)]) -> Result<Vec<OsString>, CommandError> {
    let words = shell_words::split(line).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| CommandError::Unreadable(line.to_owned()))?;
    let fill = |word: String| {
        values.iter().fold(word, |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string_lossy()))
    };
    Ok(words.into_iter().map(|word| OsString::from(fill(word))).collect())
}

/// Runs a command in `folder` until it ends, for at most `limit`. Its outputs go through files, so that no pipe can
/// fill up; whatever it leaves running in its process group is ended with it.
///
/// # Errors
/// When it cannot be started, runs too long, or its output cannot be stored.
pub fn run(words: &[OsString], folder: &Path, limit: Duration) -> Result<Finished, CommandError> {
    let (program, arguments) = words.split_first().ok_or_else(|| CommandError::Unreadable(String::new()))?;
    let name = program.to_string_lossy().into_owned();
    let store = |source| CommandError::Output { program: name.clone(), source };
    let mut stdout = tempfile::tempfile().map_err(store)?;
    let mut stderr = tempfile::tempfile().map_err(store)?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(store)?)
        .stderr(stderr.try_clone().map_err(store)?)
        .process_group(0)
        .spawn()
        .map_err(|source| CommandError::Start { program: name.clone(), source })?;
    let status = child.wait_timeout(limit).map_err(store)?;
    end_group(child.id());
    let Some(status) = status else {
        child.wait().map_err(store)?;
        return Err(CommandError::Timeout { program: name, limit });
    };
    Ok(Finished {
        status,
        stdout: contents(&mut stdout).map_err(store)?,
        stderr: contents(&mut stderr).map_err(store)?,
    })
}

/// Ends what is left of a process group; that nothing is left is the usual case.
fn end_group(leader: u32) {
    let group = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn contents(file: &mut std::fs::File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Finished, CommandError> {
        run(&["sh".into(), "-c".into(), script.into()], Path::new("/"), limit)
    }

    #[test]
    fn large_outputs_do_not_block() {
        let script = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3";
        let finished = shell(script, Duration::from_secs(20)).unwrap();
        assert_eq!((finished.status.code(), finished.stdout.len(), finished.stderr.len()), (Some(3), 300_000, 300_000));
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_its_children() {
        let started = std::time::Instant::now();
        let result = shell("sleep 60 & sleep 60", Duration::from_millis(100));
        assert!(matches!(result, Err(CommandError::Timeout { .. })));
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let filled = words("check '{input} x' {answer}", &[("input", Path::new("/a b")), ("answer", Path::new("/c"))]);
        assert_eq!(filled.unwrap(), ["check", "/a b x", "/c"]);
        assert!(words("", &[]).is_err());
        assert!(words("'open", &[]).is_err());
    }
}
