//! The worst cases first: `--sort`, `--top` and `--reverse` of `judge run`, `judge history show` and `judge compare`.

use crate::support::{Folder, Said, of_cases};

/// The case is its seed, and an answer is a number that is its own score; `none` is rejected.
const CATALOGUE: &str = "[[problem]]
id = \"sum\"
generator-command = \"echo {seed}\"
checker-command = \"sh check.sh {input} {answer}\"
seeds = \"1-40\"
[[problem]]
id = \"share\"
generator-command = \"echo {seed}\"
checker-command = \"sh check.sh {input} {answer}\"
seeds = \"1-4\"
[problem.scoring]
rule = \"relative\"
direction = \"max\"
scale = 100
";

fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    folder.write("check.sh", "read -r n <\"$2\"\n[ \"$n\" = none ] && echo no number && exit 1\necho \"$n\"\n");
    folder.script("rising", "read -r seed; [ $seed = 9 ] && echo none || echo $((seed * 10))");
    folder.script("falling", "read -r seed; echo $((300 - seed))");
    folder
}

/// Returns the names of the cases in the first column of a table, in order.
fn rows(said: &Said) -> Vec<&str> {
    let first =
        said.stdout.lines().filter(|line| line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
    first.filter(|word| word.starts_with("seed-")).collect()
}

fn run(folder: &Folder, more: &[&str]) -> Said {
    folder.judge(&[&["run", "-p", "sum", "-s", "./rising"], more].concat())
}

#[test]
fn failures_and_worst_scores_come_first() {
    let folder = sample();
    let said = run(&folder, &["--sort", "score", "--top", "3"]);
    assert_eq!(rows(&said)[..3], ["seed-9", "seed-1", "seed-2"], "{}", said.stdout);
    assert!(said.stdout.contains("37 more rows are not shown: --top N shows more"), "{}", said.stdout);
    assert!(said.stdout.contains("sorted by score, worst first"), "{}", said.stdout);
    let said = run(&folder, &["--sort", "score", "--top", "3", "--reverse"]);
    assert_eq!(rows(&said)[..3], ["seed-40", "seed-39", "seed-38"], "{}", said.stdout);
    let said = run(&folder, &["--sort", "points"]);
    assert_eq!((rows(&said).len(), rows(&said)[0]), (20, "seed-9"), "{}", said.stdout);
}

#[test]
fn machine_reports_and_history_have_equal_rows() {
    let folder = sample();
    assert_eq!(run(&folder, &[]).code, Some(1));
    let order = ["--sort", "score", "--reverse", "--top", "2"];
    let (_, report) = folder.json(&[&["history", "show", "last"], &order[..]].concat());
    assert_eq!(of_cases(&report, "case"), ["seed-40", "seed-39"]);
    assert_eq!(report["solvers"][0]["failures"], 1, "the rest counts all cases");
    let said = folder.judge(&[&["history", "show", "last", "--csv", "-"], &order[..]].concat());
    assert_eq!(said.stdout.lines().skip(1).map(|line| &line[..7]).collect::<Vec<_>>(), ["seed-40", "seed-39"]);
    let said = folder.judge(&[&["history", "show", "last", "--markdown", "-"], &order[..]].concat());
    assert!(said.stdout.contains("sorted by score, best first (2)"), "{}", said.stdout);
    let said = folder.judge(&[&["history", "show", "last", "--junit", "-"], &order[..]].concat());
    let junit = quick_junit::Report::deserialize_from_str(&said.stdout).unwrap();
    let names: Vec<&str> = junit.test_suites[0].test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!((&names[..2], names.len()), (&["seed-40", "seed-39"][..], junit.tests), "tests are never left out");
    let page = folder.judge(&[&["history", "show", "last", "--html", "-"], &order[..]].concat()).stdout;
    let place = |case: &str| page.rfind(&format!(">{case}<"));
    assert!(place("seed-40") < place("seed-39") && place("seed-39") < place("seed-1"), "{page}");
}

#[test]
fn lost_points_are_those_missing_to_the_best() {
    let folder = sample();
    let line = ["run", "-p", "share", "-s", "./rising", "-s", "./falling", "--sort", "lost", "--top", "2"];
    let (_, report) = folder.json(&line);
    // The best score of seed 1 is 299: 10 of it are 3.344 of 100 points.
    assert_eq!(of_cases(&report, "case"), ["seed-1", "seed-2"]);
    assert_eq!(report["cases"][0]["lost"].to_string(), "96.656");
    let said = folder.judge(&line);
    assert!(said.stdout.contains(" lost ") && said.stdout.contains("96.656"), "{}", said.stdout);
    assert!(said.stdout.contains("sorted by lost to the most points of a case, worst first"), "{}", said.stdout);
    // Under a sum it is the score that is missing to the best score of the case.
    let (_, report) =
        folder.json(&["run", "-p", "sum", "-s", "./rising", "-s", "./falling", "--sort", "lost", "--top", "2"]);
    assert_eq!(of_cases(&report, "case"), ["seed-9", "seed-1"]);
    assert_eq!(of_cases(&report, "lost"), [291, 289]);
}

#[test]
fn a_group_takes_nothing_from_a_best_score() {
    let folder = sample();
    let group = "[[problem.group]]\nname = \"all\"\nseeds = \"1-40\"\naggregate = \"min\"\nweight = 10\n[[problem]]\nid = \"share\"";
    folder.write("problems.toml", CATALOGUE.replacen("[[problem]]\nid = \"share\"", group, 1));
    let (_, report) = folder.json(&["run", "-p", "sum", "-s", "./falling", "--sort", "lost", "--top", "40"]);
    assert_eq!(of_cases(&report, "lost"), [0; 40]);
}

#[test]
fn a_comparison_shows_the_requested_cases() {
    let folder = sample();
    let compare = |more: &[&str]| folder.judge(&[&["compare", "-p", "sum", "./falling", "./rising"], more].concat());
    let said = compare(&["--sort", "score", "--top", "4", "--reverse"]);
    assert_eq!(rows(&said)[..4], ["seed-40", "seed-39", "seed-38", "seed-37"], "{}", said.stdout);
    assert!(said.stdout.contains("Best first by score") && !said.stdout.contains("Worst losses"), "{}", said.stdout);
    let said = compare(&["--sort", "lost", "--top", "2", "--csv", "r.csv", "--html", "r.html"]);
    assert_eq!(rows(&said)[..2], ["seed-9", "seed-1"], "{}", said.stdout);
    // The other formats have the same order, and HTML has all cases.
    let written = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let csv = written("r.csv");
    let names: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["seed-9", "seed-1"]);
    assert!(written("r.html").contains("seed-33"));
    let sorted = ["compare", "-p", "sum", "./falling", "./rising", "--sort", "lost", "--top", "2"];
    let (_, report) = folder.json(&sorted);
    assert_eq!(of_cases(&report, "case"), ["seed-9", "seed-1"]);
    assert_eq!(report["comparisons"][0]["effects"][1]["case"], "seed-1");
}

#[test]
fn an_order_of_nothing_is_refused() {
    let folder = sample();
    let said = run(&folder, &["--top", "3"]);
    assert!(said.code == Some(2) && said.stderr.contains("--sort"), "{}", said.stderr);
    let said = run(&folder, &["--sort", "wall"]);
    assert!(said.code == Some(2) && said.stderr.contains("score, points, cpu, memory, lost"), "{}", said.stderr);
}
