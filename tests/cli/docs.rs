//! Everything that the documentation tells users to copy works as it is: the workflow files, and the optimizer's
//! example.

use crate::support::documents::garbage_is_wrong;
use crate::support::documents::{commands, document, package, python_has, repository, run, sample, text};
use crate::support::require::{Need, skip};
use crate::support::{Folder, of_cases};
use judge_problem::ProtocolName;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The value of a key of a workflow file, anywhere in it.
fn value(workflow: &str, key: &str) -> String {
    let line = workflow.lines().find_map(|line| line.trim().strip_prefix(&format!("{key}: "))).unwrap();
    line.to_owned()
}

#[test]
#[ignore = "CI: whole workflows"]
fn workflow_files_gate_a_repository() {
    if !python_has("sys", Need::Python) {
        return;
    }
    for file in ["ci/github-actions.yml", "ci/gitlab-ci.yml"] {
        let workflow = document(file);
        let solver = value(&workflow, "SOLVER");
        let folder = sample();
        folder.write("bot.py", "print(1000 + int(input()) * 37 % 101)\n");
        let baseline = ["baseline", "-p", "columns", "-s", &solver, "--output", "baseline.toml"];
        let said = folder.judge(&baseline);
        assert_eq!(said.code, Some(0), "{file}: {}{}", said.stdout, said.stderr);
        let git = |arguments: &[&str]| {
            let output = run(&folder, "git", arguments, &[]);
            assert!(output.status.success(), "git {arguments:?}: {}", text(&output.stderr));
        };
        git(&["init", "--quiet"]);
        git(&["add", "problems.toml", "check.sh", "bot.py", "baseline.toml"]);
        git(&["-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "--quiet", "-m", "a bot"]);

        let [gate] = commands(&workflow, "judge gate")[..] else { panic!("{file}: one gate is expected") };
        let summary = folder.path().join("summary.md");
        let variables = [("SOLVER", &*solver), ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())];
        let gated = || run(&folder, "sh", &["-e", "-c", gate], &variables);
        let output = gated();
        assert_eq!(output.status.code(), Some(0), "{file}: {}{}", text(&output.stdout), text(&output.stderr));

        folder.write("bot.py", "print(900 + int(input()) * 37 % 101)\n");
        assert_eq!(gated().status.code(), Some(1), "{file}: a worse solver");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let json: Value = serde_json::from_str(&read("gate.json")).unwrap();
        assert_eq!((&json["holds"], of_cases(&json, "case").len()), (&false.into(), 20));
        assert!(read("gate.xml").contains("failures=\"1\"") && read("gate.md").contains("the total got worse"));
        assert!(read("summary.md").ends_with(&read("gate.md")));
        let recorded = folder.json(&["history", "-p", "columns"]).1;
        assert_eq!(recorded["runs"].as_array().unwrap().len(), 3, "the baseline, and the gate twice: {recorded}");
    }
}

#[test]
fn games_and_solvers_are_in_the_catalogue_and_described() {
    let (readme, solvers) = (document("../README.md"), document("solutions.md"));
    let own: toml::Table = std::fs::read_to_string(repository().join("problems.toml")).unwrap().parse().unwrap();
    let catalogue = own["problem"].as_array().unwrap().iter().map(|problem| problem["checker"].as_str().unwrap());
    let games: Vec<&str> = checkers::all().iter().map(|checker| checker.id).collect();
    assert_eq!(catalogue.collect::<Vec<_>>(), games, "the games of problems.toml, and the list of checkers");
    let (metrics, page) = (document("metrics.md"), document("ui.md"));
    let played = page.lines().find(|line| line.starts_with("- **Play**")).expect("ui.md says what can be played");
    let mut missing = Vec::new();
    let mut want = |is_there: bool, what: String| missing.extend((!is_there).then_some(what));
    for checker in checkers::all() {
        let id = checker.id;
        want(readme.contains(&format!("\n| `{id}` |")), format!("README.md: a row of {id}"));
        want(solutions::find(id).is_some(), format!("the solvers: one with the id {id}"));
        let is_played = played.contains(&format!("`{id}`"));
        want(checker.manual_reader.is_none() || is_played, format!("ui.md: {id} can be played"));
        let has_row = metrics.contains(&format!("\n| `{id}` |"));
        want(checker.metrics.is_empty() || has_row, format!("metrics.md: a row of {id}"));
    }
    for solver in solutions::all().map(|solution| solution.id) {
        let is_row = |line: &str| line.starts_with('|') && line.contains(&format!("| `{solver}` |"));
        want(solvers.lines().any(is_row), format!("solutions.md: a row of {solver}"));
    }
    assert!(missing.is_empty(), "missing: {missing:#?}");
}

#[test]
fn reports_with_a_schema_are_described() {
    let page = document("reports.md");
    let written = |name: &&str| !name.starts_with("ui-") && !name.starts_with("serve-");
    // `judge schema` without a name prints the schema of a run.
    for name in judge_report::SCHEMAS.iter().map(|(name, ..)| *name).filter(|name| written(name) && *name != "run") {
        let is_named = page.contains(&format!("`{name}`")) || page.contains(&format!("`judge schema {name}`"));
        assert!(is_named, "reports.md does not name the schema {name}");
    }
}

#[test]
fn the_example_of_sealed_cases_is_a_catalogue() {
    let page = document("sealed.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = Folder::new();
    folder.write("problems.toml", example);
    let said = folder.judge(&["show", "my-problem"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
}

/// The script of a workflow file that installs the judge, without the indentation of its lines.
fn installation(workflow: &str) -> String {
    let begin = workflow.find("archive=judge-").expect("the installation begins with the archive's name");
    let margin = workflow[..begin].len() - workflow[..begin].rfind('\n').unwrap() - 1;
    let lines = workflow[begin - margin..].lines().take_while(|line| line.starts_with(&" ".repeat(margin)));
    lines.map(|line| format!("{}\n", &line[margin..])).collect()
}

/// A judge's repository as on a hosting service: with a release whose program prints `released`, or without one.
fn published(folder: &Folder, with_release: bool) -> String {
    let source = format!("file://{}/service/judge", folder.path().display());
    let machine = text(&Command::new("uname").arg("-m").output().unwrap().stdout).trim().to_owned();
    let name = format!("judge-{machine}-unknown-linux-musl");
    folder.script(&format!("{name}/judge"), "echo released");
    let release = folder.path().join("service/judge/releases/latest/download");
    std::fs::create_dir_all(&release).unwrap();
    if with_release {
        let archive = release.join(format!("{name}.tar.gz"));
        let pack = "tar -czf \"$1\" \"$2\" && cd \"$(dirname \"$1\")\" && sha256sum \"$2.tar.gz\" > \"$1.sha256\"";
        let packed = run(folder, "sh", &["-e", "-c", pack, "sh", archive.to_str().unwrap(), &name], &[]);
        assert!(packed.status.success(), "{}", text(&packed.stderr));
    }
    source
}

/// Installs the judge like a workflow file, with a cargo that records its arguments, and returns the result. The judge
/// that is found then prints where it comes from.
fn installed(folder: &Folder, file: &str, source: &str) -> Output {
    let build = "mkdir -p \"$6/bin\" && echo '#!/bin/sh' >\"$6/bin/judge\" && chmod +x \"$6/bin/judge\"";
    folder.script("bin/cargo", &format!("echo \"cargo $*\"; {build}"));
    let service = folder.write("path", "");
    let variables = [
        ("JUDGE_SOURCE", source),
        ("JUDGE_RELEASE", "latest/download"),
        ("HOME", folder.path().to_str().unwrap()),
        ("CI_PROJECT_DIR", folder.path().to_str().unwrap()),
        ("GITHUB_PATH", service.to_str().unwrap()),
        // The runner's own folder must be included.
        ("TMPDIR", folder.path().to_str().unwrap()),
    ];
    let script = installation(&document(file));
    let found = "while read -r place; do PATH=\"$place:$PATH\"; done <\"$GITHUB_PATH\"; command -v judge; judge";
    run(folder, "bash", &["-e", "-c", &format!("{script}{found}")], &variables)
}

#[test]
fn workflow_files_install_verified_releases_or_build() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skip(Need::Curl, "there is no curl");
    }
    for file in ["ci/github-actions.yml", "ci/gitlab-ci.yml"] {
        let folder = sample();
        let source = published(&folder, true);
        let output = installed(&folder, file, &source);
        assert!(output.status.success(), "{file}: {}{}", text(&output.stdout), text(&output.stderr));
        assert!(text(&output.stdout).ends_with("released\n"), "{file}: {}", text(&output.stdout));

        let archive = folder.path().join("service/judge/releases/latest/download");
        let mut files = std::fs::read_dir(archive).unwrap().map(|entry| entry.unwrap().path());
        let archive = files.find(|path| path.extension().is_some_and(|ending| ending == "gz")).unwrap();
        std::fs::write(&archive, "something else").unwrap();
        let output = installed(&folder, file, &source);
        assert!(!output.status.success(), "{file}: a wrong checksum is accepted: {}", text(&output.stdout));
        assert!(!text(&output.stdout).contains("cargo"), "{file}: it is built instead: {}", text(&output.stdout));

        let folder = sample();
        let source = published(&folder, false);
        let output = installed(&folder, file, &source);
        assert!(output.status.success(), "{file}: {}{}", text(&output.stdout), text(&output.stderr));
        let place = folder.path().join("judge-built");
        let asked = format!("cargo install --locked --git {source} --root {} judge\n", place.display());
        assert!(text(&output.stdout).starts_with(&asked), "{file}: {}", text(&output.stdout));
        assert!(text(&output.stdout).contains(&format!("{}/bin/judge\n", place.display())), "{file}");
    }
    // The files that `cargo install --git … judge` needs.
    let manifest = std::fs::read_to_string(repository().join("judge/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"judge\"") && repository().join("Cargo.lock").is_file());
}

/// The optimizer's example, and a folder with a solver whose best parameter is 2.
fn example() -> (Folder, PathBuf) {
    let folder = sample();
    // With t below 0.2 it fails on the even seeds.
    let program = "BEGIN { getline seed; if (t < 0.2 && seed % 2 == 0) exit 3; d = log(t / 2);
        printf \"%d\\n\", 1000000 * exp(-d * d) + seed }";
    folder.script("bot", &format!("exec awk -v t=\"$2\" '{program}'"));
    (folder, repository().join("docs/examples/optuna_tune.py"))
}

/// A Python with Optuna: from the environment that `.ci/machine` makes, or the usual one. Prints a message if there is
/// none.
fn python_with_optuna() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let has_it = |python: &PathBuf| {
        let found = Command::new(python).args(["-c", "import optuna, scipy"]).output();
        found.is_ok_and(|output| output.status.success())
    };
    let python = [target.join("optuna/bin/python"), PathBuf::from("python3")].into_iter().find(has_it);
    if python.is_none() {
        skip(Need::Optuna, "no Python can import optuna and scipy");
    }
    python
}

/// Runs the example and returns its output.
fn run_example(folder: &Folder, python: &Path, arguments: &[&str]) -> String {
    let output = run(folder, python.to_str().unwrap(), arguments, &package());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The parameter that the example found.
fn found(said: &str) -> f64 {
    said.strip_prefix("t=").and_then(|rest| rest.split(' ').next()).unwrap_or_else(|| panic!("{said}")).parse().unwrap()
}

#[test]
#[ignore = "CI: a search by Optuna"]
fn the_example_with_optuna_finds_the_parameter() {
    let Some(python) = python_with_optuna() else { return };
    let (folder, file) = example();
    let file = file.to_str().unwrap();
    // The first ten trials are drawn evenly. With only these, the best one is not near 2.
    let said = run_example(&folder, &python, &[file, "--trials", "25", "--cases", "10"]);
    let best = found(&said);
    assert!((1.6..2.5).contains(&best), "{said}");
    assert!(
        said.contains(&format!("judge compare -p columns YOUR_SOLVER './bot --t {best}' --until-decided")),
        "{said}"
    );
    let cases: usize = said.lines().nth(1).unwrap().strip_suffix(" cases in 25 trials").unwrap().parse().unwrap();
    assert!((125..250).contains(&cases), "some trials are given up after the first batch: {said}");
}

#[test]
#[ignore = "CI: a search by Optuna"]
fn the_optuna_example_continues_from_tune() {
    let Some(python) = python_with_optuna() else { return };
    let (folder, file) = example();
    let tune = ["tune", "-p", "columns", "-s", "./bot --t {t}", "--param", "t=0.1..10:log", "--budget", "120"];
    let said = folder.judge(&[&tune[..], &["--jsonl", "trials.jsonl"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let go_on = [file.to_str().unwrap(), "--start", "trials.jsonl", "--cases", "10", "--trials"];
    let tuned = found(&run_example(&folder, &python, &[&go_on[..], &["0"]].concat()));
    let lines = std::fs::read_to_string(folder.path().join("trials.jsonl")).unwrap();
    assert!(lines.contains(&format!("{{\"t\":\"{tuned}\"}}")) && (1.6..2.5).contains(&tuned), "{tuned}: {lines}");
    let better = found(&run_example(&folder, &python, &[&go_on[..], &["10"]].concat()));
    assert!((better / 2.0).ln().abs() <= (tuned / 2.0).ln().abs() + 0.01, "{better}, {tuned}");
}

/// A block of code in a document: its language and its lines.
struct Block<'a> {
    language: &'a str,
    code: &'a str,
}

fn blocks(section: &str) -> Vec<Block<'_>> {
    let parts = section.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.split_once('\n')).map(|(language, code)| Block { language, code }).collect()
}

/// Executes a section: blocks that name a file become that file, and consoles must print the shown output.
fn follow(section: &str) -> Folder {
    let title = section.lines().next().unwrap();
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_judge"), folder.path().join("bin/judge")).unwrap();
    for Block { language, code } in blocks(section) {
        let first = code.lines().next().unwrap();
        if let Some(named) = first.strip_prefix("# ").or_else(|| first.strip_prefix("// ")) {
            folder.write(named.split_whitespace().next().unwrap(), code);
        }
        if language != "console" {
            continue;
        }
        for step in code.split("$ ").skip(1) {
            let (command, shown) = step.split_once('\n').unwrap();
            let output = run(&folder, "sh", &["-c", command], &package());
            assert_eq!(text(&output.stdout), shown, "{title}: {command}\n{}", text(&output.stderr));
        }
    }
    folder
}

#[test]
fn the_examples_of_the_checker_protocols_work() {
    if !python_has("sys", Need::Python) {
        return;
    }
    let page = document("protocols.md");
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    // problems.md has the example of the judge's own protocol.
    for protocol in ProtocolName::ALL.into_iter().filter(|&name| name != ProtocolName::Judge) {
        let section = sections.iter().find(|section| section.lines().next() == Some(protocol.name()));
        let is_followed =
            section.is_some_and(|section| blocks(section).iter().any(|block| block.language == "console"));
        assert!(is_followed, "protocols.md has no section `{protocol}` with an example");
    }
    for section in sections {
        follow(section);
    }
}

#[test]
fn the_example_of_subtasks_works() {
    let page = document("scoring.md");
    follow(page.split("\n### ").nth(1).unwrap().split("\n## ").next().unwrap());
}

/// Executes the sections of a document, each in its own folder, and returns these folders.
fn follow_sections(name: &str, titles: &[&str]) -> Vec<Folder> {
    let page = document(name);
    let follow_one = |title| {
        let found = page.split("\n## ").find(|section| section.lines().next() == Some(title));
        follow(found.unwrap_or_else(|| panic!("{name} has no section `{title}`")))
    };
    titles.iter().copied().map(follow_one).collect()
}

#[test]
fn the_example_of_commands_that_are_sources_works() {
    follow_sections("problems.md", &["Commands"]);
}

#[test]
fn the_examples_of_imports_work() {
    if !python_has("zipfile", Need::Python) {
        return;
    }
    let page = document("importing.md");
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), 4, "{sections:?}");
    for section in sections {
        follow(section);
    }
}

#[test]
#[ignore = "CI: many programs are compiled"]
fn the_examples_of_making_and_verifying_problems_work() {
    if python_has("sys", Need::Python) {
        follow_sections("problems.md", &["Answer files"]);
        follow_sections("verifying.md", &["Start a problem", "Verify a problem"]);
    }
}

#[test]
fn the_examples_of_interactive_problems_work() {
    if python_has("sys", Need::Python) {
        let folders = follow_sections("interactive.md", &["# Interactive problems", "Interactors of others"]);
        garbage_is_wrong(&folders[0], &["run", "-p", "guess", "--seeds", "1"]);
        for problem in ["guess-kattis", "guess-testlib"] {
            garbage_is_wrong(&folders[1], &["run", "-p", problem, "--seeds", "1"]);
        }
    }
}

#[test]
fn the_examples_of_languages_work() {
    if Command::new("cc").arg("--version").output().is_err() {
        return skip(Need::Cc, "no C compiler");
    }
    let page = document("languages.md");
    let begin = page.find("A solver of each kind").unwrap();
    follow(page[begin..].split("\n## ").next().unwrap());
}

#[test]
#[ignore = "CI: whole searches"]
fn the_examples_of_the_python_package_work() {
    if python_has("sys", Need::Python) {
        let titles = ["Evaluate a program", "Many candidates", "Processes", "A problem of your own"];
        follow_sections("python.md", &titles);
    }
}

#[test]
fn the_example_of_a_tester_works() {
    if python_has("sys", Need::Python) {
        let folder = follow(document("testers.md").split("\n## ").next().unwrap());
        garbage_is_wrong(&folder, &["run", "-p", "guess", "--seeds", "1"]);
    }
}

#[test]
fn the_example_of_metrics_works() {
    follow(&document("metrics.md"));
}

#[test]
fn the_example_of_a_ranking_works() {
    follow_sections("verifying.md", &["Rank submissions"]);
}

#[test]
fn the_examples_of_finding_and_reducing_cases_work() {
    if python_has("sys", Need::Python) {
        follow_sections("reduce.md", &["An example"]);
        // The catalogue of one section is used in the next.
        follow(document("find.md").split("\n## ").skip(1).take(2).collect::<Vec<_>>().join("\n").as_str());
    }
}

/// Returns the anchors of a page: the names that its headings have on a website.
fn anchors(page: &str) -> Vec<String> {
    let mut is_code = false;
    let headings = page.lines().filter(|line| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    });
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    let anchor = |heading: &str| {
        let letters = heading.trim_start_matches('#').trim().to_lowercase();
        letters.chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// The words in backticks of a page.
fn quoted(page: &str) -> impl Iterator<Item = &str> {
    page.split('`').skip(1).step_by(2)
}

/// The text of every Rust file below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            sources(&entry, text);
        } else if entry.extension().is_some_and(|end| end == "rs") {
            text.push_str(&std::fs::read_to_string(entry).unwrap());
        }
    }
}

#[test]
fn files_and_tests_that_pages_name_exist() {
    let mut code = String::new();
    for folder in ["judge", "checkers", "solutions", "tests"] {
        sources(&repository().join(folder), &mut code);
    }
    let (mut files, mut tests) = (0, 0);
    for name in
        ["architecture.md", "promises.md", "security.md", "between-cases.md", "solutions.md", "ui.md", "performance.md"]
    {
        let page = document(name);
        for word in quoted(&page) {
            let is_path = ["judge/", "checkers/", "solutions/", "tests/", "docs/", ".ci/"]
                .iter()
                .any(|top| word.starts_with(top));
            if is_path && !word.contains(char::is_whitespace) && !word.contains("GAME") {
                assert!(repository().join(word).exists(), "{name} names {word}");
                files += 1;
            }
            let is_test = word.matches('_').count() >= 3 && word.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
            if is_test && word.chars().any(char::is_lowercase) {
                assert!(code.contains(&format!("fn {word}(")), "{name} names the test {word}");
                tests += 1;
            }
        }
    }
    assert!(files > 30 && tests > 20, "{files} files, {tests} tests");
}

#[test]
fn links_resolve_and_pages_are_in_the_book() {
    let pages = std::fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| repository().join(name)));
    let summary = document("SUMMARY.md");
    let mut links = 0;
    for page in pages {
        let (text, name) = (std::fs::read_to_string(&page).unwrap(), page.file_name().unwrap().to_str().unwrap());
        let is_of_book = page.parent() == Some(&repository().join("docs")) && name != "SUMMARY.md";
        assert!(!is_of_book || summary.contains(&format!("]({name})")), "{name} is not in SUMMARY.md");
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{name} links to {link}");
            assert!(!is_of_book || !file.contains(".."), "{name} is a page of the book and links out of it: {link}");
            let is_there = || anchors(&std::fs::read_to_string(&target).unwrap()).contains(&anchor.to_owned());
            assert!(anchor.is_empty() || is_there(), "{name} links to {link}");
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

#[test]
fn the_example_of_shards_works() {
    follow(document("many-machines.md").split("\n## ").next().unwrap());
}
