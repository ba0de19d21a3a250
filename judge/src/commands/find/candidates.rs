//! The cases that `judge find` tries: seeds, values of the generator's parameters, and changes of input files.

use super::{BATCH, as_float};
use crate::commands::new_cases::is_valid;
use judge_cli::{CaseArgs, FindArgs};
use judge_problem::{
    CaseSource, CaseSpec, CheckerChoice, Digest, Features, GeneratorCall, GeneratorChoice, GeneratorParameter, Problem,
    map_on_all_cores,
};
use judge_run::cases::{CaseReader, Inputs};
use judge_run::runner::was_interrupted;
use judge_search::{Explorer, mutant};
use judge_session::{Failure, Result, case_selection};
use judge_statistics::Random;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The number of cases that are examined for each case that may be played.
const LOOKED_AT: usize = 4;

/// The most seeds that are examined before the search begins. Further seeds are taken in order.
const MAX_POOL: usize = 40_000;

/// The number of seeds of a batch that are chosen by their promising features. The others are taken in order.
const LIKELIEST: usize = BATCH * 7 / 8;

/// The maximal number of mutants that are made until one is valid.
const MAX_MUTANTS: usize = 1000;

/// The names of changed inputs begin with it.
const FOUND: &str = "mutant-";

/// Features whose values differ by this factor are compared by their logarithms.
const WIDE: f64 = 30.0;

/// A case that is to be played.
pub(super) struct Candidate {
    pub(super) case: CaseSpec,
    /// Where it is in the space that is searched.
    pub(super) point: Vec<f64>,
    /// Its input, if it is in no file and comes from no generator.
    pub(super) input: Option<Vec<u8>>,
}

/// Where cases come from.
pub(super) struct CandidateSource<'a> {
    pub(super) problem: &'a Problem,
    /// Reads inputs, without an answer file.
    reader: CaseReader,
    source: Source,
    explorer: Explorer,
    /// Every other case is random, so that a misled search costs at most twice as much.
    is_random: bool,
    /// When the search should end.
    end: Option<Instant>,
}

/// `pool` has the examined seeds that are left, in order. The seeds of `more` follow.
enum Source {
    Parameters { parameters: Vec<GeneratorParameter>, next: u64 },
    Seeds { pool: BTreeMap<usize, (CaseSpec, Vec<f64>)>, more: Box<dyn Iterator<Item = u64>> },
    Mutants { parents: Vec<Parent>, folder: PathBuf, random: Random, seen: HashSet<Digest> },
}

/// An input from which mutants are made.
struct Parent {
    input: Vec<u8>,
    value: f64,
}

impl<'a> CandidateSource<'a> {
    /// Returns the cases that the command line and the problem give. `readable` is the problem with a checker that can
    /// read inputs without an answer file.
    pub(super) fn of(problem: &'a Problem, readable: &Problem, args: &FindArgs) -> Result<Self> {
        let reader = CaseReader::of(readable);
        let new = |reader, source, categories| {
            let end = args.time.map(|time| Instant::now() + time.0);
            Ok(Self { problem, reader, source, explorer: Explorer::new(categories, args.draw), is_random: false, end })
        };
        if changes_inputs(problem, args) {
            return new(reader, mutants(problem, readable, args)?, Vec::new());
        }
        let parameters = problem.generator_parameters.clone();
        if args.seeds.is_none() && !parameters.is_empty() {
            let categories = parameters.iter().map(|parameter| parameter.domain.is_category()).collect();
            return new(reader, Source::Parameters { parameters, next: 1 }, categories);
        }
        let budget = args.budget.map_or(super::BUDGET, std::num::NonZeroUsize::get).min(MAX_POOL / LOOKED_AT);
        let (mut more, examined): (Box<dyn Iterator<Item = u64>>, usize) = match &args.seeds {
            Some(seeds) => {
                let seeds = case_selection::distinct_seeds(seeds);
                (Box::new(seeds.ranges().to_vec().into_iter().flatten()), MAX_POOL)
            }
            None => (Box::new(1..), budget * LOOKED_AT),
        };
        let pool = described(readable, &reader, more.by_ref().take(examined).collect());
        if args.seeds.is_none() && super::budget(args) == budget {
            more = Box::new(std::iter::empty());
        }
        let dimensions = pool.first().map_or(0, |(_, point)| point.len());
        new(reader, Source::Seeds { pool: pool.into_iter().enumerate().collect(), more }, vec![false; dimensions])
    }

    /// Returns the features of a case, and the numbers among the parameters of its generator.
    pub(super) fn features(&self, candidate: &Candidate) -> Features {
        let described = match &candidate.input {
            Some(input) => self.reader.describe_input(input).ok(),
            None => self.reader.describe(&candidate.case).ok().map(|described| described.features),
        };
        let mut features = described.unwrap_or_default();
        for (name, value) in parameter_values(self.problem, &candidate.case.source) {
            // A feature that is read from the input takes precedence.
            if let (None, Ok(number)) = (features.get(&name), value.parse()) {
                features.set(&name, number);
            }
        }
        features
    }

    /// Returns whether inputs are changed.
    pub(super) fn makes_inputs(&self) -> bool {
        matches!(self.source, Source::Mutants { .. })
    }

    /// Returns the next cases, at most this many; none when there are no more.
    pub(super) fn next(&mut self, count: usize) -> Vec<Candidate> {
        match &mut self.source {
            Source::Parameters { parameters, next } => {
                let is_built_in = matches!(self.problem.generator, Some(GeneratorChoice::BuiltIn { .. }));
                let candidate = |_| {
                    let seed = *next;
                    *next += 1;
                    self.is_random = !self.is_random;
                    let near = if self.is_random { None } else { self.explorer.near_good() };
                    let call = |point: &[f64]| {
                        let value = |(parameter, share): (&GeneratorParameter, &f64)| {
                            (parameter.name.clone(), parameter.domain.at(*share))
                        };
                        let values = parameters.iter().zip(point).map(value).collect();
                        CaseSpec::from_source(CaseSource::Made(GeneratorCall { seed, values }))
                    };
                    let drawn: Vec<f64> = parameters.iter().map(|parameter| parameter.share(seed)).collect();
                    let (case, point) = match near {
                        Some(point) => (call(&point), point),
                        // For a built-in generator, the seed only draws the other values.
                        None if is_built_in => (call(&drawn), drawn),
                        None => (CaseSpec::from_seed(seed), drawn),
                    };
                    Candidate { case, point, input: None }
                };
                (0..count).map(candidate).collect()
            }
            Source::Seeds { .. } => self.seeds(count),
            Source::Mutants { .. } => (0..count).map_while(|_| self.mutant()).collect(),
        }
    }

    /// Returns the next cases from seeds.
    fn seeds(&mut self, count: usize) -> Vec<Candidate> {
        let Source::Seeds { pool, more } = &mut self.source else { return Vec::new() };
        let has_features = pool.values().next().is_some_and(|(_, point)| !point.is_empty());
        let candidates = pool.iter().map(|(&place, (_, point))| (place, &**point));
        let by_features = count * LIKELIEST / BATCH;
        let likeliest = if has_features { self.explorer.likeliest(candidates, by_features) } else { Vec::new() };
        let mut picked: Vec<_> = likeliest.iter().filter_map(|place| pool.remove(place)).collect();
        picked.extend(std::iter::from_fn(|| pool.pop_first()).map(|(_, seed)| seed).take(count - picked.len()));
        picked.extend(more.take(count - picked.len()).map(|seed| (CaseSpec::from_seed(seed), Vec::new())));
        picked.into_iter().map(|(case, point)| Candidate { case, point, input: None }).collect()
    }

    /// Makes a valid input that was not there before.
    fn mutant(&mut self) -> Option<Candidate> {
        let Source::Mutants { parents, folder, random, seen } = &mut self.source else { return None };
        for _ in 0..MAX_MUTANTS {
            // A validator may refuse many inputs, and take long for each.
            if was_interrupted() || self.end.is_some_and(|end| Instant::now() >= end) {
                return None;
            }
            self.is_random = !self.is_random;
            // Parents are sorted: the first ones are best.
            let among = if self.is_random { parents.len() } else { parents.len().min(8) };
            let parent = &parents[random.below(among)];
            let input = mutant(&parent.input, random);
            if seen.insert(Digest::of(&input)) && is_valid(self.problem, &self.reader, &input) {
                let path = folder.join(format!("{FOUND}{}.in", seen.len()));
                let case = CaseSpec::from_source(CaseSource::File(path));
                return Some(Candidate { case, point: Vec::new(), input: Some(input) });
            }
        }
        None
    }

    /// Takes the value of a case that was played.
    pub(super) fn tell(&mut self, candidate: &Candidate, value: f64) {
        if let (Source::Mutants { parents, .. }, Some(input)) = (&mut self.source, &candidate.input) {
            let place = parents.partition_point(|parent| parent.value >= value);
            parents.insert(place, Parent { input: input.clone(), value });
            parents.truncate(super::BUDGET);
        }
        if !candidate.point.is_empty() {
            self.explorer.tell(candidate.point.clone(), value);
        }
    }
}

/// Returns whether the search changes inputs of files.
pub(super) fn changes_inputs(problem: &Problem, args: &FindArgs) -> bool {
    !args.inputs.is_empty() || problem.generator.is_none()
}

/// Returns the values of the generator's parameters for a case; none where the case is not made from parameters.
pub(super) fn parameter_values(problem: &Problem, source: &CaseSource) -> Vec<(String, String)> {
    let is_built_in = matches!(problem.generator, Some(GeneratorChoice::BuiltIn { .. }));
    let call = match source {
        CaseSource::Made(call) => call.clone(),
        // A command draws them from the seed, a built-in generator makes another case from it.
        CaseSource::Seed(seed) if !is_built_in => GeneratorCall { seed: *seed, values: Vec::new() },
        CaseSource::Seed(_) | CaseSource::File(_) => return Vec::new(),
    };
    call.complete(&problem.generator_parameters).unwrap_or_default()
}

/// Reads the inputs that are changed.
fn mutants(problem: &Problem, readable: &Problem, args: &FindArgs) -> Result<Source> {
    if args.seeds.is_some() {
        let error = format!("the problem `{}` cannot make cases from seeds: it has no generator", problem.id);
        return Err(Failure::usage(error).with_hint("leave out --seeds, or add `generator-command` to the problem"));
    }
    let Some(folder) = args.save.clone() else {
        let error = "changed inputs are in no file yet";
        return Err(Failure::usage(error).with_hint("--save DIR writes the cases found"));
    };
    if !matches!(problem.checker, CheckerChoice::BuiltIn(_)) && problem.verification.validator.is_none() {
        let error = format!("`{}` has no `validator-command`: nobody knows which changed inputs are valid", problem.id);
        return Err(Failure::usage(error).with_hint("add `validator-command` to its [[problem]]"));
    }
    let cases = CaseArgs { seeds: None, calls: Vec::new(), inputs: args.inputs.clone(), condition: None };
    let chosen = case_selection::choose(readable, &cases, None, None)?.cases;
    // An input of an earlier search may have the name of a new one.
    let may_be_replaced = |case: &CaseSpec| {
        let is_found = case.name.to_string().starts_with(FOUND);
        let parent = case.file().and_then(|file| file.canonicalize().ok()?.parent().map(Path::to_owned));
        is_found && parent.is_some_and(|parent| folder.canonicalize().is_ok_and(|folder| folder == parent))
    };
    if let Some(case) = chosen.iter().find(may_be_replaced) {
        let error = format!("{} is in {}, where --save could replace it", case.name, folder.display());
        return Err(Failure::usage(error).with_hint("name a new folder: --save found"));
    }
    let inputs = Inputs::of(readable);
    let parent = |case: CaseSpec| Ok(Parent { input: inputs.load(&case)?, value: f64::NEG_INFINITY });
    let parents: Vec<Parent> = chosen.iter().map(parent).collect::<Result<_>>()?;
    if parents.is_empty() {
        return Err(
            Failure::usage(format!("`{}` has no inputs to change", problem.id)).with_hint("--inputs 'data/*.in'")
        );
    }
    let seen = parents.iter().map(|parent| Digest::of(&parent.input)).collect();
    Ok(Source::Mutants { parents, folder, random: Random::new(args.draw), seen })
}

/// Returns the cases of these seeds, each with its features from 0 to 1, as far as a case can be read without a program.
fn described(problem: &Problem, reader: &CaseReader, seeds: Vec<u64>) -> Vec<(CaseSpec, Vec<f64>)> {
    let cases: Vec<CaseSpec> = seeds.into_iter().map(CaseSpec::from_seed).collect();
    if !matches!(problem.generator, Some(GeneratorChoice::BuiltIn { .. })) && problem.features.is_empty() {
        return cases.into_iter().map(|case| (case, Vec::new())).collect();
    }
    let described = map_on_all_cores(cases.len(), |place| reader.describe(&cases[place]).ok());
    let features: Vec<Option<Features>> = described.into_iter().map(|found| Some(found?.features)).collect();
    let all = features.iter().flatten().flat_map(|features| features.iter().map(|(name, _)| name.to_owned()));
    let names: BTreeSet<String> = all.collect();
    let columns: Vec<Vec<f64>> = names.iter().map(|name| column(&features, name)).collect();
    let point = |place: usize| columns.iter().map(|column| column[place]).collect();
    // An input that cannot be made is a fault that is reported when the case is played.
    cases.into_iter().enumerate().map(|(place, case)| (case, point(place))).collect()
}

/// Returns a feature of each case, from 0 to 1.
fn column(cases: &[Option<Features>], name: &str) -> Vec<f64> {
    let number = |features: &Option<Features>| features.as_ref()?.get(name).map(as_float);
    let mut values: Vec<Option<f64>> = cases.iter().map(number).collect();
    let ends = |values: &[Option<f64>]| {
        let known = values.iter().flatten();
        known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)))
    };
    let (low, high) = ends(&values);
    if low >= 0.0 && high > WIDE * low.max(1.0) {
        values.iter_mut().flatten().for_each(|value| *value = value.ln_1p());
    }
    let (low, high) = ends(&values);
    let share = |value: Option<f64>| value.filter(|_| high > low).map_or(0.5, |value| (value - low) / (high - low));
    values.into_iter().map(share).collect()
}
