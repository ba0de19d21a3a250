use std::ffi::{OsStr, OsString};

/// Returns a text with each `{name}` that has a value replaced by it. What a value contains is not looked at again, and a
/// value need not be text.
#[must_use]
pub fn fill_placeholders<V: AsRef<OsStr>>(text: &str, value: impl Fn(&str) -> Option<V>) -> OsString {
    let mut filled = OsString::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled.push(before);
        let named = from[1..].split_once('}').and_then(|(name, after)| Some((value(name)?, after)));
        rest = match named {
            Some((value, after)) => {
                filled.push(value);
                after
            }
            None => {
                filled.push("{");
                &from[1..]
            }
        };
    }
    filled.push(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

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
}
