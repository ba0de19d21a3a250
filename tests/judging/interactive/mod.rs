//! Interactive problems: the verdict does not depend on which side ends, hangs, floods or closes a pipe first.

mod cpu_time;
mod endings;

use crate::support::pace::{in_time, patiently, unhurried};
use crate::support::scenarios;
use crate::support::scenarios::{
    Scenario, always, assert_always, computing, hanging, is_endless, limit, repeats, scene_with, slowly,
};
use crate::support::{Folder, of_cases};
use std::time::Duration;

/// The time to decide of an interactor that never decides.
const NEVER: Duration = Duration::from_millis(700);

/// A folder with a problem whose interactor follows instructions, and with the program for either side; `None` without
/// a C compiler.
fn scene(interactor: &str) -> Option<Folder> {
    let folder = scene_with(&format!("interactor-command = \"./player report-to={{report}} {interactor}\""))?;
    if is_endless(interactor) {
        limit(&folder, "interactor-wall", &format!("{}ms", NEVER.as_millis()));
    }
    Some(folder)
}

/// Holds conversations in which the interactor decides.
fn hold(scenarios: &[Scenario]) {
    scenarios::hold(scenarios, scene);
}

#[test]
fn the_interactor_decides() {
    let Some(folder) = scene("ask=50 report=7") else { return };
    let (code, report) = folder.json(&["run", "-p", "talk", "-s", "./player echo"]);
    assert_eq!((code, of_cases(&report, "score")), (Some(0), vec![&serde_json::json!(7)]));

    let folder = scene("say=question hear report='too far' exit=1").unwrap();
    let (code, report) = folder.json(&["run", "-p", "talk", "-s", "./player hear say=answer"]);
    assert_eq!((code, of_cases(&report, "verdict")), (Some(1), vec![&serde_json::json!("wrong-answer")]));
    assert_eq!(of_cases(&report, "note"), [&serde_json::json!("too far")]);

    // The end of the solver's output is something to decide on as well.
    let folder = scene("count").unwrap();
    let (code, report) = folder.json(&["run", "-p", "talk", "-s", "./player say=a say=b say=c"]);
    assert_eq!((code, of_cases(&report, "score")), (Some(0), vec![&serde_json::json!(3)]));
}

#[test]
fn the_interactor_dies_first() {
    hold(&[
        always("wrong-answer", "report=no exit=1", "hear"),
        always("wrong-answer", "report=no exit=1", "say=a say=b exit=3"),
        always("wrong-answer", "hear report=no exit=1", "say=bad hear"),
        always("wrong-answer", "hear report=no exit=1", "say=bad compute=100000"),
        always("accepted", "report=1", "flood"),
        always("accepted", "hear report=1", "say=good crash"),
        always("accepted", "hear pause=20 report=1", "say=good pause=20 exit=3"),
        always("judge-error", "crash", "hear"),
        always("judge-error", "exit=1", "say=a"),
        always("judge-error", "hear exit=2", "say=a crash"),
        always("judge-error", "hear report=many", "say=a flood"),
    ]);
}

#[test]
fn the_solver_dies_first() {
    hold(&[
        always("runtime-error", "hear report=1", "exit=3"),
        always("runtime-error", "hear hear report=1", "say=good crash"),
        always("runtime-error", "hear pause=20 hear report=1", "say=good pause=5 exit=3"),
        always("runtime-error", "count", "say=a exit=3"),
        always("wrong-answer", "try-to-hear report=silent exit=1", "exit=0"),
        always("memory-limit", "hear report=1", "fill=200 pause=1000"),
        computing("time-limit", "hear report=1", "compute=100000"),
    ]);
}

#[test]
fn a_bad_move_stays_bad_after_any_other() {
    hold(&[
        always("wrong-answer", "hear report=bad exit=1", "say=bad exit=3"),
        always("wrong-answer", "hear pause=20 report=bad exit=1", "say=bad crash"),
        always("wrong-answer", "hear compute=20 say=no say=no report=bad exit=1", "say=bad crash"),
        always("wrong-answer", "hear report=bad exit=1", "say=bad flood"),
        always("wrong-answer", "hear report=bad exit=1", "say=bad fill=200"),
        always("wrong-answer", "pause=20 hear report=bad exit=1", "say=bad exit=0"),
        slowly(always("wrong-answer", "hear pause=1500 report=bad exit=1", "say=bad crash")),
    ]);
}

#[test]
fn both_hang() {
    hold(&[
        hanging("wall-limit", "hear report=1", "hear"),
        hanging("wall-limit", "say=a hear report=1", "pause=100000"),
        slowly(hanging("wall-limit", "wait", "say=a wait")),
        slowly(hanging("wall-limit", "pause=100000", "pause=100000")),
    ]);
}

#[test]
fn who_hangs_alone_is_to_blame() {
    hold(&[
        slowly(always("judge-error", "pause=100000", "exit=0")),
        slowly(hanging("judge-error", "compute=100000", "hear")),
        slowly(always("runtime-error", "compute=100000", "exit=3")),
    ]);
}

#[test]
#[ignore = "CI: many conversations"]
fn floods() {
    hold(&[
        always("output-limit", "flood=1", "flood=1"),
        always("output-limit", "count", "flood"),
        slowly(always("output-limit", "pause=100000", "flood")),
        slowly(hanging("wall-limit", "flood", "pause=100000")),
        slowly(always("judge-error", "flood", "exit=0")),
        slowly(always("runtime-error", "flood", "exit=3")),
    ]);
}

/// The part of the output that the solver has not read does not matter, whether it is less than a pipe holds or much
/// more.
#[test]
fn unread_output_changes_no_decision() {
    hold(&[
        always("accepted", "pour=64 hear report=1", "say=ok"),
        always("accepted", "pour=65 hear report=1", "say=ok close=0 pause=20"),
        always("accepted", "pour=1023 hear report=1", "say=ok say=more close=1 pause=20"),
        always("accepted", "pour=1025 hear report=1", "say=ok exit=3"),
        always("accepted", "hear pour=5000 report=1", "say=ok crash"),
        always("wrong-answer", "pour=1024 try-to-hear report=silent exit=1", "exit=0"),
        always("wrong-answer", "pour=5000 hear report=bad exit=1", "say=bad hear"),
        always("runtime-error", "pour=1023 hear report=1", "exit=3"),
        always("runtime-error", "pour=5000 hear report=1", "crash"),
        slowly(always("judge-error", "pour=5000 wait", "say=ok")),
    ]);
}

/// Not earlier, and with its own limits: its output is not stored.
#[test]
fn a_flooding_interactor_still_has_time() {
    let Some(folder) = scene("flood") else { return };
    let began = std::time::Instant::now();
    let (code, report) = folder.json(&["run", "-p", "talk", "-s", "./player exit=0"]);
    assert_eq!((code, of_cases(&report, "verdict")), (Some(3), vec![&"judge-error".into()]), "{report}");
    assert!(began.elapsed() >= NEVER, "{:?}", began.elapsed());
}

#[test]
fn either_closes_one_side() {
    hold(&[
        // The solver its output, then its input.
        hanging("wall-limit", "hear report=1", "close=1 hear"),
        always("accepted", "count", "say=a close=1 pause=5"),
        always("accepted", "say=a say=b hear report=1", "close=0 say=a"),
        hanging("wall-limit", "flood=1", "close=0 wait"),
        // The interactor its input, then its output.
        always("accepted", "close=0 say=a report=1", "say=a say=b hear"),
        always("accepted", "close=0 pause=5 report=1", "say=a say=b exit=3"),
        hanging("wall-limit", "close=0 pause=1 close=1 wait", "say=a try-to-hear wait"),
        always("runtime-error", "close=1 hear report=1", "hear"),
        always("accepted", "close=1 pause=5 report=1", "hear"),
        always("accepted", "close=1 count", "try-to-hear say=a"),
    ]);
}

/// A game in which a number is guessed, and two solvers of it.
fn guessing() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"guess\"\ninteractor-command = \"./guess {input} {report}\"\n\
         generator-command = \"expr {seed} * 37\"\nseeds = \"1-6\"\n[problem.limits]\ncpu = \"10s\"\n",
    );
    folder.script(
        "guess",
        "read secret < $1; score=100\n\
         while read guess; do\n\
           [ $guess -eq $secret ] && { echo $score > $2; exit 0; }\n\
           [ $guess -lt $secret ] && echo higher || echo lower\n\
           score=$((score - 1))\n\
         done\n\
         echo 'gave up' > $2; exit 1",
    );
    let search = "while echo $(((low + high) / 2)) && read answer; do\n\
                  [ $answer = higher ] && low=$(((low + high) / 2 + 1)) || high=$(((low + high) / 2 - 1))\n\
                  done 2> /dev/null";
    folder.script("quick", &format!("low=1; high=1000\n{search}"));
    folder.script("slow", &format!("low=1; high=100000000\n{search}"));
    folder
}

#[test]
fn interactive_problems_work_with_every_command() {
    let folder = guessing();
    let (code, report) = folder.json(&["run", "-p", "guess", "-s", "./quick"]);
    let scores: Vec<_> = of_cases(&report, "score").into_iter().map(|score| score.as_i64().unwrap()).collect();
    assert_eq!((code, scores.len()), (Some(0), 6), "{report}");
    assert!(scores.iter().all(|score| (91..=100).contains(score)), "{scores:?}");
    assert_eq!(report["checker"]["name"], "./guess {input} {report}");

    let said = |arguments: &[&str]| {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.stdout, said.stderr);
        said.stdout
    };
    assert!(said(&["history"]).contains("guess"));
    assert!(said(&["best", "-p", "guess"]).contains(&scores[0].to_string()));
    assert!(said(&["show", "guess"]).contains("interactor  ./guess {input} {report}"));
    assert!(said(&["compare", "-p", "guess", "./slow", "./quick"]).contains("quick is better than slow"));
    said(&["run", "-p", "guess", "-s", "./quick", "--resume"]);
    said(&["rescore", "last", "--score", "mean"]);
    said(&["baseline", "-p", "guess", "-s", "./quick", "--output", "baseline.toml"]);
    said(&["gate", "--baseline", "baseline.toml", "-s", "./quick"]);
}

/// It would sleep for ten seconds, and have five to decide by default.
#[test]
#[ignore = "CI: many conversations"]
fn the_time_to_decide_is_a_key() {
    let folder = Folder::new();
    let catalogue = |limit: &str| {
        format!(
            "[[problem]]\nid = \"late\"\ninteractor-command = \"sh late.sh {{report}}\"\n\
             generator-command = \"echo {{seed}}\"\nseeds = \"1\"\n[problem.limits]\ninteractor-wall = \"{limit}\"\n"
        )
    };
    folder.write("late.sh", "cat > /dev/null; sleep $(cat nap); echo 7 > $1\n");
    for (limit, nap, code, verdict) in [("300ms", "10", 3, "judge-error"), ("50s", "6", 0, "accepted")] {
        folder.write("problems.toml", catalogue(limit));
        folder.write("nap", nap);
        let (found, report) = folder.json(&["run", "-p", "late", "-s", "true"]);
        assert_eq!((found, of_cases(&report, "verdict")), (Some(code), vec![&verdict.into()]), "{report}");
    }
}

#[test]
fn an_answer_alone_cannot_be_checked() {
    let folder = guessing();
    folder.write("a.out", "500\n");
    folder.judge(&["run", "-p", "guess", "-s", "./quick"]);
    for arguments in [
        &["check", "-p", "guess", "--seed", "1", "--output", "a.out"][..],
        &["check", "-p", "guess", "--dir", "."],
        &["check", "--run", "last"],
        &["view", "-p", "guess", "--seed", "1", "-s", "./quick", "--html", "game.html"],
    ] {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains("`guess` is interactive"), "{}", said.stderr);
        assert!(said.stderr.contains("judge run -p guess"), "{}", said.stderr);
    }
}

#[test]
fn the_catalogue_knows_what_an_interactor_needs() {
    let folder = Folder::new();
    for (keys, place, expected) in [
        ("interactor-command = \"./i {input}\"", "problems.toml:3:22", "add `{report}`"),
        ("interactor-command = \"./i {report} {answer}\"", "problems.toml:3:22", "no `{answer}`"),
        (
            "checker-command = \"./c {answer}\"\ninteractor-command = \"./i {report}\"",
            "problems.toml:4:22",
            "one checker",
        ),
        ("checker = \"columns\"\ninteractor-command = \"./i {report}\"", "problems.toml:4:22", "one checker"),
        ("", "problems.toml:1:1", "`interactor-command = "),
    ] {
        folder.write("problems.toml", format!("[[problem]]\nid = \"x\"\n{keys}\nseeds = \"1\"\n"));
        let said = folder.judge(&["list"]);
        assert_eq!(said.code, Some(2), "{keys}");
        assert!(said.stderr.contains(place) && said.stderr.contains(expected), "{keys}: {}", said.stderr);
    }
}

#[test]
fn a_conversation_is_written_with_its_times() {
    if scene("").is_none() {
        return;
    }
    let run = ["run", "-p", "talk", "-s", "./player hear say=answer hear say=last", "--transcript", "talks"];
    // A busy machine may record the answer late, so that the pause looks shorter. So each try has a longer pause.
    let is_written = unhurried("a pause", || {
        let pause = patiently(Duration::from_millis(300)).as_millis();
        let folder = scene(&format!("say=question hear pause={pause} say=again hear report=7")).unwrap();
        let (code, report) = folder.json(&run);
        assert_eq!((code, of_cases(&report, "score")), (Some(0), vec![&serde_json::json!(7)]));
        let text = std::fs::read_to_string(folder.path().join("talks/c.txt")).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let said: Vec<String> = lines.iter().map(|line| line[1..].join(" ")).collect();
        assert_eq!(said, ["interactor: question", "solver: answer", "interactor: again", "solver: last"], "{text}");
        let at = |line: usize| lines[line][0].parse::<f64>().unwrap();
        in_time(at(2) - at(1) >= 0.29, || text.clone());
    });
    assert_eq!(is_written, Ok(()));

    let folder = guessing();
    let run = ["run", "-p", "guess", "-s", "./quick", "--seeds", "3", "--transcript", "talks", "--reuse"];
    for (times, is_warned) in [("once", false), ("again", true)] {
        let said = folder.judge(&run);
        let is_accepted = said.code == Some(0) && folder.path().join("talks/seed-3.txt").exists();
        let warning = "the journal keeps no transcript of 1 result";
        assert!(is_accepted && said.stderr.contains(warning) == is_warned, "{times}: {}", said.stderr);
    }
    let said = folder.judge(&["view", "-p", "guess", "--seed", "3", "-s", "./quick", "--text"]);
    // On a busy machine there is an additional line.
    let is_accepted = said.stderr.lines().any(|line| line.starts_with("accepted "));
    assert!(said.code == Some(0) && is_accepted, "{}{}", said.stdout, said.stderr);
    let sides: Vec<_> = said.stdout.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert!(sides.contains(&"solver:") && sides.contains(&"interactor:"), "{}", said.stdout);
    let said = folder.judge(&["view", "-p", "guess", "--input", "-", "-s", "./quick", "--text"]);
    assert!(said.code == Some(2) && said.stderr.contains("--seed N"), "{}", said.stderr);

    let said = folder.judge(&["run", "-p", "columns", "--problems", "builtin", "--transcript", "talks"]);
    assert!(
        said.code == Some(2) && said.stderr.contains("--transcript needs a problem with an interactor"),
        "{}",
        said.stderr
    );
}

#[test]
#[ignore = "CI: many conversations"]
fn a_transcript_does_not_change_the_verdict() {
    for (interactor, solver, verdict) in [
        ("report=1", "flood", "accepted"),
        ("hear report=1", "say=good crash", "accepted"),
        ("hear report=1", "exit=3", "runtime-error"),
        ("try-to-hear report=silent exit=1", "exit=0", "wrong-answer"),
        ("report=no exit=1", "hear", "wrong-answer"),
        ("count", "say=a say=b", "accepted"),
        ("flood", "exit=3", "runtime-error"),
    ] {
        let Some(folder) = scene(interactor) else { return };
        let solver = format!("./player {solver}");
        let verdicts = |more: &[&str]| {
            let (_, report) = folder.json(&[&["run", "-p", "talk", "-s", &solver], more].concat());
            of_cases(&report, "verdict").iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for more in [&["--transcript", "talks"][..], &[]] {
            assert_eq!(verdicts(more), [format!("\"{verdict}\"")], "{interactor} and {solver}, {more:?}");
        }
    }
}
