//! Comparisons that take cases until they are decided.

use super::*;

#[test]
#[ignore = "CI: many runs"]
fn until_decided_uses_fresh_cases_and_shows_intervals() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "./better", "--until-decided"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["comparisons"][0]["claim"], "better");
    // Effects on one side require 36 cases, regardless of batches. Equal effects require more.
    assert_eq!(report["comparisons"][0]["cases"].as_u64(), Some(36), "{report}");
    assert!(of_cases(&report, "seed").iter().all(|seed| seed.as_u64() > Some(1_000_000)), "{report}");
    assert!(report["comparisons"][0]["interval"]["low"].as_f64() > Some(0.0));
    let equal = compare(&folder, &["./plain", "same=./plain", "--until-decided"]).1;
    assert_eq!(equal["comparisons"][0]["claim"], "equal");
    assert!(equal["comparisons"][0]["cases"].as_u64() >= Some(59), "{equal}");
    let said = folder.judge(&["compare", "-p", "sum", "./plain", "./noisy", "--until-decided", "--max-cases", "40"]);
    let looks = said.stderr.lines().filter(|line| line.contains(" cases: ")).count();
    assert!(looks >= 2, "{}", said.stderr);
    assert!(said.stdout.contains("not decided: about "), "{}", said.stdout);
}

#[test]
#[ignore = "CI: whole comparisons"]
fn exact_claims_need_only_the_effects_bound() {
    let folder = sample();
    folder.script("half", "read -r seed; echo $((500 + seed * 37 % 101))");
    folder.script(
        "lucky",
        "read -r seed; [ $((seed % 9)) = 0 ] && { echo 9000; exit; }; echo $((990 + seed * 37 % 101))",
    );
    let exact = ["--until-decided", "--exact", "--max-cases", "80"];
    let against = |name: &str, more: &[&str]| compare(&folder, &[&["./plain", name], &exact[..], more].concat());
    for (more, measure) in [(["--bound", "1100"], "total"), (["--measure", "relative"], "relative")] {
        let (code, report) = against("./half", &more);
        assert_eq!(code, Some(0));
        assert_eq!((&report["measure"], &report["exact"]), (&measure.into(), &true.into()), "{report}");
        assert_eq!(report["comparisons"][0]["claim"], "worse");
        // Bets that lose at most the whole stake: (1 + 0.5)^n would be 40 after ten cases, and a mean over shares takes
        // longer.
        assert!((10..40).contains(&report["comparisons"][0]["cases"].as_u64().unwrap()), "{report}");
    }
    // A large gain on one case in nine outweighs eight losses of 1 %, so an early claim would be wrong.
    let (_, report) = against("./lucky", &["--bound", "9000"]);
    assert_ne!(report["comparisons"][0]["claim"], "worse", "{report}");
    let said = folder.judge(&[&["compare", "-p", "sum", "./plain", "./half", "--bound", "1100"], &exact[..]].concat());
    assert!(said.stdout.contains("(anytime-valid, exact)"), "{}", said.stdout);
    assert!(said.stdout.contains("half is worse than plain ("), "{}", said.stdout);
    assert!(said.stdout.contains("is exaggerated, because the test stopped early"), "{}", said.stdout);
}

#[test]
fn the_bound_of_thresholds_is_their_most_points() {
    let case = |seed: u64| {
        format!("[[problem.case]]\nseed = {seed}\nthresholds = [1000, 500]\nthreshold-points = [62.5, 50]\n")
    };
    let rule = CATALOGUE.replace("seeds = \"1-20\"\n", "");
    let rule = rule.replace("rule = \"sum\"", "rule = \"thresholds\"");
    let folder = sample_with(&(rule + &(1..=20).map(case).collect::<String>()));
    let more = ["./plain", "./failing", "--until-decided", "--exact", "--seeds", "1-20"];
    let (_, report) = compare(&folder, &more);
    assert_eq!((&report["measure"], &report["exact"]), (&"points".into(), &true.into()), "{report}");
    // 0.1 % of the most points, unless another effect is wanted.
    assert_eq!(report["min_effect"], 0.0625, "{report}");
}

#[test]
fn exact_claims_need_effects_that_have_a_bound() {
    let folder = sample();
    let exact = |folder: &Folder, more: &[&str]| {
        folder.judge(&[&["compare", "-p", "sum", "./plain", "./better", "--until-decided", "--exact"], more].concat())
    };
    let ratio = exact(&folder, &["--measure", "ratio"]);
    assert_eq!(ratio.code, Some(2), "{}", ratio.stderr);
    assert!(ratio.stderr.contains("--measure relative"), "{}", ratio.stderr);
    let unbounded = exact(&folder, &[]);
    assert_eq!(unbounded.code, Some(2), "{}", unbounded.stderr);
    assert!(
        unbounded.stderr.contains("the rule `sum`") && unbounded.stderr.contains("--bound"),
        "{}",
        unbounded.stderr
    );
    let beyond = exact(&folder, &["--bound", "3"]);
    assert_eq!(beyond.code, Some(2), "{}", beyond.stderr);
    assert!(beyond.stderr.contains("more than the bound of 3"), "{}", beyond.stderr);
    let fixed = folder.judge(&["compare", "-p", "sum", "./plain", "./better", "--exact"]);
    assert_eq!(fixed.code, Some(2), "{}", fixed.stderr);
    // Points under other rules have their own bound.
    let exact_rule = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"exact\""));
    let report = compare(&exact_rule, &["./plain", "./failing", "--until-decided", "--exact", "--max-cases", "120"]).1;
    assert_eq!(
        (&report["measure"], &report["comparisons"][0]["claim"]),
        (&"points".into(), &"worse".into()),
        "{report}"
    );
    // From -5 to 5 is a relative difference of 2.
    let signs = sample_with(&format!("{CATALOGUE}failure = -10\n"));
    signs.write("check.sh", "cat \"$2\"\n");
    signs.script("plain", "echo -5");
    signs.script("better", "echo 5");
    let said = exact(&signs, &["--measure", "relative"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("scores of one sign"), "{}", said.stderr);
}

#[test]
fn an_error_of_a_look_leaves_a_complete_run() {
    let folder = sample();
    let exact = ["--until-decided", "--exact", "--bound", "1", "--max-cases", "40"];
    for command in ["compare", "rank"] {
        let said = folder.judge(&[&[command, "-p", "sum", "./plain", "./better"], &exact[..]].concat());
        assert!(said.code == Some(2) && said.stderr.contains("more than the bound"), "{command}: {}", said.stderr);
        assert_eq!(recorded(&folder).0.len(), 2);
    }
}

#[test]
#[ignore = "CI: many runs"]
fn until_decided_stops_each_solver_when_decided() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "./better", "same=./plain", "--until-decided"]);
    assert_eq!(code, Some(0));
    let comparisons = report["comparisons"].as_array().unwrap();
    let claims: Vec<&Value> = comparisons.iter().map(|comparison| &comparison["claim"]).collect();
    assert_eq!(claims, ["better", "equal"]);
    let cases: Vec<u64> = comparisons.iter().map(|comparison| comparison["cases"].as_u64().unwrap()).collect();
    // Solvers that are decided do not play further cases. "Equal" waits for the shared alpha.
    let fewest = (0.025_f64.ln() / 0.975_f64.ln()).ceil() as u64;
    assert!(cases[0] < 60 && cases[1] == fewest, "{cases:?}");
    assert_eq!((report["alpha"].as_f64(), report["alpha_each"].as_f64()), (Some(0.05), Some(0.025)));
    let said = folder.judge(&[
        "compare",
        "-p",
        "sum",
        "./plain",
        "./better",
        "./noisy",
        "--until-decided",
        "--max-cases",
        "24",
    ]);
    assert!(said.stdout.contains("each claim is false with a probability of 2.5 % at most"), "{}", said.stdout);
    assert!(said.stderr.contains(" cases: better +1.") && said.stderr.contains("; noisy "), "{}", said.stderr);
}

#[test]
fn until_decided_gives_up_on_hopeless_solvers() {
    let folder = sample();
    folder.script("broken", "exit 1");
    let (code, report) = compare(&folder, &["./plain", "./broken", "--until-decided"]);
    assert_eq!(code, Some(1));
    assert!(report["cases"].as_array().unwrap().len() < 40, "{report}");
    assert_eq!(report["comparisons"][0]["claim"], "too-few-cases");
}

#[test]
#[ignore = "CI: many runs"]
fn hypotheses_are_decided_between_by_their_likelihood_ratio() {
    let folder = sample();
    let against = |more: &[&str]| {
        let all = [&["./plain", "./better", "--until-decided", "--h0", "0"], more].concat();
        compare(&folder, &all)
    };
    // 10 to 16 of about 1,050: between 1.2 % and 1.3 %. After 32 cases the spread is trusted.
    let (code, report) = against(&["--h1", "1%"]);
    assert_eq!(code, Some(0));
    let comparison = &report["comparisons"][0];
    assert_eq!((&comparison["claim"], comparison["cases"].as_u64()), (&"h1-accepted".into(), Some(32)), "{comparison}");
    let hypotheses = &report["hypotheses"];
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!((number(&hypotheses["h0"]), number(&hypotheses["h1"])), (0.0, 0.01));
    assert!((number(&hypotheses["accept_h1_at"]) - 19.0_f64.ln()).abs() < 1e-9, "{hypotheses}");
    assert!(number(&comparison["log_likelihood_ratio"]) > 2.95, "{comparison}");
    assert!(comparison["interval"]["low"].as_f64() < Some(0.013) && report.get("min_effect").is_none());
    let (_, report) = against(&["--h1", "8%", "--beta", "0.01"]);
    assert_eq!(report["comparisons"][0]["claim"], "h0-accepted");
    assert!((number(&report["hypotheses"]["accept_h0_at"]) - (0.01_f64 / 0.95).ln()).abs() < 1e-9);
    // In scores: a rise of 12 to 13.
    let (_, report) = against(&["--h1", "20", "--max-cases", "33"]);
    assert_eq!((&report["measure"], &report["comparisons"][0]["claim"]), (&"points".into(), &"h1-accepted".into()));
    let words = |more: &[&str]| {
        folder.judge(&[&["compare", "-p", "sum", "./plain", "./better", "--until-decided"], more].concat()).stdout
    };
    let said = words(&["--h0=-1%", "--h1", "1%"]);
    assert!(said.contains("better against plain: H1 is accepted, log likelihood ratio "), "{said}");
    assert!(said.contains("\non these 32 cases the sum rises by 1.2"), "{said}");
    assert!(
        said.contains("(H0: −1.0 % at −2.94, H1: +1.0 % at 2.94); the estimate of +1.2 % is exaggerated"),
        "{said}"
    );
    let said = words(&["--h0", "0", "--h1", "1%", "--max-cases", "20"]);
    assert!(said.contains("not decided: log likelihood ratio "), "{said}");
}

#[test]
fn hypotheses_that_are_none_are_one_clear_error() {
    let folder = sample();
    let error = |more: &[&str]| {
        let said = folder.judge(&[&["compare", "-p", "sum", "./plain", "./better"], more].concat());
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        said.stderr
    };
    let until = |more: &[&str]| error(&[&["--until-decided"], more].concat());
    for levels in [["1%", "1%"], ["1%", "0"], ["3", "2"]] {
        let said = until(&["--h0", levels[0], "--h1", levels[1]]);
        assert!(said.contains(&format!("--h0 {} must be below --h1 {}", levels[0], levels[1])), "{said}");
    }
    assert!(until(&["--h0", "1", "--h1", "5%"]).contains("must both be percentages or both be numbers"));
    assert!(until(&["--h0", "0", "--h1", "5", "--measure", "ratio"]).contains("are percentages: write --h0 and --h1"));
    assert!(until(&["--h0", "0", "--h1", "x%"]).contains("expected a percentage such as 0.5% or -1%, or a number"));
    for more in [["--exact", "--bound=9"], ["--rare=1%", "--jobs=1"], ["--min-effect=1%", "--jobs=1"]] {
        let said = until(&[&["--h0", "0", "--h1", "1%"], &more[..]].concat());
        assert!(said.contains("cannot be used with"), "{said}");
    }
    assert!(error(&["--h0", "0", "--h1", "1%"]).contains("--until-decided"));
    assert!(until(&["--h0", "0"]).contains("--h1") && until(&["--h1", "1%"]).contains("--h0"));
    assert!(until(&["--beta", "0.1"]).contains("--h0"));
}
