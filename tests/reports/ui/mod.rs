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

/// Two runs of `columns` by different solvers on the same cases, and a third with failures and a name with markup.
fn some_runs() -> Folder {
    let folder = Folder::new();
    for solver in ["bundled:columns-quickstart", "bundled:columns-greedy"] {
        let said = folder.judge(&["run", "-p", "columns", "-s", solver, "--seeds", "1-12", "--message", "a note"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    hostile_run(&folder);
    folder
}

/// A script that a page must not run.
const MARKUP: &str = "<script>hacked = 1<\u{2215}script><img src=x onerror=hacked=1>";

/// A run of a solver whose name and standard error contain markup.
fn hostile_run(folder: &Folder) {
    folder.script(MARKUP, "echo '<script>hacked = 1</script><img src=x onerror=hacked=1>' >&2; exit 3");
    let solver = format!("./'{MARKUP}'");
    let said =
        folder.judge(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "-s", &solver, "--seeds", "1-6"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
}
