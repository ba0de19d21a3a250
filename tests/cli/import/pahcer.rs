//! Projects of pahcer.

use super::{catalogue, has, imported, names, package, run, total, verdicts};
use crate::support::Folder;
use crate::support::require::Need;

const CONFIG: &str = "[general]\nversion = \"0.3.1\"\n\n[problem]\nproblem_name = \"AHC 999\"\nobjective = \"Min\"\n\
    score_regex = '(?m)^\\s*Score\\s*=\\s*(?P<score>\\d+)\\s*$'\n\n[test]\nstart_seed = 0\nend_seed = 3\nthreads = 2\n\
    out_dir = \"./pahcer\"\n\n[[test.compile_steps]]\nprogram = \"python3\"\nargs = [\"-m\", \"py_compile\", \"main.py\"]\n\n\
    [[test.test_steps]]\nprogram = \"python3\"\nargs = [\"./main.py\"]\nstdin = \"./tools/in/{SEED04}.txt\"\n\
    stdout = \"./tools/out/{SEED04}.txt\"\nstderr = \"./tools/err/{SEED04}.txt\"\nmeasure_time = true\n\n";

/// The answer itself is the score; 0 if it is not a number.
const VIS: &str = "import sys\nnumber = open(sys.argv[1]).read().strip()\nanswer = open(sys.argv[2]).read().strip()\n\
    if not answer.isdigit():\n    print('no number', file=sys.stderr)\n    print('Score = 0')\n\
    else:\n    print('Score = 999999')\n    print(f'Score = {int(answer) + int(number)}', file=sys.stderr)\n";

const VIS_STEP: &str = "[[test.test_steps]]\nprogram = \"python3\"\nargs = [\"vis.py\", \"./in/{SEED04}.txt\", \"./out/{SEED04}.txt\"]\n\
    current_dir = \"./tools\"\nmeasure_time = false\n";

fn project(steps: &str, more: &[(&str, &str)]) -> Folder {
    let config = format!("{CONFIG}{steps}");
    let files = [
        ("pahcer_config.toml", &*config),
        ("main.py", "print(int(input()) * 2)\n"),
        ("tools/in/0000.txt", "5\n"),
        ("tools/in/0001.txt", "6\n"),
        ("tools/in/0007.txt", "7\n"),
        ("tools/out/0000.txt", "old\n"),
        ("tools/vis.py", VIS),
    ];
    package(&[&files[..], more].concat())
}

#[test]
fn the_step_that_reads_answers_becomes_checker() {
    if !has("python3", Need::Python) {
        return;
    }
    let folder = project(VIS_STEP, &[]);
    let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    for line in [
        "taken  2 cases",
        "taken  the checker: python3 vis.py",
        "taken  the solver main.py",
        "left   1 of the seeds: there is no input tools/in/0002.txt",
        "left   compile step `python3 -m py_compile main.py`",
        "left   a score of 0: pahcer counts it as a wrong answer",
        "left   limits",
    ] {
        assert!(said.stdout.contains(line), "{line}: {}", said.stdout);
    }
    let text = catalogue(&folder);
    for line in [
        "checker-command = \"python3 tools/vis.py {input} {answer}\"",
        "score-match = \"last\"",
        "reject-exit-codes = [1, 101]",
        "inputs = [\"tools/in/*.txt\"]",
        "direction = \"min\"",
        "solver = \"main.py\"",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(names(&folder.path().join("out/tools/in")), ["0000.txt", "0001.txt"]);
    assert_eq!(total(&folder, "python3 out/main.py"), "33");
    assert_eq!(run(&folder, "echo none")["cases"][0]["note"], "no number");
}

#[test]
fn a_checker_has_its_standard_input() {
    let sum = "read -r n; read -r m < \"$1\"; echo \"Score = $((n + m))\"\n";
    for (argument, stdin) in [("out", "in"), ("in", "out")] {
        let step = format!(
            "[[test.test_steps]]\nprogram = \"sh\"\nargs = [\"sum.sh\", \"./{argument}/{{SEED04}}.txt\"]\n\
             stdin = \"./tools/{stdin}/{{SEED04}}.txt\"\ncurrent_dir = \"./tools\"\nmeasure_time = false\n"
        );
        let folder = project(&step, &[("tools/sum.sh", sum)]);
        imported(&folder);
        assert_eq!(total(&folder, "echo 3"), "17", "{stdin}");
    }
}

#[test]
fn cargo_tools_are_built_only_when_missing() {
    let step = "[[test.test_steps]]\nprogram = \"cargo\"\nargs = [\"run\", \"--bin\", \"vis\", \"--release\", \
                \"./in/{SEED04}.txt\", \"./out/{SEED04}.txt\"]\ncurrent_dir = \"./tools\"\n";
    let program = "fn main() { println!(\"Score = 5\"); }\n";
    let sources =
        [("tools/Cargo.toml", "[package]\nname = \"tools\"\nedition = \"2021\"\n"), ("tools/src/bin/vis.rs", program)];
    for is_built in [false, true] {
        let folder = project(step, &sources);
        if is_built {
            let built = folder.write("pack/tools/target/release/vis", "#!/bin/sh\necho Score = 4\n");
            std::fs::set_permissions(built, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p", "--no-verify"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let command = "checker-command = \"{folder}/programs/vis {input} {answer}\"";
        assert!(catalogue(&folder).contains(command), "{}", catalogue(&folder));
        assert_eq!(names(&folder.path().join("out")), ["main.py", "problems.toml", "programs", "tools"]);
        assert_eq!(total(&folder, "echo 1"), if is_built { "8" } else { "10" });
    }
}

#[test]
fn a_tester_started_by_cargo_is_imported() {
    let words = "\"--bin\", \"tester\", \"--release\", \"python3\", \"../main.py\"";
    let folder = with_tester(words, "echo Score = $(echo 3 | $1) >&2");
    let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p", "--no-verify"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("taken  the tester: cargo run --bin tester"), "{}", said.stdout);
    assert!(
        catalogue(&folder).contains("tester-command = \"{folder}/programs/tester {solver}\""),
        "{}",
        catalogue(&folder)
    );
    assert_eq!(total(&folder, "cat"), "6");
}

#[test]
fn a_built_tester_starts_the_solver() {
    let folder = with_tester("", "echo Score = $(echo 3 | $1) >&2");
    let by_cargo = "program = \"cargo\"\nargs = [\"run\", ]";
    let config = std::fs::read_to_string(folder.path().join("pack/pahcer_config.toml")).unwrap();
    let step = |tester: &str| config.replace(by_cargo, &format!("program = \"{tester}\"\nargs = [\"../a.out\"]"));
    folder.write("pack/pahcer_config.toml", step("./target/release/tester"));
    imported(&folder);
    assert!(catalogue(&folder).contains("tester-command = \"./tools/target/release/tester {solver}\""));
    assert_eq!(total(&folder, "cat"), "6");
    folder.write("pack/tools/plain/tester", "");
    for (tester, why) in [
        ("./tester", "there is no file ./tester: expected the"),
        ("./plain/tester", "plain/tester: it is not executable: expected a program: chmod +x "),
    ] {
        folder.write("pack/pahcer_config.toml", step(tester));
        let said = folder.judge(&["import", "pack", "--to", "other"]);
        assert!(said.code == Some(2) && said.stderr.contains(why), "{}", said.stderr);
    }
}

/// A project whose solver is started by `words`. Its tester is a script.
fn with_tester(words: &str, tester: &str) -> Folder {
    let step = CONFIG.replace(
        "program = \"python3\"\nargs = [\"./main.py\"]",
        &format!("program = \"cargo\"\nargs = [\"run\", {words}]\ncurrent_dir = \"./tools\""),
    );
    let folder = project("", &[("tools/Cargo.toml", "[package]\nname = \"tools\"\n"), ("pahcer_config.toml", &step)]);
    let built = folder.write("pack/tools/target/release/tester", format!("#!/bin/sh\n{tester}\n"));
    std::fs::set_permissions(built, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_tester_rejects_and_scores_as_in_pahcer() {
    let tester = "said=$($1); [ \"$said\" = no ] && echo \"Illegal output: $said\" >&2 && exit 1\n\
                  printf 'Score = 1\\nScore = %s\\n' \"$said\" >&2";
    let folder = with_tester("\"--bin=tester\", \"--profile\", \"release\", \"--\", \"../a.out\"", tester);
    imported(&folder);
    assert_eq!(total(&folder, "cat"), "11");
    assert_eq!(verdicts(&folder, "echo no"), ["0000 wrong-answer", "0001 wrong-answer"]);
}

#[test]
fn a_tester_and_a_solver_keep_their_arguments() {
    if !has("python3", Need::Python) {
        return;
    }
    let tester = "[ $# = 3 ] && echo Score = $(($2 * $($3))) >&2";
    let by = "\"--manifest-path=Cargo.toml\", \"--bin\", \"tester\", \"--release\"";
    let folder = with_tester(
        &format!("{by}, \"--\", \"--scale\", \"10\", \"python3\", \"../main.py\", \"1 2\", \"--slow\""),
        tester,
    );
    folder.write("pack/main.py", "import sys\nprint(input() if sys.argv[1:] == ['1 2', '--slow'] else 0)\n");
    let said = imported(&folder);
    assert!(said.contains("taken  the solver main.py '1 2' --slow"), "{said}");
    assert!(catalogue(&folder).contains("/tester --scale 10 {solver}\""), "{}", catalogue(&folder));
    let report = folder.json(&["run", "--problems", "out/problems.toml", "-p", "p"]).1;
    assert_eq!(report["solvers"][0]["total"].to_string(), "110", "{report}");
    for (words, message) in [
        ("\"--\", \"--scale\", \"x\", \"../a.out\"", "in which it is not clear where the solver begins"),
        ("\"--\", \"Cargo.toml\", \"../a.out\"", "in which it is not clear where the solver begins"),
        ("\"--\", \"--seed={SEED}\", \"../a.out\"", "which names other files of the seed"),
        ("\"--features\", \"x\", \"../a.out\"", "which builds its program with other features"),
    ] {
        let said = with_tester(&format!("{by}, {words}"), "").judge(&["import", "pack", "--to", "out"]);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{message}: {}", said.stderr);
    }
}

#[test]
fn arguments_of_a_solver_are_taken_or_named() {
    let started = "program = \"python3\"\nargs = [\"./main.py\"]";
    for (program, arguments, solver) in [
        ("python3", "\"main.py\", \"--slow\"", "solver = \"main.py --slow\""),
        ("./a.out", "\"--slow\"", "solver = \"main.py --slow\""),
        ("python3", "\"main.py\", \"--seed\", \"{SEED}\"", "solver = \"main.py\""),
        ("java", "\"Main\"", "solver = \"main.py\""),
    ] {
        let folder = project("", &[]);
        let step = CONFIG.replace(started, &format!("program = \"{program}\"\nargs = [{arguments}]"));
        folder.write("pack/pahcer_config.toml", format!("{step}{VIS_STEP}"));
        let said = imported(&folder);
        assert!(catalogue(&folder).contains(solver), "{arguments}: {}", catalogue(&folder));
        let is_left = said.contains("left   the solver's arguments `") && said.contains("`: solvers run without them");
        assert_eq!(is_left, !solver.contains("slow"), "{said}");
    }
}

#[test]
fn cases_whose_folders_have_the_seed_are_named_by_them() {
    if !has("python3", Need::Python) {
        return;
    }
    let config = format!("{CONFIG}{VIS_STEP}").replace("in/{SEED04}.txt", "in/{SEED04}/in.txt");
    let files = [("tools/in/0000/in.txt", "5\n"), ("tools/in/0001/in.txt", "6\n")];
    let folder = project(VIS_STEP, &files);
    folder.write("pack/pahcer_config.toml", &config);
    let said = folder.judge(&["import", "pack", "--to", "out", "--id", "p", "--no-verify"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(verdicts(&folder, "cat"), ["tools-in-0000-in accepted", "tools-in-0001-in accepted"]);
}

#[test]
fn malformed_projects_are_refused_with_file_and_line() {
    let tester = "[[test.test_steps]]\nprogram = \"./judge\"\nargs = [\"x\"]\n";
    let cases: [(&str, &str, &str); 10] = [
        ("end_seed = 3", "end_seed = 0", "pahcer_config.toml:11: `end_seed = 0`"),
        ("end_seed = 3", "end_seed = \"x\"", "pahcer_config.toml:11: "),
        ("end_seed = 3", "end_seed = 1000001", "by at most 1000000"),
        ("start_seed = 0", "start_seed = 2", "there is no file tools/in/0002.txt in the project"),
        ("objective = \"Min\"", "objective = \"Best\"", "pahcer_config.toml:6: bad objective `Best`"),
        ("(?P<score>\\d+)", "(\\d+)", "pahcer_config.toml:7: the first group is not the score"),
        ("(?P<score>\\d+)", "(?P<score>\\d+", "pahcer_config.toml:7: bad regular expression"),
        ("{SEED04}.txt\"\nstdout", "0000.txt\"\nstdout", "its files are the same for all seeds"),
        (
            "./out/{SEED04}.txt\"]",
            "./out/x.txt\"]",
            "no test step reads tools/out/{SEED04}.txt, and none starts a tester",
        ),
        ("[problem]", "[problems]", "missing field `problem`"),
    ];
    for (old, new, message) in cases {
        let folder = project(&format!("{VIS_STEP}{tester}"), &[]);
        let text = format!("{CONFIG}{VIS_STEP}").replace(old, new);
        folder.write("pack/pahcer_config.toml", &text);
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        assert_eq!(said.code, Some(2), "{message}: {}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(message), "{message}: {}", said.stderr);
        assert_eq!(names(folder.path()), ["pack"], "{message}");
    }
}

#[test]
fn unknown_keys_and_further_steps_are_named() {
    let more = "[[test.test_steps]]\nprogram = \"tr\"\nargs = [\"a\", \"b\"]\nstdin = \"in\"\nstdout = \"out\"\n\
                [[test.test_steps]]\nprogram = \"echo\"\nargs = [\"done\"]\nshell = true\n[notes]\nx = 1\n";
    let folder = project(&format!("{VIS_STEP}{more}"), &[]);
    let said = folder.judge(&["import", "pack", "--to", "out", "--no-verify"]);
    for line in [
        "problem ahc-999\n",
        "left   pahcer_config.toml: `notes`",
        "left   pahcer_config.toml: `test.test_steps.shell`",
        "left   test step `tr a b`: it is neither the solver nor the checker",
        "left   test step `echo done`",
    ] {
        assert!(said.stdout.contains(line), "{line}: {}{}", said.stdout, said.stderr);
    }
}
