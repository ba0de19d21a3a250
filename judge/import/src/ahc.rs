//! The tools of an AtCoder Heuristic Contest: a Cargo package with the programs `gen`, `vis` and `tester`. Its programs are
//! built, and generate its cases.

use crate::text::Text;
use crate::{ImportError, Imported, Result, files};
use judge_problem::manifest::REJECTION;
use judge_problem::{counted, error_chain, tail};
use judge_run::command;
use judge_run::matching::real;
use regex::Regex;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};
use tempfile::TempDir;
use toml::{Table, Value};

/// Returns whether a folder or its subfolder `tools` is a package of this kind.
pub(super) fn fits(root: &Path) -> bool {
    root_of(root).is_some()
}

/// Reads the package in a folder, and builds its programs with Cargo. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// Fails if it is not a package, if its programs cannot be built, or if none of them gives a score.
pub(super) fn read(folder: &Path, id: Option<&str>) -> Result<Imported> {
    let root = root_of(folder).ok_or_else(|| ImportError::Unknown(folder.to_owned()))?;
    let package = Package::read(&root)?;
    let programs: Vec<_> = package.programs().collect();
    let built = Built::with_cargo(&package.root, &programs)?;
    let cases = Cases::find(&package, &built)?;
    let id = id.map_or_else(|| id_of(&root), str::to_owned);
    let catalogue = write_catalogue(&package, &cases, &id);
    let mut copied = built.programs(&package);
    copied.extend(cases.files(&package));
    let mut taken = vec![cases.described()];
    taken.push(format!(
        "{}: built with cargo, outside the sandbox, as their crates come from the network",
        programs.join(", ")
    ));
    if package.is_interactive() {
        taken.push("the problem is interactive: tester starts the solver".to_owned());
    }
    let mut left = vec!["the time limit, which the tools do not say: set `cpu` in [problem.limits]".to_owned()];
    left.push(
        "the objective: where a smaller score is better, add `direction = \"min\"` to [problem.scoring]".to_owned(),
    );
    left.extend(package.left);
    left.extend(cases.left);
    Ok(Imported { id, catalogue, files: copied, taken, left, temporary: vec![built.folder], ..Imported::default() })
}

/// Finds `Score = 12`, the output of AtCoder's tools.
const NAMED: &str = r"(?mi)^\s*score\s*[:=]\s*(-?\d+(?:\.\d+)?)\s*$";

/// Finds a line with only a number.
const ALONE: &str = r"(?m)^\s*(-?\d+(?:\.\d+)?)\s*$";

/// Finds the message of a visualizer that rejects an answer with exit code 0 and no score.
const REJECTED: &str = r"(?mi)^(?:\[WA\]|(?:error|illegal|invalid|out of range|unexpected|wrong)\b.*\S)";

fn write_catalogue(package: &Package, cases: &Cases, id: &str) -> String {
    let mut text = Text::of_problem("AtCoder's tools", id);
    if is_contest(id) {
        text.text("title", &id.to_uppercase());
    }
    // They write files into their working folder, so each gets its own.
    let tool = |name: &str, arguments: &str| format!("{{folder}}/{} {arguments}", program(name).display());
    if let Some(stream) = package.tester {
        text.text("tester-command", &tool("tester", "{solver}"));
        if stream == "stdout" {
            text.text("score-stream", "stdout").because("of the tester");
        }
    }
    if let Some(checker) = package.checker {
        text.text("checker-command", &tool(checker, "{input} {answer}"));
        if package.is_interactive() {
            text.because("for `judge check`: tester decides on a run");
        }
    }
    text.text("checker-protocol", "regex");
    text.text("score-regex", if package.names_score { NAMED } else { ALONE });
    text.text("reject-regex", if package.is_interactive() { REJECTION } else { REJECTED });
    text.line("reject-exit-codes = [1, 101]").because("an answer that they cannot read");
    if package.has_viewer {
        text.text("view-command", &tool("vis", "{input} {answer}")).text("view-file", PAGE);
    }
    if package.has_generator {
        text.text("generator-command", &tool("gen", "{seeds-file}"));
    }
    if cases.has_list {
        text.text("generator-seeds", &format!("{PROGRAMS}/seeds.txt"));
    }
    match cases.seeds {
        Some(count) => text.text("seeds", &format!("0-{}", count - 1)),
        None => text.texts("inputs", &["in/*.txt"]),
    };
    text.finish()
}

/// Returns whether an id is the id of a contest, such as `ahc020`.
fn is_contest(id: &str) -> bool {
    id.strip_prefix("ahc").is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The programs that check an answer, in the order of preference: `score` draws no picture.
const CHECKERS: [&str; 2] = ["score", "vis"];

/// The folder of the programs, next to the `problems.toml`.
const PROGRAMS: &str = "tools";

/// Generated folders of a package that are not sources.
const MADE: [&str; 3] = [files::BUILT, "in", "out"];

/// The page that `vis` draws.
const PAGE: &str = "vis.html";

/// The useful programs of a package.
#[derive(Debug)]
struct Package {
    root: PathBuf,
    /// Whether it has a program `gen`.
    has_generator: bool,
    /// `vis` or `score`.
    checker: Option<&'static str>,
    /// Whether `vis` draws a page.
    has_viewer: bool,
    /// Where `tester` prints the score, if it starts the solver: `stdout` or `stderr`.
    tester: Option<&'static str>,
    /// Whether the programs print a score as `Score = 12` instead of a bare number.
    names_score: bool,
    /// A line for each part of the package that is left out, with the reason.
    left: Vec<String>,
}

/// Returns the folder of the package: this one, or the folder `tools` in it.
fn root_of(folder: &Path) -> Option<PathBuf> {
    let is_package = |folder: &PathBuf| {
        let has = |name: &str| source_of(folder, name).is_some();
        folder.join("Cargo.toml").is_file() && (["gen", "vis", "score"].into_iter().any(has) || has("tester"))
    };
    // A project of pahcer also has its tools there.
    let inside = || Some(folder.join("tools")).filter(|_| !folder.join("pahcer_config.toml").exists());
    Some(folder.to_owned()).filter(is_package).or_else(|| inside().filter(is_package))
}

/// Returns the id of the problem: the name of the folder, or of the one above a folder `tools`.
fn id_of(root: &Path) -> String {
    let root = real(root);
    let named = if files::name(&root) == "tools" { root.parent().unwrap_or(&root) } else { &root };
    files::id_of(named)
}

impl Package {
    fn read(root: &Path) -> Result<Self> {
        let has = |name: &str| source_of(root, name).is_some();
        let text =
            |name: &str| source_of(root, name).and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        let library = fs::read_to_string(root.join("src/lib.rs")).unwrap_or_default();
        let tester = starts_a_command(&text("tester"), &library).then(|| stream_of_score(&text("tester")));
        let checker = CHECKERS.into_iter().find(|name| has(name));
        if checker.is_none() && tester.is_none() {
            let expected = "a program `vis`, `score`, or a `tester` that starts a command";
            return Err(ImportError::bad(&root.join("Cargo.toml"), "no program gives a score", expected));
        }
        let all = [library.clone(), text("tester"), text("vis"), text("score")].concat();
        let names_score = Regex::new(r"(?i)score\s*[:=]\s*\{").is_ok_and(|pattern| pattern.is_match(&all));
        let has_viewer = has("vis") && (writes_page(&text("vis")) || writes_page(&library));
        let mut left = Vec::new();
        if has("vis") && !has_viewer {
            left.push(format!("pictures for `judge view`: vis writes no {PAGE}"));
        }
        if has("tester") && tester.is_none() {
            left.push("tester: it does not start the command in its arguments".to_owned());
        }
        Ok(Self { root: root.to_owned(), has_generator: has("gen"), checker, has_viewer, tester, names_score, left })
    }

    fn is_interactive(&self) -> bool {
        self.tester.is_some()
    }

    /// Returns the names of the programs to build.
    fn programs(&self) -> impl Iterator<Item = &'static str> {
        let needs = |name| self.checker == Some(name);
        let named = [
            (self.has_generator, "gen"),
            (self.has_viewer || needs("vis"), "vis"),
            (needs("score"), "score"),
            (self.tester.is_some(), "tester"),
        ];
        named.into_iter().filter_map(|(is_there, name)| is_there.then_some(name))
    }
}

/// Returns the files of a package without generated folders.
fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in files::entries(root)?.into_iter().filter(|entry| !MADE.contains(&&*files::name(entry))) {
        files::check_link(root, &entry)?;
        if entry.is_dir() {
            found.extend(files::tree(root, &entry)?);
        } else {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Returns where a program goes, relative to the `problems.toml`.
fn program(name: &str) -> PathBuf {
    Path::new(PROGRAMS).join(name)
}

/// Returns the main source file of a program: at the default place of Cargo, or as the manifest states.
fn source_of(root: &Path, name: &str) -> Option<PathBuf> {
    let named = || {
        let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
        let bins = manifest.get("bin")?.as_array()?;
        let bin = bins.iter().find(|bin| bin.get("name").and_then(toml::Value::as_str) == Some(name))?;
        Some(root.join(bin.get("path")?.as_str()?))
    };
    let places = [format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs")].map(|path| root.join(path));
    places.into_iter().chain(named()).find(|path| path.is_file())
}

/// Returns whether a program writes the page. Comments do not count.
fn writes_page(source: &str) -> bool {
    source.lines().any(|line| line.split("//").next().unwrap_or_default().contains(PAGE))
}

/// Returns whether a tester starts the command in its arguments.
fn starts_a_command(tester: &str, library: &str) -> bool {
    let takes_arguments = ["env::args", "Parser", "clap"].iter().any(|word| tester.contains(word));
    let starts = |text: &str| text.contains("Command::new(") || text.contains("process::Command");
    takes_arguments && (starts(tester) || (tester.contains("tools::") && starts(library)))
}

/// Returns where a tester prints its score: on standard error, unless its source prints the score only to standard
/// output.
fn stream_of_score(tester: &str) -> &'static str {
    let prints = |macro_name: &str| {
        let pattern = format!(r#"(?i)(^|[^e]){macro_name}!\(\s*"[^"]*score"#);
        Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(tester))
    };
    if prints("println") && !prints("eprintln") { "stdout" } else { "stderr" }
}

/// The tables of dependencies in a manifest.
const DEPENDENCIES: [&str; 3] = ["dependencies", "build-dependencies", "dev-dependencies"];

/// Returns the folder of a package and the folders of its path dependencies outside it, recursively. Missing crates are
/// ignored, because Cargo reports them.
fn local_crates(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    let mut next = 0;
    while let Some(package) = found.get(next).cloned() {
        next += 1;
        for path in named_paths(&package) {
            let Ok(folder) = package.join(path).canonicalize() else { continue };
            if folder.is_dir() && !found.iter().any(|known| folder.starts_with(known)) {
                found.push(folder);
            }
        }
    }
    found
}

/// Returns the paths of crates that a manifest names.
fn named_paths(package: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).ok().and_then(|text| text.parse::<Table>().ok());
    let Some(manifest) = manifest else { return Vec::new() };
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = targets.chain(manifest.get("workspace")).filter_map(Value::as_table);
    let owners = tables.chain([&manifest]);
    let dependencies = owners.flat_map(|owner| DEPENDENCIES.iter().filter_map(|name| owner.get(*name)));
    let patches = manifest.get("patch").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let crates = dependencies.chain(patches).filter_map(Value::as_table).flat_map(Table::values);
    crates.filter_map(|dependency| dependency.get("path")?.as_str().map(str::to_owned)).collect()
}

/// The time limit of Cargo, which may also download crates.
const BUILD_LIMIT: Duration = Duration::from_secs(30 * 60);

/// The built programs of a package. Dropping this value removes their folder.
pub(crate) struct Built {
    pub(crate) folder: TempDir,
}

impl Built {
    /// Builds programs of a package in a copy of it and of its path dependencies. The package itself stays unchanged.
    pub(crate) fn with_cargo(root: &Path, programs: &[&str]) -> Result<Self> {
        let failed = |source: io::Error| ImportError::unreadable(root, source);
        let prefix = judge_sandbox::sweepable_name("tools") + ".";
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(failed)?;
        let copy = folder.path().join("package");
        let own = root.canonicalize().map_err(failed)?;
        let crates = local_crates(&own);
        let above = crates.iter().fold(own.as_path(), |above, other| common(above, other));
        let in_copy = |path: &Path| copy.join(path.strip_prefix(above).unwrap_or(path));
        for package in &crates {
            for file in sources(package)? {
                let to = in_copy(&file);
                to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(&file, &to)).map_err(failed)?;
            }
        }
        let built = Self { folder };
        let mut words = ["cargo", "build", "--release", "--quiet", "--target-dir"].map(OsString::from).to_vec();
        words.push(built.target().into());
        words.extend(programs.iter().flat_map(|name| ["--bin", name]).map(OsString::from));
        // Messages name the user's files, not the copies.
        let not_built = |why: String| {
            let why = why.replace(&*copy.to_string_lossy(), &above.to_string_lossy());
            ImportError::Build { package: root.to_owned(), why }
        };
        let ended = command::run(&words, &in_copy(&own), BUILD_LIMIT)
            .map_err(|error| not_built(format!("{}: is Rust installed? <https://rustup.rs>", error_chain(&error))))?;
        if !ended.status.success() {
            return Err(not_built(format!("{}\n{}", ended.status, tail(&ended.stderr))));
        }
        Ok(built)
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// Returns the path of a program.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target().join("release").join(name)
    }

    /// Returns the programs: source and destination.
    fn programs(&self, package: &Package) -> Vec<(PathBuf, PathBuf)> {
        package.programs().map(|name| (self.program(name), program(name))).collect()
    }
}

/// Returns the deepest common folder of two paths.
fn common<'a>(path: &'a Path, other: &Path) -> &'a Path {
    path.ancestors().find(|above| other.starts_with(above)).unwrap_or(path)
}

/// The folder of the cases, and the list of their seeds.
const FOLDER: &str = "in";
const SEEDS: &str = "seeds.txt";

/// The number of cases if there are neither a list of seeds nor files.
const DEFAULT_COUNT: usize = 100;

/// The time limit of the generator for all cases of the list.
const GENERATE_LIMIT: Duration = Duration::from_secs(600);

/// The cases of a package.
#[derive(Debug)]
struct Cases {
    /// The number of seeds, from 0. `None`: the cases are files.
    seeds: Option<usize>,
    /// Whether a list maps the first seeds to other seeds.
    has_list: bool,
    inputs: Vec<PathBuf>,
    /// Why the cases are files although the package has a generator.
    left: Option<String>,
}

impl Cases {
    /// Finds the cases. If there are files, the generator must reproduce them exactly.
    fn find(package: &Package, built: &Built) -> Result<Self> {
        let mut inputs = files::entries(&package.root.join(FOLDER))?;
        inputs.retain(|path| files::has_extension(path, &["txt"]));
        for input in &inputs {
            files::check_link(&package.root, input)?;
        }
        let list = seeds(&package.root.join(SEEDS))?;
        if !package.has_generator {
            if inputs.is_empty() {
                let what = "no cases, and no program `gen` that makes some";
                return Err(ImportError::bad(&package.root.join(FOLDER), what, "files such as in/0000.txt"));
            }
            return Ok(Self { seeds: None, has_list: false, inputs, left: None });
        }
        let count = [list.len(), inputs.len()].into_iter().max().filter(|count| *count > 0).unwrap_or(DEFAULT_COUNT);
        let is_plain = list.iter().enumerate().all(|(place, seed)| place as u64 == *seed);
        let of_seeds = Self { seeds: Some(count), has_list: !is_plain, inputs: Vec::new(), left: None };
        let seeds: Vec<u64> = (0..count).map(|place| list.get(place).copied().unwrap_or(place as u64)).collect();
        Ok(match differs(built, &seeds, &inputs) {
            None => of_seeds,
            Some(why) => {
                let left = Some(format!("the seeds of the cases: {why}"));
                Self { seeds: None, has_list: !is_plain, inputs, left }
            }
        })
    }

    /// Returns a description of the imported cases.
    fn described(&self) -> String {
        match self.seeds {
            Some(count) => format!("{count} cases, which gen makes of the seeds 0-{}", count - 1),
            None => format!("{} in files", counted(self.inputs.len(), "case")),
        }
    }

    /// Returns the files to copy: source and destination.
    fn files(&self, package: &Package) -> Vec<(PathBuf, PathBuf)> {
        let list = self.has_list.then(|| (package.root.join(SEEDS), program(SEEDS)));
        let inputs = self.inputs.iter().map(|input| (input.clone(), Path::new(FOLDER).join(files::name(input))));
        inputs.chain(list).collect()
    }
}

/// Reads a list of seeds. A missing list is empty.
fn seeds(path: &Path) -> Result<Vec<u64>> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|error| ImportError::unreadable(path, error))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let seed = |line: &str| {
        line.parse().map_err(|_| ImportError::bad(path, format!("`{line}`"), "a seed: a whole number below 2^64"))
    };
    lines.map(seed).collect()
}

/// Generates all cases again. Returns how they differ from the files, if they do.
fn differs(built: &Built, seeds: &[u64], inputs: &[PathBuf]) -> Option<String> {
    if inputs.is_empty() {
        return None;
    }
    let prefix = judge_sandbox::sweepable_name("cases") + ".";
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir().ok()?;
    let (list, made) = (folder.path().join(SEEDS), folder.path().join(FOLDER));
    let lines: String = seeds.iter().map(|seed| format!("{seed}\n")).collect();
    fs::create_dir(&made).and_then(|()| fs::write(&list, lines)).ok()?;
    let words = [built.program("gen").into_os_string(), OsString::from(list)];
    let ended = command::run(&words, folder.path(), GENERATE_LIMIT);
    if !ended.is_ok_and(|ended| ended.status.success()) {
        return Some("gen does not read seeds.txt, so that the cases stay files".to_owned());
    }
    let is_same = |input: &&PathBuf| fs::read(input).ok() == fs::read(made.join(files::name(input))).ok();
    let other = inputs.iter().find(|input| !is_same(input))?;
    Some(format!("gen makes another {} of seeds.txt, so that the cases stay files", files::name(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tester_starts_the_command_in_its_arguments() {
        let starts = "let p = std::process::Command::new(std::env::args().nth(1).unwrap())";
        assert!(starts_a_command(starts, ""));
        assert!(!starts_a_command("Command::new(\"cargo\").args([\"run\"])", ""), "a program that it knows");
        assert!(!starts_a_command("std::env::args().nth(1)", ""), "a file");
        assert!(starts_a_command("use tools::*; run(std::env::args())", "std::process::Command::new(name)"));
    }

    #[test]
    fn a_page_in_a_comment_is_not_written() {
        assert!(writes_page("    std::fs::write(\"vis.html\", &vis).unwrap(); // here"));
        assert!(!writes_page("    // std::fs::write(\"vis.html\", &vis).unwrap();"));
    }

    #[test]
    fn the_score_is_on_standard_error_if_it_is_printed_there() {
        assert_eq!(stream_of_score("eprintln!(\"Score = {}\", score); println!(\"{}\", out);"), "stderr");
        assert_eq!(stream_of_score("println!(\"Score = {}\", score); eprintln!(\"{}\", error);"), "stdout");
        assert_eq!(stream_of_score("exec(&mut p)"), "stderr");
    }

    #[test]
    fn crates_are_found_through_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, dependencies: &str| {
            fs::create_dir_all(root.join(name)).unwrap();
            fs::write(root.join(name).join("Cargo.toml"), dependencies).unwrap();
        };
        write("tools", "[dependencies]\na = { path = \"../a\" }\nserde = \"1\"\nown = { path = \"own\" }\n");
        write("tools/own", "");
        write(
            "a",
            "[target.'cfg(unix)'.dependencies]\nb = { path = \"../deep/b\" }\ntools = { path = \"../tools\" }\n",
        );
        write(
            "deep/b",
            "[build-dependencies]\ngone = { path = \"../gone\" }\n[patch.crates-io]\nc = { path = \"../../c\" }\n",
        );
        write("c", "not a manifest");
        let expected = ["tools", "a", "deep/b", "c"].map(|name| root.join(name));
        assert_eq!(local_crates(&root.join("tools")), expected);
    }
}
