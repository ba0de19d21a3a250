//! The reports of a run through the command line: every format has the same data, none is lost, and each fits its
//! reader.

mod schemas;

use crate::support::{Folder, of_cases};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A problem whose answers are their own scores, with three cases that have numbers in them.
fn echo_problem() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in/*\"]\n\
         [problem.features]\nN = '^(\\d+)'\nseed = '(?m)^seed (\\S+)'\n",
    );
    folder.write("in/a.in", "3 x\nseed -1\n");
    folder.write("in/b.in", "12 y\nseed 0.5\n");
    folder.write("in/c.in", "12 z\n");
    folder
}

/// Answers with the case's first number.
const FIRST: &str = "first=cut -d' ' -f1";

/// Answers 12, and fails on the case with a z.
const TWELVE: &str = "twelve=sh -c 'read line; case $line in *z*) echo broken >&2; exit 3;; esac; echo 12'";

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

fn csv_rows(text: &str) -> Vec<csv::StringRecord> {
    csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).records().map(Result::unwrap).collect()
}

/// A file of each format.
const EVERY_FORMAT: [&str; 12] = [
    "--json",
    "r.json",
    "--jsonl",
    "r.jsonl",
    "--csv",
    "r.csv",
    "--junit",
    "r.xml",
    "--markdown",
    "r.md",
    "--html",
    "r.html",
];

#[test]
fn every_format_tells_the_same() {
    let folder = echo_problem();
    let said = folder.judge(&[&["run", "-p", "echo", "-s", FIRST, "-s", TWELVE], &EVERY_FORMAT[..]].concat());
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stdout.contains("twelve"), "the table is printed all the same: {}", said.stdout);

    let report: Value = serde_json::from_str(&read(&folder, "r.json")).unwrap();
    assert_eq!(of_cases(&report, "case"), ["a", "a", "b", "b", "c", "c"]);
    assert_eq!(of_cases(&report, "score"), [&json!(3), &json!(12), &json!(12), &json!(12), &json!(12), &Value::Null]);
    assert_eq!(report["cases"][0]["features"], json!({"N": 3, "seed": -1}));
    assert_eq!(report["cases"][2]["features"].to_string(), r#"{"N":12,"seed":0.5}"#);
    assert_eq!(report["cases"][5]["features"], json!({"N": 12}), "a feature that is not found is absent");

    let lines: Vec<Value> = read(&folder, "r.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, cases) = lines.split_last().unwrap();
    assert_eq!((cases.len(), &summary["type"]), (6, &json!("summary")));
    assert_eq!(summary["solvers"], report["solvers"]);
    for case in report["cases"].as_array().unwrap() {
        let mut line = case.as_object().unwrap().clone();
        line.insert("type".to_owned(), json!("case"));
        line.remove("points");
        assert!(cases.contains(&Value::Object(line)), "{case} is no line");
    }

    let rows = csv_rows(&read(&folder, "r.csv"));
    let column = |name: &str| rows[0].iter().position(|title| title == name).unwrap_or_else(|| panic!("no {name}"));
    let values = |name: &str| rows[1..].iter().map(|row| row[column(name)].to_owned()).collect::<Vec<_>>();
    assert_eq!(values("score"), ["3", "12", "12", "12", "12", ""]);
    assert_eq!(values("verdict")[5], "runtime-error");
    assert_eq!(values("N"), ["3", "3", "12", "12", "12", "12"]);
    assert_eq!(values("feature.seed"), ["-1", "-1", "0.5", "0.5", "", ""], "it is not taken for the seed");

    let page = read(&folder, "r.html");
    assert!(page.contains("exit code 3") && page.contains("twelve"));
    for word in ["http:", "https:", "src=", "href=", "@import"] {
        assert!(!page.contains(word), "the page loads something: {word}");
    }
}

#[test]
fn junit_has_every_case_with_its_reason() {
    let folder = echo_problem();
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", FIRST, "-s", TWELVE, "--junit", "r.xml"]).code, Some(1));
    let report = quick_junit::Report::deserialize_from_str(&read(&folder, "r.xml")).unwrap();
    assert_eq!((report.test_suites.len(), report.tests, report.failures), (2, 6, 1));
    for (suite, class) in report.test_suites.iter().zip(["echo.first", "echo.twelve"]) {
        assert_eq!(suite.test_cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(suite.test_cases.iter().all(|case| case.classname.as_ref().unwrap().as_str() == class));
    }
    let quick_junit::TestCaseStatus::NonSuccess { message, ty, description, .. } =
        &report.test_suites[1].test_cases[2].status
    else {
        panic!("the failed case is no failure");
    };
    assert_eq!(ty.as_ref().unwrap().as_str(), "runtime-error");
    assert_eq!(message.as_ref().unwrap().as_str(), "runtime-error: exit code 3");
    let description = description.as_ref().unwrap().as_str();
    assert!(description.contains("reproduce: judge run -p echo -s 'sh -c") && description.contains("--inputs"));
}

#[test]
fn the_leaderboard_counts_by_hand() {
    let folder = echo_problem();
    let (code, report) = folder.json(&["run", "-p", "echo", "-s", FIRST, "-s", TWELVE]);
    assert_eq!(code, Some(1));
    let fields = ["name", "rank", "total", "mean", "wins", "ties", "losses", "bests", "uniques", "failures"];
    let standing = |solver: usize| fields.map(|field| report["solvers"][solver][field].to_string());
    assert_eq!(standing(0), ["\"first\"", "1", "27", "9", "1", "1", "1", "2", "1", "0"]);
    assert_eq!(standing(1), ["\"twelve\"", "2", "24", "8", "1", "1", "1", "2", "1", "1"]);
    let said = folder.judge(&["run", "-p", "echo", "-s", TWELVE, "-s", FIRST]);
    let line = |start: &str| said.stdout.lines().find(|line| line.trim_start().starts_with(start)).unwrap();
    let words: Vec<_> = line("first").split_whitespace().take(10).collect();
    assert_eq!(words, ["first", "1", "27", "9", "1", "1", "1", "2", "1", "0"]);
    let matrix: Vec<_> = said.stdout.lines().filter(|line| line.contains('*')).map(str::trim).collect();
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells(matrix[0]), ["a", "12", "*", "3"]);
    assert_eq!(cells(matrix[1]), ["b", "12", "*", "12", "*"]);
    assert_eq!(cells(matrix[2]), ["c", "RE", "12", "*"]);
}

#[test]
fn json_lines_come_while_the_run_goes_on() {
    let folder = echo_problem();
    let slow = "sh -c 'read line; case $line in 3*) ;; *) sleep 1;; esac; echo 1'";
    let arguments = ["run", "-p", "echo", "-s", slow, "--jobs", "1", "--jsonl", "-"];
    let mut child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["case"], &first["score"]), (&json!("case"), &json!("a"), &json!(1)));
    assert!(child.try_wait().unwrap().is_none(), "the run is over before its first line is seen");
    assert_eq!(lines.count(), 3, "two more cases and the summary");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_was_not_run_has_no_figures() {
    let folder = echo_problem();
    let run =
        ["run", "-p", "echo", "-s", "false", "--fail-fast", "--jobs", "1", "--csv", "r.csv", "--jsonl", "r.jsonl"];
    let (code, report) = folder.json(&run);
    assert_eq!(code, Some(1));
    assert_eq!(report["interrupted"], false, "no signal was sent");
    assert_eq!(of_cases(&report, "verdict"), ["runtime-error", "skipped", "skipped"]);
    for field in ["score", "points", "cpu_ms", "wall_ms", "memory_bytes", "features"] {
        assert!(report["cases"][2].get(field).is_none(), "{field} of a case that was not run");
    }
    assert_eq!(read(&folder, "r.jsonl").lines().count(), 2, "one case and the summary");
    assert_eq!(csv_rows(&read(&folder, "r.csv")).len(), 4);
}

#[test]
fn standard_output_has_room_for_one_report() {
    let folder = echo_problem();
    let run = ["run", "-p", "echo", "-s", FIRST];
    for flag in ["--json", "--jsonl", "--csv", "--junit", "--markdown", "--html"] {
        let said = folder.judge(&[&run[..], &[flag, "-"]].concat());
        assert_eq!(said.code, Some(0), "{flag}: {}", said.stderr);
        assert!(!said.stdout.contains("sandbox tier") || flag == "--markdown" || flag == "--html", "{flag}");
        assert!(!said.stdout.contains("──"), "the table stands beside {flag}");
        assert!(said.stdout.contains(if flag == "--csv" { "first" } else { "echo" }), "{flag}");
    }
    // By its name it is not emptied, either.
    let kept = folder.write("kept", "kept\n");
    let output = std::fs::OpenOptions::new().append(true).open(&kept).unwrap();
    let status = folder.command(&[&run[..], &["--csv", "/dev/stdout"]].concat()).stdout(output).status().unwrap();
    assert_eq!(status.code(), Some(0));
    let text = std::fs::read_to_string(&kept).unwrap();
    assert!(text.starts_with("kept\ncase,") && !text.contains("──"), "{text}");
    let said = folder.judge(&[&run[..], &["--json", "-", "--csv", "-"]].concat());
    assert_eq!((said.code, &*said.stdout), (Some(2), ""));
    assert!(said.stderr.contains("cannot both go to standard output"), "{}", said.stderr);
    let said = folder.judge(&[&run[..], &["--json", "o.txt", "--csv", "./o.txt"]].concat());
    assert!(said.code == Some(2) && said.stderr.contains("cannot both go to ./o.txt"), "{}", said.stderr);
    let said = folder.judge(&[&run[..], &["--json", "x", "--jsonl", "x"]].concat());
    assert_eq!(said.code, Some(2));
    assert!(!folder.path().join("x").exists());
}

#[test]
fn unwritable_reports_are_refused_early() {
    let folder = echo_problem();
    for flag in ["--json", "--jsonl", "--csv", "--junit", "--markdown", "--html"] {
        for path in ["missing/r", "in", "problems.toml/r", "/proc/r"] {
            let started = Instant::now();
            let said = folder.judge(&["run", "-p", "echo", "-s", "sleep 300", "--wall", "300s", flag, path]);
            assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{flag} {path}: {}", said.stderr);
            assert!(said.stderr.contains(&format!(" {path}: ")), "{flag} {path}: {}", said.stderr);
            assert!(started.elapsed() < Duration::from_secs(100), "it ran");
        }
    }
    let said = folder.judge(&["run", "-p", "echo", "-s", FIRST, "--csv", "a b/r.csv"]);
    assert!(said.stderr.contains("hint: mkdir -p 'a b'"), "{}", said.stderr);
}

#[test]
fn a_failed_report_spoils_no_other() {
    let folder = echo_problem();
    let arguments = ["run", "-p", "echo", "-s", FIRST, "--json", "/dev/full", "--jsonl", "r.jsonl", "--csv", "r.csv"];
    let said = folder.judge(&arguments);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("cannot write the JSON report /dev/full"), "{}", said.stderr);
    assert!(said.stdout.contains("echo: 3 accepted"), "{}", said.stdout);
    assert_eq!(csv_rows(&read(&folder, "r.csv")).len(), 4);
    assert_eq!(read(&folder, "r.jsonl").lines().count(), 4);
    let said = folder.judge(&["run", "-p", "echo", "-s", FIRST, "--jsonl", "/dev/full", "--csv", "again.csv"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("cannot write the JSON lines /dev/full"), "{}", said.stderr);
    assert_eq!(csv_rows(&read(&folder, "again.csv")).len(), 4);
}

#[test]
fn the_step_summary_is_appended_to() {
    let folder = echo_problem();
    let summary = folder.write("summary.md", "before\n");
    for _ in 0..2 {
        let mut command = folder.command(&["run", "-p", "echo", "-s", FIRST]);
        assert_eq!(command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap().status.code(), Some(0));
    }
    let text = read(&folder, "summary.md");
    assert!(text.starts_with("before\n"));
    assert_eq!(text.matches("### ✅ echo: 3 accepted").count(), 2, "{text}");
    let mut command = folder.command(&["run", "-p", "echo", "-s", FIRST]);
    let output = command.env("GITHUB_STEP_SUMMARY", "/missing/summary").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "it was not requested by name");
    assert!(String::from_utf8(output.stderr).unwrap().contains("warning: cannot append to GITHUB_STEP_SUMMARY"));
}

#[test]
fn markdown_fits_a_comment_however_many_cases_failed() {
    let folder = Folder::new();
    let failing = folder.script("fail", "echo '|<script>@all #1 `x` ~~y~~ [z](u) *b*'");
    let solver = format!("{}={}", "very_long_".repeat(20), failing.display());
    let arguments = ["run", "-p", "columns", "-s", &*solver, "--seeds", "1-400", "--markdown", "r.md"];
    assert_eq!(folder.judge(&arguments).code, Some(1));
    let text = read(&folder, "r.md");
    assert!(text.len() < 60_000, "{} bytes", text.len());
    assert!(text.starts_with("### ❌ columns: 400 wrong-answer\n"), "{}", &text[..200]);
    assert!(text.contains("Failures (400)") && text.contains("more."), "what is left out is counted");
    assert!(!text.contains("<script>") && !text.contains("@all"));
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
}

#[test]
fn long_scores_and_features_are_exact() {
    let folder = echo_problem();
    let digits = format!("1{}7", "0".repeat(400));
    folder.write("in/a.in", format!("{digits} x\n"));
    let arguments = ["run", "-p", "echo", "-s", FIRST, "--inputs", "in/a.in", "--csv", "r.csv", "--html", "r.html"];
    let (code, report) = folder.json(&arguments);
    assert_eq!(code, Some(0));
    assert_eq!(report["cases"][0]["score"].to_string(), digits);
    assert_eq!(report["cases"][0]["features"]["N"].to_string(), digits);
    assert_eq!(report["solvers"][0]["total"].to_string(), digits);
    assert_eq!(read(&folder, "r.csv").matches(&digits).count(), 4, "score, points, total and N");
    assert!(read(&folder, "r.html").contains(&digits));
    let said = folder.judge(&["run", "-p", "echo", "-s", FIRST, "--inputs", "in/a.in", "--markdown", "-"]);
    assert!(said.stdout.contains("100000") && said.stdout.contains("0007"), "both ends are shown: {}", said.stdout);
}

#[test]
fn conditions_choose_cases_by_their_features() {
    let folder = echo_problem();
    let names = |condition: &str| {
        let (code, report) = folder.json(&["run", "-p", "echo", "-s", FIRST, "--where", condition]);
        assert_eq!(code, Some(0), "{condition}");
        of_cases(&report, "case").iter().map(|name| name.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("N<10"), ["a"]);
    assert_eq!(names("N==12 && seed>0"), ["b"]);
    assert_eq!(names("N==12 || seed<0"), ["a", "b", "c"]);
    assert_eq!(names("!(seed==0.5)"), ["a"], "what is not known is not chosen");
    for (condition, message) in [
        ("N>100", "`N>100` holds for none of the 3 cases"),
        ("seeds==1", "did you mean `seed`?"),
        ("k==1", "no case has a feature `k`"),
        ("N==", "expected a name or a number, found the end (character 4)"),
    ] {
        let said = folder.judge(&["run", "-p", "echo", "-s", FIRST, "--where", condition]);
        assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{condition}");
        assert!(said.stderr.contains(message), "{condition}: {}", said.stderr);
    }
}

#[test]
fn built_in_features_choose_and_group() {
    let folder = Folder::new();
    let run = ["run", "-p", "columns", "--seeds", "1-12", "-s", "bundled:columns-quickstart", "--group-by", "colors"];
    let (code, all) = folder.json(&run);
    assert_eq!(code, Some(0));
    let colors = |report: &Value| {
        of_cases(report, "features").iter().map(|features| features["colors"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let colors_of_all = colors(&all);
    let groups = all["groups"].as_array().unwrap();
    assert!(groups.is_sorted_by_key(|group| group["value"].as_i64()) && groups.len() > 1);
    for group in groups {
        let value = group["value"].as_i64().unwrap();
        let members: Vec<_> =
            all["cases"].as_array().unwrap().iter().zip(&colors_of_all).filter(|(_, color)| **color == value).collect();
        assert_eq!((&group["cases"], &group["accepted"]), (&json!(members.len()), &json!(members.len())));
        let sum: i64 = members.iter().map(|(case, _)| case["score"].as_i64().unwrap()).sum();
        let mean = group["mean_score"].as_f64().unwrap();
        assert!((mean - sum as f64 / members.len() as f64).abs() < 0.001, "{group}");
    }
    let condition = format!("colors=={}", colors_of_all[0]);
    let (_, some) = folder.json(&[&run[..], &["--where", &condition]].concat());
    assert!(colors(&some).iter().all(|color| *color == colors_of_all[0]));
    assert_eq!(colors(&some).len(), colors_of_all.iter().filter(|color| **color == colors_of_all[0]).count());
    let said = folder.judge(&["run", "-p", "columns", "--seeds", "1", "--group-by", "colours"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("did you mean `colors`?"), "{}", said.stderr);
}

#[test]
fn bad_features_are_shown_with_their_place() {
    let folder = Folder::new();
    let head = "[[problem]]\nid = \"x\"\nchecker-command = \"cat {answer}\"\ninputs = [\"*\"]\n[problem.features]\n";
    for (line, message) in [
        ("N = '(\\d+'", "bad regular expression of `N`"),
        ("\"2N\" = '\\d+'", "bad feature name `2N`"),
        ("N = 5", "bad value of `N` in [problem.features]"),
    ] {
        folder.write("problems.toml", format!("{head}{line}\n"));
        let said = folder.judge(&["list"]);
        assert_eq!(said.code, Some(2), "{line}");
        assert!(said.stderr.contains(message) && said.stderr.contains("problems.toml:6:"), "{line}: {}", said.stderr);
    }
}

#[test]
fn comparing_commands_check_their_reports_before_anything_runs() {
    let folder = echo_problem();
    let target = "missing/report";
    let power = ["power", "-p", "echo", "-s", FIRST, "--json", target];
    let compare = ["compare", "-p", "echo", FIRST, TWELVE, "--json", target];
    let tune = ["tune", "-p", "echo", "-s", "cat {n}", "--param", "n=1..9:int", "--jsonl", target];
    for arguments in [&power[..], &compare, &tune] {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains("cannot write the JSON") && said.stderr.contains(target), "{}", said.stderr);
        assert!(said.stderr.contains("hint: mkdir -p missing"), "{}", said.stderr);
        assert!(!said.stderr.contains(".judge-"), "of a temporary file: {}", said.stderr);
    }
    assert!(!folder.path().join(".judge").exists(), "a run was started");
}
