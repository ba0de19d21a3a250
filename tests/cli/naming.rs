//! The names on the command line: problems, catalogues and solvers, and the messages about unknown names.

use crate::support::{Folder, of_cases};

const PROBLEM: &str = "[[problem]]\nid = \"sum\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\n\
                       seeds = \"1-40\"\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", PROBLEM);
    folder.script("bot", "cat");
    folder
}

/// Returns the message of a usage error.
fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let said = folder.judge(arguments);
    assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{arguments:?}: {}", said.stderr);
    said.stderr
}

#[test]
fn an_impossible_solver_is_one_early_error() {
    let folder = folder();
    folder.write("a.nim", "echo 1");
    folder.write("b.swift", "print(1)");
    let known = format!("known: {}", judge_problem::built_in_languages().endings());
    for (solver, message) in [
        ("a.nim", format!("error: unknown source type .nim; {known}\nhint: ")),
        ("./b.swift", format!("error: unknown source type .swift; {known}\nhint: ")),
        ("./missing", "error: solver `missing`: ./missing: No such file or directory (os error 2)\nhint: ".to_owned()),
        ("no-such-command --fast", "no such command on the PATH, and no such file here".to_owned()),
        ("bundled:nothing", "error: there is no bundled solver `nothing`\nhint: ".to_owned()),
        ("./bot 'x", "its quotes do not match".to_owned()),
    ] {
        for command in [
            &["run", "-s", "./bot", "-s", solver][..],
            &["compare", "./bot", solver],
            &["baseline", "-s", solver, "--output", "base.toml"],
        ] {
            let said = refused(&folder, command);
            assert!(said.contains(&message) && said.matches("error:").count() == 1, "{command:?}: {said}");
        }
    }
    let both = refused(&folder, &["run", "-s", "./missing", "-s", "a.nim"]);
    assert_eq!(both.matches("error:").count(), 2, "{both}");
    assert!(!folder.path().join(".judge").exists(), "nothing was run");
}

#[test]
fn a_compile_error_has_one_row() {
    let folder = folder();
    folder.write("bad.c", "int main(void) { return x; }\n");
    for arguments in [&["run", "-s", "bad.c"][..], &["run", "-s", "bad.c", "--all"]] {
        let said = folder.judge(arguments).stdout;
        assert_eq!(said.matches(" CE ").count(), 1, "{said}");
        assert_eq!(said.matches("compile-error: ").count(), 1, "{said}");
        assert!(said.contains("40 compile-error") && said.contains("all cases"), "{said}");
        assert!(!said.contains("more rows") && !said.contains("more failures"), "{said}");
    }
    let two = folder.judge(&["run", "-s", "bad.c", "-s", "./bot", "--seeds", "1-3"]).stdout;
    assert_eq!(two.matches("compile-error: ").count(), 1, "{two}");
    let said = folder.judge(&["reduce", "-s", "bad.c", "--seed", "1"]);
    assert!(said.code == Some(2) && said.stderr.contains("compile-error"), "{}", said.stderr);
    let (_, report) = folder.json(&["run", "-s", "bad.c"]);
    assert_eq!(of_cases(&report, "verdict").len(), 40, "reports for programs have every case");
}

#[test]
fn equal_file_names_are_told_apart() {
    let folder = folder();
    for version in ["v1", "v2"] {
        std::fs::create_dir(folder.path().join(version)).unwrap();
        folder.script(&format!("{version}/bot"), "cat");
    }
    let said = folder.judge(&["run", "-s", "v1/bot", "-s", "./v2/bot", "--seeds", "1-2"]);
    assert!(
        said.code == Some(0) && said.stdout.contains("v1/bot") && said.stdout.contains("v2/bot"),
        "{}",
        said.stdout
    );
    let history = folder.judge(&["history"]).stdout;
    assert!(history.contains("v1/bot") && history.contains("v2/bot"), "{history}");
    let compared = folder.judge(&["compare", "v1/bot", "v2/bot", "--seeds", "1-3"]);
    assert!(compared.code == Some(0) && compared.stdout.contains("v2/bot"), "{}{}", compared.stdout, compared.stderr);
    let past = folder.judge(&["compare", "run:1/v1/bot", "run:1/v2/bot"]);
    assert!(past.code == Some(0), "{}{}", past.stdout, past.stderr);
    let same = refused(&folder, &["compare", "v1/bot", "v1/bot"]);
    assert!(same.contains("as in bot-1=v1/bot bot-2=v1/bot") && !same.contains("--solver"), "{same}");
}

#[test]
fn the_only_problem_needs_no_id() {
    let folder = folder();
    for arguments in [
        &["run", "-s", "./bot"][..],
        &["run", "sum", "-s", "./bot"],
        &["gen", "--seed", "1"],
        &["gen", "sum", "--seed", "1"],
        &["check", "sum", "--seed", "1", "--output", "answer"],
        &["best", "sum"],
        &["best"],
    ] {
        folder.write("answer", "5\n");
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.stdout, said.stderr);
    }
    let other = Folder::new();
    let said = refused(&other, &["run", "--problems", "builtin"]);
    let games = checkers::all().len();
    let error = format!("error: no problem is given, and there are {games}: columns, ");
    assert!(said.contains(&error) && said.contains("-p columns"), "{said}");
    let both = refused(&other, &["run", "columns", "-p", "columns"]);
    assert!(both.contains("cannot be used with"), "{both}");
    assert_eq!(other.judge(&["run", "columns", "--seeds", "1", "--env", "SOLVER_TIME_LIMIT=0.2"]).code, Some(0));
}

#[test]
fn built_in_problems_are_suggested_when_missing() {
    let folder = folder();
    let hint = "error: there is no problem `columns`\nhint: `columns` is built in: use --problems builtin\n";
    assert_eq!(refused(&folder, &["run", "-p", "columns"]), hint);
    assert_eq!(refused(&folder, &["show", "columns"]), hint);
    let meant = refused(&folder, &["show", "colums"]);
    assert!(meant.contains("did you mean `columns`? It is built in: use --problems builtin"), "{meant}");
    let shown = folder.judge(&["show", "columns", "--problems", "builtin"]);
    assert!(shown.code == Some(0) && shown.stderr.is_empty(), "{}", shown.stderr);
}

#[test]
fn history_and_best_report_unknown_problems_alike() {
    let folder = folder();
    assert_eq!(folder.judge(&["run", "-s", "./bot", "--seeds", "1"]).code, Some(0));
    for id in ["foo", "summ", "columns"] {
        assert_eq!(refused(&folder, &["history", "--problem", id]), refused(&folder, &["best", "--problem", id]));
    }
    folder.write("problems.toml", PROBLEM.replace("\"sum\"", "\"other\""));
    let listed = folder.judge(&["history", "--problem", "sum"]);
    assert!(listed.code == Some(0) && listed.stdout.contains("bot"), "runs of a removed problem are listed");
}

#[test]
fn a_recheck_may_name_its_problem() {
    let folder = folder();
    assert_eq!(folder.judge(&["run", "-s", "./bot", "--seeds", "1"]).code, Some(0));
    let checked = folder.judge(&["check", "-p", "sum", "--run", "1"]);
    assert!(checked.code == Some(0) && checked.stdout.contains("1 answer as recorded"), "{}", checked.stderr);
    let other = refused(&folder, &["check", "-p", "columns", "--run", "1"]);
    assert!(other.contains("run 1 is of the problem `sum`, not of `columns`"), "{other}");
}

#[test]
fn unknown_keys_are_reported_first() {
    let folder = Folder::new();
    folder.write("problems.toml", "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nsceds = \"1-3\"\n");
    let said = refused(&folder, &["list"]);
    let unknown = said.find("unknown key `sceds`").unwrap();
    assert!(
        unknown < said.find("the problem has no cases").unwrap() && said.contains("did you mean `seeds`?"),
        "{said}"
    );
}
