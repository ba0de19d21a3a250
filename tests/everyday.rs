//! What makes every day easier: the rules of the games, completion, commands that reproduce a case, tagged runs, stored
//! answers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "each test uses its own part")]
mod support;

use support::Folder;

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
    folder.write("problems.toml", "[[problem]]\nid = \"own\"\nchecker-command = \"./check\"\ninputs = [\"*.in\"]\n");
    let said = folder.judge(&["show", "own", "--rules"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("the rules of `own` are not known"), "{}", said.stderr);
}
