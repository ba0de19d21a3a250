//! The results of an evaluation.

use super::{Served, place, script_on};
use crate::support::documents::CATALOGUE;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn equal_candidates_on_equal_cases_run_once() {
    let mut served = Served::start(&[]);
    let script = "read n; echo $((n * 10))";
    let first = served.evaluate(script, "1-4", &json!({}));
    assert_eq!((&first["verdict"], &first["total"], &first["mean"]), (&json!("accepted"), &json!(100), &json!(25)));
    assert_eq!((&first["runs"], &first["is_best"], &first["stopped_early"]), (&json!(4), &json!(true), &json!(false)));
    assert_eq!(first["cases"][1]["case"], "seed-2");
    assert_eq!(first["cases"][1]["score"], 20);
    assert!(first["cases"][1].get("reproduce").is_none(), "there is no file: {first}");
    let again = served.evaluate(script, "1-4", &json!({}));
    assert_eq!((&again["runs"], &again["cases"]), (&json!(0), &first["cases"]));
    assert_eq!(again["candidate"], first["candidate"]);
    assert_eq!(served.evaluate(script, "3-6", &json!({}))["runs"], 2);
    assert_eq!(served.evaluate(script, "1-4", &json!({"fresh": true}))["runs"], 4);
    assert_eq!(served.evaluate(script, "1-4", &json!({"limits": {"cpu": "100ms"}}))["runs"], 4);
    let status = served.result("status", &json!({}));
    assert_eq!((&status["evaluations"], &status["cached"]), (&json!(5), &json!(6)), "{status}");
    assert_eq!(status["running"], 0, "the last request is answered");
}

#[test]
fn a_source_is_stored_again_if_others_remove_it() {
    let mut served = Served::start(&[]);
    let solver = json!({"source": "read n; echo $n", "language": "shell"});
    for seed in 1..=2 {
        let result = served.result("evaluate", &json!({"solver": solver, "seeds": seed}));
        assert_eq!(result["verdict"], "accepted", "{result}");
        for left in std::fs::read_dir(served.folder.path().join("tmp")).unwrap() {
            let left = left.unwrap();
            if left.file_name().to_string_lossy().contains(".source.") {
                std::fs::remove_dir_all(left.path()).unwrap();
            }
        }
    }
}

#[test]
fn the_name_and_the_ending_of_a_language_are_one() {
    let mut served = Served::start(&[]);
    let [first, second] = ["shell", "sh"].map(|language| {
        let solver = json!({"source": "echo 3", "language": language});
        served.result("evaluate", &json!({"problem": "columns", "solver": solver, "seeds": "1"}))
    });
    assert_eq!((&first["candidate"], &second["runs"]), (&second["candidate"], &json!(0)));
}

#[test]
fn two_cases_may_have_one_input() {
    let folder = place();
    let case = |name: &str| format!("[[problem.case]]\nseed = 7\nname = \"{name}\"\n");
    folder.write("problems.toml", CATALOGUE.replace("seeds = \"1-20\"\n", &(case("a") + &case("b"))));
    let mut served = Served::start_as(folder, &["serve", "--jobs", "2"]);
    let params = json!({"solver": {"source": "read n; echo $n", "language": "shell"}});
    for _ in 0..2 {
        let result = served.result("evaluate", &params);
        assert_eq!((&result["total"], result["cases"].as_array().unwrap().len()), (&json!(14), 2), "{result}");
    }
    assert_eq!(served.result("status", &json!({}))["cached"], 2);
}

#[test]
fn an_answer_file_that_changes_is_another_case() {
    let folder = place();
    let keys = "checker = \"tokens\"\ninputs = [\"*.in\"]\nanswers = \"*.ans\"\n";
    folder.write("problems.toml", format!("[[problem]]\nid = \"five\"\n{keys}"));
    folder.write("a.in", "1\n");
    folder.write("a.ans", "5\n");
    let mut served = Served::start_as(folder, &["serve", "--jobs", "1"]);
    let params = json!({"solver": {"source": "echo 5", "language": "shell"}});
    let mut evaluate = |answer: &str| {
        served.folder.write("a.ans", answer);
        let result = served.result("evaluate", &params);
        (result["verdict"].as_str().unwrap().to_owned(), result["runs"].as_u64().unwrap())
    };
    assert_eq!(evaluate("5\n"), ("accepted".to_owned(), 1));
    assert_eq!(evaluate("7\n"), ("wrong-answer".to_owned(), 1));
    assert_eq!(evaluate("5\n"), ("accepted".to_owned(), 0));
}

#[test]
fn a_shared_file_that_changes_makes_other_candidates() {
    let folder = place();
    let shared = folder.write("data/score", "1\n").parent().unwrap().to_str().unwrap().to_owned();
    let script = format!("cat {shared}/score");
    folder.write("bot.sh", &script);
    let mut served = Served::start_as(folder, &["serve", "--jobs", "1", "--dir", &shared]);
    for solver in [json!({"path": "bot.sh"}), json!({"source": script, "language": "shell"})] {
        let params = json!({"problem": "columns", "solver": solver, "seeds": "1"});
        for score in [3, 4] {
            served.folder.write("data/score", format!("{score}\n"));
            assert_eq!(served.result("evaluate", &params)["total"], score, "{params}");
        }
    }
}

#[test]
fn a_file_that_changes_is_another_candidate() {
    let mut served = Served::start(&[]);
    let params = json!({"problem": "columns", "solver": {"path": "bot.sh"}, "seeds": "1-2"});
    let mut totals = Vec::new();
    for score in [1, 2, 1] {
        served.folder.write("bot.sh", format!("echo {score}\n"));
        let result = served.result("evaluate", &params);
        totals.push((result["total"].clone(), result["runs"].clone()));
    }
    assert_eq!(totals, [(json!(2), json!(2)), (json!(4), json!(2)), (json!(2), json!(0))]);
    let command = json!({"problem": "columns", "solver": {"command": "sh bot.sh"}, "cases": ["seed-7", "seed-9"]});
    let result = served.result("evaluate", &command);
    assert_eq!((&result["total"], &result["cases"][1]["case"]), (&json!(2), &json!("seed-9")));
    let again = result["cases"][1]["reproduce"].as_str().unwrap();
    assert!(again.starts_with("judge run -p columns -s 'sh bot.sh' --seeds 9"), "{again}");
}

#[test]
fn a_result_is_repeated_under_its_own_limits() {
    let mut served = Served::start(&["--journal", "j.db", "--wall", "20s"]);
    served.folder.write("hard.xyz", "read n; while [ $n = 2 ]; do :; done; echo 3\n");
    let solver = json!({"path": "hard.xyz", "language": "shell"});
    let limits = json!({"cpu": "100ms", "wall": "20s", "processes": 20});
    let params = json!({"problem": "columns", "solver": solver, "seeds": "1-2", "limits": limits});
    let result = served.result("evaluate", &params);
    assert_eq!(result["cases"][1]["verdict"], "time-limit", "{result}");
    let again = "judge run -p columns -s ./hard.xyz --seeds 2 --cpu 100ms --wall 20s --processes 20 --language shell";
    assert_eq!(result["cases"][1]["reproduce"], again);
    let params = json!({"problem": "columns", "a": {"command": "echo 2"}, "b": solver, "seeds": "3-4"});
    let compared = served.result("compare", &params);
    let command = compared["comparisons"][0]["effects"][0]["reproduce"].as_str().unwrap();
    assert!(command.ends_with(" --wall 20s --language shell"), "{command}");
    assert_eq!(served.end(), Some(0));
    let shown = served.folder.json(&["history", "show", "last", "--journal", "j.db"]).1;
    assert_eq!(shown["cases"][1]["reproduce"], again);
    let words: Vec<&str> = again.split(' ').skip(1).collect();
    assert_eq!(served.folder.json(&words).1["cases"][0]["verdict"], "time-limit");
}

#[test]
fn the_runs_of_a_comparison_are_counted() {
    let mut served = Served::start(&[]);
    let (a, b) = (json!({"command": "echo 1"}), json!({"command": "echo 2"}));
    served.result("compare", &json!({"problem": "columns", "a": a, "b": b, "seeds": "1-3"}));
    let status = served.result("status", &json!({}));
    assert_eq!((&status["evaluations"], &status["runs"]), (&json!(0), &json!(6)), "{status}");
}

#[test]
fn a_recorded_text_is_no_command() {
    let mut served = Served::start(&["--journal", "j.db"]);
    served.evaluate("exit 3", "1", &json!({}));
    assert_eq!(served.end(), Some(0));
    for format in [&[][..], &["--markdown", "-"], &["--html", "-"], &["--junit", "-"], &["--json", "-"]] {
        let said = served.folder.judge(&[&["history", "show", "last", "--journal", "j.db"], format].concat());
        assert!(said.stdout.contains("runtime") && !said.stdout.contains("judge run"), "{}", said.stdout);
    }
}

#[test]
fn a_file_that_a_command_names_may_come_later() {
    let mut served = Served::start(&[]);
    let params = json!({"problem": "columns", "solver": {"command": "sh ./late.sh"}, "seeds": "1"});
    assert_eq!(served.result("evaluate", &params)["verdict"], "runtime-error");
    served.folder.write("late.sh", "echo 3\n");
    let there = served.result("evaluate", &params);
    assert_eq!((&there["verdict"], &there["total"]), (&json!("accepted"), &json!(3)), "{there}");
}

#[test]
fn losses_are_told_with_their_own_cases() {
    let folder = place();
    let features = format!("{CATALOGUE}[problem.features]\nn = '^(\\d+)'\n");
    folder.write("problems.toml", features);
    let mut served = Served::start_as(folder, &["serve", "--jobs", "2"]);
    served.evaluate("echo 100", "1-16", &json!({}));
    let worse = "read n; [ $n -gt 12 ] && echo 50 || echo 101";
    served.evaluate(worse, "1-16", &json!({}));
    // Its results are known, so that all of them count.
    let result = served.evaluate(worse, "1-16", &json!({"against": "best"}));
    let feedback = result["feedback"].as_str().unwrap();
    assert!(feedback.contains("  n from 13 to 16: -50.00 % on 4 cases"), "{feedback}");
}

#[test]
fn results_of_another_checker_are_not_known() {
    let mut served = Served::start(&[]);
    let checker = std::fs::read_to_string(served.folder.path().join("check.sh")).unwrap();
    let tenfold = checker.replace("echo \"$score\"", "echo \"${score}0\"");
    for (checker, total, runs) in [(&checker, 10, 2), (&tenfold, 100, 2), (&checker, 10, 0)] {
        served.folder.write("check.sh", checker);
        let result = served.evaluate("echo 5", "1-2", &json!({}));
        assert_eq!(
            (&result["total"], &result["runs"], &result["is_best"]),
            (&json!(total), &json!(runs), &json!(true))
        );
    }
}

#[test]
fn results_of_two_versions_are_refused() {
    let mut served = Served::start(&["--journal", "j.db"]);
    let text = "sleep 0.2; echo 1\n";
    let checker = std::fs::read_to_string(served.folder.path().join("check.sh")).unwrap();
    let params = json!({"problem": "columns", "solver": {"path": "bot.sh"}, "seeds": "1-8"});
    for (name, before, after) in [("bot.sh", text, "echo 7\n"), ("check.sh", &*checker, "echo 9\n")] {
        served.folder.write("bot.sh", text);
        let id = served.send("evaluate", &params);
        let progress = served.message().unwrap();
        assert_eq!((&progress["method"], &progress["params"]["id"]), (&json!("progress"), &json!(id)), "{progress}");
        served.folder.write(name, after);
        let refused = served.answer();
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("was edited"), "{refused}");
        served.folder.write(name, before);
    }
    let whole = served.result("evaluate", &params);
    assert_eq!((&whole["total"], &whole["runs"], &whole["run"]), (&json!(8), &json!(8), &json!(1)), "{whole}");
    // Neither does a comparison mix them.
    let slow = json!({"source": "sleep 0.2; echo 2", "language": "shell"});
    served.send("compare", &json!({"problem": "columns", "a": {"path": "bot.sh"}, "b": slow, "seeds": "1-8"}));
    assert_eq!(served.message().unwrap()["method"], "progress");
    served.folder.write("bot.sh", "echo 7\n");
    assert_eq!(served.answer()["error"]["code"], -32602);
}

#[test]
fn no_program_sees_the_named_journal() {
    let mut served = Served::start(&["--journal", "j.db"]);
    served.evaluate("echo 1", "1", &json!({}));
    std::os::unix::fs::symlink("j.db", served.folder.path().join("link")).unwrap();
    for name in ["j.db", "./link"] {
        let file = json!({"problem": "columns", "solver": {"command": "cat"}, "cases": [name]});
        assert_eq!(served.error_code("evaluate", &file), -32602, "{file}");
        let word = json!({"problem": "columns", "solver": {"command": format!("cat {name}")}, "seeds": "1"});
        assert_eq!(served.error_code("evaluate", &word), -32602, "{word}");
    }
}

#[test]
fn hostile_candidates_get_verdicts_and_feedback() {
    let mut served = Served::start(&["--cpu", "300ms"]);
    let limits = |wall: &str| json!({"limits": {"cpu": "60min", "wall": wall}});
    for (script, verdicts, part) in [
        ("while :; do :; done", &["time-limit", "wall-limit"][..], "more than"),
        ("sleep 60", &["wall-limit"], "wall"),
        ("f() { f & f & wait; }; f; exit 3", &["process-limit", "time-limit", "wall-limit", "runtime-error"], ""),
        ("kill -SEGV $$", &["runtime-error"], "SIGSEGV"),
        ("printf '\\033[31mred\\007' >&2; exit 3", &["runtime-error"], "\\x1b[31mred"),
        ("yes", &["output-limit", "wall-limit"], "more than"),
        ("echo one", &["wrong-answer", "judge-error"], ""),
    ] {
        let wall = if script.starts_with("sleep") { "300ms" } else { "5s" };
        let result = served.evaluate(script, "1-2", &limits(wall));
        let (verdict, feedback) = (result["verdict"].as_str().unwrap(), result["feedback"].as_str().unwrap());
        assert!(verdicts.contains(&verdict), "{script}: {result}");
        assert!(feedback.contains(part) && feedback.contains("seed-1"), "{script}: {feedback}");
        assert!(!feedback.chars().any(|c| c.is_control() && c != '\n'), "{script}: {feedback:?}");
        assert_eq!((&result["accepted"], &result["failures"]), (&json!(0), &json!(2)));
        assert_eq!(result["limits"]["cpu_ms"], 300.0, "a limit above the server's is lowered to it");
    }
    assert_eq!(served.evaluate("echo 1", "1-2", &json!({}))["verdict"], "accepted");
}

#[test]
fn compiler_messages_are_feedback() {
    if std::process::Command::new("cc").arg("--version").output().is_err() {
        return crate::support::require::skip(crate::support::require::Need::Cc, "there is no cc");
    }
    let mut served = Served::start(&[]);
    let evaluate = |served: &mut Served, source: &str| {
        let params = json!({"problem": "columns", "solver": {"source": source, "language": "c"}, "seeds": "1-2"});
        served.result("evaluate", &params)
    };
    let broken = evaluate(&mut served, "int main(void) { return nonsense; }\n");
    assert_eq!((&broken["verdict"], &broken["runs"]), (&json!("compile-error"), &json!(0)));
    let feedback = broken["feedback"].as_str().unwrap();
    assert!(feedback.contains("candidate.c:1:") && feedback.contains("nonsense"), "{feedback}");
    let works = evaluate(&mut served, "#include <stdio.h>\nint main(void) { puts(\"7\"); }\n");
    assert_eq!(works["total"], 14);
}

#[test]
fn a_full_queue_refuses_and_urgent_requests_go_first() {
    let mut served = Served::start_as(place(), &["serve", "--jobs", "1", "--queue", "2"]);
    let mut ids: Vec<u64> = Vec::new();
    let mut refused = 0;
    for number in 0..12 {
        let mut params = script_on(&format!("sleep 0.05; echo {number}"), "1");
        params["priority"] = json!(if number == 5 { 9 } else { 0 });
        ids.push(served.send("evaluate", &params));
    }
    let mut order = Vec::new();
    for _ in &ids {
        let answer = served.answer();
        match answer["error"]["code"].as_i64() {
            Some(code) => {
                assert_eq!(code, -32001, "{answer}");
                refused += 1;
            }
            None => order.push(answer["id"].as_u64().unwrap()),
        }
    }
    // One job has four requests at work, and two wait.
    assert_eq!((refused, order.len()), (6, 6), "{order:?}");
    let place = order.iter().position(|id| *id == ids[5]).unwrap();
    assert!(place < 4, "the urgent request is not the last of six: {order:?}");
}

#[test]
fn a_cancelled_request_ends_at_once() {
    let mut served = Served::start(&[]);
    for seeds in ["1-9", "1"] {
        let slow = served.send("evaluate", &script_on("sleep 30", seeds));
        std::thread::sleep(Duration::from_millis(300));
        let began = Instant::now();
        assert_eq!(served.send("cancel", &json!({"id": slow})), slow + 1);
        let answers = [served.answer(), served.answer()];
        let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap();
        assert_eq!(of(slow + 1)["result"]["cancelled"], true);
        assert_eq!(of(slow)["error"]["code"], -32000);
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_eq!(served.result("cancel", &json!({"id": slow}))["cancelled"], false);
        assert_eq!(served.evaluate("echo 1", "1", &json!({}))["total"], 1);
    }
}

#[test]
fn relative_totals_refer_to_the_runs_before_in_the_journal() {
    let folder = place();
    folder.write("problems.toml", format!("{CATALOGUE}[problem.scoring]\nrule = \"relative\"\n"));
    let mut served = Served::start_as(folder, &["serve", "--jobs", "2", "--journal", "j.db"]);
    let totals = ["echo 100", "echo 50", "echo 200", "echo 100"];
    let totals = totals.map(|script| served.evaluate(script, "1-2", &json!({}))["total"].clone());
    assert_eq!(totals, [json!(1_000_000), json!(500_000), json!(1_000_000), json!(500_000)]);
}

#[test]
fn a_named_journal_has_every_evaluation() {
    let folder = place();
    let mut served = Served::start_as(folder, &["serve", "--jobs", "2", "--journal", "evolved.db"]);
    let ids: Vec<u64> =
        (1..=4).map(|score| served.send("evaluate", &script_on(&format!("echo {score}"), "1-3"))).collect();
    let mut runs: Vec<i64> = ids.iter().map(|_| served.answer()["result"]["run"].as_i64().unwrap()).collect();
    runs.sort_unstable();
    assert_eq!(runs, [1, 2, 3, 4]);
    assert!(served.evaluate("echo 1", "1-3", &json!({})).get("run").is_none(), "nothing was run");
    assert_eq!(served.end(), Some(0));
    let history = served.folder.json(&["history", "--journal", "evolved.db"]).1;
    let mut totals: Vec<i64> =
        history["runs"].as_array().unwrap().iter().map(|run| run["total"].as_i64().unwrap()).collect();
    totals.sort_unstable();
    assert_eq!(totals, [3, 6, 9, 12]);
    let shown = served.folder.json(&["history", "show", "last", "--journal", "evolved.db"]).1;
    assert_eq!(shown["cases"].as_array().unwrap().len(), 3);
    assert!(!served.folder.path().join(".judge").exists());
}
