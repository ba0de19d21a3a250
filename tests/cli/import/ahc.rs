//! Tools as AtCoder provides them: built with Cargo, and run unchanged.

use super::{catalogue, names, package};
use crate::support::{Folder, of_cases};

const MANIFEST: &str = "[package]\nname = \"tools\"\nversion = \"1.0.0\"\nedition = \"2018\"\n";

/// Writes `in/0000.txt` and so on into its current folder, unless `--dir=` names another.
const GEN: &str = r#"
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let dir = words.iter().find_map(|word| word.strip_prefix("--dir=")).unwrap_or("in");
    let _ = std::fs::create_dir(dir);
    let seeds = std::fs::read_to_string(&words[1]).unwrap();
    for (id, line) in seeds.lines().enumerate() {
        let seed: u64 = line.trim().parse().unwrap();
        std::fs::write(format!("{}/{:04}.txt", dir, id), format!("{}\n", seed % 1000 + 7)).unwrap();
    }
}
"#;

/// The score is the input times the answer. The picture is written next to it.
const VIS: &str = r#"
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let input: u64 = std::fs::read_to_string(&words[1]).unwrap().trim().parse().unwrap();
    let output = std::fs::read_to_string(&words[2]).unwrap();
    let score = match output.trim().parse::<u64>() {
        Ok(answer) => input * answer,
        Err(_) => { println!("no number"); 0 }
    };
    println!("Score = {}", score);
    std::fs::write("vis.html", format!("<html>{}</html>", score)).unwrap();
}
"#;

/// Sends the doubled number to the solver, twice: the second time does not count.
const TESTER: &str = r#"
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn play(input: u64) -> Result<u64, String> {
    let command: Vec<String> = std::env::args().skip(1).collect();
    let mut solver = Command::new(&command[0]).args(&command[1..])
        .stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let _ = writeln!(solver.stdin.take().unwrap(), "{}", input);
    let mut said = String::new();
    BufReader::new(solver.stdout.take().unwrap()).read_line(&mut said).unwrap();
    print!("{}", said);
    said.trim().parse::<u64>().map(|answer| input * answer).map_err(|_| "no number".to_owned())
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_line(&mut input).unwrap();
    for (name, input) in [("Score", input.trim().parse().unwrap()), ("Score for truth", 1)].iter() {
        match play(*input) {
            Ok(score) => eprintln!("{} = {}", name, score),
            Err(why) => eprintln!("{}\n{} = 0", why, name),
        }
    }
}
"#;

/// Imports the package, and returns what the judge printed.
fn imported(folder: &Folder, more: &[&str]) -> String {
    let said = folder.judge(&[&["import", "pack", "--to", "out", "--id", "ahc777"], more].concat());
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("building the tools with cargo, outside the sandbox"), "{}", said.stderr);
    said.stdout
}

fn scores(folder: &Folder, solver: &str, seeds: &str) -> Vec<i64> {
    let run = ["run", "--problems", "out/problems.toml", "-p", "ahc777", "-s", solver, "--seeds", seeds];
    let (_, report) = folder.json(&run);
    let scores = of_cases(&report, "score").into_iter();
    scores.map(|score| score.as_i64().unwrap_or_else(|| panic!("{report}"))).collect()
}

#[test]
fn tools_with_a_generator_and_a_picture_run() {
    let list = "40\n18446744073709551615\n";
    let files = [("Cargo.toml", MANIFEST), ("src/bin/gen.rs", GEN), ("src/bin/vis.rs", VIS), ("seeds.txt", list)];
    let folder = package(&files);
    folder.write("pack/in/0000.txt", "47\n");
    folder.write("pack/in/0001.txt", "622\n");
    let before = names(&folder.path().join("pack"));
    let said = imported(&folder, &[]);
    assert_eq!(names(&folder.path().join("pack")), before, "the package is left as it is");
    for line in ["2 cases, which gen makes of the seeds 0-1", "gen, vis: built with cargo", "left   the time limit"] {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(names(&folder.path().join("out")), ["problems.toml", "tools"]);
    assert_eq!(names(&folder.path().join("out/tools")), ["gen", "seeds.txt", "vis"]);
    assert!(catalogue(&folder).contains("title = \"AHC777\""));

    // The numbers are places in the list, and are the seeds themselves beyond its end.
    assert_eq!(scores(&folder, "echo 1", "0-3"), [47, 622, 9, 10]);
    let problems = ["--problems", "out/problems.toml"];
    let view = ["view", "--run", "last", "--case", "seed-1", "--html", "page.html"];
    let said = folder.judge(&[&problems[..], &view].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("page.html")).unwrap(), "<html>622</html>");
    assert!(said.stderr.contains("accepted 622"), "{}", said.stderr);
    let view = ["view", "-p", "ahc777", "--seed", "3", "-s", "echo 2", "--html", "page.html"];
    let said = folder.judge(&[&problems[..], &view].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("page.html")).unwrap(), "<html>20</html>");
    let (_, report) =
        folder.json(&["run", "--problems", "out/problems.toml", "-p", "ahc777", "-s", "echo no", "--seeds", "0"]);
    assert_eq!(of_cases(&report, "note"), [&serde_json::json!("no number")]);
}

#[test]
#[ignore = "CI: many programs are compiled"]
fn a_tester_makes_the_problem_interactive() {
    let files = [("src/bin/gen.rs", GEN), ("src/bin/vis.rs", VIS), ("src/bin/tester.rs", TESTER)];
    let folder = package(&files);
    folder.write("pack/Cargo.toml", MANIFEST);
    folder.write("pack/seeds.txt", "0\n1\n2\n");
    let said = imported(&folder, &["--no-verify"]);
    assert!(said.contains("the problem is interactive: tester starts the solver"), "{said}");
    assert!(!catalogue(&folder).contains("generator-seeds"), "the list says nothing");
    assert_eq!(scores(&folder, "sh -c 'read x; echo $x'", "0-2"), [49, 64, 81]);
    let view = ["--problems", "out/problems.toml", "view", "--run", "last", "--case", "seed-2", "--html", "page.html"];
    // The answer contains the output of both runs.
    assert_eq!(folder.judge(&view).code, Some(1));
    assert_eq!(std::fs::read_to_string(folder.path().join("page.html")).unwrap(), "<html>0</html>");
}

#[test]
fn a_crate_beside_the_tools_is_built_along() {
    let manifest = format!("{MANIFEST}[dependencies]\nhelper = {{ path = \"../helper\" }}\n");
    let vis = "fn main() { println!(\"Score = {}\", helper::two()); }\n";
    let folder = package(&[("Cargo.toml", &*manifest), ("src/bin/vis.rs", vis), ("in/0000.txt", "1\n")]);
    folder.write("helper/Cargo.toml", MANIFEST.replace("tools", "helper"));
    folder.write("helper/src/lib.rs", "pub fn two() -> i32 { nothing }\n");
    let refused = folder.judge(&["import", "pack", "--to", "out"]);
    let place = folder.path().canonicalize().unwrap().join("helper");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("cannot find value `nothing`"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&*place.to_string_lossy()), "a path that the user knows: {}", refused.stderr);
    folder.write("helper/src/lib.rs", "pub fn two() -> i32 { 2 }\n");
    imported(&folder, &["--no-verify"]);
    let (_, report) = folder.json(&["run", "--problems", "out/problems.toml", "-p", "ahc777", "-s", "true"]);
    assert_eq!(of_cases(&report, "score"), [&serde_json::json!(2)]);
}

/// Some testers and visualizers print why they reject, print no score, and end with exit code 0.
#[test]
fn an_error_without_a_score_rejects() {
    let vis = VIS.replace("fn main() {", "fn main() { println!(\"Illegal output: 3\"); return;");
    let folder = package(&[("Cargo.toml", MANIFEST), ("src/bin/vis.rs", &*vis), ("in/0000.txt", "1\n")]);
    imported(&folder, &["--no-verify"]);
    let (_, report) = folder.json(&["run", "--problems", "out/problems.toml", "-p", "ahc777", "-s", "true"]);
    assert_eq!(of_cases(&report, "verdict"), [&serde_json::json!("wrong-answer")]);
    assert_eq!(of_cases(&report, "note"), [&serde_json::json!("Illegal output: 3")]);
}

#[test]
fn what_cannot_be_built_or_scored_is_refused() {
    let refused = |folder: &Folder, expected: &str| {
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        assert_eq!(said.code, Some(2), "{}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(expected), "{}", said.stderr);
        assert_eq!(names(folder.path()), ["pack"]);
    };
    let folder = package(&[("Cargo.toml", MANIFEST), ("src/bin/gen.rs", GEN)]);
    refused(&folder, "no program gives a score: expected a program `vis`");
    let folder = package(&[("Cargo.toml", MANIFEST), ("src/bin/vis.rs", VIS)]);
    refused(&folder, "no cases, and no program `gen`");
    let folder = package(&[("Cargo.toml", MANIFEST), ("src/bin/vis.rs", "fn main() { nothing }")]);
    refused(&folder, "cannot find value `nothing`");
}

/// The files are the contest's own.
#[test]
fn cases_that_gen_cannot_remake_stay_files() {
    let files = [("src/bin/gen.rs", GEN), ("src/bin/score.rs", VIS), ("in/0000.txt", "5\n"), ("in/0001.txt", "6\n")];
    let folder = package(&files);
    folder.write("pack/tools/x", "");
    folder.write("pack/Cargo.toml", MANIFEST);
    let said = imported(&folder, &["--no-verify"]);
    assert!(said.contains("gen makes another 0000.txt of seeds.txt, so that the cases stay files"), "{said}");
    assert_eq!(names(&folder.path().join("out/in")), ["0000.txt", "0001.txt"]);
    let (_, report) = folder.json(&["run", "--problems", "out/problems.toml", "-p", "ahc777", "-s", "echo 2"]);
    assert_eq!(of_cases(&report, "score"), [&serde_json::json!(10), &serde_json::json!(12)]);
}
