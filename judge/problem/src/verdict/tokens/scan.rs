//! Bytes as tokens and the white space between them.

/// Returns whether a byte is white space to C in its own locale.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// A place in a text.
#[derive(Debug, Clone)]
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1, line_start: 0 }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes on by a byte, if there is one.
    pub(super) fn step(&mut self) {
        if self.peek() == Some(b'\n') {
            self.line += 1;
            self.line_start = self.at + 1;
        }
        self.at = self.bytes.len().min(self.at + 1);
    }

    pub(super) fn skip_spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.step();
        }
    }

    /// Returns the token that begins here, and goes on behind it; `None` at the end.
    pub(super) fn token(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// Returns the line and the column, both from 1.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.line, self.at - self.line_start + 1)
    }
}
