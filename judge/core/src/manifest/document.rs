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
