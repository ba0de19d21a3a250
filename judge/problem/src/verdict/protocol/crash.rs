//! Recognises the report of a crash on standard error, as interpreters write it before they exit with code 1.

/// The beginnings of lines that only a crash prints.
const MARKS: [&str; 6] = [
    // Python.
    "Traceback (most recent call last):",
    // Node.
    "Node.js v",
    // The Java virtual machine.
    "Exception in thread \"",
    // Lua.
    "stack traceback:",
    // Haskell.
    "CallStack (from HasCallStack):",
    // Deno.
    "error: Uncaught",
];

/// Returns whether a program reported its own crash.
pub(super) fn is_reported(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    text.lines().any(|line| MARKS.iter().any(|mark| line.trim_start().starts_with(mark)) || is_of_ruby(line))
}

/// Returns whether a line is Ruby's `FILE:LINE:in 'METHOD': MESSAGE (CLASS)`.
fn is_of_ruby(line: &str) -> bool {
    let in_method = [":in '", ":in `"].iter().any(|place| line.contains(place));
    in_method && line.ends_with(')') && line.contains(" (")
}

#[cfg(test)]
mod tests {
    use super::is_reported;

    #[test]
    fn crashes_are_told_from_other_messages() {
        for crash in [
            "warning\nTraceback (most recent call last):\n  File \"c.py\", line 1, in <module>\nKeyError: 3",
            "c.js:1\nthrow 1\n^\nUncaught 1\n\nNode.js v22.1.0",
            "Exception in thread \"main\" java.lang.RuntimeException: x\n\tat C.main(C.java:1)",
            "lua: c.lua:1: x\nstack traceback:\n\t[C]: in ?",
            "c: x\nCallStack (from HasCallStack):\n  error, called at c.hs:1:8",
            "error: Uncaught (in promise) Error: x",
            "c.rb:1:in 'Integer': invalid value for Integer(): \"x\" (ArgumentError)",
            "c.rb:1:in `<main>': unhandled exception (RuntimeError)",
        ] {
            assert!(is_reported(crash.as_bytes()), "{crash}");
        }
        for other in ["", "line 3: too long", "no Traceback (most recent call last): here", "c.rb:1:in 'x': y"] {
            assert!(!is_reported(other.as_bytes()), "{other}");
        }
    }
}
