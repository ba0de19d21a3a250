//! The display: on narrow terminals, of runs that end early, in logs, and of the origin of a report.

use crate::support::{Folder, Said, of_cases};
use serde_json::Value;
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

const CATALOGUE: &str = r#"[[problem]]
id = "long"
title = "A problem with a title that is longer than most terminals are wide, as titles sometimes are"
generator-command = "echo {seed}"
checker-command = "sh check.sh {input} {answer}"
seeds = "1-40"
[problem.scoring]
rule = "mean"
[problem.limits]
cpu = "10s"
[[problem.group]]
name = "a group of cases whose name is long"
weight = 30
all-or-nothing = true
seeds = "1-20"
[[problem.group]]
name = "rest"
weight = 70
seeds = "21-40"
"#;

/// A problem whose answers are numbers that are their own scores. The scores of `large` have thirty digits.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    let check =
        "read -r score < \"$2\"\ncase $score in [0-9]*) echo \"$score\" ;; *) echo not a number; exit 1 ;; esac\n";
    folder.write("check.sh", check);
    folder.script("plain", "read -r seed; echo $((1000 + seed))");
    folder.script("large", "read -r seed; echo 1234567890123456789012345678$((10 + seed))");
    folder.script("second-fails", "read -r seed; case $seed in 2) echo none ;; *) echo $((2 * seed)) ;; esac");
    folder
}

fn at_width(folder: &Folder, width: usize, arguments: &[&str]) -> Said {
    folder.command(arguments).env("COLUMNS", width.to_string()).output().unwrap().into()
}

/// Fails if a line of a table is too wide, or a cell is broken letter by letter. Returns the number of lines of tables.
fn assert_fits(said: &Said, width: usize, what: &str) -> usize {
    let all: Vec<&str> = said.stdout.lines().collect();
    let rules = (1..all.len()).filter(|&line| all[line].starts_with('─'));
    let is_row = |line: &&&str| line.starts_with([' ', '─']) || line.starts_with("not shown at this width");
    let lines: Vec<&str> = rules.flat_map(|rule| all[rule - 1..].iter().take_while(is_row).copied()).collect();
    for line in &lines {
        assert!(line.width() <= width, "{what} at {width}: {line:?}\n{}", said.stdout);
        assert!(line.trim().chars().count() > 1, "{what} at {width} breaks a cell: {}", said.stdout);
    }
    lines.len()
}

/// A search with two parameters.
const TUNE: [&str; 15] = [
    "tune",
    "-p",
    "long",
    "-s",
    "./plain {first} {second}",
    "--param",
    "first=1..9:int",
    "--param",
    "second=0.1..9",
    "--budget",
    "12",
    "--first-cases",
    "2",
    "-j",
    "1",
];

#[test]
fn every_table_fits_the_terminal() {
    let folder = folder();
    let wide = "a-name-that-is-far-longer-than-a-column-should-be-allowed-to-grow";
    let (named, other) = (format!("{wide}=./large"), format!("{wide}-2=./plain"));
    let baseline = ["baseline", "-p", "long", "-s", "./large", "--seeds", "1-4", "--output", "b.toml"];
    assert_eq!(folder.judge(&baseline).code, Some(0));
    folder.write("pairs/one.in", "1\n");
    folder.write("pairs/one.out", "x\n");
    let run = ["run", "-p", "long", "-s", &named, "-s", &other, "-s", "./second-fails", "-j", "1", "--seeds", "1-4"];
    let commands: [(&[&str], usize); 10] = [
        (&run, 12),
        (&["list"], 2),
        (&["doctor"], 8),
        (&["history"], 3),
        (&["best", "-p", "long"], 4),
        (&["compare", "-p", "long", &named, &other, "--seeds", "1-4", "-j", "1"], 4),
        (&["gate", "--baseline", "b.toml", "-s", "./plain", "-j", "1"], 4),
        (&["power", "--sd", "1%"], 8),
        (&TUNE, 3),
        (&["check", "-p", "long", "--dir", "pairs"], 2),
    ];
    for (arguments, least) in commands {
        for width in [60, 80, 120, 200] {
            let said = at_width(&folder, width, arguments);
            let count = assert_fits(&said, width, arguments[0]);
            assert!(count >= least, "{} has {count} lines of tables: {}\n{}", arguments[0], said.stdout, said.stderr);
        }
    }
    // Dropped columns are named, and the most important ones stay.
    let narrow = at_width(&folder, 60, &run).stdout;
    assert!(
        narrow.contains("not shown at this width: ") && narrow.contains("123,456,789,012,345,678,901,234,567,811"),
        "{narrow}"
    );
    let history = at_width(&folder, 80, &["history"]).stdout;
    assert!(history.contains("not shown at this width: ") && history.contains(" total"), "{history}");
    assert!(!at_width(&folder, 400, &["history"]).stdout.contains("not shown"));
    let is_cut_date = |word: &&str| word.starts_with("20") && word.contains('…');
    assert_eq!(history.split_whitespace().find(is_cut_date), None, "{history}");
}

#[test]
fn the_package_of_a_language_stays_whole() {
    let folder = folder();
    let table =
        "[language.zz]\nextensions = [\"zz\"]\nrun = \"no-such-zz {source}\"\npackage = \"zz-with-a-long-name\"\n";
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", table.to_owned() + &catalogue);
    let said = at_width(&folder, 80, &["languages"]);
    assert_fits(&said, 80, "languages");
    let whole = "zz-with-a-long-name";
    assert!(said.stdout.contains(whole) && said.stdout.contains("not shown at this width: command"), "{}", said.stdout);
}

#[test]
fn cases_not_run_are_skipped_not_failed() {
    let folder = folder();
    let arguments = ["run", "-p", "long", "-s", "./second-fails", "--fail-fast", "-j", "1"];
    let (code, report) = folder.json(&arguments);
    assert_eq!(code, Some(1));
    let solver = &report["solvers"][0];
    let field = |name: &str| solver[name].clone();
    assert_eq!((field("failures"), field("skipped")), (1.into(), 38.into()), "{solver}");
    // Of the cases that were run, one has the score 2 and one fails; both weigh the same.
    assert_eq!(field("mean"), Value::from(0), "the group is all or nothing");
    let verdicts = of_cases(&report, "verdict");
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "skipped").count(), 38);
    let groups: Vec<_> =
        report["test_groups"].as_array().unwrap().iter().map(|group| group["result"].clone()).collect();
    assert_eq!(groups, ["failed", "skipped"]);

    let formats = ["--csv", "r.csv", "--junit", "r.xml", "--markdown", "r.md", "--html", "r.html"];
    let said = folder.judge(&[&arguments[..], &formats].concat());
    assert!(said.stdout.contains("38 runs were skipped") && said.stdout.contains("38 skipped"), "{}", said.stdout);
    assert!(!said.stdout.contains("seed-30"), "no rows of nothing: {}", said.stdout);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("r.csv").matches(",skipped,").count(), 38);
    let junit = quick_junit::Report::deserialize_from_str(&read("r.xml")).unwrap();
    assert_eq!(junit.failures, 2, "the case, and its group");
    assert!(read("r.xml").contains("skipped=\"38\""), "{}", read("r.xml"));
    assert!(read("r.md").contains("1 accepted, 1 wrong-answer, 38 skipped"), "{}", read("r.md"));
    let page = read("r.html");
    assert!(page.contains("38 runs were skipped") && !page.contains("seed-30"), "{page}");
}

#[test]
fn means_divide_by_the_cases_that_were_run() {
    let folder = folder();
    folder.script("odd", "read -r seed; case $seed in 23) echo none ;; *) echo $((2 * seed)) ;; esac");
    let arguments = ["run", "-p", "long", "-s", "./odd", "--seeds", "21-30", "--fail-fast", "-j", "1"];
    let (_, report) = folder.json(&arguments);
    let solver = &report["solvers"][0];
    // 42 and 44, and a failure that counts 0.
    assert_eq!((solver["mean"].to_string().as_str(), &solver["skipped"]), ("28.667", &7.into()), "{solver}");
}

#[test]
#[ignore = "long: it waits for lines of progress"]
fn a_long_run_logs_its_progress() {
    let folder = folder();
    folder.script("slow", "read -r seed; if [ $seed = 2 ]; then sleep 11; fi; echo 5");
    let said = folder.judge(&["run", "-p", "long", "-s", "./slow", "--seeds", "1-2", "-j", "1"]);
    assert!(said.stderr.contains("1 of 2 runs done; 1 AC; mean score 5"), "{}", said.stderr);
    assert!(said.stderr.contains("running seed-2 for "), "{}", said.stderr);
    let said = folder.judge(&["run", "-p", "long", "-s", "./plain", "--seeds", "1-2", "-j", "1"]);
    assert!(!said.stderr.contains("runs done"), "a short run is silent: {}", said.stderr);
}

#[test]
fn compiling_says_so() {
    let folder = folder();
    folder.write("bot.c", "#include <stdio.h>\nint main(void) { puts(\"7\"); }\n");
    let said = folder.judge(&["run", "-p", "long", "-s", "bot.c", "--seeds", "1", "-j", "1"]);
    assert!(said.stderr.contains("compiling bot.c ("), "{}", said.stderr);
}

#[test]
fn the_built_in_note_appears_once_per_folder() {
    let (folder, other, state) = (Folder::new(), Folder::new(), Folder::new());
    let notes = |folder: &Folder| {
        let output = folder.command(&["list"]).env("XDG_STATE_HOME", state.path()).output().unwrap();
        Said::from(output).stderr.matches("using the built-in problems").count()
    };
    assert_eq!([notes(&folder), notes(&folder), notes(&other), notes(&folder)], [1, 0, 1, 0]);
}

#[test]
fn reports_state_their_origin() {
    let folder = folder();
    let before = std::time::SystemTime::now() - Duration::from_secs(1);
    let year = before.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() / 31_556_952 + 1970;
    let commands: [&[&str]; 2] = [
        &["run", "-p", "long", "-s", "./plain", "--seeds", "1-3", "--cpu", "3s"],
        &["compare", "-p", "long", "./plain", "./large", "--seeds", "1-3", "--cpu", "3s"],
    ];
    for arguments in commands {
        let (_, report) = folder.json(arguments);
        assert!(report["date"].as_str().unwrap().starts_with(&year.to_string()), "{}", report["date"]);
        assert_eq!(report["command"], format!("judge {} --json -", arguments.join(" ")));
        assert_eq!(report["limits"]["cpu_ms"], 3000.0);
        for part in ["host", "cpu", "kernel"] {
            assert!(!report["machine"][part].as_str().unwrap().is_empty(), "{part}");
        }
        let said = folder.judge(&[arguments, &["--html", "-"]].concat());
        let facts = ["command: judge ", "limits: CPU 3s, ", "machine: ", "started: "];
        assert!(facts.iter().all(|fact| said.stdout.contains(fact)), "{}", said.stdout);
    }
    // A past run shows its own time, not the time of the report.
    let first = folder.json(&["history", "show", "1"]).1;
    assert!(first["command"].as_str().unwrap().starts_with("judge run "), "{}", first["command"]);
}

#[test]
fn pages_omit_constant_columns() {
    let folder = folder();
    let page = folder.judge(&["run", "-p", "long", "-s", "./plain", "--seeds", "1-3", "--html", "-"]).stdout;
    let cases = &page[page.find("<h2>Cases</h2>").unwrap()..];
    for title in ["solver", "group", "weight"] {
        assert!(!cases.contains(&format!(">{title}</th>")), "{title}: {cases}");
    }
    assert!(cases.contains("<th>score</th>") && page.contains("the same on every case: "), "{page}");
    let page = folder.judge(&["run", "-p", "long", "-s", "./plain", "--seeds", "19-22", "--html", "-"]).stdout;
    assert!(page.contains("<th>group</th>") && page.contains("td { white-space: nowrap; }"), "{page}");
}

#[test]
fn each_comparison_row_has_its_effect() {
    let folder = folder();
    folder.script("one-fails", "read -r seed; case $seed in 22) echo none ;; *) echo $((2 * seed)) ;; esac");
    // From the group whose cases count one by one.
    let words = ["compare", "-p", "long", "./plain", "./one-fails", "--seeds", "21-24", "-j", "1", "--csv", "-"];
    let said = folder.judge(&[&words[..], &["--measure", "ratio"]].concat());
    let mut reader = csv::Reader::from_reader(said.stdout.as_bytes());
    let effects: Vec<String> = reader.records().map(|row| row.unwrap()[5].to_owned()).collect();
    let expected = [21, 22, 23, 24].map(|seed: i32| f64::from(2 * seed) / f64::from(1000 + seed));
    for (case, (found, ratio)) in effects.iter().zip(expected).enumerate() {
        match found.parse::<f64>() {
            Ok(effect) => assert!(case != 1 && (effect - ratio.ln()).abs() < 1e-9, "{effects:?}"),
            Err(_) => assert!(case == 1 && found.is_empty(), "{effects:?}"),
        }
    }
    assert_eq!(effects.len(), 4);
}

#[test]
fn equal_reasons_are_grouped_per_solver() {
    let folder = folder();
    folder.write("worse.sh", "read w h; echo \"$w$h\" 1\n");
    folder.write("one.sh", "echo 1 x\n");
    let solvers = ["one.sh", "worse.sh"];
    let said = folder.judge(&["run", "columns", solvers[0], solvers[1], "--seeds", "1-20", "--problems", "builtin"]);
    let lines: Vec<&str> = said.stdout.lines().collect();
    let place = |start: &str| {
        let found = lines.iter().position(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {}", said.stdout))
    };
    let grouped = place("20 cases (one): wrong-answer: line 1, column 3, move 1: the column p is not an integer");
    assert_eq!(lines[grouped + 1], "    the first of them: seed-1");
    assert!(lines[grouped + 2].contains("judge run -p columns -s one.sh --seeds 1"), "{}", lines[grouped + 2]);
    assert!(lines[grouped..].iter().any(|line| line.contains(" (worse): wrong-answer: ")), "{}", said.stdout);
    let narrow = at_width(&folder, 80, &["run", "columns", "one.sh", "--seeds", "1-3", "--problems", "builtin"]);
    assert!(narrow.stdout.contains("line 1, column 3"), "the note begins with its beginning: {}", narrow.stdout);
}
