//! Programs that behave like programs made with testlib.

use super::{accepted, fault, judged, problem, wrong};
use crate::support::Folder;

/// A checker with testlib's arguments, exit codes and output: full points for the answer of the case, half for its
/// root.
const CHECK: &str = r#"
input=$(cat "$1"); output=$(cat "$2"); answer=$(cat "$3")
if [ -z "$output" ]; then echo "wrong output format Unexpected end of file" >&2; exit 2; fi
if [ "$output" = "$answer" ]; then echo "ok one number" >&2; exit 0; fi
if [ "$output" = "$input" ]; then echo "points 0.5 only the root" >&2; exit 7; fi
if [ "$output" = half ]; then echo "partially correct (12) half of it" >&2; exit 12; fi
if [ "$output" = more ]; then echo "wrong output format Extra information in the output file" >&2; exit 4; fi
if [ "$output" = fail ]; then echo "FAIL the answer file is bad" >&2; exit 3; fi
if [ "$output" = crash ]; then kill -SEGV $$; fi
echo "wrong answer expected $answer, found $output" >&2; exit 1
"#;

fn checked() -> Folder {
    let folder = problem("checker-command = \"sh check.sh\"\nchecker-protocol = \"testlib\"");
    folder.write("check.sh", CHECK);
    folder
}

#[test]
fn a_checker_says_it_with_its_exit_code() {
    let folder = checked();
    for (solver, outcome) in [
        ("echo 25", accepted("1")),
        ("cat", accepted("0.5")),
        ("echo half", accepted("12")),
        ("echo 7", wrong("expected 25, found 7")),
        ("true", wrong("Unexpected end of file")),
        ("echo more", wrong("Extra information in the output file")),
        ("echo fail", fault("the checker failed: the answer file is bad")),
    ] {
        assert_eq!(judged(&folder, solver), outcome, "{solver}");
    }
    let (code, verdict, _, note) = judged(&folder, "echo crash");
    assert!(code == Some(3) && verdict == "judge-error" && note.contains("SIGSEGV"), "{note}");
}

#[test]
fn a_checker_may_write_its_result_as_xml() {
    let folder = problem("checker-command = \"sh check.sh -appes\"\nchecker-protocol = \"testlib\"");
    let script = r#"
[ "$5" = -appes ] || { echo "FAIL no -appes but $*" >&2; exit 3; }
if cmp -s "$2" "$3"; then echo '<?xml version="1.0" encoding="windows-1251"?><result outcome = "points" points = "2.50">ok</result>' > "$4"; exit 7; fi
echo '<?xml version="1.0" encoding="windows-1251"?><result outcome = "wrong-answer">1 &lt; 2</result>' > "$4"; exit 1
"#;
    folder.write("check.sh", script);
    assert_eq!(judged(&folder, "echo 25"), accepted("2.5"));
    assert_eq!(judged(&folder, "echo 1"), wrong("1 < 2"));
}

#[test]
fn an_interactor_writes_what_the_checker_reads() {
    let folder = problem(
        "interactor-command = \"sh interact.sh\"\nchecker-command = \"sh check.sh\"\nchecker-protocol = \"testlib\"",
    );
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", format!("{text}[problem.limits]\nchecker-wall = \"20s\"\n"));
    folder.write("check.sh", CHECK);
    // Gives the solver the input, and records its output twice.
    let interact = r#"
cat "$1"; read first || { echo "wrong answer nothing was said" >&2; exit 1; }
read second; echo "$first" > "$2"
[ "$(cat "$3")" = 25 ] || { echo "FAIL no answer file" >&2; exit 3; }
[ "$second" = "$first" ] && { echo "ok said twice" >&2; exit 0; }
echo "wrong answer first $first, then $second" >&2; exit 1
"#;
    folder.write("interact.sh", interact);
    let twice = |what: &str| format!("sh -c 'read n; echo {what}; echo {what}'");
    assert_eq!(judged(&folder, &twice("25")), accepted("1"));
    assert_eq!(judged(&folder, &twice("$n")), accepted("0.5"));
    assert_eq!(judged(&folder, &twice("8")), wrong("expected 25, found 8"));
    assert_eq!(judged(&folder, &twice("fail")), fault("the checker failed: the answer file is bad"));
    assert_eq!(judged(&folder, "sh -c 'read n; echo 1; echo 2'"), wrong("first 1, then 2"));
}

#[test]
fn an_interactor_without_its_output_has_failed() {
    let folder = problem(
        "interactor-command = \"sh interact.sh\"\nchecker-command = \"sh check.sh\"\nchecker-protocol = \"testlib\"",
    );
    folder.write("check.sh", CHECK);
    folder.write("interact.sh", "read n; rm \"$2\"; mkdir \"$2\"; echo ok >&2");
    assert_eq!(judged(&folder, "echo 25"), fault("the interactor accepted, but its output is no file"));
}
