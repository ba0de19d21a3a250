//! Checks every page with axe, in three widths and two themes. With `SCREENSHOTS=FOLDER`, a picture of each page is
//! stored there: `JUDGE_AXE=…/axe.min.js cargo test -p judge --test reports -- --ignored serious`

use super::browser::Browser;
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::require::{Need, skip};
use data_encoding::BASE64;
use serde_json::{Value, json};
use std::path::Path;

/// The pages of a server: a name for the picture, and the address.
const PAGES: [(&str, &str); 23] = [
    ("runs", "/#/"),
    ("run", "/#/runs/2?case=seed-2&entrant=columns-greedy"),
    ("run-hostile", "/#/runs/3"),
    ("run-failures", "/#/runs/4?filter=verdict!%3DAC&case=seed-1"),
    ("run-one-case", "/#/runs/5"),
    ("run-without-cases", "/#/runs/6"),
    ("compare", "/#/compare?a=run%3A1&b=run%3A2&group_by=k"),
    ("grid", "/#/grid?runs=run%3A1%0Arun%3A2&sort=k"),
    ("problems", "/#/problems"),
    ("problem", "/#/problems/columns"),
    ("case", "/#/problems/columns/cases/seed-3"),
    ("play-columns", "/#/play?problem=columns&case=seed-2"),
    ("play-square-remover", "/#/play?problem=square-remover"),
    ("play-same-game-free", "/#/play?problem=same-game-free"),
    ("replay-columns", "/replay/2/seed-7#frame=300"),
    ("replay-square-remover", "/replay/7/seed-2#frame=100"),
    ("replay-same-game", "/replay/8/seed-2#frame=3"),
    ("replay-same-game-free", "/replay/9/seed-2#frame=10"),
    ("replay-deletion-game", "/replay/10/seed-1#frame=2"),
    // The easy game looks the same, and has many more moves.
    ("replay-beating-hard", "/replay/11/seed-2#frame=3"),
    ("side-by-side", "/#/replays?a=run%3A1&b=run%3A2&case=seed-3&tick=100"),
    ("no-replay", "/replay/99/seed-1"),
    ("no-page", "/#/nothing"),
];

/// Runs of every game, and runs with little to show.
fn every_page() -> Folder {
    let folder = some_runs();
    folder.script("fails", "exit 3");
    let long = format!("sh -c 'cat >/dev/null; echo 0' {}", "--and-more ".repeat(40));
    folder.script("slow", "sleep 60");
    let runs: [(&str, &str, &str); 8] = [
        ("columns", "./fails", "1-4"),
        ("columns", long.trim(), "5"),
        ("columns", "./slow", "1-2"),
        ("square-remover", "bundled:square-remover-plain", "2"),
        ("same-game", "bundled:same-game", "2"),
        ("same-game-free", "bundled:same-game-free-plain", "2"),
        ("deletion-game", "bundled:deletion-game-plain", "1"),
        ("beating-the-game-hard", "bundled:beating-the-game-hard", "2"),
    ];
    for (problem, solver, seeds) in runs {
        let mut command = folder.command(&["run", "-p", problem, "-s", solver, "--seeds", seeds]);
        if solver == "./slow" {
            let mut child = command.spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_secs(2));
            rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
                .unwrap();
            child.wait().unwrap();
        } else {
            command.output().unwrap();
        }
    }
    folder
}

/// Opens a page, and waits until there is something to see.
fn open(browser: &mut Browser, address: &str) {
    browser.evaluate(&format!("location.href = {}", json!(address)));
    std::thread::sleep(std::time::Duration::from_millis(200));
    browser.until("document.readyState === 'complete' && document.querySelector('main h1') !== null && !document.querySelector('.skeleton, .waiting, [aria-busy]')");
}

/// Returns the serious findings of axe, and elements that are wider than the window.
fn found(browser: &mut Browser, rules: &str) -> Vec<String> {
    browser.evaluate(&format!("{rules}; 0"));
    let violations = browser.evaluate(
        "axe.run(document, { resultTypes: ['violations'], preload: false, rules: { 'label-content-name-mismatch': { enabled: true } } }).then((found) =>
            found.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html}`))",
    );
    let is_wide = browser.evaluate("document.documentElement.scrollWidth > innerWidth") == true;
    let texts = violations.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned);
    texts.chain(is_wide.then(|| "the page is wider than the window".to_owned())).collect()
}

fn keep_picture(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("SCREENSHOTS") else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let taken = browser.call("Page.captureScreenshot", json!({ "format": "png" }));
    let png = BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap();
    std::fs::write(Path::new(&folder).join(format!("{name}.png")), png).unwrap();
}

/// Checks pages in all widths and themes.
fn look(browser: &mut Browser, pages: &[(&str, String)], rules: &str) -> Vec<String> {
    let mut all = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        for width in [1440, 1024, 390] {
            browser.size(width, 900);
            for (name, address) in pages {
                open(browser, address);
                let name = format!("{name}-{width}-{scheme}");
                keep_picture(browser, &name);
                all.extend(found(browser, rules).into_iter().map(|what| format!("{name}: {what}")));
            }
        }
    }
    all
}

#[test]
#[ignore = "long: every page six times"]
fn axe_finds_nothing_serious() {
    let rules = std::env::var_os("JUDGE_AXE").and_then(|path| std::fs::read_to_string(path).ok());
    let Some(rules) = rules else { return skip(Need::Axe, "no rules of axe") };
    let folder = every_page();
    for (format, name) in [("run", "run.html"), ("compare", "compare.html")] {
        let more: &[&str] = if format == "run" {
            &["-s", "bundled:columns-greedy"]
        } else {
            &["bundled:columns-quickstart", "bundled:columns-greedy"]
        };
        folder.judge(&[&[format, "-p", "columns", "--seeds", "1-4", "--no-journal", "--html", name], more].concat());
    }
    folder.judge(&["view", "-p", "columns", "--seed", "2", "-s", "bundled:columns-greedy", "--html", "game.html"]);
    assert_eq!(folder.judge(&["site", "public", "--run", "1", "--run", "2"]).code, Some(0));
    let server = Server::start(&folder, &[]);
    let pages = PAGES.map(|(name, address)| (name, address.to_owned()));
    let Some(mut browser) = Browser::open(&server) else { return };
    let mut all = look(&mut browser, &pages, &rules);
    let file = |name: &str| format!("file://{}/{name}", folder.path().display());
    let files = [
        ("report-run", file("run.html")),
        ("report-compare", file("compare.html")),
        ("report-game", file("game.html")),
        ("site-runs", file("public/index.html#/")),
        ("site-run", file("public/index.html#/runs/2?case=seed-2")),
        ("site-compare", file("public/index.html#/compare?a=run%3A1&b=run%3A2")),
        ("site-grid", file("public/index.html#/grid?runs=run%3A1%0Arun%3A2")),
        ("site-replay", file("public/index.html#/replay?run=2&case=seed-2")),
        ("site-side-by-side", file("public/index.html#/replays?a=run%3A1&b=run%3A2&case=seed-3")),
    ];
    let Some(mut browser) = Browser::open_at(&files[3].1) else { return };
    all.extend(look(&mut browser, &files, &rules));
    assert!(all.is_empty(), "{all:#?}");
}
