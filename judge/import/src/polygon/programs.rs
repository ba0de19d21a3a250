//! The programs of a package, and its tests: existing files, or files that generators and the main solution create.

use super::element::Element;
use crate::{Result, Sources, ToCompile, ToMake, files, program, text};
use std::path::{Component, Path, PathBuf};

/// The main testset. Other testsets repeat its tests or add some.
const MAIN: &str = "tests";

/// A test.
#[derive(Debug)]
pub(super) struct Test {
    /// Its name among all cases.
    pub(super) name: String,
    /// Where its input goes, relative to the `problems.toml`.
    pub(super) input: PathBuf,
    /// Where its answer goes. `None`: it has none.
    pub(super) answer: Option<PathBuf>,
    pub(super) group: Option<String>,
    pub(super) points: Option<f64>,
}

/// The tests and their files.
#[derive(Debug, Default)]
pub(super) struct Tests {
    pub(super) tests: Vec<Test>,
    pub(super) copied: Vec<(PathBuf, PathBuf)>,
    /// The files to generate, in order: an input before its answer.
    pub(super) made: Vec<ToMake>,
}

/// Reads all testsets.
pub(super) struct Reader<'a> {
    pub(super) problem: Element<'a>,
    pub(super) root: &'a Path,
    /// Whether an interactor decides. It needs no answer files.
    pub(super) interactive: bool,
    pub(super) found: Tests,
}

impl Reader<'_> {
    pub(super) fn read(mut self, main: &Element<'_>, left: &mut Vec<String>) -> Result<Tests> {
        let sets = self.problem.all(&["judging", "testset"]);
        self.read_set(main, true, left)?;
        for set in sets.iter().filter(|set| set.attribute("name") != main.attribute("name")) {
            self.read_set(set, false, left)?;
        }
        if self.found.tests.is_empty() {
            return Err(main.bad("the package has no tests", "<test> elements in its testsets"));
        }
        Ok(self.found)
    }

    fn read_set(&mut self, set: &Element<'_>, is_main: bool, left: &mut Vec<String>) -> Result<()> {
        let name = set.attribute("name").unwrap_or(MAIN);
        if !matches!(Path::new(name).components().collect::<Vec<_>>()[..], [Component::Normal(_)]) {
            return Err(set.bad(format!("bad `name` of a testset: `{name}`"), "a name without `/`"));
        }
        let inputs = Pattern::read(set, "input-path-pattern")?;
        let answers = Pattern::read(set, "answer-path-pattern")?;
        let tests = set.all(&["tests", "test"]);
        if let Some(count) = set.whole("test-count", 0)?
            && count != tests.len() as u64
        {
            return Err(set.bad(format!("{} tests, and <test-count> says {count}", tests.len()), "as many as it says"));
        }
        let mut repeated = 0;
        for (number, element) in (1..).zip(&tests) {
            let files = [inputs.of(number), answers.of(number)];
            if !is_main && self.is_repeated(&files) {
                repeated += 1;
                continue;
            }
            let stem = inputs.stem(number);
            let case = if is_main { stem.clone() } else { format!("{name}-{stem}") };
            let test = self.read_test(element, &files, case, name, &stem)?;
            self.found.tests.push(test);
        }
        if repeated > 0 {
            left.push(set.left(&format!("testset {name}: {repeated} of its tests are among those of {MAIN} already")));
        }
        Ok(())
    }

    /// Returns whether a test has the same input as a known one.
    fn is_repeated(&self, files: &[String; 2]) -> bool {
        let read = |path: &Path| std::fs::read(path).ok();
        let Some(text) = read(&self.root.join(&files[0])) else { return false };
        let inputs = self.found.copied.iter().filter(|(_, to)| files::has_extension(to, &["in"]));
        inputs.map(|(from, _)| from).any(|from| {
            from.metadata().is_ok_and(|known| known.len() == text.len() as u64) && read(from).as_ref() == Some(&text)
        })
    }

    fn read_test(
        &mut self,
        element: &Element<'_>,
        [input, answer]: &[String; 2],
        name: String,
        set: &str,
        stem: &str,
    ) -> Result<Test> {
        let place = |ending: &str| Path::new(set).join(format!("{stem}.{ending}"));
        let (to, from) = (place("in"), self.root.join(input));
        if from.is_file() {
            self.found.copied.push((from, to.clone()));
        } else {
            let made = self.generated(element, input, &to)?;
            self.found.made.push(made);
        }
        let (answer_to, from) = (place("ans"), self.root.join(answer));
        let answer = if from.is_file() {
            self.found.copied.push((from, answer_to.clone()));
            Some(answer_to)
        } else if self.interactive {
            None
        } else {
            let by = self.main_solution(element, answer)?;
            let input = Some(to.clone());
            self.found.made.push(ToMake { by, arguments: Vec::new(), input, file: answer_to.clone(), second: None });
            Some(answer_to)
        };
        let group = element.attribute("group").map(str::to_owned);
        Ok(Test { name, input: to, answer, group, points: element.number("points")? })
    }

    /// Returns how the command of its script generates the input of a test.
    fn generated(&self, test: &Element<'_>, input: &str, to: &Path) -> Result<ToMake> {
        let Some(command) = test.attribute("cmd").filter(|_| test.attribute("method") != Some("manual")) else {
            return Err(test.bad(format!("there is no file `{input}` in the package"), "the input of a manual test"));
        };
        if test.attribute("from-file").is_some() {
            let what = format!("`{command}` writes several tests, and {input} is not in the package");
            return Err(test.unsupported(format!("{what}: take the full package of Polygon, whose tests are made;")));
        }
        let unreadable = |_| test.bad(format!("bad command `{command}`"), "words, with quotes that are closed");
        let mut words = shell_words::split(command).map_err(unreadable)?.into_iter();
        let by = generator(&self.problem, test, self.root, &words.next().unwrap_or_default())?;
        Ok(ToMake { by, arguments: words.collect(), input: None, file: to.to_owned(), second: None })
    }

    fn main_solution(&self, test: &Element<'_>, answer: &str) -> Result<Sources> {
        let solutions = self.problem.all(&["assets", "solutions", "solution"]);
        let main = solutions.iter().find(|solution| solution.attribute("tag") == Some("main"));
        let Some(source) = main.and_then(|main| main.first(&["source"])) else {
            let what = format!("there is no file `{answer}` in the package, and no main solution that makes it");
            return Err(test.bad(what, "<solution tag=\"main\"> with its <source>"));
        };
        sources(&self.problem, self.root, &source.file("path")?, "the main solution")
    }
}

/// The paths of a testset's files: `tests/%02d`.
struct Pattern {
    before: String,
    width: usize,
    after: String,
}

impl Pattern {
    fn read(set: &Element<'_>, key: &str) -> Result<Self> {
        let text = set.text(key).unwrap_or_default();
        let bad = || set.bad(format!("bad <{key}>: `{text}`"), "a path with the test's number, such as `tests/%02d`");
        let (before, rest) = text.split_once('%').ok_or_else(bad)?;
        let (digits, after) = rest.split_once('d').ok_or_else(bad)?;
        let width = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| bad())? };
        let is_inside = Path::new(text).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || width > 9 || after.contains('%') {
            return Err(bad());
        }
        Ok(Self { before: before.to_owned(), width, after: after.to_owned() })
    }

    fn of(&self, number: usize) -> String {
        format!("{}{number:0width$}{}", self.before, self.after, width = self.width)
    }

    /// Returns the name of a file without what follows the first point after the number.
    fn stem(&self, number: usize) -> String {
        let before = self.before.rsplit('/').next().unwrap_or_default();
        let after = self.after.split(['.', '/']).next().unwrap_or_default();
        format!("{before}{number:0width$}{after}", width = self.width)
    }
}

/// The folder of programs and their sources, next to the `problems.toml`.
pub(super) const FOLDER: &str = "programs";

/// The package's folder of programs and included files.
const FILES: &str = "files";

/// Extensions of sources that are compiled with the headers of the package.
const CPLUSPLUS: [&str; 5] = ["c", "cc", "cpp", "cxx", "c++"];

/// Extensions of headers.
const HEADERS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Extensions of resources for statements.
const OF_STATEMENTS: [&str; 3] = ["ftl", "sty", "tex"];

/// The programs of a package that decide or validate.
pub(super) struct Programs {
    pub(super) all: Vec<Program>,
    /// Whether the checker gives points, or the interactor if there is no checker.
    pub(super) gives_points: bool,
}

/// A program that is compiled and kept beside the catalogue.
pub(super) struct Program {
    /// `checker`, `validator` or `interactor`.
    pub(super) name: &'static str,
    /// Its source in the package.
    pub(super) shown: String,
    pub(super) compiled: ToCompile,
}

impl Programs {
    /// Returns the program with this name.
    pub(super) fn find(&self, name: &str) -> Option<&Program> {
        self.all.iter().find(|program| program.name == name)
    }
}

/// Reads the programs under `<assets>`.
pub(super) fn read_programs(problem: &Element<'_>, root: &Path, left: &mut Vec<String>) -> Result<Programs> {
    let kind = problem.first(&["assets", "checker"]).and_then(|checker| checker.attribute("type"));
    if let Some(kind) = kind.filter(|kind| *kind != "testlib") {
        return Err(problem.unsupported(format!("a checker of the type `{kind}`, which is not testlib")));
    }
    let validators = problem.all(&["assets", "validators", "validator"]);
    left.extend(validators.iter().skip(1).map(|other| {
        let source = other.first(&["source"]).and_then(|source| source.attribute("path")).unwrap_or_default();
        other.left(&format!("validator {source}: a problem has one validator, the first"))
    }));
    let [checker, interactor] = ["checker", "interactor"].map(|name| problem.first(&["assets", name]));
    let found = [("checker", checker), ("validator", validators.first().copied()), ("interactor", interactor)];
    let mut programs = Programs { all: Vec::new(), gives_points: false };
    for (name, element) in found {
        if let Some(element) = element {
            let program = kept(problem, &element, root, name)?;
            if program::reads_places(&program.compiled.sources.files) {
                let what = format!("the {name} {} gets no `--group` and no `--testset`", program.shown);
                // Without them, a validator accepts more inputs, but a checker decides otherwise.
                if name == "checker" {
                    return Err(element.unsupported(what));
                }
                left.push(element.left(&what));
            }
            programs.all.push(program);
        }
    }
    let deciding = programs.find("checker").or(programs.find("interactor"));
    programs.gives_points = deciding.is_some_and(|program| program::gives_points(&program.compiled.sources.files));
    Ok(programs)
}

fn kept(problem: &Element<'_>, element: &Element<'_>, root: &Path, name: &'static str) -> Result<Program> {
    let what = format!("the {name}");
    let Some(source) = element.first(&["source"]) else {
        return Err(element.bad(format!("{what} has no source"), "<source path=\"…\"/>"));
    };
    let file = source.file("path")?;
    if !files::has_extension(&file, &CPLUSPLUS) {
        return Err(source.unsupported(format!("{what} in another language than C or C++")));
    }
    let shown = source.required("path")?.to_owned();
    let sources = sources(problem, root, &file, &what)?;
    Ok(Program { name, shown, compiled: ToCompile { sources, program: Path::new(FOLDER).join(name) } })
}

/// Returns a source with the files that it may include: the resources of the package and unlisted headers.
pub(super) fn sources(problem: &Element<'_>, root: &Path, source: &Path, what: &str) -> Result<Sources> {
    let resources = problem.all(&["files", "resources", "file"]);
    let mut found = resources.iter().map(|file| file.file("path")).collect::<Result<Vec<_>, _>>()?;
    if files::has_extension(source, &CPLUSPLUS) {
        // Sources in other languages do not belong to the program.
        let is_other = |file: &Path| file.extension() != source.extension() && text::is_known(file);
        found.retain(|file| !files::has_extension(file, &OF_STATEMENTS) && !is_other(file));
        for folder in [&root.join(FILES), source.parent().unwrap_or(root)] {
            found.extend(files::entries(folder)?.into_iter().filter(|file| files::has_extension(file, &HEADERS)));
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

/// Returns the generator named in the script of a test.
pub(super) fn generator(problem: &Element<'_>, test: &Element<'_>, root: &Path, name: &str) -> Result<Sources> {
    let is_named = |path: &str| Path::new(path).file_stem().is_some_and(|stem| stem == name);
    let executables = problem.all(&["files", "executables", "executable", "source"]);
    match executables.iter().find(|source| source.attribute("path").is_some_and(is_named)) {
        Some(source) => sources(problem, root, &source.file("path")?, &format!("the generator {name}")),
        None => Err(test.bad(format!("there is no generator `{name}`"), "the name of one of the <executables>")),
    }
}
