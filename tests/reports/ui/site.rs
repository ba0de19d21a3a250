//! `judge site`: the pages of a journal as files, in a real browser, from a web host and from the disk.

use super::browser::Browser;
use super::{runs_on, some_runs};
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::documents::{CATALOGUE, sample};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;

/// Serves the files of a folder below a path, like any web host, and returns the address.
fn host(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/some/where/", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, folder) = (stream.unwrap(), folder.clone());
            std::thread::spawn(move || {
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                let path = line.split(' ').nth(1).unwrap_or_default();
                let name =
                    path.strip_prefix("/some/where/").map(|name| if name.is_empty() { "index.html" } else { name });
                let kind = match path.rsplit('.').next() {
                    Some("js") => "text/javascript",
                    Some("css") => "text/css",
                    _ => "text/html",
                };
                let (status, body) = match name.and_then(|name| std::fs::read(folder.join(name)).ok()) {
                    Some(body) => ("200 OK", body),
                    None => ("404 Not Found", Vec::new()),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                // The browser may have disconnected.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            });
        }
    });
    address
}

/// Some runs with few games, because a site has every move of all of them.
fn some_games() -> Folder {
    let folder = Folder::new();
    runs_on(&folder, "1-4");
    folder
}

fn written(folder: &Folder, more: &[&str]) -> Vec<u8> {
    let said = folder.judge(&[&["site", "public"], more].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let mut all = Vec::new();
    let root = folder.path().join("public");
    for part in [root.clone(), root.join("data")] {
        for file in std::fs::read_dir(part).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            all.extend(opened(&std::fs::read(file).unwrap()));
        }
    }
    all
}

/// Returns a file with its content decompressed.
fn opened(file: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(file);
    let Some(packed) = text.strip_prefix("judgeData(").and_then(|rest| rest.split('"').nth(3)) else {
        return file.to_vec();
    };
    let bytes = data_encoding::BASE64.decode(packed.as_bytes()).unwrap();
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*bytes), &mut unpacked).unwrap();
    unpacked
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
#[ignore = "CI: a whole site"]
fn a_site_tells_nothing_of_the_machine() {
    let folder = some_games();
    folder.script("secret-bot", "echo hidden-words >&2; echo /secret/place >&2; exit 3");
    let path = folder.path().join("secret-bot");
    assert_eq!(
        folder.judge(&["run", "-p", "columns", "-s", &format!("shown={}", path.display()), "--seeds", "1"]).code,
        Some(1)
    );
    let private = [
        "judge run -p columns -s bundled:columns-quickstart --seeds",
        "bundled:columns-greedy --seeds",
        "hidden-words",
        "secret-bot",
        &folder.path().display().to_string(),
    ];
    let site = written(&folder, &[]);
    for text in private {
        assert!(!has(&site, text), "{text}");
    }
    for text in ["columns-greedy", "shown", "a note"] {
        assert!(has(&site, text), "{text}");
    }
    let site = written(&folder, &["--include", "commands,paths,stderr"]);
    for text in private {
        assert!(has(&site, text), "{text}");
    }
    assert!(
        std::fs::read_dir(folder.path()).unwrap().all(|entry| !entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with(".judge-"))
    );
}

#[test]
fn only_an_empty_folder_or_a_site_is_replaced() {
    let folder = some_games();
    folder.write("full/notes.txt", "mine");
    let said = folder.judge(&["site", "full"]);
    assert!(said.code == Some(2) && said.stderr.contains("neither empty nor a site"), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("full/notes.txt")).unwrap(), "mine");
    folder.write("file", "mine");
    assert_eq!(folder.judge(&["site", "file"]).code, Some(2));
    assert_eq!(folder.judge(&["site", "missing/site"]).code, Some(2));
    assert_eq!(folder.judge(&["site", "public", "--run", "99"]).code, Some(2));
    assert!(!folder.path().join("public").exists());
    std::fs::create_dir(folder.path().join("public")).unwrap();
    written(&folder, &["--games", "1B"]);
    written(&folder, &["--games", "1B", "--run", "1"]);
    assert!(
        folder.path().join("public/data/run-1.js").is_file() && !folder.path().join("public/data/run-2.js").exists()
    );
    let said = folder.judge(&["site", "."]);
    assert!(said.code == Some(2) && said.stderr.contains("that you are in"), "{}", said.stderr);
    std::os::unix::fs::symlink("public", folder.path().join("link")).unwrap();
    for (link, run) in [("link", 2), ("link/", 1)] {
        assert_eq!(folder.judge(&["site", link, "--games", "1B", "--run", &run.to_string()]).code, Some(0));
        assert!(folder.path().join("link").is_symlink());
        assert!(folder.path().join(format!("public/data/run-{run}.js")).is_file());
    }
    let said = folder.judge(&["site", "public", "--games", "1B", "--badge", "public/badge.svg"]);
    assert!(said.code == Some(0) && folder.path().join("public/badge.svg").is_file(), "{}", said.stderr);
    let empty = Folder::new();
    let said = empty.judge(&["site", "public"]);
    assert!(said.code == Some(2) && said.stderr.contains("no run"), "{}", said.stderr);
}

#[test]
fn runs_of_removed_problems_are_left_out() {
    let folder = sample();
    folder.write("problems.toml", format!("{CATALOGUE}\n{}", CATALOGUE.replace("columns", "gone")));
    folder.script("bot", "echo 1");
    for id in ["columns", "gone"] {
        assert_eq!(folder.judge(&["run", "-p", id, "-s", "./bot", "-s", "twin=./bot", "--seeds", "1"]).code, Some(0));
    }
    folder.write("problems.toml", CATALOGUE);
    let said = folder.judge(&["site", "public"]);
    assert!(said.code == Some(0) && said.stderr.contains("1 run left out"), "{}", said.stderr);
    assert!(!folder.path().join("public/data/run-2.js").exists());
    folder.write("problems.toml", CATALOGUE.replace("columns", "other"));
    let said = folder.judge(&["site", "public"]);
    assert!(said.code == Some(2) && said.stderr.contains("2 runs left out"), "{}", said.stderr);
}

#[test]
fn an_answer_without_a_move_is_the_starting_board() {
    let folder = Folder::new();
    assert_eq!(folder.judge(&["run", "-p", "columns", "-s", "echo 1", "--seeds", "1"]).code, Some(1));
    let said = folder.judge(&["site", "public"]);
    assert!(said.code == Some(0) && said.stderr.contains("1 run, 1 game"), "{}", said.stderr);
    assert!(!said.stderr.contains("left out"), "{}", said.stderr);
}

#[test]
fn the_best_game_of_all_runs_comes_first() {
    let folder = Folder::new();
    let best = "read w h; read k; echo $k; i=0; while [ $i -lt $k ]; do echo $((i % w + 1)) 0; i=$((i + 1)); done";
    for (name, script) in [("best", best), ("newest", "echo 0")] {
        folder.script(name, script);
        let said = folder.judge(&["run", "-p", "columns", "-s", &format!("./{name}"), "--seeds", "2"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let said = folder.judge(&["site", "public", "--games", "400B"]);
    assert!(said.stderr.contains("2 runs, 1 game,"), "{}", said.stderr);
    let shown = |run: u32| {
        has(
            &opened(&std::fs::read(folder.path().join(format!("public/data/run-{run}.js"))).unwrap()),
            "\"answer\":true",
        )
    };
    assert_eq!((shown(1), shown(2)), (true, false));
}

/// Under `relative` small scores are good, and large totals.
#[test]
fn a_badge_shows_the_best_points() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\nseeds = \"1-2\"\n\
         [problem.scoring]\nrule = \"relative\"\ndirection = \"min\"\n",
    );
    assert_eq!(folder.judge(&["run", "-s", "low=echo 1", "-s", "high=echo 4"]).code, Some(0));
    let badge = folder.judge(&["site", "--badge", "-"]).stdout;
    assert!(badge.contains(">1000000<"), "{badge}");
}

#[test]
fn a_badge_and_a_history_are_drawn() {
    let folder = some_runs();
    let refused = folder.judge(&["site", "--badge", "-", "--history", "-"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("the badge and the history cannot both go to "),
        "{}",
        refused.stderr
    );
    let refused = folder.judge(&["site", "--badge", "one.svg", "--history", "./one.svg"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("the badge and the history cannot both go to "),
        "{}",
        refused.stderr
    );
    let said = folder.judge(&["site", "--badge", "badge.svg", "--history", "-", "--run", "1", "--run", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let badge = std::fs::read_to_string(folder.path().join("badge.svg")).unwrap();
    let (_, best) = folder.json(&["history", "show", "2"]);
    assert!(badge.contains("columns") && badge.contains(&format!(">{}<", best["solvers"][0]["total"])), "{badge}");
    assert_eq!(said.stdout.matches("<circle").count(), 2, "{}", said.stdout);
    assert_eq!(folder.judge(&["site"]).code, Some(2));
}

/// Every page of a site, each with its expected content.
const PAGES: [(&str, &str); 10] = [
    ("#/", "columns-greedy"),
    ("#/runs/2", "seed-1"),
    ("#/runs/2?filter=k%3C200%20%26%26%20score%3E0&sort=score&descending=1", "seed-"),
    ("#/runs/2?filter=metric%3Amoves%3E0%20%26%26%20!k%3C0&sort=metric%3Amoves", "4 rows"),
    ("#/runs/2?filter=!(1%2F0%3C3)", "0 rows"),
    ("#/compare?a=run%3A1&b=run%3A2", "columns-quickstart"),
    ("#/grid?runs=run%3A1%0Arun%3A2", "columns-greedy"),
    ("#/problems/columns", "columns-greedy"),
    ("#/problems/columns/cases/seed-1", "columns-greedy"),
    ("#/replays?a=run%3A1&b=run%3A2&case=seed-1", "points"),
];

fn look_around(browser: &mut Browser) {
    for (page, shown) in PAGES {
        browser.go(page);
        browser.until(&format!("document.querySelector('main').innerText.includes({})", json!(shown)));
        assert_eq!(browser.text(".error"), "", "{page}");
    }
    for (wrong, why) in [("k", "expected a comparison"), ("nothing%3E1", "no case has")] {
        browser.go(&format!("#/runs/2?filter={wrong}"));
        browser.until(&format!("document.querySelector('#wrong').innerText.includes({})", json!(why)));
    }
    browser.go("#/runs/2?case=seed-1");
    browser.until("document.querySelector('.detail')?.innerText.includes('Replay')");
    assert!(!browser.text(".detail").contains("Show the answer"), "answers are not part of a site");
    browser.go("#/replay?run=2&case=seed-1");
    browser.until("(document.querySelector('#position')?.innerText ?? '') !== ''");
    browser.press("End");
}

#[test]
#[ignore = "CI: a browser"]
fn a_site_opens_below_any_path_and_from_the_disk() {
    let folder = some_games();
    let server = Server::start(&folder, &[]);
    let served = server.json("/api/runs/2/cases/seed-1/replay");
    written(&folder, &[]);
    let last = served["frames"].as_array().unwrap().iter().rev().find_map(|frame| frame["p"].as_str()).unwrap();
    let root = folder.path().join("public");
    for (address, own) in [(host(&root), "/some/where/"), (format!("file://{}/index.html", root.display()), "/public/")]
    {
        let Some(mut browser) = Browser::open_at(&address) else { return };
        look_around(&mut browser);
        assert_eq!(browser.text("#points"), last);
        assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
        let is_own = |url: &String| url.contains(own) || url.starts_with("data:") || url.starts_with("about:");
        assert!(browser.requests.iter().all(is_own), "{:#?}", browser.requests);
    }
}

#[test]
#[ignore = "long: every game of a site is unpacked"]
fn packed_games_are_the_served_ones() {
    let folder = Folder::new();
    // Magic on the floor, a single colour, fewer pieces than are shown, an answer that ends early, and one that
    // overflows.
    for (name, input) in [
        ("floor", "6 13\n4\n***\nabc\naab\n***\n"),
        ("one-color", &format!("6 13\n40\n{}", "aaa\n".repeat(40))),
        ("turns", &format!("7 14\n90\n{}", "abc\nabd\n***\n".repeat(30))),
        ("overflow", &format!("12 19\n200\n{}", "abc\ndef\n".repeat(100))),
    ] {
        folder.write(&format!("{name}.in"), input);
    }
    folder.script("early", "read w h; echo 2; echo 1 2; echo $w 1");
    let all: [(&str, &str, &[&str]); 5] = [
        ("columns", "bundled:columns-greedy", &["--seeds", "2"]),
        ("same-game-free", "bundled:same-game-free-plain", &["--seeds", "2"]),
        ("square-remover", "bundled:square-remover-plain", &["--seeds", "2"]),
        ("columns", "bundled:columns-quickstart", &["--inputs", "*.in"]),
        ("columns", "./early", &["--inputs", "*.in"]),
    ];
    for (problem, solver, cases) in all {
        let said = folder.judge(&[&["run", "-p", problem, "-s", solver], cases].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let server = Server::start(&folder, &[]);
    let files = ["floor", "one-color", "overflow", "turns"];
    let games: Vec<_> = (1..4)
        .map(|run| (run, "seed-2"))
        .chain([4, 5].into_iter().flat_map(|run| files.map(|name| (run, name))))
        .collect();
    let served: Vec<Value> =
        games.iter().map(|(run, case)| server.json(&format!("/api/runs/{run}/cases/{case}/replay"))).collect();
    written(&folder, &[]);
    let Some(mut browser) = Browser::open_at(&host(&folder.path().join("public"))) else { return };
    for ((run, case), served) in games.into_iter().zip(served) {
        let packed = browser.evaluate(&format!("judgeGame({run}, '{case}')"));
        for part in ["captions", "cells", "queue", "result", "player"] {
            assert_eq!(packed[part], served[part], "{part} of {case} of {run}");
        }
        for (at, (one, other)) in
            packed["frames"].as_array().unwrap().iter().zip(served["frames"].as_array().unwrap()).enumerate()
        {
            assert_eq!(one, other, "frame {at} of {case} of {run}");
        }
    }
}

/// Twenty runs of a hundred cases are small, with every replay.
#[test]
#[ignore = "long: two thousand games"]
fn twenty_runs_fit_into_five_megabytes() {
    let folder = Folder::new();
    let mut totals = std::collections::HashSet::new();
    for run in 1..=20 {
        let solver = format!("beam-{run}=bundled:columns");
        let time = format!("SOLVER_TIME_LIMIT={}", 0.01 + 0.008 * f64::from(run));
        let (code, report) = folder.json(&["run", "-p", "columns", "-s", &solver, "--env", &time, "--seeds", "1-100"]);
        assert_eq!(code, Some(0));
        totals.insert(report["solvers"][0]["total"].to_string());
    }
    // Two of them can come to the same total by chance.
    assert!(totals.len() >= 18, "the solvers are distinct: {}", totals.len());
    let said = folder.judge(&["site", "public"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("20 runs, 2000 games") && !said.stderr.contains("left out"), "{}", said.stderr);
    let root = folder.path().join("public");
    let files = [root.clone(), root.join("data")].into_iter().flat_map(|part| std::fs::read_dir(part).unwrap());
    let size: u64 = files
        .map(|entry| entry.unwrap().metadata().unwrap())
        .filter(|data| data.is_file())
        .map(|data| data.len())
        .sum();
    println!("{size} bytes");
    assert!(size < 5_000_000, "{size} bytes");
    let Some(mut browser) = Browser::open_at(&format!("file://{}/index.html", root.display())) else { return };
    for run in [1, 20] {
        browser.go(&format!("#/replay?run={run}&case=seed-7"));
        browser.until("(document.querySelector('#position')?.innerText ?? '') !== ''");
        browser.press("End");
        let (_, recorded) = folder.json(&["history", "show", &run.to_string()]);
        let case = recorded["cases"].as_array().unwrap().iter().find(|case| case["case"] == "seed-7").unwrap();
        assert_eq!(browser.text("#points"), case["score"].to_string());
    }
}
