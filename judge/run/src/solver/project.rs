//! The source files of a solver: one file, or a folder with all that is in it; and what Java files declare.

use super::spec::NotBuilt;
use crate::matching::real;
use crate::program::{MAX_SOURCES, sources_in};
use judge_problem::{Bytes, Language};
use judge_sandbox::WorkFile;
use regex::Regex;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The most bytes of all source files together, where a problem sets no limit.
pub(super) const MAX_BYTES: Bytes = Bytes(16 << 20);

/// The source files of a solver.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Project {
    /// Every file, by its path in the folder, in the order of these paths.
    pub(super) files: Vec<WorkFile>,
    /// The sources of its language, as a command names them.
    pub(super) sources: Vec<PathBuf>,
    /// The source that a command starts from, if it is unambiguous.
    pub(super) main: Option<PathBuf>,
}

impl Project {
    /// Reads a source file, or a folder of them, with the judge's own rights.
    pub(super) fn read(source: &Path, language: &Language, limit: Option<Bytes>) -> Result<Self, NotBuilt> {
        let limit = limit.unwrap_or(MAX_BYTES);
        let mut reader = Reader { limit, left: limit.0, flags: OFlags::NONBLOCK, files: Vec::new() };
        if !source.is_dir() {
            reader.read(source, plain_name(source))?;
            return Ok(Self::of_file(reader.files, language));
        }
        reader.flags |= OFlags::NOFOLLOW;
        let folder = real(source);
        let files = sources_in(&folder).map_err(|error| NotBuilt::CannotStart(error.to_string()))?;
        if files.len() > MAX_SOURCES {
            return Err(NotBuilt::Refused(format!("the folder has more than {MAX_SOURCES} files")));
        }
        for file in files {
            reader.read(&file, file.strip_prefix(&folder).unwrap_or(&file).to_owned())?;
        }
        Self::of_folder(source, reader.files, language)
    }

    fn of_file(mut files: Vec<WorkFile>, language: &Language) -> Self {
        for file in &mut files {
            // The compiler of such a language requires the file name to match its public class.
            let class = public_type(&file.bytes).filter(|_| language.uses("{class}"));
            if let (Some(class), Some(ending)) = (class, file.path.extension()) {
                file.path = Path::new(&class).with_extension(ending);
            }
        }
        let main = files.first().map(|file| file.path.clone());
        Self { sources: main.iter().cloned().collect(), main, files }
    }

    fn of_folder(folder: &Path, files: Vec<WorkFile>, language: &Language) -> Result<Self, NotBuilt> {
        let is_source =
            |path: &Path| path.extension().and_then(OsStr::to_str).is_some_and(|end| language.has_extension(end));
        let sources: Vec<_> = files.iter().map(|file| &file.path).filter(|path| is_source(path)).cloned().collect();
        let main = main_source(folder, &sources);
        if main.is_none() && language.uses("{source}") {
            let why = match sources.len() {
                0 => format!("the folder has no source of the language `{}`", language.name),
                count => format!(
                    "the folder has {count} sources, and none of them is called main: rename the one to start from"
                ),
            };
            return Err(NotBuilt::Refused(why));
        }
        Ok(Self { files, main: main.map(as_argument), sources: sources.into_iter().map(as_argument).collect() })
    }

    /// Returns the name of the main source without its ending.
    pub(super) fn stem(&self) -> &OsStr {
        self.main.as_deref().and_then(Path::file_stem).unwrap_or_default()
    }
}

/// Returns the source that a folder starts from: `main` in upper or lower case, the only one at the top level, or the
/// one with the folder's name, with or without its ending.
fn main_source(folder: &Path, sources: &[PathBuf]) -> Option<PathBuf> {
    let top: Vec<_> = sources.iter().filter(|path| path.components().count() == 1).collect();
    let named = |name: &str| {
        let is_it = |own: Option<&OsStr>| own.is_some_and(|own| own.eq_ignore_ascii_case(name));
        top.iter().copied().find(|path| is_it(path.file_stem()) || is_it(path.file_name()))
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
    // Go leaves out files with such names.
    let is_skipped = bytes.starts_with(b"_") || bytes.ends_with(b"_test");
    bytes.iter().all(fits) && !bytes.starts_with(b"-") && !is_skipped && bytes.len() < 200
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
    fn read(&mut self, file: &Path, name: PathBuf) -> Result<(), NotBuilt> {
        let failed = |error: std::io::Error| NotBuilt::CannotStart(format!("{}: {error}", file.display()));
        let mut bytes = Vec::new();
        // A file of a folder may have become a link or a pipe since it was listed.
        let flags = i32::try_from(self.flags.bits()).unwrap_or_default();
        let open = File::options().read(true).custom_flags(flags).open(file).map_err(failed)?;
        let mode = open.metadata().map_err(failed)?.permissions().mode();
        open.take(self.left + 1).read_to_end(&mut bytes).map_err(failed)?;
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(NotBuilt::Refused(format!("the source is larger than {}", self.limit)));
        };
        self.left = left;
        self.files.push(WorkFile { path: name, bytes, executable: mode & 0o100 != 0 });
        Ok(())
    }
}

/// The comments, strings and characters of Java. A string or a character ends with its line at the latest.
const NOT_CODE: &str = r#"(?x)
    //[^\n]*
    | /\*(?s:.*?)(?:\*/|\z)
    | """(?s:.*?)(?:"""|\z)
    | "(?:\\[^\n]|[^"\\\n])*"?
    | '(?:\\[^\n]|[^'\\\n])*'?"#;

/// The declaration of a public type.
const PUBLIC_TYPE: &str = r"(?x)\bpublic\s+
    (?:(?:abstract|final|sealed|non-sealed|strictfp|static)\s+)*
    (?:class|interface|enum|record|@\s*interface)\s+([\w$]+)";

/// Returns the name of the public type that a source declares outside all braces; `None` if it declares none.
fn public_type(source: &[u8]) -> Option<String> {
    static PATTERNS: OnceLock<Option<[Regex; 2]>> = OnceLock::new();
    let compiled = || Some([Regex::new(NOT_CODE).ok()?, Regex::new(PUBLIC_TYPE).ok()?]);
    let [not_code, public_type] = PATTERNS.get_or_init(compiled).as_ref()?;
    let source = String::from_utf8_lossy(source);
    let mut code = not_code.replace_all(&source, " ").into_owned();
    let mut depth = 0_usize;
    code.retain(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        // The end of a body separates the words around it.
        c == '}' && depth == 0
    });
    Some(public_type.captures(&code)?.get(1)?.as_str().to_owned())
}

/// Returns the name of a class that has a method `public static void main(String[])`, with dots between its parts.
pub(super) fn startable(bytes: &[u8]) -> Option<String> {
    const PUBLIC_STATIC: u16 = 0x0009;
    let mut input = Input(bytes);
    if input.take(4)? != [0xca, 0xfe, 0xba, 0xbe] {
        return None;
    }
    input.take(4)?;
    let pool = constants(&mut input)?;
    let constant = |place: u16| pool.get(usize::from(place)).copied();
    input.take(2)?;
    let class = input.number()?;
    input.take(2)?;
    let interfaces = input.number()?;
    input.take(2 * usize::from(interfaces))?;
    let _fields = members(&mut input)?;
    let is_main = |[flags, name, descriptor]: [u16; 3]| {
        flags & PUBLIC_STATIC == PUBLIC_STATIC
            && constant(name) == Some(b"main")
            && constant(descriptor) == Some(b"([Ljava/lang/String;)V")
    };
    members(&mut input)?.into_iter().any(is_main).then_some(())?;
    // The entry of a class is the place of its name.
    let name = constant(Input(constant(class)?).number()?)?;
    Some(String::from_utf8_lossy(name).replace('/', "."))
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn long_number(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(self.take(4)?.try_into().ok()?)).ok()
    }
}

/// Returns the content of each entry of the constant pool: the text of a text.
fn constants<'a>(input: &mut Input<'a>) -> Option<Vec<&'a [u8]>> {
    let count = usize::from(input.number()?);
    // Indices start at 1.
    let mut pool: Vec<&[u8]> = vec![&[]];
    while pool.len() < count {
        let tag = input.take(1)?[0];
        let length = match tag {
            1 => usize::from(input.number()?),
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            3 | 4 | 9..=12 | 17 | 18 => 4,
            5 | 6 => 8,
            _ => return None,
        };
        pool.push(input.take(length)?);
        if matches!(tag, 5 | 6) {
            // Numbers of 64 bits take two entries.
            pool.push(&[]);
        }
    }
    Some(pool)
}

/// Returns the flags of fields or methods, and the places of their names and descriptors.
fn members(input: &mut Input<'_>) -> Option<Vec<[u16; 3]>> {
    let count = input.number()?;
    let mut read = || {
        let member = [input.number()?, input.number()?, input.number()?];
        for _ in 0..input.number()? {
            input.take(2)?;
            let length = input.long_number()?;
            input.take(length)?;
        }
        Some(member)
    };
    (0..count).map(|_| read()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::built_in_languages;

    /// Returns a project, or why it is refused.
    fn read(source: &Path, language: &str, limit: Option<Bytes>) -> Result<Project, String> {
        let language = built_in_languages().find(language).unwrap();
        Project::read(source, language, limit).map_err(|error| match error {
            NotBuilt::Refused(why) => why,
            other => panic!("{other:?}"),
        })
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
            ("_bot.go", "main.go"),
            ("bot_test.go", "main.go"),
        ] {
            write(folder.path(), name, "x");
            let expected = WorkFile { path: seen.into(), bytes: b"x".to_vec(), executable: false };
            assert_eq!(read(&folder.path().join(name), "c", None).unwrap().files, [expected]);
        }
        File::create(folder.path().join("a.c")).unwrap().set_len(MAX_BYTES.0 + 1).unwrap();
        let refused = Err("the source is larger than 16 MiB".to_owned());
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
        let refused = Err("the source is larger than 19 B".to_owned());
        assert_eq!(read(top.path(), "cpp", Some(Bytes(19))), refused);
    }

    #[test]
    fn where_a_folder_starts_is_clear_or_refused() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("bot");
        write(&folder, "a.py", "");
        assert_eq!(read(&folder, "python", None).unwrap().main, Some("a.py".into()));
        write(&folder, "b.py", "");
        assert!(read(&folder, "python", None).unwrap_err().contains("has 2 sources"));
        write(&folder, "bot.py", "");
        assert_eq!(read(&folder, "python", None).unwrap().main, Some("bot.py".into()));
        write(&folder, "Main.py", "");
        assert_eq!(read(&folder, "python", None).unwrap().main, Some("Main.py".into()));
        assert!(read(&folder, "ruby", None).unwrap_err().contains("no source"));
    }

    #[test]
    fn the_public_type_is_found_where_it_is_declared() {
        for (source, name) in [
            ("public class Bot { public static class Inner {} }", Some("Bot")),
            ("package a;\nimport java.util.*;\npublic final  class\nBot<T> extends X {}", Some("Bot")),
            ("class Main { public static void main(String[] a) {} }", None),
            ("class A { public class B {} } public record C(int x) {}", Some("C")),
            ("// public class No\n/* public class No */ public enum Yes { A }", Some("Yes")),
            (
                "class A { String s = \"} public class No {\"; char c = '\"'; char d = '}'; } public interface I {}",
                Some("I"),
            ),
            ("class A { String s = \"\"\"\n } public class No { \" \n\"\"\"; } public class B {}", Some("B")),
            ("class A { String s = \"\\\"}\"; } public abstract class B {}", Some("B")),
            ("@Deprecated(\"x\") public strictfp class B {}", Some("B")),
            ("public classy X {}", None),
            ("class A{String s = \"\";}public class B {}", Some("B")),
            ("class A{}public class B{}", Some("B")),
            ("public class Bo$t {}", Some("Bo$t")),
            ("class A { \"open\n } public class B {}", Some("B")),
            ("/* open", None),
            ("", None),
        ] {
            assert_eq!(public_type(source.as_bytes()).as_deref(), name, "{source}");
        }
    }

    /// A class with one field, and one method of these flags and this name.
    fn class(flags: u16, method: &str) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 9];
        // Indices: 1 a number of 64 bits, 3 the class's name, 4 the class, 5 the method's name, 6 its type, 7 a text, 8
        // a string.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 0]);
        let text = |text: &str| [&[1][..], &u16::try_from(text.len()).unwrap().to_be_bytes(), text.as_bytes()].concat();
        bytes.extend(text("a/b/Bot"));
        bytes.extend([7, 0, 3]);
        bytes.extend(text(method));
        bytes.extend(text("([Ljava/lang/String;)V"));
        bytes.extend(text("Code"));
        bytes.extend([8, 0, 7]);
        // Flags, this class, its parent, no interfaces.
        bytes.extend([0, 0x21, 0, 4, 0, 4, 0, 0]);
        // One field with an attribute of three bytes.
        bytes.extend([0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7, 0, 0, 0, 3, 1, 2, 3]);
        bytes.extend([0, 1]);
        bytes.extend(flags.to_be_bytes());
        bytes.extend([0, 5, 0, 6, 0, 0]);
        bytes
    }

    #[test]
    fn a_class_with_a_main_method_can_be_started() {
        assert_eq!(startable(&class(0x0009, "main")).as_deref(), Some("a.b.Bot"));
        assert_eq!(startable(&class(0x0089, "main")).as_deref(), Some("a.b.Bot"), "variable arguments");
        assert_eq!(startable(&class(0x0001, "main")), None, "not static");
        assert_eq!(startable(&class(0x0009, "play")), None);
    }

    #[test]
    fn a_damaged_class_is_not_started() {
        let whole = class(0x0009, "main");
        for length in 0..whole.len() {
            assert_eq!(startable(&whole[..length]), None, "{length}");
        }
        assert_eq!(startable(b"\x7fELF and more"), None);
    }
}
