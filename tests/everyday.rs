//! What makes every day easier: the rules of the games, completion, commands that reproduce a case, tagged runs, stored
//! answers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "each test uses its own part")]
mod support;

use support::require::{Need, skip};
use support::{Folder, Said};

#[test]
fn the_rules_of_every_game_are_shown() {
    let folder = Folder::new();
    for checker in checkers::all() {
        let said = folder.judge(&["show", checker.id(), "--rules"]);
        assert_eq!((said.code, said.stdout.trim_end()), (Some(0), checker.rules().trim_end()), "{}", checker.id());
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

/// Returns what the judge answers to a completion script about the last of these words.
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
fn the_command_that_reproduces_a_case_keeps_limits_sandbox_and_catalogue() {
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
