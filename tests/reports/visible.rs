//! Texts of solvers, checkers, files and other journals are shown and never interpreted: none of their control
//! characters reaches a terminal or a report, and none of their lines looks like the judge's.

use crate::support::require::{Need, skip};
use crate::support::{Folder, of_cases};
use judge_problem::is_hidden;
use std::path::PathBuf;
use std::process::Command;

/// Sets a terminal's title, goes back to the line's start, clears the screen twice, and writes backwards.
const EVIL: &str = "\u{1b}]0;title\u{7}\r\u{1b}[2J\u{9b}2J\u{202e}";

/// The same, and a line that imitates the judge's.
fn forgery() -> String {
    format!("{EVIL}\nFORGED seed-1  AC  100")
}

/// A problem whose checker repeats its input, with cases and solvers that have malicious names.
struct Scene {
    folder: Folder,
    case: PathBuf,
    solver: String,
}

fn scene() -> Scene {
    let folder = Folder::new();
    let case = folder.write(&format!("cases/a{}.in", forgery()), "1\n");
    folder.write("cases/b.in", "2\n");
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nchecker-command = \"./check {input} {answer}\"\ninputs = [\"cases/*.in\"]\n\
         generator-command = \"echo {seed}\"\n",
    );
    // Accepts answers that are numbers, and repeats the others.
    folder.script("check", "grep -qx '[0-9]*' \"$2\" && cat \"$2\" || { cat \"$2\"; exit 1; }");
    // On the second case it fails, loudly.
    let say = format!("cat <<'END'\n{}\nEND", forgery());
    let body = format!("read n\nsay() {{\n{say}\n}}\n[ $n = 1 ] && say && exit\nsay >&2; exit 3");
    let solver = folder.script(&format!("bot{}", forgery()), &body);
    let solver = shell_words::quote(&format!("./{}", solver.file_name().unwrap().to_str().unwrap())).into_owned();
    Scene { folder, case, solver }
}

fn assert_visible(text: &str, what: &str) {
    assert_none_hidden(text, what);
    assert!(!text.lines().any(|line| line.trim_start().starts_with("FORGED")), "{what}: {text}");
}

fn assert_none_hidden(text: &str, what: &str) {
    let hidden: Vec<char> = text.chars().filter(|c| is_hidden(*c) && !matches!(c, '\n' | '\t')).collect();
    assert!(hidden.is_empty(), "{what}: {hidden:?} in {text:?}");
}

impl Scene {
    fn run(&self, more: &[&str]) -> Vec<String> {
        let run = ["run", "-p", "echo", "-s", &self.solver];
        run.iter().chain(more).map(|&word| word.to_owned()).collect()
    }

    /// Runs the judge, whose output must contain nothing hidden, and returns its standard output.
    fn shown(&self, arguments: &[String], code: i32) -> String {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let said = self.folder.judge(&arguments);
        assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.stdout, said.stderr);
        assert_visible(&said.stdout, &format!("{arguments:?}"));
        assert_visible(&said.stderr, &format!("{arguments:?}"));
        said.stdout
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn tables_and_reports_obey_no_control_characters() {
    let scene = scene();
    let table = scene.shown(&scene.run(&[]), 1);
    assert!(table.contains("rejected") || table.contains("wrong-answer"), "{table}");
    assert!(table.contains(r"    | \x1b]0;title\x07\r\x1b[2J\u{9b}2J\u{202e}"), "standard error: {table}");
    assert!(table.contains("    | FORGED"), "{table}");
    for flag in ["--markdown", "--csv", "--json", "--jsonl"] {
        let text = scene.shown(&scene.run(&[flag, "-"]), 1);
        assert!(text.contains("title") && text.contains("FORGED"), "{flag}: {text}");
    }
    // Standard error has a separate place in these, with its own lines.
    for (flag, place) in [("--html", "<pre>"), ("--junit", "<system-err>")] {
        scene.shown(&scene.run(&[flag, "report"]), 1);
        let text = scene.read("report");
        assert_none_hidden(&text, flag);
        let lines = format!("{place}\\x1b]0;title\\x07\\r\\x1b[2J\\u{{9b}}2J\\u{{202e}}\nFORGED seed-1  AC  100");
        assert!(text.contains(&lines), "{flag}: {text}");
        assert_visible(&text.replace(&lines, ""), flag);
    }
    // Scripts get every character.
    let (_, report) = scene.folder.json(&["run", "-p", "echo", "-s", &scene.solver]);
    assert_eq!(of_cases(&report, "case")[0], &format!("a{}", forgery()));
    assert_eq!(report["cases"][1]["stderr"], forgery());
    let solver = scene.solver.as_str();
    assert_eq!(report["cases"][0]["solver"], solver);
}

#[test]
fn foreign_journals_inject_no_control_characters() {
    let scene = scene();
    let good = scene.folder.script(&format!("good{EVIL}"), "cat");
    let good = good.display().to_string();
    let two = ["run", "-p", "echo", "-s", &scene.solver, "-s", &good];
    assert!(scene.shown(&words(&two), 1).contains("good"));
    for command in [
        &["history"][..],
        &["history", "show", "last"],
        &["best", "-p", "echo"],
        &["rescore", "last", "--score", "mean"],
        &["history", "--json", "-"],
        &["history", "show", "last", "--json", "-"],
    ] {
        assert!(scene.shown(&words(command), 0).contains(r"title"), "{command:?}");
    }
    assert!(scene.shown(&words(&["check", "--run", "last"]), 0).contains("as recorded"));
    scene.shown(&words(&["best", "-p", "echo", "--export", "best.json"]), 0);
    let hostile = scene.read("best.json").replace("\"host\": \"", r#""host": "\u001b[2J\nFORGED"#);
    scene.folder.write("best.json", hostile.replace("\"score\": 1", "\"score\": 7"));
    scene.shown(&words(&["best", "-p", "echo", "--import", "best.json"]), 0);
    assert!(scene.shown(&words(&["best", "-p", "echo"]), 0).contains(r"\x1b[2J\nFORGED"));
}

#[test]
fn nothing_in_comparisons_and_gates_is_obeyed() {
    let scene = scene();
    let good = scene.folder.script(&format!("good{EVIL}"), "cat").display().to_string();
    let better = scene.folder.script("better", "read n; echo $((n + 1))").display().to_string();
    let compare = ["compare", "-p", "echo", &good, &better, &scene.solver];
    for more in [&[][..], &["--json", "-"]] {
        let text = scene.shown(&words(&[&compare[..], more].concat()), 1);
        assert!(text.contains("fails on") && text.contains("title"), "{text}");
    }
    scene.shown(&words(&["baseline", "-p", "echo", "-s", &better, "--output", "baseline.toml"]), 0);
    for more in [&[][..], &["--json", "-"], &["--junit", "-"], &["--markdown", "-"]] {
        let gate = ["gate", "--baseline", "baseline.toml", "-s", &good];
        let text = scene.shown(&words(&[&gate[..], more].concat()), 1);
        assert!(text.contains("worse") && text.contains("title"), "{text}");
    }
    let tune = ["tune", "-p", "echo", "-s", &format!("{good} {{x}}"), "--param", "x=1..2:int", "--budget", "12"];
    scene.shown(&words(&tune), 0);
}

#[test]
fn a_quoted_answer_is_one_line() {
    let scene = scene();
    let case = scene.case.display().to_string();
    scene.folder.write("answer", forgery());
    let check = ["check", "-p", "echo", "--input", &case, "--output", "answer"];
    let said = scene.shown(&words(&check), 1);
    assert_eq!(said, "rejected answer: \\x1b]0;title\\x07\\r\\x1b[2J\\u{9b}2J\\u{202e}\n");
    std::fs::copy(scene.folder.path().join("answer"), scene.case.with_extension("out")).unwrap();
    scene.folder.write("cases/b.out", "2\n");
    let said = scene.shown(&words(&["check", "-p", "echo", "--dir", "cases"]), 1);
    assert!(said.contains(r"FORGED") && said.lines().count() == 4, "{said}");

    scene.folder.write("problems.toml", "");
    let said = scene.shown(&words(&["check", "-p", "columns", "--seed", "1", "--output", "answer"]), 2);
    assert_eq!(said, "");
    let plain = Folder::new();
    plain.write("answer", "1\n\u{1b}]0;x\u{7}\n");
    let said = plain.judge(&["check", "-p", "columns", "--seed", "1", "--output", "answer"]);
    assert!(said.stdout.contains(r"found `\x1b]0;x\x07`"), "{}", said.stdout);
}

#[test]
fn compiler_output_cannot_imitate_the_judge() {
    let scene = scene();
    for arguments in [
        &["run", "-p", "echo", "--inputs", &format!("missing{}", forgery())][..],
        &["run", "-p", &forgery()],
        &["check", "-p", "echo", "--seed", "1", "--output", &forgery()],
        &["history", "show", "last"],
        &["gate", "-s", "./x", "--baseline", &forgery()],
        &["solve", &forgery()],
    ] {
        let said = scene.folder.judge(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert_visible(&said.stderr, &format!("{arguments:?}"));
    }
    let Ok(_) = Command::new("gcc").arg("--version").output() else { return skip(Need::Cc, "there is no gcc") };
    scene.folder.write("bot.c", format!("#error {EVIL}\n#define x \\\nFORGED seed-1 AC\nint main() {{ x }}\n"));
    let said = scene.shown(&words(&["run", "-p", "echo", "-s", "bot.c"]), 1);
    assert!(said.contains("compile-error") && said.contains(r"\x1b]0;title"), "{said}");
    let view = ["view", "-p", "columns", "--problems", "none.toml", "--seed", "1", "-s", "bot.c", "--html", "x.html"];
    scene.folder.write("none.toml", "[[problem]]\nid = \"columns\"\nchecker = \"columns\"\nseeds = \"1\"\n");
    assert!(scene.shown(&words(&view), 2).is_empty());
}

#[test]
fn spreadsheets_do_not_compute_what_a_checker_says() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"./check {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1\"\n",
    );
    folder.script("check", "cat \"$1\"; exit 1");
    folder.script("bot", "echo '=cmd(\"calc\")'");
    let said = folder.judge(&["run", "-p", "p", "-s", "./bot", "--csv", "-"]);
    let mut rows = csv::Reader::from_reader(said.stdout.as_bytes());
    let row: std::collections::HashMap<String, String> = rows.deserialize().next().unwrap().unwrap();
    assert_eq!(row["note"], "'=cmd(\"calc\")");
}

/// Runs the judge in a terminal, and returns the terminal's input; `None` if there is no `script`.
fn in_a_terminal(folder: &Folder, arguments: &str) -> Option<String> {
    let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_judge"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder.path());
    script.env_remove("NO_COLOR").env_remove("CLICOLOR").env("TERM", "xterm");
    match script.output() {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")),
        Err(error) => {
            skip(Need::Script, format!("no terminal to look at: {error}"));
            None
        }
    }
}

#[test]
fn on_terminals_only_colours_are_obeyed() {
    let scene = scene();
    let run = scene.run(&[]).iter().map(|word| shell_words::quote(word).into_owned()).collect::<Vec<_>>().join(" ");
    let Some(seen) = in_a_terminal(&scene.folder, &format!("{run} 2> stderr")) else { return };
    assert!(seen.contains("\u{1b}[31m") && seen.contains(r"\x1b]0;title\x07"), "{seen:?}");
    let seen = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&seen, "").into_owned();
    assert_visible(&seen, "the table");
    assert_visible(&scene.read("stderr"), "beside the table");

    // A program's own streams are as they are, but for a terminal.
    scene.folder.script("evil", &format!("cat <<'END'\n{EVIL}\nEND\nexec cat >&2 <<'END'\n{EVIL}\nEND"));
    let said = scene.folder.judge(&["exec", "--", "./evil"]);
    assert!(said.stdout.contains(EVIL) && said.stderr.contains(EVIL), "{}{}", said.stdout, said.stderr);
    let seen = in_a_terminal(&scene.folder, "exec -- ./evil").unwrap();
    assert_visible(&seen, "exec");
    assert_eq!(seen.matches(r"\x1b]0;title\x07\r\x1b[2J\u{9b}2J\u{202e}").count(), 2, "{seen}");
}

#[test]
fn terminals_compare_running_scores_with_the_last() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\n\
         seeds = \"1-6\"\n[problem.scoring]\ndirection = \"min\"\n",
    );
    folder.script("bot", "echo 1000");
    let run = "run -p echo -s ./bot --jobs 1";
    let Some(first) = in_a_terminal(&folder, run) else { return };
    assert!(!first.contains("than run"), "{first}");
    folder.script("bot", "read seed; sleep 0.3; [ \"$seed\" = 2 ] && exit 1; echo 980");
    let second = in_a_terminal(&folder, run).unwrap();
    assert!(second.contains("2.0 % better than run 1 on 3 cases, 1 newly failed"), "{second}");
    let logged = folder.judge(&run.split(' ').collect::<Vec<_>>());
    assert!(!logged.stderr.contains("run 1"), "{}", logged.stderr);
}
