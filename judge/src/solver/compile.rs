//! Builds source files, in a temporary folder for compiled programs.

use super::compiler::{self, Compiled, LIMITS, OUT, RunCompiler};
use super::language::Language;
use super::program;
use crate::command;
use crate::model::CompileLimits;
use judge_sandbox::{Tier, WorkFile};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions, read_dir, set_permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The result of building a source file.
pub(super) enum Built {
    /// The command that runs it.
    Command {
        /// The command's words; the first is looked up as any command is.
        words: Vec<OsString>,
        /// What it needs to see.
        visible: Vec<PathBuf>,
    },
    /// It cannot be read, or its compiler is not installed or cannot be run.
    NoCompiler(String),
    /// The compiler rejected it, or exceeded a limit.
    Refused(String),
}

/// Compiles solvers into a temporary folder that is removed with the toolbox. No other user of the machine can read it.
/// With namespaces, the sandbox shows the files without the folders above them. Without them, a program that root
/// starts runs as another user and passes through these folders; the name of one is random, so that others cannot guess
/// it.
#[derive(Debug)]
pub struct Toolbox {
    /// Removed with the toolbox.
    _folder: TempDir,
    /// The folder for builds: the temporary folder itself, or one in it.
    workbench: PathBuf,
    /// Whether programs reach their files through the folders above them, as another user.
    pub(super) on_foot: bool,
    made: usize,
    /// The limits of compilers.
    limits: CompileLimits,
}

impl Toolbox {
    /// Makes an empty toolbox for the programs of a sandbox of this tier.
    ///
    /// # Errors
    /// When the temporary folder cannot be created.
    pub fn new(tier: Tier) -> io::Result<Self> {
        // If the judge is killed, the next judge's sweep removes it.
        let prefix = judge_sandbox::sweepable_name("build") + ".";
        let mode = |mode| Permissions::from_mode(mode);
        let folder = tempfile::Builder::new().prefix(&prefix).permissions(mode(0o700)).tempdir()?;
        let on_foot = rustix::process::geteuid().is_root() && !tier.has_namespaces();
        // A program is shown its files by paths without links.
        let mut workbench = folder.path().canonicalize()?;
        if on_foot {
            let mut secret = [0; 16];
            File::open("/dev/urandom")?.read_exact(&mut secret)?;
            workbench.push(format!("{:032x}", u128::from_ne_bytes(secret)));
            std::fs::create_dir(&workbench)?;
            for folder in [folder.path(), &workbench] {
                set_permissions(folder, mode(0o711))?;
            }
        }
        Ok(Self { _folder: folder, workbench, on_foot, made: 0, limits: CompileLimits::default() })
    }

    /// Sets the limits of compilers.
    pub fn limit_compilers(&mut self, limits: &CompileLimits) {
        self.limits = limits.clone();
    }

    /// Returns a path relative to its build folder, if it is in one. It is the same for every toolbox.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let mut below = path.strip_prefix(&self.workbench).ok()?.components();
        below.next();
        Some(below.as_path().to_owned())
    }

    /// Returns a copy of a file that every user can read, and execute if its owner can.
    pub(super) fn copy(&mut self, file: &Path) -> io::Result<PathBuf> {
        let folder = self.new_folder()?;
        let copy = folder.join(file.file_name().unwrap_or(file.as_os_str()));
        std::fs::copy(file, &copy)?;
        share(&folder)?;
        Ok(copy)
    }

    fn new_folder(&mut self) -> io::Result<PathBuf> {
        self.made += 1;
        let folder = self.workbench.join(self.made.to_string());
        std::fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// Builds a source file as its language requires.
    pub(super) fn build<E>(
        &mut self,
        language: &Language,
        source: &Path,
        run: &mut RunCompiler<'_, E>,
    ) -> Result<Built, E> {
        if language.compilers.is_empty() {
            return Ok(interpreted(language, source));
        }
        let file = match read(source) {
            Ok(file) => file,
            Err(why) => return Ok(Built::NoCompiler(format!("{}: {why}", source.display()))),
        };
        let files = match run_compilers(language.compilers, file, &self.limits, run)? {
            Ok(files) => files,
            Err(built) => return Ok(built),
        };
        Ok(match self.keep(&files) {
            Ok(out) => command_line(language, source, &out, vec![out.clone()]),
            Err(error) => Built::NoCompiler(format!("cannot store the compiled program: {error}")),
        })
    }

    /// Stores compiled files in a new folder.
    fn keep(&mut self, files: &[WorkFile]) -> io::Result<PathBuf> {
        let folder = self.new_folder()?;
        for file in files {
            let path = folder.join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            std::fs::write(&path, &file.bytes)?;
            // In some tiers a linker cannot set the mode.
            set_permissions(&path, Permissions::from_mode(0o755))?;
        }
        share(&folder)?;
        Ok(folder)
    }
}

/// Returns the command for the source of an interpreted language, which is shown at its own path.
fn interpreted(language: &Language, source: &Path) -> Built {
    match source.canonicalize() {
        Ok(source) => command_line(language, &source, Path::new(""), vec![source.clone()]),
        Err(error) => Built::NoCompiler(format!("{}: {error}", source.display())),
    }
}

fn command_line(language: &Language, source: &Path, out: &Path, visible: Vec<PathBuf>) -> Built {
    let stem = source.file_stem().map(PathBuf::from).unwrap_or_default();
    match command::words(language.run, &[("source", source), ("out", out), ("stem", &stem)]) {
        Ok(words) => Built::Command { words, visible },
        Err(error) => Built::NoCompiler(error.to_string()),
    }
}

/// Reads a source file with the judge's own rights. Its name is one that every compiler accepts.
fn read(source: &Path) -> Result<WorkFile, String> {
    let file = File::open(source).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(LIMITS.source.0 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LIMITS.source.0 {
        return Err(format!("the source is larger than {}", LIMITS.source));
    }
    let name = source.file_name().filter(|_| source.file_stem().is_some_and(is_plain)).map(PathBuf::from);
    let path = name.unwrap_or_else(|| Path::new("main").with_extension(source.extension().unwrap_or_default()));
    Ok(WorkFile { path, bytes })
}

/// Returns whether a name is valid for a crate, a class and a file, and not an option.
fn is_plain(stem: &OsStr) -> bool {
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let bytes = stem.as_encoded_bytes();
    bytes.iter().all(fits) && !bytes.starts_with(b"-") && bytes.len() < 200
}

/// Makes the files readable for all users, whatever the umask: in the sandbox the solver is another user.
fn share(folder: &Path) -> io::Result<()> {
    set_permissions(folder, Permissions::from_mode(0o755))?;
    for entry in read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            share(&path)?;
        } else {
            let mode = entry.metadata()?.permissions().mode();
            let for_all = if mode & 0o100 == 0 { 0o444 } else { 0o555 };
            set_permissions(&path, Permissions::from_mode(mode | for_all))?;
        }
    }
    Ok(())
}

/// Runs the first compiler that is installed.
fn run_compilers<E>(
    lines: &[&str],
    source: WorkFile,
    limits: &CompileLimits,
    run: &mut RunCompiler<'_, E>,
) -> Result<Result<Vec<WorkFile>, Built>, E> {
    let names = || lines.iter().filter_map(|line| line.split(' ').next());
    let Some((found, line)) = names().zip(lines).find_map(|(name, line)| Some((program::installed(name)?, line)))
    else {
        let names: Vec<_> = names().collect();
        let why = format!("no compiler for it is installed (looked for {})", names.join(", "));
        return Ok(Err(Built::NoCompiler(why)));
    };
    let words = command::words(line, &[("source", &source.path), ("out", Path::new(OUT))]);
    let compiler = match found.and_then(|found| Ok((found, words.map_err(|error| error.to_string())?))) {
        Ok((mut compiler, words)) => {
            compiler.argv.extend(words.into_iter().skip(1));
            compiler
        }
        Err(why) => return Ok(Err(Built::NoCompiler(why))),
    };
    Ok(match compiler::compile(&compiler, source, limits, run)? {
        Compiled::Made(files) => Ok(files),
        Compiled::Refused(said) => Err(Built::Refused(said)),
        Compiled::NotStarted(why) => Err(Built::NoCompiler(why)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_a_name_that_no_compiler_takes_for_something_else() {
        let folder = tempfile::tempdir().unwrap();
        for (name, seen) in [
            ("bot-2_x.c", "bot-2_x.c"),
            ("bot.2.rs", "main.rs"),
            ("-bot.c", "main.c"),
            ("@bot.java", "main.java"),
            ("a b\nc.rs", "main.rs"),
            (".hidden.c", "main.c"),
            ("näme.go", "main.go"),
        ] {
            std::fs::write(folder.path().join(name), "x").unwrap();
            let expected = WorkFile { path: seen.into(), bytes: b"x".to_vec() };
            assert_eq!(read(&folder.path().join(name)), Ok(expected));
        }
        File::create(folder.path().join("a.c")).unwrap().set_len(LIMITS.source.0 + 1).unwrap();
        assert_eq!(read(&folder.path().join("a.c")), Err("the source is larger than 16 MiB".to_owned()));
    }
}
