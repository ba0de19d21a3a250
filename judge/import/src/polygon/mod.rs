//! Packages of Polygon: `problem.xml` and the files that it names, with tests that are there or have to be made.
//! What the elements mean: <https://polygon.codeforces.com/docs> and the packages that it makes.

mod element;
mod points;
mod programs;
mod submissions;
mod tests;
mod unknown;

use super::error::ImportError;
use super::files;
use super::imported::Imported;
use super::kind::Kind;
use super::text::Text;
use element::Element;
use judge_problem::counted;
use points::Points;
use programs::{Program, Programs};
use roxmltree::Document;
use std::path::{Path, PathBuf};
use tests::{Reader, Test, Tests};

/// Reads the package in a folder. `id`: the problem's id in place of the package's own.
///
/// # Errors
/// When a file of it is malformed, or it asks for something without which its verdicts would be wrong.
pub(super) fn read(root: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
    let file = root.join(Kind::Polygon.sign());
    let text = std::fs::read_to_string(&file).map_err(|error| ImportError::unreadable(&file, error))?;
    let document = Document::parse(&text).map_err(|error| {
        let said = error.to_string();
        // Its place is told before it.
        let what = said.rsplit_once(" at ").map_or(&*said, |(what, _)| what);
        ImportError::bad(&file, what, "an XML document").at(error.pos().row as usize)
    })?;
    let problem = Element::new(root, &file, document.root_element());
    if problem.name() != "problem" {
        return Err(problem.bad(format!("the root element is <{}>", problem.name()), "<problem>"));
    }
    Package::read(problem, root)?.imported(id)
}

/// What a package says.
struct Package<'a> {
    problem: Element<'a>,
    root: &'a Path,
    /// The testset whose limits, points and names of tests hold.
    main: Element<'a>,
    programs: Programs,
    tests: Tests,
    points: Points,
    left: Vec<String>,
}

impl<'a> Package<'a> {
    fn read(problem: Element<'a>, root: &'a Path) -> Result<Self, ImportError> {
        let mut left = unknown::lines(&problem);
        let judging = problem.first(&["judging"]);
        if let Some(judging) = judging
            && judging.number::<u32>("run-count")?.is_some_and(|count| count > 1)
        {
            return Err(judging.unsupported("a solver that runs several times on a test (`run-count`)"));
        }
        let sets = problem.all(&["judging", "testset"]);
        let named = sets.iter().find(|set| set.attribute("name") == Some("tests"));
        let Some(main) = named.or(sets.first()).copied() else {
            return Err(problem.bad("there is no <testset>", "<judging> with a <testset>"));
        };
        let programs = programs::read(&problem, root, &mut left)?;
        if programs.checker.is_none() && programs.interactor.is_none() {
            return Err(problem.bad("the problem has no checker", "<assets> with a <checker>"));
        }
        let tests = Reader::new(problem, root, programs.interactor.is_some()).read(&main, &mut left)?;
        let points = Points::read(&main, &tests.tests, programs.gives_points, &mut left)?;
        Ok(Self { problem, root, main, programs, tests, points, left })
    }

    fn imported(mut self, id: Option<&str>) -> Result<Imported, ImportError> {
        let named = id.or(self.problem.attribute("short-name"));
        let id = named.map_or_else(|| files::id_of(self.root), files::to_id);
        let mut text = Text::default();
        text.comment(&format!("Imported from the Polygon package {}.", files::name(self.root)));
        text.line("[[problem]]").text("id", &id).text("title", self.title().unwrap_or(&id));
        if let Some(url) = self.problem.attribute("url") {
            text.text("source", url);
        }
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
            self.tests.tests.iter().for_each(|test| self.write_case(&mut text, test));
        }
        let reads_files = self.reads_files();
        let solutions =
            if reads_files { Vec::new() } else { submissions::write(&mut text, &self.problem, &mut self.left)? };
        let mut taken = self.taken();
        if !solutions.is_empty() {
            taken.push("solutions with the verdicts of their tags, for `judge verify`".to_owned());
        }
        let mut copied = self.tests.copied;
        copied.extend(solutions);
        let mut compiled = Vec::new();
        for Program { compiled: program, .. } in
            [self.programs.checker, self.programs.validator, self.programs.interactor].into_iter().flatten()
        {
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
            taken,
            left: self.left,
            ..Imported::default()
        })
    }

    /// Returns the English name, or the first.
    fn title(&self) -> Option<&'a str> {
        let names = self.problem.all(&["names", "name"]);
        let english = names.iter().find(|name| name.attribute("language") == Some("english"));
        english.or(names.first())?.attribute("value")
    }

    fn write_programs(&self, text: &mut Text) {
        let Programs { checker, validator, interactor, .. } = &self.programs;
        let keys = [("interactor-command", interactor), ("checker-command", checker), ("validator-command", validator)];
        for (key, program) in keys {
            if let Some(program) = program {
                text.text(key, &program.command);
                text.because(&format!("compiled from {}", program.shown));
            }
        }
        text.text("checker-protocol", "testlib");
    }

    fn write_limits(&mut self, text: &mut Text) -> Result<(), ImportError> {
        text.table("[problem.limits]");
        if let Some(milliseconds) = self.main.whole("time-limit")? {
            text.text("cpu", &format!("{}s", milliseconds as f64 / 1000.0));
        }
        if let Some(bytes) = self.main.whole("memory-limit")? {
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
                self.left
                    .push(set.left(&format!("testset {name}: it has other limits, and those of the main one hold")));
            }
        }
        Ok(())
    }

    /// Returns whether cases need tables of their own: they have weights, or are in several folders.
    fn has_tables(&self) -> bool {
        let tests = &self.tests.tests;
        let is_elsewhere = |test: &Test| test.input.parent() != tests[0].input.parent();
        tests.iter().any(|test| is_elsewhere(test) || self.points.weight(test, tests).is_some())
    }

    fn write_case(&self, text: &mut Text, test: &Test) {
        text.table("[[problem.case]]").text("name", &test.name).text("file", &test.input.to_string_lossy());
        if let Some(answer) = &test.answer {
            text.text("answer", &answer.to_string_lossy());
        }
        if let Some(weight) = self.points.weight(test, &self.tests.tests) {
            text.plain("weight", weight);
        }
    }

    /// Returns whether the package's solutions read and write files of a name: then they are left out.
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

    fn taken(&self) -> Vec<String> {
        let count = self.tests.tests.len();
        let mut taken = vec![counted(count, "case")];
        let Programs { checker, validator, interactor, .. } = &self.programs;
        let programs = [("checker", checker), ("validator", validator), ("interactor", interactor)];
        taken.extend(
            programs.iter().filter_map(|(what, program)| Some(format!("the {what} {}", program.as_ref()?.shown))),
        );
        let made = [
            (self.tests.made_inputs, "input", "the generators"),
            (self.tests.made_answers, "answer", "the main solution"),
        ];
        for (count, what, by) in made.into_iter().filter(|(count, ..)| *count > 0) {
            let ending = if count == 1 { "" } else { "s" };
            taken.push(format!("{count} {what}{ending}, made by {by}"));
        }
        taken
    }
}
