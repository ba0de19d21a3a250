//! Finds the program of a solver, or refuses the solver; and the fingerprint of its content.

use super::answers;
use super::compiler::RunCompiler;
use super::spec::{self, BUNDLED, SolverError, Source};
use super::toolbox::{BuildSettings, Toolbox};
use crate::matching::matching;
use crate::program::{
    find_program, is_below_here, is_in_journal, is_noexec, is_open, named_program, refuse_private_link, show_arguments,
    start_failure,
};
use crate::runner::{Result, RunError};
use judge_problem::verdict::{self, Termination};
use judge_problem::{
    Allowance, BundledSolver, Digest, Invocation, JOURNAL_FOLDER, Language, LanguageChoice, Languages, Limits, Program,
    Solver, SolverSpec,
};
use judge_sandbox::{End, Execution, Visible};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Finds out how a solver is run, and compiles it if necessary. A solver that cannot be run is not an error here: the
/// result says why.
///
/// # Errors
/// Those of `run`, and when its files cannot be stored.
pub fn prepare(spec: SolverSpec, toolbox: &Toolbox, run: &mut RunCompiler<'_>) -> Result<Solver> {
    let chosen = spec::choose_language(&spec, || toolbox.settings.languages(), &toolbox.settings.choices);
    let (found, allowance) = match chosen {
        Ok(Some(source)) => (Ok(from_source(&source, toolbox, run)?), source.language.allowance),
        Ok(None) => (invocation(&spec, &toolbox.settings), Allowance::default()),
        Err(why) => (Err(why), Allowance::default()),
    };
    let invocation = stage(found.unwrap_or_else(|why| Invocation::CannotStart(why.to_string())), toolbox)?;
    Ok(Solver { spec, invocation, environment: Vec::new(), allowance })
}

fn invocation(spec: &SolverSpec, settings: &BuildSettings) -> Result<Invocation, SolverError> {
    let text = &spec.text;
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return bundled(id, settings);
    }
    if let Some(folder) = spec.answers() {
        let unreadable = |error| format!("cannot read the answers in {}: {error}", folder.display());
        let found = folder.canonicalize();
        return Ok(found.map_or_else(|error| Invocation::CannotStart(unreadable(error)), Invocation::Answers));
    }
    if Path::new(text).is_dir() {
        let why = "a folder without sources of a known language at its top; `judge languages` lists them";
        return Ok(Invocation::CannotStart(format!("{text} is {why}")));
    }
    if Path::new(text).exists() {
        return Ok(from_words(vec![text.into()]));
    }
    match shell_words::split(text) {
        Ok(words) if !words.is_empty() => Ok(from_words(words.into_iter().map(OsString::from).collect())),
        _ => Err(SolverError::Unreadable(text.clone())),
    }
}

/// Returns the bundled solvers of a built-in checker's game, the best first: each as `--solver` takes it, with its summary.
pub fn bundled_for(bundled: &[BundledSolver], checker: &str) -> impl Iterator<Item = (String, &'static str)> {
    // `same-game-free` is a separate game from `same-game`.
    let game = |id: &str| {
        let games = checkers::all().iter().map(|checker| checker.id);
        games.filter(|game| id.starts_with(game)).max_by_key(|game| game.len())
    };
    let own = bundled.iter().filter(move |solver| game(solver.id) == Some(checker));
    own.map(|solver| (format!("{BUNDLED}{}", solver.id), solver.summary))
}

/// Returns the invocation of a bundled solver: the judge's own program.
fn bundled(id: &str, settings: &BuildSettings) -> Result<Invocation, SolverError> {
    check_bundled(id, settings)?;
    Ok(match std::env::current_exe() {
        Ok(path) => Invocation::Program(Program {
            argv: vec!["judge".into(), "solve".into(), id.into()],
            visible: vec![path.clone()],
            path,
            ..Program::default()
        }),
        Err(error) => Invocation::CannotStart(format!("the judge cannot find its own program: {error}")),
    })
}

fn check_bundled(id: &str, settings: &BuildSettings) -> Result<(), SolverError> {
    let is_known = settings.bundled.iter().any(|solver| solver.id == id);
    is_known.then_some(()).ok_or_else(|| SolverError::NotBundled(id.to_owned()))
}

fn from_source(source: &Source<'_>, toolbox: &Toolbox, run: &mut RunCompiler<'_>) -> Result<Invocation> {
    if let Some(why) = refusal_of_source(&source.path) {
        return Ok(Invocation::CannotStart(why));
    }
    let mut built = toolbox.build(source.language, &source.path, run)?;
    if let Invocation::Program(program) = &mut built {
        match show_arguments(source.arguments.iter().map(OsString::from).collect()) {
            Ok((arguments, shown)) => {
                program.argv.extend(arguments);
                program.visible.extend(shown);
                program.copied.push(source.path.clone());
            }
            Err(error) => return Ok(Invocation::CannotStart(error.to_string())),
        }
    }
    Ok(built)
}

/// Finds out how a command, already split into words, is run.
///
/// # Errors
/// When its files cannot be copied.
pub fn find_command(words: Vec<OsString>, toolbox: &Toolbox) -> Result<Invocation> {
    if words.is_empty() {
        return Ok(Invocation::CannotStart("there is no command".to_owned()));
    }
    stage(from_words(words), toolbox)
}

fn from_words(words: Vec<OsString>) -> Invocation {
    named_program(words).map_or_else(|error| Invocation::CannotStart(error.to_string()), Invocation::Program)
}

/// Returns why the judge must not read a source file for a compiler: the compiler's messages would reveal it.
fn refusal_of_source(named: &Path) -> Option<String> {
    let path = named.canonicalize().ok()?;
    if is_in_journal(&path) {
        return Some(format!("{}: no program sees a journal", named.display()));
    }
    // Without a slash at its end, which would follow the link.
    let named = named.components().as_path();
    if named.is_symlink() && path.is_dir() && !is_below_here(&path) {
        let (link, folder) = (named.display(), path.display());
        return Some(format!("{link} is a link to {folder}, outside the current folder; name that folder itself"));
    }
    refuse_private_link(named, &path).err().map(|error| error.to_string())
}

/// Refuses a solver whose program does not exist, or whose source is of an unknown language.
///
/// # Errors
/// When it is such a solver.
pub fn check_solver(spec: &SolverSpec, settings: &BuildSettings) -> Result<(), SolverError> {
    let text = &spec.text;
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return check_bundled(id, settings);
    }
    let path = Path::new(text);
    let language = spec::choose_language(spec, || settings.languages(), &settings.choices)?;
    let is_chosen = |choice: &LanguageChoice| choice.solver.as_ref() == Some(&spec.name);
    if language.is_none() && settings.choices.iter().any(is_chosen) {
        return Err(SolverError::NoSource { text: text.clone() });
    }
    if let Some(folder) = spec.answers() {
        let (name, folder) = (spec.name.clone(), folder.to_owned());
        return if folder.is_dir() { Ok(()) } else { Err(SolverError::NoAnswers { name, folder }) };
    }
    if path.exists() {
        return Ok(());
    }
    let words = shell_words::split(text).map_err(|_| SolverError::Unreadable(text.clone()))?;
    let program = Path::new(words.first().map_or("", |word| word));
    match find_program(program) {
        Err(error) if !program.exists() => {
            Err(SolverError::Missing { name: spec.name.clone(), why: error.to_string() })
        }
        _ => Ok(()),
    }
}

/// Returns how the language of a solver's source compiles and runs it; `None` if the solver is no source.
pub fn language_settings(spec: &SolverSpec, languages: &Languages) -> Option<String> {
    let Language { compile, run, needs, environment, .. } =
        spec::choose_language(spec, || languages, &[]).ok()??.language;
    Some(format!("{compile:?} {run:?} {needs:?} {environment:?}"))
}

/// Refuses unknown languages, and languages that are chosen for solvers that are not in the list.
///
/// # Errors
/// When there is such a choice.
pub fn check_choices(specs: &[SolverSpec], settings: &BuildSettings) -> Result<(), SolverError> {
    for LanguageChoice { solver, language } in &settings.choices {
        spec::named_language(language, settings.languages())?;
        if let Some(solver) = solver
            && !specs.iter().any(|spec| spec.name == *solver)
        {
            return Err(SolverError::NoSuchSolver(solver.clone()));
        }
    }
    let is_source =
        |spec| matches!(spec::choose_language(spec, || settings.languages(), &settings.choices), Ok(Some(_)));
    let for_all = settings.choices.iter().any(|choice| choice.solver.is_none());
    match specs.first() {
        Some(first) if for_all && !specs.iter().any(is_source) => {
            Err(SolverError::NoSource { text: first.text.clone() })
        }
        _ => Ok(()),
    }
}

/// Returns the invocation with every file that other users cannot reach replaced by a copy in the toolbox. If the
/// judge's user is not root, nothing changes, because solvers run as that user.
fn stage(invocation: Invocation, toolbox: &Toolbox) -> Result<Invocation> {
    let Invocation::Program(mut program) = invocation else { return Ok(invocation) };
    let is_private = |path: &Path| path.is_file() && !is_open(path, toolbox.needs_open_parents);
    let is_other_user = rustix::process::geteuid().is_root();
    let private: Vec<_> = program.visible.iter().filter(|path| is_other_user && is_private(path)).cloned().collect();
    for original in private {
        let copy = match toolbox.copy(&original) {
            Ok(copy) => copy,
            Err(error) if File::open(&original).is_ok() => return Err(RunError::Store(error)),
            Err(error) => return Ok(Invocation::CannotStart(format!("cannot copy {}: {error}", original.display()))),
        };
        let moved = |path: &mut PathBuf| {
            if *path == original {
                path.clone_from(&copy);
            }
        };
        moved(&mut program.path);
        program.visible.iter_mut().for_each(moved);
        program
            .argv
            .iter_mut()
            .filter(|word| **word == *original)
            .for_each(|word| *word = copy.clone().into_os_string());
        program.copied.push(original);
    }
    // The judge chose the folder.
    if toolbox.inside(&program.path).is_some() && is_noexec(&program.path) {
        return Err(RunError::Store(io::Error::other(
            "the folder is mounted noexec: programs there cannot be executed",
        )));
    }
    Ok(Invocation::Program(program))
}

/// Returns how a run of `program` ended, as [`verdict::termination`] does; if it could not be started, the note also says
/// what is wrong with the file.
pub fn ending(program: &Path, execution: &Execution, limits: &Limits) -> Termination {
    match (verdict::termination(execution, limits), execution.end) {
        (Termination::Failed(verdict, note), End::NotStarted(errno)) => {
            let why = start_failure(program, Errno::from_raw_os_error(errno));
            Termination::Failed(verdict, why.map_or(note.clone(), |why| format!("{note}: {why}")))
        }
        (ending, _) => ending,
    }
}

/// Folders that are not part of a program: with them, the hash of a solver would change from run to run.
const FOREIGN_FOLDERS: [&str; 2] = [JOURNAL_FOLDER, ".git"];

/// Returns the hash of a solver: its arguments, its own variables, and the content of every file that it can see. Every
/// solver of the run sees the `shared` ones.
pub fn fingerprint(solver: &Solver, shared: &[Visible], toolbox: &Toolbox) -> Digest {
    match &solver.invocation {
        Invocation::Program(Program { path, argv, visible, runtime, environment, .. }) => {
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
            parts.extend(visible.iter().chain(&installed).chain(shared).map(|path| content_or_error(path)));
            parts.extend(runtime.visible.iter().flat_map(|folder| packages(folder)));
            // Results under wider limits differ from results under the limits of the run.
            let allowance = Some(&solver.allowance).filter(|allowance| **allowance != Allowance::default());
            parts.extend(allowance.map(|allowance| format!("{allowance:?}").into_bytes()));
            Digest::of_parts(&parts)
        }
        Invocation::Answers(folder) => answers::fingerprint(folder),
        Invocation::CannotStart(why) | Invocation::NotInstalled(why) | Invocation::CompileError(why) => {
            Digest::of_parts([solver.spec.text.as_bytes(), why.as_bytes()])
        }
    }
}

/// Returns the hash of the content of the files and folders that every solver of a run sees.
pub fn shared_content(shared: &[Visible]) -> Digest {
    Digest::of_parts(shared.iter().map(|visible| content_or_error(&visible.path)))
}

fn content_or_error(path: &Path) -> Vec<u8> {
    content(path).unwrap_or_else(|error| format!("{}: {error}", path.display()).into_bytes())
}

/// Returns the names of the Python packages in a folder of an installation. The names of their metadata folders contain the
/// versions.
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
    let is_foreign = |name: &OsStr| FOREIGN_FOLDERS.iter().any(|foreign| name == *foreign);
    entries.retain(|entry| !is_foreign(&entry.file_name()) && !is_in_journal(&entry.path()));
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut parts = Vec::new();
    for entry in entries {
        parts.push(entry.file_name().as_bytes().to_vec());
        parts.push(content(&entry.path())?);
    }
    Ok(Digest::of_parts(&parts).0.to_vec())
}

#[cfg(test)]
mod tests {
    use super::spec::parse_specs;
    use super::*;
    use judge_problem::Runtime;
    use judge_sandbox::Tier;

    #[test]
    fn missing_files_and_unknown_languages_are_refused() {
        const BUNDLED_SOLVERS: [BundledSolver; 1] = [BundledSolver { id: "columns", summary: "" }];
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.xyz", "a.txt", "a.py", "plain"] {
            std::fs::write(path(name), "x").unwrap();
        }
        let check = |text: &str| {
            let spec = SolverSpec { name: "n".to_owned(), text: text.to_owned() };
            check_solver(&spec, &BuildSettings { bundled: &BUNDLED_SOLVERS, ..BuildSettings::default() })
        };
        for text in
            [&*path("a.txt"), &path("a.py"), &path("plain"), &path(""), "sh", "sh -c 'exit 1'", "bundled:columns"]
        {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let shown = |text: &str| check(text).unwrap_err().to_string();
        assert!(shown(&path("a.xyz")).starts_with("unknown source type .xyz; known: .rs, .cpp, .cc"));
        assert!(shown(&path("missing")).ends_with("missing: No such file or directory (os error 2)"));
        assert!(shown("no-such-command -x").contains("no such command on the PATH"));
        assert_eq!(shown("bundled:colums"), "there is no bundled solver `colums`");
        assert_eq!(shown("./bot 'x"), "`./bot 'x` is not a command line: its quotes do not match");
    }

    fn toolbox() -> Toolbox {
        Toolbox::new(Tier::Bare, BuildSettings::default())
    }

    fn of(text: &str) -> Digest {
        let toolbox = toolbox();
        let spec = parse_specs(&[text.to_owned()]).unwrap().remove(0);
        let solver = prepare(spec, &toolbox, &mut |_, _, _| panic!("nothing is compiled")).unwrap();
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
    fn all_files_of_a_folder_count_except_journals() {
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
                ..Program::default()
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
                runtime: Runtime { visible: vec![folder.path().join("lib")], search: Vec::new() },
                ..Program::default()
            }),
        );
        let now = || fingerprint(&solver, &[], &toolbox());
        let before = now();
        assert_eq!(now(), before);
        std::fs::rename(packages.join("numpy-1.0.dist-info"), packages.join("numpy-2.0.dist-info")).unwrap();
        assert_ne!(now(), before);
    }
}
