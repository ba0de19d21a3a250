//! A fact, a conclusion and its scope: the statements about a fixed number of cases.

use super::*;

fn compared(folder: &Folder, more: &[&str]) -> Value {
    compare(folder, more).1["comparisons"][0].take()
}

fn text<'a>(comparison: &'a Value, name: &str) -> &'a str {
    comparison[name].as_str().unwrap_or_default()
}

#[test]
fn few_cases_have_a_fact_and_no_conclusion() {
    let five = compared(&sample(), &["./plain", "./better", "--seeds", "1-5"]);
    assert!(text(&five, "fact").starts_with("on these 5 cases the sum rises by 1."), "{five}");
    let too_few = "not decided: 5 cases are too few for a conclusion at 5 %, which takes at least 6";
    assert_eq!((text(&five, "claim"), text(&five, "conclusion")), ("too-few-cases", too_few));
    assert!(five["scope"].is_null() && five["interval"]["low"].as_f64() == Some(0.0), "{five}");
    let one = compared(&sample(), &["./plain", "./better", "--seeds", "3"]);
    assert!(text(&one, "fact").starts_with("on this case the sum rises by 1."), "{one}");
    assert_eq!(compared(&sample(), &["./plain", "./better", "--seeds", "1-6"])["claim"], "better");
}

#[test]
#[ignore = "CI: many runs"]
fn a_conclusion_says_what_its_cases_cannot_show() {
    let folder = sample();
    let twenty = compared(&folder, &["./plain", "./better"]);
    let scope = "what happens in fewer than 1 of 7 cases has not shown (300 cases would show 1 %)";
    assert!(text(&twenty, "scope").starts_with(scope), "{twenty}");
    assert!(text(&twenty, "scope").ends_with("judge compare --until-decided --rare 1% waits for them"), "{twenty}");
    assert!(text(&twenty, "conclusion").starts_with("judging by these 20 cases, better is better than plain (1."));
    let verdict = [text(&twenty, "fact"), text(&twenty, "conclusion"), text(&twenty, "scope")].join("; ");
    assert_eq!(text(&twenty, "verdict"), verdict);
    // The ratio ignores failures. An undecided comparison makes no claim that could be wrong.
    let ratio = compared(&folder, &["./plain", "./better", "--measure", "ratio"]);
    assert_eq!(text(&ratio, "scope"), scope);
    assert!(compared(&folder, &["./plain", "./noisy"])["scope"].is_null());
    assert!(compared(&folder, &["./plain", "./better", "--seeds", "1-300"])["scope"].is_null());
    let careful = compared(&folder, &["./plain", "./better", "--until-decided", "--rare", "5%"]);
    assert!(!text(&careful, "scope").contains("--rare"), "{careful}");
}

#[test]
fn an_expensive_failure_is_worth_waiting_for() {
    for (failure, is_worth) in [("", true), ("\nfailure = 100000", true), ("\nfailure = 1000", false)] {
        let catalogue = CATALOGUE.replace("rule = \"sum\"", &format!("rule = \"sum\"\ndirection = \"min\"{failure}"));
        let folder = sample_with(&catalogue);
        folder.script("half", "read -r seed; echo $((500 + seed))");
        let found = compared(&folder, &["./plain", "./half"]);
        assert_eq!(found["claim"], "better", "{found}");
        assert_eq!(text(&found, "scope").contains("--rare 1%"), is_worth, "{found}");
    }
}

/// Always 9 against 10 or, in one case of ten, 0.
#[test]
fn a_claim_names_what_it_cannot_see() {
    let folder = sample();
    folder.script("steady", "echo 9");
    folder.script("gambler", "read -r seed; [ $((seed % 10)) = 0 ] && { echo 0; exit; }; echo 10");
    let unseen = compared(&folder, &["./steady", "./gambler", "--seeds", "1-9"]);
    assert_eq!(unseen["claim"], "better");
    assert!(text(&unseen, "scope").starts_with("what happens in fewer than 1 of 3 cases has not shown"), "{unseen}");
    let seen = compared(&folder, &["./steady", "./gambler", "--seeds", "1-29"]);
    assert!(text(&seen, "fact").starts_with("on these 29 cases the sum rises by 3.4 %"), "{seen}");
    assert_eq!(seen["claim"], "undecided", "two of 29 lose nine times what a case gains");
}

#[test]
fn all_cases_of_a_contest_give_a_result() {
    let catalogue = CATALOGUE.replace("generator-command = \"echo {seed}\"\n", "");
    let folder = sample_with(&catalogue.replace("seeds = \"1-20\"", "inputs = [\"in/*.txt\"]"));
    std::fs::create_dir(folder.path().join("in")).unwrap();
    for case in 0..20 {
        folder.write(&format!("in/{case}.txt"), format!("{}\n", case % 4 + 1));
    }
    for more in [&[][..], &["--no-journal"]] {
        let copied = compared(&folder, &[&["./plain", "./better"], more].concat());
        assert_eq!((&copied["cases"], &copied["effect_count"]), (&20.into(), &4.into()), "{copied}");
        assert_eq!(copied["whole_contest"], true, "{copied}");
        assert!(text(&copied, "fact").starts_with("on these 20 cases the sum rises by 1."), "{copied}");
        assert!(text(&copied, "fact").ends_with("; that is the result: they are the whole contest"), "{copied}");
        assert!(text(&copied, "note").starts_with("16 cases have the input of another one"), "{copied}");
        // Four inputs are four cases, regardless of the number of copies.
        assert_eq!(copied["claim"], "too-few-cases", "{copied}");
    }
    let some = compared(&folder, &["./plain", "./better", "--inputs", "in/1*.txt"]);
    assert_eq!(some["whole_contest"], false, "{some}");
}

/// Compares stored answers with these scores. Each run of `copies` cases has one input.
fn compared_scores(copies: usize, scores: &[(&str, &str)], more: &[&str]) -> Value {
    let folder = sample_with(&CATALOGUE.replace("\"echo {seed}\"", "\"sh input.sh {seed}\""));
    folder.write("input.sh", format!("echo $((($1 - 1) / {copies}))\n"));
    for answers in ["first", "second"] {
        std::fs::create_dir(folder.path().join(answers)).unwrap();
    }
    for (case, (first, second)) in scores.iter().enumerate() {
        folder.write(&format!("first/seed-{}.out", case + 1), format!("{first}\n"));
        folder.write(&format!("second/seed-{}.out", case + 1), format!("{second}\n"));
    }
    let seeds = format!("1-{}", scores.len());
    compared(&folder, &[&["a=answers:first", "b=answers:second", "--seeds", &seeds], more].concat())
}

#[test]
fn differences_that_cancel_are_not_called_the_same_scores() {
    let equal = |found: &Value| {
        assert_eq!((text(found, "claim"), text(found, "conclusion")), ("equal", "no difference: every effect is 0"));
    };
    equal(&compared_scores(2, &[("10", "11"), ("11", "10")].repeat(8), &[]));
    // -0.1 - 0.2 + 0.3 in floating point is not 0.
    equal(&compared_scores(3, &[("10", "9"), ("10", "8"), ("7", "10")].repeat(2), &["--measure", "relative"]));
}

#[test]
fn sums_and_ties_of_huge_differences_are_exact() {
    let huge = [("0", "100000000000000000000"), ("100000000000000000001", "0"), ("5", "4"), ("5", "4"), ("5", "4")];
    let found = compared_scores(1, &huge, &["--measure", "difference"]);
    assert_eq!(text(&found, "fact"), "on these 5 cases the mean score falls by 0.80", "{found}");
    // The sizes 1, 1, 1, 10^20, 10^20 + 1 have the ranks 2, 2, 2, 4, 5. Eight of 32 sums are at most 4.
    assert_eq!((&found["effect"]["mean"], &found["effect"]["wilcoxon_p"]), (&(-0.8).into(), &0.5.into()));
}

#[test]
fn repeated_inputs_are_not_new_cases() {
    let folder = sample_with(&CATALOGUE.replace("\"echo {seed}\"", "\"sh repeat.sh {seed}\""));
    folder.write("repeat.sh", "echo $(($1 % 4))\n");
    for until_decided in [&[][..], &["--until-decided", "--max-cases", "60"]] {
        let repeated = compared(&folder, &[&["./plain", "./better"], until_decided].concat());
        assert_eq!(repeated["effect_count"], 4, "{repeated}");
        assert_ne!(repeated["claim"], "better", "{repeated}");
    }
}

/// Seven groups of four cases: if a group counts by its worst case, one bad case of four decides the group.
#[test]
fn an_all_or_nothing_group_has_one_effect() {
    for (aggregate, change) in [("min", "falls by 51 %"), ("all-or-nothing", "falls by 100 %")] {
        let group = |first: usize| {
            let seeds = format!("{first}-{}", first + 3);
            format!("[[problem.group]]\nname = \"g{first}\"\nseeds = \"{seeds}\"\naggregate = \"{aggregate}\"\n")
        };
        let groups: String = (0..7).map(|place| group(4 * place + 1)).collect();
        let folder = sample_with(&(CATALOGUE.replace("1-20", "1-28") + &groups));
        folder.script("even", "read -r seed; echo $((1000 + seed))");
        let bad = if aggregate == "min" { "echo 500" } else { "exit 3" };
        folder.script("uneven", &format!("read -r seed; [ $((seed % 4)) = 0 ] && {{ {bad}; exit; }}; echo 2000"));
        let found = compared(&folder, &["./even", "./uneven"]);
        assert_eq!((&found["effect_count"], &found["whole_contest"]), (&7.into(), &true.into()), "{found}");
        assert!(text(&found, "fact").starts_with(&format!("on these 28 cases the sum {change}")), "{found}");
        assert!(
            text(&found, "conclusion").starts_with("judging by these 7 groups, uneven is worse than even"),
            "{found}"
        );
        assert_eq!(
            found["note"],
            "28 cases make 7 effects: a test group that counts as a whole has one, and groups with a common input or failure have one together"
        );
        assert_eq!(found["effect"]["losses"], 7);
        let said = folder.judge(&["compare", "-p", "sum", "./even", "./uneven"]);
        assert!(said.stdout.contains("group g1"), "{}", said.stdout);
    }
}

/// Eight groups whose worst case is not their first one. One of them loses what the others gain.
#[test]
fn a_contrast_names_the_group_that_makes_it() {
    let group = |first: usize| {
        format!("[[problem.group]]\nname = \"g{first}\"\nseeds = \"{first}-{}\"\naggregate = \"min\"\n", first + 1)
    };
    let groups: String = (0..8).map(|place| group(2 * place + 1)).collect();
    let folder = sample_with(&(CATALOGUE.replace("1-20", "1-16") + &groups));
    let large = |even: u32, odd: u32, last: u32| {
        format!("read -r seed; [ $seed = 16 ] && {{ echo {last}; exit; }}; echo $((seed % 2 ? {odd} : {even}))")
    };
    folder.script("even", &large(500, 20_000, 10_000));
    folder.script("uneven", &large(521, 20_000, 9_784));
    let found = compared(&folder, &["./even", "./uneven"]);
    assert_eq!(found["contrast"]["cases"], serde_json::json!(["group g15"]), "{found}");
    assert!(text(&found, "verdict").ends_with("the difference is group g15"), "{found}");
}

/// The solver `a` fails only the case `base`. One failure is one observation.
#[test]
fn one_failure_of_joined_groups_is_one_effect() {
    let catalogue = |more: &str, groups: &str| {
        let problem = "[[problem]]\nid = \"sum\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in/*.in\"]\n[problem.scoring]\nrule = \"exact\"\n";
        let group =
            |place: usize| format!("[[problem.group]]\nname = \"g{place}\"\n{more}\ncases = [\"g{place}-*\"]\n");
        format!("{problem}{groups}{}", (0..8).map(group).collect::<String>())
    };
    let base = "[[problem.group]]\nname = \"base\"\ncases = [\"base\"]\n";
    let dependent = catalogue("depends-on = [\"base\"]", base);
    let copied = catalogue("aggregate = \"all-or-nothing\"", "");
    let on = |catalogue: &str, copies: bool, failed: &str| {
        let folder = Folder::new();
        folder.write("problems.toml", catalogue);
        folder.write("in/base.in", "base");
        for place in 0..8 {
            folder.write(&format!("in/g{place}-1.in"), format!("own {place}"));
            if copies {
                folder.write(&format!("in/g{place}-2.in"), "base");
            }
        }
        let solver = format!("a=sh -c 'read x; case \"$x\" in {failed}) exit 3;; esac; echo 1'");
        compared(&folder, &[&solver, "b=echo 1"])
    };
    for (catalogue, copies) in [(&dependent, false), (&copied, true)] {
        let found = on(catalogue, copies, "base");
        assert_eq!((&found["effect_count"], &found["claim"]), (&1.into(), &"too-few-cases".into()), "{found}");
    }
    // Without a failure that they share, the groups are separate.
    let found = on(&dependent, false, "own*");
    assert_eq!(found["effect_count"], 9, "{found}");
}

#[test]
fn cases_without_an_effect_have_no_fact() {
    let folder = sample();
    let digits = "9".repeat(400);
    folder.script("huge", &format!("echo {digits}"));
    folder.script("lower", &format!("echo {}", digits.replacen('9', "8", 1)));
    let (_, report) = compare(&folder, &["./lower", "./huge", "--seeds", "1-8"]);
    let found = &report["comparisons"][0];
    assert_eq!((&found["cases"], &found["effect_count"], &found["undefined"]), (&0.into(), &0.into(), &8.into()));
    assert!(found.get("fact").is_none_or(Value::is_null), "{found}");
    let said = folder.judge(&["compare", "-p", "sum", "./lower", "./huge", "--seeds", "1-8"]);
    assert!(said.stdout.contains("0 of the 8 cases that both solved"), "{}", said.stdout);
    assert!(said.stdout.contains("0 cases with an effect are too few"), "{}", said.stdout);
    let said = folder.judge(&["compare", "-p", "sum", "./lower", "./huge", "--seeds", "1-8", "--measure", "points"]);
    assert!(said.stdout.contains("8 more cases without points: a number is too large"), "{}", said.stdout);
    let said = folder.judge(&["power", "-p", "sum", "-s", "./lower", "-s", "./huge", "--seeds", "1-8"]);
    assert!(said.stderr.contains("no spread in 0 cases that both solved, with an effect"), "{}", said.stderr);
}

#[test]
fn cases_without_a_ratio_are_not_said_to_be_equal() {
    let folder = sample();
    folder.script("zero", "read n; [ $n = 1 ] && echo 0 || echo 5");
    folder.script("five", "echo 5");
    let said = folder.judge(&["compare", "-p", "sum", "./zero", "./five", "--seeds", "1-8", "--measure", "ratio"]);
    assert!(said.stdout.contains("the same score on all 7 cases with an effect"), "{}", said.stdout);
    assert!(said.stdout.contains("1 more case without a ratio: a score is not above 0"), "{}", said.stdout);
}

#[test]
fn cases_show_change_and_share_of_total() {
    let folder = sample();
    folder.script("small", "read -r seed; [ $seed = 7 ] && { echo 4000; exit; }; echo 100");
    folder.script("large", "read -r seed; [ $seed = 7 ] && { echo 12000; exit; }; echo 100");
    let found = compared(&folder, &["./small", "./large"]);
    let pair = &found["effects"][6];
    let is = |name: &str, expected: f64| (pair[name].as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(is("own_change", 2.0) && is("of_total", 8000.0 / 5900.0), "{pair}");
    let said = folder.judge(&["compare", "-p", "sum", "./small", "./large"]);
    assert!(said.stdout.contains("own change") && said.stdout.contains("+200 %"), "{}", said.stdout);
}

#[test]
fn a_search_reports_a_lower_confirmed_score() {
    let folder = sample();
    // On the cases of the search 2 is better, on fresh ones 1.
    folder.script("toy", "read -r seed; [ $seed -gt 2000000 ] && echo $((1000 + 10 * $1)) || echo $((1000 - 10 * $1))");
    let tune = ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1-2:int", "--default", "n=1", "--budget", "40"];
    let said = folder.judge(&tune).stdout;
    assert!(said.contains("settings in") && said.contains("runs: n=2"), "{said}");
    assert!(said.contains("(selection): the fresh cases show what it is worth"), "{said}");
    assert!(!said.contains("confirm it on fresh cases"), "{said}");
    assert!(said.contains("on these 50 cases the sum falls by 1.0 %; judging by these 50 cases"), "{said}");
    assert!(said.contains("the winner is worse than the default there"), "{said}");
    let alone = folder.judge(&[&tune[..], &["--compare", "0"]].concat()).stdout;
    assert!(alone.contains("confirm it on fresh cases"), "{alone}");
}

#[test]
fn a_tie_has_no_sign() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n\
         seeds = \"1-2\"\n[problem.scoring]\ndirection = \"min\"\n",
    );
    let said = folder.judge(&["compare", "-p", "p", "a=echo 7", "b=echo 7", "--csv", "-"]);
    assert!(said.stdout.contains("seed-2,2,a,b,total,0,accepted,7"), "{}", said.stdout);
}

#[test]
fn a_fault_of_the_checker_makes_no_solver_worse() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\nseeds = \"1-8\"\n",
    );
    let said = folder.judge(&["compare", "-p", "p", "a=echo 7", "b=echo odd"]);
    assert_eq!(said.code, Some(3), "{}", said.stdout);
    assert!(said.stdout.contains("8 cases left out for a judge error"), "{}", said.stdout);
    assert!(!said.stdout.contains("worse than") && !said.stdout.contains("b fails"), "{}", said.stdout);
}

/// The points of the others would depend on the fault: `worse` would beat the solver whose answer was not judged.
#[test]
fn ranks_beside_a_judge_error_do_not_count() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\nseeds = \"1-8\"\n\
         scoring.rule = \"rank-topcoder\"\n",
    );
    folder.script("faulty", "read -r seed; [ \"$seed\" = 3 ] && echo fault || echo 9");
    let said = folder.judge(&["compare", "-p", "p", "worse=echo 5", "better=echo 7", "./faulty"]);
    assert_eq!(said.stdout.matches("1 case left out for a judge error").count(), 2, "{}", said.stdout);
    assert_eq!(said.stdout.matches("7 cases that both solved").count(), 2, "{}", said.stdout);
    let said = folder.judge(&["rank", "-p", "p", "worse=echo 5", "better=echo 7", "./faulty"]);
    assert!(said.stdout.contains("the order is found without such cases"), "{}", said.stdout);
}

/// The checker fails on `a`'s answer to the first of two cases of every group.
#[test]
fn a_judge_error_leaves_its_group_out() {
    let groups = |more: &str| -> String {
        let group = |first: usize| {
            format!("[[problem.group]]\nname = \"g{first}\"\n{more}\nseeds = \"{first}-{}\"\n", first + 1)
        };
        (0..8).map(|place| group(2 * place + 1)).collect()
    };
    for more in ["aggregate = \"all-or-nothing\"", "aggregate = \"min\""] {
        let catalogue = CATALOGUE.replace("1-20", "1-16").replace("\"sum\"\n[", "\"exact\"\n[") + &groups(more);
        let folder = sample_with(&catalogue);
        folder.write("check.sh", "read -r score < \"$2\"; [ \"$score\" = fault ] && exit 7; echo \"$score\"\n");
        folder.script("faulty", "read -r seed; [ $((seed % 2)) = 1 ] && echo fault || echo 7");
        folder.script("right", "echo 7");
        for flags in [&[][..], &["--measure", "points"]] {
            let found = compared(&folder, &[&["./faulty", "./right"], flags].concat());
            assert_eq!(found["effect_count"], 0, "{found}");
            let said = folder.judge(&[&["compare", "-p", "sum", "./faulty", "./right"], flags].concat());
            assert!(said.stdout.contains("16 cases left out for a judge error"), "{}", said.stdout);
            assert!(!said.stdout.contains("is better"), "{}", said.stdout);
        }
    }
}

#[test]
fn equal_points_are_not_called_equal_scores() {
    let folder = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"exact\""));
    for measure in ["points", "total"] {
        let said = folder.judge(&["compare", "-p", "sum", "./plain", "./better", "--measure", measure]);
        assert!(said.stdout.contains("no difference: the same points on all 20 cases that both"), "{}", said.stdout);
    }
}

/// Under `relative` small scores are good, and large points.
#[test]
fn a_share_of_points_falls_with_the_points() {
    let folder = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"relative\"\ndirection = \"min\""));
    folder.script("good", "echo 100");
    folder.script("bad", "echo 125");
    let (_, report) = compare(&folder, &["./good", "./bad", "--measure", "total", "--best", "run"]);
    let found = &report["comparisons"][0];
    assert_eq!((text(found, "claim"), text(found, "fact")), ("worse", "on these 20 cases the mean falls by 20 %"));
    assert_eq!(report["reference"]["kind"], "run", "{report}");
    let found = compared(&folder, &["./good", "./bad", "--measure", "points"]);
    assert_eq!(text(&found, "fact"), "on these 20 cases the mean falls by 200000 points");
}

#[test]
fn scores_beyond_a_failure_are_not_called_the_same() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n\
         seeds = \"1-8\"\n[problem.scoring]\ndirection = \"min\"\nfailure = 5\n",
    );
    let said = folder.judge(&["compare", "-p", "p", "a=echo 7", "b=echo 9"]);
    assert!(said.stdout.contains("no difference: the same points on all 8 cases that both solved"), "{}", said.stdout);
}
