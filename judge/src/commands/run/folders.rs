//! `--save-answers` and `--transcript`: writes every answer or conversation of a run to its own file.

use judge_cli::RunArgs;
use judge_journal::Journal;
use judge_problem::{
    CaseName, CaseSource, CaseSpec, Catalogue, Evidence, FinishedJob, JobId, Plan, Role, RunEvent, Verdict, counted,
};
use judge_report::{RunReport, TestTexts, feedback};
use judge_run::cases::{Inputs, ProblemChecker};
use judge_run::files;
use judge_session::{Failure, Result, load, recorder};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A folder with a file for each finished job: its answer, or the transcript of its conversation.
pub(super) struct JobFiles<'a> {
    content: Content<'a>,
    plan: &'a Plan,
    /// By solver of the plan.
    folders: Vec<PathBuf>,
    /// The file names of cases whose names are not file names.
    renamed: HashMap<CaseName, String>,
    /// The number of results from the journal that have no file.
    lost: usize,
    /// The first failure. Nothing is written after it.
    failed: Option<Failure>,
}

/// The content of the files.
enum Content<'a> {
    /// Answers. The journal has those of earlier runs. It is opened when the first one is needed.
    Answers(&'a Catalogue, Option<Box<Journal>>),
    Transcripts,
}

impl<'a> JobFiles<'a> {
    /// Makes the folders that the command line names, and in each a folder for each solver if there are several. Fails if
    /// the problem has no conversations with an interactor, and transcripts are requested.
    pub(super) fn requested(args: &RunArgs, catalogue: &'a Catalogue, plan: &'a Plan) -> Result<Vec<Self>> {
        if args.transcript.is_some() && plan.problem.checker.role() != Role::Interactor {
            let id = &plan.problem.id;
            let error = format!("--transcript needs a problem with an interactor, and `{id}` has none");
            return Err(Failure::usage(error).with_hint("--save-answers DIR writes the answers"));
        }
        let answers = args.save_answers.iter().map(|folder| (Content::Answers(catalogue, None), folder));
        let transcripts = args.transcript.iter().map(|folder| (Content::Transcripts, folder));
        answers.chain(transcripts).map(|(content, folder)| Self::new(content, plan, folder)).collect()
    }

    /// Makes the folder, and a folder in it for each solver if there are several.
    fn new(content: Content<'a>, plan: &'a Plan, folder: &Path) -> Result<Self> {
        let own = |name: String| if plan.solvers.len() == 1 { folder.to_owned() } else { folder.join(name) };
        let names = plan.solvers.iter().map(|solver| file_name(&solver.spec.name));
        let folders: Vec<PathBuf> = distinct(names).map(own).collect();
        folders.iter().try_for_each(|folder| load::make_folder(folder))?;
        let cases = || plan.cases.listed().map(|case| &case.name);
        let files = distinct(cases().map(|name| file_name(&name.0)));
        let renamed = cases().cloned().zip(files).filter(|(name, file)| *file != *name.0).collect();
        let files = Self { content, plan, folders, renamed, lost: 0, failed: None };
        files.check_tests().map(|()| files)
    }

    /// Fails if a file would replace the input or the expected answer of a case.
    fn check_tests(&self) -> Result<()> {
        let checker = ProblemChecker::of(&self.plan.problem);
        let files_of =
            |case: &CaseSpec| [case.file().map(Path::to_owned), checker.answer_file(Some(&case.source)).ok().flatten()];
        let tests = self.plan.cases.listed().flat_map(files_of).flatten();
        let tests: HashSet<PathBuf> = tests.filter_map(|path| path.canonicalize().ok()).collect();
        let (what, ending) = self.content.kind();
        let files = || self.plan.cases.listed().map(move |case| self.file(&case.name, ending));
        let mut places = self.folders.iter().flat_map(|folder| files().map(move |file| folder.join(file)));
        match places.find(|place| place.canonicalize().is_ok_and(|place| tests.contains(&place))) {
            Some(place) => Err(Failure::usage(format!("{what} would replace {}, a file of a case", place.display()))
                .with_hint("name another folder")),
            None => Ok(()),
        }
    }

    /// Returns the name of the file of a case.
    fn file(&self, case: &CaseName, ending: &str) -> String {
        format!("{}.{ending}", self.renamed.get(case).map_or(&*case.0, |name| name))
    }

    /// Writes the file of a finished job, if it has one. The journal keeps no transcripts.
    pub(super) fn watch(&mut self, event: &RunEvent) {
        if let RunEvent::Finished(finished) = event
            && self.failed.is_none()
        {
            self.failed = self.save(finished).err();
        }
    }

    fn save(&mut self, FinishedJob { job, outcome, evidence, .. }: &FinishedJob) -> Result<()> {
        let (what, ending) = self.content.kind();
        let Some(content) = self.content.of(evidence)? else {
            let would_have_one = match self.content {
                // Only an answer that was checked is stored.
                Content::Answers(..) => matches!(outcome.verdict, Verdict::Accepted | Verdict::WrongAnswer),
                Content::Transcripts => true,
            };
            self.lost += usize::from(would_have_one && evidence.stored.is_some());
            return Ok(());
        };
        let name = self.file(&self.plan.cases.at(job.case).name, ending);
        load::write(what, &self.folders[job.solver].join(name), &content)
    }

    /// Fails if a file could not be written.
    pub(super) fn close(self) -> Result<()> {
        if self.lost > 0 {
            let missing = match self.content {
                Content::Answers(..) => format!("no longer has {} (`keep-answers`)", counted(self.lost, "answer")),
                Content::Transcripts => format!("keeps no transcript of {}", counted(self.lost, "result")),
            };
            let warning = format!("warning: the journal {missing}; a run without --reuse and --resume writes all");
            judge_report::note(&warning);
        }
        self.failed.map_or(Ok(()), Err)
    }
}

impl Content<'_> {
    /// Returns what a file has, and its ending.
    fn kind(&self) -> (&'static str, &'static str) {
        match self {
            Self::Answers(..) => ("the answer", "out"),
            Self::Transcripts => ("the transcript", "txt"),
        }
    }

    fn of<'e>(&mut self, evidence: &'e Evidence) -> Result<Option<Cow<'e, [u8]>>> {
        let (catalogue, journal) = match self {
            Self::Transcripts => return Ok(evidence.transcript.as_deref().map(|text| text.as_bytes().into())),
            Self::Answers(catalogue, journal) => (catalogue, journal),
        };
        match (&evidence.answer, evidence.stored) {
            (None, Some(stored)) => {
                let journal = match journal {
                    Some(journal) => journal,
                    None => journal.insert(Box::new(recorder::open_to_read(catalogue)?)),
                };
                Ok(journal.answer_of(stored)?.map(Cow::Owned))
            }
            (answer, _) => Ok(answer.as_deref().map(Cow::Borrowed)),
        }
    }
}

/// Returns the name of a case or solver as the name of a file: `/` becomes `_`, and no name is `.` or `..`.
fn file_name(name: &str) -> String {
    match name {
        "." | ".." => "_".repeat(name.len()),
        _ => name.replace('/', "_"),
    }
}

/// Returns the names, each with a number if an earlier one is equal. Some file systems do not distinguish capitals.
fn distinct(names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut taken = HashSet::new();
    names.map(move |name| {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut free = std::iter::once(name.clone()).chain(numbered);
        free.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
    })
}

/// The maximal number of bytes of a name in the folder, without its ending.
const MAX_LENGTH: usize = 80;

/// Writes the pages of all solvers of a run to the folder of `--feedback`, if requested.
pub(super) fn write_feedback(args: &RunArgs, report: &RunReport<'_>) -> Result<()> {
    let Some(folder) = &args.feedback else { return Ok(()) };
    let problem = &report.plan.problem;
    let (inputs, checker) = (Inputs::of(problem), ProblemChecker::of(problem));
    let test = |job: JobId| test(report, &inputs, &checker, job);
    let test: Option<&dyn Fn(JobId) -> TestTexts> = if args.show_inputs { Some(&test) } else { None };
    // Names that some file systems treat as equal get a number.
    let names = distinct(report.plan.solvers.iter().map(|solver| readable_name(&solver.spec.name)));
    for (solver, name) in names.enumerate() {
        let page = feedback(report, solver, test);
        let mut html = Vec::new();
        page.html(&mut html).map_err(Failure::fault)?;
        load::write("the feedback", &folder.join(format!("{name}.md")), page.markdown().as_bytes())?;
        load::write("the feedback", &folder.join(format!("{name}.html")), &html)?;
    }
    Ok(())
}

/// Returns the input of a case, the expected answer if it has an answer file, and the solver's standard error.
fn test(report: &RunReport<'_>, inputs: &Inputs, checker: &ProblemChecker, job: JobId) -> TestTexts {
    let source: CaseSource = report.plan.cases.at(job.case).source;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let input = inputs.load_from(&source).map_or_else(|error| error.to_string(), text);
    let expected = checker.answer_file(Some(&source)).ok().flatten().and_then(|path| files::read(&path).ok());
    let stderr = report.outcomes.get(job).map(|outcome| outcome.stderr.to_string()).filter(|text| !text.is_empty());
    let parts = [("input", Some(input)), ("expected answer", expected.map(text)), ("standard error", stderr)];
    parts.into_iter().filter_map(|(what, text)| Some((what, text?))).collect()
}

/// Returns letters, digits, `-`, `_` and inner dots of a name, as the name of a file.
fn readable_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let mut cleaned: String = name.chars().map(safe).collect::<String>().trim_matches(['.', '_', '-']).to_owned();
    let fits = |place: &usize| cleaned.is_char_boundary(*place);
    cleaned.truncate((0..=MAX_LENGTH.min(cleaned.len())).rev().find(fits).unwrap_or(0));
    if cleaned.is_empty() { "solver".to_owned() } else { cleaned }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let names = ["seed-7", "../x", "..", ".", "python3 a/b.py"].map(file_name);
        assert_eq!(names, ["seed-7", ".._x", "__", "_", "python3 a_b.py"]);
    }

    #[test]
    fn every_name_is_a_file_of_its_own_in_the_folder() {
        let long = "é".repeat(300);
        let names = ["../x", "a/b", "a_b", "A b", "..", "", "\u{202e}txt.exe", ".hidden", &long, "a-b-2", "a b"];
        let files: Vec<String> = distinct(names.iter().map(|name| readable_name(name))).collect();
        let expected = ["x", "a_b", "a_b-2", "A_b-3", "solver", "solver-2", "txt.exe", "hidden"];
        assert_eq!(files[..8], expected);
        assert_eq!((files[8].len(), &*files[9], &*files[10]), (MAX_LENGTH, "a-b-2", "a_b-4"));
        assert!(files.iter().all(|file| !file.contains('/') && !file.starts_with('.')));
    }
}
