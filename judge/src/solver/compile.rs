//! Source files: which compiler or interpreter they need, and the folder that compiled programs live in.

use crate::command;
use judge_sandbox::Tier;
use std::ffi::OsString;
use std::fs::{File, Permissions, read_dir, set_permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// How long a compiler may take.
const COMPILER_LIMIT: Duration = Duration::from_secs(60);

/// A language that source files are written in.
struct Language {
    /// The endings of its files.
    endings: &'static [&'static str],
    /// Its compilers, the first one that is there is taken; empty for interpreted languages. `{source}` and `{out}`
    /// are replaced; the last is a fresh folder for what is made.
    compilers: &'static [&'static str],
    /// How the program is run.
    run: &'static str,
}

const LANGUAGES: [Language; 10] = [
    Language { endings: &["rs"], compilers: &["rustc --edition 2024 -O -o {out}/main {source}"], run: "{out}/main" },
    Language {
        endings: &["cpp", "cc", "cxx"],
        compilers: &["g++ -O2 -std=c++20 -o {out}/main {source}", "clang++ -O2 -std=c++20 -o {out}/main {source}"],
        run: "{out}/main",
    },
    Language {
        endings: &["c"],
        compilers: &["gcc -O2 -o {out}/main {source} -lm", "clang -O2 -o {out}/main {source} -lm"],
        run: "{out}/main",
    },
    Language { endings: &["go"], compilers: &["go build -o {out}/main {source}"], run: "{out}/main" },
    Language {
        endings: &["java"],
        compilers: &["javac -d {out} {source}"],
        run: "java -XX:+UseSerialGC -XX:TieredStopAtLevel=4 -cp {out} {stem}",
    },
    Language { endings: &["py"], compilers: &[], run: "python3 {source}" },
    Language { endings: &["js", "mjs"], compilers: &[], run: "node {source}" },
    Language { endings: &["sh"], compilers: &[], run: "sh {source}" },
    Language { endings: &["rb"], compilers: &[], run: "ruby {source}" },
    Language { endings: &["pl"], compilers: &[], run: "perl {source}" },
];

/// What became of a source file.
pub(super) enum Built {
    /// The command that runs it, and the folder of what was made from it.
    Command {
        /// The command's words; the first is looked up as any command is.
        words: Vec<OsString>,
        /// What it needs to see.
        visible: Vec<PathBuf>,
    },
    /// No compiler for it is installed, or it could not be run.
    NoCompiler(String),
    /// The compiler refused it.
    Refused(String),
}

/// Compiles solvers into a temporary folder that lives as long as the toolbox. No other user of the machine reads what is in
/// it: with namespaces, the sandbox shows the files without the folders above them. Without, what root starts is a user
/// that has to pass through them; so does every user who knows the way, which has a part that cannot be guessed.
#[derive(Debug)]
pub struct Toolbox {
    /// Removed with the toolbox.
    _folder: TempDir,
    /// Where things are made: the folder itself, or one in it.
    workbench: PathBuf,
    /// Whether programs reach their files through the folders above them, as another user.
    pub(super) on_foot: bool,
    made: usize,
}

impl Toolbox {
    /// Makes an empty toolbox for the programs of a sandbox of this tier.
    ///
    /// # Errors
    /// When there is no temporary folder to be had.
    pub fn new(tier: Tier) -> io::Result<Self> {
        // Removed with the toolbox; by the next judge's sweep, if this one is killed.
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
        Ok(Self { _folder: folder, workbench, on_foot, made: 0 })
    }

    /// Returns where in its build folder a path leads, if it leads into one: the same for every toolbox.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let mut below = path.strip_prefix(&self.workbench).ok()?.components();
        below.next();
        Some(below.as_path().to_owned())
    }

    /// Returns whether a file is a source file of a known language.
    pub(super) fn knows(path: &Path) -> bool {
        language(path).is_some()
    }

    /// Returns a copy of a file that is open to whoever reaches it, and run if its owner can.
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

    /// Compiles a source file as its language asks. `None` when its language is unknown.
    pub(super) fn build(&mut self, source: &Path) -> Option<Built> {
        let language = language(source)?;
        Some(match self.new_folder() {
            Ok(out) => compile(language, source, &out),
            Err(error) => Built::NoCompiler(format!("cannot make a folder for what is compiled: {error}")),
        })
    }
}

fn language(source: &Path) -> Option<&'static Language> {
    let ending = source.extension()?.to_str()?;
    LANGUAGES.iter().find(|language| language.endings.contains(&ending))
}

fn compile(language: &Language, source: &Path, out: &Path) -> Built {
    let stem = source.file_stem().map(PathBuf::from).unwrap_or_default();
    let values = [("source", source), ("out", out), ("stem", &*stem)];
    let filled = |line: &str| command::words(line, &values).map_err(|error| error.to_string());
    if let Err(built) = run_compilers(language.compilers, out, filled) {
        return built;
    }
    if let Err(error) = share(out) {
        return Built::NoCompiler(format!("cannot share {} with the sandbox: {error}", out.display()));
    }
    match filled(language.run) {
        Ok(words) => Built::Command { words, visible: vec![source.to_owned(), out.to_owned()] },
        Err(why) => Built::NoCompiler(why),
    }
}

/// Lets everybody read what was made, whatever the umask: in the sandbox the solver is another user.
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
fn run_compilers(
    lines: &[&str],
    out: &Path,
    filled: impl Fn(&str) -> Result<Vec<OsString>, String>,
) -> Result<(), Built> {
    for line in lines {
        let words = filled(line).map_err(Built::NoCompiler)?;
        match command::run(&words, out, COMPILER_LIMIT) {
            Ok(finished) if finished.status.success() => return Ok(()),
            Ok(finished) => {
                let said = [finished.stderr, finished.stdout].concat();
                return Err(Built::Refused(String::from_utf8_lossy(&said).trim().to_owned()));
            }
            Err(command::CommandError::Start { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Built::Refused(error.to_string())),
        }
    }
    let programs: Vec<_> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    if programs.is_empty() {
        return Ok(());
    }
    Err(Built::NoCompiler(format!("no compiler for it is installed (looked for {})", programs.join(", "))))
}
