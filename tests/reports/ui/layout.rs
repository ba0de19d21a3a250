//! The look of the pages on narrow screens, on paper, with long and hostile words, and without any data.

use super::browser::Browser;
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use serde_json::json;

/// Whether all that a selector finds is within the window from side to side.
fn in_sight(browser: &mut Browser, selector: &str) {
    let expression = format!(
        "(() => {{ const found = [...document.querySelectorAll({})]; return found.length > 0 && found.every((one) => {{ const {{ left, right, width }} = one.getBoundingClientRect(); return width > 0 && left >= 0 && right <= innerWidth; }}); }})()",
        json!(selector)
    );
    browser.until(&expression);
}

#[test]
#[ignore = "CI: a browser"]
fn long_names_leave_the_total_in_sight() {
    let folder = Folder::new();
    let long = format!("sh -c 'cat >/dev/null; echo 0' {}", "--and-more ".repeat(40));
    let message = "a message that goes on ".repeat(20);
    let said = folder.judge(&["run", "-p", "columns", "-s", long.trim(), "--seeds", "1-2", "--message", &message]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelectorAll('.scroll tbody tr').length === 1");
    for width in [1440, 1024, 390] {
        browser.size(width, 900);
        in_sight(&mut browser, ".scroll tbody td:nth-child(8)");
        browser.until("document.querySelector('.scroll tbody tr').offsetHeight < 60");
        browser.until("document.documentElement.scrollWidth <= innerWidth");
    }
    // The whole name is one tab away.
    browser.tab_to("td .cut");
    browser.until("document.querySelector('#tip').innerText.includes('--and-more --and-more') && !document.querySelector('#tip').hidden");
    assert!(browser.text(".scroll tbody").contains("--and-more --and-more"), "a search in the page finds it");
}

#[test]
#[ignore = "CI: a browser"]
fn standings_show_the_ends_of_names() {
    let folder = Folder::new();
    for solver in ["a-solver-with-much-work-3000=bundled:columns-quickstart", "b=bundled:columns-greedy"] {
        let said = folder.judge(&["run", "-p", "columns", "-s", solver, "--seeds", "1-2"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.size(390, 844);
    browser.until("document.querySelectorAll('.split > .card td .cut').length === 1");
    // The width of the end and of the shortest beginning.
    browser.evaluate("{ const cut = document.querySelector('.split > .card td .cut'); const whole = document.createElement('span'); whole.id = 'whole'; whole.style.whiteSpace = 'pre'; whole.textContent = `000000${cut.dataset.end}`; cut.parentElement.append(whole); }");
    let fits =
        "document.querySelector('.split > .card td .cut').clientWidth >= whole.getBoundingClientRect().width - 1";
    assert_eq!(browser.evaluate(fits), json!(true));
}

#[test]
#[ignore = "CI: a browser"]
fn narrow_pages_show_scores_and_replays() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.size(390, 844);
    browser.go("#/runs/2");
    browser.until("document.querySelectorAll('.rows .body').length > 9");
    let score = server.json("/api/runs/2/cases?limit=1")["rows"][0]["score"].to_string();
    browser.until(&format!("document.querySelector('.rows .body .number')?.innerText === {}", json!(score)));
    in_sight(&mut browser, ".rows .body .cell");
    browser.go("#/compare?a=run%3A1&b=run%3A2");
    in_sight(&mut browser, "[aria-label^='replays of']");
    browser.go("#/problems/columns/cases/seed-3");
    in_sight(&mut browser, "td.number:not(.spare-3), td a");
}

#[test]
#[ignore = "long: a browser prints a large run"]
fn paper_gets_every_row_in_ink() {
    let folder = Folder::new();
    let said = folder.judge(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--seeds", "1-120"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.prefer("dark");
    browser.go("#/runs/1");
    browser.until("document.querySelectorAll('.rows .body').length > 9");
    browser.evaluate("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.evaluate("document.querySelectorAll('.rows .body').length"), json!(120));
    let ink = "getComputedStyle(document.documentElement).getPropertyValue('--text')";
    assert_eq!(browser.evaluate(ink), json!("#161a22"), "it is dark on light");
    browser.call(
        "Emulation.setEmulatedMedia",
        json!({ "media": "print", "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    let cut = "document.querySelector('.rows').scrollHeight > document.querySelector('.rows').clientHeight + 1";
    assert_eq!(browser.evaluate(cut), json!(false));
    assert_eq!(browser.evaluate("getComputedStyle(document.querySelector('.bar')).printColorAdjust"), json!("exact"));
    browser.call(
        "Emulation.setEmulatedMedia",
        json!({ "media": "", "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    browser.evaluate("dispatchEvent(new Event('afterprint'))");
    browser.until("document.querySelectorAll('.rows .body').length < 80");
}

#[test]
#[ignore = "CI: a browser"]
fn hidden_characters_are_written_out() {
    let folder = Folder::new();
    folder.script("\u{202e}eman", "printf '\\342\\200\\256evil\\n' >&2; exit 3");
    let said = folder.judge(&[
        "run",
        "-p",
        "columns",
        "-s",
        "./\u{202e}eman",
        "--seeds",
        "1-2",
        "--message",
        "before \u{202e}after",
    ]);
    assert_eq!(said.code, Some(1), "{}{}", said.stdout, said.stderr);
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for page in
        ["#/", "#/runs/1?case=seed-1", "#/problems/columns", "#/problems/columns/cases/seed-1", "#/grid?runs=run%3A1"]
    {
        browser.go(page);
        browser.until("document.querySelector('main').innerText.includes('\\\\u{202e}eman')");
        assert_eq!(
            browser.evaluate("/[\\u202a-\\u202e]/.test(document.body.innerText + document.title)"),
            json!(false),
            "{page}"
        );
    }
    browser.go("#/runs/1?case=seed-1");
    browser.until("document.querySelector('.detail pre')?.innerText === '\\\\u{202e}evil\\n' || document.querySelector('.detail pre')?.innerText === '\\\\u{202e}evil'");
}

#[test]
#[ignore = "CI: a browser"]
fn a_wrong_condition_is_told_once() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/2?filter=k%3C");
    browser.until("document.querySelectorAll('.error').length === 1");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('.rows .body').length"),
        json!(0),
        "no rows of another condition"
    );
    browser.evaluate("document.querySelector('input').focus()");
    browser.write("100000");
    browser.until("document.querySelectorAll('.rows .body').length === 0 || location.hash.includes('100000')");
    browser.evaluate("document.querySelector('input').value = 'k<'; document.querySelector('input').dispatchEvent(new Event('input'))");
    browser.until(
        "document.querySelectorAll('.error').length === 1 && document.querySelectorAll('.rows .body').length === 0",
    );
}

#[test]
#[ignore = "CI: a browser"]
fn empty_places_say_what_to_do() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelector('.empty pre')?.innerText === 'judge run -p columns'");
    browser.go("#/problems/columns");
    browser.until("document.querySelector('.empty pre')?.innerText === 'judge run -p columns'");
    assert_eq!(
        folder.judge(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--seeds", "1"]).code,
        Some(0)
    );
    browser.go("#/runs/1");
    browser.until("document.querySelectorAll('.rows .body').length === 1");
    assert!(!browser.text("main").contains("1 cases") && browser.text("main").contains("1 of 1 case,"));
    browser.evaluate(
        "[...document.querySelectorAll('.tools button')].find((one) => one.innerText === 'Failures').click()",
    );
    browser.until("document.querySelector('.empty')?.innerText.includes('No failures') ?? false");
    browser.until("document.querySelector('.rows').offsetHeight === 0");
    browser.evaluate("document.querySelector('.empty button').click()");
    browser.until("document.querySelectorAll('.rows .body').length === 1");
    // A search without results has another message.
    browser.go("#/?text=nothing");
    browser.until("document.querySelector('.empty')?.innerText.includes('No run matches') ?? false");
}

#[test]
#[ignore = "CI: a browser"]
fn answers_are_offered_where_there_are_some() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let rows = server.json("/api/runs/3/cases")["rows"].clone();
    let has_answer: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| row["answer"] == row["score"].is_number()).collect();
    assert_eq!(has_answer, [true; 12]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for (filter, offered) in [("verdict==AC", true), ("verdict!=AC", false)] {
        browser.go(&format!("#/runs/3?filter={}", filter.replace('=', "%3D").replace('!', "%21")));
        // The rows of the other filter are shown until these are there.
        browser.until(&format!(
            "(rows => rows.length === 6 && rows.every(row => row.innerText.includes('AC') === {offered}))\
             ([...document.querySelectorAll('.rows .body')])"
        ));
        browser.evaluate("document.querySelector('.rows .body').click()");
        browser.until("document.querySelector('.detail h3') !== null");
        let buttons = browser.evaluate(
            "[...document.querySelectorAll('.detail button')].some((one) => one.innerText === 'Show the answer')",
        );
        assert_eq!(buttons, json!(offered), "{filter}");
    }
}

#[test]
#[ignore = "CI: a browser"]
fn a_solver_keeps_its_colour() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    let swatch = "[...document.querySelectorAll('.swatch')].find((one) => one.parentElement.innerText.includes('columns-quickstart'))?.style.background";
    let mut seen = Vec::new();
    for page in ["#/", "#/runs/1", "#/runs/3", "#/grid?runs=run%3A2%0Arun%3A1"] {
        browser.go(page);
        browser.until(&format!("Boolean({swatch})"));
        seen.push(browser.evaluate(swatch));
    }
    assert!(seen.iter().all(|color| *color == seen[0]), "{seen:?}");
}
