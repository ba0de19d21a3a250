//! The fingerprint of a solver's content: it is the same for the same program, whatever its path and name.

use super::Toolbox;
use crate::matching::matching;
use judge_problem::{Allowance, Digest, Invocation, JOURNAL_FOLDER, Program, Solver};
use judge_sandbox::Visible;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Folders that are not part of a program: with them, the hash of a solver would change from run to run.
const FOREIGN_FOLDERS: [&str; 2] = [JOURNAL_FOLDER, ".git"];

/// Returns the hash of a solver: its arguments, its own variables, and the content of every file that it can see, with
/// the `shared` ones that every solver of the run sees.
#[must_use]
pub fn fingerprint(solver: &Solver, shared: &[Visible], toolbox: &Toolbox) -> Digest {
    match &solver.invocation {
        Invocation::Program(Program { path, argv, visible, runtime, environment }) => {
            let arguments = argv.iter().skip(1).map(|word| argument(word, visible, toolbox));
            let variables =
                environment.iter().chain(&solver.environment).map(|(key, value)| format!("{key}={value}").into_bytes());
            let mut parts: Vec<Vec<u8>> = arguments.chain(variables).collect();
            let shared = shared.iter().map(|visible| &visible.path);
            // The folders of an installation may be gigabytes, and belong to the system.
            let installed = [path].into_iter().chain(&runtime.visible).filter(|path| path.is_file());
            let mut installed: Vec<_> = installed.filter_map(|path| path.canonicalize().ok()).collect();
            installed.dedup();
            installed.retain(|path| !visible.contains(path));
            for path in visible.iter().chain(&installed).chain(shared) {
                parts.push(content(path).unwrap_or_else(|error| format!("{}: {error}", path.display()).into_bytes()));
            }
            parts.extend(runtime.visible.iter().flat_map(|folder| packages(folder)));
            parts.extend(allowance(&solver.allowance));
            Digest::of_parts(parts.iter().map(Vec::as_slice))
        }
        Invocation::CannotStart(why) | Invocation::NotInstalled(why) => {
            Digest::of_parts([solver.spec.text.as_bytes(), why.as_bytes()])
        }
        Invocation::CompileError(said) => Digest::of_parts([solver.spec.text.as_bytes(), said.as_bytes()]),
    }
}

/// Returns what a solver may use beyond the limits of its run, if it may: its results are not those under these limits.
fn allowance(allowance: &Allowance) -> Option<Vec<u8>> {
    (*allowance != Allowance::default()).then(|| format!("{allowance:?}").into_bytes())
}

/// Returns the names of the Python packages in a folder of an installation; those of their metadata have the versions.
fn packages(folder: &Path) -> Vec<Vec<u8>> {
    let found = ["python*/site-packages/*", "lib/python*/site-packages/*"].map(|pattern| matching(folder, pattern));
    let paths = found.iter().flatten().flatten();
    let mut names: Vec<_> = paths.filter_map(|path| Some(path.file_name()?.as_bytes().to_vec())).collect();
    names.sort();
    names
}

/// Returns a file's name without its folder: its content counts, not its path.
fn argument(word: &OsStr, visible: &[PathBuf], toolbox: &Toolbox) -> Vec<u8> {
    let path = Path::new(word);
    let moved = match toolbox.inside(path) {
        Some(inside) => inside,
        None if visible.iter().any(|visible| visible == path) => path.file_name().unwrap_or(word).into(),
        None => path.to_owned(),
    };
    moved.into_os_string().as_bytes().to_vec()
}

/// Returns the hash of a file, or of everything in a folder.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let meta = path.symlink_metadata()?;
    if meta.is_symlink() {
        return Ok(path.read_link()?.into_os_string().as_bytes().to_vec());
    }
    if meta.is_dir() {
        return folder(path);
    }
    if !meta.is_file() {
        return Err(io::Error::other("neither a file nor a folder"));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().as_bytes().to_vec())
}

fn folder(path: &Path) -> io::Result<Vec<u8>> {
    let mut entries = path.read_dir()?.collect::<io::Result<Vec<_>>>()?;
    entries.retain(|entry| !FOREIGN_FOLDERS.iter().any(|foreign| entry.file_name() == *foreign));
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut parts = Vec::new();
    for entry in entries {
        parts.push(entry.file_name().as_bytes().to_vec());
        parts.push(content(&entry.path())?);
    }
    Ok(Digest::of_parts(parts.iter().map(Vec::as_slice)).0.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{BuildSettings, parse_specs, prepare};
    use judge_problem::Runtime;
    use judge_sandbox::Tier;

    fn toolbox() -> Toolbox {
        Toolbox::new(Tier::Bare, BuildSettings::default())
    }

    fn of(text: &str) -> Digest {
        let toolbox = toolbox();
        let spec = parse_specs(&[text.to_owned()]).unwrap().remove(0);
        let solver = prepare(spec, &toolbox, &mut |_, _, _| Err("nothing is compiled")).unwrap();
        fingerprint(&solver, &[], &toolbox)
    }

    fn write(path: &Path, text: &str) -> String {
        std::fs::write(path, text).unwrap();
        path.display().to_string()
    }

    #[test]
    fn the_content_counts_and_the_arguments_but_not_the_place() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let script = write(&here.path().join("bot.sh"), "echo 1");
        let same = write(&there.path().join("bot.sh"), "echo 1");
        let before = of(&format!("sh {script}"));
        assert_eq!(of(&format!("sh {same}")), before);
        assert_ne!(of(&format!("sh {script} --fast")), before);
        write(Path::new(&script), "echo 2");
        assert_ne!(of(&format!("sh {script}")), before);
    }

    #[test]
    fn a_folder_counts_with_all_that_is_in_it_but_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("lib/.judge")).unwrap();
        write(&folder.path().join("lib/a.sh"), "1");
        let lib = folder.path().join("lib");
        let solver = Solver::new(
            parse_specs(&["bot".to_owned()]).unwrap().remove(0),
            Invocation::Program(Program {
                path: "/bin/sh".into(),
                argv: vec!["sh".into(), lib.clone().into_os_string()],
                visible: vec![lib.clone()],
                runtime: Runtime::default(),
                environment: Vec::new(),
            }),
        );
        let now = || fingerprint(&solver, &[], &toolbox());
        let before = now();
        write(&lib.join(".judge/journal.db"), "x");
        assert_eq!(now(), before);
        let tuned = Solver { environment: vec![("DEPTH".to_owned(), "3".to_owned())], ..solver.clone() };
        assert_ne!(fingerprint(&tuned, &[], &toolbox()), before);
        let extra_processes = 1;
        let allowed = Solver { allowance: Allowance { extra_processes, ..Allowance::default() }, ..solver.clone() };
        assert_ne!(fingerprint(&allowed, &[], &toolbox()), before);
        write(&lib.join("b.sh"), "2");
        assert_ne!(now(), before);
    }

    #[test]
    fn the_packages_of_an_installation_count() {
        let folder = tempfile::tempdir().unwrap();
        let packages = folder.path().join("lib/python3.9/site-packages");
        std::fs::create_dir_all(packages.join("numpy-1.0.dist-info")).unwrap();
        let solver = Solver::new(
            parse_specs(&["bot".to_owned()]).unwrap().remove(0),
            Invocation::Program(Program {
                path: "/bin/sh".into(),
                argv: vec!["sh".into()],
                visible: Vec::new(),
                runtime: Runtime { visible: vec![folder.path().join("lib")], search: Vec::new() },
                environment: Vec::new(),
            }),
        );
        let now = || fingerprint(&solver, &[], &toolbox());
        let before = now();
        assert_eq!(now(), before);
        std::fs::rename(packages.join("numpy-1.0.dist-info"), packages.join("numpy-2.0.dist-info")).unwrap();
        assert_ne!(now(), before);
    }
}
