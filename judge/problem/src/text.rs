//! Texts for people and shells: escaping of untrusted text, quoting, natural order, lists in sentences.

use std::borrow::Cow;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::Path;

/// A text that is not a value of its kind, or does not fit: what is wrong, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidText(pub String);

impl InvalidText {
    /// Returns the error of a text in place of `what`.
    pub fn expected(what: &str, found: &str) -> Self {
        Self(format!("expected {what}, found `{found}`"))
    }
}

/// Defines an enum whose variants have names in commands, files and reports. It is displayed as its name.
#[macro_export]
macro_rules! named_enum {
    ($(#[$of_enum:meta])* pub enum $enum:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$of_enum])*
        pub enum $enum {
            $($(#[$of_variant])* $variant,)+
        }

        impl $enum {
            /// All of them, in the order in which reports list them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the one with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl std::str::FromStr for $enum {
            type Err = $crate::InvalidText;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let expected = || $crate::InvalidText::expected(&format!("one of {}", [$($name),+].join(", ")), name);
                Self::from_name(name).ok_or_else(expected)
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }
    };
}
pub(crate) use named_enum;

/// Returns whether a character could deceive a reader: a control character, a change of the writing direction, a line
/// separator, or a zero-width character.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns a text with all hidden characters escaped, except newlines and tabs, and without commands to GitHub Actions.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// Returns a text as one line, with all hidden characters escaped: `\n`, `\x1b`, `\u{202e}`, and without commands to GitHub
/// Actions.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// Returns a token with all invisible characters escaped, including blanks such as U+00A0.
pub(crate) fn token_text(text: &str) -> Cow<'_, str> {
    /// They look like a blank or like nothing.
    const BLANKS: &str = "\u{34f}\u{115f}\u{1160}\u{180e}\u{200c}\u{200d}\u{2800}\u{3164}\u{ffa0}";
    let is_blank = |c: char| c.is_whitespace() || BLANKS.contains(c) || ('\u{fe00}'..='\u{fe0f}').contains(&c);
    escaped(text, |c| is_hidden(c) || c != ' ' && is_blank(c))
}

/// Returns a text after a colon; nothing if it is empty.
pub fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// The maximum length of a [`tail`] in bytes.
const TAIL_BYTES: usize = 2000;

/// Returns the end of a program's output as trimmed text, with invalid UTF-8 replaced.
pub fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]).trim().to_owned()
}

/// Returns at most this many characters of a text. If there are more, `…` follows.
pub fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Begins a command to GitHub Actions, which obeys the log of a job, anywhere in a line.
pub const LOG_COMMAND: &str = "##[";

/// Begins one at the start of a line.
const LINE_COMMAND: &str = "::";

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) && !text.contains(LINE_COMMAND) && !text.contains(LOG_COMMAND) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut is_line_start = true;
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_command = is_line_start && rest.starts_with(LINE_COMMAND) || rest.starts_with(LOG_COMMAND);
        is_line_start = !is_escaped(c) && (c == '\n' || is_line_start && c.is_whitespace());
        let _ = match c {
            c if !is_escaped(c) && !is_command => write!(shown, "{c}"),
            '\n' => write!(shown, "\\n"),
            '\r' => write!(shown, "\\r"),
            '\t' => write!(shown, "\\t"),
            c if c.is_ascii() => write!(shown, "\\x{:02x}", u32::from(c)),
            c => write!(shown, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    Cow::Owned(shown)
}

/// Serializes values as text, so that a score of any length stays exact.
pub mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use std::fmt::Display;
    use std::str::FromStr;

    /// Serializes a value as text.
    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// Deserializes a value from text.
    pub fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(deserializer: D) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }

    /// The same for optional values.
    pub mod optional {
        use super::{Deserialize, Deserializer, Display, FromStr, Serializer, de};

        /// Serializes an optional value as text.
        pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
            match value {
                Some(value) => serializer.collect_str(value),
                None => serializer.serialize_none(),
            }
        }

        /// Deserializes an optional value from text.
        pub fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(
            deserializer: D,
        ) -> Result<Option<T>, D::Error> {
            let text = Option::<String>::deserialize(deserializer)?;
            text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
        }
    }
}

/// Returns a word quoted for a shell. If it has hidden characters, the shell must be bash, zsh or ksh.
pub fn quote(word: &str) -> String {
    if !word.chars().any(is_hidden) {
        let quoted = shell_words::quote(word);
        // `shell_words` does not know the braces of bash, nor its history.
        let expands = word.contains('!') || word.contains('{') && (word.contains(',') || word.contains(".."));
        return if expands && quoted == word { format!("'{word}'") } else { quoted.into_owned() };
    }
    let mut quoted = String::from("$'");
    for c in word.chars() {
        // Writing to a `String` cannot fail.
        let _ = match c {
            '\'' | '\\' => write!(quoted, "\\{c}"),
            c if !is_hidden(c) => write!(quoted, "{c}"),
            c if c.is_ascii() => write!(quoted, "\\{:03o}", u32::from(c)),
            c => write!(quoted, "\\U{:08x}", u32::from(c)),
        };
    }
    quoted + "'"
}

/// Returns a path quoted for a shell, as a word that no program reads as a flag.
pub fn quote_path(path: &Path) -> String {
    let path = path.to_string_lossy();
    quote(&if path.starts_with('-') { format!("./{path}") } else { path.into_owned() })
}

/// Returns words as one command line, quoted for a shell.
pub fn quote_words(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    words.into_iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a command line that [`quote_words`] wrote. `None` if a quote has no end.
pub fn split_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut rest) = (Vec::new(), line.trim_ascii_start());
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix("$'") {
            Some(quoted) => unquoted(quoted)?,
            None => {
                let (word, after) = rest.split_at(word_length(rest));
                (shell_words::split(word).ok()?.concat(), after)
            }
        };
        words.push(word);
        rest = after.trim_ascii_start();
    }
    Some(words)
}

/// Returns the text up to the quote that ends it, without the escapes of [`quote`], and the rest after that quote.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let number = |digits: Option<&str>, radix| char::from_u32(u32::from_str_radix(digits?, radix).ok()?);
    let (mut word, mut rest) = (String::new(), text);
    loop {
        let sign = rest.chars().next()?;
        rest = &rest[sign.len_utf8()..];
        let (sign, length) = match (sign, rest.chars().next()) {
            ('\'', _) => return Some((word, rest)),
            ('\\', Some(escaped @ ('\'' | '\\'))) => (escaped, 1),
            ('\\', Some('U')) => (number(rest.get(1..9), 16)?, 9),
            ('\\', _) => (number(rest.get(..3), 8)?, 3),
            (sign, _) => (sign, 0),
        };
        word.push(sign);
        rest = &rest[length..];
    }
}

/// Returns the length of the first word of a command line, with its quotes.
fn word_length(text: &str) -> usize {
    let (mut quote, mut is_escaped) = (None, false);
    for (place, sign) in text.char_indices() {
        match (quote, sign) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), sign) if sign == open => quote = None,
            (None, sign) if sign.is_ascii_whitespace() => return place,
            _ => {}
        }
    }
    text.len()
}

/// Returns the words of a command line with more flags. They come before `--`, because the words after it are no flags.
pub fn with_flags(mut words: Vec<String>, flags: impl IntoIterator<Item = String>) -> Vec<String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, flags);
    words
}

/// Returns the words of a command line without `flags`, and without the flags with values in `valued`, which are written
/// `--flag VALUE` or `--flag=VALUE`.
pub fn without_flags(words: Vec<String>, flags: &[&str], valued: &[&str]) -> Vec<String> {
    let mut words = words.into_iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            kept.push(word);
            kept.extend(words);
            break;
        }
        let name = word.split_once('=').map_or(&*word, |(name, _)| name);
        if valued.contains(&name) {
            if name.len() == word.len() {
                words.next();
            }
        } else if !flags.contains(&&*word) {
            kept.push(word);
        }
    }
    kept
}

/// Returns a text with each `{name}` replaced by its value, if it has one. Placeholders inside values are not replaced.
/// Values need not be valid UTF-8.
pub fn fill_placeholders<V: AsRef<OsStr>>(text: &str, value: impl Fn(&str) -> Option<V>) -> OsString {
    let mut parts = text.split('{');
    let mut filled = OsString::from(parts.next().unwrap_or_default());
    for part in parts {
        let named = part.split_once('}').and_then(|(name, after)| Some((value(name)?, after)));
        if let Some((value, after)) = named {
            filled.push(value);
            filled.push(after);
        } else {
            filled.push("{");
            filled.push(part);
        }
    }
    filled
}

/// Returns a key that sorts names in natural order (`2.in` before `10.in`): text by bytes, numbers by value. A number
/// is encoded as its length and its digits.
pub fn natural_key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() + 8);
    let mut rest = name;
    while !rest.is_empty() {
        let (text, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let (digits, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len()));
        let value = digits.trim_start_matches('0');
        key.extend_from_slice(text.as_bytes());
        key.push(0);
        key.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes());
        key.extend_from_slice(value.as_bytes());
        rest = tail;
    }
    key
}

/// Returns names as a list for a sentence: `a`, `a or b`, `a, b or c`.
pub fn listed(names: &[&str], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} {conjunction} {last}", names.join(", ")),
    }
}

/// Returns the first names of a list of this length for a sentence: `a, b and 7 more`.
pub fn first_of(names: impl IntoIterator<Item = impl ToString>, shown: usize, length: usize) -> String {
    let names: Vec<String> = names.into_iter().take(shown).map(|name| name.to_string()).collect();
    match length - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Returns `1 case` or `7 cases`.
pub fn counted(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// Returns an error with its causes, on one line.
pub fn error_chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (**cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::OsStrExt;

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
        // GitHub Actions obeys such lines.
        assert_eq!(visible("::a::\na::b\n \t::c"), "\\x3a:a::\na::b\n \t\\x3a:c");
        assert_eq!(one_line("a\n::b ##[c]"), "a\\n::b \\x23#[c]");
        assert_eq!(one_line("a\n\tb"), "a\\n\\tb");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in "\\PC{0,20}|[\\x00-\\u{ffff}]{0,20}") {
            prop_assert!(!one_line(&text).chars().any(is_hidden));
            prop_assert!(!visible(&text).chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')));
            prop_assert!(!quote(&text).chars().any(is_hidden));
        }
    }

    #[test]
    fn a_shell_gets_the_word_back() {
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("a!b"), "'a!b'");
        for word in ["b{1,2}", "c{1..3}", "./a\nb", "it's \\ \x1b]0;x\x07", "\u{202e}\u{9b}", "\t$HOME `id` \u{7f}1"] {
            let mut shell = std::process::Command::new("bash");
            let output = shell.args(["-c", &format!("printf %s {}", quote(word))]).env("LC_ALL", "C.UTF-8").output();
            let output = output.unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{}", quote(word));
        }
    }

    proptest! {
        #[test]
        fn quoted_words_are_split_again(words in prop::collection::vec("\\PC{0,8}|[\\x00-\\u{ffff}]{0,8}|[a \"'\\\\$\n#-]{0,6}", 0..5)) {
            prop_assert_eq!(split_words(&quote_words(&words)), Some(words));
        }
    }

    #[test]
    fn unusual_words_are_split_again() {
        let words = ["", "a\u{3000}", "\u{a0}b", "$'c'", "d\ne", "\u{202e}", "#", "'", "\\", "--"].map(String::from);
        assert_eq!(split_words(&quote_words(&words)).as_deref(), Some(&words[..]));
        assert_eq!(split_words("a  b\\ c 'd e'\"f\""), Some(["a", "b c", "d ef"].map(String::from).to_vec()));
        assert_eq!(split_words("a 'b"), None);
    }

    #[test]
    fn flags_come_before_the_words_that_are_none() {
        let with = |line: &str| quote_words(with_flags(split_words(line).unwrap(), ["--resume".to_owned()]));
        assert_eq!(with("run -p columns bot"), "run -p columns bot --resume");
        assert_eq!(with("run -p columns -- bot -x"), "run -p columns --resume -- bot -x");
    }

    #[test]
    fn flags_are_left_out_with_their_values() {
        let words = ["run", "--shard", "1/2", "-s", "--shard=3/4", "--resume", "--resume=x", "--all"].map(String::from);
        let left = without_flags(words.to_vec(), &["--resume"], &["--shard"]);
        assert_eq!(quote_words(left), "run -s '--resume=x' --all");
    }

    #[test]
    fn each_name_is_replaced_once() {
        let value = |name: &str| match name {
            "a" => Some(OsStr::new("{b}")),
            "b" => Some(OsStr::from_bytes(b"\xff{")),
            _ => None,
        };
        for (text, expected) in [
            ("", &b""[..]),
            ("x", b"x"),
            ("{a}", b"{b}"),
            ("{a}{b}}", b"{b}\xff{}"),
            ("-{{a}}-", b"-{{b}}-"),
            ("{c} {a", b"{c} {a"),
            ("{x{b}", b"{x\xff{"),
            ("{\u{e9}{a}", "{\u{e9}{b}".as_bytes()),
        ] {
            assert_eq!(fill_placeholders(text, value).as_bytes(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_in_names_compare_by_value() {
        let mut names = ["game10.in", "game2.in", "game01.in", "a.in", "game2b.in"];
        names.sort_by_cached_key(|name| natural_key(name));
        assert_eq!(names, ["a.in", "game01.in", "game2.in", "game2b.in", "game10.in"]);
    }

    #[test]
    fn the_names_that_are_left_out_are_counted() {
        let shown = |names: &[&str], length| first_of(names, 2, length);
        assert_eq!(
            (shown(&["a", "b"], 2), shown(&["a", "b", "c"], 9)),
            ("a, b".to_owned(), "a, b and 7 more".to_owned())
        );
    }

    #[test]
    fn the_last_name_follows_the_conjunction() {
        assert_eq!(listed(&["a"], "or"), "a");
        assert_eq!(listed(&["a", "b"], "or"), "a or b");
        assert_eq!(listed(&["a", "b", "c"], "and"), "a, b and c");
    }
}
