//! The setter's programs: how their commands are parsed, their limits, and the blame when they crash.

use crate::support::{Folder, of_cases};

/// A folder with a problem `p` of one case, whose checker is this shell script.
fn problem(checker: &str, more: &str) -> Folder {
    let folder = Folder::new();
    folder.write("check.sh", checker);
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"p\"\nchecker-command = \"sh check.sh {{input}} {{answer}}\"\n\
             generator-command = \"echo {{seed}}\"\nseeds = \"1\"\n{more}"
        ),
    );
    folder
}

/// Runs a solver that prints `7`, and returns the exit code, the verdict and the note.
fn judged(folder: &Folder) -> (Option<i32>, String, String) {
    let bot = folder.script("bot", "echo 7").display().to_string();
    let (code, report) = folder.json(&["run", "-p", "p", "-s", &bot]);
    let of_case = |key: &str| report["cases"][0][key].as_str().unwrap_or("").to_owned();
    (code, of_case("verdict"), of_case("note"))
}

#[test]
fn a_crashing_checker_is_a_visible_judge_error() {
    let traceback = "Traceback (most recent call last):\n  File \"check.py\", line 1, in <module>\nKeyError: 3";
    for (script, note) in [
        (
            "exit 1".to_owned(),
            "the checker ended with exit code 1 (rejected), but its standard output does not say why".to_owned(),
        ),
        (
            "echo oh >&2; exit 1".to_owned(),
            "the checker ended with exit code 1 (rejected), but its standard output does not say why: oh".to_owned(),
        ),
        (
            format!("echo too long; echo '{traceback}' >&2; exit 1"),
            format!("the checker crashed (exit status: 1): {traceback}"),
        ),
        (
            "echo 12,5".to_owned(),
            "the checker accepted the answer, but the first word it printed is not a score: expected a number such as \
             12, -0.25 or 1e-3, found `12,5`"
                .to_owned(),
        ),
        (
            "echo 1e999999999".to_owned(),
            "the checker accepted the answer, but the first word it printed is not a score: the exponent of a score \
             lies between -10000 and 10000, found `999999999`"
                .to_owned(),
        ),
        ("exit 9".to_owned(), "the checker ended with exit status: 9 (0 accepts, 1 rejects)".to_owned()),
    ] {
        let said = judged(&problem(&script, ""));
        assert_eq!(said, (Some(3), "judge-error".to_owned(), note), "{script}");
    }
    let rejected = judged(&problem("echo too long; echo Traceback >&2; exit 1", ""));
    assert_eq!(rejected, (Some(1), "wrong-answer".to_owned(), "too long".to_owned()));
}

#[test]
fn a_program_that_is_not_executable_gets_a_remedy() {
    for keys in [
        "checker-command = \"./run {answer}\"",
        "checker-command = \"./run {answer}\"\ntrusted = true",
        "tester-command = \"./run {solver} {report}\"",
        "interactor-command = \"./run {report}\"",
    ] {
        let folder = Folder::new();
        folder.write("run", "#!/bin/sh\n");
        folder.write("1.in", "");
        folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{keys}\ninputs = [\"*.in\"]\n"));
        let (code, verdict, note) = judged(&folder);
        assert_eq!((code, &*verdict), (Some(3), "judge-error"), "{keys}: {note}");
        assert!(note.ends_with("it is not executable; run chmod +x on it"), "{keys}: {note}");
    }
}

#[test]
fn a_hanging_checker_is_a_judge_error() {
    let hangs = problem("echo looking >&2; sleep 60", "[problem.limits]\nchecker-wall = \"300ms\"\n");
    let note = "`sh` ran longer than 300ms and was ended: looking".to_owned();
    assert_eq!(judged(&hangs), (Some(3), "judge-error".to_owned(), note));
    let (code, verdict, note) = judged(&problem("echo oh >&2; exec head -c 600000000 /dev/zero", ""));
    let is_ended = note == "`sh` printed more than 256 MiB and was ended: oh";
    assert!(code == Some(3) && verdict == "judge-error" && is_ended, "{verdict}: {note}");
}

#[test]
fn a_large_input_is_whole_or_an_error() {
    let (large, too_large) = (70 << 20, (256 << 20) + 1);
    for trusted in ["", "trusted = true\n"] {
        let folder = Folder::new();
        folder.script("bot", "wc -c");
        folder.write(
            "problems.toml",
            format!(
                "[[problem]]\nid = \"p\"\nchecker-command = \"cat {{answer}}\"\nseeds = \"{large},{too_large}\"\n\
                 generator-command = \"head -c {{seed}} /dev/zero\"\n{trusted}"
            ),
        );
        let (_, report) = folder.json(&["run", "-p", "p", "-s", "./bot", "--jobs", "1"]);
        assert_eq!(of_cases(&report, "score")[0], large, "{report}");
        let note = of_cases(&report, "note")[1].to_string();
        assert!(note.contains("printed more than 256 MiB"), "{note}");
    }
}

#[test]
fn files_without_an_end_are_refused() {
    let tokens = "checker = \"tokens\"\ninputs = [\"1.in\"]\nanswers = \"*.ans\"\n";
    let command = tokens.replace("checker = \"tokens\"", "checker-command = \"cat {answer} {expected}\"");
    let elsewhere = command.replace("*.ans", "/proc/self/*status");
    let seeds = "checker-command = \"cat {answer}\"\nseeds = \"0\"\ngenerator-seeds = \"pipe\"\n\
                 generator-command = \"cp {seeds-file} {output-folder}/1.in\"\n";
    let case = |file: &str| format!("checker-command = \"cat {{answer}}\"\n[[problem.case]]\nfile = \"{file}\"\n");
    for (lines, words) in [
        (case("pipe"), "it is a pipe or a device"),
        (case("/dev/zero"), "it is a pipe or a device"),
        (case("/proc/self/status"), "it is a file of the kernel"),
        (tokens.to_owned(), "it is a pipe or a device"),
        (command.clone(), "it is a pipe or a device"),
        (elsewhere.replace("1.in", "status.in"), "it is a file of the kernel"),
        (seeds.to_owned(), "it is a pipe or a device"),
    ] {
        let folder = Folder::new();
        for name in ["1.in", "status.in"] {
            folder.write(name, "1\n");
        }
        for name in ["pipe", "1.ans"] {
            let made = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status();
            assert!(made.unwrap().success());
        }
        folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{lines}"));
        for arguments in [&["run", "-p", "p", "-s", "a=cat", "--json", "-"][..], &["verify", "--json", "-"]] {
            let said = folder.judge(arguments);
            let text = said.stdout + &said.stderr;
            assert!(said.code != Some(0) && text.contains(words), "{lines}{arguments:?}: {text}");
        }
        if lines == tokens {
            let said = folder.judge(&["check", "--input", "1.in", "--output", "1.in", "--answer", "pipe"]);
            assert!(said.code == Some(2) && said.stderr.contains(words), "{}", said.stderr);
        }
    }
}

#[test]
fn a_raising_python_checker_is_a_judge_error() {
    let folder = problem("", "");
    folder.write("check.py", "raise KeyError(3)\n");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("sh check.sh", "python3 check.py"));
    let (code, verdict, note) = judged(&folder);
    assert!(code == Some(3) && verdict == "judge-error" && note.contains("KeyError: 3"), "{verdict}: {note}");
    let check = folder.judge(&["check", "-p", "p", "--seed", "1", "--output", "problems.toml"]);
    assert!(check.code == Some(2) && check.stderr.matches("KeyError: 3").count() == 1, "{}", check.stderr);
}

/// Returns the error for a problem with these lines, in which `#` is replaced by a generator.
fn refusal(lines: &str, generator: &str) -> String {
    let folder = Folder::new();
    let text = format!("[[problem]]\nid = \"p\"\n{lines}\nseeds = \"1\"\n").replace('#', generator);
    folder.write("problems.toml", text);
    let listed = folder.judge(&["list"]);
    assert_eq!(listed.code, Some(2), "{lines}");
    listed.stderr
}

/// Commands, and for each error: its place, the marked text, and its message.
const MISPLACED: [(&str, &str, &str, &str); 13] = [
    (
        "checker-command = \"c {answer}\"\ngenerator-command = \"./gen {sed}\"",
        "4:28",
        "^^^^^ did you mean `{seed}`?",
        "unknown placeholder `{sed}` in `generator-command`",
    ),
    (
        "checker-command = \"c {answer}\"\ngenerator-command = \"./gen\"",
        "4:21",
        "^^^^^^^ add `{seed}`",
        "the generator has no `{seed}`",
    ),
    (
        "checker-command = \"c {answer}\"\ngenerator-command = \"./gen {n} {seed}\"",
        "4:28",
        "^^^ expected `{seed}`",
        "unknown placeholder `{n}`",
    ),
    ("checker-command = \"./check\"\n#", "3:19", "^^^^^^^^^ add `{answer}`", "the checker has no `{answer}`"),
    ("checker-command = \"./check {input}\"\n#", "3:19", "add `{answer}`", "the checker has no `{answer}`"),
    (
        "checker-command = \"./check {inptu} {answer}\"\n#",
        "3:28",
        "^^^^^^^ did you mean `{input}`?",
        "unknown placeholder `{inptu}`",
    ),
    (
        "checker-command = \"awk '{anwser}' {answer}\"\n#",
        "3:25",
        "did you mean `{answer}`?",
        "unknown placeholder `{anwser}`",
    ),
    (
        "checker-command = 'c {answer} {seed}'\n#",
        "3:31",
        "expected `{input}` or `{answer}`",
        "unknown placeholder `{seed}`",
    ),
    ("checker-command = \"\"\n#", "3:19", "expected a command line: a program", "bad value of `checker-command`"),
    ("checker-command = \"c 'x {answer}\"\n#", "3:19", "whose quotes match", "bad value of `checker-command`"),
    (
        "checker-command = \"c {answer}\"\nvalidator-command = \"\"\n#",
        "4:21",
        "expected a command line",
        "bad value of `validator-command`",
    ),
    ("interactor-command = \"./i {input}\"\n#", "3:22", "add `{report}`", "the interactor has no `{report}`"),
    ("interactor-command = \"./i {reprot}\"\n#", "3:27", "did you mean `{report}`?", "unknown placeholder `{reprot}`"),
];

#[test]
fn a_table_in_place_of_a_list_is_one_error() {
    let folder = Folder::new();
    for (text, message) in [
        ("[problem]\nid = \"p\"\n", "expected tables, each written [[problem]]"),
        ("problem = []\n", "the catalogue has no `problem`"),
        ("# nothing\n", "the catalogue has no `problem`"),
    ] {
        folder.write("problems.toml", text);
        let said = folder.judge(&["list"]).stderr;
        assert!(said.contains(message) && said.matches("error:").count() == 1, "{text}: {said}");
    }
}

#[test]
fn a_pattern_of_the_catalogue_without_files_is_named_with_its_key() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\ninputs = [\"no/*.in\"]\n",
    );
    let said = folder.judge(&["run", "-s", "cat"]);
    let hint = "hint: change `inputs` of the problem";
    assert!(said.stderr.starts_with("error: problems.toml:4: no file matches"), "{}", said.stderr);
    assert!(said.code == Some(2) && said.stderr.contains(hint) && !said.stderr.contains("--inputs"), "{}", said.stderr);
}

#[test]
fn missing_placeholders_are_refused_with_their_place() {
    let generator = "generator-command = \"echo {seed}\"";
    for (lines, place, carets, message) in MISPLACED {
        let said = refusal(lines, generator);
        for part in [&format!("problems.toml:{place}\n"), carets, message] {
            assert!(said.contains(part), "{lines} lacks {part}: {said}");
        }
        assert_eq!(said.matches("error:").count(), 1, "{said}");
    }
    let folder = Folder::new();
    let awk = "checker-command = \"awk '{print}' {answer}\"\ngenerator-command = \"sh -c 'echo ${HOME}' {seed}\"";
    folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{awk}\nseeds = \"1\"\n"));
    assert_eq!(folder.judge(&["list"]).code, Some(0), "other programs have braces, too");
}

#[test]
fn the_limits_of_the_setters_programs_are_keys() {
    let hungry = judged(&problem("head -c 200M /dev/zero | tail", "[problem.limits]\nchecker-memory = \"50 MiB\"\n"));
    assert!(
        hungry.0 == Some(3) && hungry.2.starts_with("`sh` used more than 50 MiB of memory and was ended"),
        "{hungry:?}"
    );

    let slow = judged(&problem("sleep 30", "[problem.limits]\nchecker-wall = \"200ms\"\n"));
    assert_eq!(slow, (Some(3), "judge-error".to_owned(), "`sh` ran longer than 200ms and was ended".to_owned()));

    let folder = problem("", "[problem.limits]\ngenerator-wall = \"200ms\"\n");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("echo {seed}", "sleep 30{seed}"));
    let generated = folder.judge(&["gen", "-p", "p", "--seed", "1"]);
    assert!(generated.code == Some(2) && generated.stderr.contains("longer than 200ms"), "{}", generated.stderr);

    for (limits, place) in [
        ("interactor-wall = \"1s\"\n", "problems.toml:6:19"),
        ("generator-wall = \"1s\"\n", "problems.toml:6:18"),
        ("checker-wall = \"1s\"\n", "problems.toml:6:16"),
        ("checker-memory = \"1 GiB\"\n", "problems.toml:6:18"),
        ("generator-memory = \"1 GiB\"\n", "problems.toml:6:20"),
        ("compile-cpu = \"fast\"\n", "problems.toml:6:15"),
    ] {
        let folder = Folder::new();
        let head = "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n[problem.limits]\n";
        folder.write("problems.toml", format!("{head}{limits}"));
        let said = folder.judge(&["list"]);
        assert!(said.code == Some(2) && said.stderr.contains(place), "{limits}: {}", said.stderr);
    }
}

#[test]
fn the_limits_of_compilers_are_keys() {
    let folder = Folder::new();
    let head = "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n[problem.limits]\n";
    folder.write("problems.toml", format!("{head}compile-cpu = \"20ms\"\n"));
    folder.write("bot.cpp", "#include <iostream>\n#include <regex>\nint main() { std::regex r(\"a\"); }\n");
    let run = folder.judge(&["run", "-p", "p", "-s", "bot.cpp", "--json", "-"]);
    assert!(
        run.stdout.contains("compile-error") && run.stdout.contains("more than 20ms of CPU time"),
        "{}",
        run.stdout
    );
}

#[test]
fn negative_scores_count_or_are_judge_errors() {
    let note = "the score -5 is worse than the score of a failed case (0): set `failure` in [problem.scoring] below every score";
    for rule in ["sum", "mean"] {
        let scoring = format!("[problem.scoring]\nrule = \"{rule}\"\n");
        let said = judged(&problem("echo -5", &scoring));
        assert_eq!(said, (Some(3), "judge-error".to_owned(), note.to_owned()), "{rule}");

        let folder = problem("echo -5", &format!("{scoring}failure = -100\n"));
        let bot = folder.script("bot", "echo 7").display().to_string();
        let (code, report) = folder.json(&["run", "-p", "p", "-s", &bot]);
        let total = &report["solvers"][0][if rule == "sum" { "total" } else { "mean" }];
        assert_eq!((code, total.as_f64()), (Some(0), Some(-5.0)), "{rule}: {report}");
        let lower = judged(&problem("echo -101", &format!("{scoring}failure = -100\n")));
        assert!(lower.0 == Some(3) && lower.2.contains("of a failed case (-100)"), "{}", lower.2);
    }
    for scoring in ["rule = \"relative\"", "rule = \"rank\"", "rule = \"exact\"", "direction = \"min\""] {
        let said = judged(&problem("echo -5", &format!("[problem.scoring]\n{scoring}\n")));
        assert_eq!((said.0, &*said.1), (Some(0), "accepted"), "{scoring}");
    }
    let folder = problem("echo -5", "");
    folder.write("answer", "7\n");
    let checked = folder.judge(&["check", "--seed", "1", "--output", "answer"]);
    assert!(checked.code == Some(2) && checked.stderr.contains(note), "{}", checked.stderr);
}

const ECHO: &str = "generator-command = \"echo {seed}\"\nchecker-command = \"sh check.sh {input} {answer}\"\n";

/// A folder with the problem `p`, whose answers are their own scores.
fn scored(more: &str) -> Folder {
    let folder = Folder::new();
    folder.write("check.sh", "cat \"$2\"\n");
    folder.script("bot", "read -r n; echo $((n * 10))");
    folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\nsolver = \"./bot\"\n{ECHO}{more}"));
    folder
}

#[test]
fn seeds_that_only_groups_name_are_cases() {
    let groups =
        "[[problem.group]]\nname = \"small\"\nseeds = \"1-2\"\n[[problem.group]]\nname = \"large\"\nseeds = \"7-8\"\n";
    let names = |folder: &Folder| {
        let (_, report) = folder.json(&["run", "-p", "p"]);
        of_cases(&report, "case").iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").replace('"', "")
    };
    assert_eq!(names(&scored(groups)), "seed-1 seed-2 seed-7 seed-8");
    let case = "[[problem.case]]\nseed = 7\nname = \"seven\"\n";
    assert_eq!(names(&scored(&format!("{case}{groups}"))), "seven seed-1 seed-2 seed-8");
    assert_eq!(names(&scored(&format!("seeds = \"1,7\"\n{groups}"))), "seed-1 seed-7", "the problem names its seeds");
}

#[test]
fn misplaced_thresholds_are_told_their_place() {
    let folder = scored("seeds = \"1\"\n[problem.scoring]\nrule = \"sum\"\nthresholds = [3, 2]\n");
    let said = folder.judge(&["show", "p"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("`thresholds` does not belong in [problem.scoring]"), "{}", said.stderr);
    assert!(said.stderr.contains("[[problem.case]]"), "{}", said.stderr);
}

#[test]
fn thresholds_and_targets_are_shown() {
    let case = "[[problem.case]]\nseed = 4\nthresholds = [50, 30]\nthreshold-points = [100, 8]\n";
    let folder = scored(&format!("[problem.scoring]\nrule = \"thresholds\"\n{case}"));
    let shown = folder.judge(&["show", "p"]).stdout;
    assert!(shown.contains("thresholds  seed-4: 100 from 50, 8 from 30"), "{shown}");
    let said = folder.judge(&["run", "-p", "p"]).stdout;
    assert!(said.contains(" 8 of 100 "), "{said}");
    let (_, report) = folder.json(&["run", "-p", "p", "--sort", "lost"]);
    assert_eq!((&report["cases"][0]["points"], &report["cases"][0]["lost"]), (&8.into(), &92.into()));
    let folder = scored("[problem.scoring]\nrule = \"relative\"\n[[problem.case]]\nseed = 4\nbest = 77\n");
    let shown = folder.judge(&["show", "p"]).stdout;
    assert!(shown.contains("targets     seed-4 77"), "{shown}");
}

#[test]
fn a_useless_minimum_score_is_warned_of() {
    let expect = "[[problem.expect]]\nsolver = \"./bot\"\nmin-score = 1\n";
    let verified = |problem: &str| scored(&format!("{problem}{expect}")).judge(&["verify", "-p", "p"]).stdout;
    let warning = "under `relative`, its own scores are the best of 2 cases: give them a `best`";
    let said = verified("seeds = \"1-2\"\n[problem.scoring]\nrule = \"relative\"\n");
    // The table may break the line.
    assert!(said.split_whitespace().collect::<Vec<_>>().join(" ").contains(warning), "{said}");
    let said = verified("seeds = \"1-2\"\n");
    assert!(!said.contains("says little"), "{said}");
}

#[test]
fn a_source_checker_is_identified_by_its_files_and_settings() {
    let folder = problem("", "");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let text = text.replace("sh check.sh", "check/");
    let language = |run: &str| {
        let table = format!("[language.own]\nextensions = [\"own\"]\nrun = \"sh {{source}} {run}\"\n");
        folder.write("problems.toml", format!("{text}{table}"));
    };
    let score = || {
        let (_, report) = folder.json(&["run", "-p", "p", "-s", "cat", "--reuse"]);
        report["cases"][0]["score"].to_string()
    };
    folder.write("check/main.own", "echo $1");
    language("5");
    assert_eq!(score(), "5");
    language("6");
    assert_eq!(score(), "6");
    folder.write("check/main.own", "echo 1$1");
    assert_eq!(score(), "16");
}
