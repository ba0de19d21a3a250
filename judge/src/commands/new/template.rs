//! The files of a new problem.

use judge_cli::NewChecker;

/// A file by its name, with its text.
pub(super) type TemplateFile = (&'static str, String);

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("../../../templates/new/", $name))
    };
}

/// Returns the files of a new problem. Those made with testlib still lack its header.
pub(super) fn files(id: &str, checker: NewChecker, interactive: bool) -> Vec<TemplateFile> {
    let (commands, programs) = if interactive { interactor(checker) } else { answer_checker(checker) };
    let catalogue = if interactive { template!("interactive/problems.toml") } else { template!("problems.toml") };
    let catalogue = catalogue.replace("ID", id).replace("COMMANDS", commands);
    let texts = if interactive { CONVERSATION } else { KNAPSACK };
    let all = texts.into_iter().chain(COMMON).chain(programs.iter().copied());
    let named = all.map(|(name, text)| (name, text.to_owned()));
    std::iter::once(("problems.toml", catalogue)).chain(named).collect()
}

const COMMON: [(&str, &str); 2] =
    [(".gitignore", template!("gitignore")), (".github/workflows/verify.yml", template!("verify.yml"))];

/// The programs of the problem whose answers are checked, but for the checker.
const KNAPSACK: [(&str, &str); 5] = [
    ("gen.py", template!("gen.py")),
    ("validate.py", template!("validate.py")),
    ("solutions/good.py", template!("solutions/good.py")),
    ("solutions/plain.py", template!("solutions/plain.py")),
    ("solutions/wrong.py", template!("solutions/wrong.py")),
];

/// The programs of the interactive problem, but for the interactor.
const CONVERSATION: [(&str, &str); 5] = [
    ("gen.py", template!("interactive/gen.py")),
    ("validate.py", template!("interactive/validate.py")),
    ("solutions/good.py", template!("interactive/solutions/good.py")),
    ("solutions/plain.py", template!("interactive/solutions/plain.py")),
    ("solutions/wrong.py", template!("interactive/solutions/wrong.py")),
];

/// Returns the commands of the catalogue, and the files that they name.
fn answer_checker(checker: NewChecker) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match checker {
        NewChecker::Python => {
            ("checker-command = \"python3 check.py {input} {answer}\"", &[("check.py", template!("check.py"))])
        }
        NewChecker::Rust => {
            ("checker-command = \"check.rs {input} {answer}\"", &[("check.rs", template!("rust/check.rs"))])
        }
        NewChecker::Cpp => {
            ("checker-command = \"check.cpp {input} {answer}\"", &[("check.cpp", template!("cpp/check.cpp"))])
        }
        NewChecker::Testlib => (
            "checker-command = \"checker/\"\nchecker-protocol = \"testlib\"",
            &[("checker/check.cpp", template!("testlib/check.cpp"))],
        ),
    }
}

/// The same of an interactive problem.
fn interactor(checker: NewChecker) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match checker {
        NewChecker::Python => (
            "interactor-command = \"python3 interact.py {input} {report}\"",
            &[("interact.py", template!("interactive/interact.py"))],
        ),
        NewChecker::Rust => (
            "interactor-command = \"interact.rs {input} {report}\"",
            &[("interact.rs", template!("interactive/interact.rs"))],
        ),
        NewChecker::Cpp => (
            "interactor-command = \"interact.cpp {input} {report}\"",
            &[("interact.cpp", template!("interactive/interact.cpp"))],
        ),
        NewChecker::Testlib => (
            "interactor-command = \"interactor/\"\nchecker-command = \"checker/\"\nchecker-protocol = \"testlib\"",
            &[
                ("interactor/interact.cpp", template!("interactive/testlib.cpp")),
                ("checker/check.cpp", template!("interactive/check.cpp")),
            ],
        ),
    }
}
