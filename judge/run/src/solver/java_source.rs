//! The public type of a Java source, after which its file must be named.

use regex::Regex;
use std::sync::OnceLock;

/// What encloses a text of several lines.
const TEXT: &str = "\"\"\"";

/// Returns the name of the public type that a source declares outside all braces; `None` if it declares none.
pub(super) fn public_type(source: &[u8]) -> Option<String> {
    static DECLARATION: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r"\bpublic\s+(?:(?:abstract|final|sealed|non-sealed|strictfp|static)\s+)*(?:class|interface|enum|record|@\s*interface)\s+(\w+)";
    let declaration = DECLARATION.get_or_init(|| Regex::new(pattern).ok()).as_ref()?;
    let code = top_level(&String::from_utf8_lossy(source));
    Some(declaration.captures(&code)?.get(1)?.as_str().to_owned())
}

/// Returns what stands outside braces, comments, texts and characters.
fn top_level(source: &str) -> String {
    let (mut code, mut rest, mut depth) = (String::new(), source, 0_usize);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = enclosed(rest, "/*", "*/").or_else(|| enclosed(rest, TEXT, TEXT)) {
            length
        } else if matches!(first, '"' | '\'') {
            quoted(rest, first)
        } else {
            match first {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 => code.push(first),
                _ => {}
            }
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

/// Returns the length of what begins and ends with these; `None` if the text does not begin so.
fn enclosed(text: &str, begin: &str, end: &str) -> Option<usize> {
    let inside = text.strip_prefix(begin)?;
    Some(inside.find(end).map_or(text.len(), |place| begin.len() + place + end.len()))
}

/// Returns the length of a text or character in quotes; it ends with its line at the latest.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return place,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return place + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::public_type;

    #[test]
    fn the_public_type_is_found_where_it_is_declared() {
        for (source, name) in [
            ("public class Bot { public static class Inner {} }", Some("Bot")),
            ("package a;\nimport java.util.*;\npublic final  class\nBot<T> extends X {}", Some("Bot")),
            ("class Main { public static void main(String[] a) {} }", None),
            ("class A { public class B {} } public record C(int x) {}", Some("C")),
            ("// public class No\n/* public class No */ public enum Yes { A }", Some("Yes")),
            (
                "class A { String s = \"} public class No {\"; char c = '\"'; char d = '}'; } public interface I {}",
                Some("I"),
            ),
            ("class A { String s = \"\"\"\n } public class No { \" \n\"\"\"; } public class B {}", Some("B")),
            ("class A { String s = \"\\\"}\"; } public abstract class B {}", Some("B")),
            ("@Deprecated(\"x\") public strictfp class B {}", Some("B")),
            ("public classy X {}", None),
            ("class A { \"open\n } public class B {}", Some("B")),
            ("/* open", None),
            ("", None),
        ] {
            assert_eq!(public_type(source.as_bytes()).as_deref(), name, "{source}");
        }
    }
}
