//! The source files of a solver: one file, or a folder with all that is in it.

use super::java_source::public_type;
use judge_problem::{Bytes, JOURNAL_FOLDER, Language};
use judge_sandbox::WorkFile;
use rustix::fs::OFlags;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The most bytes of all source files together, where a problem sets no limit.
pub(super) const MOST_BYTES: Bytes = Bytes(16 << 20);

/// The most files of a folder, and the most folders within folders.
const MOST_FILES: usize = 2_000;
const MOST_DEPTH: usize = 24;

/// Folders that are not sources: journals, histories, and what tools make from the sources or fetch.
const NO_SOURCES: [&str; 7] = [JOURNAL_FOLDER, ".git", ".hg", ".svn", "target", "node_modules", "__pycache__"];

/// The source files of a solver.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Project {
    /// Every file, by its path in the folder, in the order of these paths.
    pub(super) files: Vec<WorkFile>,
    /// The sources of its language, as a command names them.
    pub(super) sources: Vec<PathBuf>,
    /// The source that a command starts from, if it is clear which.
    pub(super) main: Option<PathBuf>,
}

/// Why there is no project.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Its author's fault: it is too large, or it is unclear where it starts.
    Refused(String),
    /// It cannot be read.
    Unreadable(String),
}

impl Project {
    /// Reads a source file, or a folder of them, with the judge's own rights.
    pub(super) fn read(source: &Path, language: &Language, limit: Option<Bytes>) -> Result<Self, Unusable> {
        let unreadable = |why: String| Unusable::Unreadable(format!("{}: {why}", source.display()));
        let limit = limit.unwrap_or(MOST_BYTES);
        let mut reader = Reader { limit, left: limit.0, flags: OFlags::NONBLOCK, files: Vec::new() };
        let meta = source.metadata().map_err(|error| unreadable(error.to_string()))?;
        if !meta.is_dir() {
            reader.read(source, plain_name(source), &meta)?;
            return Ok(Self::of_file(reader.files, language));
        }
        reader.flags |= OFlags::NOFOLLOW;
        reader.gather(source, Path::new(""), 0)?;
        reader.files.sort_by(|a, b| a.path.cmp(&b.path));
        Self::of_folder(source, reader.files, language)
    }

    fn of_file(mut files: Vec<WorkFile>, language: &Language) -> Self {
        for file in &mut files {
            // The compiler of such a language wants a file to be named after its public class.
            let class = public_type(&file.bytes).filter(|_| language.uses("{class}"));
            if let (Some(class), Some(ending)) = (class, file.path.extension()) {
                file.path = Path::new(&class).with_extension(ending);
            }
        }
        let main = files.first().map(|file| file.path.clone());
        Self { sources: main.iter().cloned().collect(), main, files }
    }

    fn of_folder(folder: &Path, files: Vec<WorkFile>, language: &Language) -> Result<Self, Unusable> {
        let is_source =
            |path: &Path| path.extension().and_then(OsStr::to_str).is_some_and(|end| language.has_ending(end));
        let sources: Vec<_> = files.iter().map(|file| &file.path).filter(|path| is_source(path)).cloned().collect();
        let main = main_source(folder, &sources);
        if main.is_none() && language.uses("{source}") {
            let why = match sources.len() {
                0 => format!("the folder has no source of the language `{}`", language.name),
                count => format!(
                    "the folder has {count} sources, and none of them is called main: rename the one to start from"
                ),
            };
            return Err(Unusable::Refused(why));
        }
        Ok(Self { files, main: main.map(as_argument), sources: sources.into_iter().map(as_argument).collect() })
    }

    /// Returns the name of the main source without its ending.
    pub(super) fn stem(&self) -> &OsStr {
        self.main.as_deref().and_then(Path::file_stem).unwrap_or_default()
    }
}

/// Returns the source that a folder starts from: `main` in whatever case, the only one at the top, or the one that has the
/// folder's name, with its ending or without.
fn main_source(folder: &Path, sources: &[PathBuf]) -> Option<PathBuf> {
    let top: Vec<_> = sources.iter().filter(|path| path.components().count() == 1).collect();
    let named = |name: &str| {
        let is_it = |own: Option<&OsStr>| own.is_some_and(|own| own.eq_ignore_ascii_case(name));
        let mut found = top.iter().filter(|path| is_it(path.file_stem()) || is_it(path.file_name()));
        found.next().copied()
    };
    let folder = folder.canonicalize().ok().and_then(|folder| folder.file_name().map(OsStr::to_owned));
    let only = match (&*top, sources) {
        ([only], _) => Some(*only),
        ([], [only]) => Some(only),
        _ => None,
    };
    let found = named("main").or(only).or_else(|| named(folder.as_ref()?.to_str()?))?;
    Some(found.clone())
}

/// A file whose name begins like an option is named with its folder.
fn as_argument(path: PathBuf) -> PathBuf {
    let is_plain = path.as_os_str().as_encoded_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    if is_plain { path } else { Path::new(".").join(path) }
}

/// Returns a name for a source file that every compiler accepts: its own, if that is one.
fn plain_name(source: &Path) -> PathBuf {
    let name = source.file_name().filter(|_| source.file_stem().is_some_and(is_plain)).map(PathBuf::from);
    name.unwrap_or_else(|| Path::new("main").with_extension(source.extension().unwrap_or_default()))
}

/// Returns whether a name is valid for a crate, a class and a file, and not an option.
fn is_plain(stem: &OsStr) -> bool {
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let bytes = stem.as_encoded_bytes();
    bytes.iter().all(fits) && !bytes.starts_with(b"-") && bytes.len() < 200
}

/// Reads files up to a number of bytes.
struct Reader {
    limit: Bytes,
    left: u64,
    /// How files are opened.
    flags: OFlags,
    files: Vec<WorkFile>,
}

impl Reader {
    fn gather(&mut self, folder: &Path, below: &Path, depth: usize) -> Result<(), Unusable> {
        let failed = |error: std::io::Error| Unusable::Unreadable(format!("{}: {error}", folder.display()));
        if depth > MOST_DEPTH {
            return Err(Unusable::Refused(format!("folders are more than {MOST_DEPTH} deep")));
        }
        for entry in folder.read_dir().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let (path, within) = (folder.join(&name), below.join(&name));
            // A link may lead to any file of the machine: it is no source.
            let meta = path.symlink_metadata().map_err(failed)?;
            if meta.is_dir() && !is_no_source(&name) {
                self.gather(&path, &within, depth + 1)?;
            } else if meta.is_file() {
                self.read(&path, within, &meta)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, file: &Path, name: PathBuf, meta: &Metadata) -> Result<(), Unusable> {
        let failed = |error: std::io::Error| Unusable::Unreadable(format!("{}: {error}", file.display()));
        let mut bytes = Vec::new();
        // A file of a folder may have become a link or a pipe since it was looked at.
        let flags = i32::try_from(self.flags.bits()).unwrap_or_default();
        let open = File::options().read(true).custom_flags(flags).open(file).map_err(failed)?;
        open.take(self.left + 1).read_to_end(&mut bytes).map_err(failed)?;
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(Unusable::Refused(format!("the source is larger than {}", self.limit)));
        };
        self.left = left;
        if self.files.len() == MOST_FILES {
            return Err(Unusable::Refused(format!("the folder has more than {MOST_FILES} files")));
        }
        self.files.push(WorkFile { path: name, bytes, executable: meta.permissions().mode() & 0o100 != 0 });
        Ok(())
    }
}

fn is_no_source(name: &OsString) -> bool {
    NO_SOURCES.iter().any(|other| name == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::manifest::built_in_languages;

    fn read(source: &Path, language: &str, limit: Option<Bytes>) -> Result<Project, Unusable> {
        Project::read(source, built_in_languages().find(language).unwrap(), limit)
    }

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

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
            write(folder.path(), name, "x");
            let expected = WorkFile { path: seen.into(), bytes: b"x".to_vec(), executable: false };
            assert_eq!(read(&folder.path().join(name), "c", None).unwrap().files, [expected]);
        }
        File::create(folder.path().join("a.c")).unwrap().set_len(MOST_BYTES.0 + 1).unwrap();
        let refused = Err(Unusable::Refused("the source is larger than 16 MiB".to_owned()));
        assert_eq!(read(&folder.path().join("a.c"), "c", None), refused);
    }

    #[test]
    fn a_java_file_is_named_after_its_public_class() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "bot.java", "package a.b;\n/* public class No {} */ public final class Solver {}");
        assert_eq!(read(&folder.path().join("bot.java"), "java", None).unwrap().main, Some("Solver.java".into()));
        assert_eq!(read(&folder.path().join("bot.java"), "c", None).unwrap().main, Some("bot.java".into()));
    }

    #[test]
    fn a_folder_is_read_with_all_its_sources_and_without_the_rest() {
        let top = tempfile::tempdir().unwrap();
        for name in ["main.cpp", "lib/a.cpp", "lib/a.h", "-x.cpp", "target/old.cpp", ".git/x.cpp", ".judge/y.cpp"] {
            write(top.path(), name, "12345");
        }
        std::os::unix::fs::symlink("/etc/passwd", top.path().join("link.cpp")).unwrap();
        let project = read(top.path(), "cpp", None).unwrap();
        let paths: Vec<_> = project.files.iter().map(|file| file.path.display().to_string()).collect();
        assert_eq!(paths, ["-x.cpp", "lib/a.cpp", "lib/a.h", "main.cpp"]);
        assert_eq!(project.sources, [Path::new("./-x.cpp"), Path::new("lib/a.cpp"), Path::new("main.cpp")]);
        assert_eq!(project.main, Some("main.cpp".into()));
        assert!(read(top.path(), "cpp", Some(Bytes(20))).is_ok());
        let refused = Err(Unusable::Refused("the source is larger than 19 B".to_owned()));
        assert_eq!(read(top.path(), "cpp", Some(Bytes(19))), refused);
    }

    #[test]
    fn where_a_folder_starts_is_clear_or_refused() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("bot");
        write(&folder, "a.py", "");
        assert_eq!(read(&folder, "python", None).unwrap().main, Some("a.py".into()));
        write(&folder, "b.py", "");
        assert!(matches!(read(&folder, "python", None), Err(Unusable::Refused(why)) if why.contains("has 2 sources")));
        write(&folder, "bot.py", "");
        assert_eq!(read(&folder, "python", None).unwrap().main, Some("bot.py".into()));
        write(&folder, "Main.py", "");
        assert_eq!(read(&folder, "python", None).unwrap().main, Some("Main.py".into()));
        assert!(matches!(read(&folder, "ruby", None), Err(Unusable::Refused(why)) if why.contains("no source")));
    }
}
