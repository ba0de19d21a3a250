//! A folder of submissions becomes a ranking; where the paths of solvers start from.

use crate::support::{Folder, Said};
use serde_json::{Value, json};

/// A problem of two cases whose answers are their own scores, and a language in which every compilation fails.
fn contest() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-2\"\n\
         [language.hopeless]\nextensions = [\"hope\"]\ncompile = \"sh -c 'echo no hope >&2; exit 1' {source} {out}\"\n\
         run = \"{program}\"\n",
    );
    let files = [
        ("subs/a.sh", "echo 9"),
        ("subs/b b.sh", "echo 5"),
        ("subs/c=d.sh", "echo 9"),
        ("subs/fails.sh", "exit 3"),
        ("subs/never.hope", "x"),
        ("subs/odd.xyz", "x"),
        ("subs/README.md", "x"),
        ("subs/.hidden.sh", "echo 99"),
        ("subs/a.sh~", "echo 99"),
        ("subs/__pycache__/a.sh", "echo 99"),
        ("subs/empty/notes.txt", "x"),
        ("more/a.sh", "echo 7"),
    ];
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{text}\n")).unwrap();
    }
    folder
}

/// The rank, the name and the total of each solver, by rank and then by name.
fn ranking(report: &Value) -> Vec<(u64, String, Value)> {
    let solvers = report["solvers"].as_array().unwrap().iter();
    let mut places: Vec<_> = solvers
        .map(|solver| {
            (solver["rank"].as_u64().unwrap(), solver["name"].as_str().unwrap().to_owned(), solver["total"].clone())
        })
        .collect();
    places.sort_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
    places
}

fn place(rank: u64, name: &str, total: u64) -> (u64, String, Value) {
    (rank, name.to_owned(), json!(total))
}

#[test]
fn submissions_that_do_not_compile_are_ranked() {
    let folder = contest();
    let reports = ["--csv", "r.csv", "--json", "r.json", "--html", "r.html", "--markdown", "r.md"];
    let said = folder.judge(&[&["run", "-p", "p", "--solvers", "subs/*"], &reports[..]].concat());
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    let expected = [
        place(1, "a", 18),
        place(1, "c=d", 18),
        place(3, "b b", 10),
        place(4, "empty", 0),
        place(4, "fails", 0),
        place(4, "never", 0),
        place(4, "odd", 0),
    ];
    assert_eq!(ranking(&report), expected);
    let skipped = "no submissions, and skipped: .hidden.sh, README.md, __pycache__, a.sh~";
    assert!(said.stderr.contains(skipped), "{}", said.stderr);

    let has_row = |words: &[&str]| {
        said.stdout.lines().any(|line| line.split_whitespace().take(words.len()).eq(words.iter().copied()))
    };
    assert!(has_row(&["solver", "rank", "sum"]) && has_row(&["c=d", "1", "18"]), "{}", said.stdout);
    let of_never = said.stdout.lines().find(|line| line.starts_with(" never") && line.contains("compile-error"));
    assert!(of_never.is_some(), "{}", said.stdout);
    assert!(read("r.md").contains("| never | 4 | 0 |"), "{}", read("r.md"));
    assert!(read("r.html").contains("compile-error") && read("r.html").contains("<th>rank</th>"), "{}", read("r.html"));
    let mut rows = csv::Reader::from_path(folder.path().join("r.csv")).unwrap();
    let titles = rows.headers().unwrap().clone();
    let at = |name: &str| titles.iter().position(|title| title == name).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().collect::<Result<_, _>>().unwrap();
    let of = |name: &str| rows.iter().find(|row| &row[at("solver")] == name).unwrap();
    assert_eq!(rows.len(), 14);
    assert_eq!([&of("b b")[at("rank")], &of("b b")[at("total")]], ["3", "10"]);
    assert_eq!([&of("never")[at("verdict")], &of("never")[at("rank")]], ["compile-error", "4"]);
}

#[test]
fn submissions_of_one_stem_are_told_apart() {
    let folder = contest();
    let run = |more: &[&str]| folder.json(&[&["run", "-p", "p"], more].concat());
    let (code, report) = run(&["--solvers", "subs/[ab]*.sh", "--solvers", "more", "-s", "base=echo 8"]);
    assert_eq!(code, Some(0));
    let expected = [place(1, "subs/a", 18), place(2, "base", 16), place(3, "more/a", 14), place(4, "b b", 10)];
    assert_eq!(ranking(&report), expected);
    // A submission that is a solver already is not there twice.
    let report = run(&["--solvers", "subs/[ab]*.sh", "-s", "mine=subs/a.sh"]).1;
    assert_eq!(ranking(&report), [place(1, "mine", 18), place(2, "b b", 10)]);
    // Its results are reused, no matter how it is found.
    let times = |report: &Value| {
        let cases = report["cases"].as_array().unwrap().iter().filter(|case| case["solver"] == "b b");
        cases.map(|case| case["wall_ms"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let again = times(&run(&["--solvers", "subs/*.sh", "--reuse"]).1);
    // The journal keeps microseconds.
    assert!(again.iter().zip(times(&report)).all(|(now, then)| (now - then).abs() < 0.002), "{again:?} {report}");
}

#[test]
fn a_pattern_without_submissions_is_one_error() {
    let folder = contest();
    for (pattern, words) in [
        ("nowhere/*", "`nowhere/*` matches nothing"),
        ("subs/R*", "`subs/R*` matches no submission, only README.md"),
        ("subs/[", "`subs/[` is not a file pattern"),
    ] {
        let said = folder.judge(&["run", "-p", "p", "--solvers", "subs/a.sh", "--solvers", pattern]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains(words) && said.stderr.contains("--solvers 'submissions/*'"), "{}", said.stderr);
        assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
    }
    let said = folder.judge(&["run", "-p", "p", "--solvers", "subs/*", "-s", "./gone"]);
    assert!(said.code == Some(2) && said.stderr.contains("gone"), "{}", said.stderr);
}

#[test]
fn catalogue_paths_start_from_the_catalogue() {
    let folder = contest();
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let own = "solver = \"sh subs/a.sh\"\n[[problem.expect]]\nsolver = \"subs/a.sh\"\nscore = 18\n[language.hopeless]";
    folder.write("problems.toml", catalogue.replace("[language.hopeless]", own));
    let judge = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_judge"));
        let output = command.args(arguments).current_dir(folder.path().join("more")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let total = |arguments: &[&str]| {
        let (code, text) = judge(&[&["run", "-p", "p", "--json", "-"], arguments].concat());
        assert_eq!(code, Some(0), "{text}");
        serde_json::from_str::<Value>(&text).unwrap()["solvers"][0].clone()
    };
    let own = total(&[]);
    assert_eq!((&own["total"], &own["name"]), (&json!(18), &json!("sh subs/a.sh")), "{own}");
    assert_eq!(total(&["-s", "a.sh"])["total"], json!(14));
    let (code, text) = judge(&["verify", "-p", "p"]);
    assert!(text.contains("total 18") && code.is_some_and(|code| code < 2), "{text}");
}

#[test]
fn parallel_compilation_keeps_the_order() {
    let folder = contest();
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let language = "[language.slow]\nextensions = [\"slow\"]\nrun = \"sh {program}\"\n\
                    compile = \"sh -c 'sleep 0.2; cp $1 $2/main' - {source} {out}\"\n";
    folder.write("problems.toml", text + language);
    for number in 1..=6 {
        folder.write(&format!("six/{number}.slow"), format!("echo {number}\n"));
    }
    folder.write("six/7.hope", "x");
    for jobs in ["1", "4"] {
        let run = ["run", "-p", "p", "--solvers", "six/*", "--jobs", jobs, "--no-cache"];
        let (code, report) = folder.json(&run);
        assert_eq!(code, Some(1), "{report}");
        let solvers = report["solvers"].as_array().unwrap().iter();
        let names: Vec<_> = solvers.map(|solver| solver["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["1", "2", "3", "4", "5", "6", "7"]);
        assert_eq!(ranking(&report)[0], place(1, "6", 12));
    }
}

/// A problem of files with answers, and solvers of students.
fn class() -> Folder {
    let folder = Folder::new();
    let problem =
        "[[problem]]\nid = \"sum\"\nchecker = \"tokens\"\ninputs = [\"data/*.in\"]\nanswers = [\"data/*.ans\"]\n";
    folder.write("problems.toml", problem);
    folder.write("data/1.in", "<script>alert(1)</script>\n");
    folder.write("data/1.ans", "expected-of-1\n");
    folder.write("data/2.in", "2\n");
    folder.write("data/2.ans", "2\n");
    folder.write("anna.sh", "cat\n");
    folder.write("ben.sh", "echo oops >&2; exit 3\n");
    folder
}

fn feedback(folder: &Folder, more: &[&str]) -> Said {
    let run = ["run", "-s", "anna.sh", "-s", "ben.sh", "--feedback", "pages"];
    folder.judge(&[&run, more].concat())
}

#[test]
fn pages_for_solvers_keep_tests_secret() {
    let folder = class();
    let said = feedback(&folder, &[]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("pages").join(name)).unwrap();
    for (name, expected) in [
        (
            "anna.md",
            [
                "rank 1 of 2 solvers",
                "1: wrong-answer: it differs from the expected answer at line 1",
                "the answer breaks a rule",
                "1 accepted, 1 wrong-answer",
            ],
        ),
        (
            "ben.html",
            ["rank 2 of 2 solvers", "1: runtime-error", "it ended with an error or a signal", "2 runtime-error"],
        ),
    ] {
        let page = read(name);
        for text in expected {
            assert!(page.contains(text), "{name} does not say {text}: {page}");
        }
        for secret in ["script>alert", "expected-of-1", "oops", "anna", "ben"] {
            let is_own = name.starts_with(secret);
            assert!(is_own || !page.contains(secret), "{name} tells {secret}: {page}");
        }
    }
}

#[test]
fn pages_show_escaped_tests_on_request() {
    let folder = class();
    feedback(&folder, &["--show-inputs"]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("pages").join(name)).unwrap();
    let page = read("ben.html");
    assert!(page.contains("&#60;script&#62;alert(1)") && !page.contains("<script>alert"), "{page}");
    assert!(page.contains("expected-of-1") && page.contains("oops"), "{page}");
    let page = read("ben.md");
    assert!(page.contains("    <script>alert(1)</script>\n") && page.contains("    expected-of-1\n"), "{page}");
    let said = folder.judge(&["run", "-s", "anna.sh", "--show-inputs"]);
    assert!(said.code == Some(2) && said.stderr.contains("--feedback"), "{}", said.stderr);
}

#[test]
fn hostile_names_stay_in_the_page_folder() {
    let folder = class();
    let solvers = ["-s", "cat ../x", "-s", "a+b=./anna.sh", "-s", "a#b=./anna.sh", "-s", "./anna.sh 1"];
    let run = [&["run", "--feedback", "pages"], &solvers[..]].concat();
    let said = folder.judge(&run);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let mut names: Vec<String> = std::fs::read_dir(folder.path().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    assert_eq!(names, ["a_b-2.md", "a_b.md", "anna.sh_1.md", "cat_.._x.md"]);
}
