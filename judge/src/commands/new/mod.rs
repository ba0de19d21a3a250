//! `judge new`: a small problem that works, to start from.

mod template;

use judge_cli::{NewArgs, NewChecker};
use judge_problem::{Exit, quote};
use judge_session::failure::Failure;
use judge_session::programs::{TESTLIB, TESTLIB_SOURCE};
use std::io;
use std::path::{Path, PathBuf};

/// The variable that names a copy of testlib's header.
const TESTLIB_VARIABLE: &str = "JUDGE_TESTLIB";

/// Where else a copy may be.
const TESTLIB_PLACES: [&str; 2] = ["/usr/local/include/testlib.h", "/usr/include/testlib.h"];

/// Makes the folder of a new problem.
pub(super) fn new(args: &NewArgs) -> Result<Exit, Failure> {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    // A folder of such a name would be taken for a flag by other programs.
    if args.id.is_empty() || args.id.starts_with('-') || !args.id.chars().all(valid) {
        let hint = "an id has lower-case letters, digits, `-` and `_`, as in `judge new my-problem`";
        return Err(Failure::usage(format!("bad id `{}`", args.id)).with_hint(hint));
    }
    let folder = Path::new(&args.id);
    let header = testlib()?;
    let files = template::files(&args.id, args.checker, args.interactive);
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
fn testlib() -> Result<Option<Vec<u8>>, Failure> {
    if let Some(named) = std::env::var_os(TESTLIB_VARIABLE).map(PathBuf::from) {
        let unreadable = |error| Failure::usage(format!("{TESTLIB_VARIABLE} names {}: {error}", named.display()));
        return std::fs::read(&named).map(Some).map_err(unreadable);
    }
    Ok(TESTLIB_PLACES.iter().find_map(|place| std::fs::read(place).ok()))
}

/// Puts the header beside the programs that include it, or says how it is got.
fn add_header(places: &[PathBuf], header: Option<&[u8]>) -> Result<(), Failure> {
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

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    judge_report::print(&path.display().to_string())?;
    Ok(())
}
