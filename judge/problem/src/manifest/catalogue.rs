//! All problems of a `problems.toml`, checked.

use super::document::{ManifestError, read_document};
use super::section::Section;
use super::{BUILT_IN, engine, languages, problem, suggest};
use crate::model::{BundledSolver, LanguageTable, Problem, Retention, SlurmTable};
use checkers::Score;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// All problems of a catalogue, in its order.
#[derive(Debug, Clone)]
pub struct Catalogue {
    problems: Vec<Problem>,
    text: String,
    folder: PathBuf,
    retention: Retention,
    slurm: SlurmTable,
    languages: Vec<LanguageTable>,
    journal: Option<PathBuf>,
    is_read_only: bool,
    bundled: &'static [BundledSolver],
}

/// The catalogue has no such problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no problem `{id}`")]
pub struct UnknownProblem {
    /// The id that was given.
    pub id: String,
    /// The most similar id.
    pub meant: Option<String>,
    /// The built-in problem that is or resembles what was given.
    pub built_in: Option<String>,
}

impl Catalogue {
    /// Returns the catalogue that is part of the program; relative paths in it would start from `folder`.
    ///
    /// # Errors
    /// Never, as long as the project's own tests pass.
    pub fn built_in(folder: &Path) -> Result<Self, ManifestError> {
        Self::parse("problems.toml (built in)", BUILT_IN, folder)
    }

    /// Reads a catalogue. `file` is its name in messages; relative paths start from `folder`.
    ///
    /// # Errors
    /// Every error in it, at once.
    pub fn parse(file: &str, text: &str, folder: &Path) -> Result<Self, ManifestError> {
        read_document("the catalogue", file, text, |root| {
            let problems = read_problems(&root, folder);
            let retention = read_retention(&root).unwrap_or_default();
            let slurm = engine::read(&root, folder);
            let languages = languages::read(&root, languages::built_in);
            root.finish();
            Self {
                problems,
                text: text.to_owned(),
                folder: folder.to_owned(),
                retention,
                slurm,
                languages,
                journal: None,
                is_read_only: false,
                bundled: &[],
            }
        })
    }

    /// Returns every problem, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the text that it was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the folder that the catalogue's relative paths start from.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the catalogue with its journal in this file, instead of beside it.
    #[must_use]
    pub fn with_journal(self, file: Option<&Path>) -> Self {
        Self { journal: file.map(Path::to_owned), ..self }
    }

    /// Returns the file of its journal, if it is not the one beside it.
    #[must_use]
    pub fn journal(&self) -> Option<&Path> {
        self.journal.as_deref()
    }

    /// Returns the catalogue with a journal that is only read.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// Returns whether its journal is only read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns the catalogue with these solvers that come with the judge.
    #[must_use]
    pub fn with_bundled(self, bundled: &'static [BundledSolver]) -> Self {
        Self { bundled, ..self }
    }

    /// Returns the solvers that come with the judge.
    #[must_use]
    pub fn bundled(&self) -> &'static [BundledSolver] {
        self.bundled
    }

    /// Returns how many answers the journal of this catalogue keeps.
    #[must_use]
    pub fn retention(&self) -> Retention {
        self.retention
    }

    /// Returns its `[engine.slurm]` table.
    #[must_use]
    pub fn slurm(&self) -> &SlurmTable {
        &self.slurm
    }

    /// Returns its `[language.NAME]` tables, in the order of the file.
    #[must_use]
    pub fn languages(&self) -> &[LanguageTable] {
        &self.languages
    }

    /// Returns the problem with this id, to be changed.
    pub fn find_mut(&mut self, id: &str) -> Option<&mut Problem> {
        self.problems.iter_mut().find(|problem| problem.id == id)
    }

    /// Returns the problem with this id.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, id: &str) -> Result<&Problem, UnknownProblem> {
        let ids = || self.problems.iter().map(|problem| &*problem.id);
        self.problems.iter().find(|problem| problem.id == id).ok_or_else(|| UnknownProblem {
            id: id.to_owned(),
            meant: suggest::closest(id, ids()).map(str::to_owned),
            built_in: built_in_like(id),
        })
    }
}

/// Returns the id of the built-in problem that is or resembles this one.
fn built_in_like(id: &str) -> Option<String> {
    let built_in = Catalogue::built_in(Path::new("/")).ok()?;
    suggest::closest(id, built_in.problems.iter().map(|problem| &*problem.id)).map(str::to_owned)
}

/// Reads a hand-written file of best scores: `CASE = SCORE` on each line.
///
/// # Errors
/// Every error in it, at once.
pub fn read_best_scores(file: &str, text: &str) -> Result<BTreeMap<String, Score>, ManifestError> {
    let expected = "a number: the best score known of this case";
    read_document("the best scores", file, text, |root| root.numeric_entries(expected).into_iter().collect())
}

fn read_retention(root: &Section<'_>) -> Option<Retention> {
    let section = root.section("journal", "[journal]")?;
    let retention = section.parsed::<Retention>("keep-answers").map(|retention| retention.value);
    section.finish();
    retention
}

fn read_problems(root: &Section<'_>, folder: &Path) -> Vec<Problem> {
    let mut ids = HashSet::new();
    let mut problems = Vec::new();
    let sections = root.sections("problem", "[[problem]]");
    if sections.is_empty() {
        root.missing("problem", "…`: write a [[problem]] table with an `id` and a `checker");
    }
    for section in sections {
        let span = section.span();
        let Some(problem) = problem::read(section, folder) else { continue };
        if !ids.insert(problem.id.clone()) {
            root.complain(
                span,
                format!("there are two problems with the id `{}`", problem.id),
                "give one of them another `id`",
            );
        }
        problems.push(problem);
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bytes;
    use crate::model::Time;
    use std::time::Duration;

    const PROBLEM: &str = "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n";

    fn retention(journal: &str) -> Result<Retention, ManifestError> {
        Catalogue::parse("p.toml", &format!("{journal}{PROBLEM}"), Path::new("/")).map(|all| all.retention())
    }

    #[test]
    fn best_scores_are_read_or_complained_of_by_line() {
        let read = |text: &str| read_best_scores("best.toml", text);
        let scores = read("seed-1 = 15\ntiny = \"-123456789012345678901\"\n\"a b\" = 1_000\nz = -0.250\n").unwrap();
        let shown: Vec<_> = scores.iter().map(|(case, score)| format!("{case} {score}")).collect();
        assert_eq!(shown, ["a b 1000", "seed-1 15", "tiny -123456789012345678901", "z -0.25"]);
        let error = read("seed-1 = 15\nseed-2 = nan\nseed-3 = \"x\"\n").unwrap_err().to_string();
        assert!(error.contains("best.toml:2:") && error.contains("best.toml:3:"), "{error}");
        assert!(read("seed-1: 15").is_err());
    }

    #[test]
    fn the_journal_keeps_what_the_catalogue_says() {
        assert_eq!(retention("").unwrap(), Retention::default());
        assert_eq!(retention("[journal]\nkeep-answers = \"all\"\n").unwrap(), Retention::All);
        assert_eq!(retention("[journal]\nkeep-answers = \"0 B\"\n").unwrap(), Retention::UpTo(Bytes(0)));
        let complaints = retention("[journal]\nkeep-answers = \"3 days\"\nkeep = 1\n").unwrap_err().complaints;
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    fn slurm(text: &str) -> Result<SlurmTable, ManifestError> {
        Catalogue::parse("p.toml", &format!("{text}{PROBLEM}"), Path::new("/x")).map(|all| all.slurm().clone())
    }

    #[test]
    fn the_table_is_read_or_complained_of() {
        assert_eq!(slurm("").unwrap(), SlurmTable::default());
        let read = slurm(
            "[engine.slurm]\nworkdir = \"runs\"\nsbatch = \"--partition=short --comment='a b'\"\nconstraint = \"epyc\"\nretries = 5\nsubmit-wait = \"5s\"\n",
        );
        let expected = SlurmTable {
            workdir: Some("/x/runs".into()),
            sbatch: vec!["--partition=short".to_owned(), "--comment=a b".to_owned()],
            constraint: Some("epyc".to_owned()),
            retries: Some(5),
            submit_wait: Some(Time(Duration::from_secs(5))),
        };
        assert_eq!(read.unwrap(), expected);
        for (wrong, complaints) in [
            ("[engine.slurm]\nworkdr = \"x\"\nretries = -1\n", 2),
            ("[engine.slurm]\nsbatch = \"'open\"\n", 1),
            ("[engine.slurm]\nsubmit-wait = 5\n", 1),
            ("[engine.pbs]\nx = 1\n", 1),
        ] {
            assert_eq!(slurm(wrong).unwrap_err().complaints.len(), complaints, "{wrong}");
        }
    }

    fn with_answers(answers: &[(&str, &str, &str)]) -> Result<Catalogue, String> {
        let mut text = "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\n".to_owned();
        for (name, file, answer) in answers {
            text += &format!("[[problem.case]]\nname = \"{name}\"\nfile = \"{file}\"\nanswer = \"{answer}\"\n");
        }
        Catalogue::parse("p.toml", &text, Path::new("/")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_input_file_has_one_answer() {
        assert!(with_answers(&[("a", "1.in", "1.ans"), ("b", "1.in", "1.ans"), ("c", "2.in", "2.ans")]).is_ok());
        let error =
            with_answers(&[("a", "1.in", "1.ans"), ("b", "2.in", "1.ans"), ("c", "1.in", "2.ans")]).unwrap_err();
        assert_eq!(error.matches("the same `file` and different answers: /1.in").count(), 2, "{error}");
        assert!(error.contains("p.toml:7:10") && error.contains("p.toml:15:10"), "{error}");
    }
}
