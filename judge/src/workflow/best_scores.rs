//! What scores are relative to, beside those of the run: the ledger of `judge best`, or a file of best scores.

use super::failure::Failure;
use super::{load, recorder};
use crate::cases::Inputs;
use crate::command::game_of;
use crate::manifest::{Catalogue, decode, read_best_scores};
use crate::model::{BestScore, BestSource, CaseList, CaseSpec, Digest, Direction, Game, Problem, StoredRun};
use crate::paired::EffectMeasure;
use crate::report;
use checkers::Score;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Best scores from outside of the run.
pub(crate) struct ReferenceScores {
    pub(crate) source: BestSource,
    scores: Scores,
    /// Whether they replace every best score of the catalogue, or only worse ones.
    replaces: bool,
}

enum Scores {
    None,
    ByInput(HashMap<Digest, Score>),
    ByName(BTreeMap<String, Score>),
}

impl ReferenceScores {
    /// Opens the best scores that points are relative to, if the effects or the rule's totals are made of points.
    pub(crate) fn of_points(
        measure: Option<EffectMeasure>,
        catalogue: &Catalogue,
        problem: &Problem,
        best: Option<&Path>,
    ) -> Result<Option<Self>, Failure> {
        let by_rule = EffectMeasure::of_rule(&problem.scoring);
        let takes_points = measure.unwrap_or(by_rule) == EffectMeasure::Points;
        if best.is_some() && !takes_points {
            return Err(
                Failure::usage("--best changes points, but raw scores are compared").with_hint("add --measure points")
            );
        }
        let is_needed = takes_points || by_rule == EffectMeasure::Points;
        is_needed.then(|| Self::open(catalogue, problem, best)).transpose()
    }

    /// Reads the best scores that the command line names, or else those that the problem names.
    pub(crate) fn open(catalogue: &Catalogue, problem: &Problem, given: Option<&Path>) -> Result<Self, Failure> {
        Self::of_game(catalogue, problem, &game_of(problem), given)
    }

    /// Reads those of the game of a recorded run. What another checker made of the same inputs is no score of it.
    pub(crate) fn of_run(
        catalogue: &Catalogue,
        problem: &Problem,
        run: &StoredRun,
        given: Option<&Path>,
    ) -> Result<Self, Failure> {
        let game = Game { checker: run.checker.clone(), ..game_of(problem) };
        Self::of_game(catalogue, problem, &game, given)
    }

    fn of_game(catalogue: &Catalogue, problem: &Problem, game: &Game, given: Option<&Path>) -> Result<Self, Failure> {
        let source = given.map_or_else(|| problem.best.clone(), |given| BestSource::new(given, Path::new("")));
        let scores = match &source {
            BestSource::Run => Scores::None,
            BestSource::Ledger => match recorder::look_if_any(catalogue)? {
                Some(journal) => Scores::ByInput(journal.best_by_input(game)?),
                None => Scores::None,
            },
            BestSource::File(path) => read(game, path)?,
        };
        Ok(Self { source, scores, replaces: given.is_some() })
    }

    /// Sets the best known score of each recorded case, by the hash of its input.
    pub(crate) fn apply_to_recorded(&self, direction: Direction, cases: &mut CaseList, inputs: &[Option<Digest>]) {
        if self.changes_none(cases) {
            return;
        }
        let with_best = |(mut case, input): (CaseSpec, &Option<Digest>)| {
            self.apply_to(direction, &mut case, *input);
            case
        };
        *cases = cases.iter().zip(inputs).map(with_best).collect();
    }

    /// Returns whether the cases keep the best scores that they have.
    fn changes_none(&self, cases: &CaseList) -> bool {
        let is_empty = match &self.scores {
            Scores::None => true,
            Scores::ByInput(scores) => scores.is_empty(),
            Scores::ByName(_) => false,
        };
        is_empty && (!self.replaces || cases.listed().all(|case| case.best.is_none()))
    }

    /// Sets the best known score of each case. Warns about a file that has none of them.
    pub(crate) fn apply(&self, problem: &Problem, cases: &mut CaseList) -> Result<(), Failure> {
        let mut is_unknown = matches!(self.source, BestSource::File(_)) && !cases.is_empty();
        if self.changes_none(cases) && !is_unknown {
            return Ok(());
        }
        let inputs = Inputs::of(problem);
        let with_best = |mut case: CaseSpec| -> Result<CaseSpec, Failure> {
            let input = match &self.scores {
                Scores::ByInput(_) => Some(match cases.read_file(&case.source) {
                    Some(file) => file.hash,
                    None => Digest::of(&inputs.load(&case)?),
                }),
                Scores::None | Scores::ByName(_) => None,
            };
            is_unknown &= !self.apply_to(problem.direction, &mut case, input);
            Ok(case)
        };
        let mut changed = cases.iter().map(with_best).collect::<Result<CaseList, _>>()?;
        changed.share_read_files(cases);
        *cases = changed;
        if let BestSource::File(path) = &self.source
            && is_unknown
        {
            report::note(&format!("warning: {} has no score of any of these cases", path.display()));
        }
        Ok(())
    }

    /// Sets the best known score of a case, and returns whether there is one. `input` is the hash of its input, if
    /// known.
    pub(crate) fn apply_to(&self, direction: Direction, case: &mut CaseSpec, input: Option<Digest>) -> bool {
        let known = match &self.scores {
            Scores::None => None,
            Scores::ByInput(scores) => input.and_then(|input| scores.get(&input)),
            Scores::ByName(scores) => scores.get(case.name.without_repetition()),
        };
        let own = case.best.take().filter(|_| !self.replaces);
        case.best = own.into_iter().chain(known.cloned()).reduce(|left, right| direction.better(left, right));
        known.is_some()
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
