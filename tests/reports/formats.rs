//! Every report in every format: it is written, or refused with one clear error before anything runs.

use crate::support::{Folder, of_cases};
use serde_json::Value;

/// The case is its seed, and an answer is its own score.
const CATALOGUE: &str = "[[problem]]\nid = \"sum\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n\
     seeds = \"1-8\"\n[problem.scoring]\nrule = \"sum\"\n";

/// A solver's name that pages, tables and spreadsheets could take for more than a name.
const EVIL: &str = "+<b>|{{x}}";

const COMPARE: [&str; 5] = ["compare", "-p", "sum", "plain=./plain", "./+<b>|{{x}}"];
const GATE: [&str; 5] = ["gate", "--baseline", "base.toml", "-s", "./worse"];
const POWER: [&str; 9] = ["power", "--sd", "8%", "--difference", "0.5%", "--difference", "1%", "--cases", "100"];
/// Of the tests that search more than once, only the first search plays.
const TUNE: [&str; 12] = [
    "tune",
    "-p",
    "sum",
    "-s",
    "./tuned {x}",
    "--param",
    "x=1..50:int",
    "--budget",
    "40",
    "--seeds",
    "1-20",
    "--reuse",
];

fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    for (name, score) in [
        ("plain", "1000 + seed"),
        (EVIL, "1010 + 2 * seed"),
        ("worse", "seed == 3 ? 5 : 1000 + seed"),
        ("tuned", "1000 + seed + $1"),
    ] {
        folder.script(name, &format!("read -r seed; echo $(({score}))"));
    }
    let said = folder.judge(&["baseline", "-p", "sum", "-s", "./plain", "--output", "base.toml"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    folder
}

/// Writes a report to a file, and returns it; the command ends with `code`.
fn written(folder: &Folder, command: &[&str], flag: &str, code: i32) -> String {
    let said = folder.judge(&[command, &[flag, "report"]].concat());
    assert_eq!(said.code, Some(code), "{command:?} {flag}: {}", said.stderr);
    let path = folder.path().join("report");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    let said = folder.judge(&[command, &[flag, "-"]].concat());
    assert_eq!(said.code, Some(code), "{command:?} {flag} -");
    // A gate says more lines about runs that other tests disturbed.
    let is_disturbed = [&said.stdout, &text].iter().any(|report| report.contains("waited for a core"));
    let is_report = said.stdout.lines().count() == text.lines().count();
    assert!(is_report || is_disturbed, "{command:?} {flag}: nothing but the report: {}", said.stdout);
    text
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Fails if a page loads something, or a text in it is markup.
fn assert_page(page: &str) {
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{page}");
    for word in ["http:", "https:", "src=", "href=", "@import", "<b>"] {
        assert!(!page.contains(word), "the page has {word}: {page}");
    }
    let (opened, closed) = (page.matches("<tr>").count(), page.matches("</tr>").count());
    assert!(opened > 1 && opened == closed, "{opened} rows are opened, {closed} closed");
}

#[test]
fn a_comparison_has_rows_markdown_and_a_page() {
    let folder = sample();
    let table = rows(&written(&folder, &COMPARE, "--csv", 0));
    assert_eq!(table[0][..6], ["case", "seed", "first", "second", "measure", "effect"]);
    assert_eq!(table.len(), 9);
    assert_eq!(table[3][..5], ["seed-3", "3", "plain", &*format!("'{EVIL}"), "total"]);
    assert!((table[3][5].parse::<f64>().unwrap() - 13.0 / 1004.5).abs() < 1e-12, "{:?}", table[3]);
    assert_eq!(table[3][6..], ["accepted", "1003", "accepted", "1016"]);

    let markdown = written(&folder, &COMPARE, "--markdown", 0);
    assert!(
        markdown.starts_with("### sum: 8 cases\n\n- on these 8 cases the sum rises by ")
            && markdown.contains("; judging by these 8 cases, +&lt;b&gt;\\|{{x}} is better than plain ("),
        "{markdown}"
    );
    assert!(markdown.contains("| seed-3 | +&lt;b&gt;\\|{{x}} | +1.3 % | +0.16 % | 1003 | 1016 |"), "{markdown}");

    let page = written(&folder, &COMPARE, "--html", 0);
    assert_page(&page);
    assert!(
        page.contains(
            "<td class=\"word\">+&#60;b&#62;|{{x}}</td><td>+1.3 %</td><td>+0.16 %</td><td>1003</td><td>1016</td>"
        ),
        "{page}"
    );
    let (code, report) = folder.json(&COMPARE);
    assert_eq!((code, of_cases(&report, "case").len()), (Some(0), 8));
}

/// Makes a report again if it is of a gate that was not comparable, because other tests kept the cores busy.
fn undisturbed(report: impl Fn() -> String) -> String {
    let mut reports = std::iter::repeat_with(report).take(20);
    reports.find(|report| !report.contains("not comparable")).expect("a moment in which no solver waits for a core")
}

#[test]
fn a_gate_has_rows_and_a_page() {
    let folder = sample();
    let table = rows(&written(&folder, &GATE, "--csv", 1));
    assert_eq!(table[0], ["case", "verdict_was", "verdict", "score_was", "score"]);
    assert_eq!(table.len(), 9);
    assert_eq!(table[3], ["seed-3", "accepted", "accepted", "1003", "5"]);

    let page = undisturbed(|| written(&folder, &GATE, "--html", 1));
    assert_page(&page);
    assert!(page.contains("the gate does not hold") && page.contains("<h2>Complaints</h2>"), "{page}");
    assert!(page.contains("<td class=\"word\">seed-3</td><td>1003</td><td>5</td><td>-99.50 %</td>"), "{page}");
    for (flag, start) in [("--json", "{"), ("--junit", "<?xml"), ("--markdown", "### ❌")] {
        assert!(undisturbed(|| written(&folder, &GATE, flag, 1)).starts_with(start), "{flag}");
    }
}

#[test]
fn power_has_rows_markdown_and_a_page() {
    let folder = sample();
    let table = rows(&written(&folder, &POWER, "--csv", 0));
    assert_eq!(table[0], ["given", "cases", "difference"]);
    assert_eq!(table[1][..2], ["cases", "100"]);
    assert_eq!((table.len(), &*table[2][0], &*table[3][0]), (4, "difference", "difference"));
    let json: Value = serde_json::from_str(&written(&folder, &POWER, "--json", 0)).unwrap();
    assert_eq!(table[2][1], json["needed"][0]["cases"].to_string(), "the formats tell the same");
    assert_eq!(table[1][2], json["shown"][0]["difference"].to_string());

    let markdown = written(&folder, &POWER, "--markdown", 0);
    let needed = format!("| 0.50 % | {} |", table[2][1]);
    assert!(markdown.contains(&needed), "{needed} in {markdown}");
    let page = written(&folder, &POWER, "--html", 0);
    assert_page(&page);
    assert!(page.contains(&format!("<td>0.50 %</td><td>{}</td>", table[2][1])), "{page}");
}

#[test]
#[ignore = "CI: whole searches"]
fn a_search_has_rows_markdown_and_a_page() {
    let folder = sample();
    let table = rows(&written(&folder, &TUNE, "--csv", 0));
    assert_eq!(table[0], ["x", "cases", "failed", "mean_score", "best"]);
    let best: Vec<_> = table[1..].iter().filter(|row| row[4] == "true").collect();
    assert_eq!(best.len(), 1, "{table:?}");
    let most = table[1..].iter().map(|row| row[0].parse::<u32>().unwrap()).max().unwrap();
    assert_eq!(best[0][0], most.to_string(), "a larger x is a higher score");

    let markdown = written(&folder, &TUNE, "--markdown", 0);
    assert!(markdown.contains(&format!("x={most}")) && markdown.contains("exaggerated"), "{markdown}");
    let page = written(&folder, &TUNE, "--html", 0);
    assert_page(&page);
    assert!(page.contains(&format!("<tr><td>{most}</td>")), "{page}");
    let lines = written(&folder, &TUNE, "--jsonl", 0);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn markdown_reports_go_to_the_step_summary() {
    let folder = sample();
    for (command, start) in
        [(&COMPARE[..], "### sum: 8 cases"), (&GATE, "### ❌"), (&POWER, "### Standard"), (&TUNE, "### sum: best of")]
    {
        let text = undisturbed(|| {
            let summary = tempfile::NamedTempFile::new().unwrap();
            folder.command(command).env("GITHUB_STEP_SUMMARY", summary.path()).output().unwrap();
            std::fs::read_to_string(summary.path()).unwrap()
        });
        assert!(text.starts_with(start), "{}: {text}", command[0]);
    }
}

#[test]
fn unsupported_formats_are_refused_early() {
    let folder = sample();
    for (command, flag, words, hint) in [
        (
            &COMPARE[..],
            "--junit",
            "the JUnit report of a comparison does not exist: nothing in it passes or fails",
            "judge gate --junit",
        ),
        (&COMPARE, "--jsonl", "the JSON lines of a comparison", "--json PATH"),
        (&GATE, "--jsonl", "the JSON lines of a gate", "--json PATH"),
        (&POWER, "--junit", "the JUnit report of a power analysis", "judge gate --junit"),
        (&POWER, "--jsonl", "the JSON lines of a power analysis", "--json PATH"),
        (&TUNE, "--json", "the JSON report of a search", "--jsonl PATH"),
        (&TUNE, "--junit", "the JUnit report of a search", "judge gate --junit"),
    ] {
        let said = folder.judge(&[command, &[flag, "refused"]].concat());
        assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{command:?} {flag}: {}", said.stderr);
        assert!(said.stderr.contains(words) && said.stderr.contains(hint), "{command:?} {flag}: {}", said.stderr);
        assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
        assert!(!folder.path().join("refused").exists());
        let help = folder.judge(&[command[0], "--help"]).stdout;
        assert!(!help.contains(&format!("{flag} <PATH>")), "{} {flag} is in the help: {help}", command[0]);
    }
}
