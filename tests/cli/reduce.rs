//! `judge reduce`: small inputs with the same failure.

use crate::support::Folder;
use std::path::PathBuf;
use std::time::Instant;

/// A solver of columns that crashes after `abc` and a later `hgf`, with two magic pieces anywhere.
const CRASHES: &str = "exec awk 'NR > 2 { if ($1 == \"***\") magic++; if ($1 == \"abc\") first = 1
    if (first && $1 == \"hgf\") both = 1; answer = answer \"1 0\\n\" }
    END { if (both && magic > 1) { print \"error: stack \" NR > \"/dev/stderr\"; exit 3 } printf \"%d\\n%s\", NR - 2, answer }'";

/// Writes a case of columns with twice this many pieces plus two, some of them magic.
fn pieces(folder: &Folder, count: usize) -> PathBuf {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 8).unwrap());
    let piece = |number: usize| match number % 97 {
        0 => "***\n".to_owned(),
        _ => {
            [number * 7, number * 5 + number / 11, number * 3 + number / 7].map(letter).iter().collect::<String>()
                + "\n"
        }
    };
    let text: String = (0..count).map(piece).collect();
    folder.write("big.in", format!("8 15\n{}\n{text}abc\n{text}hgf\n", 2 * count + 2))
}

/// Returns the output, after checking that the command succeeds.
fn reduced(folder: &Folder, arguments: &[&str]) -> String {
    let said = folder.judge(&[&["reduce"], arguments].concat());
    assert_eq!(said.code, Some(0), "{arguments:?}: {}", said.stderr);
    said.stdout
}

#[test]
fn thousands_of_pieces_become_the_four_that_count() {
    let folder = Folder::new();
    folder.script("bot", CRASHES);
    pieces(&folder, 1500);
    let started = Instant::now();
    let small = reduced(&folder, &["-p", "columns", "-s", "./bot", "--input", "big.in"]);
    let mut lines: Vec<&str> = small.lines().skip(2).collect();
    assert_eq!(small.lines().take(2).collect::<Vec<_>>(), ["6 13", "4"]);
    assert!(lines.iter().position(|line| *line == "abc") < lines.iter().position(|line| *line == "hgf"), "{small}");
    lines.sort_unstable();
    assert_eq!(lines, ["***", "***", "abc", "hgf"], "after {:?}", started.elapsed());
    // Two jobs give the same result as one, and nothing is recorded.
    let again =
        reduced(&folder, &["-p", "columns", "-s", "./bot", "--input", "big.in", "--jobs", "1", "--output", "s.in"]);
    assert_eq!((again.as_str(), std::fs::read_to_string(folder.path().join("s.in")).unwrap()), ("", small));
    assert!(!folder.path().join(".judge").exists());
}

#[test]
fn another_failure_is_not_taken_for_it() {
    let folder = Folder::new();
    // Without any magic piece it fails for another reason, and with only one piece in a third way.
    folder.script(
        "bot",
        "exec awk 'NR > 2 && $1 == \"***\" { magic++ } END { k = NR - 2; if (k < 2) exit 4; if (!magic) exit 5
            print \"error: too many pieces \" k > \"/dev/stderr\"; exit 3 }'",
    );
    pieces(&folder, 60);
    let small = reduced(&folder, &["-p", "columns", "-s", "./bot", "--input", "big.in"]);
    assert_eq!(small.lines().nth(1), Some("2"));
    assert!(small.contains("***"), "{small}");
}

#[test]
fn a_case_with_parameters_becomes_small() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"list\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"./gen {seed} {n}\"\n\
         seeds = \"1-3\"\n[problem.generator-parameters]\nn = \"1..100\"\n",
    );
    folder.script("gen", "for i in $(seq \"$2\"); do echo \"$1 $i\"; done");
    folder.script("bot", "while read a b; do if [ \"$b\" = 13 ]; then exit 3; fi; done; echo 1");
    let small = reduced(&folder, &["-p", "list", "-s", "./bot", "--case", "seed=7,n=40"]);
    assert!(small.lines().count() == 1 && small.trim_end().ends_with(" 13"), "{small}");
    let said = folder.judge(&["reduce", "-p", "list", "-s", "./bot", "--case", "seed=7,m=40"]);
    assert!(said.code == Some(2) && said.stderr.contains("`m`"), "{}", said.stderr);
}

/// A problem of lists: a number of numbers, and the numbers. A validator checks the count.
fn lists() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"list\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"./gen {seed}\"\n\
         validator-command = \"./valid\"\nseeds = \"1-3\"\n",
    );
    folder.script(
        "valid",
        "exec awk 'NR == 1 { n = $1 } NR == 2 { if (NF != n || n < 1) exit 1 } END { if (NR != 2) exit 1 }'",
    );
    folder.script(
        "gen",
        "exec awk -v s=\"$1\" 'BEGIN { print 12; for (i = 0; i < 12; i++) printf \"%d \", (i * 37 + s * 11) % 100 }'",
    );
    folder
}

#[test]
fn a_validator_keeps_counts_right() {
    let folder = lists();
    folder.script("bot", "exec awk 'NR == 2 { for (i = 1; i <= NF; i++) if ($i > 40) exit 7; print 1 }'");
    assert_eq!(reduced(&folder, &["-s", "./bot", "--seed", "1"]), "1\n41\n");
}

#[test]
fn conditions_and_rivals_are_kept() {
    let folder = lists();
    folder.script("most", "exec awk 'NR == 2 { for (i = 1; i <= NF; i++) if ($i > m) m = $i; print m }'");
    folder.script("first", "exec awk 'NR == 2 { print $1 }'");
    let kept = reduced(&folder, &["-s", "./most", "--seed", "1", "--keep", "score>=30 && accepted==1"]);
    assert_eq!(kept, "1\n30\n");
    let lost = reduced(&folder, &["-s", "./first", "--against", "./most", "--seed", "1"]);
    assert_eq!(lost, "2\n0 1\n");
}

#[test]
fn the_last_line_plays_it_with_its_limits() {
    let folder = lists();
    folder.script("bot", "exit $CODE");
    let arguments = ["reduce", "-s", "./bot", "--seed", "1", "--output", "s.in", "--env", "CODE=7", "--cpu", "3s"];
    let said = folder.judge(&arguments);
    let play = "play it: judge run -p list -s ./bot --inputs s.in --cpu 3s --env 'CODE=7'";
    assert!(said.code == Some(0) && said.stderr.contains(play), "{}", said.stderr);
}

#[test]
fn what_cannot_be_reduced_is_one_clear_error() {
    let folder = lists();
    folder.script("most", "echo 5");
    folder.write("bad.in", "3\n1 2\n");
    folder.write("out/seed-1.out", "x\n");
    for (arguments, message) in [
        (&["-s", "./most", "--seed", "1"][..], "most does not fail on seed 1: 5 of 5 runs are accepted"),
        (&["-s", "./most", "--input", "bad.in"], "the validator of `list` refuses bad.in"),
        (&["-s", "./most", "--input", "none.in"], "none.in"),
        (&["-s", "a=answers:out", "--seed", "1"], "`a` is a folder of answers, which has none for new cases"),
        (&["-s", "./most", "--seed", "1", "--keep", "score>9"], "this does not hold on seed 1: score>9 (most 5)"),
        (&["-s", "./most", "--seed", "1", "--keep", "scores>9"], "no case has a feature `scores`"),
        (&["-s", "./most", "--seed", "1", "--against", "./most"], "this does not hold on seed 1: worse than ./most"),
    ] {
        let said = folder.judge(&[&["reduce"], arguments].concat());
        assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(message), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn a_last_line_without_an_end_can_be_the_reason() {
    let folder = lists();
    folder.script("bot", "while read a; do last=$a; done; [ -n \"$a\" ] && exit 3; echo 1");
    std::fs::write(folder.path().join("open.in"), "3\n5 6 7").unwrap();
    assert_eq!(reduced(&folder, &["-s", "./bot", "--input", "open.in"]), "1\n0");
}
