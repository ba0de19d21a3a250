//! The beginning of a file, and the first line of a script.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The bytes of a file that are read: enough for any first line, list of versions or ELF headers.
const HEAD: u64 = 16 << 10;

/// Returns the beginning of a file; nothing if it cannot be read or is not a regular file. Opening a pipe would block.
pub(crate) fn head(file: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if file.is_file() {
        let _ = File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    }
    head
}

/// The same of a text.
pub(super) fn text(file: &Path) -> Option<String> {
    let head = head(file);
    (!head.is_empty()).then(|| String::from_utf8_lossy(&head).into_owned())
}

/// Splits the first line of a script as the kernel does: the interpreter, and the rest as one argument.
pub(in crate::program) fn first_line(head: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
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
}
