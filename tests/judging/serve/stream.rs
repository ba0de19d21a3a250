//! Candidates against the best one so far.

use super::{Served, place};
use serde_json::{Value, json};

#[test]
fn a_worse_candidate_is_stopped_and_never_best() {
    let mut served = Served::start(&[]);
    let noisy = |scale: u32| format!("read n; echo $((1000 * {scale} + n * 7919 % 200))");
    let best = served.evaluate(&noisy(10), "1-80", &json!({}));
    let worse = served.evaluate(&noisy(7), "1-80", &json!({"against": "best"}));
    assert_eq!((&worse["stopped_early"], &worse["is_best"]), (&json!(true), &json!(false)));
    let played = worse["cases"].as_array().unwrap().len();
    assert!((4..30).contains(&played) && worse["runs"] == played, "{played} cases");
    let versus = &worse["comparison"];
    assert_eq!(versus["claim"], "worse");
    assert_eq!((&versus["against"], &versus["cases"]), (&best["candidate"], &json!(played)));
    let effect = versus["effect"].as_f64().unwrap();
    assert!((-0.31..-0.29).contains(&effect), "{versus}");
    assert!(versus["low"].as_f64().unwrap() <= effect && effect <= versus["high"].as_f64().unwrap(), "{versus}");
    assert!(worse["feedback"].as_str().unwrap().contains("stopped after"), "{worse}");
    let again = served.evaluate(&noisy(7), "1-80", &json!({"against": "best"}));
    assert_eq!((&again["runs"], &again["comparison"]), (&json!(0), versus), "it is answered from memory");

    let better = served.evaluate(&noisy(12), "1-80", &json!({"against": "best"}));
    assert_eq!(
        (&better["stopped_early"], &better["is_best"], &better["runs"]),
        (&json!(false), &json!(true), &json!(80))
    );
    assert_eq!(better["comparison"]["claim"], "better");
    let against_old = served.evaluate(&noisy(9), "1-80", &json!({"against": best["candidate"]}));
    assert_eq!(against_old["comparison"]["against"], best["candidate"]);
    assert_eq!(against_old["stopped_early"], true);
}

#[test]
fn equal_programs_stop_only_where_an_improvement_is_wanted() {
    let mut served = Served::start(&[]);
    let script = "read n; echo $((1000 + n * 7919 % 200))";
    served.evaluate(script, "1-60", &json!({}));
    let equal = format!("{script} # the same");
    let whole = served.evaluate(&equal, "1-60", &json!({"against": "best"}));
    assert_eq!((&whole["stopped_early"], &whole["is_best"]), (&json!(false), &json!(false)));
    assert_eq!(whole["comparison"]["claim"], "equal");
    let stopped = served.evaluate(&format!("{equal} again"), "1-60", &json!({"against": "best", "min_effect": "5%"}));
    assert_eq!(stopped["stopped_early"], true, "{}", stopped["comparison"]);
}

#[test]
fn known_results_count_more_than_an_early_look() {
    let mut served = Served::start(&[]);
    let best = served.evaluate("echo 50", "1-20", &json!({}));
    let stopped = served.evaluate("echo 1", "1-20", &json!({"against": "best"}));
    let played: Vec<&str> =
        stopped["cases"].as_array().unwrap().iter().filter_map(|row| row["case"].as_str()).collect();
    let late = (1..=20).find(|seed| !played.contains(&&*format!("seed-{seed}"))).unwrap();
    let better = format!("read n; [ $n = {late} ] && echo 100000 || echo 1");
    served.evaluate(&better, "1-20", &json!({}));
    let whole = served.evaluate(&better, "1-20", &json!({"against": best["candidate"]}));
    assert_eq!((&whole["total"], &whole["is_best"]), (&json!(100_019), &json!(true)));
    let versus = &whole["comparison"];
    assert_eq!((&versus["claim"], &versus["cases"]), (&json!("undecided"), &json!(20)), "{versus}");
}

#[test]
fn a_candidate_that_solves_nothing_stops_soon() {
    let mut served = Served::start(&[]);
    served.evaluate("read n; echo $n", "1-60", &json!({}));
    let failing = served.evaluate("exit 1", "1-60", &json!({"against": "best"}));
    assert_eq!(failing["verdict"], "runtime-error");
    assert!(failing["runs"].as_u64().unwrap() <= 10, "{failing}");
    let [effect, low] = ["effect", "low"].map(|name| failing["comparison"][name].as_f64());
    assert!(effect.is_some_and(|effect| (-1.0..-0.5).contains(&effect)), "{}", failing["comparison"]);
    assert!(low.is_none_or(|low| low >= -1.0), "nothing is lost twice: {}", failing["comparison"]);
    served.evaluate("exit 2", "101-160", &json!({}));
    let neither = served.evaluate("exit 3", "101-160", &json!({"against": "best"}));
    assert_eq!(neither["runs"], 16, "the incumbent solves nothing either");
    let versus = &neither["comparison"];
    assert!(versus.get("low").is_none() && versus.get("high").is_none(), "the other cases are unknown: {versus}");
}

#[test]
fn failures_are_never_better_than_answers() {
    let mut served = Served::start(&[]);
    let bests = ["exit 1", "read n; [ $n = 1 ] || exit 1; echo 0", "echo 0", "exit 2"].map(|script| {
        let result = served.evaluate(script, "1-2", &json!({}));
        assert_eq!(result["total"], 0, "{result}");
        result["is_best"].as_bool().unwrap()
    });
    assert_eq!(bests, [false, true, true, false]);
}

#[test]
fn scores_beyond_floating_point_have_no_effect() {
    let mut served = Served::start(&[]);
    let zeros = "0".repeat(400);
    served.evaluate(&format!("echo 10{zeros}"), "1-3", &json!({}));
    let half = served.evaluate(&format!("echo 5{zeros}"), "1-3", &json!({"against": "best"}));
    assert_eq!(half["comparison"]["claim"], "undecided", "{half}");
    assert!(half["comparison"].get("effect").is_none() && half["is_best"] == false, "{half}");
}

#[test]
fn failures_without_a_total_have_no_effect() {
    let mut served = scoring("rule = \"sum\"\ndirection = \"min\"");
    served.evaluate("echo 3", "1-9", &json!({}));
    let failing = served.evaluate("exit 1", "1-9", &json!({"against": "best"}));
    let versus = &failing["comparison"];
    assert!(versus["claim"] == "not-better" && versus.get("effect").is_none(), "{versus}");
}

#[test]
fn the_best_stays_when_measured_again() {
    let mut served = Served::start(&[]);
    // Its score falls with time.
    let falling = "echo $((4000000000000 - $(date +%s%3N)))";
    let first = served.evaluate(falling, "1-2", &json!({}));
    std::thread::sleep(std::time::Duration::from_millis(50));
    let again = served.evaluate(falling, "1-2", &json!({"fresh": true}));
    assert!(again["total"].as_u64() < first["total"].as_u64() && again["is_best"] == true, "{again}");
    let between = served.evaluate(&format!("echo {}", again["total"].as_u64().unwrap() / 2 + 10), "1-2", &json!({}));
    assert!(between["total"].as_u64() > again["total"].as_u64() && between["is_best"] == false, "{between}");
}

#[test]
fn a_stopped_run_keeps_its_number_of_cases() {
    let mut served = Served::start(&["--journal", "j.db"]);
    served.evaluate("echo 100", "1-60", &json!({}));
    let stopped = served.evaluate("echo 50", "1-60", &json!({"against": "best"}));
    assert_eq!((&stopped["stopped_early"], &stopped["run"]), (&json!(true), &json!(2)));
    let shown = served.folder.judge(&["history", "show", "2", "--journal", "j.db"]).stdout;
    assert!(shown.contains(&format!("stopped, {} of 60 cases", stopped["runs"])), "{shown}");
    assert!(shown.contains("\nstopped early") && !shown.contains("fail-fast"), "{shown}");
}

#[test]
#[ignore = "CI: many evaluations"]
fn a_candidate_that_repairs_failures_goes_on() {
    let mut served = Served::start(&[]);
    for seeds in ["2001-2100", "3001-3100", "11001-11100"] {
        served.evaluate("read n; [ $((n % 5)) = 0 ] && exit 1; echo 100", seeds, &json!({}));
        let repaired = "read n; if [ $((n % 5)) = 0 ]; then echo 100; else echo 82; fi";
        let better = served.evaluate(repaired, seeds, &json!({"against": "best"}));
        assert_eq!((&better["stopped_early"], &better["total"]), (&json!(false), &json!(8560)), "{seeds}");
    }
}

#[test]
fn all_candidates_meet_the_same_cases_first() {
    let mut served = Served::start(&[]);
    served.evaluate("read n; echo $((n + 1000))", "1-60", &json!({}));
    let mut first = |script: &str| {
        let result = served.evaluate(script, "1-60", &json!({"against": "best"}));
        assert_eq!(result["stopped_early"], true);
        result["cases"].as_array().unwrap().iter().map(|case| case["case"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(first("echo 1"), first("echo 2"));
}

#[test]
fn an_incumbent_that_has_played_some_cases_stops_nobody() {
    let mut served = Served::start(&[]);
    let old = served.evaluate("echo 1000", "1-10", &json!({}));
    let better = "read n; if [ $n -le 10 ]; then echo 1; else echo 9000; fi";
    let whole = served.evaluate(better, "1-40", &json!({"against": old["candidate"]}));
    assert_eq!((&whole["stopped_early"], &whole["runs"]), (&json!(false), &json!(40)));
    assert_eq!(whole["comparison"]["cases"], 10);
}

#[test]
fn without_an_incumbent_all_cases_are_played() {
    let mut served = Served::start(&[]);
    let first = served.evaluate("echo 3", "1-20", &json!({"against": "best"}));
    assert_eq!((&first["runs"], &first["is_best"]), (&json!(20), &json!(true)));
    assert!(first.get("comparison").is_none());
}

/// Starts a server for a problem with these scoring keys, whose answers are their own scores.
fn scoring(keys: &str) -> Served {
    let folder = place();
    let columns = "[[problem]]\nid = \"columns\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\n\
                   seeds = \"1-2\"\n[problem.scoring]\n";
    folder.write("problems.toml", format!("{columns}{keys}\n"));
    Served::start_as(folder, &["serve", "--jobs", "2"])
}

#[test]
fn negative_costs_can_gain_more_than_their_size() {
    let mut served = scoring("rule = \"sum\"\ndirection = \"min\"\nfailure = 1000");
    let incumbent = served.evaluate("echo -100", "1-6", &json!({}))["candidate"].take();
    // Each loses 1.2 and gains 1.4 sizes on three cases.
    for lost in ["1|2|3", "1|2|4", "1|2|5", "1|2|6", "1|3|4", "1|3|5", "1|3|6", "1|4|5", "1|4|6", "1|5|6"] {
        for [first, second] in [[20, -240], [-240, 20]] {
            let script = format!("read n; case $n in {lost}) echo {first};; *) echo {second};; esac");
            let better = served.evaluate(&script, "1-6", &json!({"against": incumbent}));
            assert_eq!(better["total"], -660, "{lost}: {}", better["comparison"]);
        }
    }
}

#[test]
#[ignore = "CI: many evaluations"]
fn rare_losses_are_not_ruled_out() {
    let rare = ["3|17|40", "8|31|55", "12|22|60", "5|26|47", "1|30|59"];
    let lows = |keys: &str, costs: [i32; 3]| -> Vec<Value> {
        let mut served = scoring(keys);
        let [incumbent, usual, bad] = costs;
        served.evaluate(&format!("echo {incumbent}"), "1-60", &json!({}));
        let mut low = |rare: &&str| {
            let script = format!("read n; case $n in {rare}) echo {bad};; *) echo {usual};; esac");
            let worse = served.evaluate(&script, "1-60", &json!({"against": "best"}));
            assert_eq!((&worse["stopped_early"], &worse["comparison"]["claim"]), (&json!(true), &json!("worse")));
            let versus = &worse["comparison"];
            assert!(versus["high"].as_f64().is_some_and(|high| high < 0.0), "{versus}");
            versus["low"].clone()
        };
        rare.iter().map(&mut low).collect()
    };
    // The mean loss is (57 * 0.3 + 3 * 29) / 60 of the incumbent's score.
    let truth = -1.735;
    let is_below = |low: &Value| low.as_f64().is_some_and(|low| low <= truth);
    let cost = "rule = \"sum\"\ndirection = \"min\"\n";
    let unbounded = lows(cost, [100, 130, 3000]);
    assert!(unbounded.iter().all(Value::is_null), "{unbounded:?}");
    let bounded = lows(&format!("{cost}failure = 3000"), [100, 130, 3000]);
    assert!(bounded.iter().all(is_below), "{bounded:?}");
    let bounded = lows("rule = \"sum\"\nfailure = -2800", [100, 70, -2800]);
    assert!(bounded.iter().all(is_below), "{bounded:?}");
}
