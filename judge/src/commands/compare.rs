//! `judge compare`: the difference between solvers, and its certainty. With `--until-decided`, it runs fresh cases until every
//! comparison is decided, with a look after each.

use judge_cli::CompareArgs;
use judge_compare::paired::{self, EffectMeasure, EffectUnits, GrowingComparison, PointSigns};
use judge_journal::{CasePlaces, Part};
use judge_problem::{
    CaseList, CaseSpec, Catalogue, Exit, Outcome, OutcomeGrid, Plan, Problem, Rule, RunEvent, Solver, Verdict,
};
use judge_report::{CompareReport, InterimResult, IntervalProgress};
use judge_run::runner::EarlyEnd;
use judge_session::comparison::{self, Compared, measured, parameters, unit};
use judge_session::entrants::{self, Entrant};
use judge_session::match_runner::measure_of;
use judge_session::pairing::{self, Pairing};
use judge_session::{Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, Result, load, outputs, programs};
use std::borrow::Cow;
use std::time::Instant;

/// The size of the first batch: hardly anything is decided before.
const FIRST_BATCH: usize = 8;

/// The factor by which a batch is smaller than all cases before it, if it still fills the workers. Runs after the deciding
/// case are wasted.
const BATCH_SHARE: usize = 64;

/// The interval is shown this many times while the number of cases doubles.
const SHOWN: usize = 8;

/// Compares solvers with the first one of them.
pub(super) fn compare(global: GlobalArgs<'_>, args: &CompareArgs) -> Result<Exit> {
    let (catalogue, _programs) = programs::catalogue(global, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let provenance = outputs::here();
    comparison::check(args, problem)?;
    let outputs = Outputs::check::<CompareReport<'_>>(&args.reports)?;
    let entrants = entrants::find(&catalogue, problem, &args.solvers)?;
    let fresh = |runner: &MatchRunner<'_>, solvers| play_until_decided(runner, solvers, args);
    let pairing = pair(&catalogue, problem, &entrants, args, fresh)?;
    let exit = pairing.played.exit();
    let printed = pairing.warnings.len();
    let compared = Compared::of(args, &entrants, pairing)?;
    compared.pairing.warnings.iter().skip(printed).for_each(|warning| pairing::print_warning(warning));
    outputs.publish(&compared.report(args, provenance))?;
    Ok(exit)
}

/// Returns the results of the entrants: recorded ones, new ones on the chosen cases, or with `--until-decided` the
/// results from `fresh`.
pub(super) fn pair(
    catalogue: &Catalogue,
    problem: &Problem,
    entrants: &[Entrant],
    args: &CompareArgs,
    fresh: impl FnOnce(&MatchRunner<'_>, Vec<Solver>) -> Result<MatchResult>,
) -> Result<Pairing> {
    if entrants.iter().any(|entrant| entrant.past.is_some()) {
        if args.until_decided {
            return Err(Failure::usage("--until-decided needs fresh cases, which a past run does not have")
                .with_hint("name the solvers themselves, or omit --until-decided to compare what is recorded"));
        }
        let (conditions, reference) = ((&args.cases, &args.running), (args.statistics.measure(), args.best.as_deref()));
        return pairing::pair(catalogue, problem, entrants, conditions, reference, pairing::print_warning);
    }
    let mut runner = MatchRunner::open(catalogue, problem, &args.running)?;
    runner.use_best_scores(args.statistics.measure(), args.best.as_deref())?;
    let solvers = runner.solvers(&args.solvers)?;
    let started = Instant::now();
    let played = if args.until_decided {
        fresh(&runner, solvers)?
    } else {
        runner.play(runner.plan(solvers, runner.cases(&args.cases, args.group_by.as_deref())?)?)?
    };
    let run_info = Some(runner.run_info(started.elapsed()));
    let nodes = runner.plan_runner.nodes();
    Ok(Pairing::fresh(played, run_info, nodes))
}

/// Runs all solvers on fresh cases. Each solver ends with the first case after which a claim about it is possible, or
/// when there are no further cases. Batches fill the workers, but looks go case by case in the order of the cases. So
/// `--jobs` does not change where a comparison ends. A runner that ends early gets all cases in one batch, with a look
/// after each result. All of this is one run in the journal.
fn play_until_decided(runner: &MatchRunner<'_>, solvers: Vec<Solver>, args: &CompareArgs) -> Result<MatchResult> {
    let (most, early_end) = (args.max_cases.get(), runner.plan_runner.early_end());
    let mut pool = runner.fresh_cases_where(&args.cases)?.take(most);
    let mut open = OpenComparisons::begin(runner.plan(solvers, CaseList::default())?, most, args);
    let mut session = runner.begin(&open.played.plan)?;
    let mut looked = Ok(());
    while open.playing.len() > 1 && looked.is_ok() {
        let first_case = open.played.plan.cases.len();
        let size = match early_end {
            Some(_) => most,
            None if first_case == 0 => FIRST_BATCH,
            None => runner.plan_runner.jobs().max(first_case / BATCH_SHARE),
        };
        let batch: CaseList = pool.by_ref().take(size).collect();
        if batch.is_empty() {
            break;
        }
        let solvers = open.playing.clone();
        let plan = runner.plan(solvers.iter().map(|&at| open.played.plan.solvers[at].clone()).collect(), batch)?;
        runner.grow(&mut session, &[], &plan.cases);
        let part = Part { solvers: solvers.clone(), cases: CasePlaces::From(first_case) };
        let mut coming = MatchResult::unplayed(plan.clone());
        let later = runner.play_watched(&mut session, plan, part, &mut |event| {
            open.progress.watch(event);
            if let (Some(early_end), RunEvent::Finished(finished)) = (early_end, event) {
                coming.add_job(finished);
                if looked.is_ok() {
                    looked = open.look(&coming, early_end);
                }
            }
        })?;
        open.played.stop = later.stop;
        if early_end.is_some() {
            session.recorder.trim_cases();
            break;
        }
        let mut cases = 0..later.plan.cases.len();
        looked = cases.try_for_each(|case| if open.is_decided() { Ok(()) } else { open.add(&later, case, &solvers) });
        if later.stop.is_some() || later.is_faulty() {
            break;
        }
        looked = looked.and_then(|()| open.show_if_due());
    }
    let OpenComparisons { progress, played, .. } = open;
    progress.finish();
    session.finish(&played.plan, &played.outcomes, played.stop);
    looked.map(|()| played)
}

/// The comparisons of solvers with the first one, on the cases so far.
struct OpenComparisons<'a> {
    args: &'a CompareArgs,
    looks: Looks<'a>,
    next_shown: usize,
    progress: IntervalProgress,
    /// The results so far.
    played: MatchResult,
    /// The first solver, and those whose comparison is not decided.
    playing: Vec<usize>,
}

impl<'a> OpenComparisons<'a> {
    /// Begins with the plan of all solvers, without cases. At most this many cases follow.
    fn begin(plan: Plan, cases: usize, args: &'a CompareArgs) -> Self {
        let progress = IntervalProgress::start(cases * plan.solvers.len());
        let playing = (0..plan.solvers.len()).collect();
        let played = MatchResult::unplayed(plan);
        Self { args, looks: Looks::new(&played, args), next_shown: FIRST_BATCH, progress, played, playing }
    }

    /// Returns whether every comparison is decided.
    fn is_decided(&self) -> bool {
        self.playing.len() == 1
    }

    /// Adds a case of later results, which has these solvers, and looks after it. Results after the deciding case are not used.
    fn add(&mut self, later: &MatchResult, case: usize, solvers: &[usize]) -> Result<()> {
        self.played.add_case(later, case, solvers, &self.playing);
        self.looks.add(&self.played)?;
        let mut playing = vec![0];
        for &second in &self.playing[1..] {
            if !self.looks.is_over(&self.played, second)? {
                playing.push(second);
            }
        }
        self.playing = playing;
        Ok(())
    }

    /// Looks at the next cases of a run that goes on, and ends it if nothing more is needed.
    fn look(&mut self, coming: &MatchResult, early_end: &EarlyEnd) -> Result<()> {
        let solvers: Vec<usize> = (0..coming.plan.solvers.len()).collect();
        while !self.is_decided() {
            let case = self.played.plan.cases.len();
            if case == coming.plan.cases.len() || coming.outcomes.of_case(case).any(|outcome| outcome.is_none()) {
                return Ok(());
            }
            let looked = self.add(coming, case, &solvers).and_then(|()| self.show_if_due());
            let is_faulty = |outcome: Outcome| outcome.verdict == Verdict::JudgeError;
            if looked.is_err() || coming.outcomes.of_case(case).flatten().any(is_faulty) {
                self.playing.truncate(1);
            }
            if self.is_decided() {
                early_end.ask();
            }
            looked?;
        }
        Ok(())
    }

    /// Shows the intervals if it is time to.
    fn show_if_due(&mut self) -> Result<()> {
        let Self { args, played, .. } = self;
        let cases = played.plan.cases.len();
        if cases < self.next_shown && self.playing.len() > 1 {
            return Ok(());
        }
        self.next_shown = cases + cases.div_ceil(SHOWN);
        let solvers = &played.plan.solvers;
        let seen = measured(played, &args.statistics)?;
        let scored = seen.scored()?;
        let measure = comparison::measure(&scored, args);
        // Without a total, a share of it has no unit yet.
        let Ok(parameters) = parameters(args, measure, &scored.rule, solvers.len() - 1) else { return Ok(()) };
        let mut results = Vec::new();
        for (second, solver) in solvers.iter().enumerate().skip(1) {
            let paired = scored.paired(measure, second);
            let interim = paired::infer_interim(&paired, parameters)?;
            results.push(InterimResult { name: &solver.spec.name, paired, interim });
        }
        self.progress.update(measure, &results);
        Ok(())
    }
}

/// The number of cases after which a comparison ends if the solvers have not both solved any.
pub(super) const UNSOLVED: usize = 16;

/// The comparisons with the first solver, case by case.
struct Looks<'a> {
    args: &'a CompareArgs,
    /// Only the newest case. Its points are the same as in the complete list.
    newest: MatchResult,
    signs: PointSigns,
    units: EffectUnits,
    measure: Option<EffectMeasure>,
    /// For every solver but the first. `None` once the points of a case depend on the other cases, or a case has no
    /// separate effect. Each look then scores all cases.
    growing: Option<Vec<GrowingComparison>>,
}

impl<'a> Looks<'a> {
    /// Starts before the first case.
    fn new(played: &MatchResult, args: &'a CompareArgs) -> Self {
        let newest = MatchResult::unplayed(played.plan.clone());
        let (signs, units) = (PointSigns::default(), EffectUnits::default());
        Self { args, newest, signs, units, measure: None, growing: Some(Vec::new()) }
    }

    /// Adds the newest case.
    fn add(&mut self, played: &MatchResult) -> Result<()> {
        let Some(case) = played.plan.cases.len().checked_sub(1) else { return Ok(()) };
        // A metric has no groups, thresholds or weights, so its problem is the newest case's.
        let (problem, spec) = (&self.newest.plan.problem, played.plan.cases.at(case));
        let has_own_effect = self.units.push(&spec, played.inputs.get(case).copied().flatten());
        if !has_own_effect || !is_alone(problem, &spec) {
            self.growing = None;
        }
        if self.growing.is_none() {
            return Ok(());
        }
        let rule = self.set_newest(played, case)?;
        self.signs = self.signs.and(self.newest.scored()?.outcomes().signs());
        let measure = measure_of(&rule, self.signs, self.args.statistics.measure(), unit(self.args).as_ref());
        if self.measure == Some(measure) {
            return self.extend();
        }
        // All cases so far are measured again: the first case with a score other than 0, or scores of another sign.
        let solvers = played.plan.solvers.len();
        let parameters = match parameters(self.args, measure, &rule, solvers - 1) {
            // A share of a total of 0 is meaningless. The next case may add to the total.
            Err(_) if self.signs.lack_a_total() => return Ok(()),
            parameters => parameters?,
        };
        self.measure = Some(measure);
        let fresh = |second| GrowingComparison::new(0, second, measure, parameters);
        self.growing = Some((1..solvers).map(fresh).collect());
        for case in 0..=case {
            self.set_newest(played, case)?;
            self.extend()?;
        }
        Ok(())
    }

    /// Returns whether the comparison with this solver has ended.
    fn is_over(&self, played: &MatchResult, second: usize) -> Result<bool> {
        let (is_decided, solved) = match &self.growing {
            Some(growing) => match growing.get(second - 1) {
                Some(growing) => (growing.claim().is_decided(), growing.solved()),
                None => return Ok(false),
            },
            None => {
                let seen = measured(played, &self.args.statistics)?;
                let scored = seen.scored()?;
                let measure = comparison::measure(&scored, self.args);
                let parameters = parameters(self.args, measure, &scored.rule, played.plan.solvers.len() - 1)?;
                let paired = scored.paired(measure, second);
                (paired::interim_claim(&paired, parameters)?.is_decided(), paired.solved)
            }
        };
        Ok(is_decided || solved == 0 && played.plan.cases.len() >= UNSOLVED)
    }

    /// Makes a case the newest one, and returns the rule that it is scored by.
    fn set_newest(&mut self, played: &MatchResult, case: usize) -> Result<Rule> {
        let solvers: Vec<usize> = (0..played.plan.solvers.len()).collect();
        self.newest.plan.cases = CaseList::default();
        self.newest.outcomes = OutcomeGrid::new(0, solvers.len());
        self.newest.inputs.clear();
        self.newest.add_case(played, case, &solvers, &solvers);
        if let Cow::Owned(seen) = measured(&self.newest, &self.args.statistics)? {
            self.newest = seen;
        }
        Ok(self.newest.scored()?.rule)
    }

    /// Adds the newest case to every comparison.
    fn extend(&mut self) -> Result<()> {
        let scored = self.newest.scored()?;
        for growing in self.growing.iter_mut().flatten() {
            growing.add(scored.outcomes())?;
        }
        Ok(())
    }
}

/// Returns whether the points of this case are independent of the other cases: it is in no test group, which may fail
/// as a whole, and has no thresholds, which count only if all have them.
fn is_alone(problem: &Problem, case: &CaseSpec) -> bool {
    problem.test_group_of(case).is_none() && (case.thresholds.is_none() || !problem.scoring.needs_thresholds())
}

#[cfg(test)]
mod tests;
