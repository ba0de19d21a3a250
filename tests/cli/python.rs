//! The Python package of `judge/python`: its tests are unittest's, run from its sources.

use crate::support::Folder;
use crate::support::documents::{repository, run, text};
use crate::support::require::{Need, skip};
use std::path::Path;

/// The system's Python: that of the user may be one of another version.
const PYTHON: &str = "/usr/bin/python3";

#[test]
fn the_python_package_passes_its_tests() {
    if !Path::new(PYTHON).exists() {
        skip(Need::Python, format!("there is no {PYTHON}"));
        return;
    }
    let package = repository().join("judge/python");
    let (sources, tests) = (package.join("src"), package.join("tests"));
    let variables = [
        ("PYTHONPATH", sources.to_str().unwrap()),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("JUDGE", env!("CARGO_BIN_EXE_judge")),
    ];
    let arguments = ["-W", "error", "-m", "unittest", "discover", "-s", tests.to_str().unwrap()];
    let output = run(&Folder::new(), PYTHON, &arguments, &variables);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
