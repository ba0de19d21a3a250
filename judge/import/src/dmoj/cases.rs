//! The test cases of `init.yml`, alone or in batches.

use super::checker::INTERACTIVE;
use super::generator;
use crate::error::ImportError;
use crate::files;
use crate::yaml::Mapping;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Keys that every case takes over from the problem, and without which one of its own would be judged wrongly.
const OF_ALL: [&str; 5] = ["checker", "generator", INTERACTIVE, "custom_judge", "file_io"];

/// The folder of the files that the generator makes.
const GENERATED: &str = "generated";

/// A case.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// Its files in the archive or the folder, or what the generator makes.
    pub(super) input: PathBuf,
    pub(super) answer: PathBuf,
    /// Whether it names no input: DMOJ gives it an empty one.
    pub(super) is_empty: bool,
    /// Whether it names no answer, as an interactor may need none: it has an empty one.
    pub(super) is_unanswered: bool,
    /// How the generator makes it.
    pub(super) generated: Option<Generated>,
    pub(super) points: f64,
}

/// How the generator makes a case.
#[derive(Debug)]
pub(super) struct Generated {
    /// Its arguments, if the case has some of its own.
    pub(super) arguments: Option<Vec<String>>,
    /// The file that it reads.
    pub(super) input: Option<PathBuf>,
    /// Whether it makes the answer, too.
    pub(super) answers: bool,
}

/// Cases that count together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) name: String,
    pub(super) points: f64,
    /// The names of others that must be right.
    pub(super) depends_on: Vec<String>,
    pub(super) cases: Vec<Case>,
}

/// The cases of a problem.
#[derive(Debug, Default)]
pub(super) struct Cases {
    /// Those in no batch.
    pub(super) alone: Vec<Case>,
    pub(super) batches: Vec<Batch>,
}

impl Cases {
    /// Reads `test_cases`. Lines say what of them is not done.
    pub(super) fn read(config: &Mapping, left: &mut BTreeSet<String>) -> Result<Self, ImportError> {
        let bad = |_| {
            let what = "`test_cases` are not listed";
            config.wrong("test_cases", what, "a list of cases with `in` and `out`; patterns of files are not supported")
        };
        let listed = config.mappings("test_cases").map_err(bad)?;
        let Some(listed) = listed else {
            let expected = "a list of cases with `in` and `out`; patterns of files are not supported";
            return Err(config.wrong("archive", "there are no `test_cases`", expected));
        };
        let mut cases = Self::default();
        let mut reader = Reader { config, left, count: 0 };
        for entry in &listed {
            match entry.mappings("batched")? {
                Some(members) => {
                    let batch = reader.batch(entry, &members, cases.batches.len() + 1)?;
                    cases.batches.push(batch);
                }
                None => cases.alone.push(reader.case(entry, None)?),
            }
        }
        cases.name_apart();
        Ok(cases)
    }

    /// Returns all cases, those of batches last.
    pub(super) fn all(&self) -> impl Iterator<Item = &Case> {
        self.alone.iter().chain(self.batches.iter().flat_map(|batch| &batch.cases))
    }

    /// Gives cases of one name their batch's too: one file may be in several batches.
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
    }
}

/// Reads cases and batches.
struct Reader<'a> {
    config: &'a Mapping,
    left: &'a mut BTreeSet<String>,
    /// How many cases were read.
    count: usize,
}

impl Reader<'_> {
    fn batch(&mut self, entry: &Mapping, members: &[Mapping], number: usize) -> Result<Batch, ImportError> {
        self.check(entry, &["batched", "points", "dependencies", "generator_args"])?;
        let needed = entry.words("dependencies")?.unwrap_or_default();
        let is_earlier = |word: &String| word.parse::<usize>().is_ok_and(|needed| (1..number).contains(&needed));
        if let Some(word) = needed.iter().find(|word| !is_earlier(word)) {
            let expected = "the number of a batch before it, from 1";
            return Err(entry.wrong("dependencies", format!("bad dependency `{word}`"), expected));
        }
        Ok(Batch {
            name: format!("batch{number}"),
            points: entry.number("points")?.unwrap_or(1.0),
            depends_on: needed.iter().map(|number| format!("batch{number}")).collect(),
            cases: members.iter().map(|member| self.case(member, Some(entry))).collect::<Result<_, _>>()?,
        })
    }

    fn case(&mut self, entry: &Mapping, batch: Option<&Mapping>) -> Result<Case, ImportError> {
        self.count += 1;
        self.check(entry, &["in", "out", "points", "generator_args", "generator_in"])?;
        if batch.is_some() && entry.has("points") {
            self.left.insert("init.yml: `points` of a case in a batch: the batch has points".to_owned());
        }
        let points = entry.number("points")?.unwrap_or(1.0);
        if entry.has("in") || !self.config.has(generator::KEY) {
            if let Some(key) = ["generator_args", "generator_in"].iter().find(|key| entry.has(key)) {
                return Err(entry.wrong(
                    key,
                    format!("`{key}` of a case that is not generated"),
                    "a case without `in`",
                ));
            }
            let is_unanswered = self.config.has(INTERACTIVE) && !entry.has("out");
            let unanswered = || Ok(Path::new(GENERATED).join(format!("case{}.out", self.count)));
            let answer = if is_unanswered { unanswered() } else { file(entry, "out") }?;
            let is_empty = !entry.has("in");
            let named = if is_empty { answer.clone() } else { file(entry, "in")? };
            let name = files::name(&named.with_extension(""));
            let input = if is_empty { Path::new(GENERATED).join(format!("case{}.in", self.count)) } else { named };
            return Ok(Case { name, input, answer, is_empty, is_unanswered, generated: None, points });
        }
        let arguments = match (entry.words("generator_args")?, batch) {
            (None, Some(batch)) => batch.words("generator_args")?,
            (own, _) => own,
        };
        let name = format!("case{}", self.count);
        let made = |ending: &str| Path::new(GENERATED).join(format!("{name}.{ending}"));
        let answers = !entry.has("out");
        let answer = if answers { made("out") } else { file(entry, "out")? };
        let input = entry.has("generator_in").then(|| file(entry, "generator_in")).transpose()?;
        let generated = Some(Generated { arguments, input, answers });
        Ok(Case { input: made("in"), answer, is_empty: false, is_unanswered: false, generated, points, name })
    }

    /// Refuses what would be wrong if it were dropped, and says what else is not read.
    fn check(&mut self, entry: &Mapping, known: &[&str]) -> Result<(), ImportError> {
        if let Some(key) = OF_ALL.iter().find(|key| entry.has(key)) {
            return Err(entry.unsupported(format!("a case with a `{key}` of its own")));
        }
        let others = entry.keys().filter(|key| !known.contains(key));
        self.left.extend(others.map(|key| format!("init.yml: `{key}` of test cases is not done")));
        Ok(())
    }
}

/// Returns the file of the package that a key names.
fn file(entry: &Mapping, key: &str) -> Result<PathBuf, ImportError> {
    let named = PathBuf::from(entry.required(key, "the name of a file")?);
    let is_inside = named.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if is_inside {
        return Ok(named);
    }
    Err(entry.wrong(key, format!("`{}`", named.display()), "a file of the package"))
}
