//! Tags and notes: by command, over the API, and in the page.

use super::api::assert_fits;
use super::browser::Browser;
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use serde_json::{Value, json};

#[test]
fn commands_give_and_take_them() {
    let folder = some_runs();
    let said = folder.judge(&["history", "tag", "2", "wide", "best"]);
    assert_eq!((said.code, &*said.stdout), (Some(0), "run 2\ntags        best wide\n"), "{}", said.stderr);
    let said = folder.judge(&["history", "note", "2", "a beam\nof 300"]);
    assert_eq!(said.stdout, "run 2\ntags        best wide\nnote        a beam\n            of 300\n");
    let (_, listed) = folder.json(&["history", "--tag", "wide"]);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1);
    let row = &listed["runs"][0];
    assert_eq!(
        [&row["run"], &row["tags"], &row["note"]],
        [&json!(2), &json!(["best", "wide"]), &json!("a beam\nof 300")]
    );
    let table = folder.judge(&["history"]).stdout;
    assert!(table.contains("best wide") && table.contains("a beam") && !table.contains("of 300"), "{table}");
    let by_case = folder.judge(&["history", "--tag", "best", "--where", "k<1000"]).stdout;
    assert!(by_case.contains("columns-greedy") && !by_case.contains("columns-quickstart"), "{by_case}");
    let shown = folder.judge(&["history", "show", "2"]).stdout;
    assert!(shown.contains("tags        best wide\nnote        a beam\n            of 300\n"), "{shown}");
    let (_, shown) = folder.json(&["history", "show", "2"]);
    assert_eq!([&shown["tags"], &shown["note"]], [&json!(["best", "wide"]), &json!("a beam\nof 300")]);
    assert_eq!(folder.judge(&["history", "untag", "2", "wide", "best"]).code, Some(0));
    let said = folder.judge(&["history", "note", "2", ""]);
    assert_eq!(said.stdout, "run 2 has neither tags nor a note\n");
    for (arguments, error) in [
        (&["history", "tag", "2", "two words"][..], "a tag is one word, without ` `"),
        (&["history", "tag", "2", "a\u{1b}[31m"], r"a tag is one word, without `\u{1b}`"),
        (&["history", "tag", "2", &"x".repeat(41)], "a tag has at most 40 characters"),
        (&["history", "tag", "99", "x"], "there is no run 99"),
        (&["history", "untag", "2", "x"], "run 2 has no tag `x`: it has none"),
        (&["history", "note", "2", "\u{7}"], r"control characters but line feeds, and this one has `\u{7}`"),
        (&["history", "note", "2", &"x".repeat(2001)], "a note has at most 2000 characters"),
    ] {
        let said = folder.judge(arguments);
        assert!(said.code == Some(2) && said.stderr.contains(error), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn only_own_pages_change_labels() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let address = "/api/runs/2/labels";
    let wanted = json!({ "tags": ["wide", "<b>"], "note": "</script><img src=x>" });
    let answer = server.post(address, &wanted, &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let told: Value = serde_json::from_str(&answer.body).unwrap();
    assert_fits(&folder, "ui-labels", &told);
    assert_eq!(told, json!({ "run": 2, "tags": ["<b>", "wide"], "note": "</script><img src=x>" }));
    let head = server.json("/api/runs/2");
    assert_eq!([&head["tags"], &head["note"]], [&told["tags"], &told["note"]]);
    assert_eq!(server.json("/api/runs?tag=wide")["total"], 1);
    assert_eq!(server.json("/api/runs?text=%3C/script")["total"], 1);
    // Fields that are not given stay unchanged.
    assert_eq!(server.post(address, &json!({ "tags": [] }), &[]).status, 200);
    assert_eq!(server.json("/api/runs/2")["note"], wanted["note"]);

    let long = "x".repeat(2001);
    for wrong in [
        json!({ "tags": ["two words"] }),
        json!({ "tags": ["a\u{1b}"] }),
        json!({ "tags": "wide" }),
        json!({ "note": long }),
        json!({ "note": "\u{202e}" }),
        json!({ "name": "x" }),
        json!({ "tags": (0..21).map(|tag| tag.to_string()).collect::<Vec<_>>() }),
    ] {
        let answer = server.post(address, &wrong, &[]);
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.body);
        assert_fits(&folder, "ui-error", &serde_json::from_str(&answer.body).unwrap());
    }
    assert_eq!(server.post("/api/runs/99/labels", &wanted, &[]).status, 404);
    // A request of another page: from another origin, without the token, or as an HTML form sends it.
    assert_eq!(server.post(address, &wanted, &["Origin: http://evil.example"]).status, 403);
    assert_eq!(server.post(address, &wanted, &["Origin: http://127.0.0.1:1"]).status, 403);
    let [host, token] = server.headers();
    let request = &*format!("POST {address} HTTP/1.1");
    assert_eq!(server.ask(&[request, &host, "Content-Length: 0"]).status, 403);
    let form = "Content-Type: text/plain";
    assert_eq!(server.ask(&[request, &host, &token, form, "Content-Length: 0"]).status, 400);
    assert_eq!(server.json("/api/runs/2")["note"], wanted["note"]);
}

#[test]
fn a_server_that_only_reads_changes_nothing() {
    let folder = some_runs();
    let journal = folder.path().join(".judge/journal.db");
    let before = std::fs::read(&journal).unwrap();
    let server = Server::start(&folder, &["--read-only"]);
    assert_eq!(server.json("/api/server")["edits"], false);
    let answer = server.post("/api/runs/2/labels", &json!({ "tags": ["x"] }), &[]);
    assert!(answer.status == 403 && answer.body.contains("--read-only"), "{answer:?}");
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/2");
    browser.until("document.querySelectorAll('.rows .body').length === 12");
    assert_eq!(browser.evaluate("document.querySelectorAll('.labels button').length"), json!(0));
}

#[test]
#[ignore = "CI: a browser"]
fn label_changes_reach_other_pages() {
    let folder = Folder::new();
    for solver in ["bundled:columns-quickstart", "bundled:columns-greedy"] {
        assert_eq!(folder.judge(&["run", "-p", "columns", "-s", solver, "--seeds", "1-3"]).code, Some(0));
    }
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/1");
    browser.until("document.querySelector('.labels button') !== null");
    browser.evaluate("document.querySelector('.labels button').click()");
    browser.write("two wide, <img/src=x/onerror=hacked=1>");
    browser.evaluate("document.querySelector('.labels textarea').focus()");
    browser.write("<script>hacked = 1</script>");
    browser.evaluate("document.querySelector('.labels form button').click()");
    browser.until("document.querySelectorAll('.labels .tag').length === 3");
    assert_eq!(browser.text(".labels .note"), "<script>hacked = 1</script>");
    let (_, shown) = folder.json(&["history", "show", "1"]);
    assert_eq!(shown["tags"], json!(["<img/src=x/onerror=hacked=1>", "two", "wide"]));
    // Changes by a command are followed.
    assert_eq!(folder.judge(&["history", "note", "1", "by command"]).code, Some(0));
    browser.until("document.querySelector('.labels .note')?.innerText === 'by command'");
    // The error of a refused tag is shown, and the typed text stays.
    browser.evaluate("document.querySelector('.labels button').click()");
    browser.write("x".repeat(41).as_str());
    browser.evaluate("document.querySelector('.labels form button').click()");
    browser.until("document.querySelector('.labels .error')?.innerText.includes('at most 40 characters') ?? false");
    browser.evaluate("document.querySelectorAll('.labels form button')[1].click()");
    browser.until("document.querySelectorAll('.labels .tag').length === 3");
    // A click on a tag shows its runs.
    browser.evaluate("[...document.querySelectorAll('.labels .tag')].at(-1).click()");
    browser.until("document.querySelectorAll('.scroll tbody tr').length === 1");
    assert!(browser.text(".scroll tbody").contains("by command"));
    assert_eq!(browser.evaluate("typeof hacked"), json!("undefined"));
    // The console only shows the refused request.
    assert_eq!(browser.complaints.len(), 1, "{:#?}", browser.complaints);
}
