//! Packages of Polygon: `problem.xml` and the files that it names, with existing tests or tests to generate. The
//! meaning of the elements comes from <https://polygon.codeforces.com/docs> and from packages of Polygon.

mod element;
mod programs;

use crate::text::{self, Text};
use crate::{ImportError, Imported, Result, files};
use element::Element;
use judge_problem::{PackageKind, counted};
use programs::{Program, Programs, Reader, Test, Tests};
use roxmltree::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Reads the package in a folder. `id`: the problem's id in place of the package's own.
///
/// # Errors
/// Fails if a file is malformed, or if the package needs something that is not supported and would change verdicts.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported> {
    let file = root.join(PackageKind::Polygon.sign());
    let text = std::fs::read_to_string(&file).map_err(|error| ImportError::unreadable(&file, error))?;
    let document = Document::parse(&text).map_err(|error| {
        let said = error.to_string();
        // The message starts with its place.
        let what = said.rsplit_once(" at ").map_or(&*said, |(what, _)| what);
        ImportError::bad(&file, what, "an XML document").at(error.pos().row as usize)
    })?;
    let problem = Element::new(root, &file, document.root_element());
    if problem.name() != "problem" {
        return Err(problem.bad(format!("the root element is <{}>", problem.name()), "<problem>"));
    }
    Package::read(problem, root)?.imported(id)
}

/// The attribute of a package whose checker says which share of the points of a test an answer earns.
const SHARES: &str = "treat-points-from-checker-as-percent";

/// The content of a package.
struct Package<'a> {
    problem: Element<'a>,
    root: &'a Path,
    /// The testset whose limits, points and test names are used.
    main: Element<'a>,
    programs: Programs,
    tests: Tests,
    points: Points,
    /// The folder of the tests whose line ends were changed, and their number.
    changed: (TempDir, usize),
    left: Vec<String>,
}

impl<'a> Package<'a> {
    fn read(problem: Element<'a>, root: &'a Path) -> Result<Self> {
        let mut left = element::lines(&problem);
        let judging = problem.first(&["judging"]);
        if let Some(judging) = judging
            && judging.number("run-count")?.is_some_and(|count| count > 1.0)
        {
            return Err(judging.unsupported("a solver that runs several times on a test (`run-count`)"));
        }
        let sets = problem.all(&["judging", "testset"]);
        let named = sets.iter().find(|set| set.attribute("name") == Some("tests"));
        let Some(main) = named.or(sets.first()).copied() else {
            return Err(problem.bad("there is no <testset>", "<judging> with a <testset>"));
        };
        let programs = programs::read_programs(&problem, root, &mut left)?;
        if programs.find("checker").or(programs.find("interactor")).is_none() {
            return Err(problem.bad("the problem has no checker", "<assets> with a <checker>"));
        }
        if let Some(judging) = judging.filter(|judging| judging.attribute(SHARES) == Some("true"))
            && programs.gives_points
        {
            let what = format!("points of the checker as a share of the points of a test (`{SHARES}`)");
            return Err(judging.unsupported(what));
        }
        let (interactive, found) = (programs.find("interactor").is_some(), Tests::default());
        let mut tests = Reader { problem, root, interactive, found }.read(&main, &mut left)?;
        let changed = files::change(tests.copied.iter_mut().map(|(from, _)| from), without_windows_line_ends)?;
        let points = Points::read(&main, &tests.tests, programs.gives_points, &mut left)?;
        Ok(Self { problem, root, main, programs, tests, points, changed, left })
    }

    fn imported(mut self, id: Option<&str>) -> Result<Imported> {
        let named = id.or(self.problem.attribute("short-name"));
        let id = named.map_or_else(|| files::id_of(self.root), files::to_id);
        let mut text = Text::of_problem(&format!("the Polygon package {}", files::name(self.root)), &id);
        text.text("title", self.title().unwrap_or(&id));
        text.maybe("source", self.problem.attribute("url"));
        self.write_programs(&mut text);
        let has_tables = self.has_tables();
        if !has_tables {
            let folder = self.tests.tests[0].input.parent().unwrap_or(Path::new("tests")).display().to_string();
            let pattern = |ending: &str| vec![format!("{}/*.{ending}", glob::Pattern::escape(&folder))];
            text.texts("inputs", &pattern("in")).texts("answers", &pattern("ans"));
        }
        self.write_limits(&mut text)?;
        self.points.write(&mut text, &self.tests.tests);
        if has_tables {
            for test @ Test { name, input, answer, .. } in &self.tests.tests {
                text.case(name, input, answer.as_deref(), self.points.weight(test, &self.tests.tests));
            }
        }
        let reads_files = self.reads_files();
        let solutions = if reads_files { Vec::new() } else { self.write_submissions(&mut text)? };
        let mut taken = self.taken();
        if !solutions.is_empty() {
            taken.push("solutions with the verdicts of their tags, for `judge verify`".to_owned());
        }
        let mut copied = self.tests.copied;
        copied.extend(solutions);
        let mut compiled = Vec::new();
        for Program { compiled: program, .. } in self.programs.all {
            let inside = |name: &PathBuf| Path::new(programs::FOLDER).join(name);
            copied.extend(program.sources.files.iter().map(|(from, name)| (from.clone(), inside(name))));
            compiled.push(program);
        }
        copied.sort();
        copied.dedup();
        Ok(Imported {
            id,
            catalogue: text.finish(),
            files: copied,
            programs: compiled,
            made: self.tests.made,
            temporary: vec![self.changed.0],
            taken,
            left: self.left,
            ..Imported::default()
        })
    }

    /// Returns the English name, or the first name.
    fn title(&self) -> Option<&'a str> {
        let names = self.problem.all(&["names", "name"]);
        let english = names.iter().find(|name| name.attribute("language") == Some("english"));
        english.or(names.first())?.attribute("value")
    }

    fn write_programs(&self, text: &mut Text) {
        for Program { name, shown, compiled } in
            ["interactor", "checker", "validator"].into_iter().filter_map(|name| self.programs.find(name))
        {
            text.text(&format!("{name}-command"), &format!("./{}", compiled.program.display()));
            text.because(&format!("compiled from {shown}"));
        }
        text.text("checker-protocol", "testlib");
    }

    fn write_limits(&mut self, text: &mut Text) -> Result<()> {
        text.table("[problem.limits]");
        let time = self.main.whole("time-limit", 1)?;
        text.maybe("cpu", time.map(|milliseconds| format!("{}s", milliseconds as f64 / 1000.0)));
        if let Some(bytes) = self.main.whole("memory-limit", 1)? {
            const MEBIBYTE: u64 = 1 << 20;
            let is_round = bytes.is_multiple_of(MEBIBYTE);
            text.text("memory", &if is_round { format!("{} MiB", bytes / MEBIBYTE) } else { format!("{bytes} B") });
        }
        for set in self.problem.all(&["judging", "testset"]) {
            let limits = |set: &Element<'_>| {
                (set.text("time-limit").map(str::to_owned), set.text("memory-limit").map(str::to_owned))
            };
            if limits(&set) != limits(&self.main) {
                let name = set.attribute("name").unwrap_or_default();
                let what = format!("testset {name}: it has other limits, and those of the main one hold");
                self.left.push(set.left(&what));
            }
        }
        Ok(())
    }

    /// Returns whether cases need their own tables, because they have weights or are in several folders.
    fn has_tables(&self) -> bool {
        let tests = &self.tests.tests;
        let is_elsewhere = |test: &Test| test.input.parent() != tests[0].input.parent();
        tests.iter().any(|test| is_elsewhere(test) || self.points.weight(test, tests).is_some())
    }

    /// Returns whether the package's solutions read and write named files. Such solutions are left out.
    fn reads_files(&mut self) -> bool {
        let Some(judging) = self.problem.first(&["judging"]) else { return false };
        let named = ["input-file", "output-file"]
            .map(|key| judging.attribute(key).filter(|name| !["stdin", "stdout"].contains(name)));
        let [input, output] = named.map(|name| name.unwrap_or("a standard stream"));
        if named == [None, None] {
            return false;
        }
        let what = format!("solutions that read {input} and write {output}: solvers use the standard streams");
        self.left.push(judging.left(&what));
        true
    }

    /// Writes a `[[problem.expect]]` for each solution that can be run. Returns the files to copy.
    fn write_submissions(&mut self, text: &mut Text) -> Result<Vec<(PathBuf, PathBuf)>> {
        let left = &mut self.left;
        let mut copied = Vec::new();
        for solution in self.problem.all(&["assets", "solutions", "solution"]) {
            let Some(source) = solution.first(&["source"]) else {
                return Err(solution.bad("the solution has no source", "<source path=\"…\"/>"));
            };
            let named = source.required("path")?;
            let tag = solution.attribute("tag").unwrap_or("accepted");
            let Some((_, verdicts)) = TAGS.iter().find(|(known, _)| *known == tag) else {
                left.push(solution.left(&format!("{named}: the tag `{tag}` has no verdict")));
                continue;
            };
            let file = source.file("path")?;
            let is_old = source.attribute("type").is_some_and(|kind| kind.starts_with("python.2"));
            if is_old || !text::is_known(&file) {
                left.push(solution.left(&format!("{named}: in no language of `judge languages`")));
                continue;
            }
            let extra = solution.all(&["extra-tags", "extra-tag"]);
            if !extra.is_empty() {
                left.push(solution.left(&format!("{named}: extra tags for single testsets and groups")));
            }
            let to = Path::new("solutions").join(file.file_name().unwrap_or_default());
            text.table("[[problem.expect]]").text("solver", &to.to_string_lossy());
            // An answer that is partly right gets points.
            let may_be_partial = self.points.is_raw && verdicts.contains(&"wrong-answer");
            let verdicts: Vec<_> =
                may_be_partial.then_some("accepted").into_iter().chain(verdicts.iter().copied()).collect();
            text::write_verdicts(text, &verdicts);
            copied.push((file, to));
        }
        Ok(copied)
    }

    fn taken(&self) -> Vec<String> {
        let count = self.tests.tests.len();
        let mut taken = vec![counted(count, "case")];
        taken.extend(self.programs.all.iter().map(|program| format!("the {} {}", program.name, program.shown)));
        // An answer is made from an input.
        let (answers, inputs): (Vec<_>, Vec<_>) = self.tests.made.iter().partition(|made| made.input.is_some());
        let made = [(inputs.len(), "input", "the generators"), (answers.len(), "answer", "the main solution")];
        let made = made.into_iter().filter(|(count, ..)| *count > 0);
        taken.extend(made.map(|(count, what, by)| format!("{}, made by {by}", counted(count, what))));
        let changed = Some(self.changed.1).filter(|count| *count > 0);
        let why = "with line ends of Windows, which become line feeds";
        taken.extend(changed.map(|count| format!("{} {why}", counted(count, "file"))));
        taken
    }
}

/// A group of tests.
#[derive(Debug, Default)]
struct Group {
    points: Option<f64>,
    is_whole: bool,
    depends_on: Vec<String>,
}

/// The points of a package's tests.
#[derive(Debug)]
struct Points {
    groups: BTreeMap<String, Group>,
    /// Whether tests or groups have points.
    is_scored: bool,
    /// Whether the checker's points count directly.
    is_raw: bool,
}

impl Points {
    fn read(set: &Element<'_>, tests: &[Test], is_raw: bool, left: &mut Vec<String>) -> Result<Self> {
        let mut groups = BTreeMap::new();
        let elements = set.all(&["groups", "group"]);
        let hides =
            |group: &&Element<'_>| group.attribute("feedback-policy").is_some_and(|policy| policy != "complete");
        left.extend(elements.iter().find(hides).map(|group| group.left("`feedback-policy`: all results are shown")));
        for element in elements {
            groups.insert(element.required("name")?.to_owned(), group(&element)?);
        }
        let has_points = tests.iter().any(|test| test.points.is_some()) || groups.values().any(|g| g.points.is_some());
        if !has_points && !groups.is_empty() {
            left.push(set.left("<groups>: the tests have no points, and an answer must be right on all of them"));
        }
        if has_points && is_raw {
            let why =
                "the checker gives points, and they are added as they are: a right answer without points counts 1";
            left.push(set.left(&format!("points of tests: {why}")));
        }
        Ok(Self { groups, is_scored: has_points || is_raw, is_raw })
    }

    /// Returns the weight of a case in its group or in the problem, if it is not 1. If others have points, a test
    /// without points has none.
    fn weight(&self, test: &Test, tests: &[Test]) -> Option<f64> {
        if !self.is_scored || self.is_raw {
            return None;
        }
        let points = test.points.unwrap_or_default();
        let Some(group) = &test.group else { return (points != 1.0).then_some(points) };
        let is_whole = self.groups.get(group).is_some_and(|group| group.is_whole);
        let of_group = || tests.iter().filter(|other| other.group.as_ref() == Some(group));
        let differ = of_group().any(|other| other.points != test.points);
        (differ && !is_whole && sum(of_group()) > 0.0).then_some(points)
    }

    /// Writes the scoring rule and, if there are points, the groups.
    fn write(&self, text: &mut Text, tests: &[Test]) {
        text.table("[problem.scoring]").text("rule", if self.is_raw { "sum" } else { "exact" });
        if !self.is_scored {
            return;
        }
        let mut names: Vec<&String> = Vec::new();
        for name in tests.iter().filter_map(|test| test.group.as_ref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let unknown = Group::default();
        for name in &names {
            let group = self.groups.get(*name).unwrap_or(&unknown);
            let members: Vec<&Test> = tests.iter().filter(|test| test.group.as_ref() == Some(name)).collect();
            text.table("[[problem.group]]").text("name", name);
            let patterns: Vec<_> = members.iter().map(|test| glob::Pattern::escape(&test.name)).collect();
            text.texts("cases", &patterns);
            if !self.is_raw {
                let points = group.points.filter(|_| group.is_whole);
                text.plain("weight", points.unwrap_or_else(|| sum(members.into_iter())));
            }
            let known: Vec<_> = group.depends_on.iter().filter(|needed| names.contains(needed)).cloned().collect();
            text.maybe("aggregate", group.is_whole.then_some("all-or-nothing")).depends_on(&known);
        }
    }
}

fn group(element: &Element<'_>) -> Result<Group> {
    let is_whole = match element.attribute("points-policy") {
        Some("complete-group") => true,
        Some("each-test") | None => false,
        Some(other) => {
            let expected = "`complete-group` or `each-test`";
            return Err(element.bad(format!("bad `points-policy`: `{other}`"), expected));
        }
    };
    let depends_on = element.all(&["dependencies", "dependency"]);
    let depends_on = depends_on.iter().map(|needed| needed.required("group").map(str::to_owned));
    Ok(Group { points: element.number("points")?, is_whole, depends_on: depends_on.collect::<Result<_, _>>()? })
}

fn sum<'a>(tests: impl Iterator<Item = &'a Test>) -> f64 {
    tests.filter_map(|test| test.points).sum()
}

/// Returns a text without the carriage returns at the ends of its lines, if every line has one: Polygon makes packages
/// with the line ends of Windows, which validators refuse on Linux.
fn without_windows_line_ends(text: &[u8]) -> Vec<u8> {
    let lines = || text.split_inclusive(|byte| *byte == b'\n');
    if !lines().all(|line| line.ends_with(b"\r\n") || !line.ends_with(b"\n")) {
        return text.to_vec();
    }
    lines()
        .flat_map(|line| line.strip_suffix(b"\r\n").map_or([line, b""], |line| [line, b"\n"]))
        .flatten()
        .copied()
        .collect()
}

/// The tags of solutions, with the verdicts that a case may have in addition to `accepted`.
const TAGS: [(&str, &[&str]); 11] = [
    ("main", &["accepted"]),
    ("accepted", &["accepted"]),
    ("wrong-answer", &["wrong-answer"]),
    ("presentation-error", &["wrong-answer"]),
    ("time-limit-exceeded", &["time-limit", "wall-limit"]),
    ("time-limit-exceeded-or-accepted", &["accepted", "time-limit", "wall-limit"]),
    ("time-limit-exceeded-or-memory-limit-exceeded", &["time-limit", "wall-limit", "memory-limit", "runtime-error"]),
    ("memory-limit-exceeded", &["memory-limit", "runtime-error"]),
    ("failed", &["runtime-error", "memory-limit", "process-limit"]),
    ("runtime-error", &["runtime-error", "memory-limit", "process-limit"]),
    ("rejected", &["wrong-answer", "runtime-error", "time-limit", "wall-limit", "memory-limit", "output-limit"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_windows_become_line_feeds() {
        for (text, expected) in [
            (&b"1 2\r\n\r\n3\r\n"[..], &b"1 2\n\n3\n"[..]),
            (b"1\r\n2", b"1\n2"),
            (b"1\r\n2\n", b"1\r\n2\n"),
            (b"1\r2\n", b"1\r2\n"),
            (b"", b""),
        ] {
            assert_eq!(without_windows_line_ends(text), expected);
        }
    }
}
