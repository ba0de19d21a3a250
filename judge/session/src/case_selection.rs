//! The cases of a command: selected by the command line, and filtered by its condition.

use crate::{Failure, Result};
use judge_cli::{CaseArgs, CaseFilterArgs};
use judge_problem::{
    CaseList, CaseSource, CaseSpec, CheckerChoice, Condition, Digest, Features, MetricRule, Problem, ReadFile, Seeds,
    StoredFeatures, StoredRun, closest, counted, error_chain, map_on_all_cores, rules_word,
};
use judge_run::cases::{
    CaseDescription, CaseReader, CheckerError, Inputs, ProblemChecker, Selection, describe_all, select,
};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Checked files are kept in memory up to this many bytes. Opening a small file again takes longer than checking an answer to
/// it.
const MAX_BYTES_KEPT: usize = 16 << 20;

/// The cases of a command, and the features of each; `None` if its input was not read.
pub struct ChosenCases {
    /// The cases that were chosen.
    pub cases: CaseList,
    /// The features of each case, where known.
    pub features: Vec<Option<Arc<Features>>>,
}

/// Selects the cases. Inputs are read only for a condition or for a grouping `by` a feature; the names of features are
/// checked before anything runs.
pub fn choose(problem: &Problem, args: &CaseArgs, by: Option<&str>, repeat: Option<NonZeroU32>) -> Result<ChosenCases> {
    let selection = Selection {
        seeds: args.seeds.as_ref().map(distinct_seeds),
        calls: args.calls.clone(),
        inputs: args.inputs.clone(),
        repeat,
    };
    let mut cases = select(problem, &selection)?;
    check_files(problem, &mut cases)?;
    filter(problem, cases, args.condition.as_ref(), by)
}

/// Returns the given seeds, each once. A note counts the others.
pub fn distinct_seeds(seeds: &Seeds) -> Seeds {
    let (seeds, left_out) = seeds.without_repetitions();
    if left_out > 0 {
        judge_report::note(&format!("--seeds repeats {}: each seed is one case", counted(left_out, "seed")));
    }
    seeds
}

/// Keeps the cases for which the condition holds.
pub(crate) fn filter(
    problem: &Problem,
    cases: CaseList,
    condition: Option<&Condition>,
    by: Option<&str>,
) -> Result<ChosenCases> {
    if condition.is_none() && by.is_none() {
        return Ok(ChosenCases { features: vec![None; cases.len()], cases });
    }
    let features = describe_all(problem, &cases)?;
    check_names(condition.iter().flat_map(|condition| condition.names()).chain(by), &features)?;
    let all = cases.len();
    let holds = |features: &Features| condition.is_none_or(|condition| condition.holds(features));
    let kept = cases.iter().zip(features).filter(|(_, features)| holds(features));
    let (mut chosen, features): (CaseList, Vec<_>) =
        kept.map(|(case, features)| (case, Some(Arc::new(features)))).unzip();
    chosen.share_read_files(&cases);
    report_kept(condition, chosen.len(), &format!("the {all} cases"))?;
    Ok(ChosenCases { cases: chosen, features })
}

/// Reports for how many cases the condition holds, if there is one. Fails if it holds for none.
pub(crate) fn report_kept(condition: Option<&Condition>, kept: usize, all: &str) -> Result<()> {
    let Some(condition) = condition else { return Ok(()) };
    if kept == 0 {
        return Err(Failure::usage(format!("`{condition}` holds for none of {all}")));
    }
    judge_report::note(&format!("`{condition}` holds for {kept} of {all}"));
    Ok(())
}

/// Fails if one of these names is a feature of no case.
pub fn check_names<'a, F: Borrow<Features>>(names: impl IntoIterator<Item = &'a str>, cases: &[F]) -> Result<()> {
    let is_unknown = |name: &&str| cases.iter().all(|features| features.borrow().get(name).is_none());
    let Some(name) = names.into_iter().find(is_unknown) else { return Ok(()) };
    if name.starts_with(MetricRule::PREFIX) {
        let error = format!("`{name}` is a metric of results, not a feature of cases");
        return Err(Failure::usage(error).with_hint(format!("judge history show last --where '{name}>100'")));
    }
    let mut known: Vec<&str> = Vec::new();
    for (name, _) in cases.iter().flat_map(|features| features.borrow().iter()) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let hint = match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "name some in the problem: [problem.features] N = '^(\\d+)'".to_owned(),
        None => format!("they have: {}", known.join(", ")),
    };
    Err(Failure::usage(format!("no case has a feature `{name}`")).with_hint(hint))
}

/// Fails if a file is not an input of the problem. All such files are reported at once, before anything runs. Their
/// contents are stored in `cases`, so they are read only once.
pub fn check_files(problem: &Problem, cases: &mut CaseList) -> Result<()> {
    check_seeds_need_no_answers(problem, cases)?;
    let files = cases.files();
    let files_count = files.len();
    let line_of = |path: &Path| {
        let line = problem.file_lines.get(path).filter(|_| !path.is_file())?;
        let add = if path.symlink_metadata().is_err() { "add the file, or " } else { "" };
        Some(format!("{add}change {line}, which names it"))
    };
    let mut read = Vec::new();
    let mut unsuited = Vec::new();
    let mut without_answer = Vec::new();
    let mut unreadable = Vec::new();
    let mut hint = None;
    for ((path, _), checked) in files.iter().zip(read_files(problem, &files)) {
        let (file, error) = match checked {
            Ok(checked) => checked,
            Err(failure) => {
                unreadable.push(failure.with_hint_if(line_of(path)));
                continue;
            }
        };
        read.push(file);
        match error {
            None => {}
            Some(CheckerError::NoAnswerFile) => without_answer.push(path.display().to_string()),
            Some(error) => {
                let line = match &error {
                    CheckerError::AnswerFile(file, _) => line_of(file),
                    _ => None,
                };
                if matches!(error, CheckerError::Malformed(_)) {
                    hint = Some(format!("`judge show {}` describes the input", problem.id));
                }
                let failure = Failure::usage(format!("{}: {}", path.display(), error_chain(&error)));
                unsuited.push(failure.with_hint_if(line));
            }
        }
    }
    Failure::check_all(unreadable)?;
    cases.set_read_files(read);
    if let [first, others @ ..] = &*without_answer {
        unsuited.push(no_answer_file(problem, first, others.len(), files_count));
        hint = Some(answers_hint(problem));
    }
    Failure::check_all(unsuited).map_err(|all| all.with_hint_if(hint))
}

/// Reads files. Returns what is kept of each, and why the checker refuses it, if it does.
fn read_files(problem: &Problem, files: &[(&Path, usize)]) -> Vec<Result<(ReadFile, Option<CheckerError>)>> {
    let (inputs, checker) = (Inputs::of(problem), ProblemChecker::of(problem));
    let bytes_left = AtomicUsize::new(MAX_BYTES_KEPT);
    let is_kept = |input: &[u8]| {
        bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(input.len())).is_ok()
    };
    map_on_all_cores(files.len(), |number| {
        let source = CaseSource::File(files[number].0.to_path_buf());
        let input = inputs.load_from(&source)?;
        let error = checker.prepare(&input, Some(&source)).err();
        Ok((ReadFile { hash: Digest::of(&input), input: is_kept(&input).then(|| input.into()) }, error))
    })
}

/// Fails if the checker compares with answer files, which the case of a seed does not have.
fn check_seeds_need_no_answers(problem: &Problem, cases: &CaseList) -> Result<()> {
    if !matches!(problem.checker, CheckerChoice::Tokens(..)) {
        return Ok(());
    }
    let Some(case) = cases.iter().find(|case| case.file().is_none()) else { return Ok(()) };
    let name = &case.name;
    let error =
        format!("the case {name} is made from a seed, so it has no answer file, and `tokens` compares with one");
    let hint = "give files: --inputs 'data/*.in'; or take a `checker-command` in the problem";
    Err(Failure::usage(error).with_hint(hint))
}

fn answers_hint(problem: &Problem) -> String {
    let pattern = problem.checker.answers().and_then(|answers| answers.patterns.first());
    match pattern.and_then(|pattern| problem.file_lines.get(&problem.folder.join(pattern))) {
        Some(line) => format!("change `answers` in {line}, or add the files"),
        None => "name them in the problem: answers = [\"data/*.ans\"]".to_owned(),
    }
}

fn no_answer_file(problem: &Problem, first: &str, others: usize, all: usize) -> Failure {
    let which = match others {
        0 => format!("{first} has"),
        _ => format!("{first} and {others} more of {} have", counted(all, "case")),
    };
    Failure::usage(format!("{which} no answer file, and `{}` compares with one", problem.checker.name()))
}

/// The features of the recorded cases of a problem. Each input is read once.
pub struct CaseDescriptions {
    reader: CaseReader,
    /// The word that identifies the rules for the problem's features.
    rules: String,
    /// `None` if no features are stored, and the input is missing or has changed.
    known: HashMap<Digest, Option<Arc<Features>>>,
}

impl CaseDescriptions {
    /// Describes cases of a problem.
    pub fn of(problem: &Problem) -> Self {
        let rules = rules_word(&problem.features);
        Self { reader: CaseReader::of(problem), rules, known: HashMap::new() }
    }

    /// Keeps the cases of the run for which the condition holds, and returns the features of each.
    pub fn filter(&mut self, run: &mut StoredRun, filter: &CaseFilterArgs) -> Vec<Option<Arc<Features>>> {
        let mut kept = Vec::new();
        let mut places = Vec::new();
        for (place, features) in self.describe_run(run).into_iter().enumerate() {
            let holds =
                filter.condition.as_ref().is_none_or(|condition| holds(condition, run, place, features.as_deref()));
            if holds {
                kept.push(features);
                places.push(place);
            }
        }
        if places.len() < run.cases.len() {
            run.cases = run.cases.only(places);
        }
        kept
    }

    /// Returns the features of every case of a run; `None` if none are stored, and the input is missing or has changed.
    pub fn describe_run(&mut self, run: &StoredRun) -> Vec<Option<Arc<Features>>> {
        let cases = run.cases.specs().iter().zip(run.cases.inputs()).zip(run.cases.features());
        cases.map(|((case, input), stored)| self.describe(&case, *input, stored.as_ref())).collect()
    }

    fn describe(
        &mut self,
        case: &CaseSpec,
        recorded: Option<Digest>,
        stored: Option<&StoredFeatures>,
    ) -> Option<Arc<Features>> {
        let recorded = recorded?;
        let read = || {
            if let Some(stored) = stored.filter(|stored| stored.are_by(&self.rules)) {
                return Some(Arc::new(stored.features()));
            }
            let described = self.reader.describe(case).ok().filter(|described| described.input == recorded);
            let features = described.map(|CaseDescription { features, .. }| features);
            features.or_else(|| stored.map(StoredFeatures::features)).map(Arc::new)
        };
        self.known.entry(recorded).or_insert_with(read).clone()
    }

    /// Returns the features of all cases that were read so far.
    pub fn known(&self) -> impl Iterator<Item = &Features> {
        self.known.values().flatten().map(Arc::as_ref)
    }

    /// Warns about cases whose features are unknown.
    pub fn warn_of_unknown(&self) {
        let lost = self.known.values().filter(|features| features.is_none()).count();
        if lost > 0 {
            let why = "their inputs have changed or are missing";
            judge_report::note(&format!("warning: the features of {lost} cases are unknown: {why}"));
        }
    }
}

/// Returns whether a condition holds for a case of a run: with metrics, for the result of one of its solvers.
fn holds(condition: &Condition, run: &StoredRun, place: usize, features: Option<&Features>) -> bool {
    let names_metrics = condition.names().iter().any(|name| name.starts_with(MetricRule::PREFIX));
    if !names_metrics {
        return features.is_some_and(|features| condition.holds(features));
    }
    run.cases.outcomes().of_case(place).flatten().any(|outcome| {
        let mut numbers = features.cloned().unwrap_or_default();
        for (name, value) in outcome.metrics.iter() {
            numbers.set(&format!("{}{name}", MetricRule::PREFIX), value.clone());
        }
        condition.holds(&numbers)
    })
}

/// Fails if none of these cases has a feature that the condition or the grouping names.
pub fn check_filter<'a>(filter: &CaseFilterArgs, cases: impl Iterator<Item = &'a Features>) -> Result<()> {
    let cases: Vec<&Features> = cases.collect();
    let of_cases = |name: &&str| !name.starts_with(MetricRule::PREFIX);
    let names = filter.condition.iter().flat_map(|condition| condition.names()).filter(of_cases);
    check_names(names.chain(filter.group_by.as_deref()), &cases)
}

/// Returns the features of the cases of a run that are stored.
pub fn stored_features(run: &StoredRun) -> Vec<Option<Arc<Features>>> {
    let features = |stored: &Option<StoredFeatures>| stored.as_ref().map(|stored| Arc::new(stored.features()));
    run.cases.features().iter().map(features).collect()
}

/// Returns the stored features of the cases, if all cases have some that were found by the problem's current rules.
pub fn stored_by_rules(problem: &Problem, stored: &[Option<StoredFeatures>]) -> Option<Vec<Features>> {
    let rules = rules_word(&problem.features);
    let features = |stored: &Option<StoredFeatures>| Some(stored.as_ref().filter(|one| one.are_by(&rules))?.features());
    stored.iter().map(features).collect()
}

/// Fails if a problem does not declare a metric.
pub fn check_metric(problem: &Problem, name: &str) -> Result<()> {
    if problem.metrics.iter().any(|rule| rule.name == name) {
        return Ok(());
    }
    let known: Vec<String> = problem.metrics.iter().map(MetricRule::full_name).collect();
    let hint = match known.as_slice() {
        [] => "name some in the problem: [problem.metrics] moves = \"min\"".to_owned(),
        known => format!("it has {}", known.join(", ")),
    };
    Err(Failure::usage(format!("`{}` has no metric `{name}`", problem.id)).with_hint(hint))
}

/// Keeps the cases of the run for which the condition holds, and returns the features of each. Without a condition or a
/// grouping, no input is read.
pub fn filter_run(
    run: &mut StoredRun,
    problem: &Problem,
    filter: &CaseFilterArgs,
) -> Result<Vec<Option<Arc<Features>>>> {
    let all = run.cases.len();
    if filter.condition.is_none() && filter.group_by.is_none() {
        return Ok(stored_features(run));
    }
    let names = filter.condition.iter().flat_map(|condition| condition.names());
    names.filter_map(|name| name.strip_prefix(MetricRule::PREFIX)).try_for_each(|name| check_metric(problem, name))?;
    let mut descriptions = CaseDescriptions::of(problem);
    let features = descriptions.filter(run, filter);
    descriptions.warn_of_unknown();
    check_filter(filter, descriptions.known())?;
    report_kept(filter.condition.as_ref(), run.cases.len(), &format!("the {all} cases of run {}", run.id))?;
    Ok(features)
}
