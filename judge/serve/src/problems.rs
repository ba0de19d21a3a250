//! The problems of a server. Each is compiled when it is first requested, and then kept.

use crate::evaluator::Evaluator;
use crate::known::CaseKey;
use crate::params::{LimitsParam, SeedsParam};
use crate::rpc::{Result, RpcError};
use judge_problem::{
    CaseList, CaseSource, CaseSpec, Catalogue, CheckerChoice, Digest, GeneratorCall, Limits, Plan, Problem, Seeds,
};
use judge_run::cases::{ProblemChecker, SelectError, Selection, select};
use judge_run::command::{checker_identity, generator_identity};
use judge_run::program::is_in_journal;
use judge_session::programs::{self, Programs};
use judge_session::{Failure, FromJournal, ReferenceScores, case_selection, command_line, load, running};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximal number of cases of a request.
const MAX_CASES: usize = 100_000;

/// A problem that is ready to be played.
pub(crate) struct ReadyProblem {
    /// The catalogue, with the programs of this problem compiled.
    pub(crate) catalogue: Catalogue,
    /// The template of all plans, without solvers or cases. It has the server's limits.
    pub(crate) template: Plan,
    /// What results depend on beside the candidate, its limits and the case: the checker and the generator.
    pub(crate) identity: String,
    /// The best known scores. `None` if they are the journal's, which gets new ones with each evaluation.
    reference: Option<ReferenceScores>,
    _programs: Programs,
}

impl Evaluator {
    /// Returns the problem with this id; without one, the only problem of the catalogue.
    pub(crate) fn find_problem(&self, id: Option<&str>) -> Result<&Problem, Failure> {
        let named_in_params = |failure: Failure| match id {
            Some(_) => failure,
            None => failure.with_hint("name it: \"problem\": ID; the method `problems` lists them"),
        };
        load::problem(&self.catalogue, id).map_err(named_in_params)
    }

    /// Fails if the checker or the generator of a problem was edited since it was made ready.
    pub(crate) fn refuse_edited(&self, ready: &ReadyProblem) -> Result<()> {
        let now = identity(self.find_problem(Some(&ready.problem().id))?);
        if now == ready.identity { Ok(()) } else { Err(edited("checker or the generator")) }
    }

    /// Returns the problem with this id, ready to be played.
    pub(crate) fn problem(&self, id: Option<&str>) -> Result<Arc<ReadyProblem>, Failure> {
        let problem = self.find_problem(id)?;
        let (id, identity) = (&problem.id, identity(problem));
        // Locked while it is made, so that it is compiled only once.
        let mut ready = self.problems.lock();
        if let Some(problem) = ready.get(id).filter(|problem| problem.identity == identity) {
            return Ok(Arc::clone(problem));
        }
        let made = Arc::new(ReadyProblem::make(self, id, identity)?);
        ready.insert(id.clone(), Arc::clone(&made));
        Ok(made)
    }
}

impl ReadyProblem {
    fn make(evaluator: &Evaluator, id: &str, identity: String) -> Result<Self, Failure> {
        let Evaluator { args, records, sandbox, .. } = evaluator;
        let mut catalogue = evaluator.catalogue.clone();
        let programs = programs::compile(&mut catalogue, Some(id))?;
        let problem = catalogue.find(id)?.clone();
        let reference = ReferenceScores::open(&catalogue, &problem, None, None, FromJournal::of_run(*records))?;
        let grows = *records && problem.scoring.has_reference();
        let problem = Problem { best: reference.source.clone(), ..problem };
        let template = running::template(&problem, &args.conditions, sandbox)?;
        let reference = Some(reference).filter(|_| !grows);
        Ok(Self { catalogue, template, identity, reference, _programs: programs })
    }

    pub(crate) fn problem(&self) -> &Problem {
        &self.template.problem
    }

    /// Returns the limits of a request.
    pub(crate) fn limits(&self, given: Option<&LimitsParam>) -> Result<Limits> {
        given.map_or_else(|| Ok(self.template.limits.clone()), |given| given.within(&self.template.limits))
    }

    /// Returns the template of the plans of a request with these limits, in which each solver may have a language.
    pub(crate) fn plan(&self, limits: Limits, languages: impl IntoIterator<Item = String>) -> Plan {
        let languages = languages.into_iter().flat_map(|language| ["--language".to_owned(), language]);
        let case_flags = command_line::with_limits(&self.template.case_flags, &self.problem().limits, &limits);
        Plan { limits, case_flags: case_flags.and(languages.collect()), ..self.template.clone() }
    }

    /// Returns the cases of a request, with their best known scores. The hidden files are no cases.
    pub(crate) fn cases(
        &self,
        seeds: Option<&SeedsParam>,
        names: Option<&[String]>,
        hidden: &[PathBuf],
    ) -> Result<CaseList> {
        let selection = match (seeds, names) {
            (Some(_), Some(_)) => {
                return Err(RpcError::params("params: `seeds` and `cases` cannot be used together"));
            }
            (Some(seeds), None) => Selection { seeds: Some(seeds.seeds()?), ..Selection::default() },
            (None, Some(names)) => named(names)?,
            (None, None) => Selection::default(),
        };
        let seeds = selection.seeds.map(|seeds| seeds.without_repetitions().0);
        let selection = Selection { seeds, ..selection };
        let mut cases = select(self.problem(), &selection).map_err(wrong_cases)?;
        match cases.len() {
            0 => return Err(RpcError::params("there are no cases").with_hint("name some: \"seeds\": \"1-20\"")),
            1..=MAX_CASES => {}
            more => return Err(RpcError::params(format!("{more} cases, and at most {MAX_CASES} are played at once"))),
        }
        for (file, _) in cases.files() {
            refuse_hidden(file, hidden)?;
        }
        case_selection::check_files(self.problem(), &mut cases)?;
        match &self.reference {
            Some(reference) => reference.apply(self.problem(), &mut cases),
            None => {
                let problem = load::problem(&self.catalogue, Some(&self.problem().id))?;
                ReferenceScores::open(&self.catalogue, problem, None, None, FromJournal::Recorded)?
                    .apply(self.problem(), &mut cases);
            }
        }
        Ok(cases)
    }
}

/// What the name of a case with parameters begins with.
const CALL: &str = "seed=";

/// Returns the seed in the name of a case such as `seed-7`.
fn seed_in(name: &str) -> Option<&str> {
    name.strip_prefix("seed-").filter(|seed| seed.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether the name of a case is the name of a file, or a pattern.
pub(crate) fn is_of_files(name: &str) -> bool {
    seed_in(name).is_none() && !name.starts_with(CALL)
}

/// Fails if the input of a case is a hidden file or in a journal: a solver could print its content.
pub(crate) fn refuse_hidden(file: &Path, hidden: &[PathBuf]) -> Result<()> {
    // What cannot be found is reported when it is read.
    let Ok(real) = file.canonicalize() else { return Ok(()) };
    if is_hidden(&real, hidden) || is_in_journal(&real) {
        return Err(RpcError::params(format!("no program sees {}", file.display()))
            .with_hint("journals and sealed cases are no inputs: name another file"));
    }
    Ok(())
}

/// Returns whether a real path is one of these files, which may be named by links.
pub(crate) fn is_hidden(real: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|file| file.canonicalize().is_ok_and(|file| file == real))
}

/// Returns the error that a program was edited while it was evaluated.
pub(crate) fn edited(what: &str) -> RpcError {
    RpcError::params(format!("the {what} was edited during the evaluation: its results would be of two versions"))
        .with_hint("send it again: nothing of it was stored")
}

/// Returns the error of a selection. Its hints name no flags of the command line.
fn wrong_cases(error: SelectError) -> RpcError {
    let hint = match &error {
        SelectError::NoFiles { .. } | SelectError::Match(_) => {
            Some("paths begin where the server was started, and `*` stands for any characters")
        }
        SelectError::NoGenerator(_) => Some("\"cases\": [\"data/*.in\"]"),
        _ => None,
    };
    RpcError::from(Failure::from(error)).with_hint_if(hint)
}

/// Reads names of cases: `seed-7`, `seed=7,n=100`, or files and patterns.
fn named(names: &[String]) -> Result<Selection> {
    if names.is_empty() {
        return Err(RpcError::params("params.cases: the list is empty").with_hint("[\"seed-1\", \"data/*.in\"]"));
    }
    let seeds: Vec<&str> = names.iter().filter_map(|name| seed_in(name)).collect();
    let seeds: Option<Seeds> = match &*seeds {
        [] => None,
        seeds => Some(seeds.join(",").parse().map_err(|error| RpcError::params(format!("params.cases: {error}")))?),
    };
    let (calls, inputs): (Vec<&String>, Vec<&String>) =
        names.iter().filter(|name| seed_in(name).is_none()).partition(|name| name.starts_with(CALL));
    let calls: Result<Vec<GeneratorCall>, _> = calls.into_iter().map(|call| call.parse()).collect();
    let calls = calls.map_err(|error| RpcError::params(format!("params.cases: {error}")))?;
    Ok(Selection { seeds, calls, inputs: inputs.into_iter().cloned().collect(), repeat: None })
}

/// Returns what scores depend on beside the candidate and the case. The answer in a file belongs to its case: there may
/// be thousands, and this is asked for at each request.
fn identity(problem: &Problem) -> String {
    let checker = match &problem.checker {
        CheckerChoice::Tokens(..) => String::new(),
        checker => checker_identity(checker).to_string(),
    };
    format!("{checker}; {}", generator_identity(problem))
}

/// Returns what identifies a case of a problem across requests.
pub(crate) fn case_keys(problem: &Problem) -> impl Fn(&CaseList, &CaseSpec) -> CaseKey + use<> {
    let checker = problem.checker.answers().map(|_| ProblemChecker::of(problem));
    // A file that cannot be read is a fault of each run, which is not remembered.
    let answer = move |source: &CaseSource| {
        let file = checker.as_ref()?.answer_file(Some(source)).ok()??;
        Some(Digest::of(&judge_run::files::read(&file).ok()?))
    };
    move |cases, case| match &case.source {
        CaseSource::Seed(seed) => CaseKey::Seed(*seed),
        CaseSource::Made(call) => CaseKey::Made(call.to_string()),
        CaseSource::File(path) => {
            let input = cases.read_file(&case.source).map(|read| read.hash);
            CaseKey::File(path.clone(), [input, answer(&case.source)])
        }
    }
}
