//! Everyday helpers: the rules of the games, completion, commands that reproduce a case, tagged runs, stored answers.

use crate::support::require::{Need, skip};
use crate::support::{Folder, Said, of_cases};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn the_rules_of_every_game_are_shown() {
    let folder = Folder::new();
    for checker in checkers::all() {
        let said = folder.judge(&["show", checker.id, "--rules"]);
        let (rules, points) =
            said.stdout.split_once("\n## Points of this catalogue's cases\n").unwrap_or((&said.stdout, ""));
        assert_eq!((said.code, rules.trim_end()), (Some(0), checker.rules.trim_end()), "{}", checker.id);
        assert_eq!(points.contains("game1: 10 from "), checker.id == "deletion-game", "{points}");
    }
}

#[test]
fn a_checker_command_has_no_rules_to_show() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"own\"\nchecker-command = \"./check {input} {answer}\"\ninputs = [\"*.in\"]\n",
    );
    let said = folder.judge(&["show", "own", "--rules"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("the rules of `own` are not known"), "{}", said.stderr);
}

#[test]
fn problems_and_solvers_are_named_by_position() {
    let folder = Folder::new();
    folder.write("bot.sh", "echo 0\n");
    let verdicts = |words: &[&str]| {
        let (_, report) = folder.json(&[&["run", "--seeds", "1", "--env", "SOLVER_TIME_LIMIT=0.1"], words].concat());
        let name = |solver: &serde_json::Value| solver["name"].as_str().unwrap().to_owned();
        report["solvers"].as_array().unwrap().iter().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(verdicts(&["-p", "columns", "bot.sh"]), "bot");
    assert_eq!(verdicts(&["columns", "bot.sh"]), "bot");
    assert_eq!(verdicts(&["columns", "a=bot.sh", "./bot.sh", "-s", "c=bot.sh"]), "a bot c");
    assert_eq!(verdicts(&["columns"]), "columns");
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"own\"\nchecker = \"columns\"\nseeds = \"1\"\nsolver = \"bundled:columns-greedy\"\n",
    );
    assert_eq!(verdicts(&["./bot.sh"]), "bot", "the catalogue has one problem");
    let said = folder.judge(&["run", "bot", "--seeds", "1"]);
    assert!(said.code == Some(2) && said.stderr.contains("there is no problem `bot`"), "{}", said.stderr);
}

#[test]
fn a_file_size_limit_is_an_error() {
    let folder = Folder::new();
    let limited = |line: &str| {
        let script = format!("ulimit -f 2; exec {} {line}", env!("CARGO_BIN_EXE_judge"));
        Said::from(std::process::Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap())
    };
    let said = limited("gen -p deletion-game --seed 6 > case.in");
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("File too large"), "{}", said.stderr);
    let said = limited("exec --tier bare -- sh -c 'ulimit -f 0; echo x > f'");
    assert!(said.stderr.contains("SIGXFSZ"), "programs get the default action: {}{}", said.stdout, said.stderr);
}

/// Returns the judge's answer to a completion script about the last of these words.
fn completed(folder: &Folder, shell: &str, words: &[&str]) -> String {
    let mut command = folder.command(&["--"]);
    command.args(words).env("JUDGE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
    let said = Said::from(command.env("_CLAP_IFS", "\n").output().unwrap());
    assert_eq!((said.code, &*said.stderr), (Some(0), ""));
    said.stdout
}

#[test]
fn ids_of_problems_are_completed_in_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let ids = completed(&folder, shell, &["judge", "run", "-p", "same"]);
        assert!(
            ids.contains("same-game") && ids.contains("same-game-free") && !ids.contains("columns"),
            "{shell}: {ids}"
        );
        assert!(completed(&folder, shell, &["judge", "show", "col"]).contains("columns"), "{shell}");
        assert!(completed(&folder, shell, &["judge", "solve", "columns-"]).contains("columns-greedy"), "{shell}");
    }
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"own\"\nchecker-command = \"./check {input} {answer}\"\ninputs = [\"*.in\"]\n",
    );
    assert_eq!(completed(&folder, "bash", &["judge", "run", "-p", ""]).trim(), "own");
    folder.write(
        "other.toml",
        "[[problem]]\nid = \"another\"\nchecker-command = \"./check {input} {answer}\"\ninputs = [\"*.in\"]\n",
    );
    let given = completed(&folder, "bash", &["judge", "--problems", "other.toml", "check", "--problem", ""]);
    assert_eq!(given.trim(), "another");
}

#[test]
fn files_of_solvers_and_tiers_are_completed() {
    let folder = Folder::new();
    folder.write("bots/mine.py", "");
    for words in [
        &["judge", "run", "-s", "bots/mi"][..],
        &["judge", "run", "bots/mi"],
        &["judge", "compare", "bots/mi"],
        &["judge", "run", "--inputs", "bots/mi"],
    ] {
        assert_eq!(completed(&folder, "bash", words).trim(), "bots/mine.py", "{words:?}");
    }
    assert_eq!(completed(&folder, "bash", &["judge", "exec", "--require-tier", "us"]).trim(), "userns");
}

#[test]
fn the_script_of_bash_completes_ids() {
    if std::process::Command::new("bash").args(["-c", "true"]).status().is_err() {
        return skip(Need::Bash, "there is no bash");
    }
    let folder = Folder::new();
    let body = "source <(\"$0\" completions bash)
        COMP_WORDS=(judge run -p dele) COMP_CWORD=3 COMP_TYPE=9
        _clap_complete_judge judge dele -p
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", body, env!("CARGO_BIN_EXE_judge")]).current_dir(folder.path());
    let said = Said::from(bash.output().unwrap());
    assert_eq!((&*said.stdout, &*said.stderr), ("deletion-game\n", ""));
}

#[test]
fn reproducing_commands_keep_limits_sandbox_and_catalogue() {
    let folder = Folder::new();
    folder.write("data/words.txt", "0\n");
    let solver = folder.script("slow", "echo $SECRET >&2; exit 3");
    let flags = "--cpu 2500ms --wall 7s --memory 300MiB --output-limit 2MB --processes 9 --dir data:rw --env 'SECRET=a b' --env X=1";
    let words = shell_words::split(flags).unwrap();
    let mut arguments = vec!["run", "-p", "columns", "-s", solver.to_str().unwrap(), "--seeds", "4"];
    arguments.extend(words.iter().map(String::as_str));
    let (_, report) = folder.json(&arguments);
    let reproduce = report["cases"][0]["reproduce"].as_str().unwrap().to_owned();
    for flag in ["--cpu 2500ms", "--wall 7s", "--memory 300MiB", "--output-limit 2MB", "--processes 9", "--dir data:rw"]
    {
        assert!(reproduce.contains(flag), "{flag}: {reproduce}");
    }
    let again = shell_words::split(&reproduce).unwrap();
    let again: Vec<_> = again.iter().skip(1).map(String::as_str).collect();
    let said = folder.judge(&again);
    assert!(said.code == Some(1) && said.stdout.contains("a b"), "{}", said.stdout);
    let shown = folder.judge(&["history", "show", "last"]);
    assert!(shown.stdout.contains(&reproduce), "{}", shown.stdout);
}

/// A solver of `columns` that answers `0` and prints the first line of its input on standard error.
fn talker(folder: &Folder) -> String {
    folder.script("talker", "read line; echo \"saw $line\" >&2; echo 0").to_str().unwrap().to_owned()
}

#[test]
fn a_message_appears_in_history_and_reports() {
    let folder = Folder::new();
    let solver = talker(&folder);
    let run = ["run", "-p", "columns", "-s", &solver, "--seeds", "1-2"];
    let files = ["--csv", "r.csv", "--junit", "r.xml"];
    let said = folder
        .judge(&[&run[..], &["--message", "wider beam", "--markdown", "r.md", "--html", "r.html"], &files].concat());
    assert!(said.code == Some(0) && said.stdout.contains("message: wider beam"), "{}{}", said.stdout, said.stderr);
    for file in ["r.md", "r.html", "r.csv", "r.xml"] {
        assert!(std::fs::read_to_string(folder.path().join(file)).unwrap().contains("wider beam"), "{file}");
    }
    let (_, untagged) = folder.json(&run);
    assert!(untagged.get("message").is_none(), "{untagged}");
    assert!(folder.json(&[&run[..], &["--message", " "]].concat()).1.get("message").is_none(), "an empty tag is none");
    assert!(folder.judge(&["history"]).stdout.contains("wider beam"));
    let (_, history) = folder.json(&["history"]);
    assert_eq!((&history["runs"][2]["message"], history["runs"][1].get("message")), (&"wider beam".into(), None));
    let (_, shown) = folder.json(&["history", "show", "1"]);
    assert_eq!(shown["message"], "wider beam");
    assert!(folder.judge(&["history", "show", "1"]).stdout.contains("message     wider beam"));
}

#[test]
fn standard_error_is_kept_for_requested_cases() {
    let folder = Folder::new();
    let talker = talker(&folder);
    let failing = folder.script("failing", "echo 'it broke' >&2; exit 1");
    let run = |solver: &str, which: &[&str]| {
        let run = ["run", "-p", "columns", "-s", solver, "--seeds", "1"];
        let said = folder.judge(&[&run[..], which].concat()).stdout;
        (said, folder.judge(&["history", "show", "last"]).stdout)
    };
    for (solver, which, words, kept) in [
        (&*talker, &[][..], "saw 6 13", false),
        (&talker, &["--stderr", "failed"], "saw 6 13", false),
        (&talker, &["--stderr", "all"], "saw 6 13", true),
        (failing.to_str().unwrap(), &[], "it broke", true),
        (failing.to_str().unwrap(), &["--stderr", "none"], "it broke", false),
    ] {
        let (said, shown) = run(solver, which);
        assert_eq!((said.contains(words), shown.contains(words)), (kept, kept), "{solver} {which:?}: {said}{shown}");
    }
}

#[test]
fn answers_are_saved_with_and_without_journal() {
    let folder = Folder::new();
    let solver = talker(&folder);
    let run = ["run", "-p", "columns", "--seeds", "1-2", "-s", &solver];
    let saved = |dir: &str, name: &str| std::fs::read_to_string(folder.path().join(dir).join(name)).unwrap();
    for (dir, more) in [("fresh", "--all"), ("unrecorded", "--no-journal"), ("earlier", "--reuse")] {
        let said = folder.judge(&[&run[..], &["--save-answers", dir, more]].concat());
        assert_eq!(said.code, Some(0), "{dir}: {}", said.stderr);
        assert_eq!((saved(dir, "seed-1.out"), saved(dir, "seed-2.out")), ("0\n".into(), "0\n".into()), "{dir}");
    }
    let two = folder.judge(&[&run[..], &["-s", "quick=bundled:columns-quickstart", "--save-answers", "two"]].concat());
    assert_eq!(two.code, Some(0), "{}", two.stderr);
    assert!(saved("two/talker", "seed-1.out") == "0\n" && saved("two/quick", "seed-1.out").starts_with("11\n"));
    folder.write("file", "");
    let refused = folder.judge(&[&run[..], &["--save-answers", "file/x"]].concat());
    assert!(refused.code == Some(2) && refused.stderr.contains("cannot make the folder"), "{}", refused.stderr);
}

#[test]
fn a_stored_answer_is_viewed() {
    let folder = Folder::new();
    folder.judge(&["run", "-p", "columns", "--seeds", "1", "-s", "bundled:columns-quickstart"]);
    let said = folder.judge(&["view", "--run", "1", "--case", "seed-1", "--html", "game.html"]);
    assert!(said.code == Some(0) && said.stderr.contains("accepted 141"), "{}", said.stderr);
    assert!(std::fs::read_to_string(folder.path().join("game.html")).unwrap().contains("columns-quickstart"));
    for (arguments, why) in [
        (&["--run", "1", "--case", "seed-7"][..], "run 1 has no finished case `seed-7`"),
        (&["--run", "1", "--case", "seed-1", "-s", "other"], "run 1 has no solver `other`"),
        (&["--run", "1", "--case", "seed-1", "-p", "same-game"], "run 1 is of the problem `columns`"),
        (&["--run", "2", "--case", "seed-1"], "there is no run 2"),
        (&["--run", "1"], "--case"),
    ] {
        let said = folder.judge(&[&["view", "--html", "game.html"][..], arguments].concat());
        assert!(said.code == Some(2) && said.stderr.contains(why), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn nothing_replaces_what_it_was_made_from() {
    let folder = Folder::new();
    let [input, answer] = ["6 13\n1\nabc\n", "1\n1 0\n"];
    folder.write("a.in", input);
    folder.write("a.out", answer);
    folder.script("bot", "exit 3");
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
    let program = read("bot");
    let view = ["view", "-p", "columns", "--input", "a.in"];
    let reduce = ["reduce", "-p", "columns", "-s", "./bot", "--input", "a.in", "--output", "bot"];
    for arguments in [
        [&view[..], &["--output", "a.out", "--html", "./a.out"]].concat(),
        [&view[..], &["--output", "a.out", "--svg", "a.in"]].concat(),
        [&view[..], &["-s", "name=./bot", "--html", "bot"]].concat(),
        reduce.to_vec(),
        [&reduce[..3], &["-s", "sh bot"], &reduce[5..]].concat(),
    ] {
        let said = folder.judge(&arguments);
        assert!(
            said.code == Some(2) && said.stderr.contains("is read by this command, and cannot"),
            "{arguments:?}: {}",
            said.stderr
        );
    }
    assert_eq!([read("a.in"), read("a.out"), read("bot")], [input, answer, &program]);
    let said = folder.judge(&[&view[..], &["--output", "a.out", "--html", "a.html", "--to", "0"]].concat());
    assert!(said.code == Some(0) && said.stderr.contains("; 1 frame, "), "{}", said.stderr);
}

#[test]
fn tuning_uses_its_budget() {
    let folder = Folder::new();
    folder.write("check.sh", "cat $2");
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nseeds = \"1-9\"\nchecker-command = \"sh check.sh {input} {answer}\"\n\
         generator-command = \"echo {seed}\"\n",
    );
    // For some solvers, settings differ only by chance. For others, the order is certain after the first cases.
    for solver in ["sh -c 'echo $(( {n} + $(cat) * 7919 % 501 ))'", "sh -c 'echo $(( 1000 + {n} ))'"] {
        let tune = ["tune", "-p", "echo", "-s", solver, "--param", "n=1..900:int", "--budget", "150", "--compare", "0"];
        let said = folder.judge(&tune);
        let (_, runs) =
            said.stdout.split_once(" settings in ").unwrap_or_else(|| panic!("{}{}", said.stdout, said.stderr));
        let runs: usize = runs.split(' ').next().unwrap().parse().unwrap();
        assert!((143..=150).contains(&runs), "{solver}: {}", said.stdout);
    }
}

#[test]
fn the_examples_of_tune_name_their_parameters() {
    let folder = Folder::new();
    for arguments in [&["tune", "--help"][..], &["help", "tune"], &["man"]] {
        let help = folder.judge(arguments).stdout;
        assert!(help.contains("N={n}"), "{arguments:?}: {help}");
    }
}

#[test]
fn thresholds_may_have_many_steps() {
    let folder = Folder::new();
    folder.script("solver", "read n; echo $n");
    let catalogue = |case: &str| {
        let rules = "generator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n[problem.scoring]\nrule = \"thresholds\"\n";
        let case = |seed: u32| format!("[[problem.case]]\nseed = {seed}\n{case}\n");
        folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{rules}{}{}{}", case(4), case(5), case(20)));
    };
    catalogue("thresholds = [20, 5]\nthreshold-points = [100, 40]");
    let (code, report) = folder.json(&["run", "-p", "p", "-s", "./solver"]);
    assert_eq!((code, of_cases(&report, "points")), (Some(0), vec![&0.into(), &40.into(), &100.into()]));
    for (case, why) in [
        ("thresholds = [20, 5]", "expected nine thresholds"),
        ("thresholds = [20, 5]\nthreshold-points = [1]", "found 1 for 2"),
        ("thresholds = [5, 20]\nthreshold-points = [2, 1]", "found 5 before 20"),
        ("thresholds = [20, 5]\nthreshold-points = [1, 2]", "found 1 before 2"),
        ("thresholds = [20, 5]\nthreshold-points = [1, -2]", "expected threshold-points of at least 0, found -2"),
    ] {
        catalogue(case);
        let said = folder.judge(&["list"]);
        assert!(said.code == Some(2) && said.stderr.contains(why), "{case}: {}", said.stderr);
    }
}

/// A problem whose answers are their own scores.
fn echo(folder: &Folder) {
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\n\
         seeds = \"1-20\"\n[problem.scoring]\nrule = \"mean\"\n",
    );
}

#[test]
fn equal_names_across_runs_are_told_apart() {
    let folder = Folder::new();
    echo(&folder);
    for (version, more) in [("v1", 0), ("v2", 7)] {
        std::fs::create_dir(folder.path().join(version)).unwrap();
        folder.script(&format!("{version}/bot"), &format!("read n; echo $((n * 10 + {more}))"));
        assert_eq!(folder.judge(&["run", "-p", "echo", "-s", &format!("./{version}/bot")]).code, Some(0));
    }
    let history = folder.judge(&["history"]).stdout;
    assert!(history.contains("v1/bot") && history.contains("v2/bot"), "{history}");
    let (_, json) = folder.json(&["history", "--solver", "v2/bot"]);
    assert_eq!(json["runs"].as_array().unwrap().len(), 1, "{json}");
    assert_eq!((&json["runs"][0]["solver"], &json["runs"][0]["command"]), (&"bot".into(), &"./v2/bot".into()));
    assert_eq!(folder.json(&["history", "--solver", "bot"]).1["runs"].as_array().unwrap().len(), 2);
    let compared = folder.judge(&["compare", "-p", "echo", "run:1/bot", "run:2/bot"]).stdout;
    assert!(compared.contains("v2/bot#2 is better than v1/bot#1"), "{compared}");
}

#[test]
fn an_interrupted_run_counts_only_finished_cases() {
    let folder = Folder::new();
    echo(&folder);
    folder.script("bot", "read n; [ $n -lt 4 ] || sleep 60; echo $n");
    let arguments = ["run", "-p", "echo", "-s", "./bot", "--jobs", "1", "--wall", "60s"];
    let reports = ["--json", "r.json", "--jsonl", "r.jsonl", "--junit", "r.xml"];
    let mut command = folder.command(&[&arguments[..], &reports].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let deadline = Instant::now() + Duration::from_secs(50);
    while Instant::now() < deadline && read("r.jsonl").matches("\"accepted\"").count() < 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{}", said.stderr);
    assert!(said.stdout.contains("3 accepted, 17 skipped; mean 2;"), "{}", said.stdout);
    assert!(said.stdout.contains("17 runs were skipped") && !said.stdout.contains("seed-9"), "{}", said.stdout);
    let report: serde_json::Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!((&report["interrupted"], of_cases(&report, "verdict").len()), (&true.into(), 20));
    let solver = &report["solvers"][0];
    let counts = [&solver["verdicts"]["accepted"], &solver["failures"], &solver["skipped"], &solver["mean"]];
    assert_eq!(counts.map(serde_json::Value::as_u64), [Some(3), Some(0), Some(17), Some(2)], "{report}");
    let suite = read("r.xml");
    assert!(suite.contains("failures=\"0\"") && suite.matches("<skipped").count() == 17, "{suite}");
}

#[test]
fn problem_folders_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let files = [
        (
            "problems.toml",
            "[[problem]]\nid = \"own\"\nchecker-command = \"sh check {input} {answer}\"\ninputs = [\"in/*.txt\"]\n",
        ),
        ("check", "cmp \"$1\" \"$2\" && echo 1"),
        ("bot.c", "#include <stdio.h>\nint main() { int c; while ((c = getchar()) != EOF) putchar(c); }\n"),
        ("in/a.txt", "7\n"),
    ];
    for name in [&b"contest [2024]*"[..], b"{source} {answer}", b"no\xfftext"] {
        let top = Folder::new();
        let folder = top.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(folder.join("in")).unwrap();
        for (file, content) in files {
            std::fs::write(folder.join(file), content).unwrap();
        }
        std::fs::write(folder.join(std::ffi::OsStr::from_bytes(b"in/b\xff.txt")), "8\n").unwrap();
        // Within it, and from elsewhere.
        for (current, source) in [(folder.clone(), "bot.c"), (folder.join("in"), "../bot.c")] {
            let run = top.command(&["run", "-p", "own", "-s", source]).current_dir(current).output();
            let said = Said::from(run.unwrap());
            assert!(said.code == Some(0) && said.stdout.contains("2 accepted"), "{}{}", said.stdout, said.stderr);
        }
        let check = top.command(&["check", "--run", "last"]).current_dir(folder).output();
        let said = Said::from(check.unwrap());
        assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    }
}

#[test]
fn equal_solver_names_get_suggestions() {
    let folder = Folder::new();
    let said = folder.judge(&["run", "-p", "columns", "-s", "v1=./a", "-s", "v1=./b"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(
        said.stderr.contains("two solvers are named `v1`: name each of them, as in a=./a b=./b"),
        "{}",
        said.stderr
    );
}

#[test]
fn an_unknown_command_suggests_one_that_help_lists() {
    let folder = Folder::new();
    let said = |line: &str| folder.judge(&line.split(' ').collect::<Vec<_>>()).stderr;
    assert!(said("rnu").contains("'run'"), "{}", said("rnu"));
    assert!(said("histroy").contains("'history'"), "{}", said("histroy"));
    assert!(said("history shwo 1").contains("'show'"), "{}", said("history shwo 1"));
    let hidden = said("wrok");
    assert!(hidden.contains("unrecognized subcommand 'wrok'") && !hidden.contains("'work'"), "{hidden}");
}

#[test]
fn an_option_without_the_one_that_it_needs_is_refused() {
    let folder = Folder::new();
    // The option that is needed conflicts with another one of each line.
    for (line, needed) in [
        ("run -p columns --final --seeds 1", "--sealed, which --final needs"),
        ("run -p columns --sealed --reverse", "--sort, which --reverse needs"),
        ("run -p columns --sealed --workdir .", "--on, which --workdir needs"),
        ("compare -p columns a b --inputs x.in --h0 0 --h1 1%", "--until-decided, which --h0 needs"),
        ("compare -p columns a b --until-decided --rare 1% --bound 7", "--exact, which --bound needs"),
        ("gate --baseline b.toml --update --sensitivity 3%", "--calibrate, which --sensitivity needs"),
        ("check --run last --answer 1.ans", "--output, which --answer needs"),
        ("view -p columns --seed 1 --html g.html --step 5", "--svg, which --step needs"),
        ("view -p columns --seed 1 --case seed-2 --text", "cannot be used with"),
        ("history show last --top 3", "--sort, which --top needs"),
        ("power --sd 8% -s ./bot", "cannot be used with"),
    ] {
        let said = folder.judge(&line.split(' ').collect::<Vec<_>>());
        assert!(said.code == Some(2) && said.stderr.contains(needed), "{line}: {}", said.stderr);
    }
    let said = folder.judge(&["find", "-p", "columns", "-s", "false", "--for", "failure", "--top", "1"]);
    assert_eq!(said.code, Some(0), "another --top: {}", said.stderr);
}

#[test]
fn a_first_solver_that_does_not_start_hides_no_case_of_the_others() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let quick = "bundled:columns-quickstart";
    let said = folder.judge(&["run", "-p", "columns", "-s", "empty/", "-s", quick, "--seeds", "1-6"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let said = folder.judge(&["check", "--run", "last"]);
    assert!(said.stdout.contains("6 answers as recorded, 0 differ, 0 cannot"), "{}{}", said.stdout, said.stderr);
    let said = folder.judge(&["compare", "-p", "columns", "run:1/columns-quickstart", quick]);
    assert!(said.stdout.contains("no difference"), "{}{}", said.stdout, said.stderr);
}

#[test]
fn a_repeated_seed_is_one_case() {
    let folder = Folder::new();
    let said = folder.judge(&["run", "-p", "columns", "--seeds", "1-5,3", "-s", "bundled:columns-greedy"]);
    assert!(said.code == Some(0) && said.stdout.contains("5 accepted"), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("--seeds repeats 1 seed: each seed is one case"), "{}", said.stderr);
    let pair = ["compare", "-p", "columns", "bundled:columns-greedy", "bundled:columns-quickstart"];
    let said = folder.judge(&[&pair[..], &["--until-decided", "--seeds", "1-3,2"]].concat());
    assert!(said.code == Some(0) && said.stdout.contains("columns: 3 cases"), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("--seeds repeats 1 seed: each seed is one case"), "{}", said.stderr);
}

#[test]
fn equal_names_are_reported_with_both_paths() {
    let folder = Folder::new();
    let input = folder.judge(&["gen", "-p", "columns", "--seed", "1"]).stdout;
    folder.write("a/7.in", &input);
    folder.write("b/7.in", &input);
    let said = folder.judge(&["run", "-p", "columns", "--inputs", "a/*.in", "--inputs", "b/*.in"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("two cases are named `7`: a/7.in and b/7.in: rename"), "{}", said.stderr);
    let one = ["run", "-p", "columns", "--inputs", "a/*.in", "--inputs", "./a/7.in", "-s", "bundled:columns-greedy"];
    let said = folder.judge(&one);
    assert!(said.code == Some(0) && said.stdout.contains("1 accepted"), "{}{}", said.stdout, said.stderr);
}

#[test]
fn saved_answers_replace_no_expected_ones() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"own\"\nchecker = \"tokens\"\ninputs = [\"*.in\"]\nanswers = [\"*.out\"]\n";
    folder.write("problems.toml", problem);
    folder.write("1.in", "1\n");
    folder.write("1.out", "2\n");
    folder.write("bot.sh", "cat\n");
    let said = folder.judge(&["run", "-s", "bot.sh", "--save-answers", "."]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("the answer would replace ./1.out, a file of a case"), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("1.out")).unwrap(), "2\n");
}

#[test]
fn missing_answer_files_are_one_error() {
    let folder = Folder::new();
    folder.write("problems.toml", "[[problem]]\nid = \"own\"\nchecker = \"tokens\"\ninputs = [\"*.in\"]\n");
    for number in 1..=9 {
        folder.write(&format!("{number}.in"), "1\n");
    }
    folder.write("bot.sh", "cat\n");
    let said = folder.judge(&["run", "-s", "bot.sh"]);
    assert_eq!((said.code, said.stderr.matches("error:").count()), (Some(2), 1), "{}", said.stderr);
    assert!(said.stderr.contains("1.in and 8 more of 9 cases have no answer file"), "{}", said.stderr);
    assert!(said.stderr.contains("answers = [\"data/*.ans\"]"), "{}", said.stderr);
}

#[test]
fn shortened_standard_error_says_how_much_is_missing() {
    let folder = Folder::new();
    folder.write("bot.sh", "i=0; while [ $i -lt 30 ]; do i=$((i + 1)); echo line $i >&2; done; echo 0\n");
    let run = |more: &[&str]| {
        folder.judge(&[&["run", "-p", "columns", "--seeds", "1", "bot.sh", "--stderr", "all"], more].concat())
    };
    let said = run(&[]).stdout;
    assert!(
        said.contains("… the last 5 of 30 lines; --all shows all lines that were kept") && !said.contains("| line 25"),
        "{said}"
    );
    let said = run(&["--all"]).stdout;
    assert!(said.contains("| line 1\n") && !said.contains("the last 5"), "{said}");
}

#[test]
fn watch_repeats_on_change_and_shows_differences() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"sum\"\ngenerator-command = \"echo {seed}\"\n\
                   checker-command = \"sh check.sh {input} {answer}\"\nseeds = \"1-3\"\n";
    folder.write("problems.toml", problem);
    folder.write("check.sh", "cat \"$2\"\n");
    // The case that changes is not among the shown ones.
    let sorted = ["run", "-s", "bot.sh", "--watch", "--sort", "score", "--top=1"];
    let mut watching = folder.command(&sorted).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(watching.stdout.take().unwrap()));
    let mut wait_for = |expected: &str| {
        // The end of the output is the end of the judge, which the harness does not wait for.
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(expected));
        assert!(found.is_some(), "it never says {expected}");
    };
    // It comes after the first run has failed.
    std::thread::sleep(std::time::Duration::from_secs(2));
    folder.write("bot.sh", "read -r n; echo $n\n");
    wait_for("bot: 3 accepted; total 6");
    folder.write("bot.sh", "read -r n; [ $n = 2 ] && echo 7 || echo $n\n");
    wait_for("bot: 3 accepted; total 11 (6 before)");
    wait_for("seed-2");
    kill_process(Pid::from_child(&watching), Signal::INT).unwrap();
    watching.wait().unwrap();
    let said = folder.judge(&["run", "bot.sh", "--watch", "--json", "-"]);
    assert!(said.code == Some(2) && said.stderr.contains("--watch"), "{}", said.stderr);
}
