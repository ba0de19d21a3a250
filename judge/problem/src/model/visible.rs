//! Shows untrusted text: nothing in it moves the cursor, sets a title, hides itself, or reorders the text beside it.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns whether a character is a control character, changes the direction of writing, separates lines, or has no
/// width.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns a text of several lines with everything hidden escaped, except newlines and tabs.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// Returns a text as one line, with everything hidden escaped: `\n`, `\x1b`, `\u{202e}`.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// Returns a token with everything escaped that does not show, blanks such as U+00A0 included.
#[must_use]
pub fn token_text(text: &str) -> Cow<'_, str> {
    let is_blank = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '\u{34f}'
                    | '\u{115f}'
                    | '\u{1160}'
                    | '\u{180e}'
                    | '\u{200c}'
                    | '\u{200d}'
                    | '\u{2800}'
                    | '\u{3164}'
                    | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
            )
    };
    escaped(text, |c| is_hidden(c) || c != ' ' && is_blank(c))
}

/// The most bytes of a [`tail`].
const TAIL_BYTES: usize = 2000;

/// Returns the end of a program's output as trimmed text. Invalid UTF-8 is replaced.
#[must_use]
pub fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]).trim().to_owned()
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let _ = match c {
            c if !is_escaped(c) => write!(shown, "{c}"),
            '\n' => write!(shown, "\\n"),
            '\r' => write!(shown, "\\r"),
            '\t' => write!(shown, "\\t"),
            c if c.is_ascii() => write!(shown, "\\x{:02x}", u32::from(c)),
            c => write!(shown, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_hidden_is_escaped() {
        for (text, shown) in [
            ("plain, ünïcode, 棋, 👩‍🚀", "plain, ünïcode, 棋, 👩‍🚀"),
            ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
            ("10 %\r100 %\x08\x7f\0", "10 %\\r100 %\\x08\\x7f\\x00"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b\u{2066}c\u{200b}", "a\\u{202e}b\\u{2066}c\\u{200b}"),
            ("\u{2028}\u{feff}\u{e0041}", "\\u{2028}\\u{feff}\\u{e0041}"),
        ] {
            assert_eq!((&*visible(text), &*one_line(text)), (shown, shown));
        }
        assert_eq!(token_text("1\u{a0}\u{3000}\u{200d}ü棋"), "1\\u{a0}\\u{3000}\\u{200d}ü棋");
        assert_eq!(visible("a\n\tb"), "a\n\tb");
        assert_eq!(one_line("a\n\tb"), "a\\n\\tb");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in "\\PC{0,20}|[\\x00-\\u{ffff}]{0,20}") {
            prop_assert!(!one_line(&text).chars().any(is_hidden));
            prop_assert!(!visible(&text).chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')));
        }
    }
}
