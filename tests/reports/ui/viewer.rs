//! The game viewer: the page's data match the game, and a real browser plays it.

use super::browser::{chromium, headless};
use crate::support::large_run;
use crate::support::require::{Need, skip};
use crate::support::{Folder, of_cases};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The answer to the statement's sample of `columns`, worth 141.
const SAMPLE_ANSWER: &str = "11\n1 0\n2 0\n3 0\n3 0\n4 0\n5 0\n6 0\n6 0\n1 0\n2 0\n3 0\n";

fn sample_page(folder: &Folder, more: &[&str]) -> String {
    folder.write("answer", SAMPLE_ANSWER);
    let arguments = ["view", "-p", "columns", "--seed", "1", "--output", "answer", "--html", "game.html"];
    let said = folder.judge(&[&arguments[..], more].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    std::fs::read_to_string(folder.path().join("game.html")).unwrap()
}

fn data(page: &str) -> Value {
    let data = page.split("<script type=\"application/json\" id=\"game\">").nth(1).unwrap();
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

/// The expected content of the page at each frame: the move, the points, the caption and the board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Scene {
    step: u64,
    points: String,
    caption: String,
    board: String,
}

fn scenes(data: &Value) -> Vec<Scene> {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let (mut width, mut looks, mut scene) = (0, Vec::new(), Scene::default());
    let frames = data["frames"].as_array().unwrap().iter();
    let next = |frame: &Value| {
        if let Some(cells) = frame.get("n") {
            (width, looks) = (number(&frame["w"]), vec![0; number(cells)]);
        }
        let mut place = 0;
        for change in frame.get("c").and_then(Value::as_array).map_or(&[][..], Vec::as_slice).chunks(2) {
            place += number(&change[0]);
            looks[place] = number(&change[1]);
        }
        let text = |look: &usize| data["cells"][*look][0].as_str().unwrap_or(".").to_owned();
        let rows = looks.chunks(width).map(|row| row.iter().map(text).collect::<Vec<_>>().join(" "));
        scene.board = rows.collect::<Vec<_>>().join("\n");
        scene.step = frame.get("s").map_or(scene.step, |step| step.as_u64().unwrap());
        scene.points = frame.get("p").map_or(scene.points.clone(), |points| points.as_str().unwrap().to_owned());
        scene.caption = data["captions"][number(&frame["t"])].as_str().unwrap().to_owned();
        scene.clone()
    };
    frames.map(next).collect()
}

#[test]
fn a_game_page_is_self_contained() {
    let folder = Folder::new();
    let page = sample_page(&folder, &[]);
    // The licence of the chart library names its origin.
    let licence = "/*! https://github.com/leeoniya/uPlot (";
    assert_eq!(page.matches(licence).count(), 1);
    let page = page.replace(licence, "");
    for word in ["http:", "https:", "src=", "href=", "@import", "fetch("] {
        assert!(!page.contains(word), "the page loads something: {word}");
    }
    assert!(page.contains("accepted 141"));
    let scenes = scenes(&data(&page));
    assert_eq!((scenes[0].step, &*scenes[0].points), (0, "0"));
    let last = scenes.last().unwrap();
    assert_eq!((last.step, &*last.points), (11, "141"));
    assert!(last.board.ends_with("a b a b c c"), "{}", last.board);
}

#[test]
fn part_of_a_game_equals_the_whole() {
    let folder = Folder::new();
    let whole = scenes(&data(&sample_page(&folder, &[])));
    let part = scenes(&data(&sample_page(&folder, &["--from", "4", "--to", "8"])));
    let expected: Vec<_> = whole.into_iter().filter(|scene| (4..=8).contains(&scene.step)).collect();
    assert_eq!(part, expected);
    let arguments = ["view", "-p", "columns", "--seed", "1", "--output", "answer", "--html", "x.html", "--from", "99"];
    let said = folder.judge(&arguments);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("--from and --to take 0 to 11"), "{}", said.stderr);
    assert!(!folder.path().join("x.html").exists());
}

#[test]
fn the_viewed_game_agrees_with_the_run() {
    let folder = Folder::new();
    let solver = "bundled:columns-quickstart";
    let (_, report) = folder.json(&["run", "-p", "columns", "-s", solver, "--seeds", "3"]);
    let said = folder.judge(&["view", "-p", "columns", "-s", solver, "--seed", "3", "--html", "-"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let points = scenes(&data(&said.stdout)).pop().unwrap().points;
    assert_eq!(of_cases(&report, "score")[0].to_string(), points);
}

#[test]
fn rejected_answers_are_shown_until_rejection() {
    let folder = Folder::new();
    folder.write("board", "2\nAB\nAB\n");
    folder.write("answer", "2\n0 0\n9 9\n");
    let game = ["view", "-p", "same-game-free", "--input", "board", "--output", "answer"];
    let said = folder.judge(&[&game[..], &["--html", "game.html"]].concat());
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let page = std::fs::read_to_string(folder.path().join("game.html")).unwrap();
    assert!(page.contains("rejected line 3, column 1, move 2"), "{}", said.stderr);
    assert!(scenes(&data(&page)).len() > 1);
    let said = folder.judge(&[&game[..], &["--html", "missing/game.html"]].concat());
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("mkdir -p missing"), "{}", said.stderr);
}

#[test]
fn rejected_columns_are_shown_until_rejection() {
    let folder = Folder::new();
    folder.write("case", "6 13\n3\nabc\nabc\nabc\n");
    folder.write("answer", "3\n1 0\n2 0\n9 0\n");
    let said = folder.judge(&["view", "-p", "columns", "--input", "case", "--output", "answer", "--text"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stdout.contains("move 2 · total 0\nabc lands in column 2\n"), "{}", said.stdout);
    assert!(!said.stdout.contains("move 3"), "{}", said.stdout);
}

/// A game of `same-game-free` with two moves. The second is not possible.
fn small_game(folder: &Folder) -> [&'static str; 8] {
    folder.write("board", "2\nAB\nAB\n");
    folder.write("answer", "2\n0 0\n9 9\n");
    ["view", "-p", "same-game-free", "--input", "board", "--output", "answer", "--text"]
}

#[test]
fn in_plain_characters_every_frame_is_printed() {
    let folder = Folder::new();
    let said = folder.judge(&small_game(&folder));
    assert_eq!((said.code, said.stderr.contains("rejected line 3, column 1, move 2")), (Some(1), true));
    let frames: Vec<_> = said.stdout.trim_end().split("\n\n").collect();
    assert!(frames[0].starts_with("move 0 · total 0\n") && frames[0].ends_with("\n A  B\n A  B"), "{}", said.stdout);
    assert!(frames.last().unwrap().starts_with("move 1 · total"), "{}", said.stdout);

    folder.write("answer", SAMPLE_ANSWER);
    let columns = ["view", "-p", "columns", "--seed", "1", "--output", "answer", "--text", "--from", "2", "--to", "3"];
    let said = folder.judge(&columns);
    let page = scenes(&data(&sample_page(&folder, &["--from", "2", "--to", "3"])));
    let heads: Vec<_> = said.stdout.trim_end().split("\n\n").map(|frame| frame.lines().next().unwrap()).collect();
    assert_eq!(heads.len(), page.len());
    for (head, scene) in heads.iter().zip(&page) {
        let expected = format!("move {} · total {}", scene.step, scene.points);
        assert!(*head == expected || head.starts_with(&format!("{expected} (+")), "{head}: {scene:?}");
    }
    let said = folder.judge(&["view", "-p", "columns", "--seed", "1"]);
    assert!(said.code == Some(2) && said.stderr.contains("--html <PATH>|--text"), "{}", said.stderr);
}

#[test]
fn on_a_terminal_keys_step_through_the_game() {
    let folder = Folder::new();
    let words = small_game(&folder).join(" ");
    let command = format!("{} {words}", env!("CARGO_BIN_EXE_judge"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(folder.path());
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut script = match script.spawn() {
        Ok(script) => script,
        Err(error) => return skip(Need::Script, format!("no terminal to look at: {error}")),
    };
    let mut keys = script.stdin.take().unwrap();
    let mut shown = script.stdout.take().unwrap();
    let mut text = String::new();
    // Sends each key once the frame before it is shown. Earlier output would be parsed as lines of text.
    for (awaited, key) in [("frame 1 of", "\x1b[C"), ("frame 2 of", "\x1b[D"), ("frame 1 of", "G"), ("rejected", "q")] {
        let mut new = String::new();
        while !new.contains(awaited) {
            let mut bytes = [0; 4096];
            let count = shown.read(&mut bytes).unwrap();
            assert!(count > 0, "{awaited} does not come: {text}{new}");
            new.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        text.push_str(&new);
        keys.write_all(key.as_bytes()).unwrap();
    }
    shown.read_to_string(&mut text).unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(1), "{text}");
    let left = text.rsplit("\x1b[?1049l").next().unwrap();
    assert!(left.contains("rejected line 3") && !left.contains("frame"), "the screen is as before: {text:?}");
}

#[test]
fn what_cannot_be_shown_is_said() {
    let folder = Folder::new();
    folder.write("problems.toml", "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in\"]\n");
    folder.write("in", "1\n");
    let view = ["view", "-p", "x", "--input", "in", "--html", "x.html"];
    let said = folder.judge(&[&view[..], &["-s", "cat"]].concat());
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("there is no move to show: accepted 1"), "{}", said.stderr);
    folder.write("x.out", "x\n");
    let bad = ["view", "--problems", "builtin", "-p", "columns", "--seed", "1", "--output", "x.out", "--text"];
    let said = folder.judge(&bad);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the playfield is empty") && said.stderr.starts_with("rejected"), "{}", said.stderr);
    folder.script("broken", "exit 1");
    let said = folder.judge(&[&view[..], &["-s", "./broken"]].concat());
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("`broken` gave no answer to show: runtime-error: exit code 1"), "{}", said.stderr);
}

#[test]
fn ten_thousand_moves_fit_into_two_megabytes() {
    let folder = Folder::new();
    let answer = (0..10_000).map(|turn| format!("{} {} {}\n", turn % 7, turn % 8, 1 + turn % 2)).collect::<String>();
    folder.write("answer", answer);
    let view = ["view", "-p", "square-remover", "--seed", "2", "--output", "answer", "--html", "game.html"];
    let said = folder.judge(&view);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let page = std::fs::read_to_string(folder.path().join("game.html")).unwrap();
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert_eq!(scenes(&data(&page)).last().unwrap().step, 10_000);
}

/// Opens a page, and returns its content after some seconds of the page's own time.
fn opened(chromium: &Path, folder: &Folder, url: &str) -> String {
    let mut child = headless(chromium, &folder.path().join("profile"))
        .args(["--virtual-time-budget=8000", "--dump-dom", url])
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let (sender, parts) = mpsc::channel();
    let mut output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        while let Ok(length @ 1..) = output.read(&mut buffer) {
            let _ = sender.send(buffer[..length].to_vec());
        }
    });
    let mut content = Vec::new();
    // On a busy machine, a browser that has written the page may not end.
    while !content.trim_ascii_end().ends_with(b"</html>") {
        match parts.recv_timeout(Duration::from_secs(120)) {
            Ok(part) => content.extend(part),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                panic!("the browser writes nothing: {}", String::from_utf8_lossy(&content))
            }
        }
    }
    // With its helpers, which hold its output open: one that is left makes the profile again. All may have ended.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    child.wait().unwrap();
    reader.join().unwrap();
    String::from_utf8(content).unwrap()
}

#[test]
fn a_browser_opens_run_pages_without_errors() {
    let Some(chromium) = chromium() else { return };
    let folder = Folder::new();
    folder.script("broken", "exit 3");
    let run = ["run", "-p", "columns", "-s", "bundled:columns-quickstart", "-s", "./broken", "--seeds", "1-5"];
    assert_eq!(folder.judge(&[&run[..], &["--group-by", "colors", "--html", "run.html"]].concat()).code, Some(1));
    let page = std::fs::read_to_string(folder.path().join("run.html")).unwrap();
    // All console messages are recorded: errors, failed loads, and logs. The last script breaks an additional rule, so
    // that an empty list of messages would reveal a mistake of the test.
    let listen = "<script>const complaints = [];\
         addEventListener('error', (event) => complaints.push(event.message || event.target.outerHTML), true);\
         addEventListener('unhandledrejection', (event) => complaints.push(String(event.reason)));\
         for (const level of ['error', 'warn']) console[level] = (...words) => complaints.push(words.join(' '));</script>";
    let tell = "<script>addEventListener('load', () => { for (const button of document.querySelectorAll('button, th, summary')) button.click();\
         setTimeout(() => { throw new Error('the control'); }, 500);\
         setTimeout(() => { document.title = JSON.stringify(complaints); }, 2000); });</script>";
    let (head, body) = (page.matches("<head>").count(), page.matches("</body>").count());
    assert_eq!((head, body), (1, 1));
    folder.write(
        "opened.html",
        page.replace("<head>", &format!("<head>{listen}")).replace("</body>", &format!("{tell}</body>")),
    );
    let dump = opened(&chromium, &folder, &format!("file://{}", folder.path().join("opened.html").display()));
    let title = dump.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert_eq!(title, r#"["Uncaught Error: the control"]"#);
    assert!(dump.contains("columns-quickstart") && dump.contains("runtime-error"), "{dump}");
}

/// The rows of a large run are drawn as they are scrolled, sorted and filtered.
#[test]
#[ignore = "CI: a browser"]
fn run_pages_draw_only_visible_rows() {
    let Some(chromium) = chromium() else { return };
    let folder = Folder::new();
    large_run::record(folder.path(), "bot", 3_000);
    assert_eq!(folder.judge(&["history", "show", "1", "--html", "run.html"]).code, Some(0));
    let page = std::fs::read_to_string(folder.path().join("run.html")).unwrap();
    assert!(!page.contains("<td class=\"word\">seed-1</td>"), "the rows are data");
    // The drawings are recorded: at first, at the end, by score, and of failed cases.
    let script = "<script>const seen = [];\
         const note = () => { draw(); const cells = body.rows[0].cells;\
           seen.push([place.textContent, body.rows.length < 100, ...[0, 1, 2].map((column) => cells[column].textContent)]); };\
         note(); view.scrollTop = space.clientHeight; draw();\
         seen.push([...body.rows].some((row) => row.cells[0].textContent === 'seed-3000'));\
         view.scrollTop = 0; const titles = drawn.querySelectorAll('th'); titles[2].click(); titles[2].click(); note();\
         const failures = document.getElementById('failures'); failures.checked = true; failures.dispatchEvent(new Event('change'));\
         note(); body.querySelector('summary').click();\
         seen.push([body.querySelector('details').open, body.querySelector('code').textContent]);\
         document.title = JSON.stringify(seen);</script>";
    folder.write("drawn.html", page.replace("</body>", &format!("{script}</body>")));
    let dump = opened(&chromium, &folder, &format!("file://{}", folder.path().join("drawn.html").display()));
    let title = dump.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    let seen: Value = serde_json::from_str(&title.replace("&amp;", "&"))
        .unwrap_or_else(|error| panic!("the page's script failed: {error}: {title}"));
    let last = |place: usize| seen[place][0].as_str().unwrap().rsplit(' ').next().unwrap().to_owned();
    assert_eq!((last(0), last(2), last(3)), ("3000".to_owned(), "3000".to_owned(), "60".to_owned()), "{seen}");
    assert_eq!((&seen[0][1], &seen[0][2], &seen[0][3]), (&json!(true), &json!("seed-1"), &json!("AC")), "{seen}");
    assert_eq!(seen[1], json!(true), "{seen}");
    let best = seen[2][4].as_str().unwrap().parse::<u64>().unwrap();
    assert!(best > 990_000, "{seen}");
    assert_eq!(seen[3][3], json!("WA"), "{seen}");
    assert_eq!(seen[4][0], json!(true), "{seen}");
    assert!(seen[4][1].as_str().unwrap().starts_with("judge run -p columns -s ./bot --seeds "), "{seen}");
}

#[test]
fn a_browser_plays_the_game() {
    let Some(chromium) = chromium() else { return };
    let folder = Folder::new();
    let page = sample_page(&folder, &[]);
    let scenes = scenes(&data(&page));
    // The content of the page is recorded after each key, and at last when it has played to the end.
    let keys = ["ArrowRight", "ArrowRight", "PageDown", "End", "ArrowLeft", "PageUp", "Home", "ArrowLeft", " "];
    let script = format!(
        "<script>const notes = [];\
         const note = () => notes.push(['position', 'move', 'points', 'caption', 'text'].map((id) => $(id).textContent));\
         note();\
         for (const key of {}) {{ dispatchEvent(new KeyboardEvent('keydown', {{ key }})); note(); }}\
         setTimeout(() => {{ note(); const canvas = $('board'), pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;\
         const colors = new Set(); for (let i = 0; i < pixels.length; i += 4) colors.add(pixels.slice(i, i + 3).join());\
         document.body.innerHTML = '<pre id=\"notes\">' + JSON.stringify([notes, colors.size]) + '</pre>'; }}, 6000);</script>",
        json!(keys)
    );
    folder.write("played.html", page.replace("</body>", &format!("{script}</body>")));
    let url = format!("file://{}#frame=4", folder.path().join("played.html").display());
    let dump = opened(&chromium, &folder, &url);
    let notes = dump.split("<pre id=\"notes\">").nth(1).unwrap_or_else(|| panic!("the page's script failed: {dump}"));
    let notes: Value = serde_json::from_str(notes.split("</pre>").next().unwrap()).unwrap();

    let starts = |index: usize| index == 0 || scenes[index].step != scenes[index - 1].step;
    let next_move = (6..scenes.len()).find(|&index| starts(index)).unwrap();
    let last = scenes.len() - 1;
    let before = (0..last - 1).rev().find(|&index| starts(index)).unwrap();
    let expected = [3, 4, 5, next_move, last, last - 1, before, 0, 0, 0, last];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|index| {
            let Scene { step, points, caption, board } = &scenes[index];
            json!([format!("frame {} of {}", index + 1, scenes.len()), step.to_string(), points, caption, board])
        })
        .collect();
    assert_eq!(notes[0], json!(expected));
    assert!(notes[1].as_u64().unwrap() > 5, "the board is not drawn: {} colours", notes[1]);
}

#[test]
fn a_frame_is_drawn_as_svg() {
    let folder = Folder::new();
    folder.write("answer", SAMPLE_ANSWER);
    let view =
        |more: &[&str]| folder.judge(&[&["view", "-p", "columns", "--seed", "1", "--output", "answer"], more].concat());
    let all = scenes(&data(&sample_page(&folder, &[])));
    for step in [0, 3, 11] {
        let said = view(&["--svg", "-", "--step", &step.to_string()]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let scene = all.iter().rfind(|scene| scene.step == step).unwrap();
        let pieces = scene.board.split_whitespace().filter(|cell| *cell != ".").count();
        assert!(
            said.stdout.starts_with("<svg ") && said.stdout.contains(&format!("{} points", scene.points)),
            "{}",
            said.stdout
        );
        assert!(said.stdout.contains(&format!("move {step}: {}", scene.caption)), "{}", said.stdout);
        // Two texts of the head, and one for each piece.
        assert_eq!(said.stdout.matches("<text").count(), pieces + 2, "{}", said.stdout);
    }
    assert_eq!(view(&["--svg", "-"]).stdout, view(&["--svg", "-", "--step", "11"]).stdout, "the last move by default");
    let said = view(&["--svg", "frame.svg", "--step", "12"]);
    assert!(said.code == Some(2) && said.stderr.contains("--step takes 0 to 11"), "{}", said.stderr);
    assert!(!folder.path().join("frame.svg").exists());
}

#[test]
fn a_board_that_is_a_thousand_wide_is_drawn() {
    let folder = Folder::new();
    folder.write("answer", "0\n");
    let view = |more: &[&str]| {
        folder.judge(&[&["view", "-p", "deletion-game", "--seed", "7", "--output", "answer", "--svg"], more].concat())
    };
    let said = view(&["board.svg"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let svg = std::fs::read_to_string(folder.path().join("board.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("width=\"4032\"") && svg.len() < 25_000_000, "{}", svg.len());
    for step in ["-1", "x", "1.5", "99999999999999999999"] {
        let said = view(&["-", &format!("--step={step}")]);
        assert!(said.code == Some(2) && said.stderr.contains("--step"), "{step}: {}", said.stderr);
    }
}

#[test]
#[ignore = "long: every game is solved"]
fn every_game_is_drawn_at_any_move() {
    let folder = Folder::new();
    for problem in checkers::all().iter().map(|checker| checker.id) {
        let solver = match problem {
            "columns" => "bundled:columns-quickstart".to_owned(),
            "square-remover" | "same-game-free" | "deletion-game" => format!("bundled:{problem}-plain"),
            exact => format!("bundled:{exact}"),
        };
        let said = folder.judge(&["run", "-p", problem, "-s", &solver, "--seeds", "2"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let view = |more: &[&str]| {
            folder.judge(&[&["view", "--run", "last", "--case", "seed-2", "--svg", "-"], more].concat())
        };
        let beyond = view(&["--step", "99999999"]);
        assert_eq!(beyond.code, Some(2), "{problem}: {}", beyond.stderr);
        let (_, last) = beyond.stderr.split_once("--step takes 0 to ").unwrap_or_else(|| panic!("{}", beyond.stderr));
        let [first, end, usual] = [&["--step", "0"][..], &["--step", last.trim()], &[]].map(view);
        for said in [&first, &end] {
            assert!(said.code == Some(0) && said.stdout.starts_with("<svg "), "{problem}: {}", said.stderr);
        }
        assert_ne!(first.stdout, end.stdout, "{problem}");
        assert_eq!(end.stdout, usual.stdout, "{problem}: the last move by default");
    }
}
