//! `judge ui` from the outside: over plain HTTP, and in a real browser.

mod api;
mod axe;
mod browser;
mod charted;
mod drawings;
mod labels;
mod layout;
mod pages;
mod pictures;
mod play;
mod replay;
mod report;
mod safety;
mod site;
mod started;
mod state;
mod viewer;

use crate::support::Folder;
use judge_problem::JOURNAL_FOLDER;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Two runs of `columns` by different solvers on the same cases, and a third with failures and a name with markup.
fn some_runs() -> Folder {
    static JOURNAL: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
    let folder = Folder::new();
    // Recorded once: each test has its own copy.
    let files = JOURNAL.get_or_init(|| {
        let first = Folder::new();
        runs_on(&first, "1-12");
        let journal = first.path().join(JOURNAL_FOLDER).read_dir().unwrap().map(|entry| entry.unwrap());
        journal.map(|file| (file.file_name().into(), std::fs::read(file.path()).unwrap())).collect()
    });
    for (name, contents) in files {
        folder.write(&format!("{JOURNAL_FOLDER}/{}", name.display()), contents);
    }
    hostile_solver(&folder);
    folder
}

/// The same, in which the first two are on these seeds.
fn runs_on(folder: &Folder, seeds: &str) {
    for solver in ["bundled:columns-quickstart", "bundled:columns-greedy"] {
        let said = folder.judge(&["run", "-p", "columns", "-s", solver, "--seeds", seeds, "--message", "a note"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    hostile_run(folder);
}

/// A script that a page must not run.
const MARKUP: &str = "<script>hacked = 1<\u{2215}script><img src=x onerror=hacked=1>";

/// A solver whose name and standard error contain markup.
fn hostile_solver(folder: &Folder) {
    folder.script(MARKUP, "echo '<script>hacked = 1</script><img src=x onerror=hacked=1>' >&2; exit 3");
}

/// A run of that solver.
fn hostile_run(folder: &Folder) {
    hostile_solver(folder);
    let solver = format!("./'{MARKUP}'");
    let said =
        folder.judge(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "-s", &solver, "--seeds", "1-6"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
}
