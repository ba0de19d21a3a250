//! Replays in a real browser: what stands out in a game, and its score as it goes on.

use super::browser::Browser;
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::pace::{in_time, slowness, unhurried};
use serde_json::{Value, json};

/// The marks of the slider: frames from 0, and what they are.
const MARKS: &str = "[...document.querySelectorAll('#ticks option')].map((mark) => [Number(mark.value), mark.label])";

fn open(server: &Server, address: &str) -> Option<Browser> {
    let mut browser = Browser::open(server)?;
    browser.evaluate(&format!("location.href = {}", json!(address)));
    browser.until(
        "location.pathname.startsWith('/replay/') && (document.querySelector('#position')?.innerText ?? '') !== ''",
    );
    Some(browser)
}

fn frame(browser: &mut Browser) -> u64 {
    browser.evaluate("Number(document.querySelector('#slider').value)").as_u64().unwrap()
}

#[test]
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
    // A click on the curve leads to the frame below it.
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
}
