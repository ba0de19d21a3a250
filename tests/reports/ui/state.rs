//! The state of the pages: in the address, in the title, across tabs, and after a restart of the server.

use super::browser::Browser;
use super::some_runs;
use crate::support::client::Server;
use serde_json::json;

/// The visible state of a run's page.
const STATE: &str = "(() => {
    const value = (label) => document.querySelector(`figcaption [aria-label='${label}']`)?.value;
    return [document.querySelector('input')?.value, document.querySelector('[aria-sort=descending]')?.innerText ?? '',
        document.querySelector('.detail h3')?.innerText ?? '', value('vertical'), value('horizontal'), Math.round(scrollY),
        document.querySelectorAll('.rows .body').length];
})()";

#[test]
#[ignore = "CI: a browser"]
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
    // A page before this one is restored, too, and a page that was left changes no other address.
    browser.evaluate("history.back()");
    browser.until("document.querySelector('h1')?.innerText === 'Runs' && location.hash.length < 3");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
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
        ("#/runs/%zz", "This page cannot be shown – judge", 1),
        ("#/nothing", "This page cannot be shown – judge", 0),
    ] {
        browser.go(page);
        browser.until(&format!("document.title === {}", json!(title)));
        assert_eq!(browser.evaluate("document.querySelectorAll('.trail a').length"), json!(above), "{page}");
        assert_eq!(browser.evaluate("document.querySelectorAll('h1').length"), json!(1), "{page}");
    }
}

#[test]
#[ignore = "CI: a browser"]
fn scripts_keep_all_digits_of_numbers() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    let parse = "import('/assets/dom.js').then((dom) => dom.parsed(text).map(String).join(' '))";
    let text = "[0.1234567890123456789,12345678901234567.25,123456789012345678901,0.30000000000000004,-0.5,1.50]";
    let shown = browser.evaluate(&format!("(() => {{ const text = '{text}'; return {parse}; }})()"));
    let digits = "0.1234567890123456789 12345678901234567.25 123456789012345678901 0.30000000000000004 -0.5 1.5";
    assert_eq!(shown, json!(digits));
}

#[test]
#[ignore = "long: many tabs are opened"]
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
    // All of them receive the changes.
    assert_eq!(folder.judge(&["history", "note", "2", "heard in every tab"]).code, Some(0));
    browser.until("document.querySelector('.labels .note')?.innerText === 'heard in every tab'");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn a_restarted_server_is_named() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelectorAll('.scroll tbody tr').length === 4");
    let port = server.port.to_string();
    assert_eq!(server.end_by(libc::SIGTERM), Some(0));
    browser.until("document.querySelector('#link').innerText === 'not connected'");
    let anew = Server::start_at(&folder, &["ui", "--port", &port]);
    browser.until("document.querySelector('#lost')?.innerText.includes('the server was restarted') ?? false");
    browser.go("#/runs/2");
    browser.until("document.querySelector('.error')?.innerText.includes('`judge ui` printed') ?? false");
    assert_eq!(anew.json("/api/runs")["total"], 4);
}

/// All that is to be seen of a page's state.
const SEEN: &str = "(() => { const all = (selector) => [...document.querySelectorAll(`main ${selector}`)];
    const text = (selector) => document.querySelector(`main ${selector}`)?.innerText ?? '';
    return JSON.stringify([location.hash, text('h1'), all('input').map((input) => input.type === 'checkbox' ? input.checked : input.value), all('select').map(({ value }) => value),
        text('[aria-sort$=ending]'), text('.detail h3'), text('.rows .body'), text('.heat #cell'), all('tbody tr').length, Math.round(scrollY)]); })()";

/// The pages of a walk, and the possible actions on each.
const STOPS: [(&str, &[&str]); 6] = [
    ("#/", &["document.querySelectorAll('tbody [type=checkbox]')[N % 3].click()", "scrollTo(0, N % 100)"]),
    (
        "#/runs/2",
        &[
            "{ const input = document.querySelector('main input'); input.value = ['k<1000', 'score>0', 'w>6 && h>13'][N % 3]; input.dispatchEvent(new Event('input')); }",
            "document.querySelectorAll('.rows .head button')[N % 4].click()",
            "document.querySelectorAll('.rows .body')[N % 2]?.click()",
            "{ const input = document.querySelector('figcaption input'); input.value = ['log(score+1)', 'w*h'][N % 2]; input.dispatchEvent(new Event('change')); }",
            "scrollTo(0, N % 300)",
        ],
    ),
    (
        "#/compare?a=run%3A1&b=run%3A2",
        &[
            "{ const select = document.querySelector('main select'); select.selectedIndex = 1 + N % 3; select.dispatchEvent(new Event('change')); }",
            "scrollTo(0, N % 300)",
        ],
    ),
    (
        "#/grid?runs=run%3A1%0Arun%3A2",
        &[
            "{ const select = document.querySelector('main select'); select.selectedIndex = 1 + N % 3; select.dispatchEvent(new Event('change')); }",
            "document.querySelector('[aria-pressed]').click()",
        ],
    ),
    ("#/problems/columns", &["scrollTo(0, N % 300)"]),
    ("#/problems/columns/cases/seed-2", &["scrollTo(0, N % 200)"]),
];

/// Waits until a page has stopped changing, and returns its visible state.
fn settled(browser: &mut Browser) -> String {
    let still = format!(
        "new Promise((done) => {{ let before = '', same = 0; const look = () => {{ const now = document.querySelector('main h1') && !document.querySelector('.skeleton, [aria-busy]') ? {SEEN} : ''; same = now && now === before ? same + 1 : 0; before = now; if (same > 4) done(now); else setTimeout(look, 80); }}; look(); }})"
    );
    browser.evaluate(&still).as_str().unwrap().to_owned()
}

/// Walks from page to page, with an action on each, and goes all the way back and forward again.
fn walk(browser: &mut Browser, mut seed: u64) {
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    browser.evaluate("location.hash = '#/problems'");
    let mut seen = vec![settled(browser)];
    let mut last = usize::MAX;
    while seen.len() < 5 {
        let stop = random(STOPS.len());
        // Leaving a page for the same page is not a change.
        if std::mem::replace(&mut last, stop) == stop {
            continue;
        }
        let (page, deeds) = STOPS[stop];
        browser.evaluate(&format!("location.hash = {}", json!(page)));
        settled(browser);
        for _ in 0..1 + random(3) {
            let deed = deeds[random(deeds.len())].replace('N', &random(1000).to_string());
            browser.evaluate(&format!("(() => {{ {deed} }})()"));
            settled(browser);
        }
        seen.push(settled(browser));
    }
    let there = (0..seen.len() - 1).rev();
    let steps = there.map(|at| ("back", at)).chain((1..seen.len()).map(|at| ("forward", at)));
    for (way, at) in steps {
        browser.evaluate(&format!("history.{way}()"));
        browser.until(&format!("location.hash === JSON.parse({})[0]", json!(seen[at])));
        let now = settled(browser);
        assert_eq!(now, seen[at], "{way} to page {at} of {seen:#?}");
    }
}

#[test]
#[ignore = "long: twenty walks"]
fn twenty_walks_are_restored() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.size(1200, 500);
    for seed in 1..=20 {
        walk(&mut browser, seed);
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}
