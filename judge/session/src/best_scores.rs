//! What scores are relative to, beside those of the run: the best scores that the problem names, those of the journal, or those
//! of a file.

use super::failure::Failure;
use super::{load, recorder};
use checkers::Score;
use judge_compare::paired::EffectMeasure;
use judge_journal::Journal;
use judge_problem::manifest::{Catalogue, decode, read_best_scores};
use judge_problem::parallel::map_on_all_cores;
use judge_problem::{
    BestOrigin, BestScore, BestSource, CaseList, CaseSpec, Digest, Direction, Game, KnownBest, Problem, StoredRun,
};
use judge_run::cases::Inputs;
use judge_run::command::game_of;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Best scores from outside of the run, as they were when this was opened.
pub struct ReferenceScores {
    /// Which they are.
    pub source: BestSource,
    /// Whether the best scores that the catalogue gives its cases are among them.
    has_own: bool,
    file: Option<Scores>,
    ledger: HashMap<Digest, KnownBest>,
}

/// The best scores in a file.
enum Scores {
    ByInput(HashMap<Digest, Score>),
    ByName(BTreeMap<String, Score>),
}

/// Whether the best known scores include those of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromJournal {
    /// No: of a shard, which is the same whatever journal it is recorded in, and of a run that is not recorded.
    No,
    /// Yes, if the run can be recorded there.
    Recorded,
    /// Yes, as they are today.
    Today,
}

impl FromJournal {
    /// Returns which a run takes that is or is not to be recorded.
    pub fn of_run(is_recorded: bool) -> Self {
        if is_recorded { Self::Recorded } else { Self::No }
    }
}

impl ReferenceScores {
    /// Opens the best scores that points are relative to. Fails if `best` is given for effects that are not made of points.
    pub fn of_points(
        measure: Option<EffectMeasure>,
        catalogue: &Catalogue,
        problem: &Problem,
        best: Option<&Path>,
        journal: FromJournal,
    ) -> Result<Self, Failure> {
        let takes_points = measure.unwrap_or(EffectMeasure::of_rule(&problem.scoring)) == EffectMeasure::Points;
        if best.is_some() && !takes_points {
            return Err(
                Failure::usage("--best changes points, but raw scores are compared").with_hint("add --measure points")
            );
        }
        Self::open(catalogue, problem, best, journal)
    }

    /// Reads the best scores that the command line names, or else those that the problem names and, where its rule is relative
    /// to the best score, those of the journal.
    pub fn open(
        catalogue: &Catalogue,
        problem: &Problem,
        given: Option<&Path>,
        journal: FromJournal,
    ) -> Result<Self, Failure> {
        Self::of_game(catalogue, problem, &game_of(problem), given, journal)
    }

    /// Reads those of the game of a recorded run. What another checker made of the same inputs is no score of it.
    pub fn of_run(
        catalogue: &Catalogue,
        problem: &Problem,
        run: &StoredRun,
        given: Option<&Path>,
        journal: FromJournal,
    ) -> Result<Self, Failure> {
        let game = Game { checker: run.checker.clone(), ..game_of(problem) };
        Self::of_game(catalogue, problem, &game, given, journal)
    }

    fn of_game(
        catalogue: &Catalogue,
        problem: &Problem,
        game: &Game,
        given: Option<&Path>,
        journal: FromJournal,
    ) -> Result<Self, Failure> {
        let source = match (given, &problem.best) {
            (Some(given), _) => BestSource::new(given, Path::new("")),
            (None, BestSource::Problem | BestSource::Run) => BestSource::Problem,
            (None, _) if !problem.scoring.has_reference() => BestSource::Problem,
            (None, _) => BestSource::Known,
        };
        let ledger = match source {
            BestSource::Ledger => of_journal(catalogue, game, FromJournal::Today)?,
            // What is wrong with the journal is said where the run is recorded.
            BestSource::Known => of_journal(catalogue, game, journal).unwrap_or_default(),
            BestSource::Problem | BestSource::Run | BestSource::File(_) => HashMap::new(),
        };
        let has_own = matches!(source, BestSource::Known | BestSource::Problem);
        let file = match (&source, &problem.best) {
            (BestSource::File(path), _) => Some(read(game, path)?),
            (_, BestSource::File(path)) if has_own => Some(read(game, path)?),
            _ => None,
        };
        Ok(Self { source, has_own, file, ledger })
    }

    /// Sets the best known score of each recorded case, by the hash of its input.
    pub(crate) fn apply_to_recorded(&self, direction: Direction, cases: &mut CaseList, inputs: &[Option<Digest>]) {
        if self.changes_none(cases) {
            return;
        }
        let with_best =
            |(case, input): (CaseSpec, &Option<Digest>)| CaseSpec { best: self.of(direction, &case, *input), ..case };
        *cases = cases.iter().zip(inputs).map(with_best).collect();
    }

    /// Returns whether the cases keep the best scores that they have.
    fn changes_none(&self, cases: &CaseList) -> bool {
        let is_empty = self.file.is_none() && self.ledger.is_empty();
        is_empty && (self.has_own || cases.listed().all(|case| case.best.is_none()))
    }

    /// Sets the best known score of each case. Warns about a file that has none of them.
    pub fn apply(&self, problem: &Problem, cases: &mut CaseList) {
        if self.changes_none(cases) {
            return;
        }
        let inputs = self.inputs(problem, cases);
        let listed: Vec<CaseSpec> = cases.iter().collect();
        let file = named_file(&self.source, problem).filter(|_| !listed.is_empty());
        if let Some(path) = file
            && !listed.iter().zip(&inputs).any(|(case, input)| self.in_file(case, *input).is_some())
        {
            judge_report::note(&format!("warning: {} has no score of any of these cases", path.display()));
        }
        let with_best = |(case, input): (CaseSpec, Option<Digest>)| CaseSpec {
            best: self.of(problem.direction, &case, input),
            ..case
        };
        let mut changed: CaseList = listed.into_iter().zip(inputs).map(with_best).collect();
        changed.share_read_files(cases);
        *cases = changed;
    }

    /// Returns the hash of the input of each case, where scores are known by it. An input that cannot be made or read is an
    /// error of the case once it runs.
    fn inputs(&self, problem: &Problem, cases: &CaseList) -> Vec<Option<Digest>> {
        if self.ledger.is_empty() && !matches!(self.file, Some(Scores::ByInput(_))) {
            return vec![None; cases.len()];
        }
        let sources: Vec<_> = cases.iter().map(|case| case.source).collect();
        let repeated: Vec<_> = sources.chunk_by(|source, next| source == next).collect();
        let inputs = Inputs::of(problem);
        let hash = |number: usize| match cases.read_file(&repeated[number][0]) {
            Some(file) => Some(file.hash),
            None => inputs.load_from(&repeated[number][0]).ok().map(|input| Digest::of(&input)),
        };
        let hashes = map_on_all_cores(repeated.len(), hash);
        repeated.iter().zip(hashes).flat_map(|(cases, hash)| vec![hash; cases.len()]).collect()
    }

    /// Returns the best known score of a case. `input` is the hash of its input, if known.
    fn of(&self, direction: Direction, case: &CaseSpec, input: Option<Digest>) -> Option<KnownBest> {
        let own = case.best.clone().filter(|_| self.has_own);
        let origin = if self.has_own { BestOrigin::Problem } else { BestOrigin::File };
        let in_file = self.in_file(case, input).map(|score| KnownBest { score: score.clone(), origin });
        let in_ledger = input.and_then(|input| self.ledger.get(&input)).cloned();
        KnownBest::better(direction, KnownBest::better(direction, own, in_file), in_ledger)
    }

    fn in_file(&self, case: &CaseSpec, input: Option<Digest>) -> Option<&Score> {
        match self.file.as_ref()? {
            Scores::ByInput(scores) => scores.get(&input?),
            Scores::ByName(scores) => scores.get(case.name.without_repetition()),
        }
    }
}

/// Returns the file of best scores that are taken.
fn named_file<'a>(source: &'a BestSource, problem: &'a Problem) -> Option<&'a Path> {
    match (source, &problem.best) {
        (BestSource::File(path), _) | (BestSource::Known | BestSource::Problem, BestSource::File(path)) => Some(path),
        _ => None,
    }
}

/// Returns the best scores of the journal, as far as they count.
fn of_journal(catalogue: &Catalogue, game: &Game, journal: FromJournal) -> Result<HashMap<Digest, KnownBest>, Failure> {
    let known = if journal == FromJournal::No { None } else { recorder::look_if_any(catalogue)? };
    let counts = |known: &Journal| journal == FromJournal::Today || load::probe("the journal", known.path()).is_ok();
    match known.filter(counts) {
        Some(known) => Ok(known.best_by_input(game)?),
        None => Ok(HashMap::new()),
    }
}

fn read(game: &Game, path: &Path) -> Result<Scores, Failure> {
    let bytes = load::bytes("the best scores", path)?;
    // No TOML begins with a brace; the exported JSON does.
    if bytes.trim_ascii_start().starts_with(b"{") {
        return Ok(by_input(game.direction, load::parse_best_scores(game, path, &bytes)?));
    }
    let file = path.display().to_string();
    let scores = read_best_scores(&file, &decode(&file, bytes)?)?;
    Ok(Scores::ByName(scores))
}

/// Equal inputs are one case under any name.
fn by_input(direction: Direction, bests: Vec<BestScore>) -> Scores {
    let mut scores = HashMap::<Digest, Score>::new();
    for BestScore { input, score, .. } in bests {
        let known = scores.remove(&input);
        scores.insert(input, known.into_iter().fold(score, |best, other| direction.better(best, other)));
    }
    Scores::ByInput(scores)
}
