//! `judge new`: a small problem that works, to start from.

use judge_cli::{NewArgs, NewChecker};
use judge_problem::{Exit, Problem, quote};
use judge_session::programs::{TESTLIB, TESTLIB_SOURCE};
use judge_session::{Failure, Result};
use std::io;
use std::path::{Path, PathBuf};

/// The variable that names a copy of testlib's header.
const TESTLIB_VARIABLE: &str = "JUDGE_TESTLIB";

/// Where else a copy may be.
const TESTLIB_PLACES: [&str; 2] = ["/usr/local/include/testlib.h", "/usr/include/testlib.h"];

/// Makes the folder of a new problem.
pub(super) fn new(args: &NewArgs) -> Result<Exit> {
    // Other programs would read a folder's name that begins with `-` as a flag.
    if !Problem::is_id(&args.id) || args.id.starts_with('-') {
        let hint = "an id has lower-case letters, digits, `-` and `_`, as in `judge new my-problem`";
        return Err(Failure::usage(format!("bad id `{}`", args.id)).with_hint(hint));
    }
    let folder = Path::new(&args.id);
    let header = testlib()?;
    let files = files(&args.id, args.checker, args.interactive);
    std::fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(format!("there is already something named {}", args.id))
            .with_hint("choose another id, or move it away: nothing is overwritten"),
        _ => Failure::usage(format!("cannot make the folder {}: {error}", args.id)),
    })?;
    for (name, text) in &files {
        write(&folder.join(name), text.as_bytes())?;
    }
    if args.checker == NewChecker::Testlib {
        let sources = files.iter().map(|(name, _)| folder.join(name));
        let missing = sources.filter(|path| path.extension().is_some_and(|ending| ending == "cpp"));
        add_header(&missing.map(|path| path.with_file_name(TESTLIB)).collect::<Vec<_>>(), header.as_deref())?;
    }
    judge_report::note(&format!("next: cd {} && judge verify", quote(&args.id)));
    Ok(Exit::Success)
}

/// Returns testlib's header, if there is a copy of it.
fn testlib() -> Result<Option<Vec<u8>>> {
    if let Some(named) = std::env::var_os(TESTLIB_VARIABLE).map(PathBuf::from) {
        let unreadable = |error| Failure::usage(format!("{TESTLIB_VARIABLE} names {}: {error}", named.display()));
        return std::fs::read(&named).map(Some).map_err(unreadable);
    }
    Ok(TESTLIB_PLACES.iter().find_map(|place| std::fs::read(place).ok()))
}

/// Copies the header to the programs that include it, or notes how to get it.
fn add_header(places: &[PathBuf], header: Option<&[u8]>) -> Result<()> {
    for (place, first) in places.iter().zip([None, places.first()]) {
        match (header, first) {
            (Some(header), _) => write(place, header)?,
            (None, None) => judge_report::note(&format!(
                "{TESTLIB} is missing, which is not part of the judge: curl -o {} {TESTLIB_SOURCE}",
                quote(&place.to_string_lossy())
            )),
            (None, Some(first)) => {
                let [from, to] = [first, place].map(|path| quote(&path.to_string_lossy()));
                judge_report::note(&format!("and: cp {from} {to}"));
            }
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    judge_report::print(&path.display().to_string())?;
    Ok(())
}

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("../../templates/new/", $name))
    };
}

/// Returns the names and texts of the files of a new problem. The header of testlib is not among them.
fn files(id: &str, checker: NewChecker, interactive: bool) -> Vec<(&'static str, String)> {
    let (commands, programs) = programs(checker, interactive);
    let catalogue = if interactive { template!("interactive/problems.toml") } else { template!("problems.toml") };
    let catalogue = catalogue.replace("ID", id).replace("COMMANDS", commands);
    let texts = if interactive { CONVERSATION } else { KNAPSACK };
    let all = texts.into_iter().chain(COMMON).chain(programs.iter().copied());
    let named = all.map(|(name, text)| (name, text.to_owned()));
    std::iter::once(("problems.toml", catalogue)).chain(named).collect()
}

const COMMON: [(&str, &str); 2] =
    [(".gitignore", template!("gitignore")), (".github/workflows/verify.yml", template!("verify.yml"))];

/// The programs, except the checker, of the problem whose answers are checked.
const KNAPSACK: [(&str, &str); 5] = [
    ("gen.py", template!("gen.py")),
    ("validate.py", template!("validate.py")),
    ("solutions/good.py", template!("solutions/good.py")),
    ("solutions/plain.py", template!("solutions/plain.py")),
    ("solutions/wrong.py", template!("solutions/wrong.py")),
];

/// The programs of the interactive problem, except the interactor.
const CONVERSATION: [(&str, &str); 5] = [
    ("gen.py", template!("interactive/gen.py")),
    ("validate.py", template!("interactive/validate.py")),
    ("solutions/good.py", template!("interactive/solutions/good.py")),
    ("solutions/plain.py", template!("interactive/solutions/plain.py")),
    ("solutions/wrong.py", template!("interactive/solutions/wrong.py")),
];

/// Returns the commands of the catalogue, and the files that they name.
fn programs(checker: NewChecker, interactive: bool) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match (checker, interactive) {
        (NewChecker::Python, false) => {
            ("checker-command = \"python3 check.py {input} {answer}\"", &[("check.py", template!("check.py"))])
        }
        (NewChecker::Rust, false) => {
            ("checker-command = \"check.rs {input} {answer}\"", &[("check.rs", template!("rust/check.rs"))])
        }
        (NewChecker::Cpp, false) => {
            ("checker-command = \"check.cpp {input} {answer}\"", &[("check.cpp", template!("cpp/check.cpp"))])
        }
        (NewChecker::Testlib, false) => (
            "checker-command = \"checker/\"\nchecker-protocol = \"testlib\"",
            &[("checker/check.cpp", template!("testlib/check.cpp"))],
        ),
        (NewChecker::Python, true) => (
            "interactor-command = \"python3 interact.py {input} {report}\"",
            &[("interact.py", template!("interactive/interact.py"))],
        ),
        (NewChecker::Rust, true) => (
            "interactor-command = \"interact.rs {input} {report}\"",
            &[("interact.rs", template!("interactive/interact.rs"))],
        ),
        (NewChecker::Cpp, true) => (
            "interactor-command = \"interact.cpp {input} {report}\"",
            &[("interact.cpp", template!("interactive/interact.cpp"))],
        ),
        (NewChecker::Testlib, true) => (
            "interactor-command = \"interactor/\"\nchecker-command = \"checker/\"\nchecker-protocol = \"testlib\"",
            &[
                ("interactor/interact.cpp", template!("interactive/testlib.cpp")),
                ("checker/check.cpp", template!("interactive/check.cpp")),
            ],
        ),
    }
}
