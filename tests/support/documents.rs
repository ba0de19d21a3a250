//! Parts of the documentation that users should copy, and a folder to try them in.

use crate::support::require::{Need, skip};
use crate::support::{Folder, of_cases};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A substitute for the real game: the case is its seed, and an answer is a number that is its own score.
pub(crate) const CATALOGUE: &str = "[[problem]]
id = \"columns\"
generator-command = \"echo {seed}\"
checker-command = \"sh check.sh {input} {answer}\"
seeds = \"1-20\"
";

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The variables with which Python finds the package of `judge/python`, and the judge. Python's compiled files stay out
/// of the repository.
pub(crate) fn package() -> [(&'static str, &'static str); 3] {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/python/src");
    [("PYTHONPATH", sources), ("PYTHONDONTWRITEBYTECODE", "1"), ("JUDGE", env!("CARGO_BIN_EXE_judge"))]
}

pub(crate) fn document(name: &str) -> String {
    std::fs::read_to_string(repository().join("docs").join(name)).unwrap()
}

/// A folder with the problem, and with the judge as `bin/judge`.
pub(crate) fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    folder.write("check.sh", "read -r score < \"$2\" || exit 1\necho \"$score\"\n");
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_judge"), folder.path().join("bin/judge")).unwrap();
    folder
}

/// Runs a command in the folder, with the judge on its path.
pub(crate) fn run(folder: &Folder, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let path = format!("{}:{}", folder.path().join("bin").display(), system_first());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path()).env("PATH", path).env_remove("GITHUB_STEP_SUMMARY");
    // Uses neither the user's own settings nor programs that other tests have compiled.
    command.env("JUDGE_CACHE", folder.path().join(".cache")).env("XDG_CONFIG_HOME", folder.path().join(".config"));
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The user's path after the system's programs: a Python of a version manager takes several times as long to start.
pub(crate) fn system_first() -> String {
    format!("/usr/bin:{}", std::env::var("PATH").unwrap())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether there is a Python with this module; prints a message if not.
pub(crate) fn python_has(module: &str, need: Need) -> bool {
    let found = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        skip(need, format!("python3 cannot import {module}"));
    }
    is_there
}

/// Every command of a workflow file that begins with these words.
pub(crate) fn commands<'a>(workflow: &'a str, words: &str) -> Vec<&'a str> {
    let lines = workflow.lines().map(|line| line.trim().trim_start_matches("- ").trim_start_matches("run: "));
    lines.filter(|line| line.starts_with(words)).collect()
}

/// Scripts that each print something different.
const GARBAGE: [(&str, &str); 7] = [
    ("nothing", ":"),
    ("empty-line", "echo"),
    ("nines", "head -c 900000 /dev/zero | tr '\\0' 9; echo"),
    ("no-end-of-line", "head -c 9000 /dev/zero | tr '\\0' 9"),
    ("no-text", "printf '\\377\\376\\n'"),
    ("other-digits", "printf '\\302\\262\\n'"),
    ("nulls", "printf '1\\0002\\n'"),
];

/// Asserts that each of them is a wrong answer with these arguments.
pub(crate) fn garbage_is_wrong(folder: &Folder, run: &[&str]) {
    let mut arguments = run.to_vec();
    for (name, body) in GARBAGE {
        folder.script(name, body);
    }
    let solvers = GARBAGE.map(|(name, _)| format!("./{name}"));
    solvers.iter().for_each(|solver| arguments.extend(["-s", solver]));
    let (_, report) = folder.json(&arguments);
    let verdicts = of_cases(&report, "verdict");
    assert!(!verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == "wrong-answer"), "{run:?}: {report:#}");
}
