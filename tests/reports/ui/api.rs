//! The documents of the API: their content, and that it equals the output of the commands.

use super::some_runs;
use crate::support::client::Server;
use crate::support::large_run;
use crate::support::require::{Need, skip};
use crate::support::{Folder, of_cases};
use judge_problem::JOURNAL_FOLDER;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::time::Duration;

/// A word in the encoding of an address.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Holds a document against the schema that the judge prints.
pub(crate) fn assert_fits(folder: &Folder, of: &str, document: &Value) {
    let said = folder.judge(&["schema", of]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let schema: Value = serde_json::from_str(&said.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(document).unwrap_or_else(|error| panic!("{of}: {error}"));
    for key in document.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "{of} does not describe `{key}`");
    }
}

/// A field of every row.
fn column<'a>(page: &'a Value, field: &str) -> Vec<&'a Value> {
    page["rows"].as_array().unwrap().iter().map(|row| &row[field]).collect()
}

#[test]
fn every_document_fits_its_schema() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    for (of, address) in [
        ("ui-runs", "/api/runs"),
        ("ui-run", "/api/runs/3"),
        ("ui-cases", "/api/runs/3/cases"),
        ("ui-points", "/api/runs/3/points?x=k&y=score"),
        ("ui-compare", "/api/compare?a=run:1&b=run:2"),
        ("ui-problems", "/api/problems"),
        ("ui-problem", "/api/problems/columns"),
        ("ui-server", "/api/server"),
    ] {
        assert_fits(&folder, of, &server.json(address));
    }
    let answer = server.get("/api/runs/99");
    assert_eq!(answer.status, 404);
    assert_fits(&folder, "ui-error", &serde_json::from_str(&answer.body).unwrap());
}

#[test]
fn runs_are_paged_like_the_history() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let (_, history) = folder.json(&["history"]);
    let all = server.json("/api/runs");
    assert_eq!((&all["runs"], &all["total"]), (&history["runs"], &json!(4)));
    let page = server.json("/api/runs?offset=1&limit=2");
    assert_eq!(page["runs"].as_array().unwrap()[..], history["runs"].as_array().unwrap()[1..3]);
    assert_eq!(server.json("/api/runs?offset=18446744073709551615")["runs"], json!([]));
    let found = |query: &str| server.json(&format!("/api/runs?{query}"))["total"].clone();
    assert_eq!([found("text=GREEDY"), found("text=note"), found("text=%25"), found("problem=same-game")], [1, 2, 0, 0]);
    assert_eq!(found("solver=columns-quickstart"), 2);
    let answer = server.get("/api/runs?solvr=x");
    assert!(answer.status == 400 && answer.body.contains("unknown field `solvr`"), "{answer:?}");
}

#[test]
fn commands_of_a_page_get_the_flags_of_its_server() {
    let folder = Folder::new();
    assert_eq!(Server::start(&folder, &[]).json("/api/server")["flags"], "");
    let server = Server::start(&folder, &["--journal", "my runs.db"]);
    assert_eq!(server.json("/api/server")["flags"], "--journal 'my runs.db'");
}

#[test]
fn a_run_equals_history_show() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let (_, shown) = folder.json(&["history", "show", "3"]);
    let head = server.json("/api/runs/3");
    for (key, value) in shown.as_object().unwrap().iter().filter(|(key, _)| *key != "cases") {
        assert_eq!(&head[key], value, "{key}");
    }
    assert_eq!((&head["state"], &head["planned"], &head["done"]), (&json!("complete"), &json!(6), &json!(6)));
    assert_eq!(head["relative"], json!([1.0, 0.0]));
    assert!(head["features"].as_array().unwrap().contains(&json!("colors")));
    assert_eq!(server.json("/api/runs/last")["run"], 3);
    let rows = server.json("/api/runs/3/cases");
    for (row, case) in rows["rows"].as_array().unwrap().iter().zip(shown["cases"].as_array().unwrap()) {
        for (key, value) in case.as_object().unwrap() {
            assert_eq!(&row[key], value, "{key}");
        }
    }
    for missing in
        ["/api/runs/99", "/api/runs/x", "/api/runs/3/cases/seed-99/stderr?solver=a", "/api/problems/x", "/api/x"]
    {
        assert_eq!(server.get(missing).status, 404, "{missing}");
    }
}

#[test]
fn rows_are_filtered_and_sorted_as_asked() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let rows = |query: &str| server.json(&format!("/api/runs/3/cases?{query}"));
    let filtered = |condition: &str| rows(&format!("filter={}", encoded(condition)))["total"].clone();
    assert_eq!(
        [filtered("verdict!=AC"), filtered("verdict==RE"), filtered("verdict==WA"), filtered("score>=0")],
        [6, 6, 0, 6]
    );
    let (_, shown) = folder.json(&["history", "show", "3", "--where", "k<1000"]);
    assert_eq!(filtered("k<1000"), of_cases(&shown, "case").len());
    assert_eq!(filtered("k<1000 && verdict==AC && solver==0"), of_cases(&shown, "case").len() / 2);

    let sorted = rows("sort=score&descending&limit=6");
    let scores: Vec<u64> = column(&sorted, "score").iter().map(|score| score.as_u64().unwrap()).collect();
    assert!(scores.is_sorted_by(|left, right| left >= right), "{scores:?}");
    let whole = rows("sort=score");
    assert!(column(&whole, "score")[6..].iter().all(|score| score.is_null()), "those without a score come last");
    let failures = rows("sort=verdict&descending=true");
    assert_eq!(column(&failures, "code")[..6], [&json!("RE"); 6]);
    assert!(failures["rows"][0]["stderr"].as_str().unwrap().contains("<script>"));
    assert!(failures["rows"][0]["reproduce"].as_str().unwrap().starts_with("judge run -p columns -s "));
    let of_feature: Vec<u64> =
        column(&rows("sort=k"), "features").iter().map(|features| features["k"].as_u64().unwrap()).collect();
    assert!(of_feature.is_sorted(), "{of_feature:?}");
    let page = rows("offset=4&limit=3");
    assert_eq!((page["rows"].as_array().unwrap().len(), &page["total"], &page["offset"]), (3, &json!(12), &json!(4)));
    assert_eq!(page["rows"].as_array().unwrap()[..], rows("")["rows"].as_array().unwrap()[4..7]);
}

#[test]
fn bad_conditions_answer_like_the_command_line() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    for condition in ["N<", "(k<5", "k=5", "no_such_feature<1", "k<5 and k>1"] {
        let said = folder.judge(&["history", "show", "3", "--where", condition]);
        let answer = server.get(&format!("/api/runs/3/cases?filter={}", encoded(condition)));
        assert_eq!((said.code, answer.status), (Some(2), 400), "{condition}");
        let told: Value = serde_json::from_str(&answer.body).unwrap();
        assert!(said.stderr.contains(told["error"].as_str().unwrap()), "{}\n{told}", said.stderr);
    }
    for query in
        ["cases?sort=nothing", "points?x=nothing&y=score", "points?x=score", "cases?offset=-1", "cases?solver=x"]
    {
        assert_eq!(server.get(&format!("/api/runs/3/{query}")).status, 400, "{query}");
    }
}

#[test]
fn what_a_solver_wrote_is_there_as_text() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let answer = server.get("/api/runs/1/cases/seed-1/answer");
    let checked = folder.write("answer", &answer.body);
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let said = folder.judge(&["check", "-p", "columns", "--seed", "1", "--output", checked.to_str().unwrap()]);
    let score = server.json("/api/runs/1/cases?limit=1")["rows"][0]["score"].to_string();
    assert!(said.stdout.contains(&format!("accepted {score}")), "{}{}", said.stdout, said.stderr);
    let hostile = server.json("/api/runs/3")["solvers"][1]["name"].as_str().unwrap().to_owned();
    let stderr = server.get(&format!("/api/runs/3/cases/seed-1/stderr?solver={}", encoded(&hostile)));
    assert_eq!(stderr.header("content-type"), "text/plain; charset=utf-8");
    assert!(stderr.body.contains("<script>hacked = 1</script>"), "{}", stderr.body);
    assert_eq!(server.get(&format!("/api/runs/3/cases/seed-1/answer?solver={}", encoded(&hostile))).status, 404);
    assert_eq!(server.get("/api/runs/3/cases/seed-1/answer").status, 400, "there are two solvers");
}

#[test]
fn a_game_page_runs_no_foreign_text() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let page = server.get("/replay/1/seed-1");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").ends_with("frame-ancestors 'self'"), "{page:?}");
    assert!(page.body.contains("<script src=\"/assets/replay.js\" type=\"module\">") && !page.body.contains("<style>"));
    let one_file = folder.judge(&["view", "--run", "1", "--case", "seed-1", "--html", "-"]).stdout;
    let data = one_file
        .split("<script type=\"application/json\" id=\"game\">")
        .nth(1)
        .unwrap()
        .split("</script>")
        .next()
        .unwrap();
    let served = server.json("/api/runs/1/cases/seed-1/replay");
    assert_fits(&folder, "ui-replay", &served);
    assert_eq!(serde_json::from_str::<Value>(data).unwrap(), served, "the page in one file is the same");
    let lines = server.get("/api/runs/1/cases/seed-1/replay?lines");
    assert_eq!((lines.status, lines.header("content-type")), (200, "application/jsonl; charset=utf-8"));
    // Between the lines stand the lengths of chunks.
    let lines = lines.body.lines().filter_map(|line| serde_json::from_str(line).ok());
    let lines: Vec<Value> = lines.filter(Value::is_object).collect();
    lines.iter().for_each(|line| assert_fits(&folder, "ui-replay-line", line));
    let frames: Vec<_> = lines.iter().filter_map(|line| line["frames"].as_array()).flatten().collect();
    assert_eq!(frames, served["frames"].as_array().unwrap().iter().collect::<Vec<_>>(), "the same game, in lines");
    assert_eq!((&lines[0]["result"], &lines[0]["length"]), (&served["result"], &json!(frames.len())));
    assert_eq!(server.get("/api/runs/1/cases/seed-99/replay?lines").status, 404);
    let hostile = server.json("/api/runs/3")["solvers"][1]["name"].as_str().unwrap().to_owned();
    for (address, status) in [
        ("/replay/99/seed-1".to_owned(), 404),
        ("/replay/1/seed-99".to_owned(), 404),
        ("/replay/3/seed-1".to_owned(), 400),
        (format!("/replay/3/seed-1?solver={}", encoded(&hostile)), 404),
    ] {
        let answer = server.get(&address);
        assert_eq!((answer.status, answer.header("content-type")), (status, "application/json"), "{address}");
    }
    // The form of an answer to this problem is unknown.
    let problem = "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in\"]\ntrusted = true\n";
    let folder = Folder::new();
    folder.write("problems.toml", problem);
    folder.write("in", "1\n");
    assert_eq!(folder.judge(&["run", "-p", "x", "-s", "cat"]).code, Some(0));
    let server = Server::start(&folder, &[]);
    assert_eq!(server.json("/api/runs/1")["replays"], false);
    let answer = server.get("/replay/1/in");
    assert!(answer.status == 400 && answer.body.contains("`view-command` in the catalogue"), "{answer:?}");
}

#[test]
fn rejected_answers_play_until_the_broken_rule() {
    let folder = Folder::new();
    folder.script("wrong", "echo 2; echo 0 0; echo 9 9");
    folder.write("board", "2\nAB\nAB\n");
    assert_eq!(folder.judge(&["run", "-p", "same-game-free", "-s", "./wrong", "--inputs", "board"]).code, Some(1));
    let server = Server::start(&folder, &[]);
    let row = server.json("/api/runs/1/cases")["rows"][0].clone();
    assert_eq!(row["code"], "WA", "{row}");
    let page = server.get("/replay/1/board");
    assert!(page.status == 200 && page.body.contains(row["note"].as_str().unwrap()), "{page:?}");
    assert!(page.body.contains("move 2"), "{page:?}");
}

#[test]
fn a_comparison_is_that_of_the_command() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let (_, told) = folder.json(&["compare", "-p", "columns", "run:1", "run:2", "--group-by", "colors"]);
    let mut answer = server.json("/api/compare?a=run:1&b=run:2&group_by=colors");
    let looks = answer["looks"].as_array().unwrap().clone();
    for (key, value) in told.as_object().unwrap().iter().filter(|(key, _)| !["date", "command"].contains(&&***key)) {
        assert_eq!(&answer[key].take(), value, "{key}");
    }
    let last = looks.last().unwrap();
    assert_eq!((&last["cases"], looks.len()), (&json!(12), 12));
    let difference = last["mean"].as_f64().unwrap() - told["comparisons"][0]["effect"]["mean"].as_f64().unwrap();
    assert!(difference.abs() < 1e-9, "{difference}");
    let some = server.json("/api/compare?a=run:1&b=run:2&filter=k%3C1000");
    assert!(some["comparisons"][0]["cases"].as_u64().unwrap() < 12);
    for query in ["a=run:1&b=./bot", "a=./bot&b=run:1", "a=run:1&b=run:3", "a=run:1&b=run:2&filter=k%3C", "a=run:1"] {
        assert_eq!(server.get(&format!("/api/compare?{query}")).status, 400, "{query}");
    }
    assert_eq!(server.get("/api/compare?a=run:1&b=run:99").status, 400);
}

#[test]
fn programmed_features_come_from_the_journal() {
    let folder = Folder::new();
    folder.script("gen", "echo made >> made; echo $1");
    let problem = "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"./gen {seed}\"\n\
                   seeds = \"1-3\"\ntrusted = true\n[problem.features]\nN = '(\\d+)'\n";
    folder.write("problems.toml", problem);
    for _ in 0..2 {
        let said = folder.judge(&["run", "-p", "x", "-s", "cat"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let made = || std::fs::read(folder.path().join("made")).unwrap().len();
    let before = made();
    {
        let server = Server::start(&folder, &[]);
        assert_eq!(server.json("/api/runs/1")["features"], json!(["N"]));
        let rows = server.json("/api/runs/1/cases?filter=N%3E1&sort=N");
        let numbers: Vec<&Value> = column(&rows, "features").into_iter().map(|features| &features["N"]).collect();
        assert_eq!((&rows["total"], numbers), (&json!(2), vec![&json!(2), &json!(3)]), "{rows}");
        assert_eq!(server.get("/api/runs/1/points?x=N&y=score").status, 200);
        let compared = server.json("/api/compare?a=run:1&b=run:2&filter=N%3E1&group_by=N");
        assert_eq!(compared["comparisons"][0]["cases"], 2);
    }
    // Reading features other than the stored ones needs the generator.
    folder.write("problems.toml", problem.replace("N =", "M ="));
    let server = Server::start(&folder, &[]);
    let answer = server.get("/api/compare?a=run:1&b=run:2&filter=M%3C2");
    assert!(answer.status == 400 && answer.body.contains("by running its generator"), "{answer:?}");
    assert_eq!(made(), before, "the generator was run");
}

/// The events of a server, as they come.
fn events(server: &Server) -> impl Iterator<Item = (String, Value)> {
    let [host, token] = server.headers();
    let stream = server.send(&["GET /api/events HTTP/1.1", &host, &token]);
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut name = String::new();
    lines.filter_map(move |line| {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
        }
        let data = line.strip_prefix("data: ")?;
        Some((name.clone(), serde_json::from_str(data).unwrap()))
    })
}

#[test]
fn journals_that_come_and_go_send_events() {
    let folder = Folder::new();
    let (journal, other) = (folder.path().join(JOURNAL_FOLDER), folder.path().join("elsewhere"));
    assert_eq!(folder.judge(&["run", "-p", "columns", "-s", "echo 0", "--seeds", "1"]).code, Some(0));
    std::fs::rename(&journal, &other).unwrap();
    let server = Server::start(&folder, &[]);
    let mut events = events(&server);
    // By then the server has looked for a journal.
    std::thread::sleep(Duration::from_millis(700));
    for (from, to) in [(&other, &journal), (&journal, &other), (&other, &journal)] {
        std::fs::rename(from, to).unwrap();
        assert_eq!(events.next().unwrap().0, "runs", "{}", to.display());
    }
}

#[test]
fn a_running_run_sends_events() {
    let folder = Folder::new();
    folder.script("slow", "sleep 0.2; exec true");
    let server = Server::start(&folder, &[]);
    assert_eq!(server.json("/api/runs")["total"], 0, "there is no journal yet");
    let mut events = events(&server);
    let mut run = folder
        .command(&["run", "-p", "columns", "-s", "./slow", "--seeds", "1-12", "--jobs", "1"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut told = Vec::new();
    let mut was_running = false;
    loop {
        let (name, data) = events.next().unwrap();
        if name != "progress" {
            continue;
        }
        assert_fits(&folder, "ui-progress", &data);
        assert_eq!((&data["run"], &data["planned"]), (&json!(1), &json!(12)));
        told.extend(data["finished"].as_array().unwrap().iter().map(|case| case["case"].as_str().unwrap().to_owned()));
        was_running |= data["state"] == "running" && data["remaining_ms"].is_number();
        if data["state"] != "running" {
            assert_eq!((&data["state"], &data["solvers"][0]["done"]), (&json!("complete"), &json!(12)));
            break;
        }
    }
    assert!(was_running && told.len() > 2, "{told:?}");
    assert_eq!(told.iter().collect::<std::collections::HashSet<_>>().len(), told.len(), "each case once: {told:?}");
    assert_eq!(events.next().unwrap().0, "runs");
    run.wait().unwrap();
    assert_eq!(server.json("/api/runs/1")["state"], "complete");
}

#[test]
fn a_large_run_is_read_in_pages() {
    let folder = Folder::new();
    large_run::record(folder.path(), "bot", 6_000);
    let server = Server::start(&folder, &[]);
    let failed = server.json("/api/runs/1/cases?filter=verdict!%3DAC&sort=cpu_ms&descending&offset=110&limit=1000");
    assert_eq!((&failed["total"], failed["rows"].as_array().unwrap().len()), (&json!(120), 10));
    let points = server.json("/api/runs/1/points?x=cpu_ms&y=score");
    let drawn = points["solvers"][0]["x"].as_array().unwrap().len();
    assert!(points["total"] == 5_880 && (2_000..=5_000).contains(&drawn), "{drawn}");
}

#[test]
fn the_documentation_is_answered_as_it_says() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ui.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `GET ")?.split_once("` | "));
    let mut requests = 0;
    for (address, rest) in rows.filter(|(address, _)| !["/api/events", "/api/started"].contains(address)) {
        let schema = rest.split('`').nth(1).filter(|_| rest.starts_with('`'));
        match schema {
            Some(schema) => assert_fits(&folder, schema, &server.json(address)),
            None => assert_eq!(server.get(address).status, 200, "{address}"),
        }
        requests += 1;
    }
    assert!(requests >= 15, "{requests}");
    let script = text.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    if std::process::Command::new("curl").arg("--version").output().is_err() {
        return skip(Need::Curl, "there is no curl");
    }
    let (token, port) = (&server.token, server.port.to_string());
    let said =
        std::process::Command::new("sh").args(["-c", script]).env("TOKEN", token).env("PORT", port).output().unwrap();
    let page: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(page["total"], 6, "{page}");
}
