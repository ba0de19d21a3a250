//! `judge new` and `judge verify`: a sound problem passes, and each check fails on a problem with the fault that it
//! detects.

use crate::support::pace::{in_time, unhurried};
use crate::support::{Folder, of_cases};
use serde_json::Value;

/// The answer has as many numbers as the first number of the input, each from 1 to 9. The score is their sum.
const CHECKER: &str = "read -r count rest < \"$1\"
set -f
set -- $(tr -d '\\000' < \"$2\")
[ $# -eq \"$count\" ] || { echo \"expected $count numbers, found $#\"; exit 1; }
sum=0
for number; do
  case $number in [1-9]) sum=$((sum + number)) ;; *) echo 'expected numbers from 1 to 9'; exit 1 ;; esac
done
echo $sum
";

const GOOD: &str = "while read -r count; do for _ in $(seq $count); do echo 9; done; done";
const PLAIN: &str = "while read -r count; do for _ in $(seq $count); do echo 1; done; done";

/// A sound problem `p` with the cases 1 to 3; `more` is added to it.
fn problem(checker: &str, more: &str) -> Folder {
    problem_with("echo $(({seed} + 3))", checker, more)
}

fn problem_with(generator: &str, checker: &str, more: &str) -> Folder {
    let folder = Folder::new();
    folder.write("check.sh", checker);
    folder.write("good.sh", GOOD);
    folder.write("plain.sh", PLAIN);
    let generator = generator.replace('\'', "\"");
    folder.write("gen.sh", generator.replace("{seed}", "$1"));
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"p\"\ngenerator-command = \"sh gen.sh {{seed}}\"\nseeds = \"1-3\"\n\
             checker-command = \"sh check.sh {{input}} {{answer}}\"\n{more}\n"
        ),
    );
    folder
}

const EXPECT_GOOD: &str = "[[problem.expect]]\nsolver = \"good.sh\"\n";

/// The exit code, and every check as `NAME RESULT DETAIL`.
fn verified(folder: &Folder) -> (Option<i32>, Vec<String>) {
    let (code, report) = folder.json(&["verify"]);
    let text = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
    let line = |check: &Value| ["check", "result", "detail"].map(|key| text(check, key)).join(" | ");
    (code, report["problems"][0]["checks"].as_array().unwrap().iter().map(line).collect())
}

/// Only this check fails, and its detail has this text.
fn assert_fails(folder: &Folder, check: &str, detail: &str) {
    let (code, checks) = verified(folder);
    let failed: Vec<_> = checks.iter().filter(|line| line.contains(" | failed | ")).collect();
    let is_it = |line: &&String| line.starts_with(&format!("{check} | failed | ")) && line.contains(detail);
    assert!(code == Some(1) && !failed.is_empty() && failed.iter().all(is_it), "{check}: {checks:#?}");
}

/// Nothing fails, and this check gives a warning with this text.
fn assert_warns(folder: &Folder, check: &str, detail: &str) {
    let (code, checks) = verified(folder);
    let warns = |line: &String| line.starts_with(&format!("{check} | warning | ")) && line.contains(detail);
    assert!(code == Some(0) && checks.iter().any(warns), "{check}: {checks:#?}");
}

#[test]
fn a_sound_problem_passes_every_check() {
    let more = "validator-command = \"grep -qxE [0-9]+\"\n[[problem.group]]\nname = \"all\"\nseeds = \"1-3\"\nweight = 100\n\
                [problem.limits]\ncpu = \"5s\"\n\
                [[problem.expect]]\nsolver = \"good.sh\"\nscore = \"4000-5000\"\n\
                [[problem.expect]]\nsolver = \"sh plain.sh\"\nmin-score = 450\nmax-score = 450\nseeds = \"1-2\"\n\
                [[problem.expect]]\nsolver = \"sh -c 'echo 1'\"\nverdict = \"wrong-answer\"\n\
                [[problem.expect]]\nsolver = \"false\"\nverdict = [\"runtime-error\", \"wrong-answer\"]\ncases = [\"seed-1\"]\n";
    let folder = problem(CHECKER, more);
    let (code, checks) = verified(&folder);
    let names: Vec<&str> = checks.iter().map(|line| line.split(" | ").next().unwrap()).collect();
    let expected = [
        "generator",
        "inputs",
        "validator",
        "checker",
        "solver good.sh",
        "solver sh plain.sh",
        "solver sh -c 'echo 1'",
        "solver false",
        "time limit",
        "groups",
    ];
    assert_eq!(names, expected, "{checks:#?}");
    assert!(code == Some(0) && checks.iter().all(|line| line.contains(" | ok | ")), "{checks:#?}");
    let said = folder.judge(&["verify"]);
    assert!(
        said.code == Some(0) && said.stdout.ends_with("10 checks: 0 failed, 0 with a warning\n"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_generator_has_the_seed_alone() {
    let by_clock = problem_with("echo 4 $(date +%N)", CHECKER, EXPECT_GOOD);
    assert_fails(&by_clock, "generator", "two different inputs");
    let by_second = problem_with("echo 4 $(date +%s)", CHECKER, EXPECT_GOOD);
    assert_fails(&by_second, "generator", "two different inputs");
    let slow = "[problem.limits]\ngenerator-wall = \"200ms\"\n[[problem.expect]]\nsolver = \"good.sh\"";
    assert_fails(&problem_with("sleep 5; echo {seed}", CHECKER, slow), "generator", "ran longer than 200ms");
    assert_fails(&problem_with("echo oh >&2; exit 3", CHECKER, EXPECT_GOOD), "generator", "oh");
    assert_fails(&problem_with("true", CHECKER, EXPECT_GOOD), "generator", "empty input");
    assert_warns(&problem_with("echo 4", CHECKER, EXPECT_GOOD), "generator", "the same input");
}

#[test]
fn without_generator_the_files_are_verified() {
    let files = format!("inputs = [\"*.in\"]\n{EXPECT_GOOD}");
    let lenient = "echo 1";
    for (checker, result) in [(CHECKER, "ok"), (lenient, "failed")] {
        let folder = problem_with("exit 3", checker, &files);
        folder.write("a.in", "4\n");
        let (code, checks) = verified(&folder);
        let has = |start: &str| checks.iter().any(|line| line.starts_with(start));
        assert!(code == Some(1) && has("generator | failed") && has("inputs | ok | 1 case can be read"), "{checks:#?}");
        assert!(has(if result == "ok" { "checker | ok" } else { "checker: an empty answer | failed" }), "{checks:#?}");
        assert!(has("solver good.sh | ok"), "{checks:#?}");
    }
}

#[test]
fn solvers_without_their_compiler_are_skipped() {
    let language = "[language.xyz]\nextensions = [\"xyz\"]\ncompile = \"no-such-xyz {source}\"\nrun = \"{program}\"\n";
    let folder = problem(CHECKER, &format!("{EXPECT_GOOD}[[problem.expect]]\nsolver = \"slow.xyz\"\n{language}"));
    folder.write("slow.xyz", "");
    let (code, checks) = verified(&folder);
    let not_checked = "solver slow.xyz | not-checked | no compiler for it is installed (looked for no-such-xyz)";
    assert!(code == Some(0) && checks.iter().any(|line| line == not_checked), "{code:?} {checks:#?}");
    let said = folder.judge(&["verify"]);
    assert!(said.stdout.contains("not checked") && said.stdout.contains(", 1 not checked"), "{}", said.stdout);
    let (code, report) = folder.json(&["verify", "--strict"]);
    assert_eq!((code, &report["ok"], &report["not_checked"]), (Some(1), &false.into(), &1.into()));
}

#[test]
fn every_input_is_read_and_valid() {
    let validator = |command: &str| problem(CHECKER, &format!("validator-command = \"{command}\"\n{EXPECT_GOOD}"));
    assert_fails(&validator("sh -c 'echo too small >&2; exit 3'"), "validator", "seed-1: too small");
    assert_fails(&validator("grep -qx 4"), "validator", "seed-2: exit status: 1");
    assert_fails(&validator("./none"), "validator", "cannot start");
    assert_warns(&validator("true"), "validator", "accepts an empty input");
    let file = Folder::new();
    file.write("a.in", "1\n");
    file.write("problems.toml", "[[problem]]\nid = \"p\"\nchecker = \"columns\"\ninputs = [\"*.in\"]\n");
    assert_fails(&file, "inputs", "a: ");
    file.write("problems.toml", "[[problem]]\nid = \"p\"\nchecker = \"columns\"\ninputs = [\"*.txt\"]\n");
    assert_fails(&file, "cases", "no file matches");
}

#[test]
#[ignore = "CI: every built-in problem"]
fn a_checker_rejects_bad_answers_and_survives_all() {
    let fails = |checker: &str, check: &str, detail: &str| assert_fails(&problem(checker, EXPECT_GOOD), check, detail);
    fails(&format!("[ -s \"$2\" ] || {{ echo 0; exit 0; }}\n{CHECKER}"), "checker: an empty answer", "score 0");
    fails(&format!("grep -q answer \"$2\" && {{ echo 5; exit 0; }}\n{CHECKER}"), "checker: garbage", "`may-accept");
    let binary = "[ \"$(wc -c < \"$2\")\" -eq 5 ] && { echo 5; exit 0; }";
    fails(&format!("{binary}\n{CHECKER}"), "checker: bytes that are no text", "with the score 5");
    fails(&format!("grep -q inf \"$2\" && exit 9\n{CHECKER}"), "checker: nan and inf", "exit status: 9");
    fails(&format!("grep -q -- -1 \"$2\" && kill -SEGV $$\n{CHECKER}"), "checker: a negative number", "signal: 11");
    // It reads only the first number.
    let first = "read -r first rest < \"$2\"; case $first in [1-9]) echo $first ;; *) echo no; exit 1 ;; esac";
    let (code, checks) = verified(&problem(first, EXPECT_GOOD));
    assert!(
        code == Some(1) && checks.iter().any(|line| line.contains("first half of an answer | failed")),
        "{checks:#?}"
    );
    // Fewer numbers are also a valid answer, with a lower score.
    let any = CHECKER.replace("[ $# -eq \"$count\" ]", "[ $# -gt 0 ]");
    assert_warns(
        &problem(&any, EXPECT_GOOD),
        "checker: the first half of an answer",
        "score 18, and the whole with 36",
    );
    let (code, checks) = verified(&problem(&any, &format!("may-accept = [\"truncated\"]\n{EXPECT_GOOD}")));
    assert!(code == Some(0) && checks.iter().all(|line| line.contains(" | ok | ")), "{checks:#?}");
}

#[test]
fn a_checker_of_several_passes_rejects_nothing_at_once() {
    let folder = Folder::new();
    folder.write("a.in", "1\n");
    folder.write("check.sh", "echo 2 > \"$3/nextpass.in\"; exit 42");
    let problem = "[[problem]]\nid = \"p\"\nchecker-command = \"sh check.sh\"\nchecker-protocol = \"kattis\"\n\
                   validation-passes = 2\ninputs = [\"*.in\"]\n";
    folder.write("problems.toml", problem);
    let (_, checks) = verified(&folder);
    assert!(checks.iter().any(|line| line.contains("checker | ok | reads garbage and empty answers")), "{checks:#?}");
}

#[test]
fn an_interactor_accepts_no_mute_solver() {
    let interactive = |interactor: &str| {
        let folder = Folder::new();
        folder.write("talk.sh", interactor);
        folder.write("bot.sh", "read -r x; echo $((x * 2))");
        folder.write(
            "problems.toml",
            "[[problem]]\nid = \"p\"\nseeds = \"1-2\"\ngenerator-command = \"echo {seed}\"\n\
             interactor-command = \"sh talk.sh {input} {report}\"\n[[problem.expect]]\nsolver = \"bot.sh\"\n",
        );
        folder
    };
    let sound = "read -r x < \"$1\"; echo $x; read -r y; [ \"$y\" = $((x * 2)) ] || { echo no > \"$2\"; exit 1; }; echo 1 > \"$2\"";
    let (code, checks) = verified(&interactive(sound));
    assert!(code == Some(0) && checks.iter().any(|line| line.starts_with("interactor | ok")), "{checks:#?}");
    let credulous = "read -r x < \"$1\"; echo $x; read -r y; echo 1 > \"$2\"";
    assert_fails(&interactive(credulous), "interactor", "got accepted on seed-1");
    let crashing = format!("{}\n", sound.replace("read -r y;", "read -r y || exit 7;"));
    assert_fails(&interactive(&crashing), "interactor", "got judge-error");
}

#[test]
fn answer_files_are_there_and_accepted() {
    let folder = Folder::new();
    let tokens = "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\ninputs = [\"data/*.in\"]\nanswers = \"data/*.ans\"\n\
                  solver = \"cat\"\n";
    folder.write("problems.toml", tokens);
    folder.write("data/1.in", "1 2 3\n");
    folder.write("data/1.ans", "1 2 3\n");
    let (code, checks) = verified(&folder);
    assert!(code == Some(0) && checks.iter().any(|line| line == "answer files | ok | 1 file accepted"), "{checks:#?}");
    let own = tokens.replace("checker = \"tokens\"", "checker-command = \"sh check.sh {answer} {expected}\"");
    folder.write("check.sh", "[ \"$(cat \"$1\")\" = '1 2 3' ] || { echo no; exit 1; }; echo 1");
    folder.write("problems.toml", own);
    folder.write("data/1.ans", "1 2 4\n");
    assert_fails(&folder, "answer files", "the checker rejects");
    std::fs::remove_file(folder.path().join("data/1.ans")).unwrap();
    assert_fails(&folder, "answer files", "there is none for 1");
    let fine = "checker = \"tokens\"\nchecker-arguments = \"float_absolute_tolerance 1e-9\"";
    folder.write("problems.toml", tokens.replace("checker = \"tokens\"", fine));
    folder.write("data/1.in", "1234567890123.5\n");
    folder.write("data/1.ans", "1234567890123.5\n");
    assert_warns(&folder, "answer files", "is finer than doubles near 1.2345678901235e12 of ");
}

#[test]
fn expected_solvers_get_their_verdicts_and_scores() {
    let expect =
        |solver: &str, more: &str| problem(CHECKER, &format!("[[problem.expect]]\nsolver = \"{solver}\"\n{more}\n"));
    let bad_total = expect("good.sh", "score = \"1-2\"");
    assert_fails(&bad_total, "solver good.sh", "its total is 135, expected 1 to 2");
    let again = bad_total.judge(&["verify"]).stdout;
    assert!(again.contains("solver good.sh: judge run -p p -s good.sh\n"), "{again}");
    assert_fails(&expect("good.sh", "min-score = 135.5"), "solver good.sh", "expected at least 135.5");
    let seventh = "score = \"6.428571\"\n[[problem.group]]\nname = \"all\"\nweight = \"1/7\"\nseeds = \"1-3\"";
    assert_fails(&expect("good.sh", seventh), "solver good.sh", "its total is about 6.428571, expected 6.428571");
    assert_fails(&expect("good.sh", "verdict = \"time-limit\""), "solver good.sh", "all 3 cases are accepted");
    assert_fails(&expect("false", ""), "solver false", "on seed-1 it got runtime-error");
    assert_fails(&expect("none.sh", ""), "solver none.sh", "none.sh");
    assert_fails(&expect("good.sh", "cases = [\"no-*\"]"), "solver good.sh", "the problem does not have");
    let partly = "sh -c 'read -r n; [ $n -eq 4 ] && echo 1 1 1 1'";
    assert_fails(
        &expect(partly, "verdict = \"wrong-answer\""),
        &format!("solver {partly}"),
        "seed-2 it got runtime-error",
    );
    assert_warns(&problem(CHECKER, ""), "solvers", "no solver is expected");
    let implicit = problem(CHECKER, "solver = \"false\"");
    assert_fails(&implicit, "solver false", "expected accepted");
}

#[test]
fn a_time_limit_leaves_room() {
    let busy = "i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done\n";
    let folder =
        problem(CHECKER, "[problem.limits]\ncpu = \"1s\"\n[[problem.expect]]\nsolver = \"busy.sh\"\nseeds = \"1\"\n");
    folder.write("busy.sh", format!("{busy}{GOOD}"));
    let limit = |factor: f64| {
        let (_, report) = folder.json(&["run", "-s", "busy.sh", "--seeds", "1", "--cpu", "20s"]);
        let cpu = of_cases(&report, "cpu_ms")[0].as_f64().unwrap();
        let text = format!(
            "[[problem]]\nid = \"p\"\ngenerator-command = \"sh gen.sh {{seed}}\"\nseeds = \"1\"\n\
             checker-command = \"sh check.sh {{input}} {{answer}}\"\n[problem.limits]\ncpu = \"{:.0}ms\"\n\
             [[problem.expect]]\nsolver = \"busy.sh\"\n",
            cpu * factor
        );
        folder.write("problems.toml", text);
    };
    // The limit is between one and two times the time of the next run, if that takes about as long as the last.
    let is_warned = unhurried("a narrow limit", || {
        limit(1.4);
        let (code, checks) = verified(&folder);
        let warns =
            |line: &String| line.starts_with("time limit | warning | ") && line.contains("would be twice as much");
        in_time(code == Some(0) && checks.iter().any(warns), || format!("{checks:#?}"));
    });
    assert_eq!(is_warned, Ok(()));
    limit(10.0);
    let (code, checks) = verified(&folder);
    assert!(code == Some(0) && checks.iter().any(|line| line.starts_with("time limit | ok")), "{checks:#?}");
}

#[test]
fn groups_fit_the_cases() {
    let folder = |groups: &str| {
        let folder = Folder::new();
        for name in ["a1", "a2", "b1"] {
            folder.write(&format!("{name}.in"), "2\n");
        }
        folder.write("check.sh", CHECKER);
        folder.write("good.sh", GOOD);
        let start =
            "[[problem]]\nid = \"p\"\nchecker-command = \"sh check.sh {input} {answer}\"\ninputs = [\"*.in\"]\n";
        folder.write("problems.toml", format!("{start}{EXPECT_GOOD}{groups}"));
        folder
    };
    let group = |name: &str, cases: &str, weight: u32| {
        format!("[[problem.group]]\nname = \"{name}\"\ncases = [\"{cases}\"]\nweight = {weight}\n")
    };
    let groups = |groups: &[(&str, &str, u32)]| {
        folder(&groups.iter().map(|(name, cases, weight)| group(name, cases, *weight)).collect::<String>())
    };
    assert_fails(&groups(&[("a", "a*", 50), ("c", "c*", 50)]), "groups", "the group `c` has no case");
    assert_fails(&groups(&[("a", "a*", 50), ("one", "?1", 50)]), "cases", "`a1` is in the groups `a` and `one`");
    assert_warns(&groups(&[("a", "a*", 100)]), "groups", "`b1` is in no group");
    assert_warns(&groups(&[("a", "a*", 50), ("b", "b*", 40)]), "groups", "add up to 90");
    let (code, checks) = verified(&groups(&[("a", "a*", 60), ("b", "b*", 40)]));
    assert!(code == Some(0) && checks.iter().any(|line| line.starts_with("groups | ok")), "{checks:#?}");
    // A seed that only an expectation names.
    let two = group("a", "seed-[12]*", 50) + &group("b", "seed-*3", 50);
    let expected = format!("{EXPECT_GOOD}seeds = \"23\"\n{two}");
    let why = "the case `seed-23` is in the groups `a` and `b`";
    assert_fails(&problem(CHECKER, &expected), "solver good.sh", why);
}

#[test]
fn a_broken_catalogue_is_no_finding() {
    let folder = problem(CHECKER, "[[problem.expect]]\nverdict = \"acepted\"\n");
    let said = folder.judge(&["verify"]);
    assert!(said.code == Some(2) && said.stderr.contains("did you mean `accepted`?"), "{}", said.stderr);
    assert_eq!(problem(CHECKER, EXPECT_GOOD).judge(&["verify", "-p", "q"]).code, Some(2));
}

#[test]
fn expectations_are_read_with_their_errors() {
    for (more, expected) in [
        ("[[problem.expect]]\nverdict = \"accepted\"", "[[problem.expect]] has no `solver`"),
        ("[[problem.expect]]\nsolver = \"a\"\nverdict = \"timelimit\"", "did you mean `time-limit`?"),
        ("[[problem.expect]]\nsolver = \"a\"\nverdict = \"judge-error\"", "there is no verdict `judge-error`"),
        ("[[problem.expect]]\nsolver = \"a\"\nscore = \"2-1\"", "found `2-1`"),
        ("[[problem.expect]]\nsolver = \"a\"\nmin-score = 3\nmax-score = 2", "exchange them"),
        ("[[problem.expect]]\nsolver = \"a\"\nscore = 3\nmax-score = 2", "given twice"),
        ("[[problem.expect]]\nsolver = \"a\"\nscores = 3", "unknown key `scores`"),
        ("may-accept = [\"emty\"]", "did you mean `empty`?"),
        ("validator-command = \"./v {inptu}\"", "did you mean `{input}`?"),
    ] {
        let said = problem(CHECKER, more).judge(&["verify"]);
        assert!(said.code == Some(2) && said.stderr.contains(expected), "{more}: {}", said.stderr);
    }
}

#[test]
fn the_commands_of_the_findings_show_them_again() {
    let folder = problem("echo 5", EXPECT_GOOD);
    let (code, report) = folder.json(&["verify", "--problems", "problems.toml"]);
    assert_eq!(code, Some(1));
    let checks = report["problems"][0]["checks"].as_array().unwrap();
    let command = checks.iter().find(|check| check["check"] == "checker: an empty answer").unwrap()["command"].clone();
    let command = command.as_str().unwrap().replace("judge ", &format!("{} ", env!("CARGO_BIN_EXE_judge")));
    let shell = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8(shell.stdout).unwrap(), "accepted 5\n", "{command}");
}

#[test]
fn a_built_in_problem_passes() {
    pass(&["-p", "same-game"]);
}

#[test]
#[ignore = "long: all built-in problems with their solvers"]
fn all_built_in_problems_pass() {
    pass(&[]);
}

fn pass(selected: &[&str]) {
    let folder = Folder::new();
    let said = folder.judge(&[&["verify", "--problems", "builtin"], selected].concat());
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
}

#[test]
fn a_new_problem_overwrites_nothing() {
    let folder = Folder::new();
    let said = folder.judge(&["new", "knapsack"]);
    assert!(said.code == Some(0) && said.stdout.contains("knapsack/check.py\n"), "{}{}", said.stdout, said.stderr);
    let said = folder.judge(&["list", "--problems", "knapsack/problems.toml"]);
    assert!(said.code == Some(0) && said.stdout.contains("knapsack"), "{}{}", said.stdout, said.stderr);
    folder.write("knapsack/gen.py", "mine");
    let said = folder.judge(&["new", "knapsack"]);
    assert!(said.code == Some(2) && said.stderr.contains("already something named knapsack"), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("knapsack/gen.py")).unwrap(), "mine");
    for id in ["", "../x", "A", "a b", "-x"] {
        let said = folder.judge(&["new", id]);
        assert!(said.code == Some(2) && said.stderr.contains("bad id"), "{id}: {}", said.stderr);
    }
}
