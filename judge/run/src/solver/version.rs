//! The versions of compilers and interpreters, asked in the sandbox.

use super::compiler::{Purpose, RunCompiler, tool_request};
use super::language::{missing, tool, usable};
use crate::command;
use crate::program;
use judge_problem::{Digest, Language, LanguageStatus, Languages, Program};
use judge_sandbox::{End, Exchange};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The longest line that is shown as a version.
const LONGEST: usize = 100;

/// Finds out which languages are installed, and in which version.
///
/// # Errors
/// Those of `run`.
pub fn survey<E>(languages: &Languages, run: &mut RunCompiler<'_, E>) -> Result<Vec<LanguageStatus>, E> {
    let status = |language: &Language| {
        let missing = missing(language);
        let version = if missing.is_empty() { version(language, run)? } else { None };
        let (compile, run) = (usable(&language.compile).cloned(), usable(&language.run).cloned());
        Ok(LanguageStatus { language: language.clone(), missing, version, compile, run })
    };
    languages.iter().map(status).collect()
}

/// Returns the line with the version that a language's `version` prints; `None` if it fails.
pub(super) fn version<E>(language: &Language, run: &mut RunCompiler<'_, E>) -> Result<Option<String>, E> {
    let Some(program) = version_program(language) else { return Ok(None) };
    let variables = ["HOME", "TMPDIR"].map(OsString::from).into();
    let exchange = Exchange { variables, output_folder: "out".into(), ..Exchange::default() };
    let (execution, _) = run(Purpose::Version, &tool_request(&program), &exchange)?;
    if execution.end != End::Exited(0) {
        return Ok(None);
    }
    let said = [execution.stdout, execution.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Ok(version_line(&said).map(|line| line.chars().take(LONGEST).collect()))
}

/// Returns the first line with something like `1.2`, or else the first that says anything: some print warnings first.
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

/// Returns a hash that changes when one of a language's programs is replaced.
pub(super) fn identity(language: &Language) -> Digest {
    let names = main_tool(language).into_iter().chain(language.needs.iter().cloned());
    let programs = names.filter_map(|name| program::installed(&name)?.ok());
    let parts = programs.map(|program| {
        let file = program.path.canonicalize().unwrap_or(program.path);
        let meta = file.metadata().ok().map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino()));
        [file.as_os_str().as_bytes(), format!("{meta:?}").as_bytes()].concat()
    });
    let parts: Vec<_> = parts.collect();
    Digest::of_parts(parts.iter().map(Vec::as_slice))
}

#[cfg(test)]
mod tests {
    use super::version_line;

    #[test]
    fn the_line_with_the_version_is_found_behind_warnings() {
        assert_eq!(
            version_line("warning: JDK 13 is old\n\n info: kotlinc-jvm 1.3.31 (JRE 17)\n"),
            Some("info: kotlinc-jvm 1.3.31 (JRE 17)")
        );
        assert_eq!(version_line("\nr2000\n"), Some("r2000"));
        assert_eq!(version_line("\n"), None);
    }
}
