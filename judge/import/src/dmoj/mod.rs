//! Problems of DMOJ: `init.yml`, with an archive of files or the files beside it.
//! Format: <https://docs.dmoj.ca/#/problem_format/problem_format>.

mod checker;

use crate::files::{self, Unpacked};
use crate::imported::unknown;
use crate::text::Text;
use crate::yaml::Mapping;
use crate::{ImportError, Imported, Result, ToMake};
use checker::{Bridged, Checker, Generator, INTERACTIVE};
use judge_problem::{PackageKind, counted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folder of the cases, next to the `problems.toml`.
const DATA: &str = "data";

/// Unsupported keys that change verdicts.
const REFUSED: [(&str, &str); 6] = [
    ("custom_judge", "a judge of its own"),
    ("grader", "a judge of its own"),
    ("signature_grader", "solvers that are compiled with a file of the problem"),
    ("file_io", "solvers that read and write files"),
    ("archives", "several archives"),
    ("communication", "solvers of several processes"),
];

/// Keys that are read here.
const READ: [&str; 8] =
    ["archive", "binary_data", OUTPUT_LIMIT, PRETESTS, "test_cases", "checker", INTERACTIVE, checker::KEY];

/// The key of the limit on a solver's output, in bytes.
const OUTPUT_LIMIT: &str = "output_limit_length";

/// The limit of DMOJ without this key.
const DEFAULT_OUTPUT: &str = "24MiB";

/// Keys of cases. A case inherits them from its batch, and from the problem.
const OF_CASE: [&str; 5] = ["in", "out", "points", "generator_args", "generator_in"];

/// The key of cases without points that come before all others.
const PRETESTS: &str = "pretest_test_cases";

/// The end of keys whose value is a program: "dynamic keys".
const DYNAMIC: char = '+';

/// Reads the problem in a folder. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// Fails if a file is malformed, or if the problem needs something that is not supported and would change verdicts.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported> {
    let file = root.join(PackageKind::Dmoj.sign());
    let config = Mapping::read_as_python(&file)?;
    if let Some((key, what)) = REFUSED.iter().find(|(key, _)| config.has(key)) {
        return Err(ImportError::unsupported(&file, format!("{what} (`{key}`)")));
    }
    if let Some(key) = config.key_with_end(DYNAMIC) {
        return Err(ImportError::unsupported(&file, format!("a value that a program of init.yml computes (`{key}`)")));
    }
    let mut left: Vec<String> =
        config.keys().filter(|key| !READ.contains(key) && !OF_CASE.contains(key)).map(not_used).collect();
    let checker = Checker::read(&config, root, &mut left)?;
    let generator = Generator::read(&config, root, &mut left)?;
    let [pretests, listed] = listed(&config)?;
    let store = Store::open(&config, root)?;
    let (lines, found) = (BTreeSet::new(), Found::default());
    let generator = generator.as_ref();
    let above = config.only(&OF_CASE);
    let reader = Reader { above, checker: &checker, generator, store: &store, left: lines, found, count: 0 };
    let (cases, found) = Cases::read(reader, &pretests, &listed, &mut left)?;
    left.push(
        "limits: init.yml has none of time and memory, and the defaults hold: set them in [problem.limits]".to_owned(),
    );
    let id = id.map_or_else(|| files::id_of(root), str::to_owned);
    let mut text = Text::of_problem(&format!("the DMOJ problem {}", files::name(root)), &id);
    checker.write(&mut text);
    let output = config.limit(OUTPUT_LIMIT, "B")?;
    write(&mut text, output.as_deref(), &cases, &checker);
    let taken = taken(&cases, &checker, found.made.len(), root);
    let mut files: Vec<_> = found.copied.into_iter().map(|(to, from)| (from, to)).collect();
    let mut temporary: Vec<_> = store.unpacked.into_iter().map(|unpacked| unpacked.folder).collect();
    // As Python reads a condition.
    let is_binary = |text: String| !["False", "0", "0.0", ""].contains(&&*text);
    if !config.text("binary_data")?.is_some_and(is_binary) {
        temporary.push(files::change(files.iter_mut().map(|(from, _)| from), as_dmoj_reads)?.0);
    }
    let mut programs = Vec::new();
    if let Checker::Bridged(Bridged { program, .. }) = checker {
        files.extend(program.files);
        programs.extend(program.compiled);
    }
    let (made, empty) = (found.made, found.empty);
    let catalogue = text.finish();
    Ok(Imported { id, catalogue, files, empty, programs, made, taken, left, temporary, ..Imported::default() })
}

/// Where the files of the cases come from.
#[derive(Default)]
struct Found {
    /// The source of each file, by its destination.
    copied: BTreeMap<PathBuf, PathBuf>,
    /// The empty inputs.
    empty: Vec<PathBuf>,
    made: Vec<ToMake>,
}

/// Returns the text of a file as DMOJ reads it: each line ends with a line feed.
fn as_dmoj_reads(text: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(text.len() + 1);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\n' if text[..at].ends_with(b"\r") => {}
            b'\r' => changed.push(b'\n'),
            other => changed.push(*other),
        }
    }
    if changed.last().is_some_and(|last| *last != b'\n') {
        changed.push(b'\n');
    }
    changed
}

fn taken(cases: &Cases, checker: &Checker, made: usize, root: &Path) -> Vec<String> {
    let mut taken = vec![counted(cases.all().count(), "case")];
    if made > 0 {
        taken.push(format!("{}, made by the generator", counted(made, "input")));
    }
    match cases.count_of_batches {
        0 => {}
        1 => taken.push("1 batch, all or nothing".to_owned()),
        count => taken.push(format!("{count} batches, each all or nothing")),
    }
    taken.push(checker.shown(root));
    taken
}

fn not_used(key: &str) -> String {
    let why = match key {
        "output_prefix_length" => "how much of an output is shown is not the problem's to say",
        "hints" | "short_circuit" | "symlinks" | "unbuffered" | "wall_time_factor" => "it is not done",
        _ => "it has no place in a problem of a catalogue",
    };
    format!("init.yml: `{key}`: {why}")
}

fn write(text: &mut Text, output: Option<&str>, cases: &Cases, checker: &Checker) {
    text.table("[problem.limits]");
    match output {
        Some(output) => text.text("output", output),
        None => text.text("output", DEFAULT_OUTPUT).because("the default of the format"),
    };
    if let Checker::Bridged(Bridged { limits, .. }) = checker {
        for (key, value) in limits {
            text.text(key, value);
        }
    }
    text.table("[problem.scoring]").text("rule", "exact");
    for batch in &cases.batches {
        text.table("[[problem.group]]").text("name", &batch.name);
        let names: Vec<_> = batch.cases.iter().map(|case| glob::Pattern::escape(&case.name)).collect();
        text.texts("cases", &names).plain("weight", batch.points).text("aggregate", "all-or-nothing");
        text.depends_on(&batch.depends_on);
    }
    for Case { name, input, answer, points } in &cases.alone {
        text.case(name, input, Some(answer), Some(*points).filter(|points| *points != 1.0));
    }
    for Case { name, input, answer, .. } in cases.batches.iter().flat_map(|batch| &batch.cases) {
        text.case(name, input, Some(answer), None);
    }
}

/// Where the files of the cases are.
struct Store<'a> {
    root: &'a Path,
    unpacked: Option<Unpacked>,
}

impl<'a> Store<'a> {
    fn open(config: &Mapping, root: &'a Path) -> Result<Self> {
        let Some(name) = config.text("archive")? else { return Ok(Self { root, unpacked: None }) };
        let path = root.join(&name);
        if !path.is_file() {
            return Err(config.wrong("archive", format!("there is no file `{name}`"), "a zip archive beside init.yml"));
        }
        files::check_link(root, &path)?;
        Ok(Self { root, unpacked: Some(files::unpack(&path)?) })
    }

    /// Returns the absolute path of a file.
    fn absolute(&self, name: &Path) -> Result<PathBuf> {
        let found = self.find(name)?;
        found.canonicalize().map_err(|error| ImportError::unreadable(&found, error))
    }

    /// Returns a file of the folder or of the archive. As in DMOJ, the one in the folder counts if both have it.
    fn find(&self, name: &Path) -> Result<PathBuf> {
        let inside = self.unpacked.iter().map(|unpacked| unpacked.root.join(name));
        let beside = self.root.join(name);
        if let Some(found) = std::iter::once(beside).chain(inside).find(|path| path.is_file()) {
            if found.starts_with(self.root) {
                files::check_link(self.root, &found)?;
            }
            return Ok(found);
        }
        let what = format!("there is no file `{}`", name.display());
        Err(ImportError::bad(
            &self.root.join(PackageKind::Dmoj.sign()),
            what,
            "a file of the archive, or beside init.yml",
        ))
    }
}

/// Keys that cases inherit from the problem. They are not supported for a single case and would change its verdict.
const OF_ALL: [&str; 5] = ["checker", "generator", INTERACTIVE, "custom_judge", "file_io"];

/// The folder of generated files.
const GENERATED: &str = "generated";

/// A case.
#[derive(Debug)]
struct Case {
    name: String,
    /// Where its files go.
    input: PathBuf,
    answer: PathBuf,
    points: f64,
}

/// Cases that count together: a batch of the package, or a single case without points or after one.
#[derive(Debug)]
struct Batch {
    name: String,
    points: f64,
    /// The names of the batches that it depends on.
    depends_on: Vec<String>,
    cases: Vec<Case>,
}

/// The cases of a problem.
#[derive(Debug, Default)]
struct Cases {
    /// The cases outside of batches.
    alone: Vec<Case>,
    batches: Vec<Batch>,
    /// The number of batches of the package.
    count_of_batches: usize,
}

/// Returns the entries of the pretests, and of the other cases.
fn listed(config: &Mapping) -> Result<[Vec<Mapping>; 2]> {
    let bad = |key: &str, what: &str| {
        config.wrong(key, what, "a list of cases with `in` and `out`; patterns of files are not supported")
    };
    let pretests = config.mappings(PRETESTS).map_err(|_| bad(PRETESTS, "the pretests are not listed"))?;
    let listed = config.mappings("test_cases").map_err(|_| bad("test_cases", "`test_cases` are not listed"))?;
    let listed = listed.filter(|listed| !listed.is_empty());
    let listed = listed.ok_or_else(|| bad("test_cases", "there are no `test_cases`"))?;
    Ok([pretests.unwrap_or_default(), listed])
}

/// Returns the cases of a batch. `None`: the entry is a case.
fn members(entry: &Mapping) -> Result<Option<Vec<Mapping>>> {
    match entry.mappings("batched")? {
        Some(members) if members.is_empty() => {
            Err(entry.wrong("batched", "a batch without cases", "a list of cases with `in` and `out`"))
        }
        members => Ok(members),
    }
}

impl Cases {
    /// Reads the pretests and the other cases, and finds their files. Adds a line for each unsupported setting.
    fn read(
        mut reader: Reader<'_>,
        pretests: &[Mapping],
        listed: &[Mapping],
        left: &mut Vec<String>,
    ) -> Result<(Self, Found)> {
        let mut cases = Self::default();
        for (place, entry) in pretests.iter().chain(listed).enumerate() {
            match members(entry)? {
                Some(members) => {
                    cases.count_of_batches += 1;
                    let batch = reader.batch(entry, &members, cases.count_of_batches)?;
                    let is_last = place + 1 == pretests.len() + listed.len();
                    // DMOJ goes on after such a batch if it was not run, and ends if it failed. A group cannot say this.
                    if !is_last && batch.points == 0.0 && cases.has_points(&batch.depends_on) {
                        let expected = "points of the batch, or no dependency on a batch with points";
                        return Err(entry.wrong("dependencies", "dependencies of a batch without points", expected));
                    }
                    cases.batches.push(batch);
                }
                None => {
                    let mut case = reader.case(entry, None)?;
                    // DMOJ leaves the points of batched pretests as they are.
                    if place < pretests.len() {
                        case.points = 0.0;
                    }
                    cases.add(case, reader.count);
                }
            }
        }
        cases.depend_on_pretests();
        cases.name_apart();
        left.extend(reader.left);
        Ok((cases, reader.found))
    }

    /// Adds a case outside of batches. `number`: its number among all cases.
    fn add(&mut self, case: Case, number: usize) {
        if case.points > 0.0 && self.batches.iter().all(|batch| batch.points > 0.0) {
            self.alone.push(case);
            return;
        }
        let (name, points) = (format!("case{number}"), case.points);
        self.batches.push(Batch { name, points, depends_on: Vec::new(), cases: vec![case] });
    }

    /// Returns whether one of these batches has points.
    fn has_points(&self, names: &[String]) -> bool {
        self.batches.iter().any(|batch| batch.points > 0.0 && names.contains(&batch.name))
    }

    /// After a failed case without points, DMOJ runs no other: all later cases depend on it.
    fn depend_on_pretests(&mut self) {
        let mut pretests: Vec<String> = Vec::new();
        for batch in &mut self.batches {
            batch.depends_on.extend(pretests.iter().cloned());
            if batch.points == 0.0 {
                pretests.push(batch.name.clone());
            }
        }
    }

    /// Returns all cases. Those in batches come last.
    fn all(&self) -> impl Iterator<Item = &Case> {
        self.alone.iter().chain(self.batches.iter().flat_map(|batch| &batch.cases))
    }

    /// Adds the batch to ambiguous case names, because one file may be in several batches, and a number to those of files
    /// of several folders, or of one file that is in several cases.
    fn name_apart(&mut self) {
        let mut names = BTreeSet::new();
        let is_unique = self.all().map(|case| case.name.clone()).all(|name| names.insert(name));
        if is_unique {
            return;
        }
        for batch in &mut self.batches {
            let prefix = batch.name.clone();
            batch.cases.iter_mut().for_each(|case| case.name = format!("{prefix}-{}", case.name));
        }
        let mut names = BTreeSet::new();
        for case in self.alone.iter_mut().chain(self.batches.iter_mut().flat_map(|batch| &mut batch.cases)) {
            case.name = unknown(std::mem::take(&mut case.name), &mut names);
        }
    }
}

/// Reads cases and batches.
struct Reader<'a> {
    /// What all cases inherit from the problem.
    above: Mapping,
    checker: &'a Checker,
    generator: Option<&'a Generator>,
    store: &'a Store<'a>,
    /// A line for each unsupported setting.
    left: BTreeSet<String>,
    found: Found,
    /// The number of cases read so far.
    count: usize,
}

impl Reader<'_> {
    fn batch(&mut self, entry: &Mapping, members: &[Mapping], number: usize) -> Result<Batch> {
        self.check(entry, &["batched", "dependencies"])?;
        let needed = entry.words("dependencies")?.unwrap_or_default();
        let is_earlier = |word: &String| word.parse::<usize>().is_ok_and(|needed| (1..number).contains(&needed));
        if let Some(word) = needed.iter().find(|word| !is_earlier(word)) {
            let expected = "the number of a batch before it, from 1";
            return Err(entry.wrong("dependencies", format!("bad dependency `{word}`"), expected));
        }
        let cases = members.iter().map(|member| self.case(member, Some(entry))).collect::<Result<Vec<_>, _>>()?;
        // DMOJ gives the batch the points of its worst case.
        let points = cases[0].points;
        if let Some((member, case)) = members.iter().zip(&cases).find(|(_, case)| case.points != points) {
            let what = format!("points of cases in one batch: {points} and {}", case.points);
            let own = [member, &members[0]].into_iter().find(|member| member.has("points")).unwrap_or(entry);
            return Err(own.wrong("points", what, "the same for all of them, or the points of the batch alone"));
        }
        let depends_on = needed.iter().map(|number| format!("batch{number}")).collect();
        Ok(Batch { name: format!("batch{number}"), points, depends_on, cases })
    }

    fn case(&mut self, entry: &Mapping, batch: Option<&Mapping>) -> Result<Case> {
        self.count += 1;
        self.check(entry, &[])?;
        let batch = batch.map(|batch| batch.only(&OF_CASE));
        let whole = batch.iter().chain([&self.above]).fold(entry.clone(), Mapping::over);
        let points = whole.number("points")?.unwrap_or(1.0);
        let name = format!("case{}", self.count);
        let own = |ending: &str| Path::new(DATA).join(GENERATED).join(format!("{name}.{ending}"));
        let Some(by) = self.generator.filter(|_| !whole.has("in")) else {
            // DMOJ ignores what the problem says about a generator that it does not have.
            let asking = if self.generator.is_some() { &whole } else { entry };
            // An empty list removes the arguments of the problem.
            let is_empty = |key: &str| matches!(asking.words(key), Ok(Some(words)) if words.is_empty());
            let asks = |key: &&str| asking.has(key) && !is_empty(key);
            if let Some(key) = ["generator_args", "generator_in"].into_iter().find(asks) {
                let what = format!("`{key}` of a case that is not generated");
                return Err(asking.wrong(key, what, "a case without `in`"));
            }
            let is_unanswered = matches!(self.checker, Checker::Bridged(_)) && !whole.has("out");
            let answer = if is_unanswered { self.absent(own("out")) } else { self.copied(&whole, "out")? };
            let input = if whole.has("in") { self.copied(&whole, "in")? } else { self.absent(own("in")) };
            let named = if whole.has("in") { &input } else { &answer };
            let name = files::name(&named.with_extension(""));
            return Ok(Case { name, input, answer, points });
        };
        let arguments = whole.words("generator_args")?.filter(|words| !words.is_empty());
        let (input, is_made) = (own("in"), !whole.has("out"));
        let answer = if is_made { own("out") } else { self.copied(&whole, "out")? };
        let read =
            whole.has("generator_in").then(|| self.store.absolute(&file(&whole, "generator_in")?)).transpose()?;
        self.found.made.push(ToMake {
            by: by.sources.clone(),
            arguments: arguments.unwrap_or_else(|| by.arguments.clone()),
            input: read,
            file: input.clone(),
            second: is_made.then(|| answer.clone()),
        });
        Ok(Case { input, answer, points, name })
    }

    /// Takes a file of the package that a key names, and returns where it goes.
    fn copied(&mut self, entry: &Mapping, key: &str) -> Result<PathBuf> {
        let name = file(entry, key)?;
        let to = Path::new(DATA).join(&name);
        self.found.copied.insert(to.clone(), self.store.find(&name)?);
        Ok(to)
    }

    /// Takes an empty file for one that a case does not name.
    fn absent(&mut self, to: PathBuf) -> PathBuf {
        self.found.empty.push(to.clone());
        to
    }

    /// Rejects unsupported keys that change verdicts, and reports other unread keys. `known`: keys besides those of cases.
    fn check(&mut self, entry: &Mapping, known: &[&str]) -> Result<()> {
        if let Some(key) = OF_ALL.iter().find(|key| entry.has(key)) {
            return Err(entry.unsupported(format!("a case with a `{key}` of its own")));
        }
        let others = entry.keys().filter(|key| !known.contains(key) && !OF_CASE.contains(key));
        self.left.extend(others.map(|key| format!("init.yml: `{key}` of test cases is not done")));
        Ok(())
    }
}

/// Returns the file of the package that a key names.
fn file(entry: &Mapping, key: &str) -> Result<PathBuf> {
    let named = PathBuf::from(entry.required(key, "the name of a file")?);
    if files::stays_inside(&named) {
        return Ok(named);
    }
    Err(entry.wrong(key, format!("`{}`", named.display()), "a file of the package"))
}
