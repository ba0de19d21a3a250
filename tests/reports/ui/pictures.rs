//! The pictures of the pages in docs/, of real runs: `PICTURES=overwrite cargo test -p judge --test reports -- --ignored
//! pictures` takes them again.

use super::browser::Browser;
use crate::support::Folder;
use crate::support::client::Server;
use data_encoding::BASE64;
use serde_json::json;
use std::path::Path;

const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pictures");

/// The maximal size of a picture in bytes.
const MAX_BYTES: usize = 150_000;

/// A story of a solver that gets better.
const RUNS: [&[&str]; 5] = [
    &["-s", "bot=bundled:columns-quickstart", "--message", "the lowest place"],
    &["-s", "bot=bundled:columns-greedy", "--message", "one move of foresight"],
    &["-s", "bot=bundled:columns", "--env", "SOLVER_TIME_LIMIT=0.05", "--message", "a beam of 50 ms"],
    &["-s", "bot=bundled:columns", "--env", "SOLVER_TIME_LIMIT=0.2", "--message", "a beam of 200 ms"],
    &[
        "-s",
        "bot=bundled:columns",
        "-s",
        "greedy=bundled:columns-greedy",
        "--env",
        "SOLVER_TIME_LIMIT=0.8",
        "--message",
        "a beam of 800 ms, and the old one",
    ],
];

fn some_runs() -> Folder {
    let folder = Folder::new();
    for run in RUNS {
        let said = folder.judge(&[&["run", "-p", "columns", "--seeds", "1-30"], run].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    for labels in [&["tag", "2", "baseline"][..], &["tag", "5", "beam", "best"], &["note", "5", "the one to beat"]] {
        let said = folder.judge(&[&["history"], labels].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    folder
}

/// The content of a picture.
struct Picture {
    name: &'static str,
    page: &'static str,
    /// The condition that holds once everything is drawn.
    ready: &'static str,
    scheme: &'static str,
    size: (u32, u32),
}

const ALL: [Picture; 5] = [
    Picture {
        name: "runs",
        page: "#/",
        ready: "document.querySelector('canvas') && document.querySelectorAll('.scroll tbody tr').length === 6",
        scheme: "light",
        size: (1280, 860),
    },
    Picture {
        name: "run",
        page: "#/runs/5",
        ready: "document.querySelectorAll('canvas').length === 2 && document.querySelectorAll('.rows .body').length > 9",
        scheme: "dark",
        size: (1280, 1200),
    },
    Picture {
        name: "compare",
        page: "#/compare?a=run%3A5%2Fgreedy&b=run%3A5%2Fbot&group_by=colors",
        ready: "document.querySelectorAll('canvas').length === 3",
        scheme: "light",
        size: (1280, 1000),
    },
    Picture {
        name: "grid",
        page: "#/grid?runs=run%3A1%2Fbot%0Arun%3A2%2Fbot%0Arun%3A3%2Fbot%0Arun%3A4%2Fbot%0Arun%3A5%2Fbot&sort=k",
        ready: "document.querySelector('.heat canvas')?.width > 400 && document.querySelectorAll('.scroll tbody tr').length === 5",
        scheme: "dark",
        size: (1280, 1200),
    },
    Picture {
        name: "replay",
        page: "/replay/5/seed-7?solver=bot#frame=60",
        ready: "(document.querySelector('#position')?.innerText ?? '').startsWith('frame 60 of ') && !document.querySelector('[aria-busy]')",
        scheme: "dark",
        size: (420, 720),
    },
];

#[test]
#[ignore = "long: a run of a minute"]
fn pictures_are_small_and_without_complaints() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    let is_kept = std::env::var("PICTURES").is_ok_and(|value| value == "overwrite");
    browser.call("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    for Picture { name, page, ready, scheme, size } in ALL {
        browser.size(size.0, size.1);
        browser.prefer(scheme);
        if page.starts_with('#') {
            browser.go(page);
        } else {
            browser.evaluate(&format!("location.href = {}", json!(page)));
        }
        browser.until(&format!("Boolean({ready})"));
        let taken = browser.call("Page.captureScreenshot", json!({ "format": "png", "optimizeForSpeed": false }));
        let png = BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap();
        assert!(png.len() < MAX_BYTES, "{name} has {} bytes", png.len());
        if is_kept {
            std::fs::write(Path::new(PICTURES).join(format!("{name}.png")), png).unwrap();
        }
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}
