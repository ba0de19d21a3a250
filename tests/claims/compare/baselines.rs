//! Baselines, and the gate that holds a solver to them.

use super::*;

/// A recorded baseline, which its own solver passes each of these times.
fn passed(times: usize) -> Folder {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain"]).code, Some(0));
    for round in 1..=times {
        let said = gate(&folder, "./plain", &["--time-drop", "100%"]);
        assert_eq!(said.code, Some(0), "round {round}: {}{}", said.stdout, said.stderr);
    }
    folder
}

#[test]
#[ignore = "long: twenty gates"]
fn an_unchanged_solver_passes_every_time() {
    passed(20);
}

#[test]
fn the_gate_fails_only_on_a_worse_solver() {
    let folder = passed(3);
    assert_eq!(gate(&folder, "./better", &[]).code, Some(0));
    folder.script("worse", "read -r seed; echo $((990 + seed * 37 % 101))");
    let said = gate(&folder, "./worse", &["--max-drop", "0.5%"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the total got worse by 0.9"), "{}", said.stdout);
    assert!(said.stdout.contains("judge run -p sum -s ./worse --seeds "), "{}", said.stdout);
    assert_eq!(gate(&folder, "./worse", &["--max-drop", "1.5%"]).code, Some(0));
    let said = gate(&folder, "./failing", &["--max-drop", "100%"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("seed-5: they were accepted and are runtime-error"), "{}", said.stdout);
}

#[test]
fn without_a_solver_the_baselines_own_is_held() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "mine=./plain"]).code, Some(0));
    let text = read(&folder, "baseline.toml");
    assert!(text.contains("solver = \"./plain\"\nsolver-name = \"mine\"\n"), "{text}");
    let own = || folder.judge(&["gate", "--baseline", "baseline.toml"]);
    let said = own();
    assert!(said.code == Some(0) && said.stdout.contains("solver: ./plain; the baseline's own"), "{}", said.stdout);
    assert_eq!(recorded(&folder).0[0].0, "mine");
    let file = std::fs::File::open(folder.path().join("baseline.toml")).unwrap();
    let piped = folder.command(&["gate", "--baseline", "-"]).stdin(file).output().unwrap();
    assert_eq!(piped.status.code(), Some(0), "{}", String::from_utf8_lossy(&piped.stderr));
    let said = gate(&folder, "./better", &[]);
    assert!(said.stdout.contains("solver: ./better; the baseline is of ./plain"), "{}", said.stdout);
    // Another program under its name is another solver.
    folder.script("plain", "exit 3");
    let said = own();
    assert!(said.code == Some(1) && said.stdout.contains("accepted and are runtime-error"), "{}", said.stdout);
    std::fs::remove_file(folder.path().join("plain")).unwrap();
    let said = own();
    assert!(said.code == Some(2) && said.stderr.contains("./plain"), "{}{}", said.stdout, said.stderr);
    // A file without a name, as in a hand-written one.
    folder.script("plain", "read -r seed; echo $((1000 + seed * 37 % 101))");
    folder.write("baseline.toml", text.replace("solver-name = \"mine\"\n", ""));
    assert_eq!(own().code, Some(0));
}

#[test]
fn failures_for_one_reason_are_reported_once() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain"]).code, Some(0));
    folder.script(
        "broken",
        "read -r seed; case $seed in 5|10) echo no stack >&2; exit 3;; 7) echo x; exit;; esac; echo 2000",
    );
    let reports = ["--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md"];
    let said = gate(&folder, "./broken", &reports);
    let crashed = "seed-10, seed-5: they were accepted and are runtime-error: exit code 3";
    let shown = format!("{crashed}\n    | no stack\n    judge run -p sum -s ./broken --seeds 10\n");
    assert!(said.stdout.contains(&shown), "{}", said.stdout);
    let wrong = "seed-7: it was accepted and is wrong-answer: no number: x\n    judge run -p sum -s ./broken --seeds 7";
    assert!(said.stdout.contains(wrong), "{}", said.stdout);
    let markdown = read(&folder, "gate.md");
    assert!(markdown.contains(&format!("- {crashed}<br><code>no stack</code><br><code>judge run")), "{markdown}");
    assert_eq!(markdown.matches("exit code 3").count(), 1, "{markdown}");
    let junit = read(&folder, "gate.xml");
    assert!(junit.contains("<system-err>no stack</system-err>"), "{junit}");
    assert!(junit.contains("message=\"seed-7: it was accepted and is wrong-answer: no number: x\""), "{junit}");
    let json: Value = serde_json::from_str(&read(&folder, "gate.json")).unwrap();
    let complaint = &json["complaints"][0];
    assert_eq!((&complaint["note"], &complaint["stderr"]), (&"exit code 3".into(), &"no stack".into()));
    assert_eq!((json["complaints"].as_array().unwrap().len(), &json["verdict"]), (3, &"fails".into()));
}

#[test]
fn baseline_and_journal_name_the_same_checker() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain", "--seeds", "1-2"]).code, Some(0));
    folder.judge(&["run", "-p", "sum", "-s", "./plain", "--seeds", "1"]);
    let (_, best) = folder.json(&["best", "-p", "sum"]);
    let baseline = std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    let recorded = baseline.lines().find_map(|line| line.strip_prefix("checker = ")).unwrap();
    let name = best["checker"]["name"].as_str().unwrap();
    assert_eq!(recorded.trim_matches('"'), name);

    assert_eq!(gate(&folder, "./plain", &[]).code, Some(0));
    folder.write("check.sh", format!("{CHECKER}true\n"));
    let said = gate(&folder, "./plain", &[]);
    assert!(said.code == Some(1) && said.stdout.contains("checker"), "{}{}", said.stdout, said.stderr);
}

#[test]
fn a_confident_gate_is_not_alarmed_by_noise() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain", "--seeds", "1-10"]).code, Some(0));
    assert_eq!(gate(&folder, "./noisy", &["--max-drop", "0%"]).code, Some(1));
    assert_eq!(gate(&folder, "./noisy", &["--max-drop", "0%", "--confident"]).code, Some(0));
    folder.script("worse", "read -r seed; echo $((990 + seed * 37 % 101))");
    assert_eq!(gate(&folder, "./worse", &["--max-drop", "0%", "--confident"]).code, Some(1));
}

#[test]
fn a_confident_gate_compares_totals_not_ratios() {
    let folder = misleading("max");
    assert_eq!(record(&folder, &["-s", "./even", "--seeds", "1-100"]).code, Some(0));
    let said = gate(&folder, "./uneven", &["--max-drop", "0%", "--confident"]);
    assert_eq!(said.code, Some(1), "{}", said.stdout);
    assert!(said.stdout.contains("the total"), "{}", said.stdout);
}

#[test]
fn baseline_files_are_small_sorted_and_reproducible() {
    let folder = sample();
    folder.write("data/case-a.in", "3\n");
    let allowed = ["-s", "./failing", "--seeds", "1-6", "--inputs", "data/*.in", "--allow-failures"];
    assert_eq!(record(&folder, &allowed).code, Some(0));
    let read = || std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    // Times, and how busy the machine was, differ from run to run.
    let without_times = |text: String| -> Vec<String> {
        let lines = text.lines().map(|line| line.split(", cpu = ").next().unwrap());
        lines.map(|line| line.split(", noisy = ").next().unwrap().to_owned()).collect()
    };
    let first = without_times(read());
    let cases: Vec<&String> = first.iter().skip_while(|line| *line != "[cases]").skip(1).collect();
    assert_eq!(cases.len(), 7, "{first:?}");
    assert!(cases.is_sorted(), "{first:?}");
    assert!(cases[0].contains("file = \"data/case-a.in\"") && cases[0].contains("score = 1010"), "{}", cases[0]);
    assert!(cases[5].contains("seed = 5") && cases[5].contains("verdict = \"runtime-error\""), "{}", cases[5]);
    record(&folder, &allowed);
    assert_eq!(without_times(read()), first);
    // A case that failed before may fail again, and may be fixed.
    assert_eq!(gate(&folder, "./failing", &[]).code, Some(0));
    let fixed = gate(&folder, "./plain", &[]).stdout;
    assert!(fixed.contains("holds on 7 cases: total of the 6 cases accepted in both runs 6"), "{fixed}");
    assert!(fixed.contains("now accepted: seed-5"), "{fixed}");
}

#[test]
fn a_baseline_with_failures_is_refused() {
    let folder = sample();
    let said = record(&folder, &["-s", "./failing"]);
    assert_eq!(said.code, Some(1));
    let error = "error: nothing was recorded: 4 cases not accepted: seed-5, seed-10, seed-15, seed-20\n";
    assert!(said.stderr.contains(error) && said.stderr.contains("--allow-failures"), "{}", said.stderr);
    assert!(said.stderr.contains("runtime-error: exit code 3\n"), "{}", said.stderr);
    assert!(!folder.path().join("baseline.toml").exists());
}

#[test]
fn what_has_changed_is_said_and_not_compared() {
    let folder = sample();
    folder.write("data/a.in", "3\n");
    folder.write("data/b.in", "4\n");
    record(&folder, &["-s", "./plain", "--inputs", "data/*.in"]);
    std::fs::remove_file(folder.path().join("data/a.in")).unwrap();
    folder.write("data/b.in", "5\n");
    let said = gate(&folder, "./plain", &[]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("a: it was not run: its input is gone"), "{}", said.stdout);
    assert!(said.stdout.contains("b: its input differs from the recorded one"), "{}", said.stdout);
    let command = "    judge baseline -p sum -s ./plain --inputs ";
    assert!(said.stdout.contains(command), "{}", said.stdout);
    folder.write("data/a.in", "3\n");
    folder.write("data/b.in", "4\n");
    let said = gate(&folder, "./plain", &["--memory", "100MiB"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the problem has changed"), "{}", said.stdout);
    folder.write("check.sh", format!("{CHECKER}# another version\n"));
    let said = gate(&folder, "./plain", &[]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the checker has changed, nothing was compared"), "{}", said.stdout);
    folder.write("baseline.toml", "schema = 1\n");
    assert_eq!(gate(&folder, "./plain", &[]).code, Some(2));
    assert_eq!(folder.judge(&["gate", "--baseline", "missing.toml", "-s", "./plain"]).code, Some(2));
}

#[test]
fn falls_from_0_and_tiny_falls_are_not_0_percent() {
    let folder = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"sum\"\ndirection = \"min\""));
    folder.script("now", "echo 0");
    assert_eq!(record(&folder, &["-s", "./now", "--tolerance", "5%", "--seeds", "1"]).code, Some(0));
    folder.script("now", "echo 7");
    let said = gate(&folder, "./now", &[]);
    assert!(said.stdout.contains("seed-1: its score got worse from 0, more than its tolerance"), "{}", said.stdout);
    assert!(said.stdout.contains("the total got worse, from 0 to 7, and 0 % is allowed"), "{}", said.stdout);
    folder.script("now", "echo 400000000");
    assert_eq!(record(&folder, &["-s", "./now", "--seeds", "1"]).code, Some(0));
    folder.script("now", "echo 400000001");
    let said = gate(&folder, "./now", &[]);
    assert!(said.stdout.contains("the total got worse by 0.00000025 %, from 400000000"), "{}", said.stdout);
}

#[test]
fn a_fault_of_the_checker_is_never_recorded() {
    let folder = sample();
    folder.write("check.sh", CHECKER.replacen("case", "[ \"$score\" = fault ] && exit 7\ncase", 1));
    folder.script("better", "read -r seed; [ $seed = 5 ] && echo fault || echo $((2000 + seed))");
    assert_eq!(record(&folder, &["-s", "./failing", "--allow-failures"]).code, Some(0));
    let recorded = read(&folder, "baseline.toml");
    let said = gate(&folder, "./better", &["--update"]);
    assert_eq!((said.code, read(&folder, "baseline.toml")), (Some(3), recorded), "{}", said.stdout);
}

#[test]
fn inputs_are_made_once_for_each_run() {
    let folder = Folder::new();
    let runs = folder.write("runs", "");
    let generator = format!("sh -c 'echo x >> {}; echo {{seed}}'", runs.display());
    let catalogue = CATALOGUE.replace("echo {seed}", &generator).replace("seeds = ", "trusted = true\nseeds = ");
    folder.write("problems.toml", catalogue.replace("1-20", "1-4"));
    folder.write("check.sh", CHECKER);
    folder.script("plain", "echo 7");
    let said = record(&folder, &["-s", "./plain", "--repeat", "3", "--no-journal"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(read(&folder, "runs").lines().count(), 12);
}

#[test]
fn an_update_never_lowers_the_baseline() {
    let folder = sample();
    record(&folder, &["-s", "./plain", "--tolerance", "50%"]);
    let read = || std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    let before = read();
    let kept = gate(&folder, "./plain", &["--update"]);
    assert_eq!((kept.code, read()), (Some(0), before));
    assert!(kept.stderr.contains("baseline.toml is kept: nothing is better"), "{}", kept.stderr);
    assert_eq!(gate(&folder, "./better", &["--update"]).code, Some(0));
    let after = read();
    assert!(after.contains("score = 1053") && after.contains("tolerance = \"50%\""), "{after}");
    assert_eq!(gate(&folder, "./plain", &["--update"]).code, Some(1));
    assert_eq!(read(), after);
}

/// Records a second problem of the same kind, and a baseline of each.
fn two_problems() -> Folder {
    let folder = sample();
    folder.write("problems.toml", [CATALOGUE, &CATALOGUE.replace("\"sum\"\ngen", "\"other\"\ngen")].concat());
    for problem in ["sum", "other"] {
        let arguments = ["baseline", "-p", problem, "-s", "./plain", "--output", &format!("{problem}.toml")];
        assert_eq!(folder.judge(&arguments).code, Some(0));
    }
    folder
}

#[test]
fn the_run_of_a_gate_is_recorded_with_the_weights_of_its_cases() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\nseeds = \"1-3\"\n\
         [[problem.case]]\nname = \"heavy\"\nseed = 13\nweight = 10\n",
    );
    let line = ["baseline", "-p", "p", "-s", "echo 5", "--output", "b.toml"];
    assert_eq!(folder.judge(&line).code, Some(0));
    assert_eq!(folder.judge(&["gate", "--baseline", "b.toml"]).code, Some(0));
    let history = folder.json(&["history"]).1;
    let totals: Vec<&Value> = history["runs"].as_array().unwrap().iter().map(|run| &run["total"]).collect();
    assert_eq!(totals, [65, 65]);
}

#[test]
fn several_baselines_have_one_verdict() {
    let folder = two_problems();
    let baselines = ["gate", "--baseline", "sum.toml", "--baseline", "other.toml"];
    let gate = |more: &[&str]| folder.judge(&[&baselines[..], more].concat());
    let said = gate(&[]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("\n2 gates: 2 hold; together they raise a false alarm"), "{}", said.stdout);
    // One of two is worse: the other is renewed nevertheless.
    let text = read(&folder, "other.toml");
    folder.write("other.toml", text.replace("score = 1", "score = 9"));
    folder.write("sum.toml", read(&folder, "sum.toml").replace("score = 10", "score = 9"));
    let reports = ["--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md", "--csv", "gate.csv"];
    let said = gate(&[&["--update"][..], &reports].concat());
    assert_eq!(said.code, Some(1), "{}", said.stdout);
    assert!(said.stdout.contains("sum: the gate holds") && said.stdout.contains("other: the gate does not hold"));
    assert!(said.stdout.contains("2 gates: 1 hold, 1 do not hold;"), "{}", said.stdout);
    assert!(
        read(&folder, "sum.toml").contains("score = 1037") && !read(&folder, "other.toml").contains("score = 1037")
    );
    let json: Value = serde_json::from_str(&read(&folder, "gate.json")).unwrap();
    assert_eq!((&json["verdict"], &json["holds"]), (&"fails".into(), &false.into()));
    let told =
        |field: &str| -> Vec<&Value> { json["gates"].as_array().unwrap().iter().map(|gate| &gate[field]).collect() };
    assert_eq!(told("verdict"), ["holds", "fails"]);
    assert_eq!(told("baseline"), ["sum.toml", "other.toml"]);
    assert_eq!(told("problem"), ["sum", "other"]);
    let junit = read(&folder, "gate.xml");
    assert!(
        junit.contains("\"judge gate sum (sum.toml)\"") && junit.contains("\"judge gate other (other.toml)\""),
        "{junit}"
    );
    assert!(
        read(&folder, "gate.md").starts_with("### ❌ 2 gates: ") && read(&folder, "gate.md").contains("\n### ✅ sum: ")
    );
    assert!(
        read(&folder, "gate.csv").starts_with("baseline,case,") && read(&folder, "gate.csv").contains("\nother.toml,")
    );
}

#[test]
fn an_update_raises_the_reference_with_the_score() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\nseeds = \"1\"\n\
         [problem.scoring]\nrule = \"relative\"\n",
    );
    let line = ["baseline", "-p", "p", "-s", "echo 100", "--output", "b.toml"];
    assert_eq!(folder.judge(&line).code, Some(0));
    let line = ["gate", "--baseline", "b.toml", "-s", "echo 200", "--update"];
    assert_eq!(folder.judge(&line).code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("b.toml")).unwrap();
    assert!(text.contains("score = 200") && text.contains("reference = 200"), "{text}");
}

#[test]
fn the_command_for_a_new_baseline_works_where_files_changed() {
    let folder = Folder::new();
    folder
        .write("other.toml", "[[problem]]\nid = \"f\"\nchecker-command = \"cat {answer}\"\ninputs = [\"data/*.in\"]\n");
    for case in 1..=3 {
        folder.write(&format!("data/{case}.in"), format!("{case}\n"));
    }
    let problems = ["--problems", "other.toml"];
    let line = ["baseline", "-p", "f", "-s", "cat", "--output", "b.toml"];
    assert_eq!(folder.judge(&[&line[..], &problems].concat()).code, Some(0));
    std::fs::remove_file(folder.path().join("data/2.in")).unwrap();
    folder.write("data/3.in", "7\n");
    let said = folder.judge(&[&["gate", "--baseline", "b.toml"], &problems[..]].concat());
    let command =
        "judge baseline -p f -s cat --inputs data/1.in --inputs data/3.in --output b.toml --problems other.toml";
    assert!(said.stdout.contains(command), "{}", said.stdout);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(folder.judge(&words).code, Some(0));
}

#[test]
fn one_solver_serves_all_baselines_of_a_problem() {
    let folder = two_problems();
    let said = folder.judge(&["gate", "--baseline", "sum.toml", "--baseline", "other.toml", "-s", "./better"]);
    assert!(said.code == Some(2) && said.stderr.contains("the baselines are of other and sum"), "{}", said.stderr);
    let more = ["baseline", "-p", "sum", "-s", "./plain", "--seeds", "30-40", "--output", "more.toml"];
    assert_eq!(folder.judge(&more).code, Some(0));
    let said = folder.judge(&["gate", "--baseline", "sum.toml", "--baseline", "more.toml", "-s", "./better"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(said.stdout.matches("solver: ./better; the baseline is of ./plain").count(), 2, "{}", said.stdout);
    let said = folder.judge(&["gate", "--baseline", "sum.toml", "--baseline", "more.toml", "--calibrate"]);
    assert!(said.code == Some(2) && said.stderr.contains("--calibrate takes one --baseline"), "{}", said.stderr);
}

#[test]
fn an_update_keeps_similar_cpu_times() {
    let folder = sample();
    record(&folder, &["-s", "./plain", "--seeds", "1-4"]);
    // One much slower than now, the others a little.
    let text = read(&folder, "baseline.toml");
    let timed = |line: &str| match line.split_once(", cpu = ") {
        Some((start, _)) if line.contains("seed = 2,") => format!("{start}, cpu = \"900ms\" }}"),
        Some((start, _)) => format!("{start}, cpu = \"4.5ms\" }}"),
        None => line.to_owned(),
    };
    folder.write("baseline.toml", text.lines().map(timed).collect::<Vec<_>>().join("\n"));
    assert_eq!(gate(&folder, "./better", &["--update"]).code, Some(0));
    let updated = read(&folder, "baseline.toml");
    assert_eq!(updated.matches("cpu = \"4.5ms\"").count(), 3, "{updated}");
    assert!(!updated.contains("900ms") && updated.contains("seed = 2,"), "{updated}");
}

#[test]
fn the_gates_reports_tell_the_same() {
    let folder = sample();
    record(&folder, &["-s", "./plain"]);
    let summary = folder.path().join("summary.md");
    let more = ["--markdown", "gate.md", "--junit", "gate.xml", "--json", "gate.json"];
    let arguments = [&["gate", "--baseline", "baseline.toml", "-s", "./failing"], &more[..]].concat();
    let status = folder.command(&arguments).env("GITHUB_STEP_SUMMARY", &summary).output().unwrap().status;
    assert_eq!(status.code(), Some(1));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let json: Value = serde_json::from_str(&read("gate.json")).unwrap();
    assert_eq!((&json["holds"], &json["schema"]), (&false.into(), &1.into()));
    assert_eq!(json["complaints"].as_array().unwrap().len(), 4);
    assert_eq!(json["complaints"][0]["command"], "judge run -p sum -s ./failing --seeds 10");
    let junit = read("gate.xml");
    assert!(junit.contains("tests=\"21\"") && junit.contains("failures=\"4\""), "{junit}");
    assert!(read("gate.md").contains("- seed-10, seed-15, seed-20, seed-5: they were accepted and are runtime-error"));
    assert_eq!(read("gate.md"), std::fs::read_to_string(Path::new(&summary)).unwrap());
}

#[test]
fn gate_markdown_always_fits_a_comment() {
    let folder = sample();
    record(&folder, &["-s", "./plain"]);
    let mut baseline = std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    for case in 0..3000 {
        let name = format!("|{case}| <b> @everyone {}", "x".repeat(60));
        let line = "file = 'gone', input = '6437b3ac38', verdict = 'accepted', score = 1";
        baseline += &format!("'{name}' = {{ {line} }}\n");
    }
    folder.write("baseline.toml", &baseline);
    let said = gate(&folder, "./plain", &["--markdown", "-"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stdout.len() < 60_000, "{} bytes", said.stdout.len());
    assert!(
        said.stdout.contains("… and 2900 more") && said.stdout.contains("20 of 20 cases accepted"),
        "{}",
        said.stdout
    );
    assert!(!said.stdout.contains("<b>") && !said.stdout.contains("@everyone"), "{}", said.stdout);
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}
