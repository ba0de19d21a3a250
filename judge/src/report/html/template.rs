//! Fills a page's placeholders, and makes any text safe to stand in a page.

use crate::model::{one_line, visible};

/// Returns the template with each `{{key}}` replaced by its value, once: what stands in a value is not looked at.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (key, after) = after.split_once("}}").unwrap_or((after, ""));
        page.extend(values.iter().find(|(name, _)| *name == key).map(|(_, value)| *value));
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Returns a text that a page shows in one line as it stands, also inside an attribute, with everything hidden escaped.
pub(super) fn escape(text: &str) -> String {
    safe(&one_line(text))
}

/// Returns a text of several lines, likewise.
pub(super) fn escape_lines(text: &str) -> String {
    safe(&visible(text))
}

fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// Returns JSON that can stand in a `<script>`: nothing in it looks like the script's end or a comment's start.
pub(super) fn in_script(json: &str) -> String {
    // A `<` stands only inside strings, where the escape means the same.
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_templates() {
        assert_eq!(fill("<p>{{a}}-{{b}}</p>{{c}}", &[("a", "{{b}}"), ("b", "1")]), "<p>{{b}}-1</p>");
    }

    #[test]
    fn nothing_ends_a_script_or_an_attribute_early() {
        assert_eq!(escape("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
        assert_eq!(escape("a\n\u{1b}]0;x\u{7}\u{202e}"), "a\\n\\x1b]0;x\\x07\\u{202e}");
        assert_eq!(escape_lines("<a>\n\u{1b}"), "&lt;a&gt;\n\\x1b");
        let json = in_script(r#"["</script><!--"]"#);
        assert!(!json.contains('<'));
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), ["</script><!--"]);
    }
}
