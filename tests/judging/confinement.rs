//! The setter's programs in the sandbox: the files that they can see, the files that they leave, and the result if one
//! misbehaves.

use crate::support::Folder;
use crate::support::require::{Need, skip};
use crate::support::stage::tiers;
use std::path::Path;
use std::time::{Duration, Instant};

/// A problem `p` whose programs are shell scripts: a solver prints `7`.
fn problem(checker: &str, more: &str) -> Folder {
    let folder = Folder::new();
    folder.write("check.sh", checker);
    folder.write("data.txt", "data");
    folder.script("bot", "echo 7");
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"p\"\nchecker-command = \"sh check.sh {{input}} {{answer}}\"\n\
             generator-command = \"echo {{seed}}\"\nseeds = \"1-2\"\n{more}"
        ),
    );
    folder
}

/// Runs the solver, and returns the exit code and the verdict and the note of each case.
fn judged(folder: &Folder, tier: &str, home: &Path) -> (Option<i32>, Vec<(String, String)>) {
    let scratch = folder.path().join("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let mut command = folder.command(&["run", "-p", "p", "-s", "./bot", "--jobs", "1", "--tier", tier, "--json", "-"]);
    let output = command.env("HOME", home).env("TMPDIR", &scratch).env("SECRET", "x").output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new(), "{tier}");
    let text = |case: &serde_json::Value, key: &str| case[key].as_str().unwrap_or("").to_owned();
    let cases = report["cases"].as_array().unwrap().iter();
    (output.status.code(), cases.map(|case| (text(case, "verdict"), text(case, "note"))).collect())
}

#[test]
fn a_problem_with_answer_files_warns_in_bare() {
    let folder = problem("exit 0", "");
    folder.write("bot", "#!/bin/sh\necho YES\n");
    folder.write("data/1.in", "1\n");
    folder.write("data/1.ans", "YES\n");
    let others = "[[problem]]\nid = \"yn\"\nchecker = \"tokens\"\ninputs = [\"data/*.in\"]\nanswers = \"data/*.ans\"\n";
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", format!("{catalogue}\n{others}"));
    for tier in tiers() {
        for arguments in [
            &["run", "-p", "yn", "-s", "./bot"][..],
            &["compare", "-p", "yn", "./bot", "b=./bot"],
            &["run", "-p", "p", "-s", "./bot"],
        ] {
            let said = folder.judge(&[arguments, &["--tier", tier]].concat()).stderr;
            let is_warned = tier == "bare" && arguments.contains(&"yn");
            assert_eq!(said.matches("warning: yn: tier `bare`").count(), usize::from(is_warned), "{tier}: {said}");
            assert_eq!(said.contains("hint: --require-tier userns"), is_warned, "{tier}: {said}");
            assert_eq!(said.contains("sandbox tier bare, with "), tier == "bare", "{tier}: {said}");
        }
    }
    let doctor = folder.judge(&["doctor"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(doctor.contains("the sizes and times of files"), "{doctor}");
}

/// Prints its possible accesses, as the reason of a rejection.
const LOOKS_AROUND: &str = r#"
said=""
can() { what=$1; shift; if (eval "$*") > /dev/null 2>&1; then said="$said $what"; fi; }
can data '[ "$(cat data.txt)" = data ]'

[ "$(cat "$1" "$2" | wc -l)" = 2 ] && said="$said input+answer"
can write 'echo x > written'
can journal 'cat .judge/*'
can secret "cat $(cat secret-path)"
can variable '[ -n "$SECRET" ]'
can found '[ -e "${TMPDIR:-/nonexistent}/left" ]'
can leave 'echo x > "${TMPDIR:-/nonexistent}/left" && mkdir -m 0 "$TMPDIR/closed"'
echo "$said"
exit 1
"#;

#[test]
fn a_checker_sees_only_its_files_leaving_nothing() {
    let home = tempfile::tempdir().unwrap();
    let secret = home.path().join("secret");
    std::fs::write(&secret, "x").unwrap();
    for tier in tiers() {
        let folder = problem(LOOKS_AROUND, "");
        folder.write("secret-path", secret.display().to_string());
        let (code, cases) = judged(&folder, tier, home.path());
        let expected = ("wrong-answer".to_owned(), "data input+answer leave".to_owned());
        assert_eq!((code, cases), (Some(1), vec![expected.clone(), expected]), "{tier}");
        assert!(!folder.path().join("written").exists());
    }
}

#[test]
fn nobody_reads_the_journal_of_the_command_line() {
    for tier in tiers() {
        for (solver, journal) in [("./bot", "runs.db"), ("./look ./own", "own/runs.db"), ("./own", "own/runs.db")] {
            let checker = format!("if cat {journal} > /dev/null 2>&1; then echo seen; exit 1; fi; echo 1");
            let folder = problem(&checker, "");
            folder.script("look", "if cat \"$1/runs.db\" > /dev/null 2>&1; then exit 3; fi; echo 7");
            folder.write("own/main.sh", "if cat \"${0%/*}/runs.db\" > /dev/null 2>&1; then exit 3; fi; echo 7\n");
            // The first run makes it.
            for _ in 0..2 {
                let said = folder.judge(&["run", "-p", "p", "-s", solver, "--journal", journal, "--tier", tier]);
                assert_eq!(said.code, Some(0), "{tier} {solver}: {}{}", said.stdout, said.stderr);
            }
            assert!(folder.path().join(journal).exists());
            let look = ["exec", "--journal", journal, "--tier", tier, "--dir", ".", "--", "cat"];
            let journal = folder.path().join(journal);
            let said = folder.judge(&[&look[..], &[journal.to_str().unwrap()]].concat());
            assert!(said.code == Some(1) && said.stdout.is_empty(), "{tier} exec: {}{}", said.stdout, said.stderr);
        }
    }
}

#[test]
fn a_trusted_checker_runs_outside() {
    let home = tempfile::tempdir().unwrap();
    let secret = home.path().join("secret");
    std::fs::write(&secret, "x").unwrap();
    let folder = problem(&LOOKS_AROUND.replace("can leave", ": can leave"), "trusted = true\n");
    folder.write("secret-path", secret.display().to_string());
    let (_, cases) = judged(&folder, "auto", home.path());
    let seen = "data input+answer write journal secret variable";
    assert_eq!(cases[0], ("wrong-answer".to_owned(), seen.to_owned()));
    assert!(folder.path().join("written").exists());
}

/// In every tier, the case is a judge error with this message, in time.
fn assert_judge_error(folder: &Folder, tiers: &[&str], script: &str, said: &[&str]) {
    for tier in tiers {
        let began = Instant::now();
        let (code, cases) = judged(folder, tier, folder.path());
        let (verdict, note) = &cases[0];
        assert_eq!((code, &**verdict), (Some(3), "judge-error"), "{tier} {script}: {note}");
        assert!(said.iter().all(|part| note.contains(part)), "{tier} {script}: {note}");
        assert!(began.elapsed() < Duration::from_secs(60), "{tier} {script}");
    }
}

#[test]
fn a_misbehaving_checker_is_a_judge_error() {
    a_bad_checker_is_a_judge_error_in(&tiers()[..1]);
}

#[test]
#[ignore = "CI: every tier"]
fn a_misbehaving_checker_errs_in_every_tier() {
    a_bad_checker_is_a_judge_error_in(&tiers());
}

fn a_bad_checker_is_a_judge_error_in(tiers: &[&str]) {
    // Programs that never end have a short limit, the others one that is long enough on a busy machine.
    let limits = |script: &str| {
        let wall = if script.contains("/dev/zero >&2") || script.contains("bomb") { "1s" } else { "20s" };
        format!("[problem.limits]\nchecker-wall = \"{wall}\"\nchecker-memory = \"64 MiB\"\n")
    };
    let kattis = "checker-protocol = \"kattis\"\n";
    for (script, more, said) in [
        ("echo oh >&2; exit 9", "", &["exit status: 9", ": oh"][..]),
        ("echo oh >&2; kill -SEGV $$", "", &["signal: 11", ": oh"]),
        ("echo oh >&2; exec cat /dev/zero", "", &["`sh` printed more than 256 MiB and was ended: oh"]),
        ("cat /dev/zero >&2", "", &["`sh` ran longer than 1s and was ended"]),
        ("echo oh >&2; head -c 500M /dev/zero | tail", "", &["`sh` used more than 64 MiB of memory", ": oh"]),
        ("echo oh >&2; bomb() { bomb & bomb & wait; }; bomb 2> /dev/null", "", &["and was ended", ": oh"]),
        ("set -e; echo oh >&2; cat /dev/zero > \"$5huge\"; exit 42", kattis, &["oh"]),
        (
            "set -e; echo oh >&2; ln -s /etc/passwd \"$5score.txt\"; exit 42",
            kattis,
            &["cannot read the files", "score.txt"],
        ),
    ] {
        let folder = problem(script, &format!("{more}{}", limits(script)));
        let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
        folder.write("problems.toml", text.replace("1-2", "1"));
        assert_judge_error(&folder, tiers, script, said);
    }
}

/// A problem `p` whose interactor is a shell script: a solver prints `7`, and reads the interactor's output.
fn conversation(interactor: &str, command: &str, more: &str) -> Folder {
    let folder = problem(interactor, more);
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let checker = "checker-command = \"sh check.sh {input} {answer}\"";
    folder.write("problems.toml", text.replace(checker, command).replace("1-2", "1"));
    folder.script("bot", "echo 7; read said; [ \"$said\" = go ]");
    folder
}

/// For each protocol: the command, its keys, and the accepting result.
const INTERACTORS: [(&str, &str, &str); 3] = [
    ("interactor-command = \"sh check.sh {input} {report}\"", "", "echo 1 > \"$2\"; exit"),
    ("interactor-command = \"sh check.sh\"", "checker-protocol = \"kattis\"\n", "exit 42"),
    ("interactor-command = \"sh check.sh\"", "checker-protocol = \"testlib\"\n", "echo out > \"$2\"; exit"),
];

#[test]
#[ignore = "CI: attacks in the strongest tiers"]
fn interactors_are_confined_too() {
    let home = tempfile::tempdir().unwrap();
    let secret = home.path().join("secret");
    std::fs::write(&secret, "x").unwrap();
    let look = LOOKS_AROUND
        .lines()
        .filter(|line| line.starts_with("can") || line.starts_with("said=\"\""))
        .collect::<Vec<_>>();
    for (command, keys, accepts) in INTERACTORS {
        for (trusted, expected) in [("", "data leave"), ("trusted = true\n", "data write journal secret variable")] {
            let script = format!(
                "read answer; echo go > /dev/stdout; [ \"$answer\" = 7 ] && [ $(wc -l < \"$1\") = 1 ] || exit 9\n{}\n\
                 [ \"$said\" = ' {expected}' ] && {{ {accepts}; }}\necho \"$said\" >&2; exit 9\n",
                look.join("\n")
            );
            let script = if trusted.is_empty() { script } else { script.replace("can leave", ": can leave") };
            let folder = conversation(&script, command, &format!("{keys}{trusted}"));
            folder.write("secret-path", secret.display().to_string());
            folder.judge(&["run", "-p", "p", "-s", "true"]);
            let tiers = if trusted.is_empty() { tiers() } else { vec!["auto"] };
            for tier in tiers {
                let (code, cases) = judged(&folder, tier, home.path());
                assert_eq!((code, &*cases[0].0), (Some(0), "accepted"), "{tier} {keys}{trusted}: {}", cases[0].1);
            }
        }
    }
}

#[test]
fn a_misbehaving_interactor_is_a_judge_error() {
    a_bad_interactor_is_a_judge_error_in(&tiers()[..1]);
}

#[test]
#[ignore = "CI: every tier"]
fn a_misbehaving_interactor_errs_in_every_tier() {
    a_bad_interactor_is_a_judge_error_in(&tiers());
}

fn a_bad_interactor_is_a_judge_error_in(tiers: &[&str]) {
    let (command, ..) = INTERACTORS[0];
    let limits = "[problem.limits]\nchecker-memory = \"64 MiB\"\ninteractor-wall = \"1s\"\nwall = \"10s\"\n";
    for (script, said) in [
        ("echo oh >&2; exit 9", &["exit status: 9", ": oh"][..]),
        ("read x; echo oh >&2; kill -SEGV $$", &["signal: 11", ": oh"]),
        ("echo go; echo oh >&2; read x; sleep 600", &["still running after the solver's end", ": oh"]),
        ("echo go; echo oh >&2; exec cat /dev/zero", &["still running after the solver's end", ": oh"]),
        ("echo oh >&2; head -c 500M /dev/zero | tail", &["`sh` used more than 64 MiB of memory", ": oh"]),
        ("echo oh >&2; bomb() { bomb & bomb & wait; }; bomb 2> /dev/null", &["and was ended", ": oh"]),
        ("echo oh >&2; cat /dev/zero > $TMPDIR/huge; echo 1 > $2", &[": oh"]),
        ("echo oh >&2; rm $2; ln -s /etc/passwd $2", &["cannot read the files", "report"]),
    ] {
        let folder = conversation(script, command, limits);
        assert_judge_error(&folder, tiers, script, said);
    }
}

#[test]
fn a_program_that_draws_is_confined_too() {
    for (trusted, page) in [("", "7 data"), ("trusted = true\n", "7 data wrote variable")] {
        let keys = "view-command = \"sh {folder}/draw.sh {input} {answer} {folder}\"\nview-file = \"out/page.html\"\n";
        let folder = problem("echo 1", &format!("{keys}{trusted}"));
        folder.write(
            "draw.sh",
            "mkdir out; { cat $2 $3/data.txt; (echo x > $3/x) 2> /dev/null && echo wrote; [ -z \"$SECRET\" ] || echo variable
             } | tr '\\n' ' ' > out/page.html; [ \"$(cat $1)\" = 1 ]",
        );
        folder.write("answer", "7\n");
        let view = ["view", "-p", "p", "--seed", "1", "--output", "answer", "--html", "page.html"];
        let output = folder.command(&view).env("SECRET", "x").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let made = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        assert_eq!(made.trim().replace("datawrote", "data wrote"), page);
        // If a page is not made, the error contains the program's message.
        folder.write("draw.sh", "echo oh >&2; exit 4");
        let said = folder.judge(&view);
        assert!(
            said.code == Some(3) && said.stderr.contains("exit status: 4") && said.stderr.contains("oh"),
            "{}",
            said.stderr
        );
    }
}

#[test]
fn generators_and_validators_are_confined_too() {
    let folder = problem("echo 1", "validator-command = \"sh validate.sh {input}\"\n");
    folder.write("validate.sh", "[ \"$(cat)\" = \"$(cat \"$1\")\" ] || exit 3; echo x > \"$TMPDIR/x\" || exit 4; echo x > x 2> /dev/null && exit 5; exit 0");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("echo {seed}", "sh gen.sh {seed}"));
    folder.write("gen.sh", "echo $1; echo x > \"$TMPDIR/x\" || exit 4; echo x > x && exit 5; pwd");
    let generated = folder.judge(&["gen", "-p", "p", "--seed", "3"]);
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(generated.stdout, format!("3\n{}\n", here.display()), "{}", generated.stderr);
    let verified = folder.judge(&["verify", "-p", "p"]);
    assert!(verified.stdout.contains("validator"), "{}", verified.stdout);
    assert!(
        !verified.stdout.contains("exit status: 5") && !verified.stdout.contains("exit status: 3"),
        "{}",
        verified.stdout
    );
    assert!(!folder.path().join("x").exists());
}

/// Leaves its case in the file `case`, and prints its possible accesses outside.
const MAKES_A_FILE: &str = r#"
mkdir -p "$2"
{ cat "$1"; (echo x > "$3/x") 2> /dev/null && echo wrote; (cat "$3/.judge"/*) > /dev/null 2>&1 && echo journal
[ -z "$SECRET" ] || echo variable; } > "$2/case"
[ "$(cat "$1")" != 30 ] || exit 3
[ "$(cat "$1")" != 40 ] || echo > "$2/another"
[ "$(cat "$1")" != 50 ] || rm "$2/case"
"#;

#[test]
fn generators_that_leave_files_are_confined_too() {
    let folder = problem("echo 1", "generator-seeds = \"seeds.txt\"\n");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("seeds.txt", "10\n20\n30\n40\n50\n");
    folder.write("make.sh", MAKES_A_FILE);
    folder.write(".judge/secret", "x");
    let here = folder.path().canonicalize().unwrap();
    for (command, is_trusted) in [
        ("sh make.sh {seeds-file} {output-folder} .", false),
        ("sh {folder}/make.sh {seeds-file} in {folder}", false),
        ("sh {folder}/make.sh {seeds-file} in {folder}", true),
    ] {
        let trusted = if is_trusted { "trusted = true\n" } else { "" };
        folder.write("problems.toml", text.replace("echo {seed}", command) + trusted);
        let made = |seed: &str| {
            let output = folder.command(&["gen", "-p", "p", "--seed", seed]).env("SECRET", "x").output().unwrap();
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (output.status.code(), text(output.stdout), text(output.stderr))
        };
        let seen = if is_trusted { "20\nwrote\njournal\nvariable\n" } else { "20\n" };
        assert_eq!(made("1"), (Some(0), seen.to_owned(), String::new()), "{command}");
        assert_eq!(made("7").1.lines().next(), Some("7"), "{command}");
        for (seed, why) in [("2", "exit status: 3"), ("3", "it left 2 files for one seed"), ("4", "it left no file")] {
            let (code, _, stderr) = made(seed);
            assert!(code.is_some_and(|code| code != 0) && stderr.contains(why), "{command}: {stderr}");
        }
        assert_eq!(here.join("x").exists(), is_trusted, "{command}");
    }
}

#[test]
fn a_home_command_shows_only_named_files() {
    let folder = problem("cat secret.txt 2> /dev/null; echo none; exit 1", "");
    folder.write("secret.txt", "secret");
    for tier in tiers() {
        let home = folder.path().canonicalize().unwrap();
        let (_, cases) = judged(&folder, tier, &home);
        assert_eq!(cases[0], ("wrong-answer".to_owned(), "none".to_owned()), "{tier}");
    }
}

#[test]
fn programs_of_several_files_run_in_the_sandbox() {
    if std::process::Command::new("javac").arg("-version").output().is_err() {
        skip(Need::Java, "a checker in Java");
        return;
    }
    let folder = problem("", "");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("sh check.sh", "Check.java"));
    let source = "import java.nio.file.*;\npublic class Check {\n\
                  static class Score { String of(String text) { return text.trim(); } }\n\
                  public static void main(String[] words) throws Exception {\n\
                  System.out.println(new Score().of(Files.readString(Path.of(words[1])))); } }\n";
    folder.write("Check.java", source);
    for tier in tiers() {
        let (code, cases) = judged(&folder, tier, folder.path());
        assert_eq!((code, &*cases[0].0), (Some(0), "accepted"), "{tier}: {}", cases[0].1);
    }
}
