//! The state of the pages: in the address, in the title, across tabs, and after a restart of the server.

use super::browser::Browser;
use super::some_runs;
use crate::support::client::Server;
use serde_json::json;

/// What is to be seen of the state of a run's page.
const STATE: &str = "(() => {
    const value = (label) => document.querySelector(`figcaption [aria-label='${label}']`)?.value;
    return [document.querySelector('input')?.value, document.querySelector('[aria-sort=descending]')?.innerText ?? '',
        document.querySelector('.detail h3')?.innerText ?? '', value('vertical'), value('horizontal'), Math.round(scrollY),
        document.querySelectorAll('.rows .body').length];
})()";

#[test]
fn the_way_back_restores_everything() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/2");
    browser.until("document.querySelectorAll('.rows .body').length === 12");
    browser.evaluate("document.querySelector('input').focus()");
    browser.write("k<100000");
    browser.until("location.hash.includes('filter=k')");
    let sort = "[...document.querySelectorAll('.rows .head button')].find((title) => title.innerText.startsWith('score')).click()";
    for direction in ["ascending", "descending"] {
        browser.evaluate(sort);
        browser.until(&format!(
            "document.querySelector('[aria-sort={direction}]')?.innerText.startsWith('score') ?? false"
        ));
    }
    for (label, formula) in [("vertical", "log(score+1)"), ("horizontal", "w*h")] {
        browser.evaluate(&format!(
            "(() => {{ const input = document.querySelector(\"figcaption [aria-label='{label}']\"); input.value = '{formula}'; input.dispatchEvent(new Event('change')); }})()"
        ));
    }
    browser.evaluate("document.querySelectorAll('.rows .body')[2].click()");
    browser.until(
        "document.querySelector('.detail h3') !== null && document.querySelector('.detail a.button.main') !== null",
    );
    browser.evaluate("scrollTo(0, 300)");
    browser.until("location.hash.includes('top=300')");
    let before = browser.evaluate(STATE);
    assert_eq!((&before[0], &before[3], &before[4]), (&json!("k<100000"), &json!("log(score+1)"), &json!("w*h")));
    let address = browser.evaluate("location.hash");
    browser.evaluate("document.querySelector('.detail a.button.main').click()");
    browser.until("location.pathname.startsWith('/replay/2/') && document.querySelector('canvas') !== null");
    browser.evaluate("history.back()");
    let is_back = format!("location.hash === {address} && JSON.stringify({STATE}) === {}", json!(before.to_string()));
    browser.until(&is_back);
    browser.evaluate("history.forward()");
    browser.until("location.pathname.startsWith('/replay/2/')");
    browser.evaluate("history.back()");
    browser.until(&is_back);
    // A page before this one comes back, too; and a page that is left changes no other address.
    browser.evaluate("history.back()");
    browser.until("document.querySelector('h1')?.innerText === 'Runs' && location.hash.length < 3");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn every_page_has_a_title_and_a_trail() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for (page, title, above) in [
        ("#/", "Runs – judge", 0),
        ("#/runs/2", "Run 2: columns – judge", 1),
        ("#/compare?a=run%3A1&b=run%3A2", "columns-greedy#2 against columns-quickstart#1 – judge", 1),
        ("#/grid?runs=run%3A1%0Arun%3A2", "Runs side by side – judge", 1),
        ("#/problems", "Problems – judge", 0),
        ("#/problems/columns/cases/seed-3", "seed-3 – judge", 2),
        ("#/runs/99", "This page cannot be shown – judge", 1),
        ("#/nothing", "This page cannot be shown – judge", 0),
    ] {
        browser.go(page);
        browser.until(&format!("document.title === {}", json!(title)));
        assert_eq!(browser.evaluate("document.querySelectorAll('.trail a').length"), json!(above), "{page}");
        assert_eq!(browser.evaluate("document.querySelectorAll('h1').length"), json!(1), "{page}");
    }
}

#[test]
fn many_tabs_share_one_stream() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelectorAll('.scroll tbody tr').length === 4");
    // A browser has six connections to a server.
    for _ in 0..8 {
        browser.open_tab(&format!("http://127.0.0.1:{}/#/runs/2", server.port));
        browser.until("document.querySelectorAll('.rows .body').length === 12");
    }
    let streams = browser.requests.iter().filter(|url| url.ends_with("/api/events")).count();
    assert_eq!(streams, 1, "{:#?}", browser.requests);
    // All of them hear what happens.
    assert_eq!(folder.judge(&["history", "note", "2", "heard in every tab"]).code, Some(0));
    browser.until("document.querySelector('.labels .note')?.innerText === 'heard in every tab'");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn a_restarted_server_is_named() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelectorAll('.scroll tbody tr').length === 4");
    let port = server.port.to_string();
    assert_eq!(server.end_by(libc::SIGTERM), Some(0));
    browser.until("document.querySelector('#link').innerText === 'not connected'");
    let anew = Server::start_at(&folder, &["ui", "--port", &port]);
    browser.until("document.querySelector('#lost')?.innerText.includes('the server was started anew') ?? false");
    browser.go("#/runs/2");
    browser.until("document.querySelector('.error')?.innerText.includes('`judge ui` printed') ?? false");
    assert_eq!(anew.json("/api/runs")["total"], 4);
}
