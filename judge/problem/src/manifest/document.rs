//! A TOML file with everything that is wrong in it.

use super::CatalogueComplaint;
use super::section::{Complaints, Section};
use std::fmt;
use toml::de::DeTable;

/// Every error in a catalogue.
#[derive(Debug, thiserror::Error)]
pub struct ManifestError {
    file: String,
    text: String,
    /// The errors, in the order of the file; those that may follow from others are last.
    pub complaints: Vec<CatalogueComplaint>,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rendered: Vec<_> =
            self.complaints.iter().map(|complaint| complaint.render(&self.file, &self.text)).collect();
        formatter.write_str(&rendered.join("\n\nerror: "))
    }
}

/// Returns the text of a file. `file` is its name in messages.
///
/// # Errors
/// When it is not UTF-8: the first place that is not.
pub fn decode(file: &str, contents: Vec<u8>) -> Result<String, ManifestError> {
    String::from_utf8(contents).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let end = start + char::REPLACEMENT_CHARACTER.len_utf8();
        let message = "not UTF-8".to_owned();
        let expected = "save the file as UTF-8".to_owned();
        let complaint = CatalogueComplaint { span: start..end, message, expected, follows: false };
        ManifestError { file: file.to_owned(), text, complaints: vec![complaint] }
    })
}

/// Reads a file with `read`. `title` is the name of the file's own table in messages.
pub(super) fn read_document<T>(
    title: &'static str,
    file: &str,
    text: &str,
    read: impl FnOnce(Section<'_>) -> T,
) -> Result<T, ManifestError> {
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    let complaints = Complaints::default();
    let is_toml = syntax_errors.is_empty();
    let value = is_toml.then(|| read(Section::new(title, document.span(), document.get_ref(), &complaints)));
    let mut complaints = complaints.into_inner();
    complaints.extend(syntax_errors.iter().map(|error| CatalogueComplaint {
        span: error.span().unwrap_or(0..0),
        message: "not valid TOML".to_owned(),
        expected: error.message().lines().collect::<Vec<_>>().join("; "),
        follows: false,
    }));
    match value {
        Some(value) if complaints.is_empty() => Ok(value),
        _ => {
            complaints.sort_by_key(|complaint| (complaint.follows, complaint.span.start));
            Err(ManifestError { file: file.to_owned(), text: text.to_owned(), complaints })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn what_is_not_utf_8_is_shown_with_its_place() {
        assert_eq!(decode("p.toml", "é = 1\n".into()).unwrap(), "é = 1\n");
        let latin = decode("p.toml", b"a = 1\ntitle = \"Th\xe9 1\"\n".to_vec()).unwrap_err();
        let expected =
            "not UTF-8\n --> p.toml:2:12\n  |\n2 | title = \"Th\u{fffd} 1\"\n  |            ^ save the file as UTF-8";
        assert_eq!(latin.to_string(), expected);
    }
}
