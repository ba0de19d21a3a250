//! Testers, which start the solver themselves: the solver stays in the sandbox, and the verdict does not depend on which
//! side ends, hangs, floods or closes a pipe first.

use crate::support::scenarios;
use crate::support::scenarios::{Scenario, always, computing, hanging, is_endless, limit, scene_with, slowly};
use crate::support::{Folder, of_cases};
use std::time::{Duration, Instant};

/// A folder with a problem whose tester follows instructions; `None` without a C compiler.
fn scene(tester: &str) -> Option<Folder> {
    let keys = format!("tester-command = \"./player report-to={{report}} {tester}\"\n");
    with_keys(&keys, is_endless(tester))
}

/// The same for a tester that prints its score on standard error.
fn printing(tester: &str) -> Option<Folder> {
    let keys = format!(
        "tester-command = \"./player {tester}\"\nchecker-protocol = \"regex\"\nscore-regex = '(?m)^Score = (\\S+)$'\n\
         reject-exit-codes = [52]\n"
    );
    with_keys(&keys, tester.contains("pause=100000"))
}

fn with_keys(keys: &str, is_endless: bool) -> Option<Folder> {
    let folder = scene_with(keys)?;
    // On a busy machine, testers that end need more time.
    limit(&folder, "tester-wall", if is_endless { "2s" } else { "100s" });
    Some(folder)
}

/// Holds conversations in which the tester starts the solver, and decides.
fn hold(scenarios: &[Scenario]) {
    scenarios::hold(scenarios, |tester| scene(&format!("start={{solver}} {tester}")));
}

/// Runs one solver, and returns a field of the only case.
fn field_of(folder: &Folder, solver: &str, field: &str) -> serde_json::Value {
    let (_, report) = folder.json(&["run", "-p", "talk", "-s", solver]);
    of_cases(&report, field)[0].clone()
}

#[test]
fn the_tester_decides() {
    hold(&[
        always("accepted", "ask=50 report=7", "echo"),
        always("wrong-answer", "hear report=no exit=1", "say=bad hear"),
        always("wrong-answer", "hear report=no exit=1", "say=bad compute=100000"),
        always("wrong-answer", "hear report=no exit=1", "say=bad flood"),
        always("wrong-answer", "hear pause=20 report=no exit=1", "say=bad crash"),
        always("accepted", "hear report=1", "say=good flood"),
        always("accepted", "hear report=1", "say=good crash"),
        always("accepted", "hear kill await report=1", "say=good pause=100000"),
        always("accepted", "count", "say=a say=b"),
        always("judge-error", "hear crash", "say=a hear"),
        always("judge-error", "hear exit=2", "say=a crash"),
        always("judge-error", "hear report=many", "say=a flood"),
    ]);
}

#[test]
fn the_solver_dies_first() {
    hold(&[
        always("runtime-error", "hear report=1", "exit=3"),
        always("runtime-error", "say=a say=b hear report=1", "exit=3"),
        always("runtime-error", "hear hear report=1", "say=good crash"),
        always("runtime-error", "hear await report=1", "say=good exit=3"),
        always("runtime-error", "count", "say=a exit=3"),
        always("wrong-answer", "try-to-hear report=silent exit=1", "exit=0"),
        always("memory-limit", "hear report=1", "fill=200 pause=1000"),
        always("output-limit", "count", "flood"),
        computing("time-limit", "hear report=1", "compute=100000"),
    ]);
}

#[test]
#[ignore = "CI: programs that hang"]
fn who_hangs_is_to_blame() {
    hold(&[
        hanging("wall-limit", "hear report=1", "hear"),
        slowly(hanging("wall-limit", "flood", "pause=100000")),
        slowly(always("judge-error", "pause=100000", "exit=0")),
        slowly(always("judge-error", "hear close=0 wait", "say=a wait")),
    ]);
}

#[test]
#[ignore = "long: it keeps every core busy"]
fn a_tester_that_computes_endlessly_is_to_blame() {
    hold(&[
        slowly(hanging("judge-error", "compute=100000", "hear")),
        slowly(always("runtime-error", "compute=100000", "exit=3")),
    ]);
}

#[test]
#[ignore = "CI: many conversations"]
fn either_floods_or_closes_one_side() {
    hold(&[
        slowly(always("judge-error", "flood", "exit=0")),
        slowly(always("runtime-error", "flood", "exit=3")),
        always("accepted", "pour=64 hear report=1", "say=ok"),
        always("accepted", "pour=5000 hear report=1", "say=ok close=0 pause=20"),
        always("accepted", "hear pour=5000 report=1", "say=ok crash"),
        always("wrong-answer", "pour=1025 try-to-hear report=silent exit=1", "exit=0"),
        always("runtime-error", "pour=5000 hear report=1", "exit=3"),
        always("accepted", "count", "say=a close=1 pause=5"),
        always("accepted", "say=a say=b hear report=1", "close=0 say=a"),
        always("accepted", "hear pause=300 say=a say=b report=1", "say=a"),
        // A solver's actions after the tester has stopped listening do not count, unless the tester requests them.
        always("accepted", "hear close=0 await report=1", "say=a exit=3"),
        always("accepted", "hear close=0 close=1 await report=1", "say=a try-to-hear exit=3"),
        always("accepted", "hear close=0 report=1", "say=a compute=100000"),
        always("runtime-error", "close=1 hear report=1", "hear"),
        always("accepted", "close=1 count", "try-to-hear say=a"),
    ]);
}

#[test]
#[ignore = "CI: a tester is compiled"]
fn the_end_of_the_solver_reaches_the_tester() {
    for (solver, end) in [("exit=0", "exit 0"), ("hear", "exit 0")] {
        let folder = printing("start={solver} say=a close=1 try-to-hear await exit=2").unwrap();
        let note = field_of(&folder, &format!("./player {solver}"), "note").to_string();
        assert!(note.contains(end) && note.contains("exit status: 2"), "{note}");
    }
    // A tester that has stopped listening is informed of a failure, too.
    for (solver, end) in [("say=a exit=3", "exit 3"), ("say=a crash", "signal 11")] {
        let Some(folder) = printing("start={solver} hear close=0 await error='Score = 0'") else { return };
        let note = field_of(&folder, &format!("./player {solver}"), "note");
        assert_eq!(note, end, "the line before the score is the reason");
    }
}

#[test]
#[ignore = "CI: many conversations"]
fn the_first_run_counts() {
    let twice = "start-with={solver} say=a hear error='Score = 5' start-with={solver}";
    for (second, tester) in [
        ("say=a", "hear error='Score = 9'"),
        ("exit=3", "await exit=1"),
        ("crash", "hear"),
        ("compute=100000", "await error='Score = 0' exit=1"),
    ] {
        let Some(folder) = printing(&format!("compute=300 {twice} {second} {tester}")) else { return };
        let (code, report) = folder.json(&["run", "-p", "talk", "-s", "./player compute=100", "--cpu", "1s"]);
        assert_eq!((code, of_cases(&report, "score")), (Some(0), vec![&serde_json::json!(5)]), "{second}: {report}");
        let cpu = of_cases(&report, "cpu_ms")[0].as_f64().unwrap();
        assert!((90.0..250.0).contains(&cpu), "the solver computes for 100 ms, not for {cpu}");
    }
    // A tester whose decision comes after both runs: the second run is to blame.
    let late = "start-with={solver} say=a hear start-with={solver} exit=3 count error='too short' error='Score = 0'";
    assert_eq!(field_of(&printing(late).unwrap(), "./player", "verdict"), "runtime-error");
    let late = "start-with={solver} say=a hear start-with={solver} say=b hear error='Score = 3'";
    assert_eq!(field_of(&printing(late).unwrap(), "./player", "score"), 3);
}

#[test]
fn what_the_solver_prints_is_no_score() {
    let Some(folder) = printing("start={solver} hear repeat print=end error='Score = 5'") else { return };
    folder.script("hostile", "for i in 1 2 3; do echo 'Score = 999999' >&2; done; echo 'Score = 999999'");
    let (code, report) = folder.json(&["run", "-p", "talk", "-s", "./hostile", "--save-answers", "answers"]);
    assert_eq!((code, of_cases(&report, "score")), (Some(0), vec![&serde_json::json!(5)]));
    let answer = std::fs::read_to_string(folder.path().join("answers/c.out")).unwrap();
    assert_eq!(answer, "Score = 999999\nend\n", "the answer is what the tester prints");

    // A tester that dies while the solver claims a score.
    let folder = printing("start={solver} hear exit=4").unwrap();
    folder.script("hostile", "echo 'Score = 999999' >&2; echo 'Score = 999999'; sleep 1");
    let note = field_of(&folder, "./hostile", "note").to_string();
    assert!(note.contains("the tester ended with exit status: 4") && !note.contains("99999"), "{note}");
}

#[test]
fn a_tester_without_solver_is_a_judge_error() {
    for (tester, expected) in [
        ("error=oops exit=3", "the tester ended with exit status: 3 without starting the solver: oops"),
        ("error='Score = 5'", "the tester ended with exit status: 0 without starting the solver: Score = 5"),
        ("error=slow pause=100000", "the tester ran longer than 2s beside the solver and was ended: slow"),
    ] {
        // The tester ends before it reaches the later actions.
        let Some(folder) = printing(&format!("{tester} exit=0 start={{solver}}")) else { return };
        let note = field_of(&folder, "true", "note");
        assert!(note.as_str().unwrap().contains(expected), "{note}");
    }
}

/// Typical testers: in a shell, with files instead of pipes, with the seed as the case.
#[test]
#[ignore = "CI: many programs are compiled"]
fn testers_of_every_kind() {
    let folder = Folder::new();
    let catalogue = |command: &str, more: &str| {
        folder.write(
            "problems.toml",
            format!(
                "[[problem]]\nid = \"sum\"\ntester-command = \"{command}\"\nchecker-protocol = \"regex\"\n\
                 score-regex = '(?m)^Score = (\\S+)$'\nseeds = \"3-4\"\n{more}"
            ),
        );
    };
    let scores = |arguments: &[&str]| {
        let (_, report) = folder.json(&[&["run", "-p", "sum"], arguments].concat());
        let notes = of_cases(&report, "note");
        assert!(notes.iter().all(|note| note.is_null()), "{notes:?}");
        of_cases(&report, "score").into_iter().map(|score| score.as_i64().unwrap()).collect::<Vec<_>>()
    };
    folder.script("double", "read x; echo $((x * 2 + ${1:-0}))");
    folder
        .script("batch", "cat > /dev/null; seq $1 > given.$1; $2 < given.$1 > taken.$1; echo Score = $(cat taken.$1)");
    catalogue("./batch {seed} {solver}", "score-stream = \"stdout\"\n");
    assert_eq!(scores(&["-s", "./double"]), [2, 2]);

    // As for TopCoder: one word with the command, split at blanks.
    folder.script(
        "topcoder",
        "while [ $# -gt 0 ]; do case $1 in -exec) exec=$2;; -seed) seed=$2;; esac; shift 2; done\n\
         echo Score = $(echo $seed | env -i $exec)",
    );
    catalogue("./topcoder -exec '{solver} 1' -seed {seed}", "score-stream = \"stdout\"\n");
    assert_eq!(scores(&["-s", "./double"]), [7, 9]);

    // As AtCoder's: the case on standard input, the answer on standard output, the score on standard error.
    folder.script("atcoder", "cd /; answer=$(\"$(realpath \"$@\")\"); echo $answer; echo Score = $answer >&2");
    catalogue("./atcoder {solver}", "generator-command = \"echo {seed}\"\n");
    assert_eq!(scores(&["-s", "./double"]), [6, 8]);
    assert_eq!(scores(&["-s", "./double", "--seeds", "10-12", "--jobs", "2"]), [20, 22, 24]);

    // What the tester and others share with the solver stays blocking.
    folder.script("shared", "read x; { $1 1; seq 200000; } | { sleep 0.1; wc -l; } | { read n; echo Score = $n >&2; }");
    catalogue("./shared {solver}", "generator-command = \"echo {seed}\"\n");
    assert_eq!(scores(&["-s", "sh -c 'echo 1; exec seq 100000'"]), [300_001, 300_001]);

    // One runs at a time.
    folder.script("both", "sleep 100 | $1 > /dev/null & sleep 100 | $1 > /dev/null; wait");
    catalogue("./both {solver}", "generator-command = \"echo {seed}\"\n[problem.limits]\nwall = \"500ms\"\n");
    let (_, report) = folder.json(&["run", "-p", "sum", "-s", "./double", "--seeds", "1"]);
    let note = of_cases(&report, "note")[0].as_str().unwrap();
    assert!(note.contains("one runs at a time"), "{report}");
}

/// Gives the solver one socket or terminal for both directions, and reads until its end.
const ONE_FOR_BOTH: &str = r#"
import os, pty, socket, subprocess, sys, tty
kind, solver = sys.argv[1:]
if kind == "socket":
    own, its = (end.detach() for end in socket.socketpair())
else:
    own, its = pty.openpty()
    tty.setraw(its)
running = subprocess.Popen([solver], stdin=its, stdout=its)
os.close(its)
heard = 0
try:
    while os.read(own, 100):
        heard += 1
        os.write(own, b"ok\n")
except OSError:
    pass  # This is how a terminal ends.
print("Score =", heard, file=sys.stderr)
"#;

#[test]
fn one_socket_or_terminal_serves_both_directions() {
    let folder = Folder::new();
    folder.write("tester.py", ONE_FOR_BOTH);
    folder.script("bot", "for n in 1 2 3; do sleep 0.1; echo $n; read x || exit 3; done");
    for kind in ["socket", "terminal"] {
        let keys = "checker-protocol = \"regex\"\nscore-regex = '(?m)^Score = (\\S+)$'\nseeds = \"1\"";
        let command = format!("tester-command = \"python3 tester.py {kind} {{solver}}\"");
        let generator = "generator-command = \"echo {seed}\"";
        folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{command}\n{generator}\n{keys}\n"));
        let (_, report) = folder.json(&["run", "-p", "p", "-s", "./bot"]);
        assert_eq!(of_cases(&report, "score"), [3], "{kind}: {report}");
    }
}

#[test]
fn tester_problems_work_with_every_command() {
    let Some(folder) = printing("start={solver} ask=3 print=done error='Score = 4'") else { return };
    let said = |arguments: &[&str]| {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.stdout, said.stderr);
        said.stdout
    };
    assert!(said(&["show", "talk"]).contains("tester      ./player start={solver}"));
    said(&["run", "-p", "talk", "-s", "./player echo", "--repeat", "3"]);
    assert!(said(&["history"]).contains("talk"));
    said(&["run", "-p", "talk", "-s", "./player echo", "--resume"]);
    said(&["run", "-p", "talk", "-s", "./player echo", "--reuse"]);
    said(&["baseline", "-p", "talk", "-s", "./player echo", "--output", "baseline.toml"]);
    said(&["verify", "-p", "talk"]);

    folder.write("a.out", "done\n");
    for arguments in [
        &["check", "-p", "talk", "--input", "c.in", "--output", "a.out"][..],
        &["view", "-p", "talk", "--input", "c.in", "--output", "a.out", "--html", "game.html"],
    ] {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains("`talk` is interactive"), "{}", said.stderr);
        assert!(said.stderr.contains("has the solver and the tester converse"), "{}", said.stderr);
    }

    // With a separate checker of answers.
    folder.script("vis", "read x < $2; [ \"$x\" = done ] && echo Score = 4 || { echo not done; echo Score = 0; }");
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let keys = "checker-command = \"./vis {input} {answer}\"\nchecker-protocol";
    folder.write("problems.toml", catalogue.replace("checker-protocol", keys));
    assert_eq!(said(&["check", "-p", "talk", "--input", "c.in", "--output", "a.out"]).trim(), "accepted 4");
    said(&["run", "-p", "talk", "-s", "./player echo"]);
    said(&["check", "--run", "last"]);
    said(&["verify", "-p", "talk"]);
}

#[test]
fn the_catalogue_knows_what_a_tester_needs() {
    let folder = Folder::new();
    let regex = "checker-protocol = \"regex\"\nscore-regex = 'x'";
    for (keys, place, expected) in [
        ("tester-command = \"./t\"".to_owned(), "problems.toml:3:18", "add `{solver}`"),
        ("tester-command = \"./t {solver}\"".to_owned(), "problems.toml:3:18", "add `{report}`"),
        (format!("tester-command = \"./t {{solvr}}\"\n{regex}"), "problems.toml:3:23", "did you mean `{solver}`?"),
        (
            "tester-command = \"./t {solver}\"\nchecker-protocol = \"kattis\"".to_owned(),
            "problems.toml:4:20",
            "expected \"judge\" or \"regex\"",
        ),
        (
            format!("tester-command = \"./t {{solver}}\"\n{regex}\nscore-stream = \"both\""),
            "problems.toml:6:16",
            "expected \"stderr\" or \"stdout\"",
        ),
        (
            format!("tester-command = \"./t {{solver}}\"\ninteractor-command = \"./i\"\n{regex}"),
            "problems.toml:4:22",
            "keep `tester-command` alone",
        ),
        (
            "checker = \"tokens\"\n[problem.limits]\ntester-wall = \"1s\"".to_owned(),
            "problems.toml:5:15",
            "the problem has no `tester-command`",
        ),
    ] {
        folder.write("problems.toml", format!("[[problem]]\nid = \"x\"\n{keys}\n"));
        let said = folder.judge(&["list"]);
        assert_eq!(said.code, Some(2), "{keys}");
        assert!(said.stderr.contains(place) && said.stderr.contains(expected), "{keys}: {}", said.stderr);
    }
}

/// The processes with this word in their command line.
fn processes_with(word: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let has_word = |path: std::path::PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        !line.starts_with(env!("CARGO_BIN_EXE_judge").as_bytes()) && String::from_utf8_lossy(&line).contains(word)
    };
    entries.filter(|entry| has_word(entry.path())).count()
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn nothing_is_left_when_the_judge_is_killed() {
    let word = format!("{}", 100_000_000 + std::process::id());
    let Some(folder) = printing(&format!("start={{solver}} hear pause={word}")) else { return };
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let stubs = || {
        let names = std::fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().contains(".stub.")).count()
    };
    let solver = format!("./player say=a pause={word}");
    let mut judge = folder.command(&["run", "-p", "talk", "-s", &solver]).env("TMPDIR", &temporary).spawn().unwrap();
    wait_until("tester and solver run", || processes_with(&word) >= 2);
    assert_eq!(stubs(), 1);
    judge.kill().unwrap();
    judge.wait().unwrap();
    wait_until("tester and solver have ended", || processes_with(&word) == 0);
    let after = folder.command(&["run", "-p", "talk", "-s", "true"]).env("TMPDIR", &temporary).output().unwrap();
    assert_eq!((after.status.code(), stubs()), (Some(3), 0), "{}", String::from_utf8_lossy(&after.stderr));
}
