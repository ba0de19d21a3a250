//! Drawings of a setter's program: shown where programs may be started, and isolated from the rest of the page.

use super::api::assert_fits;
use super::browser::Browser;
use crate::support::Folder;
use crate::support::client::Server;
use serde_json::json;

/// A drawing that tries to access the server and the data of the page around it.
const DRAWING: &str = r#"<!doctype html><title>drawing</title><p id="shown"></p><p id="reached"></p><script>
shown.textContent = "ANSWER from " + origin;
const tries = [
  () => fetch("/api/runs").then((answer) => answer.text()),
  () => Promise.resolve(document.cookie),
  () => Promise.resolve(localStorage.length),
  () => new Promise((done, failed) => { const one = new Image(); one.onload = done; one.onerror = failed; one.src = "/assets/style.css"; }),
];
Promise.allSettled(tries.map(async (one) => one())).then((all) => { reached.textContent = all.map((one) => one.status).join(" "); });
</script>"#;

/// A run of a problem whose answers a program draws, on one case.
fn drawn(page: &str, drawing: &str) -> Folder {
    let folder = Folder::new();
    let problem = format!(
        "[[problem]]\nid = \"x\"\nchecker-command = \"cat {{answer}}\"\ninputs = [\"in\"]\n\
         view-command = \"sh {{folder}}/draw.sh {{answer}} {{input}}\"\nview-file = \"{page}\"\n"
    );
    folder.write("problems.toml", problem);
    folder.write("in", "7\n");
    folder.write("drawing", drawing);
    folder.write("draw.sh", format!("sed \"s/ANSWER/$(cat $1) of $(cat $2)/\" \"$(dirname $0)/drawing\" > {page}"));
    folder.script("bot", "read n; echo $((n + 1))");
    let said = folder.judge(&["run", "-p", "x", "-s", "./bot"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    folder
}

#[test]
fn a_drawing_is_shown_where_programs_are_started() {
    let folder = drawn("out.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>ANSWER</text></svg>");
    let server = Server::start(&folder, &[]);
    assert_eq!(server.json("/api/runs/1")["replays"], false);
    let refused = server.get("/replay/1/in");
    assert_eq!(refused.status, 400);
    for way in ["judge ui --allow-run", "judge view --run 1 --case in --html PATH"] {
        assert!(refused.body.contains(way), "{refused:?}");
    }
    drop(server);
    let server = Server::start(&folder, &["--allow-run"]);
    assert_eq!(server.json("/api/runs/1")["replays"], true);
    let answer = server.get("/replay/1/in");
    assert_eq!((answer.status, answer.header("content-type")), (200, "image/svg+xml"), "{answer:?}");
    assert!(answer.body.contains("<text>8 of 7</text>"), "{answer:?}");
    // Its message when it fails is an error of the page.
    folder.write("draw.sh", "echo no pencil >&2; exit 4");
    let failed = server.get("/replay/1/in");
    assert!(failed.status == 500 && failed.body.contains("no pencil"), "{failed:?}");
}

#[test]
fn the_hint_of_a_drawing_can_be_pasted() {
    let folder = drawn("out.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>ANSWER</text></svg>");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("[\"in\"]", "[\"-d x\"]"));
    folder.write("-d x", "7\n");
    let place = ["--problems", "problems.toml", "--journal", "runs 2.db"];
    let said = folder.judge(&[&["run", "-s", "./bot", "-s", "other=./bot"][..], &place].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let server = Server::start(&folder, &place);
    assert_eq!(server.json("/api/problems")["problems"][0]["listed"], "-d x");
    let refused = server.get("/replay/1/-d%20x?solver=other");
    let place = "--problems problems.toml --journal 'runs 2.db'";
    let view = format!("judge view --run 1 --case '-d x' --solver=other --html PATH {place}");
    assert!(refused.body.contains(&format!("judge ui --allow-run {place}, or {view}")), "{refused:?}");
    let words = shell_words::split(&view).unwrap();
    let said = folder.judge(&words.iter().skip(1).map(String::as_str).collect::<Vec<_>>());
    assert!(said.code == Some(0) && folder.path().join("PATH").exists(), "{}", said.stderr);
}

#[test]
#[ignore = "CI: a browser"]
fn a_fresh_game_is_run_and_shown() {
    let folder = Folder::new();
    folder.script("wrong", "echo 9 9");
    let server = Server::start(&folder, &[]);
    assert_eq!(server.json("/api/problems/same-game-free")["fresh_replays"], false);
    drop(server);
    let server = Server::start(&folder, &["--allow-run"]);
    assert_fits(&folder, "ui-problem", &server.json("/api/problems/same-game-free"));
    let Some(mut browser) = Browser::open(&server) else { return };
    let ask = |browser: &mut Browser, seed: &str, solver: &str| {
        browser.go("#/problems");
        browser.go("#/problems/same-game-free");
        browser.until("document.querySelector('[name=seed]') !== null");
        browser.evaluate(&format!(
            "document.querySelector('[name=seed]').value = {}; document.querySelector('[name=solver]').value = {};
             [...document.querySelectorAll('main button')].find((one) => one.innerText === 'Run and replay').click()",
            json!(seed),
            json!(solver)
        ));
    };
    ask(&mut browser, "7", "none-such");
    browser.until("document.querySelector('.error')?.innerText.includes('error: ') ?? false");
    // If there is no game to show, the run is shown.
    ask(&mut browser, "7", "./wrong");
    browser.until("location.hash.startsWith('#/runs/1?case=seed-7')");
    ask(&mut browser, "123456", "bundled:same-game-free-plain");
    browser.until("location.pathname === '/replay/2/seed-123456' && (document.querySelector('#position')?.innerText ?? '') !== ''");
    assert!(browser.text("#facts").contains("seed-123456"));
}

#[test]
#[ignore = "CI: a browser"]
fn a_drawing_reaches_nothing() {
    let folder = drawn("out.html", DRAWING);
    let server = Server::start(&folder, &["--allow-run"]);
    let policy = server.get("/replay/1/in").header("content-security-policy").to_owned();
    assert!(policy.starts_with("sandbox allow-scripts; default-src 'none'; "), "{policy}");
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/1");
    let link = "[...document.querySelectorAll('main a')].find((link) => link.innerText === 'Replay')";
    browser.until("[...document.querySelectorAll('.row.body')].some((row) => row.innerText.includes('in'))");
    browser.evaluate("document.querySelector('.row.body').click()");
    browser.until(&format!("{link} !== undefined"));
    browser.evaluate(&format!("{link}.click()"));
    browser.until("(document.querySelector('#reached')?.textContent ?? '') !== ''");
    assert_eq!(browser.text("#shown"), "8 of 7 from null");
    assert_eq!(browser.text("#reached"), "rejected rejected rejected rejected");
    // The same next to another one, in a frame.
    browser.call("Page.navigate", json!({ "url": server.url() }));
    browser.until("document.querySelector('main h1') !== null");
    browser.go("#/replays?a=run%3A1&b=run%3A1&case=in");
    browser.until("[...document.querySelectorAll('iframe')].length === 2");
    // Another origin than the page's, as soon as it is there.
    browser.until("[...document.querySelectorAll('iframe')].every((frame) => frame.contentDocument === null)");
}
