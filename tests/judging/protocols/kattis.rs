//! Programs that behave as output validators of Kattis packages.

use super::{accepted, fault, judged, problem, wrong};

/// Checks that the output is the square in the answer file. Its flags give a score and a multiplier.
const VALIDATE: &str = r#"
import os, sys
feedback = sys.argv[3]
assert feedback.endswith("/") and os.path.isdir(feedback) and not os.listdir(feedback)
said, answer = sys.stdin.read().split(), open(sys.argv[2]).read().split()
assert open(sys.argv[1]).read() == "5\n"
if said == ["crash"]:
    raise SystemExit(7)
if said != answer:
    open(feedback + "judgemessage.txt", "w").write(f"expected {answer},\n found {said}\n")
    sys.exit(43)
for name, value in zip(sys.argv[4::2], sys.argv[5::2]):
    open(feedback + name + ".txt", "w").write(value)
sys.exit(42)
"#;

fn validated(lines: &str) -> crate::support::Folder {
    let folder = problem(&format!("checker-command = \"python3 validate.py\"\nchecker-protocol = \"kattis\"\n{lines}"));
    folder.write("validate.py", VALIDATE);
    folder
}

#[test]
fn validators_decide_by_exit_code_and_files() {
    for (lines, score) in [
        ("", "1"),
        ("checker-arguments = \"score 12.50\"", "12.5"),
        ("checker-arguments = [\"score_multiplier\", \"0.25\"]", "0.25"),
    ] {
        assert_eq!(judged(&validated(lines), "echo 25"), accepted(score), "{lines}");
    }
    assert_eq!(judged(&validated(""), "echo 7"), wrong("expected ['25'],; found ['7']"));
    let unscored = fault(
        "the checker accepted the answer, but score.txt is not a score: expected a number such as 12, -0.25 or 1e-3, found `x`",
    );
    assert_eq!(judged(&validated("checker-arguments = \"score x\""), "echo 25"), unscored);
    let crashed = fault("the checker ended with exit status: 7 (42 accepts, 43 rejects)");
    assert_eq!(judged(&validated(""), "echo crash"), crashed);
}

#[test]
fn the_same_program_converses_with_the_solver() {
    let folder = problem("interactor-command = \"python3 interact.py\"\nchecker-protocol = \"kattis\"");
    let interact = r#"
import sys
print(open(sys.argv[1]).read().strip(), flush=True)
said, answer = input(), open(sys.argv[2]).read().strip()
name, code = ("score.txt", 42) if said == answer else ("teammessage.txt", 43)
open(sys.argv[3] + name, "w").write("3.5" if code == 42 else "not " + said)
sys.exit(code)
"#;
    folder.write("interact.py", interact);
    assert_eq!(judged(&folder, "sh -c 'read n; echo $((n * n))'"), accepted("3.5"));
    assert_eq!(judged(&folder, "sh -c 'read n; echo $n'"), wrong("not 5"));
}

/// Sends a number through two runs of the solver. It must come back doubled and then halved.
const PASSES: &str = r#"
import os, sys
feedback, said = sys.argv[3], sys.stdin.read().strip()
state = feedback + "state"
turn = int(open(state).read()) if os.path.exists(state) else 0
assert not os.path.exists(feedback + "nextpass.in")
# Each pass has its own input.
assert open(sys.argv[1]).read() == ["5\n", "back 10\n"][turn % 2]
open(state, "w").write(str(turn + 1))
expected = ["10", "5"][turn % 2]
if said != expected:
    open(feedback + "judgemessage.txt", "w").write(f"pass {turn + 1}: expected {expected}, found {said}")
    sys.exit(43)
if turn == 0 or "endless" in sys.argv:
    open(feedback + "nextpass.in", "w").write("back 10\n" if turn % 2 == 0 else "5\n")
sys.exit(42)
"#;

#[test]
fn multipass_solvers_run_on_the_validators_output() {
    let lines = "checker-command = \"python3 validate.py\"\nchecker-protocol = \"kattis\"\nvalidation-passes = 3";
    let folder = problem(lines);
    folder.write("validate.py", PASSES);
    let solver = "sh -c 'read a b; if [ \"$a\" = back ]; then echo $((b / 2)); else echo $((a * 2)); fi'";
    assert_eq!(judged(&folder, solver), accepted("1"));
    assert_eq!(judged(&folder, "echo 10"), wrong("pass 2: expected 5, found 10"));
    assert_eq!(judged(&folder, "echo 9"), wrong("pass 1: expected 10, found 9"));
    folder.judge(&["run", "-p", "p", "-s", solver]);
    let said = folder.judge(&["check", "--run", "last"]);
    assert!(said.stdout.contains("0 differ") && said.stdout.contains("of several passes"), "{}", said.stdout);
    let fails = "sh -c 'read a b; [ \"$a\" = back ] && exit 3; echo $((a * 2))'";
    assert_eq!(judged(&folder, fails).1, "runtime-error");
    let endless = problem(&format!("{lines}\nchecker-arguments = \"endless\""));
    endless.write("validate.py", PASSES);
    let note = "the checker asks for another run of the solver after 3: `validation-passes` is 3";
    assert_eq!(judged(&endless, solver), fault(note));
    // The answer file contains 25, which no pass should print.
    let (_, verified) = folder.json(&["verify", "-p", "p"]);
    let checks = verified["problems"][0]["checks"].as_array().unwrap();
    let files = checks.iter().find(|check| check["check"] == "answer files").unwrap();
    assert_eq!(files["result"], "ok", "{verified}");
    folder.write("my.out", "10\n");
    let said = folder.judge(&["check", "-p", "p", "--input", "data/1.in", "--output", "my.out"]);
    assert!(said.code == Some(2) && said.stderr.contains("nextpass.in"), "{}", said.stderr);
}

/// Adds the numbers of two passes, in files that stay between them.
const SUM: &str = r#"
import os, sys
feedback, said = sys.argv[3], sys.stdin.read().strip()
score = feedback + "score.txt"
before = int(open(score).read()) if os.path.exists(score) else 0
open(feedback + "judgemessage.txt", "a").write(said + "\n")
if said == "9":
    sys.exit(43)
open(score, "w").write(str(before + int(said)))
if before == 0:
    open(feedback + "nextpass.in", "w").write("back 10\n")
sys.exit(42)
"#;

#[test]
fn score_and_message_stay_from_pass_to_pass() {
    for trusted in ["", "trusted = true\n"] {
        let folder = problem(&format!(
            "{trusted}checker-command = \"python3 validate.py\"\nchecker-protocol = \"kattis\"\nvalidation-passes = 2"
        ));
        folder.write("validate.py", SUM);
        assert_eq!(
            judged(&folder, "sh -c 'read a b; if [ \"$a\" = back ]; then echo $b; else echo $a; fi'"),
            accepted("15")
        );
        assert_eq!(judged(&folder, "sh -c 'read a b; [ \"$a\" = back ] && echo 9 || echo 1'"), wrong("1; 9"));
    }
}

#[test]
fn every_pass_has_the_whole_cpu_time() {
    let lines = "checker-command = \"python3 validate.py\"\nchecker-protocol = \"kattis\"\nvalidation-passes = 2";
    let folder = problem(&format!(
        "{lines}\n[problem.limits]\ncpu = \"400ms\"\nwall = \"20s\"\n[[problem.case]]\nfile = \"data/1.in\"\nname = \"x\"\n"
    ));
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let (head, cases) = text.split_once("inputs =").unwrap();
    let head = head.replace("validation-passes = 2", "validation-passes = 2\nanswers = \"data/*.ans\"");
    assert!(cases.contains("answers"));
    folder.write("problems.toml", head);
    folder.write("validate.py", PASSES);
    let burn = "import sys, time\nwords = input().split()\nend = time.process_time() + 0.25\nwhile time.process_time() < end: pass\n";
    folder.write("bot.py", format!("{burn}print(int(words[1]) // 2 if words[0] == 'back' else int(words[0]) * 2)\n"));
    let (code, report) = folder.json(&["run", "-p", "p", "-s", "python3 bot.py"]);
    assert_eq!(code, Some(0), "{report}");
    let cpu = report["cases"][0]["cpu_ms"].as_f64().unwrap();
    assert!((250.0..400.0).contains(&cpu), "the time of the longest pass: {cpu}");
}
