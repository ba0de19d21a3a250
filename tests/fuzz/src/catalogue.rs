//! The catalogue, `problems.toml`.

use judge_problem::{Catalogue, ManifestError, read_best_scores};
use std::path::Path;

/// A catalogue is read, or every complaint about it can be shown.
///
/// # Panics
/// When a problem is not found by its id, or a complaint has no place in the text.
pub fn catalogue(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    match Catalogue::parse("problems.toml", text, Path::new("/folder")) {
        Ok(catalogue) => {
            assert!(!catalogue.problems.is_empty());
            for problem in &catalogue.problems {
                let found = catalogue.find(&problem.id).expect("it is in the catalogue");
                assert!(std::ptr::eq(found, problem), "two problems are called {}", problem.id);
            }
        }
        Err(error) => assert_shown(&error, text),
    }
    if let Err(error) = read_best_scores("best.toml", text) {
        assert_shown(&error, text);
    }
}

fn assert_shown(error: &ManifestError, text: &str) {
    assert!(!error.complaints.is_empty());
    for complaint in &error.complaints {
        let span = complaint.span.clone();
        assert!(span.start <= span.end && span.end <= text.len(), "{complaint:?}");
        assert!(!complaint.message.is_empty());
    }
    assert!(error.to_string().contains(".toml:"));
}
