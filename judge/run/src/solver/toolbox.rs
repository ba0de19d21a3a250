//! Where solvers are built, and what is known of how.

use super::cache::Cache;
use judge_problem::manifest::built_in_languages;
use judge_problem::{Bytes, CompileLimits, LanguageChoice, Languages};
use judge_sandbox::{Tier, WorkFile};
use std::fs::{File, Permissions, read_dir, set_permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// How solvers are built.
#[derive(Debug)]
pub struct BuildSettings {
    /// The languages that there are; `None`: the built-in ones.
    pub languages: Option<Languages>,
    /// The languages that the user chose.
    pub choices: Vec<LanguageChoice>,
    /// The limits of compilers.
    pub compiler: CompileLimits,
    /// The most bytes of the sources of a solver; `None`: as many as a compiler is given.
    pub source: Option<Bytes>,
    /// The memory limit of solvers, without allowances.
    pub memory: Bytes,
    /// The folder that compiled programs are kept in; `None`: nowhere. It is opened when something is compiled.
    pub cache: Option<PathBuf>,
}

impl Default for BuildSettings {
    /// The built-in languages, without limits that a problem would set, and without a cache.
    fn default() -> Self {
        Self {
            languages: None,
            choices: Vec::new(),
            compiler: CompileLimits::default(),
            source: None,
            memory: Bytes(u64::MAX),
            cache: None,
        }
    }
}

impl BuildSettings {
    /// Returns the languages that there are. The built-in ones are read when they are first asked for.
    #[must_use]
    pub fn languages(&self) -> &Languages {
        self.languages.as_ref().unwrap_or_else(|| built_in_languages())
    }
}

/// Builds solvers in a temporary folder that is removed with the toolbox.
#[derive(Debug)]
pub struct Toolbox {
    /// Made when something is put there: most solvers are programs already, and lie open.
    workbench: OnceLock<Workbench>,
    /// Whether programs reach their files through the folders above them, as another user.
    pub(super) on_foot: bool,
    made: AtomicUsize,
    pub(super) settings: BuildSettings,
    /// Once something was compiled.
    cache: OnceLock<Result<Cache, String>>,
}

impl Toolbox {
    /// Returns an empty toolbox for the programs of a sandbox of this tier.
    #[must_use]
    pub fn new(tier: Tier, settings: BuildSettings) -> Self {
        let on_foot = rustix::process::geteuid().is_root() && !tier.has_namespaces();
        Self { workbench: OnceLock::new(), on_foot, made: AtomicUsize::new(0), settings, cache: OnceLock::new() }
    }

    /// Returns how solvers are built.
    #[must_use]
    pub fn settings(&self) -> &BuildSettings {
        &self.settings
    }

    /// Returns the cache, if it is wanted and can be used.
    pub(super) fn cache(&self) -> Option<&Cache> {
        let place = self.settings.cache.as_ref()?;
        let open = || Cache::open(place).map_err(|error| error.to_string());
        self.cache.get_or_init(open).as_ref().ok()
    }

    /// Returns why the cache could not be used, if that was tried.
    #[must_use]
    pub fn cache_failure(&self) -> Option<&str> {
        self.cache.get()?.as_ref().err().map(String::as_str)
    }

    /// Returns a path relative to its build folder, if it is in one. It is the same for every toolbox.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let mut below = path.strip_prefix(&self.workbench.get()?.path).ok()?.components();
        below.next();
        Some(below.as_path().to_owned())
    }

    /// Returns a copy of a file that every user can read, and execute if its owner can.
    pub(super) fn copy(&self, file: &Path) -> io::Result<PathBuf> {
        let folder = self.new_folder()?;
        let copy = folder.join(file.file_name().unwrap_or(file.as_os_str()));
        std::fs::copy(file, &copy)?;
        share(&folder)?;
        Ok(copy)
    }

    /// Stores files in a new folder. Every user can read and execute them: in some tiers a linker cannot set the mode.
    pub(super) fn keep(&self, files: &[WorkFile]) -> io::Result<PathBuf> {
        let folder = self.new_folder()?;
        for file in files {
            let path = folder.join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            std::fs::write(&path, &file.bytes)?;
            set_permissions(&path, Permissions::from_mode(0o755))?;
        }
        share(&folder)?;
        Ok(folder)
    }

    fn new_folder(&self) -> io::Result<PathBuf> {
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let folder = self.workbench()?.join(made.to_string());
        std::fs::create_dir(&folder)?;
        Ok(folder)
    }

    fn workbench(&self) -> io::Result<&Path> {
        if let Some(workbench) = self.workbench.get() {
            return Ok(&workbench.path);
        }
        let made = Workbench::make(self.on_foot).map_err(|error| {
            let place = std::env::temp_dir();
            let advice = "free space in it, or set TMPDIR to a writable folder";
            io::Error::other(format!("cannot make a folder in {}: {error}; {advice}", place.display()))
        })?;
        // Solvers are built at once: what comes second is removed again.
        Ok(&self.workbench.get_or_init(|| made).path)
    }
}

/// The folder for builds. No other user of the machine can read it. With namespaces, the sandbox shows the files without the
/// folders above them. Without them, a program that root starts runs as another user and passes through these folders; the
/// name of one is random, so that others cannot guess it.
#[derive(Debug)]
struct Workbench {
    /// The temporary folder itself, or one in it.
    path: PathBuf,
    /// Removed with the workbench.
    _folder: TempDir,
}

impl Workbench {
    fn make(on_foot: bool) -> io::Result<Self> {
        // If the judge is killed, the next judge's sweep removes it.
        let prefix = judge_sandbox::sweepable_name("build") + ".";
        let mode = |mode| Permissions::from_mode(mode);
        let folder = tempfile::Builder::new().prefix(&prefix).permissions(mode(0o700)).tempdir()?;
        // A program is shown its files by paths without links.
        let mut path = folder.path().canonicalize()?;
        if on_foot {
            let mut secret = [0; 16];
            File::open("/dev/urandom")?.read_exact(&mut secret)?;
            path.push(format!("{:032x}", u128::from_ne_bytes(secret)));
            std::fs::create_dir(&path)?;
            for folder in [folder.path(), &path] {
                set_permissions(folder, mode(0o711))?;
            }
        }
        Ok(Self { path, _folder: folder })
    }
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
