//! The report of a run in one file, in a real browser: it looks like the live page, and loads nothing.

use super::browser::{Browser, chromium};
use super::some_runs;
use crate::support::Folder;
use crate::support::large_run;
use serde_json::json;

/// Writes the report of a run, and opens it.
fn open(folder: &Folder, run: &str) -> Option<Browser> {
    let page = folder.path().join("report.html");
    let said = folder.judge(&["history", "show", run, "--html", page.to_str().unwrap()]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let mut browser = Browser::open_at(&format!("file://{}", page.display()))?;
    browser.until("document.querySelectorAll('#charts canvas').length === 2");
    Some(browser)
}

/// There are no console messages, and only the file is requested.
fn assert_quiet(browser: &Browser) {
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
    let others: Vec<_> = browser.requests.iter().filter(|url| !url.ends_with("report.html")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn it_has_the_charts_of_the_live_page() {
    let folder = some_runs();
    let Some(mut browser) = open(&folder, "3") else { return };
    let label = "document.querySelector('#charts [role=img]').getAttribute('aria-label')";
    assert_eq!(browser.evaluate(label), json!("Cases: 6 points"));
    // Any two numbers in a chart: every case has a place.
    browser.evaluate("[...document.querySelectorAll('#charts select')].slice(0, 2).forEach((one, at) => { one.value = ['case', 'wall_ms'][at]; one.dispatchEvent(new Event('change')); })");
    browser.until(&format!("{label} === 'Cases: 12 points'"));
    assert!(browser.text("#shares").contains("columns-quickstart") && browser.text("#shares").contains("100.0 %"));
    assert_eq!(browser.evaluate("getComputedStyle(document.body).fontFamily.includes('system-ui')"), json!(true));
    browser.prefer("dark");
    browser.until("getComputedStyle(document.body).backgroundColor === 'rgb(20, 23, 28)'");
    browser.size(390, 900);
    browser.until("document.documentElement.scrollWidth <= innerWidth");
    let shares = "[...document.querySelectorAll('#shares td')]";
    browser.until(&format!(
        "{shares}.length > 3 && {shares}.every((one) => one.getBoundingClientRect().right < innerWidth)"
    ));
    let text = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(!text.contains("<script>hacked") && !text.contains("<img"), "markup in the file");
    // The name and the output of a solver are shown as text.
    assert!(browser.text("#shares").contains("<img src=x onerror=hacked=1>"));
    assert_eq!(browser.evaluate("typeof hacked"), json!("undefined"));
    assert_eq!(browser.evaluate("document.querySelectorAll('img').length"), json!(0));
    assert_quiet(&browser);
}

#[test]
#[ignore = "CI: a browser"]
fn large_reports_draw_only_visible_rows() {
    draws_only_visible_rows(6_000);
}

#[test]
#[ignore = "CI: a hundred thousand cases in a browser"]
fn huge_reports_draw_only_visible_rows() {
    draws_only_visible_rows(100_000);
}

fn draws_only_visible_rows(cases: usize) {
    if chromium().is_none() {
        return;
    }
    let folder = Folder::new();
    large_run::record(folder.path(), "bot", cases);
    let Some(mut browser) = open(&folder, "1") else { return };
    browser.until(&format!("document.querySelector('#charts .hint').innerText.endsWith(' of {cases} points')"));
    assert!(browser.evaluate("document.querySelectorAll('#cases tbody tr').length < 80") == true);
    browser.evaluate("document.querySelector('#window').scrollTop = 1e9");
    browser.until(&format!("document.querySelector('#cases').innerText.includes('seed-{cases}')"));
    let size = std::fs::metadata(folder.path().join("report.html")).unwrap().len() as usize;
    assert!(size < 110 * cases + 1_000_000, "{size} bytes");
    assert_quiet(&browser);
}

/// Each solver against the first.
#[test]
#[ignore = "CI: a browser"]
fn comparison_reports_have_the_live_charts() {
    let folder = some_runs();
    let page = folder.path().join("report.html");
    let compare = ["compare", "-p", "columns", "run:1", "run:2", "run:3/columns-quickstart"];
    let said = folder.judge(&[&compare[..], &["--html", page.to_str().unwrap()]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let Some(mut browser) = Browser::open_at(&format!("file://{}", page.display())) else { return };
    browser.until("document.querySelectorAll('#charts canvas').length === 6");
    let titles = browser.evaluate("[...document.querySelectorAll('#charts h2')].map((title) => title.innerText)");
    assert_eq!(titles.as_array().map(Vec::len), Some(2), "{titles}");
    let labels = browser.evaluate("[...document.querySelectorAll('#charts [role=img]')].map((one) => one.ariaLabel)");
    let labels: Vec<_> = labels.as_array().unwrap().iter().filter_map(|label| label.as_str()).collect();
    assert_eq!(labels[0], "Scores of both: 12 points", "{labels:?}");
    assert!(
        labels[2].starts_with("Effect as cases came in, with the anytime-valid interval: ")
            && !labels[2].ends_with(" 0 points"),
        "{labels:?}"
    );
    browser.size(400, 900);
    browser.until("document.documentElement.scrollWidth <= innerWidth");
    assert_quiet(&browser);
}
