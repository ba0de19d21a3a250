//! `judge new`: a small problem that works, to start from.

use crate::cli::NewArgs;
use crate::model::{Exit, quote};
use crate::report;
use crate::workflow::failure::Failure;
use std::io;
use std::path::Path;

/// The files of a new problem. `ID` in the catalogue stands for its id.
const FILES: [(&str, &str); 9] = [
    ("problems.toml", include_str!("../../templates/new/problems.toml")),
    ("gen.py", include_str!("../../templates/new/gen.py")),
    ("validate.py", include_str!("../../templates/new/validate.py")),
    ("check.py", include_str!("../../templates/new/check.py")),
    ("solutions/good.py", include_str!("../../templates/new/solutions/good.py")),
    ("solutions/plain.py", include_str!("../../templates/new/solutions/plain.py")),
    ("solutions/wrong.py", include_str!("../../templates/new/solutions/wrong.py")),
    (".gitignore", include_str!("../../templates/new/gitignore")),
    (".github/workflows/verify.yml", include_str!("../../templates/new/verify.yml")),
];

/// Makes the folder of a new problem.
pub(super) fn new(args: &NewArgs) -> Result<Exit, Failure> {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    // A folder of such a name would be taken for a flag by other programs.
    if args.id.is_empty() || args.id.starts_with('-') || !args.id.chars().all(valid) {
        let hint = "an id has lower-case letters, digits, `-` and `_`, as in `judge new my-problem`";
        return Err(Failure::usage(format!("bad id `{}`", args.id)).with_hint(hint));
    }
    let folder = Path::new(&args.id);
    std::fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(format!("there is already something named {}", args.id))
            .with_hint("choose another id, or move it away: nothing is overwritten"),
        _ => Failure::usage(format!("cannot make the folder {}: {error}", args.id)),
    })?;
    for (name, text) in FILES {
        let path = folder.join(name);
        write(&path, &text.replace("ID", &args.id))
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
        report::print(&path.display().to_string())?;
    }
    report::note(&format!("next: cd {} && judge verify", quote(&args.id)));
    Ok(Exit::Success)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, text)
}
