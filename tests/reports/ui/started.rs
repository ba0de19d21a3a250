//! Runs that are started, stopped and resumed from the page: only where this is allowed, and they end with the server.

use super::api::assert_fits;
use super::browser::Browser;
use crate::support::Folder;
use crate::support::client::{Answer, Server};
use crate::support::pace::patiently;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long to wait for an action of a run.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a solver that takes its time.
fn stage() -> Folder {
    let folder = Folder::new();
    folder.script("slow", "sleep 0.3; exec true");
    folder
}

/// Waits until there is something.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < patiently(PATIENCE), "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn document(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// The newest of the runs that were started.
fn newest(server: &Server) -> Value {
    server.json("/api/started")["started"][0].clone()
}

fn slow_run() -> Value {
    json!({ "problem": "columns", "solvers": ["./slow"], "seeds": "1-200", "message": "from the page" })
}

/// Starts a slow run, and returns its number in the journal once it has a result.
fn start_slowly(server: &Server) -> u64 {
    document(&server.post("/api/started", &slow_run(), &[]));
    let run = until("the run is recorded", || newest(server)["run"].as_u64());
    until("a case is done", || (server.json(&format!("/api/runs/{run}"))["done"] != 0).then_some(()));
    run
}

#[test]
fn without_the_flag_nothing_is_started() {
    let folder = stage();
    let server = Server::start(&folder, &[]);
    assert_eq!(server.json("/api/server")["runs"], false);
    let list = server.get("/api/started");
    let posts = ["/api/started", "/api/started/1/stop", "/api/runs/1/resume"];
    for answer in posts.iter().map(|address| server.post(address, &slow_run(), &[])).chain([list]) {
        assert!(answer.status == 403 && answer.body.contains("judge ui --allow-run"), "{answer:?}");
    }
    assert!(!folder.path().join(".judge").exists(), "nothing was run");
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelector('main').innerText.includes('no runs yet')");
    assert_eq!(browser.evaluate("document.querySelectorAll('main form').length"), json!(0));
}

#[test]
fn one_browser_is_opened() {
    let folder = Folder::new();
    for program in ["xdg-open", "open"] {
        folder.script(program, "echo \"$1\" >> opened");
    }
    let mut command = folder.command(&["ui", "--port", "0", "--open"]);
    command.env("PATH", folder.path());
    let server = Server::of(command);
    let opened = || std::fs::read_to_string(folder.path().join("opened")).ok().filter(|text| text.ends_with('\n'));
    until("it is opened", opened);
    // Another one would be as fast.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(opened().unwrap(), format!("{}\n", server.url()));
}

#[test]
fn what_only_reads_starts_nothing() {
    let said = Folder::new().judge(&["ui", "--read-only", "--allow-run"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("'--read-only' cannot be used with '--allow-run'"), "{}", said.stderr);
}

#[test]
fn a_run_is_started_stopped_and_resumed() {
    let folder = stage();
    let server = Server::start(&folder, &["--allow-run"]);
    let run = start_slowly(&server);
    let started = server.json("/api/started");
    assert_fits(&folder, "ui-started", &started);
    let command = "judge run --problem columns --solver ./slow --seeds 1-200 --message 'from the page'";
    assert_eq!(started["started"][0]["command"], command);
    assert_eq!(server.post(&format!("/api/runs/{run}/resume"), &json!({}), &[]).status, 400, "it still runs");
    document(&server.post("/api/started/1/stop", &json!({}), &[]));
    let ended = until("it stops", || Some(newest(&server)).filter(|run| run["running"] == false));
    assert_eq!(ended["exit_code"], 130, "{ended}");
    assert!(ended["output"].as_str().unwrap().contains("continue with: judge run"), "{ended}");
    let head = server.json(&format!("/api/runs/{run}"));
    assert_eq!((&head["state"], &head["message"]), (&json!("interrupted"), &json!("from the page")));
    let done = head["done"].as_u64().unwrap();

    document(&server.post(&format!("/api/runs/{run}/resume"), &json!({}), &[]));
    assert_eq!(newest(&server)["run"], run);
    until("it goes on", || (server.json(&format!("/api/runs/{run}"))["done"].as_u64()? > done).then_some(()));
    assert_eq!(server.json("/api/runs")["total"], 1, "it is the same run");
    document(&server.post("/api/started/2/stop", &json!({}), &[]));
    until("it stops again", || (newest(&server)["running"] == false).then_some(()));
    for (address, status) in [("/api/runs/9/resume", 404), ("/api/started/9/stop", 404), ("/api/started/x/stop", 400)] {
        assert_eq!(server.post(address, &json!({}), &[]).status, status, "{address}");
    }
}

#[test]
fn equal_started_runs_have_their_own_numbers() {
    let folder = stage();
    let server = Server::start(&folder, &["--allow-run"]);
    let body = json!({ "problem": "columns", "solvers": ["./late"], "seeds": "1" });
    document(&server.post("/api/started", &body, &[]));
    until("it fails", || (newest(&server)["running"] == false).then_some(()));
    folder.script("late", "echo 0");
    for _ in 0..2 {
        document(&server.post("/api/started", &body, &[]));
    }
    let list = || server.json("/api/started")["started"].as_array().unwrap().clone();
    until("they end", || list().iter().all(|run| run["running"] == false).then_some(()));
    let mut runs: Vec<Option<u64>> = list().iter().map(|run| run["run"].as_u64()).collect();
    runs.sort_unstable();
    assert_eq!(runs, [None, Some(1), Some(2)]);
}

/// An interrupted run, in a journal whose record of it is then changed.
fn changed_record(folder: &Folder, server: &Server, column: &str, value: &str) -> (u64, Value) {
    let run = start_slowly(server);
    let number = newest(server)["number"].clone();
    document(&server.post(&format!("/api/started/{number}/stop"), &json!({}), &[]));
    until("it stops", || (newest(server)["running"] == false).then_some(()));
    let journal = rusqlite::Connection::open(folder.path().join(".judge/journal.db")).unwrap();
    let sql = format!("UPDATE run SET {column} = ?1 WHERE id = ?2");
    journal.execute(&sql, rusqlite::params![value, i64::try_from(run).unwrap()]).unwrap();
    (run, number)
}

/// Asks the server to resume a run, which it refuses.
fn refused(server: &Server, run: u64, number: &Value) -> String {
    let answer = server.post(&format!("/api/runs/{run}/resume"), &json!({}), &[]);
    assert!(answer.status == 400 && newest(server)["number"] == *number, "something was started: {answer:?}");
    answer.body
}

#[test]
fn a_stored_command_lowers_no_isolation() {
    let folder = stage();
    let server = Server::start(&folder, &["--allow-run"]);
    let (run, number) = changed_record(&folder, &server, "state", "interrupted");
    let journal = rusqlite::Connection::open(folder.path().join(".judge/journal.db")).unwrap();
    for (flags, named) in [
        ("--unsafe --tier unsafe", "--unsafe"),
        ("--tier unsafe", "--tier"),
        ("--tier=unsafe", "--tier"),
        ("--unsafe", "--unsafe"),
        ("--dir /:rw", "--dir"),
        ("--on slurm --sbatch --wrap=./hack", "--on"),
        // As a whole it is harmless; without a flag that resuming leaves out, it is not.
        ("--on slurm --sbatch --json --sbatch --unsafe", "--on"),
        ("--message 'a' --json --unsafe", "--json"),
        ("--solver '$(touch hacked)' --tier 'unsafe'", "--tier"),
    ] {
        let command = format!("judge run -p columns -s ./slow --seeds 1-200 {flags}");
        journal.execute("UPDATE run SET command = ?1", [&command]).unwrap();
        let said = refused(&server, run, &number);
        // A command other than `judge run` is refused with this reason.
        assert!(said.contains(named) || said.contains("was not made by `judge run`"), "{flags}: {said}");
    }
    for command in ["judge exec --unsafe -- ./slow", "./slow; judge run -p columns", "judge ui --allow-run", ""] {
        journal.execute("UPDATE run SET command = ?1", [command]).unwrap();
        refused(&server, run, &number);
    }
    assert!(!folder.path().join("hacked").exists());
}

#[test]
#[ignore = "CI: a browser"]
fn nothing_starts_where_there_is_nothing_to_resume() {
    let folder = stage();
    let server = Server::start(&folder, &["--allow-run"]);
    let (run, number) = changed_record(&folder, &server, "host", "elsewhere.example");
    let said = refused(&server, run, &number);
    assert!(said.contains("elsewhere.example"), "{said}");
    for state in ["complete", "stopped", "partial"] {
        let (run, number) = changed_record(&folder, &server, "state", state);
        let said = refused(&server, run, &number);
        assert!(said.contains("there is nothing to resume"), "{state}: {said}");
    }
    // Another command than the one that it was: no run of this one was interrupted.
    let other = "judge run --problem columns --solver ./slow --seeds 1-3";
    let (run, _) = changed_record(&folder, &server, "command", other);
    let total = server.json("/api/runs")["total"].clone();
    document(&server.post(&format!("/api/runs/{run}/resume"), &json!({}), &[]));
    let ended = until("it ends", || Some(newest(&server)).filter(|run| run["running"] == false));
    assert_eq!(ended["exit_code"], 2, "{ended}");
    assert!(ended["output"].as_str().unwrap().contains("cannot go on"), "{ended}");
    assert_eq!(server.json("/api/runs")["total"], total);
}

#[test]
fn an_error_is_shown() {
    let folder = stage();
    let server = Server::start(&folder, &["--allow-run"]);
    for (wrong, error) in [
        (json!({ "problem": "columns", "seeds": "nine" }), "--seeds"),
        (json!({ "problem": "columns", "cpu": "fast" }), "--cpu"),
        (json!({ "problem": "columns", "unsafe": true }), "unknown field `unsafe`"),
        (json!({ "problem": ["columns"] }), "invalid type"),
    ] {
        let answer = server.post("/api/started", &wrong, &[]);
        assert!(answer.status == 400 && answer.body.contains(error), "{wrong}: {answer:?}");
    }
    // A word that looks like a flag or a shell command is a missing solver.
    for solver in ["--unsafe", "./none; touch hacked", "$(touch hacked)"] {
        document(&server.post("/api/started", &json!({ "problem": "columns", "solvers": [solver] }), &[]));
        let ended = until("it ends", || Some(newest(&server)).filter(|run| run["running"] == false));
        assert_eq!(ended["exit_code"], 2, "{ended}");
        assert!(ended["output"].as_str().unwrap().contains("error: "), "{ended}");
    }
    assert!(!folder.path().join("hacked").exists());
    assert_eq!(server.json("/api/runs")["total"], 0);
    let foreign = server.post("/api/started", &slow_run(), &["Origin: http://evil.example"]);
    assert_eq!(foreign.status, 403);
}

#[test]
fn runs_end_with_the_server_however_it_ends() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGKILL] {
        let folder = stage();
        let server = Server::start(&folder, &["--allow-run"]);
        start_slowly(&server);
        server.end_by(signal);
        let state = until("the run ends", || {
            let (_, history) = folder.json(&["history"]);
            Some(history["runs"][0]["state"].clone()).filter(|state| state != "running")
        });
        assert_eq!(state, "interrupted", "as by Ctrl-C, after signal {signal}");
    }
}

#[test]
fn the_page_starts_and_stops_a_run() {
    let folder = stage();
    let server = Server::start(&folder, &["--allow-run"]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.until("document.querySelector('details.start') !== null");
    browser.evaluate("document.querySelector('details.start summary').click()");
    for width in [400, 1200] {
        browser.size(width, 900);
        browser.until("document.documentElement.scrollWidth <= innerWidth");
    }
    let nameless = "[...document.querySelectorAll('.start input, .start select, .start textarea')].filter((one) => !one.labels.length).length";
    assert_eq!(browser.evaluate(nameless), json!(0));
    browser.evaluate(
        "document.querySelector('[name=problem]').value = 'columns'; document.querySelector('[name=solvers]').focus()",
    );
    browser.write("./slow");
    browser.evaluate("document.querySelector('[name=seeds]').focus()");
    browser.write("nine");
    browser.evaluate("document.querySelector('.start form button').click()");
    browser.until("document.querySelector('.start .error')?.innerText.includes('--seeds') ?? false");
    browser.evaluate(
        "document.querySelector('[name=seeds]').value = '1-200'; document.querySelector('.start form button').click()",
    );
    browser.until("document.querySelector('a[href=\"#/runs/1\"]') !== null");
    // The run ends while its page still waits for the cases.
    browser.evaluate(
        "const ask = fetch, ready = new Promise((done) => { globalThis.show = done; });
         globalThis.fetch = async (address, how) => { if (address.includes('/cases')) await ready; return ask(address, how); };
         globalThis.states = [];
         new BroadcastChannel('judge events').onmessage = ({ data: [, { state }] }) => states.push(state); 0",
    );
    browser.go("#/runs/1");
    browser.until("[...document.querySelectorAll('main button')].some((button) => button.innerText === 'Stop')");
    browser.evaluate(
        "[...document.querySelectorAll('main button')].find((button) => button.innerText === 'Stop').click()",
    );
    browser.until("states.includes('interrupted')");
    browser.evaluate("show(), 0");
    browser.until("[...document.querySelectorAll('main button')].some((button) => button.innerText === 'Resume')");
    browser.until("document.querySelector('main').innerText.includes('interrupted, ')");
    browser.evaluate(
        "[...document.querySelectorAll('main button')].find((button) => button.innerText === 'Resume').click()",
    );
    browser.until("document.querySelector('main').innerText.includes('running, ')");
    browser.go("#/");
    browser.until("document.querySelector('main').innerText.includes('--resume')");
}
