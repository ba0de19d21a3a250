//! `judge find`: searches for cases on which a solver loses, fails, or is slow.

mod candidates;
mod save;

use super::new_cases::{NewAnswers, Player, again, as_read_file, check_names, solver_flags, solvers, try_cases};
use candidates::{Candidate, CandidateSource};
use checkers::Score;
use judge_cli::{FindArgs, RunningArgs, SearchGoal};
use judge_journal::{CasePlaces, Part};
use judge_problem::scoring::ScoreMeasure;
use judge_problem::{
    CaseList, CheckerChoice, Direction, Exit, JobId, Outcome, OutcomeGrid, Plan, Problem, Stop, Verdict, counted,
    one_line, quote, quote_words, without_flags,
};
use judge_report::{FindReport, FoundCase, FoundValue, Steps, exact};
use judge_run::runner::was_interrupted;
use judge_search::{UNCHECKED, add_all_names, add_measures, is_worse};
use judge_session::{
    Failure, FromJournal, GlobalArgs, MatchRunner, ReferenceScores, Result, Session, load, outputs, programs,
};
use save::SavedFolder;
use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// The default number of cases to play.
const BUDGET: usize = 1000;

/// A smaller share of the larger score counts as this one.
const MIN_LEFT: f64 = 1e-4;

/// The number of cases that are played together. It does not depend on the number of jobs, so the search does not,
/// either.
const BATCH: usize = 16;

/// Searches for cases.
pub(super) fn find(global: GlobalArgs<'_>, args: &FindArgs) -> Result<Exit> {
    let goal = checked_goal(args)?;
    let (catalogue, _programs) = programs::catalogue(global, args.problem.id())?;
    let problem = load::problem(&catalogue, args.problem.id())?;
    let compared = compared(problem, &goal, args)?;
    let mut readable = problem.clone();
    if compared.is_some() {
        readable.checker = CheckerChoice::BuiltIn(&UNCHECKED);
    }
    let mut source = CandidateSource::of(problem, &readable, args)?;
    let unrecorded = unrecorded(compared.is_some(), &source, args);
    if let Some(why) = unrecorded.filter(|_| args.resume) {
        return Err(Failure::usage(format!("this search is not recorded, and cannot go on: {why}"))
            .with_hint("leave out --resume: the same command finds the same"));
    }
    let first = source.next(BATCH.min(budget(args)));
    check_condition(&goal, &first, args, &source)?;
    let has_record = unrecorded.is_none();
    let running = RunningArgs { no_journal: !has_record, ..args.running.clone() };
    let mut runner = MatchRunner::open(&catalogue, problem, &running)?.resuming(args.resume);
    let plan = plan(&mut runner, args, compared.is_some().then_some(readable.checker))?;
    outputs::probe("the JSON report", args.json.as_deref())?;
    let folder = args.save.as_ref().map(|folder| SavedFolder::open(&catalogue, problem, folder)).transpose()?;
    let has_known = goal == SearchGoal::Loss && args.against.is_none() && compared.is_none();
    let known = || {
        let own = runner.fingerprint(&plan.solvers[0]);
        ReferenceScores::known_of_others(&catalogue, problem, FromJournal::of_run(has_record), own)
    };
    let known = has_known.then(known).transpose()?;
    let session = runner.begin(&plan)?;
    let (seen, runs) = (Vec::new(), 0);
    let mut search = Search { args, goal, runner, session, plan, source, compared, known, first, folder, seen, runs };
    let stop = search.run()?;
    search.finish(stop)
}

/// Returns the plan of the search, without cases. With `checker`, answers are not checked by the problem's own one.
fn plan(runner: &mut MatchRunner<'_>, args: &FindArgs, checker: Option<CheckerChoice>) -> Result<Plan> {
    let solvers = solvers(runner, args.solver.as_ref(), args.against.as_ref())?;
    if let Some(checker) = checker {
        runner.template.problem.checker = checker;
    }
    runner.plan(solvers, CaseList::default())
}

/// Returns why the search is not recorded, if it is not.
fn unrecorded(is_compared: bool, source: &CandidateSource<'_>, args: &FindArgs) -> Option<&'static str> {
    match (is_compared, source.makes_inputs()) {
        (_, true) => Some("changed inputs are in no file"),
        (true, false) => Some("new cases of the checker `tokens` have no answer file"),
        (false, false) => args.running.no_journal.then_some("--no-journal"),
    }
}

/// Returns the maximum number of cases.
fn budget(args: &FindArgs) -> usize {
    let unlimited = if args.time.is_some() { usize::MAX } else { BUDGET };
    args.budget.map_or(unlimited, NonZeroUsize::get)
}

/// Fails if the condition uses a name that no case has.
fn check_condition(
    goal: &SearchGoal,
    first: &[Candidate],
    args: &FindArgs,
    source: &CandidateSource<'_>,
) -> Result<()> {
    let SearchGoal::Where(condition) = goal else { return Ok(()) };
    let problem = source.problem;
    let mut checked = Ok(());
    for candidate in first {
        let mut names = source.features(candidate);
        add_all_names(&mut names, 1 + usize::from(args.against.is_some()), &problem.metrics);
        checked = check_names(condition, problem, names);
        // A case that cannot be read has no features.
        if checked.is_ok() {
            break;
        }
    }
    checked
}

/// Returns the goal. Fails if the command line lacks something that it needs.
fn checked_goal(args: &FindArgs) -> Result<SearchGoal> {
    let goal = args.goal().map_err(|error| Failure::usage(error).with_hint("`judge help find` has examples"))?;
    if args.time.is_some_and(|time| time.0.is_zero()) {
        return Err(Failure::usage("--time 0s plays no case").with_hint("--time 60s"));
    }
    if goal == SearchGoal::Disagreement && args.against.is_none() {
        return Err(Failure::usage("--for disagreement needs a second solver").with_hint("--against ./other"));
    }
    Ok(goal)
}

/// Returns how answers are judged, if the checker would compare with an answer file that the cases do not have.
fn compared(problem: &Problem, goal: &SearchGoal, args: &FindArgs) -> Result<Option<NewAnswers>> {
    let compared = NewAnswers::of(problem, candidates::changes_inputs(problem, args))?;
    if compared.is_some() && args.against.is_none() {
        match goal {
            SearchGoal::Where(condition) => NewAnswers::check_condition(condition)?,
            SearchGoal::Loss | SearchGoal::Failure => judge_report::note(
                "answers are not checked, because new cases have no answer file: with --against ./right, its answers are used",
            ),
            _ => {}
        }
    }
    Ok(compared)
}

/// A case that was played.
struct PlayedCase {
    candidate: Candidate,
    outcomes: Vec<Outcome>,
    /// The loss as a share of the larger score; `None` without a score to compare with.
    loss: Option<f64>,
    /// `None` if the case does not match the goal.
    value: Option<FoundValue>,
    /// The expected answer, if the answers of both solvers are compared.
    right_answer: Option<Vec<u8>>,
}

/// A search and its results so far.
struct Search<'a> {
    args: &'a FindArgs,
    goal: SearchGoal,
    runner: MatchRunner<'a>,
    session: Session,
    /// The solvers, without cases.
    plan: Plan,
    source: CandidateSource<'a>,
    /// How answers are judged, if the cases have no answer files.
    compared: Option<NewAnswers>,
    /// The best known scores of others, if losses are relative to them.
    known: Option<ReferenceScores>,
    /// The first cases. They are made before the record begins, so that a wrong condition leaves no record.
    first: Vec<Candidate>,
    /// Where the cases found are saved.
    folder: Option<SavedFolder>,
    seen: Vec<PlayedCase>,
    runs: usize,
}

impl Search<'_> {
    /// Plays cases until enough are found, the budget is spent, or the search is stopped.
    fn run(&mut self) -> Result<Option<Stop>> {
        let budget = budget(self.args);
        let end = self.args.time.map(|time| Instant::now() + time.0);
        let is_late = || end.is_some_and(|end| Instant::now() >= end);
        self.runner.plan_runner.end_at(end);
        let mut steps = if budget == usize::MAX { Steps::without_end() } else { Steps::start(budget) };
        while self.seen.len() < budget && !is_late() && !self.has_enough() && !self.is_hopeless() {
            let candidates = match std::mem::take(&mut self.first) {
                first if first.is_empty() => self.source.next(BATCH.min(budget - self.seen.len())),
                first => first,
            };
            if candidates.is_empty() {
                return Ok(was_interrupted().then_some(Stop::Interrupted));
            }
            steps.begin(&self.so_far());
            let count = candidates.len();
            let stop = self.play(candidates, &steps)?;
            (0..count).for_each(|_| steps.end());
            if stop.is_some() {
                return Ok(stop.filter(|_| was_interrupted() || !is_late()));
            }
        }
        Ok(None)
    }

    /// Returns whether more cases would change nothing: for failures, only the first ones count.
    fn has_enough(&self) -> bool {
        let is_graded = matches!(self.goal, SearchGoal::Loss | SearchGoal::Time | SearchGoal::Memory);
        !is_graded && self.seen.iter().filter(|seen| seen.value.is_some()).count() >= self.args.top.get()
    }

    /// Returns whether no case so far gives information about the solvers.
    fn is_hopeless(&self) -> bool {
        self.seen.len() >= BATCH && self.seen.iter().all(|seen| is_faulty(&seen.outcomes))
    }

    /// Reports the cases that give no information about the solvers. Returns whether there are any.
    fn note_faults(&self) -> bool {
        let mut faulty = self.seen.iter().filter(|seen| is_faulty(&seen.outcomes)).peekable();
        let Some(first) = faulty.peek() else { return false };
        let name = first.candidate.case.name.to_string();
        let fault = first.outcomes.iter().find(|outcome| outcome.verdict == Verdict::JudgeError);
        let why = fault.map(|outcome| one_line(&outcome.note)).unwrap_or_default();
        let cases = match faulty.count() {
            1 => "1 case is a judge error, and does not count".to_owned(),
            count => format!("{count} cases are judge errors, and do not count"),
        };
        judge_report::note(&format!("{cases}: {name}: {why}"));
        true
    }

    fn so_far(&self) -> String {
        let worst = self.worst();
        let Some(seen) = worst.first() else { return format!("nothing after {}", counted(self.seen.len(), "case")) };
        let (count, name) = (worst.len(), &seen.candidate.case.name);
        match &seen.value {
            Some(FoundValue::Text(_)) | None => format!("{count} found, the first {name}"),
            Some(value) => format!("worst so far {} on {name}", value.shown()),
        }
    }

    /// Plays some cases, and passes their results to the search.
    fn play(&mut self, candidates: Vec<Candidate>, steps: &Steps) -> Result<Option<Stop>> {
        let mut cases: CaseList = candidates.iter().map(|candidate| candidate.case.clone()).collect();
        if self.source.makes_inputs() {
            cases.set_read_files(
                candidates.iter().flat_map(|candidate| &candidate.input).map(|input| as_read_file(input)).collect(),
            );
        }
        self.runner.grow(&mut self.session, &[], &cases);
        self.known.iter().for_each(|known| known.apply(self.source.problem, &mut cases));
        // The plan may add the solver's own.
        let others = cases.clone();
        let of_others = |case| self.known.as_ref().and_then(|_| others.at(case).best);
        let plan = self.runner.plan(self.plan.solvers.clone(), cases)?;
        let solvers = (0..plan.solvers.len()).collect();
        let part = Part { solvers, cases: CasePlaces::From(self.seen.len()) };
        let input = |case: usize| candidates[case].input.as_deref().unwrap_or_default();
        let (cases, compared) = (plan.cases.clone(), self.compared.as_ref());
        let tried = try_cases(&self.runner, &mut self.session, (plan, part), compared, input, steps)?;
        self.runs += tried.runs;
        for (case, (mut candidate, (outcomes, mut answers))) in candidates.into_iter().zip(tried.cases).enumerate() {
            candidate.case = cases.at(case);
            let loss = self.loss(of_others(case).map(|best| best.score).as_ref(), &outcomes);
            let value = self.value(&candidate, &outcomes, loss);
            self.source.tell(&candidate, self.signal(&outcomes, loss, value.as_ref()));
            let has_expected = self.compared.is_some() && value.is_some();
            let expected = answers.get_mut(1).filter(|_| has_expected && outcomes[1].is_accepted());
            let right_answer = expected.map(std::mem::take);
            self.seen.push(PlayedCase { candidate, outcomes, loss, value, right_answer });
        }
        Ok(tried.stop)
    }

    /// Returns the value of a case, if it matches the goal.
    fn value(&self, candidate: &Candidate, outcomes: &[Outcome], loss: Option<f64>) -> Option<FoundValue> {
        // A fault of the judge gives no information about the solvers.
        if is_faulty(outcomes) {
            return None;
        }
        let own = &outcomes[0];
        let verdict = || FoundValue::Text(own.verdict.name().to_owned());
        let score = || own.score.as_ref().and_then(exact).map_or_else(verdict, FoundValue::Score);
        match &self.goal {
            SearchGoal::Failure => (!own.is_accepted()).then(verdict),
            SearchGoal::Time => Some(FoundValue::time(own.cpu?)),
            SearchGoal::Memory => Some(FoundValue::Bytes(own.memory?)),
            SearchGoal::Loss => match loss {
                Some(loss) => (loss > 0.0).then_some(FoundValue::Loss(loss)),
                // An answer that is not checked has no score.
                None if self.compared.is_some() => (!own.is_accepted()).then(verdict),
                // Without a reference, the worst score is found.
                None => Some(score()),
            },
            SearchGoal::Disagreement => self.disagreement(outcomes).map(FoundValue::Text),
            SearchGoal::Where(condition) => {
                let mut features = self.source.features(candidate);
                add_measures(&mut features, outcomes);
                condition.holds(&features).then(score)
            }
        }
    }

    /// Returns the results of both solvers if they disagree; the reason if the other's answer shows that the own is wrong.
    fn disagreement(&self, outcomes: &[Outcome]) -> Option<String> {
        let [own, other] = outcomes else { return None };
        if self.compared.is_some() && own.verdict == Verdict::WrongAnswer && other.is_accepted() {
            return Some(own.note.clone());
        }
        let said = |outcome: &Outcome| match (&outcome.score, outcome.is_accepted()) {
            (Some(score), _) if self.compared.is_none() || other.is_accepted() && own.is_accepted() => {
                score.to_string()
            }
            (_, true) => "an answer".to_owned(),
            (_, false) => outcome.verdict.name().to_owned(),
        };
        let is_same = own.verdict == other.verdict && own.score == other.score;
        (!is_same).then(|| format!("{} | {}", said(own), said(other)))
    }

    /// Returns the value that the search maximizes: the goal's value, or else the loss, or else the worse score. If
    /// nearly everything is lost, the small remaining share is most informative, so its logarithm counts.
    fn signal(&self, outcomes: &[Outcome], loss: Option<f64>, value: Option<&FoundValue>) -> f64 {
        match (&self.goal, value) {
            (SearchGoal::Time | SearchGoal::Memory, value) => value.map_or(0.0, FoundValue::size),
            (SearchGoal::Failure | SearchGoal::Disagreement | SearchGoal::Where(_), Some(_)) => self.highest_signal(),
            _ => match loss {
                Some(loss) => -(1.0 - loss).max(MIN_LEFT).ln(),
                None => {
                    let score = outcomes[0].score.as_ref().map(as_float);
                    score.map_or(0.0, |score| -sign(self.source.problem.direction) * score)
                }
            },
        }
    }

    /// A case that matches the goal counts as the best value so far, so that no value exceeds all others.
    fn highest_signal(&self) -> f64 {
        let signals = self.seen.iter().filter(|seen| seen.value.is_none());
        signals.map(|seen| self.signal(&seen.outcomes, seen.loss, None)).fold(1.0, f64::max)
    }

    /// Returns the loss as a share of the larger score: against the other solver, or the best known score of others.
    fn loss(&self, known: Option<&Score>, outcomes: &[Outcome]) -> Option<f64> {
        if is_faulty(outcomes) {
            return None;
        }
        let reference = match outcomes {
            [_, other] => other.score.as_ref(),
            _ => known,
        };
        match (&outcomes[0].score, reference) {
            (Some(_), None) if outcomes.len() > 1 => Some(0.0),
            (_, None) => None,
            (None, Some(_)) => Some(1.0),
            (Some(own), Some(reference)) => {
                Some(ScoreMeasure::Relative.effect(own, reference)? * sign(self.source.problem.direction))
            }
        }
    }

    /// Returns the cases found, the worst first, up to the requested number. If some cases have a score to compare with,
    /// only these count, because losses and scores cannot be in one order.
    fn worst(&self) -> Vec<&PlayedCase> {
        let has_reference = self.goal == SearchGoal::Loss && self.seen.iter().any(|seen| seen.loss.is_some());
        let is_found = |seen: &&PlayedCase| seen.value.is_some() && (!has_reference || seen.loss.is_some());
        let mut found: Vec<&PlayedCase> = self.seen.iter().filter(is_found).collect();
        // Stable: of equal ones, the first stays first.
        found.sort_by(|left, right| self.worse_first(left, right));
        found.truncate(self.args.top.get());
        found
    }

    fn worse_first(&self, left: &PlayedCase, right: &PlayedCase) -> Ordering {
        match &self.goal {
            SearchGoal::Failure | SearchGoal::Disagreement | SearchGoal::Where(_) => Ordering::Equal,
            SearchGoal::Loss if left.loss.is_none() => match (&left.outcomes[0].score, &right.outcomes[0].score) {
                (Some(left), Some(right)) => self.source.problem.direction.compare(left, right),
                // A failure is worse than any score.
                (left, right) => left.is_some().cmp(&right.is_some()),
            },
            _ => {
                let size = |seen: &PlayedCase| seen.value.as_ref().map_or(0.0, FoundValue::size);
                size(right).total_cmp(&size(left))
            }
        }
    }

    /// Closes the record, and reports the results.
    fn finish(mut self, stop: Option<Stop>) -> Result<Exit> {
        let has_faults = self.note_faults();
        if self.seen.is_empty() && self.source.makes_inputs() && stop.is_none() {
            judge_report::note(
                "no case was played: the validator refused the changed inputs, or the time was too short",
            );
        }
        let folder = self.folder.take();
        let found: Vec<&PlayedCase> = self.worst();
        let folder = folder.filter(|_| !found.is_empty());
        let saved = folder.map(|folder| folder.save(self.source.problem, &found, self.compared.is_some())).transpose();
        if let Ok(Some(playable)) = saved {
            self.note_saved(playable, found.len() - playable);
        }
        let cases: CaseList = self.seen.iter().map(|seen| seen.candidate.case.clone()).collect();
        let report = FindReport {
            problem: self.source.problem.id.clone(),
            solver: self.plan.solvers[0].spec.name.clone(),
            against: self.plan.solvers.get(1).map(|solver| solver.spec.name.clone()),
            goal: self.args.goal.join(" "),
            cases: self.seen.len(),
            runs: self.runs,
            interrupted: stop.is_some(),
            found: found.into_iter().map(|seen| self.found(seen)).collect(),
        };
        let plan = Plan { cases, ..self.plan };
        let mut grid = OutcomeGrid::new(plan.cases.len(), plan.solvers.len());
        for (case, seen) in self.seen.iter().enumerate() {
            seen.outcomes.iter().enumerate().for_each(|(solver, outcome)| grid.set(JobId { case, solver }, outcome));
        }
        self.session.finish(&plan, &grid, stop);
        let published = outputs::publish_document(self.args.json.as_deref(), &report, |style| report.text(style));
        Failure::check_all(saved.err().into_iter().chain(published.err()))?;
        Ok(match stop {
            Some(Stop::Interrupted) => Exit::Interrupted,
            _ if report.found.is_empty() && has_faults => Exit::Fault,
            _ if report.found.is_empty() => Exit::NotAccepted,
            _ => Exit::Success,
        })
    }

    /// Notes how to play the saved cases again.
    fn note_saved(&self, playable: usize, others: usize) {
        let folder = self.args.save.as_deref().unwrap_or(Path::new(""));
        if others > 0 {
            let cases = counted(others, "saved case");
            judge_report::note(&format!("{cases} without a known right answer: only the printed commands play them"));
        }
        if playable == 0 {
            return;
        }
        let problems = quote(&folder.join(save::CATALOGUE).to_string_lossy());
        let solvers = solver_flags(&self.plan, [self.args.solver.as_deref(), self.args.against.as_deref()], "-s");
        // The saved catalogue takes the place of the given one.
        let flags = without_flags(self.plan.case_flags.words().to_vec(), &[], &["--problems"]);
        let again = format!("judge run --problems {problems}{solvers} {}", quote_words(flags));
        judge_report::note(&format!("to play them again: {}", again.trim_end()));
    }

    fn found(&self, seen: &PlayedCase) -> FoundCase {
        let own = &seen.outcomes[0];
        let score = |outcome: &Outcome| outcome.score.as_ref().filter(|_| self.compared.is_none()).and_then(exact);
        let plan = Plan { cases: std::iter::once(seen.candidate.case.clone()).collect(), ..self.plan.clone() };
        let player = if self.compared.is_some() { Player::Reduce(self.kept(seen)) } else { Player::Run };
        FoundCase {
            case: seen.candidate.case.name.to_string(),
            value: seen.value.clone().unwrap_or(FoundValue::Loss(0.0)),
            verdict: own.verdict.name(),
            score: score(own),
            other_verdict: seen.outcomes.get(1).map(|other| other.verdict.name()),
            other_score: seen.outcomes.get(1).and_then(score),
            reproduce: again(&plan, [self.args.solver.as_deref(), self.args.against.as_deref()], &player),
        }
    }

    /// Returns the condition that `judge reduce` needs to keep what was found; `None` if it does so without one.
    fn kept(&self, seen: &PlayedCase) -> Option<String> {
        if let SearchGoal::Where(condition) = &self.goal {
            // Only a generator has parameters.
            let parameters = candidates::parameter_values(self.source.problem, &seen.candidate.case.source);
            let names = condition.names();
            if !parameters.iter().any(|(parameter, _)| names.contains(&&**parameter)) {
                return Some(condition.to_string());
            }
        }
        match &*seen.outcomes {
            [own] if own.is_accepted() => Some("accepted==1".to_owned()),
            [own, other] if !is_worse(self.source.problem.direction, own, other) => {
                let [own, other] = [own, other].map(|outcome| u8::from(outcome.is_accepted()));
                Some(format!("accepted=={own} && other_accepted=={other}"))
            }
            _ => None,
        }
    }
}

fn is_faulty(outcomes: &[Outcome]) -> bool {
    outcomes.iter().any(|outcome| outcome.verdict == Verdict::JudgeError)
}

/// Returns a number of any size as the nearest finite one, which is close enough for the search.
fn as_float(number: &impl ToString) -> f64 {
    number.to_string().parse::<f64>().unwrap_or_default().clamp(f64::MIN, f64::MAX)
}

/// Returns 1 where larger scores are better, else -1.
fn sign(direction: Direction) -> f64 {
    if direction == Direction::Max { 1.0 } else { -1.0 }
}
