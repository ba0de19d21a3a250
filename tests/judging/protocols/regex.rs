//! Any program as a checker.

use super::{accepted, fault, judged, problem, wrong};

/// As AtCoder's visualizers do it.
const VIS: &str = r#"
output=$(cat "$2")
case "$output" in
    *x*) echo "Illegal output: $output" >&2; echo "Score = 0";;
    crash) exit 101;;
    *) echo "wrote vis.html"; echo "Score = $output"; echo "Score of a second run = 3" >&2;;
esac
"#;

fn vis(lines: &str) -> crate::support::Folder {
    let command = "checker-command = \"sh vis.sh {input} {answer}\"\nchecker-protocol = \"regex\"\n";
    let folder = problem(&format!("{command}{lines}"));
    folder.write("vis.sh", VIS);
    folder
}

#[test]
fn the_score_is_found_by_regex() {
    let folder = vis("score-regex = '(?m)^Score = (\\S+)$'");
    assert_eq!(judged(&folder, "echo 12345678901234567890"), accepted("12345678901234567890"));
    assert_eq!(judged(&folder, "echo 0.5"), accepted("0.5"));
    assert_eq!(judged(&folder, "echo x1"), wrong("Illegal output: x1"));
    let crashed = "the checker ended with exit status: 101 (0 gives a score; `reject-exit-codes` and `reject-regex` say what rejects)";
    assert_eq!(judged(&folder, "echo crash"), fault(crashed));
    folder.write("vis.sh", "echo nothing to see\n");
    let unscored = "the checker accepted the answer, but what `score-regex` finds is not a score: nothing in what it printed: nothing to see (`reject-regex` says what rejects)";
    assert_eq!(judged(&folder, "echo 1"), fault(unscored));
    folder.write("vis.sh", "echo '[WA] too far' >&2\n");
    assert_eq!(judged(&folder, "echo 1"), wrong("too far"));
    folder.write("vis.sh", "echo '[WA]' >&2; echo Score = 5 >&2\n");
    assert_eq!(judged(&folder, "echo 1"), wrong("[WA]"));
}

#[test]
fn a_solvers_own_standard_error_gives_no_score() {
    let folder = vis("score-regex = '(?m)^Score = (\\S+)$'");
    assert_eq!(judged(&folder, "sh -c 'echo Score = 999 >&2; echo 7'"), accepted("7"));
}

#[test]
fn which_stream_and_which_match_is_chosen() {
    let pattern = "score-regex = 'Score.* = (\\d+)'\n";
    assert_eq!(judged(&vis(pattern), "echo 7"), accepted("7"));
    assert_eq!(judged(&vis(&format!("{pattern}score-stream = \"stderr\"")), "echo 7"), accepted("3"));
    assert_eq!(judged(&vis(&format!("{pattern}score-match = \"last\"")), "echo 7"), accepted("3"));
    assert_eq!(
        judged(&vis(&format!("{pattern}score-match = \"last\"\nscore-stream = \"stdout\"")), "echo 7"),
        accepted("7")
    );
}

#[test]
fn lines_and_exit_codes_reject() {
    let pattern = "score-regex = 'Score = (\\d+)'\n";
    let folder = vis(&format!("{pattern}reject-regex = 'wrote (.*)'"));
    assert_eq!(judged(&folder, "echo 7"), wrong("vis.html"));
    let script = "echo \"the answer is too long\"; exit 1\n";
    let folder = vis(pattern);
    folder.write("vis.sh", script);
    let note = "the checker ended with exit status: 1 (0 gives a score; `reject-exit-codes` and `reject-regex` say what rejects)";
    assert_eq!(judged(&folder, "echo 7"), fault(note));
    let folder = vis(&format!("{pattern}reject-exit-codes = [1, 101]"));
    folder.write("vis.sh", script);
    assert_eq!(judged(&folder, "echo 7"), wrong("the answer is too long"));
    let said = vis(&format!("{pattern}reject-exit-codes = [0]")).judge(&["list"]);
    assert!(said.code == Some(2) && said.stderr.contains("reject-exit-codes"), "{}", said.stderr);
}
