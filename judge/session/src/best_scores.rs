//! The scores that points are relative to, in addition to the run's own: the best scores of the problem, of the
//! journal, or of a file.

use crate::{Failure, Result, load, recorder};
use checkers::Score;
use judge_compare::paired::EffectMeasure;
use judge_journal::Journal;
use judge_problem::{
    BestOrigin, BestScore, BestSource, CaseList, CaseSpec, Catalogue, Digest, Direction, Game, KnownBest, Problem,
    Rule, StoredRun, decode, map_on_all_cores, read_best_scores,
};
use judge_run::cases::Inputs;
use judge_run::command::game_of;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Best scores from outside of the run, as they were when this was opened.
pub struct ReferenceScores {
    /// Which they are.
    pub source: BestSource,
    file: Option<Scores>,
    ledger: HashMap<Digest, KnownBest>,
}

/// The best scores in a file.
enum Scores {
    ByInput(HashMap<Digest, Score>),
    ByName(BTreeMap<String, Score>),
}

/// Whether best known scores come from the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromJournal {
    /// No. A shard must give the same results with any journal, and a run that is not recorded needs none.
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
    /// Says that `--best` changes no points, if the rule refers to no best score.
    pub fn note_unused(best: Option<&Path>, rule: &Rule) {
        if best.is_some() && !rule.has_reference() {
            judge_report::note(&format!("--best changes no points: the rule `{rule}` refers to no best score"));
        }
    }

    /// Opens the best scores that points are relative to. Fails if `best` is given but effects are not measured in
    /// points.
    pub fn of_points(
        measure: Option<EffectMeasure>,
        catalogue: &Catalogue,
        problem: &Problem,
        best: Option<&Path>,
        journal: FromJournal,
    ) -> Result<Self> {
        let measure = measure.unwrap_or(EffectMeasure::of_rule(&problem.scoring));
        let takes_points = measure == EffectMeasure::Points || measure.is_of_points(&problem.scoring);
        if best.is_some() && !takes_points {
            return Err(
                Failure::usage("--best changes points, but raw scores are compared").with_hint("add --measure points")
            );
        }
        Self::open(catalogue, problem, None, best, journal)
    }

    /// Reads the best scores that the command line names. Without any, takes the problem's, and the journal's if the rule is
    /// relative to the best score. For a recorded run, only scores of its checker count.
    pub fn open(
        catalogue: &Catalogue,
        problem: &Problem,
        run: Option<&StoredRun>,
        given: Option<&Path>,
        journal: FromJournal,
    ) -> Result<Self> {
        let source = match (given, &problem.best) {
            (Some(given), _) => BestSource::new(given, Path::new("")),
            (None, BestSource::Problem | BestSource::Run) => BestSource::Problem,
            (None, _) if !problem.scoring.has_reference() => BestSource::Problem,
            (None, _) => BestSource::Known,
        };
        let mut game = game_of(problem);
        run.into_iter().for_each(|run| game.checker.clone_from(&run.checker));
        Self::of_source(source, catalogue, problem, &game, journal)
    }

    /// Returns all known best scores except the scores of the solver with this hash: the problem's, and the journal's for
    /// any scoring rule.
    pub fn known_of_others(
        catalogue: &Catalogue,
        problem: &Problem,
        journal: FromJournal,
        own: Digest,
    ) -> Result<Self> {
        let game = game_of(problem);
        let known = Self::of_source(BestSource::Known, catalogue, problem, &game, FromJournal::No)?;
        // The recorder reports a journal that cannot be used.
        Ok(Self { ledger: of_journal(catalogue, &game, journal, Some(own)).unwrap_or_default(), ..known })
    }

    fn of_source(
        source: BestSource,
        catalogue: &Catalogue,
        problem: &Problem,
        game: &Game,
        journal: FromJournal,
    ) -> Result<Self> {
        let ledger = match source {
            BestSource::Ledger => of_journal(catalogue, game, FromJournal::Today, None)?,
            // The recorder reports a journal that cannot be used.
            BestSource::Known => of_journal(catalogue, game, journal, None).unwrap_or_default(),
            BestSource::Problem | BestSource::Run | BestSource::File(_) => HashMap::new(),
        };
        let file = named_file(&source, problem).map(|path| read(game, path, problem)).transpose()?;
        Ok(Self { source, file, ledger })
    }

    /// Returns whether they include the best scores in the catalogue's cases.
    fn has_own(&self) -> bool {
        matches!(self.source, BestSource::Known | BestSource::Problem)
    }

    /// Sets the best known score of each recorded case, by the hash of its input.
    pub(crate) fn apply_to_recorded(&self, direction: Direction, cases: &mut CaseList, inputs: &[Option<Digest>]) {
        if self.changes_none(cases) {
            return;
        }
        let with_best =
            |(case, input): (CaseSpec, &Option<Digest>)| CaseSpec { best: self.of(direction, &case, *input), ..case };
        let mut changed: CaseList = cases.iter().zip(inputs).map(with_best).collect();
        changed.share_read_files(cases);
        *cases = changed;
    }

    /// Returns whether the cases keep the best scores that they have.
    fn changes_none(&self, cases: &CaseList) -> bool {
        let is_empty = self.file.is_none() && self.ledger.is_empty();
        is_empty && (self.has_own() || cases.listed().all(|case| case.best.is_none()))
    }

    /// Sets the best known score of each case. Warns about a file that has none of them.
    pub fn apply(&self, problem: &Problem, cases: &mut CaseList) {
        if self.changes_none(cases) {
            return;
        }
        let inputs = self.inputs(problem, cases);
        if let Some(path) = named_file(&self.source, problem)
            && !cases.is_empty()
            && !cases.iter().zip(&inputs).any(|(case, input)| self.in_file(&case, *input).is_some())
        {
            judge_report::note(&format!("warning: {} has no score of any of these cases", path.display()));
        }
        self.apply_to_recorded(problem.direction, cases, &inputs);
    }

    /// Returns the hash of the input of each case, where scores are indexed by it.
    fn inputs(&self, problem: &Problem, cases: &CaseList) -> Vec<Option<Digest>> {
        if self.ledger.is_empty() && !matches!(self.file, Some(Scores::ByInput(_))) {
            return vec![None; cases.len()];
        }
        let sources: Vec<_> = cases.iter().map(|case| case.source).collect();
        let repeated: Vec<_> = sources.chunk_by(|source, next| source == next).collect();
        let inputs = Inputs::of(problem);
        let hashes = map_on_all_cores(repeated.len(), |number| inputs.hash_of(cases, &repeated[number][0]));
        repeated.iter().zip(hashes).flat_map(|(cases, hash)| vec![hash; cases.len()]).collect()
    }

    /// Returns the best known score of a case. `input` is the hash of its input, if known.
    fn of(&self, direction: Direction, case: &CaseSpec, input: Option<Digest>) -> Option<KnownBest> {
        let own = case.best.clone().filter(|_| self.has_own());
        let origin = if self.has_own() { BestOrigin::Problem } else { BestOrigin::File };
        let in_file = self.in_file(case, input).map(|score| KnownBest { score: score.clone(), origin });
        let in_ledger = input.and_then(|input| self.ledger.get(&input)).cloned();
        KnownBest::better(direction, KnownBest::better(direction, own, in_file), in_ledger)
    }

    fn in_file(&self, case: &CaseSpec, input: Option<Digest>) -> Option<&Score> {
        match self.file.as_ref()? {
            Scores::ByInput(scores) => scores.get(&input?),
            Scores::ByName(scores) => scores.get(case.base_name()),
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

/// Returns the best scores of the journal, if they count, without the scores of the solver with the hash `own`.
fn of_journal(
    catalogue: &Catalogue,
    game: &Game,
    journal: FromJournal,
    own: Option<Digest>,
) -> Result<HashMap<Digest, KnownBest>> {
    let known = if journal == FromJournal::No { None } else { recorder::open_to_read_if_any(catalogue)? };
    let counts = |known: &Journal| journal == FromJournal::Today || load::probe_journal(known.path()).is_ok();
    match known.filter(counts) {
        Some(known) => Ok(known.best_by_input(game, own)?),
        None => Ok(HashMap::new()),
    }
}

fn read(game: &Game, path: &Path, problem: &Problem) -> Result<Scores> {
    let place = problem.file_lines.get(path).map_or_else(|| "--best".to_owned(), |line| format!("`best` in {line}"));
    let hint = format!("{place} takes a file, or one of: known, problem, run, ledger");
    let bytes = load::bytes("the best scores", path).map_err(|failure| failure.with_hint(hint))?;
    // A TOML file never begins with a brace; the exported JSON does.
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
