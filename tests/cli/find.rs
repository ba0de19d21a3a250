//! `judge find`: cases on which a solver loses or fails.

use crate::support::Folder;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A problem whose generator prints its parameters.
fn with_parameters() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {n} {x} {kind} {seed}\"\n\
         trusted = true\nseeds = \"1-3\"\n\n[problem.generator-parameters]\nn = \"1..10000\"\nx = \"0.0..1.0\"\n\
         kind = [\"path\", \"star\"]\n\n[problem.features]\nn = '^(\\d+)'\n",
    );
    folder
}

fn found(report: &Value) -> Vec<&Value> {
    report["found"].as_array().unwrap().iter().collect()
}

#[test]
fn a_rare_region_is_found_uphill_and_becomes_a_case() {
    let folder = with_parameters();
    // It fails in about one of a thousand cases, and its score falls towards them.
    folder.script(
        "bot",
        "exec awk '{ a = $1 / 10000 - 0.7; b = $2 - 0.3; d = (a < 0 ? -a : a) + (b < 0 ? -b : b)
            if (d < 0.022) exit 3; print 1000 + int(50000 * d) }'",
    );
    let find = ["find", "-p", "p", "-s", "./bot", "--for", "failure", "--top", "1", "--budget", "900", "--save", "bad"];
    let (code, report) = folder.json(&find);
    let all = found(&report);
    assert_eq!((code, all.len()), (Some(0), 1), "{report}");
    assert!(report["runs"].as_u64().unwrap() < 900 && report["schema"] == 1, "{report}");
    assert_eq!(all[0]["value"], "runtime-error");
    let name = all[0]["case"].as_str().unwrap();
    assert!(name.starts_with("seed=") && name.contains(",n=") && name.contains(",kind="), "{name}");
    // The selector and the catalogue play exactly that case.
    let again = folder.json(&["run", "-p", "p", "-s", "./bot", "--case", name]).1;
    assert_eq!((&again["cases"][0]["case"], &again["cases"][0]["verdict"]), (&json!(name), &json!("runtime-error")));
    assert!(all[0]["reproduce"].as_str().unwrap().contains(&format!("--case '{name}'")), "{report}");
    let saved = folder.json(&["run", "--problems", "bad/problems.toml", "-s", "./bot"]).1;
    assert_eq!(saved["cases"][0]["verdict"], "runtime-error", "{saved}");
    let stored = folder.json(&["history", "show", "last"]).1;
    assert_eq!(stored["cases"][0]["case"], json!(name), "{stored}");
    // The same command finds the same cases, and recorded results are not run again.
    let resumed = folder.json(&[&find[..], &["--resume"]].concat()).1;
    assert_eq!(found(&resumed)[0]["case"], json!(name));
}

#[test]
fn the_largest_losses_come_first() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"sum\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-40\"\n",
    );
    folder.script("bot", "read seed; echo $((1000 - seed % 10 * 10))");
    folder.script("good", "echo 1000");
    let (code, report) = folder.json(&[
        "find",
        "-s",
        "./bot",
        "--against",
        "./good",
        "--seeds",
        "1-20",
        "--top",
        "3",
        "--for",
        "loss",
        "--no-journal",
    ]);
    let values: Vec<(String, f64)> = found(&report)
        .iter()
        .map(|found| (found["case"].as_str().unwrap().to_owned(), found["value"].as_f64().unwrap()))
        .collect();
    assert_eq!(code, Some(0));
    assert_eq!(values.iter().map(|(case, _)| &**case).collect::<Vec<_>>(), ["seed-9", "seed-19", "seed-8"]);
    assert!((values[0].1 - 0.09).abs() < 1e-9, "{values:?}");
    assert_eq!((&report["cases"], &report["runs"], &report["against"]), (&json!(20), &json!(40), &json!("good")));
    assert_eq!(
        found(&report)[0]["reproduce"],
        "judge run -p sum -s ./bot -s ./good --seeds 9 --no-journal".trim_end_matches(" --no-journal")
    );
    assert!(!folder.path().join(".judge").exists());
}

#[test]
fn exact_solvers_that_disagree_are_found() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"twice\"\nchecker = \"tokens\"\nanswers = [\"*.ans\"]\ninputs = [\"*.in\"]\n\
         generator-command = \"echo {seed}\"\n",
    );
    folder.script("right", "read n; echo $((n * 2))");
    folder.script("wrong", "read n; if [ $((n % 17)) = 16 ]; then echo 0; else echo \" $((n + n))\"; fi");
    let find = ["find", "-s", "./wrong", "--against", "./right", "--for", "disagreement", "--top", "2"];
    let (code, report) = folder.json(&find);
    let cases: Vec<&Value> = found(&report).iter().map(|found| &found["case"]).collect();
    assert_eq!((code, cases), (Some(0), vec![&json!("seed-16"), &json!("seed-33")]), "{report}");
    let alone = folder.judge(&["find", "-s", "./wrong", "--for", "disagreement"]);
    assert!(alone.code == Some(2) && alone.stderr.contains("needs a second solver"), "{}", alone.stderr);
}

#[test]
fn conditions_find_cases_and_nothing_is_said_so() {
    let folder = with_parameters();
    folder.script("bot", "read n rest; echo $n");
    let search = |condition: &str| {
        folder.json(&["find", "-s", "./bot", "--top", "2", "--budget", "60", "--for", "where", condition])
    };
    let (code, report) = search("score>5000 && n<9000");
    assert_eq!((code, found(&report).len()), (Some(0), 2), "{report}");
    let (code, report) = search("score<0");
    assert_eq!((code, found(&report).len(), &report["runs"]), (Some(1), 0, &json!(60)), "{report}");
    for (goal, message) in [
        (&["where"][..], "--for where needs one condition"),
        (&["where", "score<1", "--for", "where", "n>5"], "--for where needs one condition"),
        (&["where", "score<"], "--for where `score<`"),
        (&["luck"], "--for `luck`: expected one of loss, failure"),
        (&["where", "scores<1"], "no case has a feature `scores`"),
    ] {
        let said = folder.judge(&[&["find", "-s", "./bot", "--budget", "3", "--for"], goal].concat());
        assert!(said.code == Some(2) && said.stderr.contains(message), "{goal:?}: {}", said.stderr);
    }
}

#[test]
fn changed_inputs_are_valid_and_kept() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"list\"\nchecker-command = \"cat {answer}\"\nvalidator-command = \"./valid\"\ninputs = [\"*.in\"]\n",
    );
    folder.script(
        "valid",
        "exec awk 'NR == 1 { n = $1 } NR == 2 { if (NF != n || n < 1) exit 1 } END { if (NR != 2) exit 1 }'",
    );
    folder.write("a.in", "4\n5 6 7 8\n");
    folder.script("bot", "exec awk 'NR == 2 { for (i = 1; i <= NF; i++) if ($i < 5) exit 3; print NF }'");
    let unsaved = folder.judge(&["find", "-s", "./bot", "--for", "failure"]);
    assert!(unsaved.code == Some(2) && unsaved.stderr.contains("--save DIR"), "{}", unsaved.stderr);
    let (code, report) = folder.json(&["find", "-s", "./bot", "--for", "failure", "--top", "2", "--save", "found"]);
    assert_eq!((code, found(&report).len()), (Some(0), 2), "{report}");
    let saved = folder.json(&["run", "--problems", "found/problems.toml", "-s", "./bot"]).1;
    let verdicts: Vec<&Value> = saved["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert_eq!(verdicts, [&json!("runtime-error"), &json!("runtime-error")], "{saved}");
    let other = folder.judge(&["find", "-s", "./bot", "--for", "failure", "--save", "."]);
    assert!(other.code == Some(2) && other.stderr.contains("another catalogue"), "{}", other.stderr);
}

#[test]
fn wrong_parameters_are_errors_of_the_catalogue() {
    let folder = Folder::new();
    let problem = |command: &str, ranges: &str| {
        folder.write(
            "problems.toml",
            format!(
                "[[problem]]\nid = \"p\"\nchecker-command = \"cat {{answer}}\"\ngenerator-command = \"{command}\"\nseeds = \"1-3\"\n\
                 [problem.generator-parameters]\n{ranges}\n"
            ),
        );
        folder.judge(&["list"]).stderr
    };
    for (command, ranges, message) in [
        ("echo {seed} {m}", "n = \"1..9\"", "unknown placeholder `{m}`"),
        ("echo {seed}", "n = \"1..9\"", "the parameter `n` is used nowhere"),
        ("echo {seed} {n}", "n = \"9..1\"", "bad range of the parameter `n`\n --> problems.toml:7:5"),
        ("echo {seed} {n}", "n = \"many\"", "expected \"1..100\""),
        ("echo {seed} {n}", "n = [\"one\"]", "or at least two choices"),
        ("echo {seed} {n}", "n = [\"a,b\", \"c\"]", "bad choice `a,b` of `n`"),
        ("echo {seed} {n}", "n = [\"z\", \"{a}\"]", "bad choice `{a}` of `n`\n --> problems.toml:7:11"),
        ("echo {seed} {n}", "n = [\"\", \"a\"]", "expected a choice that is not empty, without `,`, `{` and `}`"),
        ("echo {seed} {n}", "n = 3", "expected a range"),
        ("echo {seed} {n}", "n = \"0..18446744073709551615\"", "must be whole numbers below 2^53"),
    ] {
        let said = problem(command, ranges);
        assert!(said.contains(message), "{ranges}: {said}");
        assert!(message.contains("{m}") || !said.contains("unknown placeholder"), "one error for {ranges}: {said}");
    }
    problem("echo {seed} {n}", "n = \"1..9\"");
    for (case, message) in [
        ("seed=1,n=10", "`10` is no value of the parameter `n`: expected one in 1..9"),
        ("seed=1,n=05", "bad form of the parameter `n`: expected `5`, found `05`"),
        ("seed=1,m=1", "the generator has no parameter `m`: it has n"),
        ("n=1", "expected a seed and parameters"),
    ] {
        let said = folder.judge(&["gen", "--case", case]);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{case}: {}", said.stderr);
    }
    assert_eq!(folder.judge(&["gen", "--case", "seed=4,n=7"]).stdout, "4 7\n");
    assert_eq!(folder.judge(&["gen", "--seed", "4"]).stdout, folder.judge(&["gen", "--seed", "4"]).stdout);
}

#[test]
fn built_in_games_have_parameters() {
    let folder = Folder::new();
    let cases = [
        ("columns", "seed=1,w=7,h=14,k=2", "7 14\n2\n"),
        ("square-remover", "seed=1,colors=5,N=9", "5\n9\n"),
        ("same-game", "seed=1,R=2,C=3,colors=2", "2\n"),
        ("same-game-free", "seed=1,R=3,C=1", "3\n"),
        ("beating-the-game-easy", "seed=1,t=2,n=3", "2\n\n3\n"),
        ("beating-the-game-hard", "seed=1,t=1,n=4", "1\n\n4\n"),
        ("deletion-game", "seed=1,family=3", "3\n"),
    ];
    let parametric = checkers::all().iter().filter(|checker| checker.parametric.is_some());
    assert_eq!(parametric.count(), cases.len(), "a case of each game with parameters");
    for (game, case, first) in cases {
        let made = folder.judge(&["gen", "-p", game, "--case", case]);
        assert!(made.code == Some(0) && made.stdout.starts_with(first), "{game}: {}{}", made.stdout, made.stderr);
        assert!(folder.judge(&["show", game]).stdout.contains("\nparameters "), "{game}");
    }
}

#[test]
fn faults_of_the_judge_do_not_count() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"sh gen.sh {seed}\"\nseeds = \"1-3\"\n",
    );
    folder.write("gen.sh", "case $1 in 3|5) exit 1; esac; echo $1\n");
    folder.script("bot", "read n; [ $n = 7 ] && exit 3; echo $n");
    folder.script("other", "read n; echo $((n + n % 2))");
    let search = |goal: &[&str]| folder.json(&[&["find", "-s", "./bot", "--budget", "16", "--for"], goal].concat());
    for goal in [&["failure"][..], &["where", "accepted==0"]] {
        let (code, report) = search(goal);
        let cases: Vec<&Value> = found(&report).into_iter().map(|found| &found["case"]).collect();
        assert_eq!((code, cases), (Some(0), vec![&Value::from("seed-7")]), "{report}");
    }
    for goal in ["loss", "disagreement"] {
        let (code, report) = search(&[goal, "--against", "./other"]);
        let cases: Vec<&str> = found(&report).iter().map(|found| found["case"].as_str().unwrap()).collect();
        assert_eq!(code, Some(0), "{report}");
        assert!(cases.contains(&"seed-7") && cases.contains(&"seed-9"), "{cases:?}");
        assert!(!cases.contains(&"seed-3") && !cases.contains(&"seed-5"), "{cases:?}");
    }
    folder.write("gen.sh", "exit 1\n");
    let said = folder.judge(&["find", "-s", "./bot", "--for", "failure"]);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("16 cases are judge errors, and do not count: seed-1: "), "{}", said.stderr);
    // The same holds if the cases are read before they are played, to choose them by their features.
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", catalogue + "\n[problem.features]\nn = '^(\\d+)'\n");
    let said = folder.judge(&["find", "-s", "./bot", "--for", "failure", "--seeds", "1-40"]);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("16 cases are judge errors, and do not count: seed-1: "), "{}", said.stderr);
}

#[test]
fn seeds_need_a_generator() {
    let folder = Folder::new();
    let catalogue = "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\nvalidator-command = \"true\"\n";
    folder.write("problems.toml", format!("{catalogue}inputs = [\"*.in\"]\n"));
    folder.write("a.in", "1\n");
    let said = folder.judge(&["find", "-s", "cat", "--seeds", "1-3", "--save", "found"]);
    assert!(said.code == Some(2) && said.stderr.contains("has no generator"), "{}", said.stderr);
}

#[test]
fn what_is_not_recorded_cannot_go_on() {
    let folder = with_parameters();
    folder.script("bot", "echo 1");
    let tokens =
        "[[problem]]\nid = \"t\"\nchecker = \"tokens\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-3\"\n";
    folder.write("problems.toml", tokens);
    let said = folder.judge(&["find", "-s", "./bot", "--against", "./bot", "--for", "disagreement", "--resume"]);
    assert!(said.code == Some(2) && said.stderr.contains("`tokens` have no answer file"), "{}", said.stderr);
    folder.write("a.in", "6 13\n1\nabc\n");
    let said = folder.judge(&[
        "find",
        "--problems",
        "builtin",
        "-p",
        "columns",
        "--inputs",
        "a.in",
        "--save",
        "new",
        "--resume",
    ]);
    assert!(said.code == Some(2) && said.stderr.contains("changed inputs are in no file"), "{}", said.stderr);
}

#[test]
fn cases_of_tokens_are_saved_with_their_answers() {
    let folder = Folder::new();
    let tokens =
        "[[problem]]\nid = \"t\"\nchecker = \"tokens\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-3\"\n";
    folder.write("problems.toml", tokens);
    folder.script("bot", "read n; [ $n = 3 ] && n=30; echo $n");
    folder.script("right", "cat");
    let find = ["find", "-s", "./bot", "--against", "./right", "--for", "disagreement", "--budget", "6", "--save", "d"];
    let (code, report) = folder.json(&find);
    let all = found(&report);
    assert_eq!((code, all.len(), &all[0]["case"]), (Some(0), 1, &json!("seed-3")), "{report}");
    let difference = all[0]["value"].as_str().unwrap();
    assert!(difference.contains("`3`") && difference.contains("`30`"), "{difference}");
    assert_eq!(all[0]["reproduce"], "judge reduce -p t -s ./bot --against ./right --seed 3");
    let reduced = folder.judge(&["reduce", "-p", "t", "-s", "./bot", "--against", "./right", "--seed", "3"]);
    assert_eq!((reduced.code, &*reduced.stdout), (Some(0), "3\n"), "{}", reduced.stderr);
    for (solver, code) in [("./bot", 1), ("./right", 0)] {
        let said = folder.judge(&["run", "--problems", "d/problems.toml", "-s", solver]);
        assert_eq!(said.code, Some(code), "{}{}", said.stdout, said.stderr);
    }
}

#[test]
fn time_ends_a_search_within_its_batch() {
    let folder = with_parameters();
    // Each batch would take minutes.
    folder.script("bot", "read n x kind seed; [ $seed -gt 1 ] && sleep 20; echo $n");
    let began = Instant::now();
    let find = ["find", "-s", "./bot", "--for", "loss", "--time", "1s", "--jobs", "1", "--wall", "30s"];
    let (code, report) = folder.json(&find);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!((code, found(&report).len(), &report["cases"]), (Some(0), 1, &json!(1)), "{report}");
    // The run in the journal is a whole one.
    let stored = folder.json(&["history", "show", "last"]).1;
    assert_eq!(stored["cases"].as_array().map(Vec::len), Some(1), "{stored}");
}

#[test]
fn a_case_given_twice_is_one_case() {
    let folder = with_parameters();
    folder.script("bot", "echo 1");
    let (code, report) = folder.json(&["run", "-s", "./bot", "--case", "seed=1,n=3", "--case", "n=3,seed=1"]);
    assert_eq!((code, report["cases"].as_array().map(Vec::len)), (Some(0), Some(1)), "{report}");
}

#[test]
fn conditions_name_the_parameters_of_generators() {
    let folder = with_parameters();
    folder.script("bot", "echo 1");
    let find =
        |condition| folder.json(&["find", "-s", "./bot", "--for", "where", condition, "--top", "3", "--no-journal"]);
    let (code, report) = find("x>0.5 && n<=5000");
    assert_eq!((code, found(&report).len()), (Some(0), 3), "{report}");
    let games = |condition| {
        let find = ["find", "--problems", "builtin", "-p", "columns", "-s", "columns-bot", "--for", "where", condition];
        folder.json(&[&find[..], &["--top", "1", "--no-journal"]].concat())
    };
    folder.script("columns-bot", "echo 0");
    assert_eq!(games("magic>900").0, Some(0));
    for (name, message) in [
        ("y", "no case has a feature `y`"),
        ("metric:moves", "`p` has no metric `moves`"),
        ("other_score", "`other_score` needs a second solver\nhint: --against ./other"),
    ] {
        let unknown = folder.judge(&["find", "-s", "./bot", "--for", "where", &format!("{name}>0")]);
        assert!(unknown.code == Some(2) && unknown.stderr.contains(message), "{}", unknown.stderr);
    }
    assert!(!folder.path().join(".judge").exists(), "a wrong condition leaves no run");
}

/// A problem whose answers are their own scores; three solvers.
fn scores(rules: &str) -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"p\"\nchecker-command = \"cat {{answer}}\"\ngenerator-command = \"echo {{seed}}\"\n\
             trusted = true\nseeds = \"1-6\"\n{rules}\n"
        ),
    );
    folder.script("bot", "read n; [ $n = 5 ] && exit 3; echo 900719925474099200$n");
    folder.script("better", "read n; echo 9007199254740992009");
    folder.script("huge", "echo 3e400");
    folder
}

#[test]
fn losses_and_scores_are_exact() {
    let folder = scores("");
    let find =
        |more: &[&str]| folder.json(&[&["find", "-s", "./bot", "--seeds", "1-6", "--no-journal"], more].concat()).1;
    // A failure is worse than any score, and the scores do not fit into floating point.
    let report = find(&["--top", "3"]);
    let cases: Vec<&Value> = found(&report).into_iter().map(|found| &found["case"]).collect();
    assert_eq!(cases, ["seed-5", "seed-1", "seed-2"], "{report}");
    assert_eq!(found(&report)[1]["value"].to_string(), "9007199254740992001");
    assert_eq!(found(&find(&["--against", "./better"])).len(), 6);
    let report = find(&["--against", "./huge"]);
    assert!(found(&report).iter().all(|found| found["value"].is_number()), "{report}");
}

#[test]
fn only_losses_count_once_a_score_is_known() {
    let folder = scores("");
    assert_eq!(folder.judge(&["run", "-s", "./better", "--seeds", "3-4"]).code, Some(0));
    let (code, report) = folder.json(&["find", "-s", "./bot", "--seeds", "1-6"]);
    let cases: Vec<&Value> = found(&report).into_iter().map(|found| &found["case"]).collect();
    assert_eq!((code, cases), (Some(0), vec![&json!("seed-3"), &json!("seed-4")]), "{report}");
    assert_eq!(report["runs"], 6);
    let again = folder.json(&["find", "-s", "./bot", "--seeds", "1-6", "--resume"]).1;
    assert_eq!((&again["cases"], &again["runs"]), (&json!(6), &json!(0)), "nothing ran again: {again}");
}

#[test]
fn a_search_saves_what_can_be_played_again() {
    let folder = scores("[problem.scoring]\nrule = \"relative\"\nbest = \"best.toml\"");
    folder.write("best.toml", "seed-5 = 100\n");
    let find = ["find", "-s", "./bot", "--for", "failure", "--seeds", "1-6", "--save", "s 'x", "--no-journal"];
    let said = folder.judge(&find);
    let again = "to play them again: judge run --problems 's '\\''x/problems.toml' -s ./bot";
    assert!(said.code == Some(0) && said.stderr.contains(again), "{}", said.stderr);
    let saved = folder.path().join("s 'x/problems.toml");
    let text = std::fs::read_to_string(&saved).unwrap();
    let said = folder.judge(&["run", "--problems", "s 'x/problems.toml", "-s", "./bot"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    // A search that finds nothing leaves an earlier one alone.
    let nothing = ["find", "-s", "./better", "--for", "failure", "--seeds", "1-3", "--save", "s 'x", "--no-journal"];
    let said = folder.judge(&nothing);
    assert!(said.code == Some(1) && !said.stderr.contains("to play them again"), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(&saved).unwrap(), text);
    let refused = folder.judge(&["find", "-s", "a=answers:.", "--for", "failure", "--save", "new"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("is a folder of answers"), "{}", refused.stderr);
    assert!(!folder.path().join("new").exists());
    let said = folder.judge(&[&nothing[..7], &["--save", "new/er", "--no-journal"]].concat());
    assert!(said.code == Some(1) && !folder.path().join("new").exists(), "{}", said.stderr);
}

/// A problem whose checker compares with an answer file: the sum of the numbers in a line. Two solvers.
fn sums() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"sum\"\nchecker-command = \"sh {folder}/tools/check.sh {answer} {expected}\"\n\
         validator-command = \"grep -qE '^[0-9]+( [0-9]+)*$'\"\ninputs = [\"data/*.in\"]\nanswers = \"data/*.ans\"\n",
    );
    folder.write("tools/check.sh", "cmp -s \"$1\" \"$2\" && echo 1 && exit; echo differs; exit 1\n");
    folder.write("data/a.in", "3 4 5 6\n");
    folder.write("data/a.ans", "18\n");
    folder.script("right", "awk '{ for (i = 1; i <= NF; i++) s += $i; print s }'");
    folder.script("wrong", "awk '{ for (i = 1; i <= NF && i < 3; i++) s += $i; print s }'");
    folder
}

#[test]
fn no_right_answer_is_called_wrong() {
    let folder = sums();
    let find = |solver: &[&str], goal: &[&str]| {
        let flags = ["--budget", "60", "--top", "2", "--save", "found", "--for"];
        folder.judge(&[&["find", "-s"], solver, &flags, goal].concat())
    };
    let said = find(&["./right"], &["failure"]);
    assert!(said.code == Some(1) && said.stderr.contains("answers are not checked"), "{}", said.stderr);
    let said = find(&["./right"], &["where", "score<1"]);
    assert!(said.code == Some(2) && said.stderr.contains("needs an answer file"), "{}", said.stderr);
    let said = find(&["./wrong", "--against", "./right"], &["failure"]);
    assert!(said.code == Some(0) && said.stdout.contains("judge reduce"), "{}{}", said.stdout, said.stderr);
    for (solver, code) in [("./right", 0), ("./wrong", 1)] {
        let said = folder.judge(&["run", "--problems", "found/problems.toml", "-s", solver]);
        assert_eq!(said.code, Some(code), "{}{}", said.stdout, said.stderr);
    }
    let again = ["find", "-s", "./wrong", "--inputs", "found/*.in", "--save", "found"];
    let said = folder.judge(&again);
    assert!(said.code == Some(2) && said.stderr.contains("where --save could replace it"), "{}", said.stderr);
    folder.write("b.in", "5 6 7 8\n");
    let said = folder.judge(&["reduce", "-s", "./right", "--input", "b.in"]);
    assert!(said.code == Some(2) && said.stderr.contains("no answer is checked\nhint: --against"), "{}", said.stderr);
    let said = folder.judge(&["reduce", "-s", "./wrong", "--against", "./right", "--input", "b.in"]);
    assert_eq!(said.stdout, "0 0 1\n", "{}", said.stderr);
}

#[test]
fn programs_that_read_answer_files_while_they_run() {
    let folder = sums();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"talk\"\ninteractor-command = \"sh talk.sh {input} {expected} {report}\"\n\
         validator-command = \"cat\"\ninputs = [\"data/*.in\"]\nanswers = \"data/*.ans\"\n",
    );
    for arguments in [&["find", "--save", "found"][..], &["reduce", "--input", "data/a.in"]] {
        let said = folder.judge(&[arguments, &["-s", "./right"]].concat());
        assert!(said.code == Some(2) && said.stderr.contains("has no answer file"), "{}", said.stderr);
    }
}

#[test]
fn saving_replaces_no_file_that_it_did_not_write() {
    let folder = scores("[problem.scoring]\nrule = \"relative\"\nbest = \"../best.toml\"");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let text = read("problems.toml").replace("cat {answer}", "sh checker/check.sh {answer} checker");
    folder.write("p/other.toml", text);
    folder.write("best.toml", "seed-5 = 100\n");
    folder.write("p/checker/check.sh", "cat \"$1\"\n");
    let save = |place: &str| {
        let find = ["find", "--problems", "p/other.toml", "-s", "./bot", "--for", "failure", "--seeds", "1-6"];
        folder.judge(&[&find[..], &["--no-journal", "--save", place]].concat())
    };
    let said = save("p");
    assert!(said.code == Some(2) && said.stderr.contains("check.sh is not of an earlier search"), "{}", said.stderr);
    for place in ["found", "p/checker/found", "p/checker/found"] {
        let said = save(place);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let again = folder.judge(&["run", "--problems", &format!("{place}/problems.toml"), "-s", "./bot"]);
        assert_eq!(again.code, Some(1), "{}{}", again.stdout, again.stderr);
    }
    assert!(!folder.path().join("p/checker/found/checker/found").exists());
    assert_eq!((&*read("best.toml"), &*read("p/checker/check.sh")), ("seed-5 = 100\n", "cat \"$1\"\n"));
    // An input of the user.
    folder.write("mine/a.in", "1\n");
    let said = save("mine");
    assert!(said.code == Some(2) && said.stderr.contains("mine/a.in is not of an earlier search"), "{}", said.stderr);
}

#[test]
fn commands_name_both_solvers_and_their_limits() {
    let folder = scores("");
    folder.script("a/bot", "exit $CODE");
    folder.script("b/bot", "echo 1");
    let flags = ["--for", "failure", "--seeds", "1-6", "--top", "1", "--save", "d", "--no-journal"];
    let both = ["find", "-s", "./a/bot", "--against", "other=./b/bot", "--env", "CODE=3", "--env", "other=X=1"];
    let said = folder.judge(&[&both[..], &flags].concat());
    let again = said.stderr.lines().find_map(|line| line.split_once("to play them again: judge ")).unwrap().1;
    let words = shell_words::split(again).unwrap();
    let said = folder.judge(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(said.code == Some(1) && said.stdout.contains("other"), "{again}: {}{}", said.stdout, said.stderr);
    let two = ["find", "-s", "./a/bot", "--against", "./b/bot", "--env", "CODE=3", "--json", "-"];
    let report: Value = serde_json::from_str(&folder.judge(&[&two[..], &flags].concat()).stdout).unwrap();
    assert_eq!((&report["solver"], &report["against"]), (&json!("a/bot"), &json!("b/bot")));
}

#[test]
fn a_case_without_right_answer_is_not_saved_as_one() {
    let folder = Folder::new();
    let tokens =
        "[[problem]]\nid = \"t\"\nchecker = \"tokens\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-3\"\n";
    folder.write("problems.toml", tokens);
    folder.script("bot", "echo 0");
    folder.script("right", "cat");
    folder.script("failing", "read n; [ $n = 2 ] && exit 3; echo $n");
    let find = |other: &str| {
        let find = ["find", "-s", "./bot", "--against", other, "--for", "disagreement", "--seeds", "1-2"];
        folder.judge(&[&find[..], &["--save", "d"]].concat())
    };
    assert_eq!(find("./right").code, Some(0));
    let said = find("./failing");
    assert!(said.stderr.contains("1 saved case without a known right answer"), "{}", said.stderr);
    let saved = folder.json(&["run", "--problems", "d/problems.toml", "-s", "./bot"]).1;
    assert_eq!(saved["cases"].as_array().map(Vec::len), Some(1), "the old answer counts no more: {saved}");
}

#[test]
fn searches_begin_at_once_however_long_they_are() {
    let folder = scores("");
    for flags in [&["--budget", "18446744073709551615"][..], &["--seeds", "1-10000000"]] {
        let began = Instant::now();
        let find = ["find", "-s", "./bot", "--for", "loss", "--time", "1s", "--no-journal"];
        let said = folder.judge(&[&find[..], flags].concat());
        assert!(said.code == Some(0) && began.elapsed() < Duration::from_secs(10), "{}", said.stderr);
    }
    let said = folder.judge(&["find", "-s", "./bot", "--time", "0s"]);
    assert!(said.code == Some(2) && said.stderr.contains("--time 0s plays no case"), "{}", said.stderr);
}

#[test]
fn a_validator_that_refuses_everything_ends_in_time() {
    let folder = sums();
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("grep -qE", "sh slow.sh"));
    folder.write("slow.sh", "sleep 0.1; exit 1\n");
    let began = Instant::now();
    let said = folder.judge(&["find", "-s", "./right", "--for", "failure", "--time", "1s", "--save", "found"]);
    assert!(said.code == Some(1) && said.stderr.contains("no case was played"), "{}", said.stderr);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_search_that_cannot_save_still_reports() {
    let folder = scores("");
    let find = ["find", "-s", "./bot", "--for", "failure", "--seeds", "1-6", "--save", "d", "--json", "report.json"];
    assert_eq!(folder.judge(&find).code, Some(0));
    for file in ["d/seed-5.in", "report.json"] {
        std::fs::remove_file(folder.path().join(file)).unwrap();
    }
    folder.write("d/seed-5.in/file", "");
    let said = folder.judge(&find);
    assert!(said.code == Some(2) && said.stderr.contains("cannot write the found case d/seed-5.in"), "{}", said.stderr);
    assert!(said.stdout.contains("judge run -p p -s ./bot --seeds 5"), "{}", said.stdout);
    let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap()["found"][0]["case"], "seed-5");
    let runs = folder.json(&["history"]).1;
    assert_eq!(runs["runs"][0]["state"], "complete", "{runs}");
}

#[test]
fn names_too_long_for_files_are_saved() {
    let folder = with_parameters();
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("path", &"p".repeat(260)).replace("star", &"s".repeat(260)));
    folder.script("bot", "echo 1");
    let find = ["find", "-s", "./bot", "--for", "time", "--budget", "32", "--top", "32", "--save", "d", "--no-journal"];
    let (code, report) = folder.json(&find);
    assert_eq!((code, found(&report).len()), (Some(0), 32), "{report}");
    assert!(found(&report).iter().any(|found| found["case"].as_str().unwrap().len() > 255), "{report}");
    let saved = folder.json(&["run", "--problems", "d/problems.toml", "-s", "./bot"]).1;
    assert_eq!(saved["cases"].as_array().map(Vec::len), Some(32), "{saved}");
}

#[test]
fn saved_commands_keep_their_quotes() {
    let folder = Folder::new();
    folder.write("my lib/check.sh", "cat \"$1\"\n");
    folder.script("p/bot", "exit 3");
    let save = ["find", "-s", "./bot", "--for", "failure", "--seeds", "1-2", "--save", "d", "--no-journal"];
    for command in [
        r"sh '../my lib/check.sh' {answer} '{print}' 'x ../my lib/check.sh'",
        r#"sh "../my lib/check.sh" {answer}"#,
        r"sh ../my\ lib/check.sh {answer}",
        r#"sh "{folder}/../my lib/check.sh" {answer}"#,
    ] {
        folder.write(
            "p/problems.toml",
            format!(
                "[[problem]]\nid = \"p\"\nchecker-command = '''{command}'''\ngenerator-command = \"echo {{seed}}\"\n\
                 seeds = \"1-2\"\n"
            ),
        );
        let mut find = folder.command(&save);
        let said = find.current_dir(folder.path().join("p")).output().unwrap();
        assert_eq!(said.status.code(), Some(0), "{command}: {said:?}");
        let text = std::fs::read_to_string(folder.path().join("p/d/problems.toml")).unwrap();
        let saved: toml::Table = text.parse().unwrap();
        let words = |line: &str| shell_words::split(line).unwrap();
        let whole = folder.path().join("my lib/check.sh").canonicalize().unwrap();
        let mut expected = words(command);
        expected[1] = whole.to_str().unwrap().to_owned();
        let line = saved["problem"][0]["checker-command"].as_str().unwrap();
        assert_eq!(words(line), expected, "{line}");
        assert!(!command.contains("'{print}'") || line.contains("{answer} '{print}' 'x "), "{line}");
        let said = folder.judge(&["run", "--problems", "p/d/problems.toml", "-s", "echo 1"]);
        assert_eq!(said.code, Some(0), "{line}: {}{}", said.stdout, said.stderr);
    }
}

#[test]
#[ignore = "CI: many searches"]
fn printed_reductions_keep_what_was_found() {
    let folder = sums();
    folder.script("failing", "exit 3");
    for (other, goal) in [
        (&["--against", "./right"][..], &["time"][..]),
        (&["--against", "./right"], &["where", "wall_ms>=0"]),
        (&["--against", "./right"], &["loss"]),
        (&["--against", "./failing"], &["disagreement"]),
        (&[], &["time"]),
        (&[], &["where", "accepted==1"]),
    ] {
        let find = ["find", "-s", "./wrong", "--budget", "16", "--top", "16", "--save", "found", "--for"];
        let (code, report) = folder.json(&[&find[..], goal, other].concat());
        let all = found(&report);
        assert_eq!(code, Some(0), "{goal:?}: {report}");
        let decimals = all[0]["value"].to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        assert!(goal != ["time"] || decimals <= 3, "{report}");
        for case in [all.first(), all.last()].into_iter().flatten() {
            let command = case["reproduce"].as_str().unwrap();
            let words = shell_words::split(command).unwrap();
            let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let said = folder.judge(&words);
            assert!(words[0] == "reduce" && said.code == Some(0), "{goal:?}: {command}: {}", said.stderr);
        }
    }
}

#[test]
fn an_edited_solver_is_compared_with_its_past() {
    let folder = scores("");
    folder.script("old/bot", "echo 100");
    folder.script("new/bot", "read n; echo $((100 - n))");
    assert_eq!(folder.judge(&["run", "-s", "old/bot"]).code, Some(0));
    let find = |solver: &str| {
        let report = folder.json(&["find", "-s", solver, "--seeds", "1-6", "--top", "1"]).1;
        (found(&report)[0]["case"].clone(), found(&report)[0]["value"].as_f64().unwrap())
    };
    let (case, loss) = find("new/bot");
    assert!(case == "seed-6" && (loss - 0.06).abs() < 1e-9, "{case} {loss}");
    // Its own scores are no scores of others, under any name.
    assert_eq!(find("same=old/bot").1, 100.0);
}
