//! An error in a catalogue, shown with its file, its line, and a caret under the place.

use std::ops::Range;

/// An error in a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueComplaint {
    /// The bytes of the file that are at fault.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What would be right; empty if the message says it.
    pub expected: String,
    /// Whether it may follow from another error: something is missing.
    pub follows: bool,
}

impl CatalogueComplaint {
    /// Returns the complaint as it is shown, without a final newline.
    #[must_use]
    pub fn render(&self, file: &str, text: &str) -> String {
        let start = floor_char_boundary(text, self.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let number = 1 + text[..line_start].matches('\n').count();
        let column = 1 + text[line_start..start].chars().count();
        let marked = text.get(start..self.span.end).and_then(|marked| marked.lines().next()).unwrap_or("");
        let carets = "^".repeat(marked.chars().count().max(1));
        let gutter = " ".repeat(number.to_string().len());
        let indent = " ".repeat(column - 1);
        let note = format!("{carets} {}", self.expected);
        format!(
            "{}\n{gutter}--> {file}:{number}:{column}\n{gutter} |\n{number} | {line}\n{gutter} | {indent}{}",
            self.message,
            note.trim_end()
        )
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let text = "a = 1\nkéy = 2\n";
        let complaint = CatalogueComplaint {
            span: 13..14,
            message: "bad value".into(),
            expected: "expected 3".into(),
            follows: false,
        };
        assert_eq!(
            complaint.render("p.toml", text),
            "bad value\n --> p.toml:2:7\n  |\n2 | kéy = 2\n  |       ^ expected 3"
        );
    }

    #[test]
    fn a_place_beyond_the_text_is_shown_at_its_end() {
        let complaint = CatalogueComplaint {
            span: 90..99,
            message: "ends too early".into(),
            expected: String::new(),
            follows: false,
        };
        assert_eq!(complaint.render("p.toml", "a"), "ends too early\n --> p.toml:1:2\n  |\n1 | a\n  |  ^");
    }
}
