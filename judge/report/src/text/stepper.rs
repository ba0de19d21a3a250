//! Steps through texts on a terminal, by keys.

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal, Read, Write, stdin, stdout};

/// Shows another screen, which leaves what was on the terminal as it was.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Frames that are skipped at once.
const LEAP: usize = 10;

/// Returns whether keys can be read and frames be shown one over the other.
#[must_use]
pub fn can_step() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Shows the frames one at a time until the reader leaves. `result` is shown below the last one.
///
/// # Errors
/// When the terminal cannot be read or written.
pub fn step_through(frames: &[String], result: &str) -> io::Result<()> {
    let _keys = Keys::open()?;
    let mut place = 0;
    loop {
        let last = frames.len().saturating_sub(1);
        let end = if place == last { format!("\n\n{result}") } else { String::new() };
        let help = "→ next · ← back · PgDn, PgUp by 10 · Home, End · q leaves";
        let shown = format!("{}{end}\n\nframe {} of {} · {help}", frames[place], place + 1, frames.len());
        write_out(&format!("{CLEAR}{}", shown.replace('\n', "\r\n")))?;
        let mut bytes = [0; 16];
        let count = stdin().read(&mut bytes)?;
        for key in keys(&bytes[..count]) {
            match key {
                Key::Leave => return Ok(()),
                Key::Move(by) => place = place.saturating_add_signed(by).min(last),
                Key::First => place = 0,
                Key::Last => place = last,
            }
        }
        if count == 0 {
            return Ok(());
        }
    }
}

fn write_out(text: &str) -> io::Result<()> {
    let mut stdout = stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Move(isize),
    First,
    Last,
    Leave,
}

/// Returns the keys in what a terminal sends; others are left out.
fn keys(mut bytes: &[u8]) -> Vec<Key> {
    const NAMED: [(&[u8], Key); 24] = [
        (b"\x1b[C", Key::Move(1)),
        (b"\x1b[B", Key::Move(1)),
        (b"\x1bOC", Key::Move(1)),
        (b"\x1bOB", Key::Move(1)),
        (b" ", Key::Move(1)),
        (b"\r", Key::Move(1)),
        (b"\n", Key::Move(1)),
        (b"n", Key::Move(1)),
        (b"\x1b[D", Key::Move(-1)),
        (b"\x1b[A", Key::Move(-1)),
        (b"\x1bOD", Key::Move(-1)),
        (b"\x1bOA", Key::Move(-1)),
        (b"\x7f", Key::Move(-1)),
        (b"p", Key::Move(-1)),
        (b"\x1b[6~", Key::Move(LEAP.cast_signed())),
        (b"\x1b[5~", Key::Move(-LEAP.cast_signed())),
        (b"\x1b[H", Key::First),
        (b"\x1b[1~", Key::First),
        (b"g", Key::First),
        (b"\x1b[F", Key::Last),
        (b"\x1b[4~", Key::Last),
        (b"G", Key::Last),
        (b"q", Key::Leave),
        (b"\x03", Key::Leave),
    ];
    let mut found = Vec::new();
    while let Some(first) = bytes.first() {
        let named = NAMED.iter().find(|(code, _)| bytes.starts_with(code));
        if let Some((code, key)) = named {
            found.push(*key);
            bytes = &bytes[code.len()..];
        } else if *first == 0x1b && bytes.len() > 1 {
            // Another key's sequence.
            break;
        } else {
            found.extend(matches!(first, 0x1b | 0x04).then_some(Key::Leave));
            bytes = &bytes[1..];
        }
    }
    found
}

/// The terminal while its keys arrive one at a time. When this is dropped, it is as before.
struct Keys(Termios);

impl Keys {
    fn open() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut now = before.clone();
        now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        now.special_codes[SpecialCodeIndex::VMIN] = 1;
        now.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &now)?;
        let keys = Self(before);
        write_out(ENTER)?;
        Ok(keys)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = write_out(LEAVE);
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_sends_are_keys() {
        let (next, back) = (Key::Move(1), Key::Move(-1));
        for (bytes, expected) in [
            (&b"\x1b[C\x1b[C\x1b[D"[..], &[next, next, back][..]),
            (b" np\x7f\r", &[next, next, back, back, next]),
            (b"\x1b[6~\x1b[5~\x1b[HG", &[Key::Move(10), Key::Move(-10), Key::First, Key::Last]),
            (b"xyz", &[]),
            (b"q", &[Key::Leave]),
            (b"\x1b", &[Key::Leave]),
            (b"\x03", &[Key::Leave]),
            // A function key.
            (b"\x1b[15~", &[]),
            (b"", &[]),
        ] {
            assert_eq!(keys(bytes), expected, "{bytes:?}");
        }
    }
}
