//! Metrics: named numbers in addition to the score, from the checker or from the solver itself.

use crate::support::{Folder, Said, of_cases};
use serde_json::{Value, json};

/// A problem whose answers are scores, with a checker that prints the further lines of the answer.
fn contest(metrics: &str) -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"p\"\nchecker-command = \"cat {{answer}}\"\ngenerator-command = \"echo {{seed}}\"\nseeds = \"1-2\"\n\
             [problem.metrics]\n{metrics}\n"
        ),
    );
    folder
}

const METRICS: &str = "moves = \"min\"\nshare = {}\nnodes = { direction = \"max\", stderr = 'nodes=(\\S+)' }";

/// A solver that answers with a score, moves and nodes.
fn solver(folder: &Folder, name: &str, score: u32, moves: &str, nodes: u32) {
    let body =
        format!("read seed\necho \"nodes=$seed nodes={nodes}\" >&2\necho {score}\necho \"metric moves {moves}\"");
    folder.script(name, &body);
}

fn text(said: &Said) -> String {
    format!("{}\n{}", said.stdout, said.stderr)
}

fn metrics(report: &Value) -> Vec<Value> {
    of_cases(report, "metrics").into_iter().cloned().collect()
}

#[test]
fn exact_metrics_are_in_every_report() {
    let folder = contest(METRICS);
    let long = "123456789012345678901234567890.125";
    solver(&folder, "bot", 5, long, 7);
    let reports =
        ["--json", "r.json", "--csv", "r.csv", "--markdown", "r.md", "--html", "r.html", "--jsonl", "r.jsonl"];
    let said = folder.judge(&[&["run", "./bot", "--stderr", "none"], &reports[..]].concat());
    assert_eq!(said.code, Some(0), "{}", text(&said));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for name in ["r.json", "r.jsonl", "r.csv", "r.md", "r.html"] {
        assert!(read(name).contains(long), "{name}: {}", read(name));
    }
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(report["cases"][0]["metrics"]["nodes"], json!(7));
    assert_eq!(report["cases"][0]["metrics"].get("share"), None, "it was not printed");
    let declared: Vec<_> = report["metrics"].as_array().unwrap().iter().map(|one| (&one["name"], &one["by"])).collect();
    assert_eq!(
        declared,
        [
            (&json!("moves"), &json!("checker")),
            (&json!("share"), &json!("checker")),
            (&json!("nodes"), &json!("solver"))
        ]
    );
    assert_eq!(report["solvers"][0]["metrics"]["nodes"], json!({"cases": 2, "mean": 7}));
    assert!(read("r.csv").starts_with("case,"), "{}", read("r.csv"));
    assert!(
        read("r.csv").lines().next().unwrap().ends_with("metric:moves,metric:share,metric:nodes"),
        "{}",
        read("r.csv")
    );
    assert!(said.stdout.contains("nodes (by the solver)"), "{}", said.stdout);

    let (_, shown) = folder.json(&["history", "show", "last"]);
    assert_eq!(metrics(&shown), metrics(&report));
    let (code, reused) = folder.json(&["run", "./bot", "--reuse", "--stderr", "none"]);
    assert_eq!((code, metrics(&reused)), (Some(0), metrics(&report)));
    let (_, kept) = folder.json(&["history", "show", "last", "--where", "metric:nodes == 7"]);
    assert_eq!(metrics(&kept).len(), 2);
    let said = folder.judge(&["history", "show", "last", "--where", "metric:nodes > 7"]);
    assert_eq!(said.code, Some(2), "{}", text(&said));
    let said = folder.judge(&["history", "show", "last", "--where", "metric:node > 7"]);
    assert!(said.stderr.contains("`p` has no metric `node`"), "{}", said.stderr);
}

#[test]
fn a_wrong_metric_line_is_the_checkers_fault() {
    let folder = contest(METRICS);
    for (line, why) in [
        ("metric moves 1\nmetric moves 2", "it has printed `moves` before"),
        ("metric moves many", "found `many`"),
        ("metric nodes 3", "[problem.metrics] has no `nodes` of the checker"),
    ] {
        folder.write("answers/seed-1.out", format!("5\n{line}\n"));
        let (code, report) = folder.json(&["run", "-s", "x=answers:answers", "--seeds", "1"]);
        assert_eq!(code, Some(3), "{report}");
        assert_eq!(report["cases"][0]["verdict"], "judge-error");
        assert!(report["cases"][0]["note"].as_str().unwrap().contains(why), "{report}");
    }
    let folder = contest("nodes = { stderr = 'nodes=(\\S+)' }");
    folder.write("answers/seed-1.out", "5\nmetric what ever\n");
    let (code, _) = folder.json(&["run", "-s", "x=answers:answers", "--seeds", "1"]);
    assert_eq!(code, Some(0), "without a metric of the checker, no line is one");
}

#[test]
fn solvers_are_compared_by_a_metric() {
    let folder = contest(METRICS);
    solver(&folder, "old", 5, "10", 1);
    solver(&folder, "new", 5, "8", 2);
    let (code, report) = folder.json(&["compare", "./old", "./new", "--measure", "metric:moves", "--seeds", "1-8"]);
    assert_eq!(code, Some(0), "{report}");
    assert_eq!((&report["metric"], &report["direction"]), (&json!("moves"), &json!("min")));
    let said = folder.judge(&["compare", "./old", "./new", "--measure", "metric:moves", "--seeds", "1-8"]);
    assert!(said.stdout.contains("the mean of `moves` falls by 2"), "{}", said.stdout);
    solver(&folder, "same", 9, "10", 1);
    let said = folder.judge(&["compare", "./old", "./same", "--measure", "metric:moves", "--seeds", "1-8"]);
    assert!(said.stdout.contains("no difference: the same `moves` on all 8 cases"), "{}", said.stdout);
    let said = folder.judge(&["rank", "./old", "./new", "--measure", "metric:moves", "--seeds", "1-8"]);
    assert!(said.stdout.contains("by the metric `moves`"), "{}", said.stdout);
    folder.script("crash", "read seed; [ $seed = 3 ] && exit 1; echo 5; echo \"metric moves 2\"");
    let said = folder.judge(&["compare", "./old", "./crash", "--measure", "metric:moves", "--seeds", "1-12"]);
    assert!(said.stdout.contains("but crash has no `moves` on 1 case that it failed"), "{}", said.stdout);
    for (measure, why) in
        [("metric:none", "`p` has no metric `none`"), ("metric:share", "which values of `share` are better")]
    {
        let said = folder.judge(&["compare", "./old", "./new", "--measure", measure]);
        assert_eq!(said.code, Some(2), "{}", text(&said));
        assert!(said.stderr.contains(why), "{}", said.stderr);
    }
}

#[test]
fn dominated_solvers_are_left_out() {
    let folder = contest(METRICS);
    solver(&folder, "best", 9, "10", 1);
    solver(&folder, "short", 5, "3", 1);
    solver(&folder, "dominated", 5, "4", 1);
    let solvers = ["./best", "./short", "./dominated"];
    let (code, report) = folder.json(&[&["run"], &solvers[..], &["--pareto", "score,metric:moves"]].concat());
    assert_eq!(code, Some(0), "{report}");
    let front = json!({"measures": ["score", "metric:moves"], "solvers": [
        {"name": "best", "means": [9, 10], "cases": 2}, {"name": "short", "means": [5, 3], "cases": 2}]});
    assert_eq!(report["pareto"], front);
    let said = folder.judge(&["history", "show", "last", "--pareto", "score,moves"]);
    assert!(said.stdout.contains("not dominated"), "{}", text(&said));
    for measures in ["score", "score,none", "score,share", "score,score"] {
        let said = folder.judge(&[&["run"], &solvers[..], &["--pareto", measures]].concat());
        assert_eq!(said.code, Some(2), "{measures}: {}", text(&said));
    }
}

#[test]
fn each_protocol_has_a_place_for_metrics() {
    let folder = Folder::new();
    let rest = "generator-command = \"echo {seed}\"\nseeds = \"1\"\n[problem.metrics]\nmoves = \"min\"\n";
    let checkers = [
        ("judge", "echo 5; echo 'metric moves 7'"),
        ("testlib", "echo 'metric moves 7' >&2; echo 'points 5' >&2; exit 7"),
        ("kattis", "echo 5 > $3/score.txt; echo 'metric moves 7' > $3/metrics.txt; exit 42"),
        ("regex", "echo 'metric moves 7'; echo 'Score = 5'"),
    ];
    let mut catalogue = String::new();
    for (protocol, body) in checkers {
        folder.script(&format!("check-{protocol}"), body);
        let regex = if protocol == "regex" { "score-regex = 'Score = (\\d+)'\n" } else { "" };
        let files = if matches!(protocol, "judge" | "regex") { " {input} {answer}" } else { "" };
        catalogue += &format!(
            "[[problem]]\nid = \"{protocol}\"\nchecker-command = \"./check-{protocol}{files}\"\nchecker-protocol = \"{protocol}\"\n{regex}{rest}"
        );
    }
    folder.write("problems.toml", catalogue);
    folder.write("answers/seed-1.out", "x\n");
    for (protocol, _) in checkers {
        let (code, report) = folder.json(&["run", "-p", protocol, "-s", "x=answers:answers"]);
        assert_eq!(code, Some(0), "{protocol}: {report}");
        assert_eq!(
            (&report["cases"][0]["score"], &report["cases"][0]["metrics"]["moves"]),
            (&json!(5), &json!(7)),
            "{protocol}"
        );
        let said = folder.judge(&["check", "-p", protocol, "--seed", "1", "--output", "answers/seed-1.out"]);
        assert_eq!(said.stdout, "accepted 5\nmetric moves 7\n", "{protocol}: {}", said.stderr);
    }
}

#[test]
fn a_bad_metric_is_shown_in_the_catalogue() {
    for (metrics, why) in [
        ("moves = \"up\"", "problems.toml:7:9"),
        ("moves = { stderr = '(' }", "bad regular expression of `moves`"),
        ("moves = { directions = \"min\" }", "unknown key `directions`"),
        ("\"a b\" = \"min\"", "bad metric name `a b`"),
        ("moves = 3", "a text, or a table"),
    ] {
        let said = contest(metrics).judge(&["list"]);
        assert_eq!(said.code, Some(2), "{metrics}");
        assert!(said.stderr.contains(why), "{metrics}: {}", said.stderr);
    }
    let folder = Folder::new();
    folder
        .write("problems.toml", "[[problem]]\nid = \"p\"\nchecker = \"columns\"\n[problem.metrics]\nturns = \"min\"\n");
    let said = folder.judge(&["list"]);
    assert!(said.stderr.contains("a built-in checker prints no metric `turns`"), "{}", said.stderr);
    assert!(said.stderr.contains("expected moves, chains or longest"), "{}", said.stderr);
}

#[test]
fn built_in_games_count_beside_the_score() {
    let folder = Folder::new();
    folder.write("case.in", "3\nRBB\nRRR\nRBB\n");
    folder.write("all/case.out", "2\n0 0\n1 1\n");
    folder.write("some/case.out", "1\n1 2\n");
    let problem = ["-p", "same-game-free", "--inputs", "case.in", "-s", "all=answers:all", "-s", "some=answers:some"];
    let (code, report) = folder.json(&[&["run"], &problem[..]].concat());
    assert_eq!(code, Some(0), "{report}");
    let both = [json!({"moves": 2, "left": 0, "largest": 5}), json!({"moves": 1, "left": 4, "largest": 5})];
    assert_eq!(metrics(&report), both);
    let (_, shown) = folder.json(&["history", "show", "last", "--where", "metric:left == 4"]);
    assert_eq!(metrics(&shown).len(), 2);
    let (_, front) = folder.json(&["history", "show", "last", "--pareto", "score,metric:moves"]);
    assert_eq!(front["pareto"]["solvers"].as_array().unwrap().len(), 2, "{front}");
    // Tables on the terminal show the metrics that the catalogue names.
    let said = folder.judge(&[&["run"], &problem[..]].concat());
    assert!(!said.stdout.contains("moves"), "{}", said.stdout);
    let said = folder.judge(&["show", "same-game-free"]);
    assert!(said.stdout.contains("moves (min): groups removed"), "{}", said.stdout);
    let catalogue =
        "[[problem]]\nid = \"p\"\nchecker = \"same-game-free\"\nseeds = \"1\"\n[problem.metrics]\nleft = {}\n";
    folder.write("problems.toml", catalogue);
    let said = folder.judge(&["run", "--inputs", "case.in", "-s", "all=answers:all", "--csv", "r.csv"]);
    assert!(said.stdout.contains("left") && !said.stdout.contains("largest"), "{}", text(&said));
    let csv = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("metric:left,metric:moves,metric:largest"), "{csv}");
    let said = folder.judge(&["check", "--input", "case.in", "--output", "all/case.out"]);
    assert_eq!(said.stdout, "accepted 64\nmetric left 0\n");
}

#[test]
#[ignore = "CI: many runs"]
fn every_claim_takes_a_metric() {
    let folder = contest(METRICS);
    solver(&folder, "old", 5, "$((10 + seed % 3))", 1);
    solver(&folder, "new", 4, "$((8 + seed % 3))", 2);
    folder.script("bot", "read seed; echo 5; echo \"metric moves $((seed % 3 + $1))\"");
    let moves = ["--measure", "metric:moves"];
    let told = |arguments: &[&str]| {
        let said = folder.judge(&[arguments, &moves[..]].concat());
        assert_eq!(said.code, Some(0), "{arguments:?}: {}", text(&said));
        said.stdout
    };
    let decided = told(&["compare", "./old", "./new", "--until-decided", "--max-cases", "200"]);
    assert!(decided.contains("new is better than old"), "{decided}");
    for more in [&["--seeds", "1-30"][..], &["--until-decided"]] {
        let (code, report) = folder.json(&[&["rank", "./old", "./new"], more, &moves].concat());
        assert_eq!((code, &report["solvers"][0]["name"]), (Some(0), &json!("new")), "{report}");
        assert_eq!((&report["undecided"], &report["metric"]), (&json!([]), &json!("moves")), "{report}");
    }
    let spread = told(&["power", "-p", "p", "-s", "./old", "-s", "./new", "--seeds", "1-12"]);
    assert!(spread.contains("12 cases"), "{spread}");
    let best = told(&["tune", "-s", "./bot {n}", "--param", "n=1..9:int", "--budget", "60"]);
    assert!(best.contains("n=1 is better than n=5"), "{best}");
    assert!(best.contains("mean moves") && !best.contains("mean score"), "{best}");
    for command in ["rank", "compare"] {
        let said = folder.judge(&[command, "./old", "./new", "--until-decided", "--measure", "metric:none"]);
        assert!(said.code == Some(2) && said.stderr.contains("`p` has no metric `none`"), "{}", text(&said));
    }
}

#[test]
fn an_interactor_and_a_tester_measure() {
    let folder = Folder::new();
    let rest = "generator-command = \"echo {seed}\"\nseeds = \"1-2\"\n[problem.metrics]\nturns = \"min\"\n";
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"talk\"\ninteractor-command = \"./talk {{report}}\"\n{rest}\
             [[problem]]\nid = \"test\"\ntester-command = \"./test {{solver}} {{report}}\"\n{rest}"
        ),
    );
    folder.script("talk", "echo go; read turns; { echo 5; echo \"metric turns $turns\"; } > $1");
    folder.script("test", "turns=$(echo go | $1); { echo 5; echo \"metric turns $turns\"; } > $2");
    folder.script("bot", "read word; echo 7");
    for problem in ["talk", "test"] {
        let (code, report) = folder.json(&["run", "-p", problem, "./bot"]);
        assert_eq!((code, metrics(&report)), (Some(0), vec![json!({"turns": 7}); 2]), "{problem}: {report}");
        let (code, report) = folder.json(&["find", "-p", problem, "-s", "./bot", "--for", "where", "metric:turns==7"]);
        assert_eq!((code, report["found"].as_array().unwrap().len()), (Some(0), 10), "{problem}: {report}");
    }
}
