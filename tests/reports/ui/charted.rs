//! The numbers of charts, of one case and of several runs; and the charts in a browser.

use super::api::{assert_fits, encoded};
use super::browser::Browser;
use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;
use crate::support::large_run;
use serde_json::{Value, json};

fn sum(counts: &Value) -> u64 {
    counts.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn histograms_count_every_case() {
    let folder = Folder::new();
    large_run::record(folder.path(), "bot", 20_000);
    let server = Server::start(&folder, &[]);
    let counts = server.json("/api/runs/1/counts?x=score");
    let scored = server.json("/api/runs/1/cases?filter=verdict%3D%3DAC&limit=1")["total"].clone();
    assert_eq!((&counts["total"], json!(sum(&counts["solvers"][0]["counts"]))), (&scored, scored.clone()));
    let points = server.json("/api/runs/1/points?x=score&y=score");
    assert!(points["total"] == scored && points["solvers"][0]["x"].as_array().unwrap().len() <= 5000);
    let some = server.json("/api/runs/1/counts?x=score&filter=cpu_ms%3C0");
    assert_eq!((&some["total"], &some["edges"]), (&json!(0), &json!([])));
}

#[test]
fn axes_are_formulas_of_conditions() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let plain = server.json("/api/runs/2/points?x=k&y=score");
    let formula = server.json(&format!("/api/runs/2/points?x={}&y={}", encoded("log(k)"), encoded("score/(w*h)")));
    let numbers = |document: &Value, axis: &str| -> Vec<f64> {
        document["solvers"][0][axis].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    for (k, log) in numbers(&plain, "x").into_iter().zip(numbers(&formula, "x")) {
        assert!((k.ln() - log).abs() < 1e-9, "{k} {log}");
    }
    let row = server.json("/api/runs/2/cases?limit=1")["rows"][0].clone();
    let of_row = |name: &str| row["features"][name].as_f64().unwrap();
    let expected = row["score"].as_f64().unwrap() / (of_row("w") * of_row("h"));
    assert!((numbers(&formula, "y")[0] - expected).abs() < 1e-9);
    // Conditions take them too, in the page and on the command line.
    let condition = "score/(w*h) > 100 && log(k)<8";
    let filtered = server.json(&format!("/api/runs/2/cases?filter={}", encoded(condition)))["total"].as_u64().unwrap();
    let both = numbers(&formula, "y").into_iter().zip(numbers(&formula, "x"));
    assert_eq!(filtered as usize, both.filter(|(y, x)| *y > 100.0 && *x < 8.0).count());
    let said = folder.judge(&[
        "run",
        "-p",
        "columns",
        "--seeds",
        "1-12",
        "--where",
        "w*h>150",
        "-s",
        "bundled:columns-quickstart",
        "--json",
        "-",
    ]);
    let cases: Value = serde_json::from_str(&said.stdout).unwrap();
    let large = numbers(&server.json(&format!("/api/runs/2/points?x={}&y=k", encoded("w*h"))), "x");
    assert_eq!(cases["cases"].as_array().unwrap().len(), large.into_iter().filter(|size| *size > 150.0).count());
    for wrong in ["score+", "log(score", "nothing*2", "score<1", ""] {
        let answer = server.get(&format!("/api/runs/2/points?x={}&y=score", encoded(wrong)));
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.body);
        assert_fits(&folder, "ui-error", &serde_json::from_str(&answer.body).unwrap());
    }
}

#[test]
fn times_are_rounded_as_in_reports() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let (_, shown) = folder.json(&["history", "show", "2"]);
    let told: Vec<_> = shown["cases"].as_array().unwrap().iter().map(|case| case["cpu_ms"].as_f64()).collect();
    let points = server.json("/api/runs/2/points?x=cpu_ms&y=cpu_ms");
    let drawn: Vec<_> = points["solvers"][0]["x"].as_array().unwrap().iter().map(Value::as_f64).collect();
    assert_eq!(told, drawn);
}

#[test]
fn a_case_has_all_its_results() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let case = server.json("/api/problems/columns/cases/seed-3");
    assert_fits(&folder, "ui-case", &case);
    let results = case["results"].as_array().unwrap();
    let runs: Vec<_> = results.iter().map(|one| one["run"].as_u64().unwrap()).collect();
    assert_eq!((runs, &case["others"], &case["input"]), (vec![3, 3, 2, 1], &json!(0), &json!(true)));
    let (_, best) = folder.json(&["best", "-p", "columns"]);
    let best = best["best"].as_array().unwrap().iter().find(|one| one["case"] == "seed-3").unwrap();
    let place = case["best"].as_u64().unwrap() as usize;
    assert_eq!((&results[place]["score"], &results[place]["relative"]), (&best["score"], &json!(1.0)));
    assert!(results.iter().any(|one| one["code"] == "RE" && one["answer"] == false));
    let input = server.get("/api/runs/2/cases/seed-3/input");
    assert_eq!((input.status, input.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert_eq!(input.body, folder.judge(&["gen", "-p", "columns", "--seed", "3"]).stdout);
    // A case that was never run is known from the catalogue; other cases are not.
    assert_eq!(server.json("/api/problems/columns/cases/seed-40")["results"], json!([]));
    for missing in
        ["/api/problems/columns/cases/none", "/api/problems/none/cases/seed-1", "/api/runs/2/cases/none/input"]
    {
        assert_eq!(server.get(missing).status, 404, "{missing}");
    }
}

#[test]
fn results_of_another_input_are_others() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in\"]\ntrusted = true\n";
    folder.write("problems.toml", problem);
    for (input, message) in [("1\n", "one"), ("2\n", "two")] {
        folder.write("in", input);
        assert_eq!(folder.judge(&["run", "-p", "x", "-s", "cat", "--message", message]).code, Some(0));
    }
    let server = Server::start(&folder, &[]);
    let case = server.json("/api/problems/x/cases/in");
    assert_eq!((case["results"].as_array().unwrap().len(), &case["others"]), (1, &json!(1)));
    assert_eq!(case["results"][0]["message"], "two");
    assert_eq!(server.get("/api/runs/2/cases/in/input").body, "2\n");
    assert_eq!(server.get("/api/runs/1/cases/in/input").status, 400, "it has changed");
    let grid = server.json("/api/grid?runs=run:2%0Arun:1");
    assert_eq!((&grid["columns"][0]["known"], &grid["columns"][1]["known"]), (&json!(1), &json!(0)));
}

#[test]
fn a_grid_is_relative_to_its_best() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let grid = server.json("/api/grid?runs=run:1%0Arun:2&sort=k");
    assert_fits(&folder, "ui-grid", &grid);
    let keys: Vec<_> = grid["keys"].as_array().unwrap().iter().map(|key| key.as_f64().unwrap()).collect();
    assert!(keys.len() == 12 && keys.is_sorted(), "{keys:?}");
    let scores = |run: u32| server.json(&format!("/api/runs/{run}/cases"))["rows"].clone();
    let score = |rows: &Value, name: &Value| {
        rows.as_array().unwrap().iter().find(|row| row["case"] == *name).unwrap()["score"].as_f64().unwrap()
    };
    let (first, second) = (scores(1), scores(2));
    for (place, name) in grid["cases"].as_array().unwrap().iter().enumerate() {
        let (a, b) = (score(&first, name), score(&second, name));
        let share = |column: usize| grid["columns"][column]["relative"][place].as_f64().unwrap();
        assert!((share(0) - a / a.max(b)).abs() < 1e-4 && (share(1) - b / a.max(b)).abs() < 1e-4, "{name}");
    }
    assert_eq!(
        server.json("/api/grid?runs=run:1&filter=k%3C1000")["total"],
        server.json("/api/runs/1/cases?filter=k%3C1000")["total"]
    );
    for (query, told) in [
        ("runs=", "1 to 500"),
        ("runs=run:1&sort=none", "none"),
        ("runs=run:1&filter=k%3C", "found the end"),
        ("runs=./bot", "past runs"),
    ] {
        let answer = server.get(&format!("/api/grid?{query}"));
        assert!(answer.status == 400 && answer.body.contains(told), "{query}: {}", answer.body);
    }
    assert_fits(&folder, "ui-counts", &server.json("/api/runs/3/counts?x=score"));
    assert_fits(&folder, "ui-boxes", &server.json("/api/runs/3/boxes?y=score&by=colors"));
}

#[test]
fn unknown_addresses_and_methods_are_documents() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let answers = [
        (server.get("/api/nothing"), 404),
        (server.get("/api/play/columns"), 405),
        (server.get("/api/runs/%FF"), 400),
        (server.post("/api/runs", &json!({}), &[]), 405),
    ];
    for (answer, status) in answers {
        assert_eq!((answer.status, answer.header("content-type")), (status, "application/json"), "{answer:?}");
        assert_fits(&folder, "ui-error", &serde_json::from_str(&answer.body).unwrap());
    }
}

#[test]
#[ignore = "CI: a browser"]
fn drawing_over_a_chart_filters_the_table() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/runs/2?x=log(k)");
    browser.until("document.querySelectorAll('figure .u-over').length === 2 && document.querySelectorAll('figure svg').length === 1");
    browser.evaluate("document.querySelector('figure').scrollIntoView({ block: 'center' })");
    let over = browser.evaluate("(() => { const { left, top, width, height } = document.querySelector('figure .u-over').getBoundingClientRect(); return [left, top, width, height]; })()");
    let [left, top, width, height] = [0, 1, 2, 3].map(|at| over[at].as_f64().unwrap());
    let ends = [(left + 2.0, top + 2.0), (left + width / 2.0, top + height - 2.0)];
    for (kind, (x, y)) in
        [("mouseMoved", ends[0]), ("mousePressed", ends[0]), ("mouseMoved", ends[1]), ("mouseReleased", ends[1])]
    {
        browser.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 }),
        );
    }
    browser.until("document.querySelector('input').value.includes('log(k)>=')");
    let condition = browser.evaluate("document.querySelector('input').value").as_str().unwrap().to_owned();
    let total = server.json(&format!("/api/runs/2/cases?filter={}", encoded(&condition)))["total"].as_u64().unwrap();
    assert!(total > 0 && total < 12, "{total} of {condition}");
    browser.until(&format!("document.querySelectorAll('.rows .body').length === {total}"));
    assert_eq!(browser.text(".detail"), "", "no case was clicked");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn histograms_draw_numbers_beyond_doubles() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-9\"\n";
    folder.write("problems.toml", problem);
    folder.script("bot", "read -r seed; echo $((9000000000000000 + seed * 3000000000001))");
    assert_eq!(folder.judge(&["run", "-s", "./bot"]).code, Some(0));
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.evaluate("const draw = uPlot; window.drawn = []; uPlot = new Proxy(draw, { construct: (of, given) => (drawn.push(given[1]), new of(...given)) })");
    browser.go("#/runs/1");
    browser.until("document.querySelectorAll('figure .u-over').length === 2 && drawn.length > 1");
    assert_eq!(browser.evaluate("drawn.flat(2).every((one) => one === null || typeof one === 'number')"), json!(true));
}

#[test]
#[ignore = "CI: a browser"]
fn large_numbers_close_together_are_drawn() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-9\"\n";
    folder.write("problems.toml", problem);
    folder.script("one", "read -r seed; echo $((100000000000000000 + seed % 2 * 16))");
    folder.script("other", "echo 1000000000000000480");
    folder.script("huge", "echo 1e400");
    for solvers in [&["-s", "./one"][..], &["-s", "./huge"], &["-s", "./one", "-s", "./other"]] {
        assert_eq!(folder.judge(&[&["run"], solvers].concat()).code, Some(0));
    }
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for (page, charts) in [("#/runs/1", 2), ("#/compare?a=run:3/one&b=run:3/other", 3)] {
        browser.go(page);
        browser.until(&format!("document.querySelectorAll('figure .u-over').length === {charts}"));
    }
    browser.go("#/runs/2");
    browser.until("document.querySelectorAll('.rows .body').length === 9");
    let page = browser.text("main");
    assert!(!page.contains("Infinity") && browser.complaints.is_empty(), "{page}: {:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn pages_show_every_digit_of_a_score() {
    let folder = Folder::new();
    folder.write("problems.toml", "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in\"]\n");
    folder.write("in", "");
    let solvers = ["-s", "one=echo 1234.5678", "-s", "other=echo 1234.5712"];
    assert_eq!(folder.judge(&[&["run"][..], &solvers].concat()).code, Some(0));
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    for (page, scores) in
        [("#/", ".scroll tbody"), ("#/runs/1", ".rows"), ("#/compare?a=run:1/one&b=run:1/other", "main")]
    {
        browser.go(page);
        let shows = |score| format!("document.querySelector('{scores}').innerText.includes('{score}')");
        browser.until(&format!("{} && {}", shows("1234.5678"), shows("1234.5712")));
    }
}

#[test]
#[ignore = "CI: a browser"]
fn charts_are_saved_as_three_kinds() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.evaluate("window.saved = []; HTMLAnchorElement.prototype.click = function () { const { download, href } = this; saved.push([download]); fetch(href).catch(() => {}); const at = saved.length - 1; window.blobs[href]?.text().then((text) => saved[at].push(text)); }; window.blobs = {}; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { const href = make.call(URL, blob); window.blobs[href] = blob; return href; };");
    browser.go("#/runs/3");
    browser.until("document.querySelectorAll('figure .u-over').length === 2 && document.querySelectorAll('figure svg').length === 1");
    browser.evaluate("for (const button of document.querySelectorAll('figure .save button')) button.click()");
    browser.until("saved.length === 9 && saved.every((one) => one.length === 2)");
    let saved = browser.evaluate("saved.map(([name, text]) => [name, text.slice(0, 60), text])");
    let starts = |name: &str| {
        let found = saved.as_array().unwrap().iter().find(|one| one[0] == name);
        found.unwrap_or_else(|| panic!("{name}: {saved}")).clone()
    };
    for title in ["cases", "how-often", "by-feature"] {
        assert!(starts(&format!("{title}.svg"))[1].as_str().unwrap().starts_with("<svg xmlns="));
        assert!(starts(&format!("{title}.png"))[1].as_str().unwrap().contains("PNG"));
    }
    let csv = starts("cases.csv")[2].as_str().unwrap().to_owned();
    assert!(csv.starts_with("solver,case,cpu_ms,score\n") && csv.lines().count() == 7, "{csv}");
    let svg = starts("cases.svg")[2].as_str().unwrap().to_owned();
    assert_eq!(svg.matches("<circle").count(), 6, "a point for each accepted case");
    assert!(!svg.contains("<script>hacked"));
}

#[test]
#[ignore = "CI: a browser"]
fn a_grid_takes_many_runs_and_cases() {
    let folder = Folder::new();
    for name in ["one", "two"] {
        large_run::record(folder.path(), name, 2_000);
    }
    let server = Server::start(&folder, &[]);
    let grid = server.json(&format!("/api/grid?runs={}", ["run:1", "run:2"].repeat(30).join("%0A")));
    assert_eq!(grid["columns"].as_array().unwrap().len(), 60);
    assert_eq!((grid["cases"].as_array().unwrap().len(), &grid["total"]), (2_000, &json!(2_000)));
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go(&format!("#/grid?runs={}", ["run%3A1", "run%3A2"].repeat(30).join("%0A")));
    browser.until("document.querySelector('.heat')?.getAttribute('aria-rowcount') === '2001'");
    // Only the visible part is drawn, and the last cell can be reached.
    browser.evaluate("document.querySelector('.heat').focus()");
    browser.evaluate("document.querySelector('.heat').dispatchEvent(new KeyboardEvent('keydown', { key: 'End', ctrlKey: true, bubbles: true }))");
    assert!(browser.text("#cell").starts_with("seed-2000, two of run 2: "), "{}", browser.text("#cell"));
    let seen = browser.evaluate("(() => { const { clientHeight, scrollTop, scrollHeight } = document.querySelector('.heat'); return [scrollTop + clientHeight >= scrollHeight - 1, document.querySelector('.heat canvas').height <= clientHeight * devicePixelRatio]; })()");
    assert_eq!(seen, json!([true, true]));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
#[ignore = "CI: a browser"]
fn the_map_is_walked_by_keys() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    let Some(mut browser) = Browser::open(&server) else { return };
    browser.go("#/grid?runs=run%3A1%0Arun%3A2&sort=k");
    browser.until("document.querySelector('.heat')?.getAttribute('aria-rowcount') === '13'");
    browser.tab_to(".heat");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('.heat [tabindex], .heat button, .heat a').length"),
        json!(0)
    );
    for key in ["ArrowDown", "ArrowRight", "ArrowRight"] {
        browser.press(key);
    }
    let names = server.json("/api/grid?runs=run:1%0Arun:2&sort=k")["cases"].clone();
    let name = names[1].as_str().unwrap();
    let said = browser.text("#cell");
    assert!(said.starts_with(&format!("{name}, columns-greedy of run 2: ")) && said.ends_with(" %"), "{said}");
    assert!(browser.text(".hint").contains(name));
    browser.press("Enter");
    browser.until(&format!("location.hash.startsWith('#/runs/2?') && location.hash.includes('case={name}')"));
    browser.evaluate("history.back()");
    browser.until(&format!("(document.querySelector('#cell')?.innerText ?? '') === {}", json!(said)));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}
