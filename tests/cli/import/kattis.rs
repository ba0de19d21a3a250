//! Packages of Kattis and ICPC.

use super::{catalogue, has, imported, names, package, run, total, verdicts};
use crate::support::Folder;
use crate::support::require::Need;

const CONFIG: &str = "name: Roots\nsource: {name: Us, url: 'http://x'}\nauthor: A\nvalidator_flags: float_tolerance 1e-6\n\
                      languages: python\nlimits: {memory: 64, time_limit: 1.5, validation_memory: 3}\n";

fn roots() -> Folder {
    package(&[
        ("problem.yaml", CONFIG),
        ("data/sample/two.in", "2\n"),
        ("data/sample/two.ans", "1.41421356\n"),
        ("data/secret/nine.in", "9\n"),
        ("data/secret/nine.ans", "3\n"),
        ("data/secret/nine.desc", "a square\n"),
        ("data/secret/nine.in.download", "9\n"),
        ("input_validators/check.py", "import sys\nsys.exit(42 if int(input()) >= 0 else 43)\n"),
        ("input_validators/check.ctd", "INT(0, 9) NEWLINE\n"),
        ("submissions/accepted/root.sh", "awk '{printf \"%.9f\\n\", sqrt($1)}'\n"),
        ("submissions/accepted/root.scala", "object Root\n"),
        ("submissions/wrong_answer/int.sh", "awk '{print int(sqrt($1))}'\n"),
        ("submissions/run_time_error/crash.sh", "exit 3\n"),
        ("submissions/brute/b.py", "print(1)\n"),
    ])
}

#[test]
fn the_default_validator_keeps_its_flags() {
    if !has("python3", Need::Python) {
        return;
    }
    let folder = roots();
    let said = imported(&folder);
    let solve = "awk '{printf \"%.9f\\n\", sqrt($1)}'";
    assert_eq!(verdicts(&folder, solve), ["nine accepted", "two accepted"]);
    assert_eq!(verdicts(&folder, "awk '{print int(sqrt($1))}'"), ["nine accepted", "two wrong-answer"]);
    for line in [
        "taken  2 cases",
        "tokens float_tolerance 1e-6",
        "left   problem.yaml: `languages`",
        "left   problem.yaml: `limits.validation_memory`",
        "left   data/secret/*.desc",
        "left   data/secret/*.download: shown to readers, no case",
        "taken  submissions with their expected verdicts",
        "left   submissions/accepted: root.scala: in no language",
        "left   submissions/brute: b.py: no verdict is expected",
        "left   input_validators/check.ctd: an input validator in the language of Checktestdata, which is not supported",
        "taken  the input validator input_validators/check.py",
        "next: judge run --problems out/problems.toml -p p -s ./solution",
        "judge verify --problems out/problems.toml",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("author"), "{said}");
    let text = catalogue(&folder);
    for line in ["cpu = \"1.5s\"", "memory = \"64MiB\"", "title = \"Roots\"", "source = \"Us\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // The journal belongs to the runs.
    assert_eq!(
        names(&folder.path().join("out")),
        [".judge", "data", "input_validator", "problems.toml", "submissions"]
    );
    let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    let text = text.replace("accepted/root.sh", "wrong_answer/int.sh");
    folder.write("out/problems.toml", text);
    assert_eq!(folder.judge(&["verify", "--problems", "out/problems.toml"]).code, Some(1));
}

#[test]
fn import_overwrites_nothing_and_cleans_up() {
    let folder = roots();
    let before = names(folder.path());
    let cases: [(&str, &str, &str); 6] = [
        ("problem.yaml", "limits: [1\n", "problem.yaml"),
        ("problem.yaml", "limits: {memory: lots}\n", "bad value of `limits.memory`"),
        ("problem.yaml", "problem_format_version: 2023-07\ntype: submit-answer\n", "`type: submit-answer`"),
        ("problem.yaml", "validation: custom\n", "the problem has no output validator"),
        ("problem.yaml", "validator_flags: float_tolerence 1\n", "out/problems.toml"),
        ("data/secret/ten.in", "10\n", "the case has no answer file"),
    ];
    for (name, text, message) in cases {
        let old = std::fs::read(folder.path().join("pack").join(name)).ok();
        let path = folder.write(&format!("pack/{name}"), text);
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        assert_eq!(said.code, Some(2), "{text}: {}", said.stderr);
        assert!(said.stderr.contains(message), "{message}: {}", said.stderr);
        assert_eq!(names(folder.path()), before, "{text}");
        match old {
            Some(old) => std::fs::write(&path, old).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
    }
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("pack/data/secret/x.ans")).unwrap();
    folder.write("pack/data/secret/x.in", "1\n");
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert!(said.code == Some(2) && said.stderr.contains("a link to"), "{}", said.stderr);
    std::fs::remove_file(folder.path().join("pack/data/secret/x.ans")).unwrap();
    folder.write("pack/data/secret/x.ans", "1\n");
    imported(&folder);
    let text = catalogue(&folder);
    let again = folder.judge(&["import", "pack", "--to", "out"]);
    assert!(again.code == Some(2) && again.stderr.contains("nothing is overwritten"), "{}", again.stderr);
    assert_eq!(catalogue(&folder), text);
    let nothing = folder.judge(&["import", "out", "--to", "other"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("problem.yaml"), "{}", nothing.stderr);
}

#[test]
fn a_dangling_link_does_not_stop_the_import() {
    let folder = echoes("name: Echo\n", &[("submissions/accepted/a.sh", "cat\n")]);
    let link = |name: &str| std::os::unix::fs::symlink("/gone/file", folder.path().join("pack").join(name)).unwrap();
    ["statement.pdf", "data/secret/notes.txt", "submissions/accepted/b.sh"].into_iter().for_each(link);
    let said = imported(&folder);
    for name in ["statement.pdf", "data/secret/notes.txt", "submissions/accepted/b.sh"] {
        assert!(said.contains(&format!("left   {name}: a link to /gone/file, which is not there")), "{said}");
    }
    assert_eq!(verdicts(&folder, "cat"), ["1 accepted"]);
    folder.write("pack/data/secret/2.in", "2\n");
    link("data/secret/2.ans");
    let refused = folder.judge(&["import", "pack", "--to", "other"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    assert!(refused.stderr.contains("data/secret/2.ans: a link to /gone/file"), "{}", refused.stderr);
}

#[test]
fn the_current_folder_may_be_the_target_if_it_is_empty() {
    let folder = echoes("name: Echo\n", &[("submissions/accepted/a.sh", "cat\n")]);
    std::fs::create_dir(folder.path().join("here")).unwrap();
    let import = |to: &str| {
        let mut command = folder.command(&["import", "../pack", "--to", to, "--no-verify"]);
        command.current_dir(folder.path().join("here")).output().unwrap()
    };
    let said = import(".");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert_eq!(names(&folder.path().join("here")), ["data", "problems.toml", "submissions"]);
    assert_eq!(import("./").status.code(), Some(2));
}

/// Echoes. Its submissions are in the folders that are named.
fn echoes(config: &str, more: &[(&str, &str)]) -> Folder {
    let files = [("problem.yaml", config), ("data/secret/1.in", "1\n"), ("data/secret/1.ans", "1\n")];
    package(&[&files, more].concat())
}

#[test]
fn a_package_is_named_where_the_path_is_not() {
    let folder = echoes("name: Echo\n", &[]);
    let mut import = folder.command(&["import", ".", "--to", "../out", "--no-verify"]);
    assert!(import.current_dir(folder.path().join("pack")).output().unwrap().status.success());
    assert!(catalogue(&folder).contains("# Imported from the Kattis package pack.\n"), "{}", catalogue(&folder));
}

#[test]
fn every_submission_folder_has_its_verdicts() {
    let folder = echoes(
        "name: Echo\nlimits: {validation_output: 1}\n",
        &[
            ("submissions/accepted/a.sh", "cat\n"),
            ("submissions/slow_accepted/b.sh", "cat\n"),
            ("submissions/rejected/c.sh", "echo 2\n"),
            ("submissions/brute_force/d.sh", "exit 1\n"),
            ("submissions/time_limit_exceeded/e.sh", "yes\n"),
            ("submissions/mixed/f.sh", "cat\n"),
        ],
    );
    let said = imported(&folder);
    assert!(said.contains("left   submissions/mixed: f.sh: no verdict is expected"), "{said}");
    assert!(said.contains("left   submissions/time_limit_exceeded/e.sh: weaker than the format requires"), "{said}");
    assert_eq!(said.matches("left   submissions").count(), 2, "{said}");
    let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    let text = catalogue(&folder).replace("rejected/c.sh", "accepted/a.sh");
    folder.write("out/problems.toml", text);
    assert_eq!(folder.judge(&["verify", "--problems", "out/problems.toml"]).code, Some(1));
}

#[test]
#[ignore = "CI: many programs are compiled"]
fn legacy_submissions_may_fail_in_other_ways_too() {
    let late = "read -r n; [ $n = 1 ] && while :; do :; done; echo 7\n";
    let crashing = "read -r n; [ $n = 1 ] && exit 3; echo 7\n";
    let files = [
        ("data/secret/2.in", "2\n"),
        ("data/secret/2.ans", "2\n"),
        ("submissions/accepted/a.sh", "cat\n"),
        ("submissions/time_limit_exceeded/b.sh", late),
        ("submissions/run_time_error/c.sh", crashing),
    ];
    for (config, code) in [("name: Echo\n", 0), ("name: Echo\nproblem_format_version: 2025-09\n", 1)] {
        let folder = echoes(&format!("{config}limits: {{time_limit: 1}}\n"), &files);
        let said = imported(&folder);
        assert_eq!(said.matches("weaker than the format requires").count(), 2 * usize::from(code == 0), "{said}");
        let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
        assert_eq!(verified.code, Some(code), "{}{}", verified.stdout, verified.stderr);
    }
}

#[test]
fn an_unknown_version_of_the_format_is_named() {
    for (version, is_known) in [("legacy", true), ("2025-09", true), ("2099-01", false)] {
        let folder = echoes(&format!("name: Echo\nproblem_format_version: {version}\n"), &[]);
        let said = imported(&folder);
        assert_eq!(
            said.contains(&format!("`problem_format_version: {version}` is not known here")),
            !is_known,
            "{said}"
        );
    }
}

#[test]
fn constants_are_put_where_they_stand() {
    let config = "problem_format_version: 2025-09\nname: Echo\nconstants: {most: 5, of: {value: 42, tex: $42$}}\n";
    let check = "import sys\nassert sys.argv[4:] == ['{{most}}'], sys.argv\n\
                 sys.exit({{of}} if sys.stdin.read().strip() in map(str, range({{most}} + 1)) else 43)\n";
    let input = "import sys\nsys.exit({{of.value}} if sys.argv[1:] == ['{{most}}'] and '{{other}}' != '5' else 43)\n";
    let folder = echoes(
        config,
        &[
            ("output_validator/check.py", check),
            ("input_validators/check.py", input),
            ("data/test_group.yaml", "output_validator_args: ['{{most}}']\ninput_validator_args: [{{most}}]\n"),
            ("submissions/accepted/a.sh", "echo {{most}}\n"),
            ("submissions/wrong_answer/b.sh", "echo $(({{most}} + 1))\n"),
        ],
    );
    let said = imported(&folder);
    assert!(!said.contains("constants"), "{said}");
    let text = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert_eq!(text("submissions/accepted/a.sh"), "echo 5\n");
    let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    folder.write("out/submissions/accepted/a.sh", "echo 6\n");
    assert_eq!(folder.judge(&["verify", "--problems", "out/problems.toml"]).code, Some(1));
}

#[test]
fn flags_of_one_case_change_no_verdict() {
    let config = "problem_format_version: 2023-07\nname: Echo\n";
    let own = ("data/secret/1.yaml", "output_validator_args: case_sensitive\n");
    let second = [("data/secret/2.in", "2\n"), ("data/secret/2.ans", "2\n")];
    let said = echoes(config, &[&second[..], &[own]].concat()).judge(&["import", "pack", "--to", "out"]);
    let message = "1.yaml: validator flags for a single case: `case_sensitive`, where others have none: this";
    assert!(said.code == Some(2) && said.stderr.contains(message), "{}", said.stderr);
    let also = ("data/secret/2.yaml", "output_validator_args: case_sensitive\n");
    let same = echoes(config, &[&second[..], &[own, also]].concat());
    imported(&same);
    assert!(catalogue(&same).contains("checker-arguments = \"case_sensitive\""), "{}", catalogue(&same));
    let group = [("data/secret/g/2.in", "2\n"), ("data/secret/g/2.ans", "2\n")];
    let flags = ("data/secret/g/test_group.yaml", "output_validator_args: case_sensitive\n");
    let said = echoes(config, &[&group[..], &[flags]].concat()).judge(&["import", "pack", "--to", "out"]);
    let message = "secret/g: validator flags for a group: `case_sensitive`, where others have none: this";
    assert!(said.code == Some(2) && said.stderr.contains(message), "{}", said.stderr);
    let folder = echoes(
        config,
        &[
            ("data/test_group.yaml", "output_validator_args: case_sensitive\n"),
            ("data/secret/1.yaml", "output_validator_args: [case_sensitive]\nhint: one\n"),
            ("submissions/accepted/a.sh", "cat\n"),
        ],
    );
    let said = imported(&folder);
    let line = "left   data/secret/1.yaml: `hint`: settings of a single case are not used";
    assert!(said.contains(line), "{line}: {said}");
    assert_eq!(catalogue(&folder).matches("[[problem.expect]]").count(), 1, "{said}");
}

#[test]
fn flags_of_a_folder_hold_for_those_below() {
    let settings = "output_validator_args: case_sensitive\ninput_validator_args: [--most, 5]\n";
    let files = [
        ("problem.yaml", "problem_format_version: 2025-09\nname: A\n"),
        ("input_validators/v.py", "import sys\nsys.exit(42)\n"),
        ("data/secret/g/test_group.yaml", settings),
        ("data/secret/g/x/1.in", "a\n"),
        ("data/secret/g/x/1.ans", "a\n"),
    ];
    let folder = package(&files);
    imported(&folder);
    let text = catalogue(&folder);
    assert!(text.contains("checker-arguments = \"case_sensitive\"") && text.contains("v.py --most 5"), "{text}");
}

#[test]
fn flags_reach_the_validator_unchanged() {
    if !has("python3", Need::Python) {
        return;
    }
    let new = "problem_format_version: 2023-07\nname: Echo\n";
    for (config, flags, expected) in [
        (
            "name: Echo\nvalidation: custom\nvalidator_flags: --x={a} \"b\" $c *\n",
            "{}\n",
            r#"['--x={a}', '"b"', '$c', '*']"#,
        ),
        (new, "output_validator_args: [a b, '', $c]\n", "['a b', '', '$c']"),
    ] {
        let validator = format!("import sys\nsys.exit(42 if sys.argv[4:] == {expected} else 43)\n");
        let more = [("data/secret/test_group.yaml", flags), ("output_validator/v.py", &*validator)];
        let folder = echoes(config, &more);
        imported(&folder);
        assert_eq!(verdicts(&folder, "cat"), ["1 accepted"], "{}", catalogue(&folder));
    }
}

#[test]
fn submissions_are_compiled_with_the_files_in_include() {
    let folder = echoes(
        "problem_format_version: 2023-07\nname: Echo\n",
        &[
            // In no language that has files: as it is.
            ("submissions/accepted/a.awk.sh", "cat\n"),
            ("submissions/accepted/a.py", "import included, below.more\nprint(included.line(below.more.ONE))\n"),
            ("submissions/accepted/folder/folder.py", "import included\nprint(included.line(1))\n"),
            // The included one counts.
            ("submissions/accepted/folder/included.py", "raise SystemExit(1)\n"),
            (
                "submissions/accepted/a.c",
                "const char *line(void);\n#include \"puts.h\"\nint answer(void) { return say(line()); }\n",
            ),
            ("submissions/wrong_answer/a.c", "#include \"puts.h\"\nint answer(void) { return say(\"none\"); }\n"),
            ("include/python3/included.py", "def line(times):\n    return input() * times\n"),
            ("include/python3/below/more.py", "ONE = 1\n"),
            ("include/c/main.c", MAIN),
            ("include/c/puts.h", "#include <stdio.h>\nstatic int say(const char *text) { return puts(text) < 0; }\n"),
            ("include/haskell/Unused.hs", "module Unused where\n"),
        ],
    );
    let said = imported(&folder);
    assert!(said.contains("left   include: its files are in the folders of submissions"), "{said}");
    let exists = |path: &str| folder.path().join("out/submissions").join(path).exists();
    assert!(exists("accepted/a.py/a.py") && exists("accepted/a.py/below/more.py") && !exists("accepted/a.py/main.c"));
    assert!(exists("accepted/a.awk.sh") && exists("wrong_answer/a.c/main.c") && !exists("accepted/a.c/included.py"));
    let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    folder.write("out/submissions/accepted/a.c/main.c", "int main(void) { return 0; }\n");
    let verified = folder.judge(&["verify", "--problems", "out/problems.toml"]);
    assert_eq!(verified.code, Some(1), "{}{}", verified.stdout, verified.stderr);
}

/// Reads a line, and then calls the submission.
const MAIN: &str = "#include <stdio.h>\nint answer(void);\nstatic char text[99];\n\
    const char *line(void) { return scanf(\"%98[^\\n]\", text) == 1 ? text : \"\"; }\nint main(void) { return answer(); }\n";

#[test]
fn submissions_yaml_says_what_is_expected() {
    let rules = "accepted: {permitted: [AC, WA], authors: us}\nmixed/*: {permitted: [AC, TLE], required: [TLE]}\n\
                 '*/{b,c}.sh': {required: [WA], language: bash}\nwrong_answer/d.sh: {permitted: [AC, WA, RTE], score: [0, 40]}\n\
                 rejected/e.sh: {required: [WA], secret: {permitted: [AC]}}\n";
    let config = "problem_format_version: 2023-07\ntype: scoring\nname: Echo\n";
    let files = [
        ("submissions/submissions.yaml", rules),
        ("submissions/accepted/a.sh", "cat\n"),
        ("submissions/accepted/b.sh", "echo 2\n"),
        ("submissions/mixed/f.sh", "sleep 60\n"),
        ("submissions/wrong_answer/d.sh", "echo 2\n"),
        ("submissions/rejected/e.sh", "echo 2\n"),
        ("submissions/strange/g.sh", "cat\n"),
    ];
    let folder = echoes(config, &files);
    let said = imported(&folder);
    for line in [
        "left   submissions/submissions.yaml: */{b,c}.sh: `language` is not used",
        "left   submissions/submissions.yaml: rejected/e.sh: `secret` is not used",
        "left   submissions/rejected/e.sh: weaker than submissions.yaml requires: at least one case has RTE, TLE, WA,",
        "left   submissions/strange: g.sh: no verdict is expected",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(said.matches("left   submissions").count(), 4, "{said}");
    let text = catalogue(&folder);
    for lines in [
        "accepted/a.sh\"\nverdict = [\"accepted\", \"wrong-answer\"]",
        "accepted/b.sh\"\nverdict = \"wrong-answer\"",
        "mixed/f.sh\"\nverdict = [\"time-limit\", \"wall-limit\", \"output-limit\"]",
        "wrong_answer/d.sh\"\nverdict = \"wrong-answer\"\nmin-score = 0\nmax-score = 40",
    ] {
        assert!(text.contains(lines), "{lines}: {text}");
    }
    for (rules, message) in [
        (
            "accepted: {permitted: [OK]}\n",
            "submissions.yaml:1: `permitted` has `OK`: expected a list of AC, WA, RTE, TLE",
        ),
        ("accepted/*: {permitted: [WA]}\n", "nothing that accepted/a.sh may have is permitted and required"),
        ("accepted/*:\n  score: [3, 1]\n", "submissions.yaml:2: `score: 3 1`"),
        (
            &*format!("'{}': {{permitted: [AC]}}\n", "{a,b}".repeat(30)),
            "submissions.yaml:1: a path with too many alternatives in braces: expected at most 1000, and 4096 bytes",
        ),
    ] {
        let files = [("submissions/submissions.yaml", rules), ("submissions/accepted/a.sh", "cat\n")];
        let said = echoes(config, &files).judge(&["import", "pack", "--to", "out"]);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{message}: {}", said.stderr);
    }
}

/// Two subtasks with points. Their cases have the same names.
fn subtasks(settings: &str, root: &str, first: &str, second: &str) -> Folder {
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2023-07-draft\ntype: scoring\nname: {sv: S, en: Squares}\n"),
        ("data/sample/1.in", "1\n"),
        ("data/sample/1.ans", "1\n"),
        ("data/secret/a/1.in", "2\n"),
        ("data/secret/a/1.ans", "4\n"),
        ("data/secret/a/2.in", "3\n"),
        ("data/secret/a/2.ans", "9\n"),
        ("data/secret/b/1.in", "30\n"),
        ("data/secret/b/1.ans", "900\n"),
        ("data/secret/b/2.in", "40\n"),
        ("data/secret/b/2.ans", "1600\n"),
    ]);
    for (place, text) in [("", root), ("/secret/a", first), ("/secret/b", second)] {
        folder.write(&format!("pack/data{place}/{settings}"), text);
    }
    folder
}

/// Solves one-digit numbers, and 30.
const PARTLY: &str = "awk '{print ($1 < 31) ? $1 * $1 : 0}'";

#[test]
fn folders_and_files_of_like_names_stay_apart() {
    let folder = package(&[("problem.yaml", "name: S\n")]);
    for name in ["a/b-1", "a-b/1", "c/1"] {
        folder.write(&format!("pack/data/secret/{name}.in"), "1\n");
        folder.write(&format!("pack/data/secret/{name}.ans"), "1\n");
    }
    imported(&folder);
    let names = ["secret-a-b-1", "secret-a-b-1-2", "secret-c-1"];
    assert_eq!(verdicts(&folder, "cat"), names.map(|name| format!("{name} accepted")));
}

#[test]
fn subtasks_of_testdata_yaml_have_their_points() {
    let each = "accept_score: 25\ngrader_flags: min\n";
    let lenient = "accept_score: 20\ngrader_flags: sum accept_if_any_accepted\n";
    let folder = subtasks("testdata.yaml", "grader_flags: ignore_sample\n", each, each);
    imported(&folder);
    let names = ["sample-1", "secret-a-1", "secret-a-2", "secret-b-1", "secret-b-2"];
    assert_eq!(verdicts(&folder, "awk '{print $1 * $1}'"), names.map(|name| format!("{name} accepted")));
    assert_eq!(total(&folder, "awk '{print $1 * $1}'"), "50");
    assert_eq!(total(&folder, PARTLY), "25");
    let folder = subtasks("testdata.yaml", "grader_flags: ignore_sample\n", each, lenient);
    imported(&folder);
    assert_eq!(total(&folder, PARTLY), "45");
    assert_eq!(total(&folder, "awk '{print $1 * $1}'"), "65");
    let folder = subtasks("testdata.yaml", "grading: custom\n", each, "accept_score: 25\n");
    let said = imported(&folder);
    assert!(said.contains("graders are not run; the points of the cases are added"), "{said}");
    assert!(!said.contains("rejects all"), "{said}");
    assert_eq!(total(&folder, PARTLY), "50");
}

#[test]
fn groups_of_test_group_yaml_have_their_points() {
    let folder = subtasks(
        "test_group.yaml",
        "",
        "max_score: 30\nscore_aggregation: pass-fail\n",
        "max_score: 70\nscore_aggregation: sum\nrequire_pass: [a, sample, secret/a]\n",
    );
    let said = imported(&folder);
    assert!(!said.contains("require_pass"), "{said}");
    assert!(catalogue(&folder).contains("depends-on = [\"secret/a\", \"sample\"]"), "{}", catalogue(&folder));
    assert_eq!(total(&folder, PARTLY), "65");
    assert_eq!(total(&folder, "awk '{print $1 * $1}'"), "100");
    assert_eq!(total(&folder, "awk '{print ($1 != 3) ? $1 * $1 : 0}'"), "0");
}

#[test]
fn a_folder_requires_for_all_groups_below_it() {
    let second = "max_score: 70\nrequire_pass: a\n";
    for (secret, first, most) in [
        ("require_pass: sample\n", "max_score: 30\n", "100"),
        ("max_score: 70\n", "max_score: 0\nrequire_pass: sample\n", "70"),
    ] {
        let folder = subtasks("test_group.yaml", "max_score: 9\n", first, second);
        folder.write("pack/data/secret/test_group.yaml", secret);
        let said = imported(&folder);
        assert!(said.contains("left   data: `max_score`: only sample, secret and the groups"), "{said}");
        assert!(!said.contains("require_pass"), "{said}");
        assert_eq!(total(&folder, "awk '{print $1 * $1}'"), most, "{secret}");
        assert_eq!(total(&folder, "awk '{print ($1 != 1) ? $1 * $1 : 0}'"), "0", "{secret}");
    }
}

#[test]
fn a_group_that_is_all_or_nothing_keeps_its_points_beside_scores() {
    if !has("python3", Need::Python) {
        return;
    }
    let validator = "import sys\nif sys.stdin.read() != open(sys.argv[2]).read(): sys.exit(43)\n\
                     if open(sys.argv[1]).read() == '3\\n': open(sys.argv[3] + 'score.txt', 'w').write('70')\nsys.exit(42)\n";
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2025-09\nname: A\ntype: scoring\n"),
        ("output_validator/v.py", validator),
        ("data/secret/test_group.yaml", "max_score: unbounded\n"),
        ("data/secret/a/test_group.yaml", "max_score: 30\n"),
        ("data/secret/a/1.in", "1\n"),
        ("data/secret/a/1.ans", "1\n"),
        ("data/secret/a/2.in", "2\n"),
        ("data/secret/a/2.ans", "2\n"),
        ("data/secret/b/test_group.yaml", "max_score: unbounded\nscore_aggregation: sum\n"),
        ("data/secret/b/3.in", "3\n"),
        ("data/secret/b/3.ans", "3\n"),
    ]);
    imported(&folder);
    assert_eq!(total(&folder, "cat"), "100");
    assert_eq!(total(&folder, "sed s/2/0/"), "70");
}

#[test]
fn a_name_of_score_txt_costs_no_points() {
    if !has("python3", Need::Python) {
        return;
    }
    let accepting = "import sys\nsys.exit(42)\n";
    let naming = "import sys # score.txt\nsys.exit(42)\n";
    let new = "problem_format_version: 2025-09\nname: A\ntype: scoring\n";
    let scoring = |custom: &str| format!("name: A\ntype: scoring\nvalidation: custom{custom}\n");
    let read_me = ("output_validator/README.md", "It writes no score.txt.\n");
    let most = ("data/secret/test_group.yaml", "max_score: 40\n");
    let each = ("data/secret/testdata.yaml", "accept_score: 40\n");
    for (config, more) in [
        (scoring(""), [each, ("output_validators/v.py", naming), ("data/secret/1.md", "")]),
        (new.to_owned(), [most, ("output_validator/v.py", accepting), read_me]),
    ] {
        let folder = echoes(&config, &more);
        imported(&folder);
        assert_eq!(total(&folder, "cat"), "40", "{config}");
    }
    for (config, settings) in [(scoring(" score"), each), (new.to_owned(), most)] {
        let folder = echoes(&config, &[settings, ("output_validator/v.py", naming)]);
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        let message = "data/secret: a validator that writes score.txt, and `";
        assert!(said.code == Some(2) && said.stderr.contains(message), "{config}: {}", said.stderr);
        assert!(said.stderr.contains("_score: 40` for cases without it"), "{config}: {}", said.stderr);
    }
}

#[test]
fn folders_below_a_group_belong_to_it() {
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2025-09\nname: A\ntype: scoring\n"),
        ("data/secret/a/test_group.yaml", "max_score: 30\n"),
        ("data/secret/a/x/1.in", "1\n"),
        ("data/secret/a/x/1.ans", "1\n"),
        ("data/secret/a/y/1.in", "2\n"),
        ("data/secret/a/y/1.ans", "2\n"),
        ("data/secret/b/test_group.yaml", "max_score: 70\nscore_aggregation: sum\nrequire_pass: a\n"),
        ("data/secret/b/3.in", "3\n"),
        ("data/secret/b/3.ans", "3\n"),
    ]);
    imported(&folder);
    assert_eq!(total(&folder, "cat"), "100");
    assert_eq!(total(&folder, "sed s/3/0/"), "30");
    assert_eq!(total(&folder, "sed s/2/0/"), "0");
}

#[test]
fn folders_without_settings_share_the_points_of_secret() {
    let config = "problem_format_version: 2025-09\nname: A\ntype: scoring\n";
    let more = ["big/2", "big/3", "huge/4"].map(|name| {
        let number = format!("{}\n", &name[name.len() - 1..]);
        [(format!("data/secret/{name}.in"), number.clone()), (format!("data/secret/{name}.ans"), number)]
    });
    let more: Vec<_> = more.iter().flatten().map(|(name, text)| (&**name, &**text)).collect();
    let folder = echoes(config, &more);
    let said = imported(&folder);
    assert!(!said.contains("over its groups"), "{said}");
    assert_eq!(total(&folder, "cat"), "100");
    assert_eq!(total(&folder, "sed s/4/0/"), "75");
}

#[test]
fn unread_settings_are_named_without_points_too() {
    let config = "problem_format_version: 2025-09\nname: Echo\n";
    let settings = "args: []\nstatic_validation_score: pass-fail\n";
    let files = [("data/secret/test_group.yaml", settings), ("static_validator/v.py", "")];
    let said = imported(&echoes(config, &files));
    for line in [
        "left   data/secret: `static_validation_score`: sources are not validated",
        "left   static_validator: sources are not validated",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn a_case_with_arguments_or_files_is_refused() {
    let config = "problem_format_version: 2025-09\nname: Echo\n";
    for (file, text, message) in [
        ("1.yaml", "args: [5]\n", "1.yaml: arguments of solvers (`args`): this is not supported"),
        ("test_group.yaml", "args: x\n", "test_group.yaml: arguments of solvers"),
        ("1.args", "5\n", "1.args: arguments of solvers"),
        ("1.files/words.txt", "a\n", "1.files: files beside the input of a case: this is not supported"),
    ] {
        let said = echoes(config, &[(&*format!("data/secret/{file}"), text)]).judge(&["import", "pack", "--to", "out"]);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{message}: {}", said.stderr);
    }
}

#[test]
fn a_limit_that_is_none_is_named_with_its_line() {
    for (config, message) in [
        (
            "limits: {memory: 1e30}\n",
            "problem.yaml:1: bad limit `limits.memory`: 1e30: expected a number above 0, at most",
        ),
        ("limits:\n  time_limit: 1e-12\n", "problem.yaml:2: bad limit `limits.time_limit`: 1e-12: expected a number"),
    ] {
        let said = echoes(config, &[]).judge(&["import", "pack", "--to", "out"]);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{message}: {}", said.stderr);
    }
}

#[test]
fn unsupported_group_settings_are_named() {
    let inner = "accept_score: 25\nrange: 0 25\ngrader_flags: min strange\ncolour: red\n";
    let folder = subtasks("testdata.yaml", "on_reject: continue\nrange: 0 50\n", inner, "accept_score: 25\n");
    let said = imported(&folder);
    for line in [
        "left   data/secret/a: `range`: scores are not held to it",
        "left   data/secret/a: `colour`: it is not done",
        "left   data/secret/a: `grader_flags: strange`",
        "left   data/secret: without `accept_if_any_accepted` one rejected group rejects all",
        "left   data/secret: `range`",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(catalogue(&folder).contains("aggregate = \"min\""), "{}", catalogue(&folder));
    let folder = subtasks("test_group.yaml", "", "max_score: 30\nstatic_validation: {}\n", "require_pass: none\n");
    let said = imported(&folder);
    for line in ["`static_validation`: sources", "`require_pass: none` names no group"] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

/// Accepts an even number, and gives half of the points for a number above 10.
const EVEN: &str = "import sys\nfrom common import read\nnumber = read(sys.stdin)\n\
    open(sys.argv[3] + 'score_multiplier.txt', 'w').write('0.5' if number > 10 else '1')\n\
    open(sys.argv[3] + 'judgemessage.txt', 'w').write(' '.join(['odd'] + sys.argv[4:]))\n\
    sys.exit(42 if number % 2 == 0 else 43)\n";

#[test]
fn a_python_package_validator_gives_partial_points() {
    if !has("python3", Need::Python) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2023-07\ntype: [scoring]\nname: Even\n"),
        ("output_validator/main.py", EVEN),
        ("output_validator/common.py", "def read(stream):\n    return int(stream.read())\n"),
        ("data/test_group.yaml", "output_validator_args: [strict, 1]\n"),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", ""),
        ("data/secret/2.in", "2\n"),
        ("data/secret/2.ans", ""),
    ]);
    imported(&folder);
    assert_eq!(total(&folder, "echo 4"), "100");
    assert_eq!(total(&folder, "echo 14"), "50");
    let report = run(&folder, "echo 3");
    assert_eq!(report["cases"][0]["note"], "odd strict 1");
}

/// The solver guesses the number of the case. The flag `passes` makes this the first of two passes.
const GUESS: &str = "import sys\nsecret = open(sys.argv[1]).read().strip()\nfor line in sys.stdin:\n\
    \x20   if line.strip() == secret:\n        sys.exit(42)\n    print('higher', flush=True)\nsys.exit(43)\n";

#[test]
fn interactive_problems_converse() {
    if !has("python3", Need::Python) {
        return;
    }
    for config in ["validation: custom interactive\n", "problem_format_version: 2023-07\ntype: interactive\n"] {
        let folder = package(&[
            ("problem.yaml", config),
            ("output_validators/guess.py", GUESS),
            ("data/sample/1.interaction", ">1\n"),
            ("data/secret/4.in", "4\n"),
            ("data/secret/4.ans", ""),
        ]);
        let said = imported(&folder);
        assert!(said.contains("left   data/sample/*.interaction"), "{said}");
        let climbing = "sh -c 'n=1; echo $n; while read -r word; do n=$((n + 1)); echo $n; done'";
        assert_eq!(verdicts(&folder, climbing), ["4 accepted"], "{config}");
        assert_eq!(verdicts(&folder, "echo 3"), ["4 wrong-answer"], "{config}");
    }
}

/// Accepts the number in the answer file in both passes: the second pass gets the output of the first.
const TWICE: &str = "import os, sys\nsaid = sys.stdin.read()\nif said != open(sys.argv[2]).read():\n    sys.exit(43)\n\
    if not os.path.exists(sys.argv[3] + 'seen'):\n    open(sys.argv[3] + 'seen', 'w')\n\
    \x20   open(sys.argv[3] + 'nextpass.in', 'w').write('again\\n')\nsys.exit(42)\n";

#[test]
fn a_problem_of_several_passes_has_them() {
    if !has("python3", Need::Python) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "problem_format_version: 2023-07\ntype: multi-pass\nlimits: {validation_passes: 3}\n"),
        ("output_validator/twice.py", TWICE),
        ("data/secret/1.in", "once\n"),
        ("data/secret/1.ans", "x\n"),
    ]);
    imported(&folder);
    assert!(catalogue(&folder).contains("validation-passes = 3"));
    assert_eq!(verdicts(&folder, "echo x"), ["1 accepted"]);
    assert_eq!(verdicts(&folder, "sh -c 'read -r line; [ $line = once ] && echo x'"), ["1 runtime-error"]);
}

/// Accepts the number of the answer file.
const SAME: &str = "#include \"same.h\"\nint main(int, char **argv) { return same(argv[2]) ? 42 : 43; }\n";
const SAME_HEADER: &str = "#include <cstdio>\ninline bool same(const char *file) {\n\
    int found = 0, expected = 1;\n    fscanf(fopen(file, \"r\"), \"%d\", &expected);\n    scanf(\"%d\", &found);\n    return found == expected;\n}\n";

#[test]
fn a_validator_that_problem_yaml_does_not_ask_for_is_named() {
    let said = imported(&echoes("name: Echo\n", &[("output_validators/v.py", "import sys\nsys.exit(43)\n")]));
    assert!(said.contains("left   output_validators: not used, as problem.yaml has no `validation: custom`"), "{said}");
}

#[test]
fn a_folder_of_headers_is_no_second_validator() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "validation: custom\n"),
        ("output_validators/same.cc", &SAME.replace("same.h", "lib/inner/same.h")),
        ("output_validators/lib/inner/same.h", SAME_HEADER),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", "7\n"),
    ]);
    imported(&folder);
    assert_eq!(verdicts(&folder, "echo 7"), ["1 accepted"]);
    assert_eq!(verdicts(&folder, "echo 8"), ["1 wrong-answer"]);
}

#[test]
fn a_cplusplus_validator_compiles_or_says_why() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let folder = package(&[
        ("problem.yaml", "validation: custom\nlimits: {validation_time: 7, validation_memory: 300}\n"),
        ("output_validators/same/same.cc", SAME),
        ("output_validators/same/same.h", SAME_HEADER),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", "7\n"),
    ]);
    imported(&folder);
    let limits = catalogue(&folder);
    assert!(limits.contains("checker-wall = \"7s\"\nchecker-memory = \"300MiB\""), "{limits}");
    assert_eq!(verdicts(&folder, "echo 7"), ["1 accepted"]);
    assert_eq!(verdicts(&folder, "echo 8"), ["1 wrong-answer"]);
    let before = names(folder.path());
    folder.write("pack/output_validators/same/same.h", "no header");
    let said = folder.judge(&["import", "pack", "--to", "other/deep"]);
    assert!(said.code == Some(2) && said.stderr.contains("does not compile"), "{}", said.stderr);
    assert_eq!(names(folder.path()), before);
}
