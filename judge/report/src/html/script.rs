//! Data of a page that its script reads.

/// Returns JSON that is safe in a `<script>`: it contains neither the end of the script nor the start of a comment.
pub(super) fn in_script(json: &str) -> String {
    // A `<` occurs only inside strings, where the escape means the same.
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::in_script;

    #[test]
    fn nothing_ends_a_script_early() {
        let json = in_script(r#"["</script><!--"]"#);
        assert!(!json.contains('<'));
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), ["</script><!--"]);
    }
}
