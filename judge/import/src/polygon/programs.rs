//! The programs of a package: its checker, validator, interactor, generators and main solution.

use super::element::Element;
use crate::error::ImportError;
use crate::files;
use crate::imported::{Sources, ToCompile};
use crate::program;
use crate::submission;
use std::path::{Path, PathBuf};

/// The folder of programs and their sources beside the `problems.toml`.
pub(super) const FOLDER: &str = "programs";

/// The folder of the package with its programs and the files that they include.
const FILES: &str = "files";

/// Endings of sources that are compiled with the headers of the package.
const CPLUSPLUS: [&str; 5] = ["c", "cc", "cpp", "cxx", "c++"];

/// Endings of headers.
const HEADERS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Endings of resources that are for statements.
const OF_STATEMENTS: [&str; 3] = ["ftl", "sty", "tex"];

/// The programs that judge.
pub(super) struct Programs {
    pub(super) checker: Option<Program>,
    pub(super) validator: Option<Program>,
    pub(super) interactor: Option<Program>,
    /// Whether the checker, or without one the interactor, gives points.
    pub(super) gives_points: bool,
}

/// A program that is kept compiled beside the catalogue.
pub(super) struct Program {
    pub(super) command: String,
    /// Its source, as the package names it.
    pub(super) shown: String,
    pub(super) compiled: ToCompile,
}

/// Reads the programs under `<assets>`.
pub(super) fn read(problem: &Element<'_>, root: &Path, left: &mut Vec<String>) -> Result<Programs, ImportError> {
    let one = |path: &[&str], what: &str, name: &str| -> Result<Option<Program>, ImportError> {
        problem.first(path).map(|element| kept(problem, &element, root, what, name)).transpose()
    };
    let checker = problem.first(&["assets", "checker"]);
    if let Some(kind) = checker.and_then(|checker| checker.attribute("type")).filter(|kind| *kind != "testlib") {
        let element = checker.unwrap_or(*problem);
        return Err(element.unsupported(format!("a checker of the type `{kind}`, which is not testlib")));
    }
    let validators = problem.all(&["assets", "validators", "validator"]);
    left.extend(validators.iter().skip(1).map(|other| {
        let source = other.first(&["source"]).and_then(|source| source.attribute("path")).unwrap_or_default();
        other.left(&format!("validator {source}: a problem has one validator, the first"))
    }));
    let checker = one(&["assets", "checker"], "the checker", "checker")?;
    let interactor = one(&["assets", "interactor"], "the interactor", "interactor")?;
    let deciding = checker.as_ref().or(interactor.as_ref());
    let gives_points = deciding.is_some_and(|program| program::gives_points(&program.compiled.sources.files));
    let validator = one(&["assets", "validators", "validator"], "the validator", "validator")?;
    Ok(Programs { checker, validator, interactor, gives_points })
}

fn kept(
    problem: &Element<'_>,
    element: &Element<'_>,
    root: &Path,
    what: &str,
    name: &str,
) -> Result<Program, ImportError> {
    let Some(source) = element.first(&["source"]) else {
        return Err(element.bad(format!("{what} has no source"), "<source path=\"…\"/>"));
    };
    let file = source.file("path")?;
    if !is_compiled(&file) {
        return Err(source.unsupported(format!("{what} in another language than C or C++")));
    }
    let program = Path::new(FOLDER).join(name);
    let command = format!("./{}", program.display());
    let shown = source.required("path")?.to_owned();
    let sources = sources(problem, root, &file, what)?;
    Ok(Program { command, shown, compiled: ToCompile { sources, program } })
}

/// Returns a source with the files that it may include: the resources of the package, and headers that are not listed.
pub(super) fn sources(problem: &Element<'_>, root: &Path, source: &Path, what: &str) -> Result<Sources, ImportError> {
    let is_one_of = |file: &Path, endings: &[&str]| endings.iter().any(|ending| files::has_ending(file, ending));
    let resources = problem.all(&["files", "resources", "file"]);
    let mut found = resources.iter().map(|file| file.file("path")).collect::<Result<Vec<_>, _>>()?;
    if is_compiled(source) {
        // Sources of other languages are no part of a program in this one.
        let is_other = |file: &Path| file.extension() != source.extension() && submission::is_known(file);
        found.retain(|file| !is_one_of(file, &OF_STATEMENTS) && !is_other(file));
        for folder in [&root.join(FILES), source.parent().unwrap_or(root)] {
            found.extend(files::entries(folder)?.into_iter().filter(|file| is_one_of(file, &HEADERS)));
        }
    } else {
        found.retain(|file| file.extension() == source.extension());
    }
    let main = PathBuf::from(files::name(source));
    let mut files = vec![(source.to_owned(), main.clone())];
    for file in found {
        let below = file.strip_prefix(root.join(FILES)).map(Path::to_owned);
        let name = below.unwrap_or_else(|_| files::name(&file).into());
        if files.iter().all(|(_, known)| *known != name) {
            files.push((file, name));
        }
    }
    Ok(Sources { what: what.to_owned(), files, main: Some(main) })
}

/// Returns the generator that the script of a test names.
pub(super) fn generator(
    problem: &Element<'_>,
    test: &Element<'_>,
    root: &Path,
    name: &str,
) -> Result<Sources, ImportError> {
    let named = |source: &Element<'_>| {
        let path = Path::new(source.attribute("path")?);
        (path.file_stem()? == name).then(|| path.to_owned())
    };
    let executables = problem.all(&["files", "executables", "executable", "source"]);
    match executables.iter().find(|source| named(source).is_some()) {
        Some(source) => sources(problem, root, &source.file("path")?, &format!("the generator {name}")),
        None => Err(test.bad(format!("there is no generator `{name}`"), "the name of one of the <executables>")),
    }
}

fn is_compiled(source: &Path) -> bool {
    CPLUSPLUS.iter().any(|ending| files::has_ending(source, ending))
}
