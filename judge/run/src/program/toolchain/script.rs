//! Scripts: the interpreter that a `#!` line names.

use super::head::{first_line, head};
use super::installation::{Installation, installation};
use super::lookup::{is_executable, on_path};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The deepest nesting of script interpreters that the kernel allows.
const DEEPEST: usize = 5;

/// An interpreter that a script runs under.
pub(in crate::program) struct Interpreter {
    /// The interpreter.
    pub(in crate::program) installation: Installation,
    /// Its argument in the first line, before the script.
    pub(in crate::program) argument: Option<OsString>,
    /// Whether it is found on the `PATH`.
    pub(in crate::program) by_name: bool,
}

/// Returns the interpreters of a program: none if it is not a script, several if its interpreter is a script too. One
/// that does not exist is left out: the start of the script fails on it.
///
/// # Errors
/// When one is a shim for a program that cannot be found.
pub(in crate::program) fn interpreters(program: &Path) -> Result<Vec<Interpreter>, String> {
    let mut found: Vec<Interpreter> = Vec::new();
    let mut script = program.to_owned();
    while found.len() < DEEPEST {
        let head = head(&script);
        let Some((path, argument)) = first_line(&head) else { break };
        let path = Path::new(OsStr::from_bytes(path));
        let interpreter = if path.file_name() == Some(OsStr::new("env")) {
            behind_env(&argument.map(words).unwrap_or_default())?
        } else {
            let argument = argument.map(|argument| OsString::from_vec(argument.to_vec()));
            let path = executed_by_shell(&head).unwrap_or_else(|| path.to_owned());
            let path = Some(path).filter(|path| path.is_absolute() && is_executable(path));
            let installation = path.map(|path| installation(&path)).transpose()?;
            installation.map(|installation| Interpreter { installation, argument, by_name: false })
        };
        let Some(interpreter) = interpreter else { break };
        script.clone_from(&interpreter.installation.program);
        found.push(interpreter);
    }
    Ok(found)
}

/// Returns the program that `env` runs with these arguments, if it exists.
///
/// # Errors
/// When it is a shim for a program that cannot be found.
pub(in crate::program) fn behind_env(arguments: &[OsString]) -> Result<Option<Interpreter>, String> {
    let file = command_of_env(arguments).and_then(|name| on_path(&name));
    let installation = file.map(|file| installation(&file)).transpose()?;
    Ok(installation.map(|installation| Interpreter { installation, argument: None, by_name: true }))
}

/// Returns the interpreter that the second line of a script executes in place of the shell. pip and uv write such
/// scripts if the interpreter's path is too long for the first line, or has a space in it.
fn executed_by_shell(head: &[u8]) -> Option<PathBuf> {
    let line = head.split(|&byte| byte == b'\n').nth(1)?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("'''exec' ")?;
    shell_words::split(line).ok()?.into_iter().next().map(PathBuf::from)
}

fn words(argument: &[u8]) -> Vec<OsString> {
    let words = argument.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    words.map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// Returns the command that `env` looks up with these arguments.
fn command_of_env(arguments: &[OsString]) -> Option<OsString> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let bytes = argument.as_bytes();
        match bytes {
            // Its value is the next argument.
            b"-u" | b"-C" | b"--unset" | b"--chdir" => _ = arguments.next()?,
            _ if bytes.starts_with(b"-S") && bytes.len() > 2 => return Some(OsString::from_vec(bytes[2..].to_vec())),
            _ if bytes.starts_with(b"-") || bytes.contains(&b'=') => {}
            _ => return Some(argument.clone()),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_has_a_command() {
        let command = |text: &str| command_of_env(&words(text.as_bytes())).map(|name| name.into_string().unwrap());
        assert_eq!(command("python3").as_deref(), Some("python3"));
        assert_eq!(command("-S -i -u HOME A=1 python3 -u").as_deref(), Some("python3"));
        assert_eq!(command("-Spython3 -u").as_deref(), Some("python3"));
        assert_eq!(command("A=1"), None);
    }
}
