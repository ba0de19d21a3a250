//! The pages in a real browser: no console messages, no external requests, and full keyboard access.

use super::browser::{Browser, chromium};
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::large_run;
use crate::support::pace::{in_time, slowness, unhurried};
use serde_json::{Value, json};
use std::process::Stdio;

/// Every page of the runs of [`some_runs`].
const PAGES: [&str; 8] = [
    "#/",
    "#/runs/2",
    "#/runs/3?filter=verdict!%3DAC",
    "#/compare?a=run%3A1&b=run%3A2",
    "#/replays?a=run%3A1&b=run%3A2&case=seed-1",
    "#/problems",
    "#/problems/columns",
    "#/play?problem=columns&case=seed-1",
];

/// The contrast of every text with its background, where it is below WCAG 2 (level AA).
const FAINT_TEXTS: &str = "(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const light = (color) => { const [r, g, b] = rgb(color).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = (element) => { for (let at = element; at; at = at.parentElement) { const color = getComputedStyle(at).backgroundColor; if (rgb(color)[3] === 255) return color; } return 'white'; };
    const texts = [...document.querySelectorAll('body *')].filter((element) => !element.closest('noscript') && !element.disabled && element.getClientRects().length && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    const contrast = (element) => { const [high, low] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a); return (high + 0.05) / (low + 0.05); };
    return texts.filter((element) => contrast(element) < 4.5).map((element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 40)} ${contrast(element)}`);
})()";

#[test]
#[ignore = "long: every page is opened in a browser"]
fn every_page_opens_without_a_complaint() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for (scheme, width) in [("light", 1200), ("dark", 1200), ("light", 400)] {
        browser.prefer(scheme);
        browser.size(width, 900);
        for page in PAGES {
            browser.go(page);
            browser.until("![...document.querySelectorAll('.rows .body')].some((row) => row.innerText.includes('…'))");
            assert_eq!(browser.text(".error"), "", "{page}");
            assert_eq!(browser.evaluate(FAINT_TEXTS), json!([]), "{page}, {scheme}");
            browser.until("document.documentElement.scrollWidth <= innerWidth");
        }
    }
    // Bundled solvers have the totals of their newest runs.
    browser.go("#/problems/columns");
    browser.until("document.querySelector('main').innerText.includes('run 2: 12 cases')");
    assert_eq!(browser.evaluate("typeof hacked"), json!("undefined"));
    assert_eq!(browser.evaluate("document.querySelectorAll('img, main script').length"), json!(0));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
    let own = format!("http://127.0.0.1:{}/", server.port);
    let foreign: Vec<_> =
        browser.requests.iter().filter(|url| !url.starts_with(&own) && !url.starts_with("data:")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    // The control: complaints would have been heard.
    browser.evaluate("console.error('the control')");
    browser.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'hacked = 1' }))",
    );
    assert_eq!(browser.evaluate("typeof hacked"), json!("undefined"), "the policy forbids it");
    assert_eq!(browser.complaints.len(), 2, "{:#?}", browser.complaints);
}

#[test]
fn what_a_solver_wrote_stays_text() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/3?filter=verdict!%3DAC");
    browser.until("document.querySelectorAll('.rows .body').length === 6");
    browser.evaluate("document.querySelector('.rows .body').click()");
    browser.until("document.querySelector('.detail') !== null");
    let detail = browser.text(".detail");
    assert!(detail.contains("<script>hacked = 1</script><img src=x onerror=hacked=1>"), "{detail}");
    assert!(detail.contains("judge run -p columns -s "), "{detail}");
    browser.go("#/");
    browser.until("document.querySelectorAll('.scroll tbody tr').length === 4");
    assert!(browser.text(".scroll tbody").contains("<img src=x onerror=hacked=1>"));
    assert_eq!(browser.evaluate("typeof hacked"), json!("undefined"));
}

#[test]
#[ignore = "CI: a browser"]
fn cases_are_filtered_as_one_types() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/3");
    browser.until("document.querySelectorAll('.rows .body').length === 12");
    browser.evaluate("document.querySelector('input').focus()");
    browser.write("verdict!=AC && ");
    browser.until("document.querySelector('.error')?.innerText.includes('found the end') ?? false");
    browser.write("k<1000");
    let expected = server.json("/api/runs/3/cases?filter=verdict!%3DAC%26%26k%3C1000")["total"].clone();
    browser.until(&format!("document.querySelectorAll('.rows .body').length === {expected}"));
    assert_eq!(browser.text(".error"), "");
    // A title sorts, and once more the other way round.
    browser
        .evaluate("document.querySelector('input').value = ''; document.querySelectorAll('.tools button')[1].click()");
    browser.until("document.querySelectorAll('.rows .body').length === 12");
    for (order, filter) in [("ascending", ""), ("descending", "&descending")] {
        browser.evaluate("[...document.querySelectorAll('.rows .head button')].find((title) => title.innerText.startsWith('score')).click()");
        browser
            .until(&format!("document.querySelector('[aria-sort={order}]')?.innerText.startsWith('score') ?? false"));
        let first = server.json(&format!("/api/runs/3/cases?sort=score{filter}"))["rows"][0]["score"].to_string();
        browser.until(&format!("document.querySelector('.rows .body').innerText.includes('{first}')"));
    }
}

#[test]
fn a_run_is_followed_while_it_goes_on() {
    let folder = Folder::new();
    folder.script("slow", "sleep 0.2; exec true");
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    let mut run = folder
        .command(&["run", "-p", "columns", "-s", "./slow", "--seeds", "1-20", "--jobs", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    browser.until("document.querySelector('[data-run=\"1\"] progress')?.value > 2");
    browser.until("document.querySelectorAll('.news li').length > 1");
    browser.go("#/runs/1");
    browser.until("document.querySelector('main').innerText.includes('running')");
    run.wait().unwrap();
    browser.until("document.querySelector('main').innerText.includes('complete, 20 of 20 cases')");
    browser.until("document.querySelectorAll('.rows .body').length >= 17");
    browser.go("#/");
    browser.until("document.querySelector('.scroll tbody')?.innerText.includes('complete') ?? false");
    assert_eq!(browser.text("[data-run]"), "");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn all_of_it_works_by_the_keyboard() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelectorAll('tbody input').length === 4");
    for solver in ["columns-greedy of run 2", "columns-quickstart of run 1"] {
        browser.tab_to(&format!("[aria-label='compare {solver}']"));
        browser.press(" ");
    }
    browser.evaluate("document.activeElement.blur()");
    browser.tab_to("a.button[href]");
    browser.press("Enter");
    browser.until("document.querySelector('h1').innerText === 'columns-greedy#2 against columns-quickstart#1'");
    browser.until("document.querySelectorAll('canvas').length === 3");
    browser.tab_to("td a");
    let case = browser.evaluate("document.activeElement.innerText").as_str().unwrap().to_owned();
    browser.press("Enter");
    browser.until(&format!(
        "document.querySelector('.detail h3')?.innerText.startsWith('{case}, columns-greedy') ?? false"
    ));
    browser.evaluate("document.querySelector('main').focus()");
    browser.tab_to(".rows");
    for key in ["End", "ArrowUp", "ArrowUp", "Enter"] {
        browser.press(key);
    }
    browser.until("document.querySelector('.detail h3').innerText.startsWith('seed-10, columns-greedy')");
    browser.tab_to(".detail .tools button:last-of-type");
    browser.press("Enter");
    let answer = server.get("/api/runs/2/cases/seed-10/answer").body;
    browser.until(&format!("[...document.querySelectorAll('.detail pre')].at(-1).textContent === {}", json!(answer)));
}

#[test]
#[ignore = "CI: a browser"]
fn games_are_played_alone_and_side_by_side() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/compare?a=run%3A1&b=run%3A2");
    browser.until("document.querySelector('[aria-label^=\"replays of\"]') !== null");
    browser.go("#/replays?a=run%3A1&b=run%3A2%2Fcolumns-greedy&case=seed-2");
    browser.until("document.querySelectorAll('.viewer.two .screen').length === 2");
    let shown = |browser: &mut Browser, what: &str| {
        let both = browser
            .evaluate(&format!("[...document.querySelectorAll('.viewer .{what}')].map((one) => one.textContent)"));
        both.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // To the end and back: both show the same boards again.
    let start = [shown(&mut browser, "unseen"), shown(&mut browser, "points")];
    browser.evaluate("document.querySelector('#last').click()");
    let ends = shown(&mut browser, "points");
    for (run, end) in [1, 2].into_iter().zip(ends) {
        let row = server.json(&format!("/api/runs/{run}/cases?limit=2"))["rows"][1].clone();
        assert_eq!((&row["case"], row["score"].to_string()), (&json!("seed-2"), end));
    }
    browser.evaluate("document.querySelector('#first').click()");
    assert_eq!([shown(&mut browser, "unseen"), shown(&mut browser, "points")], start);
    // A link opens a frame.
    browser.evaluate("location.href = '/replay/2/seed-2#frame=7'");
    browser.until("document.querySelector('#position')?.innerText.startsWith('frame 7 of ') ?? false");
    browser.press("ArrowRight");
    browser.until("location.hash === '#frame=8'");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn everything_that_can_be_used_has_a_name() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for page in PAGES {
        browser.go(page);
        let tree = browser.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap();
        let is_used = |node: &&Value| {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            node["ignored"] != true
                && ["button", "link", "textbox", "searchbox", "combobox", "checkbox", "table", "image", "progressbar"]
                    .contains(&role)
        };
        let nameless: Vec<_> = nodes
            .iter()
            .filter(is_used)
            .filter(|node| node["name"]["value"].as_str().unwrap_or_default().is_empty())
            .filter(|node| node["role"]["value"] != "table" || page.starts_with("#/runs/"))
            .map(|node| node["role"]["value"].clone())
            .collect();
        assert!(nodes.iter().filter(is_used).count() > 2);
        let tables = nameless.iter().filter(|role| **role == "table").count();
        assert!(nameless.len() == tables && tables <= 1, "{page}: {nameless:?}");
    }
}

#[test]
#[ignore = "long: a large run in a browser"]
fn large_runs_draw_only_visible_rows() {
    draws_only_visible_rows(6_000);
}

#[test]
#[ignore = "long: a hundred thousand cases"]
fn huge_runs_draw_only_visible_rows() {
    draws_only_visible_rows(100_000);
}

/// Scrolls through a run with this many cases.
fn draws_only_visible_rows(cases: usize) {
    if chromium().is_none() {
        return;
    }
    let folder = Folder::new();
    large_run::record(folder.path(), "bot", cases);
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/1");
    browser.until("document.querySelector('.rows .body') !== null");
    assert_eq!(
        browser.evaluate("document.querySelector('.rows').getAttribute('aria-rowcount')"),
        json!((cases + 1).to_string())
    );
    assert!(browser.evaluate("document.querySelectorAll('.rows .body').length < 80") == true);
    browser.evaluate("document.querySelector('.rows').scrollTop = 1e9");
    let last = format!("[...document.querySelectorAll('.rows .body')].at(-1).innerText.startsWith('seed-{cases}')");
    browser.until(&last);
    // Each frame of a long scroll is drawn in time, whether its rows are loaded or still requested.
    let scrolled = unhurried("scrolling", || {
        // So far that the rows of most frames are new.
        let [_, slowest] = frame_times(&mut browser, cases.min(20_000) * 2);
        in_time(slowest < f64::from(100 * slowness()), || format!("{slowest} ms for a frame"));
    });
    assert_eq!(scrolled, Ok(()));
}

/// Scrolls a table of rows by this many pixels each frame, 60 times. Returns the median and the 90th percentile of the
/// times between frames, in milliseconds.
fn frame_times(browser: &mut Browser, step: usize) -> [f64; 2] {
    let scroll = format!(
        "(async () => {{ const rows = document.querySelector('.rows'); rows.scrollTop = 0; const times = [];
         for (let at = 0; at < 60; at += 1) {{ rows.scrollTop += {step}; await new Promise(requestAnimationFrame);
           const began = performance.now(); await new Promise(requestAnimationFrame); times.push(performance.now() - began); }}
         times.sort((a, b) => a - b); return [times[30], times[54]]; }})()"
    );
    let times = browser.evaluate(&scroll);
    [0, 1].map(|at| times[at].as_f64().unwrap())
}

#[test]
#[ignore = "long: a measurement"]
fn scrolling() {
    let folder = Folder::new();
    large_run::record(folder.path(), "bot", 100_000);
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/1");
    browser.until("document.querySelector('.rows .body') !== null");
    for step in [100, 1_000, 40_000] {
        let [median, most] = frame_times(&mut browser, step);
        println!("{step} pixels a frame: {median:.1} ms between frames, nine of ten below {most:.1} ms");
    }
}

/// The time until a replay shows its first board, in milliseconds. `cargo test --release -p judge --test reports --
/// --ignored --nocapture --exact ui::pages::replays_start ui::pages::scrolling` measures this and the display.
#[test]
#[ignore = "long: a measurement"]
fn replays_start() {
    let folder = Folder::new();
    folder.script("nothing", "echo 0");
    let games = [
        ("columns", "bundled:columns-greedy", "7"),
        ("square-remover", "bundled:square-remover-plain", "1"),
        ("same-game-free", "bundled:same-game-free-plain", "1"),
        ("deletion-game", "./nothing", "7"),
        ("beating-the-game-easy", "bundled:beating-the-game-easy", "1"),
    ];
    for (problem, solver, seed) in games {
        let said = folder.judge(&["run", "-p", problem, "-s", solver, "--seeds", seed]);
        assert!(said.code == Some(0) || said.code == Some(1), "{}", said.stderr);
    }
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for (run, (problem, _, seed)) in (1..).zip(games) {
        browser.evaluate(&format!("location.href = '/replay/{run}/seed-{seed}'"));
        // A condition that reads the page would make the browser lay it out, and take part of the time.
        let mark = "performance.getEntriesByName('first board')";
        browser.until(&format!("location.pathname === '/replay/{run}/seed-{seed}' && {mark}.length > 0"));
        let took = browser.evaluate(&format!("{mark}[0].startTime")).as_f64().unwrap();
        println!("{problem}: {took:.0} ms, {}", browser.text("#position"));
    }
}
