//! Command lines as a shell reads them.

use super::visible::is_hidden;
use std::fmt::Write;

/// Returns a word quoted for a shell; for bash, zsh and ksh if it has hidden characters.
#[must_use]
pub fn quote(word: &str) -> String {
    if !word.chars().any(is_hidden) {
        return shell_words::quote(word).into_owned();
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

/// Returns words as one command line, each quoted for a shell.
#[must_use]
pub fn quote_words(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    words.into_iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a command line without these flags, and without those that have a value: `--flag VALUE` or `--flag=VALUE`.
#[must_use]
pub fn without_flags(words: Vec<String>, flags: &[&str], valued: &[&str]) -> Vec<String> {
    let mut words = words.into_iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_shell_gets_the_word_back() {
        assert_eq!(quote("a b"), "'a b'");
        for word in ["./a\nb", "it's \\ \x1b]0;x\x07", "\u{202e}\u{9b}", "\t$HOME `id` \u{7f}1"] {
            let mut shell = std::process::Command::new("bash");
            let output = shell.args(["-c", &format!("printf %s {}", quote(word))]).env("LC_ALL", "C.UTF-8").output();
            let output = output.unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{}", quote(word));
        }
    }

    #[test]
    fn flags_are_left_out_with_their_values() {
        let words = ["run", "--shard", "1/2", "-s", "--shard=3/4", "--resume", "--resume=x", "--all"].map(String::from);
        let left = without_flags(words.to_vec(), &["--resume"], &["--shard"]);
        assert_eq!(quote_words(left), "run -s '--resume=x' --all");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in "\\PC{0,20}|[\\x00-\\u{ffff}]{0,20}") {
            prop_assert!(!quote(&text).chars().any(is_hidden));
        }
    }
}
