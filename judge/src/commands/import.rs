//! `judge import`: writes the problem of a package as a catalogue of its own.

use crate::cli::{BuildArgs, ImportArgs, ImportKind, SandboxArgs};
use crate::import::{self, ImportError, Imported, ToCompile};
use crate::manifest::Catalogue;
use crate::model::{Exit, Invocation, Problem, SolverSpec, quote, visible};
use crate::report;
use crate::solver::Toolbox;
use crate::workflow::failure::Failure;
use crate::workflow::{build, load, sandbox};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The name of the catalogue in the folder that is written.
const CATALOGUE: &str = "problems.toml";

/// Writes the problem of a package into a new folder.
pub(super) fn import(args: &ImportArgs) -> Result<Exit, Failure> {
    if !args.source.is_dir() {
        let failure = Failure::usage(format!("{} is not a folder", args.source.display()));
        return Err(failure.with_hint("give the folder of a package, unpacked"));
    }
    let imported = match args.kind {
        Some(ImportKind::Kattis) | None => import::read_kattis(&args.source, args.id.as_deref()),
    };
    let imported = imported.map_err(not_imported)?;
    check_id(&imported.id)?;
    let target = args.to.clone().unwrap_or_else(|| PathBuf::from(&imported.id));
    check_target(&target)?;
    let staged = stage(&imported, &target)?;
    publish(staged, &target)?;
    show(&imported, &target)?;
    Ok(Exit::Success)
}

fn not_imported(error: ImportError) -> Failure {
    let is_unknown = matches!(error, ImportError::Unknown(_));
    let failure = Failure::usage(error);
    if is_unknown { failure.with_hint("a package of Kattis or ICPC has a problem.yaml at its top") } else { failure }
}

fn check_id(id: &str) -> Result<(), Failure> {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !id.is_empty() && id.chars().all(valid) {
        return Ok(());
    }
    let failure = Failure::usage(format!("bad id `{id}`: expected lower-case letters, digits, `-` and `_`"));
    Err(failure.with_hint("name the problem: --id my-problem"))
}

/// Refuses a folder that has something in it.
fn check_target(target: &Path) -> Result<(), Failure> {
    let is_empty = target.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    if is_empty || target.symlink_metadata().is_err() {
        return Ok(());
    }
    let failure = Failure::usage(format!("{} is there already, and nothing is overwritten", target.display()));
    Err(failure.with_hint("name another folder: --to DIR"))
}

/// Writes everything into a folder beside the target, and checks that the catalogue is one.
fn stage(imported: &Imported, target: &Path) -> Result<TempDir, Failure> {
    let unwritable = |error: io::Error| load::unwritable("the problem", target, &error);
    // The folders above it are made when nothing can fail any more.
    let beside = target.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let staged = tempfile::Builder::new().prefix(".judge-import-").tempdir_in(beside).map_err(unwritable)?;
    for (from, to) in &imported.files {
        copy(from, &staged.path().join(to)).map_err(|error| {
            Failure::usage(format!("cannot copy {} into {}: {error}", from.display(), target.display()))
        })?;
    }
    fs::write(staged.path().join(CATALOGUE), &imported.catalogue).map_err(unwritable)?;
    let shown = target.join(CATALOGUE).display().to_string();
    let catalogue =
        Catalogue::parse(&shown, &imported.catalogue, &fs::canonicalize(staged.path()).map_err(unwritable)?);
    let catalogue = catalogue.map_err(|error| {
        Failure::from(error).with_hint("nothing was written: this is what the package would have become")
    })?;
    let problem = catalogue.find(&imported.id)?;
    if let Some(program) = &imported.program {
        compile(&catalogue, problem, program, staged.path())?;
    }
    Ok(staged)
}

/// Copies a file, without what its mode forbids.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop)
}

/// Compiles the checker in the sandbox, and keeps its program beside its sources.
fn compile(catalogue: &Catalogue, problem: &Problem, wanted: &ToCompile, folder: &Path) -> Result<(), Failure> {
    let source = wanted.source.canonicalize().map_err(Failure::usage)?;
    let spec = SolverSpec { name: "output_validator".to_owned(), text: source.display().to_string() };
    let sandbox = sandbox::open(&SandboxArgs::default())?;
    let settings = build::settings(catalogue, problem, &problem.limits, &BuildArgs::default())?;
    let mut toolbox = Toolbox::new(sandbox.tier(), settings).map_err(Failure::fault)?;
    let solver = build::prepare(spec, &mut toolbox, &sandbox)?;
    let not_built = |why: &str| {
        Failure::usage(format!("{}: the output validator does not compile: {why}", wanted.source.display()))
    };
    match solver.invocation {
        Invocation::Program(program) if program.argv.len() == 1 => {
            copy(&program.path, &folder.join(&wanted.program)).map_err(Failure::fault)
        }
        Invocation::Program(_) => Err(not_built("its language makes no program")),
        Invocation::CompileError(why) | Invocation::CannotStart(why) => Err(not_built(&why)),
    }
}

/// Gives the folder its name, in one step.
fn publish(staged: TempDir, target: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let unwritable = |error: io::Error| load::unwritable("the problem", target, &error);
    fs::set_permissions(staged.path(), fs::Permissions::from_mode(0o755)).map_err(unwritable)?;
    if let Some(above) = target.parent() {
        fs::create_dir_all(above).map_err(unwritable)?;
    }
    fs::rename(staged.path(), target).map_err(unwritable)?;
    // What it names is gone: there is nothing left to remove.
    let _ = staged.keep();
    Ok(())
}

fn show(imported: &Imported, target: &Path) -> Result<(), Failure> {
    let catalogue = target.join(CATALOGUE);
    let mut lines = vec![format!("wrote {}: problem {}", catalogue.display(), imported.id)];
    lines.extend(imported.taken.iter().map(|line| format!("  taken  {line}")));
    lines.extend(imported.left.iter().map(|line| format!("  left   {line}")));
    let lines: Vec<_> = lines.iter().map(|line| visible(line)).collect();
    report::print(&lines.join("\n"))?;
    let file = quote(&catalogue.to_string_lossy());
    report::print(&format!("next: judge verify --problems {file} -p {}", imported.id))?;
    report::print(&format!("      judge run --problems {file} -p {} -s ./solution", imported.id))?;
    Ok(())
}
