//! Replays in a real browser: the highlights of a game, and its score during the game.

use super::browser::Browser;
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::pace::{in_time, slowness, unhurried};
use serde_json::{Value, json};

/// The marks of the slider: frames from 0, and their meanings.
const MARKS: &str = "[...document.querySelectorAll('#ticks option')].map((mark) => [Number(mark.value), mark.label])";

fn open(server: &Server, address: &str) -> Option<Browser> {
    let mut browser = Browser::open(server)?;
    browser.evaluate(&format!("location.href = {}", json!(address)));
    browser.until(
        "location.pathname.startsWith('/replay/') && (document.querySelector('#position')?.innerText ?? '') !== '' && !document.querySelector('[aria-busy]')",
    );
    Some(browser)
}

fn frame(browser: &mut Browser) -> u64 {
    browser.evaluate("Number(document.querySelector('#slider').value)").as_u64().unwrap()
}

#[test]
#[ignore = "CI: a browser"]
fn keys_jump_to_marked_moments() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    // The longest game of the run has every kind of mark.
    let rows = server.json("/api/runs/2/cases?sort=k&descending");
    let case = rows["rows"][0]["case"].as_str().unwrap().to_owned();
    let Some(mut browser) = open(&server, &format!("/replay/2/{case}")) else { return };
    let marks = browser.evaluate(MARKS);
    let marks: Vec<(u64, &str)> =
        marks.as_array().unwrap().iter().map(|mark| (mark[0].as_u64().unwrap(), mark[1].as_str().unwrap())).collect();
    assert!(marks.len() > 5 && marks.is_sorted_by_key(|(at, _)| *at), "{marks:?}");
    for kind in ["combo", "magic", "large gain"] {
        assert!(marks.iter().any(|(_, label)| *label == kind), "{kind}: {marks:?}");
    }
    let mut frames: Vec<u64> = marks.iter().map(|(at, _)| *at).collect();
    frames.dedup();
    for at in &frames[..3] {
        browser.press("n");
        assert_eq!(frame(&mut browser), *at);
    }
    let caption = |browser: &mut Browser, kind: &str| {
        let (at, _) = marks.iter().find(|(_, label)| *label == kind).unwrap();
        browser.evaluate(&format!("location.hash = '#frame={}'", at + 1));
        browser.until(&format!("document.querySelector('#slider').value === '{at}'"));
        browser.text("#caption")
    };
    assert!(caption(&mut browser, "combo").contains("combo "));
    assert!(caption(&mut browser, "magic").contains("magic clears"));
    browser.evaluate("document.querySelector('#last').click()");
    browser.press("p");
    assert_eq!(frame(&mut browser), frames[frames.len() - 1]);
    // A click on the curve shows the frame below it.
    browser.evaluate("document.querySelector('#curve').scrollIntoView()");
    let middle = "(() => { const { left, top, width, height } = document.querySelector('#curve .u-over').getBoundingClientRect();
         return [left + width / 2, top + height / 2]; })()";
    let place = browser.evaluate(middle);
    browser.point((place[0].as_f64().unwrap(), place[1].as_f64().unwrap()), true);
    let last = browser.evaluate("Number(document.querySelector('#slider').max)").as_u64().unwrap();
    browser.until(&format!("Math.abs(document.querySelector('#slider').value - {last} / 2) <= {last} / 50"));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn the_rejected_move_is_marked() {
    let folder = Folder::new();
    folder.script("wrong", "echo 2; echo 0 0; echo 9 9");
    folder.write("board", "2\nAB\nAB\n");
    assert_eq!(folder.judge(&["run", "-p", "same-game-free", "-s", "./wrong", "--inputs", "board"]).code, Some(1));
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = open(&server, "/replay/1/board") else { return };
    let last = browser.evaluate("Number(document.querySelector('#slider').max)");
    assert_eq!(browser.evaluate(MARKS).as_array().unwrap().last(), Some(&json!([last, "rejected"])));
    assert!(browser.text("#legend").contains("✕ rejected"));
}

#[test]
#[ignore = "long: a long game in a browser"]
fn ten_thousand_moves_open_at_once() {
    let folder = Folder::new();
    let each = "echo $((i % 7)) $((i % 8)) $((1 + i % 2)); i=$((i + 1))";
    folder.script("moves", &format!("i=0; while [ $i -lt 10000 ]; do {each}; done"));
    let said = folder.judge(&["run", "-p", "square-remover", "-s", "./moves", "--seeds", "2"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let server = Server::start(&folder, &[]);
    let page = server.get("/replay/1/seed-2");
    assert!(page.status == 200 && page.body.len() < 2_000_000, "{} bytes", page.body.len());
    let Some(mut browser) = open(&server, "/replay/1/seed-2") else { return };
    assert!(browser.text("#position").ends_with(&browser.evaluate("slider.max - -1").to_string()));
    let opened = unhurried("opening", || {
        browser.evaluate("document.querySelector('#position').textContent = ''; location.reload()");
        browser.until(
            "document.readyState === 'complete' && (document.querySelector('#position')?.innerText ?? '') !== ''",
        );
        let took: Value = browser.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd");
        in_time(took.as_f64().unwrap() < f64::from(1_000 * slowness()), || format!("{took} ms to open"));
    });
    assert_eq!(opened, Ok(()));
    browser.press("End");
    assert_eq!(browser.text("#move"), "10000");
    // The last frame may still be on its way.
    let score = server.json("/api/runs/1/cases")["rows"][0]["score"].to_string();
    browser.until(&format!(
        "!document.querySelector('[aria-busy]') && document.querySelector('#points').innerText === '{score}'"
    ));
}

#[test]
#[ignore = "CI: a browser"]
fn two_games_play_on_one_clock() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/replays?a=run%3A1&b=run%3A2&case=seed-3");
    browser.until("document.querySelectorAll('.viewer.two .screen').length === 2");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('#curve canvas').length"),
        json!(2),
        "the scores, and the lead"
    );
    let points = "[...document.querySelectorAll('.viewer .points')].map((one) => one.innerText)";
    assert_eq!(browser.evaluate(points), json!(["0", "0"]));
    browser.press("n");
    let tick = frame(&mut browser);
    assert!(tick > 0, "the first great moment");
    // The address restores the same moment.
    browser.until(&format!("location.hash.includes('tick={tick}')"));
    browser.evaluate("window.isOld = true, location.reload()");
    browser.until("window.isOld === undefined && document.querySelector('#slider') !== null");
    assert_eq!(frame(&mut browser), tick);
    browser.press("End");
    let score = |run: u32| server.json(&format!("/api/runs/{run}/cases"))["rows"][2]["score"].to_string();
    assert_eq!(browser.evaluate(points), json!([score(1), score(2)]));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn the_next_pieces_are_shown() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let game = server.json("/api/runs/2/cases/seed-3/replay");
    assert_eq!((&game["queue"]["width"], &game["queue"]["height"]), (&json!(10), &json!(3)));
    let pieces = game["queue"]["cells"].as_array().unwrap().len() / 3;
    let features = server.json("/api/runs/2/cases")["rows"][2]["features"]["k"].as_u64().unwrap();
    assert!(pieces as u64 <= features && pieces > 10, "{pieces} of {features}");
    let Some(mut browser) = open(&server, "/replay/2/seed-3") else { return };
    let width = "document.querySelector('.ahead canvas').getBoundingClientRect().width";
    assert!(browser.evaluate(width).as_f64().unwrap() >= 200.0);
    for part in ["Runs", "Run 2", "seed-3"] {
        assert!(browser.text(".trail").contains(part));
    }
    assert!(
        browser
            .evaluate("document.querySelector('main #board').getAttribute('aria-label')")
            .as_str()
            .unwrap()
            .contains("columns-greedy")
    );
}

#[test]
#[ignore = "long: a game of a large board"]
fn a_large_board_is_zoomed() {
    let folder = Folder::new();
    folder.script("nothing", "echo 0");
    let said = folder.judge(&["run", "-p", "deletion-game", "-s", "./nothing", "--seeds", "7"]);
    assert!(said.code == Some(0) || said.code == Some(1), "{}", said.stderr);
    let server = Server::start(&folder, &[]);
    let page = server.get("/replay/1/seed-7");
    assert!(page.status == 200 && page.body.len() < 10_000, "the game comes after the page");
    let data = server.get("/api/runs/1/cases/seed-7/replay");
    assert!(data.status == 200 && data.body.len() < 2_000_000, "{} bytes", data.body.len());
    let Some(mut browser) = open(&server, "/replay/1/seed-7") else { return };
    assert_eq!(browser.evaluate("document.querySelector('.minimap').hidden"), json!(true));
    for _ in 0..8 {
        browser.press("]");
    }
    assert_eq!(browser.evaluate("document.querySelector('.minimap').hidden"), json!(false));
    browser.press("0");
    assert_eq!(browser.evaluate("document.querySelector('.minimap').hidden"), json!(true));
}

/// Keeps the files that a page offers to save in `saved`: names and contents in Base64.
const KEEP_SAVED: &str = "(() => { window.saved = []; const blobs = {}, make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { const href = make.call(URL, blob); blobs[href] = blob; return href; };
    HTMLAnchorElement.prototype.click = function () {
        const { download, href } = this, reader = new FileReader();
        reader.onload = () => saved.push([download, reader.result.split(',')[1]]);
        reader.readAsDataURL(blobs[href]);
    }; })()";

/// Plays a video to its end in a page without a policy, and returns its length in seconds and its width. A recorded video
/// has no length before that.
const PLAYED: &str = "(bytes) => new Promise((done, failed) => {
    const video = document.createElement('video');
    video.muted = true;
    video.onerror = () => failed(new Error(video.error.message));
    video.onended = () => done([video.currentTime, video.videoWidth]);
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0))]));
    video.play().catch(failed);
})";

#[test]
#[ignore = "long: a video is played to its end"]
fn a_video_lasts_as_long_as_the_game() {
    let folder = some_runs();
    folder.write("player.html", "<!doctype html><main><h1>player</h1></main>");
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = open(&server, "/replay/2/seed-1") else { return };
    browser.evaluate(KEEP_SAVED);
    let frames = browser.evaluate("Number(slider.max) + 1").as_f64().unwrap();
    browser.evaluate("speed.value = '100'; document.querySelector('#record').click()");
    browser.until("saved.length === 1");
    let saved = browser.evaluate("saved[0]");
    let bytes = data_encoding::BASE64.decode(saved[1].as_str().unwrap().as_bytes()).unwrap();
    assert!(
        saved[0].as_str().unwrap().ends_with(".webm") && bytes.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]),
        "{}",
        saved[0]
    );
    assert!(browser.text(".told").starts_with("saved as "), "{}", browser.text(".told"));
    browser.open_tab(&format!("file://{}/player.html", folder.path().display()));
    let played = browser.evaluate(&format!("({PLAYED})({})", saved[1]));
    // The last frame stays for a second.
    let (length, expected) = (played[0].as_f64().unwrap(), frames / 100.0 + 1.0);
    assert!((length - expected).abs() < 0.5 + 0.5 * f64::from(slowness()), "{length} s, expected {expected} s");
    assert_eq!(played[1], 1280);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn reduced_motion_draws_none() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = open(&server, "/replay/2/seed-1") else { return };
    browser.evaluate("window.drawn = 0; const ask = requestAnimationFrame; window.requestAnimationFrame = (draw) => { drawn += 1; return ask(draw); }");
    let mut moved = |motion: &str| {
        let features = json!([{ "name": "prefers-reduced-motion", "value": motion }]);
        browser.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        browser.evaluate("drawn = 0");
        browser.press("ArrowRight");
        browser.evaluate("new Promise((done) => setTimeout(() => done(drawn), 350))").as_u64().unwrap()
    };
    assert!(moved("no-preference") > 1);
    assert_eq!(moved("reduce"), 0);
}
