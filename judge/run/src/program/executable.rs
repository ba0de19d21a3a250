//! The files of programs: on the `PATH`, by their first bytes, and why the kernel cannot start one.

use rustix::fs::StatVfsMountFlags;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Why a program cannot be found, or why the judge does not run it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProgramError(pub(super) String);

impl ProgramError {
    /// The system refuses this file.
    pub(super) fn of_file(file: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", file.display()))
    }
}

/// Returns the file of a command on the judge's own `PATH`.
pub(super) fn on_path(name: &OsStr) -> Option<PathBuf> {
    in_path(name, &std::env::var_os("PATH").unwrap_or_default(), None)
}

/// Returns the first executable file of this name in the folders of `path`, other than `except`.
pub(super) fn in_path(name: &OsStr, path: &OsStr, except: Option<&Path>) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| Some(&**folder) != except);
    let mut files = folders.filter_map(|folder| std::path::absolute(folder.join(name)).ok());
    files.find(|file| is_executable(file))
}

/// Returns whether a path is a file with an execute permission for any user.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The number of bytes read of a file: enough for any first line, list of versions or ELF headers.
const HEAD: u64 = 16 << 10;

/// Returns the beginning of a file; nothing if it cannot be read or is not a regular file. Opening a pipe would block.
pub fn head(file: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if file.is_file() {
        let _ = File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    }
    head
}

/// The same as text.
pub(super) fn head_text(file: &Path) -> Option<String> {
    let head = head(file);
    (!head.is_empty()).then(|| String::from_utf8_lossy(&head).into_owned())
}

/// Splits the first line of a script as the kernel does: the interpreter, and the rest as one argument.
pub(super) fn first_line(head: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let start = line.iter().position(|byte| !is_space(byte))?;
    let line = &line[start..];
    let end = line.iter().position(is_space).unwrap_or(line.len());
    let rest = &line[end..];
    let argument = rest.iter().position(|byte| !is_space(byte)).map(|start| {
        let last = rest.iter().rposition(|byte| !is_space(byte)).unwrap_or(start);
        &rest[start..=last]
    });
    Some((&line[..end], argument))
}

const ELF: &[u8] = b"\x7fELF";

/// Returns why a program could not be started, from its file.
pub fn start_failure(program: &Path, errno: Errno) -> Option<String> {
    let head = head(program);
    match errno {
        Errno::NOENT => missing(&head),
        Errno::NOEXEC => Some(foreign(&head)),
        Errno::ACCESS => Some(forbidden(program, &head)),
        Errno::TXTBSY => Some("another process is still writing it".to_owned()),
        _ => None,
    }
}

/// Returns which interpreter or loader is missing. The program itself exists, because it was found before.
fn missing(head: &[u8]) -> Option<String> {
    let Some(interpreter) = interpreter(head) else {
        return loader(head).map(|loader| format!("its loader {loader} is missing"));
    };
    Some(match interpreter.strip_suffix('\r') {
        Some(interpreter) => {
            format!(
                "its lines have Windows endings (no interpreter `{interpreter}\\r`); convert them with sed -i 's/\\r$//' FILE"
            )
        }
        None => format!("its interpreter {interpreter} is missing"),
    })
}

fn foreign(head: &[u8]) -> String {
    match machine(head) {
        _ if head.is_empty() => "the file is empty".to_owned(),
        Some(machine) if Some(machine) != own_machine() => {
            format!("it is built for another machine (ELF machine number {machine})")
        }
        _ if head.starts_with(ELF) => "the program is damaged".to_owned(),
        _ if head.starts_with(b"#!") => "its first line names no interpreter".to_owned(),
        _ if head.starts_with(b"\xef\xbb\xbf#!") => {
            "a byte order mark stands before its `#!`; remove it with sed -i '1s/^\\xEF\\xBB\\xBF//' FILE".to_owned()
        }
        _ => {
            "it is neither a program nor a script with a `#!` line; write its interpreter before it, as in `python3 FILE`, \
             or give a solver's source the extension of its language or --language"
                .to_owned()
        }
    }
}

fn forbidden(program: &Path, head: &[u8]) -> String {
    if program.metadata().is_ok_and(|meta| !meta.is_file()) {
        return "it is a pipe or a device, which is not executable".to_owned();
    }
    if !is_executable(program) {
        let is_program = head.starts_with(ELF) || head.starts_with(b"#!");
        return if is_program { "it is not executable; run chmod +x on it".to_owned() } else { foreign(head) };
    }
    let interpreter = interpreter(head);
    if let Some(interpreter) = interpreter.as_deref().filter(|interpreter| !is_executable(Path::new(interpreter))) {
        return format!("its interpreter {interpreter} is not executable");
    }
    // Before folders: no mode of a folder matters there.
    if [Some(program), interpreter.as_deref().map(Path::new)].into_iter().flatten().any(is_noexec) {
        return "its file system is mounted noexec".to_owned();
    }
    // Its interpreter first: the program may be in a folder of the judge's.
    let closed = interpreter.as_deref().map(Path::new).and_then(closed_folder);
    match closed.or_else(|| closed_folder(program)) {
        Some(folder) => {
            let folder = folder.display();
            format!("{folder} is closed to other users, and the sandbox runs programs as one; run chmod o+x {folder}")
        }
        None => "the kernel refuses to execute it".to_owned(),
    }
}

/// Returns whether the kernel executes nothing on the file system of `file`.
pub(crate) fn is_noexec(file: &Path) -> bool {
    rustix::fs::statvfs(file).is_ok_and(|system| system.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

/// Returns a folder on a file's path, also along its links, that only its owner or group may enter.
fn closed_folder(file: &Path) -> Option<PathBuf> {
    let closed = |folder: &&Path| folder.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o001 == 0);
    let on_the_way = |file: &Path| file.ancestors().skip(1).find(closed).map(Path::to_owned);
    on_the_way(file).or_else(|| on_the_way(&file.canonicalize().ok()?))
}

/// Returns the interpreter that a script's first line names.
fn interpreter(head: &[u8]) -> Option<String> {
    let (interpreter, _) = first_line(head)?;
    Some(String::from_utf8_lossy(interpreter).into_owned())
}

/// Returns the machine number in an ELF header, of either byte order.
fn machine(head: &[u8]) -> Option<u16> {
    let number = head.strip_prefix(ELF)?.get(14..16)?;
    let bytes = [number[0], number[1]];
    Some(if head[5] == 2 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
}

fn own_machine() -> Option<u16> {
    machine(&head(Path::new("/proc/self/exe")))
}

/// Returns the loader of a dynamically linked ELF program of 64 bits.
fn loader(head: &[u8]) -> Option<String> {
    const INTERPRETER: u64 = 3;
    let number = |at: usize, size: usize| -> Option<u64> {
        let bytes = head.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    let place = |at: usize| number(at, 8).and_then(|place| usize::try_from(place).ok());
    if !head.starts_with(ELF) {
        return None;
    }
    let (table, size, count) = (place(32)?, number(54, 2)?, number(56, 2)?);
    let mut entries = (0..count).filter_map(|index| table.checked_add(usize::try_from(index * size).ok()?));
    let entry = entries.find(|&entry| number(entry, 4) == Some(INTERPRETER))?;
    let name = head.get(place(entry + 8)?..)?.split(|&byte| byte == 0).next()?;
    Some(String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
#[path = "../../../../tests/support/require.rs"]
mod require;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_is_split_as_the_kernel_does() {
        let split = |line: &str| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            first_line(line.as_bytes()).map(|(path, argument)| (text(path), argument.map(text)))
        };
        let pair = |path: &str, argument: Option<&str>| Some((path.to_owned(), argument.map(str::to_owned)));
        assert_eq!(split("#!/bin/sh\necho"), pair("/bin/sh", None));
        assert_eq!(split("#! /bin/sh -e -u \necho"), pair("/bin/sh", Some("-e -u")));
        assert_eq!(split("#!/bin/sh\r\n"), pair("/bin/sh\r", None));
        assert_eq!(split("#!\n"), None);
        assert_eq!(split("echo"), None);
    }

    fn why(contents: &[u8], mode: u32, errno: Errno) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), contents).unwrap();
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        start_failure(file.path(), errno).unwrap_or_default()
    }

    #[test]
    fn every_start_failure_is_named() {
        let own = std::fs::read("/proc/self/exe").unwrap();
        let mut foreign = own[..4096].to_vec();
        foreign[18] ^= 0x40;
        for (contents, mode, errno, expected) in [
            (&b"#!/no/such thing\n"[..], 0o755, Errno::NOENT, "interpreter /no/such is missing"),
            (b"#! /bin/sh\r\necho\r\n", 0o755, Errno::NOENT, "Windows"),
            (b"", 0o755, Errno::NOEXEC, "empty"),
            (&foreign, 0o755, Errno::NOEXEC, "another machine"),
            (&own[..4096], 0o755, Errno::NOEXEC, "damaged"),
            (b"echo", 0o755, Errno::NOEXEC, "`#!` line"),
            (b"#!\n", 0o755, Errno::NOEXEC, "names no interpreter"),
            (b"\xef\xbb\xbf#!/bin/sh\n", 0o755, Errno::NOEXEC, "remove it with sed -i '1s/^\\xEF\\xBB\\xBF//' FILE"),
            (b"#!/bin/sh\n", 0o644, Errno::ACCESS, "chmod +x"),
            (b"print(0)\n", 0o644, Errno::ACCESS, "`#!` line"),
            (b"#!/etc/passwd\n", 0o755, Errno::ACCESS, "interpreter /etc/passwd is not executable"),
            (b"", 0o755, Errno::TXTBSY, "writing"),
        ] {
            let why = why(contents, mode, errno);
            assert!(why.contains(expected), "{expected}: {why}");
        }
        assert_eq!(why(b"x", 0o755, Errno::NOMEM), "", "what the file has no part in");
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, place("fifo"), rustix::fs::FileType::Fifo, 0o755.into(), 0).unwrap();
        let pipe = start_failure(&place("fifo"), Errno::ACCESS).unwrap();
        assert!(pipe.contains("a pipe or a device"), "a pipe is not waited for: {pipe}");
        std::fs::write(place("bot"), "").unwrap();
        std::fs::set_permissions(place("bot"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let closed = start_failure(&place("bot"), Errno::ACCESS).unwrap();
        assert!(closed.contains(&format!("chmod o+x {}", folder.path().display())), "{closed}");
        let own = tempfile::tempdir().unwrap();
        std::fs::write(own.path().join("built"), format!("#!{}\n", place("bot").display())).unwrap();
        std::fs::set_permissions(own.path().join("built"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let closed = start_failure(&own.path().join("built"), Errno::ACCESS).unwrap();
        assert!(closed.contains(&format!("chmod o+x {}", folder.path().display())), "of the interpreter: {closed}");
    }

    #[test]
    fn the_loader_of_a_dynamic_program_is_found() {
        let own = head(Path::new("/proc/self/exe"));
        let Some(loader) = loader(&own) else {
            require::skip(require::Need::Preload, "this test is statically linked, or not of 64 bits");
            return;
        };
        assert!(Path::new(&loader).exists(), "{loader}");
        assert_eq!(missing(&own), Some(format!("its loader {loader} is missing")));
    }
}
