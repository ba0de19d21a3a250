//! Games played manually: over HTTP, and with keys and a mouse in a real browser. The checker's result counts.

use super::api::assert_fits;
use super::browser::Browser;
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::pace::patiently;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// A problem with the rules of a bundled game, and a case in a file.
const SMALL: &str = "[[problem]]\nid = \"small\"\nchecker = \"same-game-free\"\ninputs = [\"board.in\"]\n";
const BOARD: &str = "3\nRBB\nRRR\nRBB\n";

fn play(server: &Server, problem: &str, case: &str, moves: &[Value]) -> Value {
    let answer = server.post(&format!("/api/play/{problem}"), &json!({ "case": case, "moves": moves }), &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// The choice that gains most.
fn best(game: &Value) -> Option<&Value> {
    game["choices"].as_array().unwrap().iter().max_by_key(|choice| choice["gained"].as_u64())
}

/// Plays the choice that gains most, up to this many moves, and compares each hint with the actual gain.
fn play_greedily(server: &Server, problem: &str, case: &str, most: usize) -> (Vec<Value>, Value) {
    let mut moves = Vec::new();
    let mut game = play(server, problem, case, &moves);
    while let Some(choice) = best(&game).filter(|_| moves.len() < most) {
        moves.push(choice["move"].clone());
        let next = play(server, problem, case, &moves);
        let points = |game: &Value| game["points"].as_u64().unwrap();
        assert_eq!(choice["gained"], points(&next) - points(&game), "{problem}, {choice}");
        game = next;
    }
    (moves, game)
}

/// The output of `judge check` for an answer.
fn checked(folder: &Folder, problem: &str, input: &[&str], answer: &str) -> String {
    let file = folder.write("by-hand.out", answer);
    let said = folder.judge(&[&["check", "-p", problem, "--output", file.to_str().unwrap()], input].concat());
    said.stdout.trim().to_owned()
}

#[test]
fn a_played_game_is_an_equal_answer() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let games = checkers::all().iter().filter(|checker| checker.manual_reader.is_some());
    for (run, problem) in (1..).zip(games.map(|checker| checker.id)) {
        let (moves, game) = play_greedily(&server, problem, "seed-2", 25);
        assert_fits(&folder, "ui-play", &game);
        assert!(game.get("best").is_none() && game["records"] == true, "{game}");
        let document = json!({ "case": "2", "moves": moves });
        let answer = server.post(&format!("/api/play/{problem}/answer"), &document, &[]);
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
        let score = game["score"].to_string();
        assert_eq!(checked(&folder, problem, &["--seed", "2"], &answer.body), format!("accepted {score}"));

        let answer = server.post(&format!("/api/play/{problem}/run"), &document, &[]);
        let recorded: Value = serde_json::from_str(&answer.body).unwrap();
        assert_fits(&folder, "ui-played", &recorded);
        assert_eq!(recorded, json!({ "run": run, "case": "seed-2", "score": game["score"] }));
        let (_, best) = folder.json(&["best", "-p", problem]);
        assert_eq!((&best["best"][0]["solver"], &best["best"][0]["score"]), (&json!("by hand"), &game["score"]));
        let rechecked = folder.judge(&["check", "--run", &run.to_string()]);
        assert!(rechecked.stdout.contains("1 answer as recorded"), "{}{}", rechecked.stdout, rechecked.stderr);
        let row = server.json(&format!("/api/runs/{run}/cases"))["rows"][0].clone();
        assert_eq!(row["reproduce"], format!("judge check -p {problem} --seed 2 --output ANSWER"));
        assert_eq!(server.get(&format!("/replay/{run}/seed-2")).status, 200);
        let again = play(&server, problem, "seed-2", &moves);
        assert_eq!([&again["best"]["score"], &again["best_by_hand"]], [&game["score"]; 2]);
    }
}

#[test]
fn a_finished_game_allows_no_moves() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (mut moves, game) = play_greedily(&server, "columns", "seed-1", 100);
    assert_eq!((game["choices"].as_array().unwrap().len(), &game["score"]), (0, &game["points"]));
    let last = play(&server, "columns", "seed-1", &moves[..moves.len() - 1]);
    assert!(last["choices"].as_array().unwrap().iter().all(|choice| choice["ends"] == true), "{last}");
    moves.push(json!([1, 0]));
    let answer = server.post("/api/play/columns", &json!({ "case": "seed-1", "moves": moves }), &[]);
    assert!(answer.status == 400 && answer.body.contains("the number of pieces t is out of range"), "{answer:?}");
    // The same column again and again: it is full long before the last piece.
    let moves = vec![json!([1, 0]); 100];
    let answer = server.post("/api/play/columns", &json!({ "case": "seed-2", "moves": moves }), &[]);
    assert!(answer.status == 400 && answer.body.contains("the game is over before move 100"), "{answer:?}");
}

#[test]
fn bad_moves_answer_like_the_checker() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    for (problem, good, bad) in
        [("columns", json!([1, 0]), json!([99, 0])), ("square-remover", json!([0, 0, 1]), json!([0, 0, 0]))]
    {
        let answer = server.post(&format!("/api/play/{problem}"), &json!({ "case": "1", "moves": [good, bad] }), &[]);
        let told: Value = serde_json::from_str(&answer.body).unwrap();
        let line = |numbers: &Value| numbers.to_string().replace(',', " ").replace(['[', ']'], "");
        let count = if problem == "columns" { "2\n" } else { "" };
        let text = format!("{count}{}\n{}\n", line(&good), line(&bad));
        assert_eq!(
            (answer.status, told["error"].as_str()),
            (400, Some(&*checked(&folder, problem, &["--seed", "1"], &text)))
        );
    }
    for (address, document, status, told) in [
        ("columns", json!({ "case": "seed-x" }), 404, "has no case `seed-x`"),
        ("nothing", json!({ "case": "1" }), 404, "nothing"),
        ("beating-the-game-easy", json!({ "case": "1" }), 400, "cannot be played by hand"),
        ("columns", json!({ "case": 1 }), 400, "expected a string"),
        ("columns", json!({ "case": "1", "moves": [["1", 0]] }), 400, "expected i64"),
        ("columns", json!({ "case": "1", "move": [] }), 400, "unknown field `move`"),
        ("columns", json!({ "case": "1", "moves": vec![json!([]); 20_001] }), 400, "at most 20000 moves"),
        ("columns/answer", json!({ "case": "1", "moves": [[7, 7]] }), 400, "rejected"),
        ("columns/run", json!({ "case": "1", "moves": [[7, 7]] }), 400, "rejected"),
        ("square-remover", json!({ "case": "0" }), 400, "has no case for seed 0"),
    ] {
        let answer = server.post(&format!("/api/play/{address}"), &document, &[]);
        assert!(answer.status == status && answer.body.contains(told), "{address}: {answer:?}");
        assert_fits(&folder, "ui-error", &serde_json::from_str(&answer.body).unwrap());
    }
    // A request has at most 1 MiB.
    for (length, status) in [(1 << 20, 404), ((1 << 20) + 1, 400)] {
        let document = json!({ "case": "x".repeat(length - r#"{"case":""}"#.len()) });
        assert_eq!(server.post("/api/play/columns", &document, &[]).status, status, "{length}");
    }
    assert_eq!(server.json("/api/runs")["total"], 0, "nothing was recorded");
}

#[test]
fn only_own_pages_play_and_save_games() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--read-only"]);
    let document = json!({ "case": "1" });
    for path in ["", "/answer", "/run"] {
        let address = format!("/api/play/columns{path}");
        let foreign = server.post(&address, &document, &["Origin: http://evil.example"]);
        assert_eq!((foreign.status, &*foreign.body), (403, "the origin is not this server's\n"));
        let [host, _] = server.headers();
        let stranger = server.ask(&[&format!("POST {address} HTTP/1.1"), &host, "Content-Length: 0"]);
        assert!(stranger.status == 403 && stranger.body.contains("token"), "{stranger:?}");
        assert_eq!(server.get(&address).status, 405);
    }
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    let game = server.post("/api/play/columns", &document, &[&own]);
    assert!(game.status == 200 && game.body.contains("\"records\":false"), "{game:?}");
    assert_eq!(server.post("/api/play/columns/answer", &document, &[&own]).status, 200);
    let refused = server.post("/api/play/columns/run", &document, &[&own]);
    assert!(refused.status == 403 && refused.body.contains("--read-only"), "{refused:?}");
    assert!(!folder.path().join(".judge").exists());
}

#[test]
fn ten_thousand_moves_are_played_on_from() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let moves = vec![json!([3, 3, 1]); 9_999];
    let answer = server.post("/api/play/square-remover", &json!({ "case": "5", "moves": moves }), &[]);
    assert!(answer.status == 200 && answer.body.len() < 100_000, "{} bytes", answer.body.len());
    let game: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(game["choices"].as_array().unwrap().iter().all(|choice| choice["ends"] == true));
    let moves = vec![json!([3, 3, 1]); 10_000];
    let game = play(&server, "square-remover", "5", &moves);
    assert_eq!((&game["choices"], &game["points"]), (&json!([]), &game["score"]));
    let answer = server.post("/api/play/square-remover/answer", &json!({ "case": "5", "moves": moves }), &[]);
    let accepted = format!("accepted {}", game["score"]);
    assert_eq!(checked(&folder, "square-remover", &["--seed", "5"], &answer.body), accepted);
}

/// The number of moves that the page shows.
fn until_move(browser: &mut Browser, number: usize) {
    browser.until(&format!("document.querySelector('.score')?.innerText.includes('move {number}') ?? false"));
}

fn points(browser: &mut Browser) -> u64 {
    browser.text(".score strong").parse().unwrap()
}

/// Waits until a move can be chosen, and returns the gain of the selected one.
fn until_aimed(browser: &mut Browser) -> u64 {
    browser.until("document.querySelector('#aim').innerText.includes('brings')");
    let aim = browser.text("#aim");
    aim.split(" brings +").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
}

/// Goes back to the start of a game with these points after each move, and forward to its end.
fn undo_and_redo(browser: &mut Browser, totals: &[u64], start: &str) {
    for (number, total) in totals.iter().enumerate().rev().skip(1) {
        browser.press(if number % 2 == 0 { "u" } else { "Backspace" });
        until_move(browser, number);
        assert_eq!(points(browser), *total);
    }
    assert_eq!(browser.text(".play pre"), start);
    for number in 1..totals.len() {
        browser.press("y");
        until_move(browser, number);
    }
}

/// Waits for a file.
fn until_there(file: &Path) {
    let began = Instant::now();
    while !file.exists() {
        assert!(began.elapsed() < patiently(Duration::from_secs(30)), "{} is not there", file.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn keys_play_a_game_and_save_it() {
    let folder = Folder::new();
    folder.write("problems.toml", SMALL);
    folder.write("board.in", BOARD);
    let server = Server::start(&folder, &[]);
    assert_eq!(server.json("/api/problems/small")["names"], json!(["board"]));
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.call("Page.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": folder.path() }));
    browser.go("#/play?problem=small");
    until_aimed(&mut browser);
    let start = browser.text(".play pre");
    browser.tab_to(".board canvas");
    let mut totals = vec![0];
    while !browser.text(".score").contains("the game is over") {
        browser.press("h");
        let gain = until_aimed(&mut browser);
        browser.press("Enter");
        until_move(&mut browser, totals.len());
        totals.push(points(&mut browser));
        assert_eq!(totals[totals.len() - 1] - totals[totals.len() - 2], gain);
        browser.until("document.querySelector('#aim').innerText.includes('brings') || document.querySelector('.score').innerText.includes('over')");
    }
    let (moves, score) = (totals.len() - 1, totals[totals.len() - 1]);
    assert!(moves > 1 && score > 10, "{totals:?}");
    undo_and_redo(&mut browser, &totals, &start);
    browser.evaluate("window.isOld = true, location.reload()");
    browser.until("window.isOld === undefined");
    until_move(&mut browser, moves);

    let click = |text: &str| {
        format!("[...document.querySelectorAll('button')].find((one) => one.innerText === '{text}').click()")
    };
    browser.evaluate(&click("Save the answer"));
    browser.until(
        "document.querySelector('.play code')?.closest('p')?.innerText.includes('saved as small-board.out') ?? false",
    );
    let file = folder.path().join("small-board.out");
    until_there(&file);
    let said = folder.judge(&["check", "-p", "small", "--input", "board.in", "--output", "small-board.out"]);
    assert_eq!(said.stdout.trim(), format!("accepted {score}"), "{}", said.stderr);

    browser.evaluate(&click("Record the result"));
    browser.until("document.querySelector('.play a[href^=\"#/runs/\"]') !== null");
    browser.until(&format!("document.querySelector('.facts').innerText.includes('{score}, by hand')"));
    let row = server.json("/api/runs/1/cases")["rows"][0].clone();
    assert_eq!((&row["solver"], &row["score"]), (&json!("by hand"), &json!(score)));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn arrows_turn_a_piece_and_choose_its_column() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/play?problem=columns&case=seed-1");
    until_aimed(&mut browser);
    browser.tab_to(".board canvas");
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "r", "ArrowUp", "ArrowLeft"] {
        browser.press(key);
    }
    assert!(browser.text("#aim").contains("2 1 brings +0"), "{}", browser.text("#aim"));
    browser.press("Enter");
    until_move(&mut browser, 1);
    until_aimed(&mut browser);
    let board = browser.text(".play pre");
    assert!(board.ends_with(". a . . . .\n. a . . . .\n. b . . . ."), "{board}");
    assert_eq!(play(&server, "columns", "seed-1", &[json!([2, 1])])["points"], 0);
}

#[test]
#[ignore = "CI: a browser"]
fn a_mouse_swaps_with_the_nearest_neighbour() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--read-only"]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/play?problem=square-remover&case=seed-2");
    until_aimed(&mut browser);
    browser.evaluate("document.querySelector('.board canvas').scrollIntoView({ block: 'center' })");
    let side = play(&server, "square-remover", "seed-2", &[])["frames"][0]["w"].as_f64().unwrap();
    let place = |browser: &mut Browser, x: f64, y: f64| {
        let box_of = "(() => { const { left, top, width } = document.querySelector('.board canvas').getBoundingClientRect(); return [left, top, width]; })()";
        let [left, top, width] = [0, 1, 2].map(|at| browser.evaluate(box_of)[at].as_f64().unwrap());
        (left + x * width / side, top + y * width / side)
    };
    for (x, y, aimed) in [(2.9, 3.5, "3 2 1"), (2.5, 3.9, "3 2 2"), (2.1, 3.5, "3 1 1"), (2.5, 3.1, "2 2 2")] {
        let place = place(&mut browser, x, y);
        browser.point(place, false);
        browser.until(&format!("document.querySelector('#aim').innerText.includes('{aimed} brings')"));
    }
    let before = points(&mut browser);
    let gain = until_aimed(&mut browser);
    let place = place(&mut browser, 2.5, 3.1);
    browser.point(place, true);
    until_move(&mut browser, 1);
    assert_eq!(points(&mut browser), before + gain);
    let record =
        "[...document.querySelectorAll('button')].find((one) => one.innerText === 'Record the result').disabled";
    assert_eq!(browser.evaluate(record), json!(true), "the journal is only read");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn keys_play_without_a_tab() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/play?problem=columns&case=seed-1");
    until_aimed(&mut browser);
    assert!(browser.text(".play").contains("R turns") && !browser.text(".play").contains("neighbour"));
    browser.press("ArrowRight");
    assert!(browser.text("#aim").contains("2 0 brings"), "{}", browser.text("#aim"));
    browser.press("Enter");
    until_move(&mut browser, 1);
    // The bot plays the same case, move by move.
    browser.until("/after 1 moves: you (are|lead)/.test(document.querySelector('.race').innerText)");
    browser.press("u");
    until_move(&mut browser, 0);
    browser.go("#/play?problem=same-game-free&case=seed-1");
    until_aimed(&mut browser);
    assert!(!browser.text(".play").contains("R turns"), "the game turns nothing");
    browser.until("document.querySelector('main').innerText.includes('best of today')");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn a_game_that_is_missing_hears_no_keys() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/play?problem=columns&case=none");
    browser.until("document.querySelector('main .error') !== null");
    browser.complaints.clear();
    browser.press("h");
    browser.go("#/play?problem=columns&case=seed-1");
    until_aimed(&mut browser);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}
