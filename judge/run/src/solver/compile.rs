//! Builds the sources of a solver: compiles them, or finds them in the cache.

use super::compiler::{self, OUT, RunCompiler};
use super::project::{Project, startable};
use super::spec::{NotBuilt, remedy, tool, usable};
use super::toolbox::Toolbox;
use crate::command::{CommandError, filled, split};
use crate::program;
use crate::runner::{Result, RunError};
use judge_problem::{Bytes, Digest, Invocation, Language, Program};
use judge_sandbox::WorkFile;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

fn cannot_start(why: impl ToString) -> NotBuilt {
    NotBuilt::CannotStart(why.to_string())
}

impl Toolbox {
    /// Builds a source file or folder as its language requires. If its compiler rejects it, or if it exceeds a limit, that is
    /// a compile error.
    pub(super) fn build(&self, language: &Language, source: &Path, run: &mut RunCompiler<'_>) -> Result<Invocation> {
        let built = match language.compile.is_empty() {
            true => self.interpreted(language, source),
            false => self.compiled(language, source, run),
        };
        match built {
            Ok(program) => Ok(Invocation::Program(program)),
            Err(NotBuilt::CannotStart(why)) => Ok(Invocation::CannotStart(why)),
            Err(NotBuilt::NotInstalled(why)) => Ok(Invocation::NotInstalled(why)),
            Err(NotBuilt::Refused(said)) => Ok(Invocation::CompileError(said)),
            Err(NotBuilt::Run(error)) => Err(error),
        }
    }

    /// A file is visible at its own path. A folder is copied, so that later changes do not affect the run.
    fn interpreted(&self, language: &Language, source: &Path) -> Result<Program, NotBuilt> {
        let unreadable = |error: io::Error| cannot_start(format!("{}: {error}", source.display()));
        let limit = self.settings.source;
        if source.is_dir() {
            let project = Project::read(source, language, limit)?;
            let folder = self.keep(&project.files).map_err(RunError::Store)?;
            let main = folder.join(project.main.as_deref().unwrap_or(Path::new("")));
            let stem = project.stem().to_owned();
            let values = vec![("source", main.into()), ("stem", stem), ("out", folder.clone().into())];
            return self.command(language, values, folder);
        }
        let source = source.canonicalize().map_err(unreadable)?;
        let bytes = source.metadata().map_err(unreadable)?.len();
        if let Some(limit) = limit.filter(|limit| bytes > limit.0) {
            return Err(NotBuilt::Refused(format!("the source is larger than {limit}")));
        }
        let stem = source.file_stem().unwrap_or_default().to_owned();
        let values = vec![("source", source.clone().into()), ("stem", stem), ("out", OsString::new())];
        self.command(language, values, source)
    }

    fn compiled(&self, language: &Language, source: &Path, run: &mut RunCompiler<'_>) -> Result<Program, NotBuilt> {
        let project = Project::read(source, language, self.settings.source)?;
        let files = self.files(language, source, &project, run)?;
        let out = self.keep(&files).map_err(RunError::Store)?;
        let mut values = vec![("out", out.clone().into()), ("stem", project.stem().to_owned())];
        if language.uses("{program}") {
            let main = main_file(&files, project.stem()).map_err(NotBuilt::Refused)?;
            values.push(("program", out.join(main).into()));
        }
        if language.uses("{class}") {
            values.push(("class", main_class(&files, project.stem()).map_err(NotBuilt::Refused)?));
        }
        self.command(language, values, out)
    }

    /// Returns the compiled files, from the cache if they are there.
    fn files(
        &self,
        language: &Language,
        source: &Path,
        project: &Project,
        run: &mut RunCompiler<'_>,
    ) -> Result<Vec<WorkFile>, NotBuilt> {
        let compiler = compiler_of(language, project)?;
        let key = self.key(language, &compiler, project, run)?;
        if let Some(files) = key.as_ref().and_then(|key| self.cache()?.find(key)) {
            return Ok(files);
        }
        let name = source.file_name().unwrap_or(source.as_os_str()).to_string_lossy();
        let given = project.files.clone();
        let files = compiler::compile(&compiler, &name, given, &self.settings.compiler, run)?;
        if let Some(key) = key {
            self.store(&key, &files);
        }
        Ok(files)
    }

    /// Returns the hash of everything that a program is compiled from; `None` without a cache.
    fn key(
        &self,
        language: &Language,
        compiler: &Program,
        project: &Project,
        run: &mut RunCompiler<'_>,
    ) -> Result<Option<Digest>> {
        if self.cache().is_none() {
            return Ok(None);
        }
        let identity = compiler::tools_identity(language);
        let version = self.version(language, &identity, run)?;
        let processor = compiler::processor_identity();
        let mut parts = vec![compiler.path.as_os_str().as_bytes(), &identity.0, version.as_bytes(), &processor.0];
        parts.extend(compiler.argv.iter().map(|word| word.as_bytes()));
        for file in &project.files {
            parts.extend([file.path.as_os_str().as_bytes(), if file.executable { b"x" } else { b"-" }, &file.bytes]);
        }
        Ok(Some(Digest::of_parts(parts)))
    }

    /// Returns the version of a language's compiler. Each compiler is asked once; the version is kept in the cache.
    fn version(&self, language: &Language, identity: &Digest, run: &mut RunCompiler<'_>) -> Result<String> {
        let key =
            Digest::of_parts([&b"version"[..], language.version.as_deref().unwrap_or("").as_bytes(), &identity.0]);
        let known = self.cache().and_then(|cache| cache.find(&key)?.pop());
        if let Some(known) = known {
            return Ok(String::from_utf8_lossy(&known.bytes).into_owned());
        }
        let version = compiler::language_version(language, run)?.unwrap_or_default();
        let file = WorkFile { path: "version".into(), bytes: version.clone().into_bytes(), executable: false };
        self.store(&key, &[file]);
        Ok(version)
    }

    /// Returns the program that runs a solver. It sees `visible` and nothing else that its command names.
    fn command(&self, language: &Language, mut values: Vec<Value>, visible: PathBuf) -> Result<Program, NotBuilt> {
        let limit = self.settings.memory.unwrap_or(Bytes(u64::MAX)).0;
        values.extend(memory_values(Bytes(limit.saturating_add(language.allowance.extra_memory.0))));
        let line = usable(&language.run).ok_or_else(|| not_installed("interpreter", language, &language.run))?;
        let words = fill(line, &values, &[]).map_err(cannot_start)?;
        let mut program = program::language_program(words).map_err(cannot_start)?;
        program.visible.push(visible);
        let filled = |value: &str| filled(value.as_ref(), &values).to_string_lossy().into_owned();
        let variables = language.environment.iter();
        program.environment = variables.map(|(name, value)| (name.clone(), filled(value))).collect();
        Ok(program)
    }
}

fn not_installed(what: &str, language: &Language, lines: &[String]) -> NotBuilt {
    let names: Vec<_> = lines.iter().filter_map(|line| tool(line)).collect();
    let looked = names.join(", ");
    NotBuilt::NotInstalled(format!("no {what} for it is installed (looked for {looked}){}", remedy(language)))
}

/// Returns the compiler with its arguments. The programs that it starts are visible to it.
fn compiler_of(language: &Language, project: &Project) -> Result<Program, NotBuilt> {
    let line = usable(&language.compile).ok_or_else(|| not_installed("compiler", language, &language.compile))?;
    let main = project.main.clone().unwrap_or_default();
    let values = vec![("source", main.into()), ("out", OUT.into()), ("stem", project.stem().to_owned())];
    let words = fill(line, &values, &project.sources).map_err(cannot_start)?;
    let name = words[0].to_string_lossy().into_owned();
    let installed = |name: &str, missing: String| {
        program::installed(name).ok_or(NotBuilt::NotInstalled(missing))?.map_err(cannot_start)
    };
    let mut compiler = installed(&name, format!("{name} is not installed"))?;
    compiler.argv.extend(words.into_iter().skip(1));
    for need in &language.needs {
        let needed = installed(need, format!("it needs {need}, which is not installed{}", remedy(language)))?;
        compiler.runtime.visible.extend(needed.runtime.visible);
        compiler.runtime.search.extend(needed.runtime.search);
    }
    Ok(compiler)
}

/// Returns the program among the files that a compiler made, or why it is ambiguous.
fn main_file<'a>(files: &'a [WorkFile], stem: &OsStr) -> Result<&'a Path, String> {
    let named = |name: &OsStr| {
        let mut found = files.iter().filter(|file| file.path.file_stem() == Some(name));
        found.next().filter(|_| found.next().is_none())
    };
    let exact = files.iter().find(|file| file.path == Path::new("main"));
    let only = files.first().filter(|_| files.len() == 1);
    let found = exact.or(only).or_else(|| named(OsStr::new("main"))).or_else(|| named(stem));
    found.map(|file| &*file.path).ok_or_else(|| {
        let mut names: Vec<_> = files.iter().map(|file| file.path.display().to_string()).collect();
        names.sort();
        names.truncate(5);
        format!("the compiler made several files, and none of them is called main: {}", names.join(", "))
    })
}

/// Returns the main class among the files that a compiler made, or why it is ambiguous.
fn main_class(files: &[WorkFile], stem: &OsStr) -> Result<OsString, String> {
    let mut classes: Vec<String> = files.iter().filter_map(|file| startable(&file.bytes)).collect();
    classes.sort();
    let is_named = |class: &&String| {
        let name = class.rsplit('.').next().unwrap_or(class);
        stem == name || name == "Main"
    };
    let named: Vec<_> = classes.iter().filter(is_named).collect();
    match (&*classes, &*named) {
        ([only], _) => Ok(only.into()),
        (_, [only]) => Ok(only.into()),
        ([], _) => Err("no class has a method `public static void main(String[])`".to_owned()),
        _ => {
            let classes = classes.join(", ");
            Err(format!("several classes have a method main, and it is not clear which starts: {classes}"))
        }
    }
}

const MIB: u64 = 1 << 20;

/// Beyond this much memory, there is no limit that matters.
const MAX_MIB: u64 = 1 << 20;

/// The memory that a runtime needs besides its heap.
const RESERVE_MIB: u64 = 96;

/// The value of a placeholder.
type Value = (&'static str, OsString);

/// Returns the placeholders for a memory limit.
fn memory_values(limit: Bytes) -> [Value; 3] {
    let mib = (limit.0 / MIB).clamp(1, MAX_MIB);
    // The heap of a runtime may take half of the memory, or all but a reserve, whichever is more.
    let heap = (mib / 2).max(mib.saturating_sub(RESERVE_MIB)).max(1);
    // The size of each of the three parts of the heap for young objects.
    let young = (heap / 16).clamp(1, 16);
    let values = [("memory-mb", mib), ("heap-mb", heap), ("young-mb", young)];
    values.map(|(name, mib)| (name, mib.to_string().into()))
}

/// Returns the words of a command with its placeholders replaced. `{sources}` becomes several words.
///
/// # Errors
/// When its quotes do not match, or it is empty.
fn fill(line: &str, values: &[Value], sources: &[PathBuf]) -> Result<Vec<OsString>, CommandError> {
    let expand = |word: OsString| match word == "{sources}" {
        true => sources.iter().map(|source| source.clone().into_os_string()).collect(),
        false => vec![filled(&word, values)],
    };
    Ok(split(line)?.into_iter().flat_map(expand).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn files(names: &[&str]) -> Vec<WorkFile> {
        let file = |name: &&str| WorkFile { path: name.into(), bytes: Vec::new(), executable: true };
        names.iter().map(file).collect()
    }

    #[test]
    fn the_program_is_the_file_that_is_clearly_meant() {
        for (names, stem, expected) in [
            (&["bin/anything"][..], "x", Some("bin/anything")),
            (&["other", "main"], "x", Some("main")),
            (&["main.exe", "main", "x"], "x", Some("main")),
            (&["lib.js", "main.js"], "x", Some("main.js")),
            (&["lib.js", "bot.js"], "bot", Some("bot.js")),
            (&["a", "b"], "x", None),
            (&["main.a", "main.b"], "x", None),
        ] {
            let files = files(names);
            assert_eq!(main_file(&files, OsStr::new(stem)).ok(), expected.map(Path::new), "{names:?}");
        }
        let why = main_file(&files(&["b", "a"]), OsStr::new("x")).unwrap_err().to_string();
        assert!(why.ends_with("called main: a, b"), "{why}");
    }

    fn filled(line: &str, memory: Bytes) -> Vec<OsString> {
        let mut values = vec![("source", "a b.c".into()), ("out", "out".into())];
        values.extend(memory_values(memory));
        fill(line, &values, &["a b.c".into(), "d.c".into()]).unwrap()
    }

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let words = filled("cc -o {out}/main 'x {source}' {sources} {other}", Bytes(0));
        assert_eq!(words, ["cc", "-o", "out/main", "x a b.c", "a b.c", "d.c", "{other}"]);
        let odd = PathBuf::from(OsString::from_vec(b"{out}\xff.c".to_vec()));
        let values = vec![("source", odd.clone().into())];
        assert_eq!(fill("cc {source}", &values, &[]).unwrap(), [OsStr::new("cc"), odd.as_os_str()]);
        assert!(fill("", &values, &[]).is_err() && fill("'a", &values, &[]).is_err());
    }

    #[test]
    fn a_heap_leaves_memory_for_the_rest() {
        let of = |mib: u64| filled("-m{memory-mb} -h{heap-mb} -y{young-mb}", Bytes(mib << 20));
        assert_eq!(of(64), ["-m64", "-h32", "-y2"]);
        assert_eq!(of(256), ["-m256", "-h160", "-y10"]);
        assert_eq!(of(1024), ["-m1024", "-h928", "-y16"]);
        assert_eq!(of(0), ["-m1", "-h1", "-y1"]);
        assert_eq!(filled("{memory-mb}", Bytes(u64::MAX)), ["1048576"]);
    }
}
