//! How many cases a comparison needs.

use super::*;

#[test]
fn power_and_tune_measure_by_the_rule_too() {
    let folder = misleading("max");
    let power = folder.json(&["power", "-p", "sum", "-s", "./even", "-s", "./uneven", "--seeds", "1-20"]).1;
    assert_eq!(power["measure"], "total", "{power}");
    let paired = compare(&folder, &["./even", "./uneven"]).1;
    assert_eq!(power["deviation"], paired["comparisons"][0]["effect"]["deviation"], "{power}");
    // The second setting is better where it does not crash.
    folder.script("toy", "read -r seed; [ $1 = 2 ] && [ $((seed % 5)) = 0 ] && exit 3; echo $((440 + 60 * $1))");
    let tune =
        ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1..2:int", "--first-cases", "10", "--budget", "60"];
    let said = folder.judge(&tune);
    assert!(said.stdout.contains("settings in") && said.stdout.contains("runs: n=1"), "{}", said.stdout);
}

#[test]
fn power_reads_its_formula_in_both_directions() {
    let folder = sample();
    let (code, report) =
        folder.json(&["power", "--sd", "10", "--cases", "34", "--difference", "5", "--difference", "1"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["needed"][0]["cases"], 34);
    assert_eq!(report["needed"][1]["cases"], 787);
    assert!((report["shown"][0]["difference"].as_f64().unwrap() - 5.0).abs() < 0.1, "{report}");
    folder.write("effects.txt", "0.01 -0.01\n0.03 -0.03\n");
    let recorded = folder.json(&["power", "--effects", "effects.txt"]).1;
    assert!((recorded["deviation"].as_f64().unwrap() - (0.002_f64 / 3.0).sqrt()).abs() < 1e-12, "{recorded}");
    for alpha in ["1e-16", "0", "0.3"] {
        let said = folder.judge(&["power", "--sd", "8%", "--alpha", alpha]);
        assert!(said.code == Some(2) && said.stderr.contains("from 1e-9 to 0.25"), "{alpha}: {}", said.stderr);
    }
    // Fewer than six cases claim nothing at 5 %.
    let few = folder.json(&["power", "--sd", "8%", "--cases", "5", "--cases", "6", "--difference", "150%"]).1;
    assert_eq!((few["shown"][0].get("difference"), &few["needed"][0]["cases"]), (None, &6.into()), "{few}");
    assert!(few["shown"][1]["difference"].is_number(), "{few}");
    // A ratio needs 121.
    let total = folder.json(&["power", "--sd", "8%", "--measure", "total", "--difference", "2%"]).1;
    assert_eq!((&total["measure"], &total["needed"][0]["cases"]), (&"total".into(), &128.into()), "{total}");
    for (measure, error) in [("points", "--sd: effects measured by `points`"), ("metric:moves", "needs the problem")] {
        let said = folder.judge(&["power", "--sd", "8%", "--measure", measure]);
        assert!(said.code == Some(2) && said.stderr.contains(error), "{measure}: {}", said.stderr);
    }
    let said = folder.judge(&["power", "--sd", "8%", "--difference", "0.5"]);
    let error = "--difference: effects measured by `ratio` are percentages: write a percentage";
    assert!(said.code == Some(2) && said.stderr.contains(error), "{}", said.stderr);
    for wrong in [&["power"][..], &["power", "--sd", "10", "--difference", "1%"], &["power", "-p", "sum"]] {
        assert_eq!(folder.judge(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn effects_without_a_spread_are_refused() {
    let folder = sample();
    for (effects, measure) in
        [("1e308 -1e308 3", "ratio"), ("1000 -1000 5", "ratio"), ("1.7e308 -1.7e308", "difference")]
    {
        folder.write("effects.txt", effects);
        let said = folder.judge(&["power", "--effects", "effects.txt", "--measure", measure]);
        let error = format!("effects.txt: its effects are too large for the measure `{measure}`");
        assert!(said.code == Some(2) && said.stderr.contains(&error), "{effects}: {}", said.stderr);
    }
    folder.write("effects.txt", "1000 -1000 5");
    let differences = ["power", "--effects", "effects.txt", "--measure", "difference", "--difference", "1"];
    assert_eq!(folder.judge(&differences).code, Some(0));
}

#[test]
fn power_shows_uncertainty_and_expected_cases() {
    let folder = sample();
    // A spread of 1 from 20 effects, and the 95 % interval of it: 0.7605 to 1.4606.
    let effects: Vec<String> =
        (0..20).map(|case| format!("{}{}", if case % 2 == 0 { "" } else { "-" }, 0.95_f64.sqrt())).collect();
    folder.write("effects.txt", effects.join("\n"));
    let pilot = ["power", "--effects", "effects.txt", "--measure", "difference", "--difference", "0.25"];
    let needed = folder.json(&pilot).1["needed"][0].clone();
    assert_eq!(needed["cases"], 128, "{needed}");
    assert_eq!((&needed["range"], &needed["until_decided"]), (&serde_json::json!([75, 270]), &Value::Null));
    let said = folder.judge(&[&pilot[..], &["--until-decided"]].concat());
    assert!(said.stdout.contains("75 to 270") && said.stdout.contains("--until-decided"), "{}", said.stdout);
    let csv = folder.judge(&[&pilot[..], &["--until-decided", "--cases", "34", "--csv", "-"]].concat()).stdout;
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["given", "cases", "difference", "range_low", "range_high", "until_decided"], "{csv}");
    assert!(rows[1][..2] == ["cases", "34"] && rows[1][3..] == [""; 3], "{csv}");
    assert!(rows[2][..5] == ["difference", "128", "0.25", "75", "270"] && !rows[2][5].is_empty(), "{csv}");
    let given = folder.json(&["power", "--sd", "1", "--difference", "0.25", "--until-decided"]).1["needed"][0].clone();
    assert_eq!(given["range"], Value::Null);
    // Wald's test takes 117 cases on average, `compare --until-decided` 150. With a probability of 0.8 it takes only
    // slightly more.
    assert!((150..260).contains(&given["until_decided"].as_u64().unwrap()), "{given}");
}

#[test]
#[ignore = "CI: whole comparisons"]
fn rare_effects_are_waited_for() {
    let folder = sample();
    let (_, report) = compare(&folder, &["./plain", "./better", "--until-decided", "--rare", "5%"]);
    let comparison = &report["comparisons"][0];
    assert_eq!((&comparison["claim"], &comparison["cases"]), (&"better".into(), &72.into()), "{report}");
    for wrong in ["0%", "60%", "much"] {
        let said = folder.judge(&["compare", "-p", "sum", "./plain", "./better", "--until-decided", "--rare", wrong]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
    }
}

#[test]
fn power_measures_the_spread_of_solvers() {
    let folder = sample();
    let solvers = ["-s", "./plain", "-s", "./noisy"];
    let (code, report) = folder.json(&[&["power", "-p", "sum"], &solvers[..]].concat());
    assert_eq!((code, &report["measure"]), (Some(0), &"total".into()));
    let compared = compare(&folder, &["./plain", "./noisy"]).1;
    assert_eq!(report["deviation"], compared["comparisons"][0]["effect"]["deviation"]);
    let said = folder.judge(&["power", "-p", "sum", "-s", "./plain"]);
    assert!(said.stdout.contains("plain against itself, 20 cases"), "{}", said.stdout);
    assert!(said.stdout.contains("6 cases show any difference"), "{}", said.stdout);
}
