//! `judge import`: writes the problem of a package as a catalogue of its own.

mod builder;

use crate::commands::import::builder::{Measured, ProgramBuilder, measure};
use crate::commands::verify::verify;
use judge_cli::{ImportArgs, VerifyArgs};
use judge_import::{DerivedLimit, ImportError, Imported, Source};
use judge_problem::{Catalogue, PackageKind};
use judge_problem::{Exit, Problem, counted, quote, visible};
use judge_report::Steps;
use judge_session::{Failure, GlobalArgs, load};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The name of the catalogue in the folder that is written.
const CATALOGUE: &str = "problems.toml";

/// Writes the problem of a package into a new folder, and has it checked there.
pub(super) fn import(args: &ImportArgs) -> Result<Exit, Failure> {
    let source = Source::open(&args.source).map_err(not_imported)?;
    if judge_import::builds(&source.root, args.kind) {
        judge_report::note("building the tools with cargo, outside the sandbox: this may take minutes");
    }
    let imported = judge_import::read(&source.root, args.kind, args.id.as_deref());
    // Where a file is missing, it may be one that a link should lead to.
    let links = || judge_import::broken_links(&source.root);
    let mut imported = imported.map_err(|error| with_links(not_imported(source.explain(error)), &links()))?;
    check_id(&imported.id)?;
    let target = args.to.clone().unwrap_or_else(|| PathBuf::from(&imported.id));
    write(&mut imported, &target, args).map_err(|failure| with_links(failure, &links()))?;
    show(&imported, &target)?;
    let catalogue = target.join(CATALOGUE);
    let file = quote(&catalogue.to_string_lossy());
    judge_report::print(&format!("next: judge run --problems {file} -p {} -s ./solution", imported.id))?;
    if args.no_verify {
        judge_report::print(&format!("      judge verify --problems {file}"))?;
        return Ok(Exit::Success);
    }
    judge_report::print(&format!("judge verify --problems {file}:"))?;
    let verified = VerifyArgs { jobs: args.jobs.clone(), sandbox: args.sandbox.clone(), ..VerifyArgs::default() };
    let bundled = super::generate::bundled();
    verify(GlobalArgs { catalogue: Some(&catalogue), bundled, ..GlobalArgs::default() }, &verified)
}

fn not_imported(error: ImportError) -> Failure {
    let hint = match &error {
        ImportError::Unknown(_) => format!("a package has one of these: {}", PackageKind::signs(&PackageKind::ALL)),
        ImportError::Several(_, kinds) => format!("say which one it is: --kind {}", kinds[0].name()),
        ImportError::Other(..) => "leave out --kind: the kind is detected".to_owned(),
        _ => return Failure::usage(error),
    };
    Failure::usage(error).with_hint(hint)
}

/// Adds the links of the package that lead nowhere to a failure.
fn with_links(failure: Failure, links: &[String]) -> Failure {
    match links {
        [] => failure,
        [first, ..] => {
            failure.with_hint(format!("if the problem needs it, put the file in its place with `cp`: {first}"))
        }
    }
}

fn check_id(id: &str) -> Result<(), Failure> {
    if Problem::is_id(id) {
        return Ok(());
    }
    let failure = Failure::usage(format!("bad id `{id}`: expected lower-case letters, digits, `-` and `_`"));
    Err(failure.with_hint("name the problem: --id my-problem"))
}

/// Writes everything, or nothing. The catalogue is read back, and programs are compiled, before the folder gets its name.
fn write(imported: &mut Imported, target: &Path, args: &ImportArgs) -> Result<(), Failure> {
    let folder = NewFolder::begin(target, "name another folder, as nothing is overwritten: --to DIR")?;
    for (from, to) in &imported.files {
        folder.copy(from, to)?;
    }
    for empty in &imported.empty {
        folder.create(empty)?;
    }
    folder.write(Path::new(CATALOGUE), imported.catalogue.as_bytes())?;
    let shown = target.join(CATALOGUE).display().to_string();
    let place = fs::canonicalize(folder.path()).map_err(Failure::fault)?;
    let mut catalogue = Catalogue::parse(&shown, &imported.catalogue, &place).map_err(|error| {
        Failure::from(error).with_hint("nothing was written: this is what the package would have become")
    })?;
    let problem = catalogue.find(&imported.id)?;
    if !imported.programs.is_empty() || !imported.made.is_empty() {
        let (programs, made) = (imported.programs.len(), imported.made.len());
        let what = [(programs, "compiling", "program"), (made, "making", "file")];
        let parts = what.iter().filter(|(count, ..)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, verb, noun)| format!("{verb} {}", counted(*count, noun))).collect();
        judge_report::note(&parts.join(" and "));
        let mut builder = ProgramBuilder::open(&catalogue, problem, &args.sandbox, &folder)?;
        let mut steps = Steps::start(programs + made);
        for program in &imported.programs {
            steps.begin(&program.sources.what);
            builder.compile(program)?;
            steps.end();
        }
        for file in &imported.made {
            steps.begin(&file.file.display().to_string());
            builder.make(file)?;
            steps.end();
        }
    }
    if let Some(derived) = imported.time_limit.take() {
        let measured = match args.no_verify {
            true => Err("it is derived from the accepted submissions without --no-verify".to_owned()),
            false => measure(&derived, &mut catalogue, &imported.id, args)?,
        };
        note_limit(imported, &derived, measured);
        folder.write(Path::new(CATALOGUE), imported.catalogue.as_bytes())?;
    }
    folder.publish()
}

/// Notes the time limit that was measured, or that there is none.
fn note_limit(imported: &mut Imported, derived: &DerivedLimit, measured: Measured) {
    match measured {
        Ok((limit, source)) => {
            imported.catalogue = derived.write(&imported.catalogue, limit, &source);
            imported.taken.push(format!("the time limit {limit}: {source}"));
        }
        Err(why) => imported.left.push(format!(
            "the time limit: the package gives none, and {why}: 10s hold: set `cpu` in [problem.limits]"
        )),
    }
}

fn show(imported: &Imported, target: &Path) -> Result<(), Failure> {
    let catalogue = target.join(CATALOGUE);
    let mut lines = vec![format!("wrote {}: problem {}", catalogue.display(), imported.id)];
    lines.extend(imported.taken.iter().map(|line| format!("  taken  {line}")));
    lines.extend(imported.left.iter().map(|line| format!("  left   {line}")));
    let lines: Vec<_> = lines.iter().map(|line| visible(line)).collect();
    judge_report::print(&lines.join("\n"))?;
    Ok(())
}

/// A folder that is written under a temporary name. It gets its final name when it is complete, and is removed
/// otherwise.
#[derive(Debug)]
pub(super) struct NewFolder {
    staged: TempDir,
    target: PathBuf,
}

impl NewFolder {
    /// Begins an empty folder for a place. `hint`: the remedy if something other than an empty folder exists there.
    pub(super) fn begin(target: &Path, hint: &str) -> Result<Self, Failure> {
        let is_empty = target.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty && target.symlink_metadata().is_ok() {
            let failure = Failure::usage(format!("there is already something named {}", target.display()));
            return Err(failure.with_hint(hint));
        }
        // The folders above it are made last, when no other step can fail.
        let folders = target.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let above = folders.into_iter().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let staged = tempfile::Builder::new().prefix(".judge-new-").tempdir_in(above);
        Ok(Self { staged: staged.map_err(|error| unwritable(target, &error))?, target: target.to_owned() })
    }

    /// Returns where the folder is until it is complete.
    pub(super) fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Writes a file.
    pub(super) fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let write = || fs::write(self.place(name)?, bytes);
        write().map_err(|error| unwritable(&self.target.join(name), &error))
    }

    /// Makes an empty file.
    pub(super) fn create(&self, name: &Path) -> Result<File, Failure> {
        let create = || File::create(self.place(name)?);
        create().map_err(|error| unwritable(&self.target.join(name), &error))
    }

    /// Copies a file, without the permissions that its mode forbids.
    pub(super) fn copy(&self, from: &Path, name: &Path) -> Result<(), Failure> {
        let copy = || fs::copy(from, self.place(name)?);
        copy().map(drop).map_err(|error| {
            let to = self.target.join(name);
            Failure::usage(format!("cannot copy {} to {}: {error}", from.display(), to.display()))
        })
    }

    /// Returns the path of a file, in a folder that is there.
    fn place(&self, name: &Path) -> io::Result<PathBuf> {
        let path = self.staged.path().join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(path)
    }

    /// Renames the folder to its final name, in one step. Into an empty folder without a name, such as the current one,
    /// its files are moved.
    pub(super) fn publish(self) -> Result<(), Failure> {
        let Self { staged, target } = self;
        let publish = || {
            fs::set_permissions(staged.path(), Permissions::from_mode(0o755))?;
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            if target.file_name().is_some() {
                return fs::rename(staged.path(), &target);
            }
            for entry in staged.path().read_dir()?.collect::<io::Result<Vec<_>>>()? {
                fs::rename(entry.path(), target.join(entry.file_name()))?;
            }
            fs::remove_dir(staged.path())
        };
        publish().map_err(|error| unwritable(&target, &error))?;
        // The path does not exist any more, so there is nothing to remove.
        let _ = staged.keep();
        Ok(())
    }
}

fn unwritable(target: &Path, error: &io::Error) -> Failure {
    load::unwritable("the problem", target, error)
}
