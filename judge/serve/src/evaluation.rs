//! The method `evaluate`: a candidate on some cases, until the result is clear.

use crate::candidate::{Candidate, digest_of_text, id_of, name_of_text};
use crate::evaluator::Evaluator;
use crate::known::{Best, CaseKey, Row, Rows};
use crate::params::{EvaluateParams, SolverChoice};
use crate::problems::{ReadyProblem, case_keys, edited};
use crate::queue::{Progress, Task};
use crate::rpc::{Answer, Result, RpcError, json};
use crate::slots::LeasedPool;
use crate::stopping::{self, IncumbentComparison, Played};
use judge_compare::paired::MinEffect;
use judge_journal::RunEnd;
use judge_problem::{
    CaseList, Digest, FinishedJob, Invocation, JobId, Labels, OutcomeGrid, Plan, RunEvent, RunId, Solver, SolverSpec,
    Stop, Verdict,
};
use judge_report::{Document, Evaluation, RunReport, Versus};
use judge_run::runner::{LocalRunner, ResultStore, RunSettings, Signals, StoreLost};
use judge_session::{Failure, JournalOptions, MatchResult, Recorder, RunContext, restored_run, sandbox};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// In place of a candidate's id: the best one on the same cases.
const BEST: &str = "best";

/// A batch is at most one part in this many of the cases before it, unless the slots would not be filled: runs after the
/// deciding case are wasted.
const BATCH_SHARE: usize = 16;

/// Evaluates a candidate.
pub(crate) fn evaluate(evaluator: &Evaluator, params: &EvaluateParams, task: &Arc<Task>) -> Answer {
    task.check()?;
    let mut running = Running::begin(evaluator, params, task)?;
    match running.incumbent(params.against.as_deref())? {
        Some(incumbent) => running.play_against(&incumbent)?,
        None => {
            let missing = running.missing();
            running.play(&missing)?;
        }
    }
    running.finish()
}

/// An evaluation that is running.
struct Running<'a> {
    evaluator: &'a Evaluator,
    task: &'a Arc<Task>,
    problem: Arc<ReadyProblem>,
    /// The limits, as results are stored by them.
    limits_key: String,
    cases: CaseList,
    /// By case.
    keys: Vec<CaseKey>,
    choice: SolverChoice<'a>,
    candidate: Option<Arc<Candidate>>,
    /// The plan that is played or reported. It is copied once, with all that its problem holds.
    plan: Plan,
    /// The candidate's id.
    id: String,
    min_effect: Option<MinEffect>,
    /// Whether the features of cases are part of the answer. They are always remembered: a later request may compare.
    describes: bool,
    /// The candidate's results.
    rows: Rows,
    /// The jobs that were run for this request, with the places of their cases.
    finished: Vec<FinishedJob>,
    /// Bytes of answers in it.
    answer_bytes: usize,
    versus: Option<Versus>,
    /// The number of requested cases, if not all were played.
    stopped_of: Option<usize>,
    started: Instant,
}

/// How many jobs are stored at once.
const STORED_AT_ONCE: usize = 64;

/// The maximal number of bytes of answers that are kept until the record is written.
const MAX_ANSWER_BYTES: usize = 64 << 20;

impl<'a> Running<'a> {
    fn begin(evaluator: &'a Evaluator, params: &'a EvaluateParams, task: &'a Arc<Task>) -> Result<Self> {
        let started = Instant::now();
        let choice = params.solver.choice()?;
        let min_effect = params.min_effect.as_ref().map(|effect| effect.min_effect()).transpose()?;
        if min_effect.is_some() && params.against.is_none() {
            return Err(RpcError::params("params: `min_effect` needs `against`").with_hint("\"against\": \"best\""));
        }
        let problem = evaluator.problem(params.problem.as_deref())?;
        let limits = problem.limits(params.limits.as_ref())?;
        let case_key = case_keys(problem.problem());
        let cases = problem.cases(params.seeds.as_ref(), params.cases.as_deref(), &evaluator.hidden)?;
        let keys = cases.iter().map(|case| case_key(&cases, &case)).collect();
        let limits_key = format!("{limits:?}");
        let language = choice.language_of_file().map(str::to_owned);
        let plan = Plan { hand_over_answers: evaluator.records, ..problem.plan(limits, language) };
        let mut running = Self {
            evaluator,
            task,
            problem,
            limits_key,
            cases,
            keys,
            choice,
            candidate: None,
            plan,
            id: String::new(),
            min_effect,
            describes: params.against.is_some() || evaluator.records,
            rows: Rows::new(),
            finished: Vec::new(),
            answer_bytes: 0,
            versus: None,
            stopped_of: None,
            started,
        };
        running.id = match digest_of_text(&running.problem, choice) {
            Some(digest) => id_of(&digest),
            None => running.prepared()?.id.clone(),
        };
        if params.fresh != Some(true) {
            let conditions = running.conditions(&running.id);
            running.rows = evaluator.known.lock().rows(&conditions, &running.keys);
        }
        Ok(running)
    }

    /// Returns the candidate, which is prepared when it is first needed.
    fn prepared(&mut self) -> Result<Arc<Candidate>> {
        if let Some(candidate) = &self.candidate {
            return Ok(Arc::clone(candidate));
        }
        let made = self.evaluator.prepare(&self.problem, self.choice, &self.plan.limits, self.task)?;
        self.candidate = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Returns the key under which a candidate's results are stored.
    fn conditions(&self, candidate: &str) -> Digest {
        let problem = &self.problem;
        let parts: [&str; 4] = [candidate, &problem.problem().id, &problem.identity, &self.limits_key];
        Digest::of_parts(parts.map(str::as_bytes))
    }

    /// Returns the key under which the best candidate is stored.
    fn set(&self) -> Digest {
        let mut cases: Vec<Digest> = self.keys.iter().map(CaseKey::digest).collect();
        cases.sort_unstable();
        let conditions = self.conditions("");
        Digest::of_parts(std::iter::once(&conditions).chain(&cases).map(|digest| &digest.0[..]))
    }

    /// Returns the candidate to compare with, if there is one.
    fn incumbent(&self, against: Option<&str>) -> Result<Option<Best>> {
        let mut known = self.evaluator.known.lock();
        match against {
            None => Ok(None),
            Some(BEST) => Ok(known.best(&self.set())),
            Some(id) => {
                let rows = known.rows(&self.conditions(id), &self.keys);
                if rows.is_empty() {
                    let error = format!("params.against: no results of a candidate `{id}` on these cases are known");
                    return Err(RpcError::params(error).with_hint("evaluate it first, or take \"best\""));
                }
                Ok(Some(Best { candidate: id.to_owned(), rows: Arc::new(rows) }))
            }
        }
    }

    /// Returns the places of the cases without a result.
    fn missing(&self) -> Vec<usize> {
        (0..self.keys.len()).filter(|&place| !self.rows.contains_key(&self.keys[place])).collect()
    }

    /// Plays the cases in an order that is the same for all candidates, until it is certain that the incumbent stays
    /// the best.
    fn play_against(&mut self, incumbent: &Best) -> Result<()> {
        let known = (0..self.keys.len()).filter_map(|place| {
            let row = incumbent.rows.get(&self.keys[place])?;
            Some(Played { place, case: self.cases.at(place), rows: [row, row].map(Arc::clone) })
        });
        let known: Vec<Played> = known.filter(|played| !is_fault(&played.rows[0])).collect();
        let mut comparison = IncumbentComparison::new(
            self.comparison_plan(incumbent),
            &known,
            self.keys.len(),
            self.min_effect.as_ref(),
        )?;
        let order = comparison.order(&self.keys.iter().map(CaseKey::digest).collect::<Vec<_>>());
        let mut next = 0;
        let mut is_over = false;
        while next < order.len() && !is_over {
            let size = self.evaluator.settings.jobs.get().max(next / BATCH_SHARE);
            let (count, missing) = self.batch(&order[next..], size);
            self.play(&missing)?;
            order[next..next + count].iter().for_each(|&place| self.add_pair(&mut comparison, incumbent, place));
            next += count;
            is_over = comparison.is_over()?;
        }
        // Results that were already known are part of the answer.
        let is_whole = self.missing().is_empty();
        if is_whole {
            order[next..].iter().for_each(|&place| self.add_pair(&mut comparison, incumbent, place));
        }
        self.versus = Some(comparison.versus(&incumbent.candidate, is_whole)?);
        self.stopped_of = (!is_whole).then_some(self.keys.len());
        Ok(())
    }

    /// Returns how many of the next cases are looked at together, and which of them are played for that. Results that
    /// are known are looked at first, because they may decide.
    fn batch(&self, order: &[usize], size: usize) -> (usize, Vec<usize>) {
        let is_missing = |place: usize| !self.rows.contains_key(&self.keys[place]);
        let turns: Vec<usize> = (0..order.len()).filter(|&turn| is_missing(order[turn])).take(size).collect();
        match turns.first() {
            None => (order.len(), Vec::new()),
            Some(&known) if known > 0 => (known, Vec::new()),
            Some(_) => (turns[turns.len() - 1] + 1, turns.iter().map(|&turn| order[turn]).collect()),
        }
    }

    /// Returns the plan of the incumbent and the candidate, without cases.
    fn comparison_plan(&self, incumbent: &Best) -> Plan {
        let names = [format!("incumbent {}", incumbent.candidate), "candidate".to_owned()];
        let solvers = names.map(|name| known_by_results(name, String::new()));
        Plan { solvers: solvers.to_vec(), cases: CaseList::default(), ..self.plan.clone() }
    }

    /// Adds a case, if both have played it. Faults of the judge give no information about either.
    fn add_pair(&self, comparison: &mut IncumbentComparison, incumbent: &Best, place: usize) {
        let key = &self.keys[place];
        let (Some(other), Some(own)) = (incumbent.rows.get(key), self.rows.get(key)) else { return };
        match [other, own] {
            rows if rows.iter().any(|row| is_fault(row)) => comparison.leave_out(place),
            rows => comparison.add(Played { place, case: self.cases.at(place), rows: rows.map(Arc::clone) }),
        }
    }

    /// Returns the plan of a solver on these of the cases.
    fn plan_of(&mut self, solver: Solver, places: &[usize]) -> &Plan {
        let mut cases: CaseList = places.iter().map(|&place| self.cases.at(place)).collect();
        cases.share_read_files(&self.cases);
        (self.plan.solvers, self.plan.cases) = (vec![solver], cases);
        &self.plan
    }

    /// Plays the candidate on these of the cases.
    fn play(&mut self, places: &[usize]) -> Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let candidate = self.prepared()?;
        self.plan_of(candidate.solver.clone(), places);
        let (known, cases) = (self.rows.len(), self.keys.len());
        let show_progress = |done: usize| self.task.progress(Progress { state: "running", done: known + done, cases });
        let jobs = play(self.evaluator, &self.plan, true, self.task, show_progress)?;
        for mut finished in jobs {
            let place = places[finished.job.case];
            finished.job = JobId { case: place, solver: 0 };
            finished.outcome = candidate.shown(finished.outcome);
            let (outcome, features, input) =
                (finished.outcome.clone(), finished.features.clone(), finished.evidence.input);
            self.rows.insert(self.keys[place].clone(), Arc::new(Row { outcome, features, input }));
            if self.evaluator.records {
                let bytes = finished.evidence.answer.as_ref().map_or(0, Vec::len);
                self.answer_bytes = self.answer_bytes.saturating_add(bytes);
                if self.answer_bytes > MAX_ANSWER_BYTES {
                    finished.evidence.answer = None;
                }
            }
            self.finished.push(finished);
        }
        Ok(())
    }

    /// Fails if a program or an answer file was edited while the cases were played.
    fn refuse_edited(&self) -> Result<()> {
        let Some(candidate) = self.candidate.as_ref().filter(|_| !self.finished.is_empty()) else { return Ok(()) };
        if candidate.is_edited(&self.problem, self.choice, &self.id) {
            return Err(edited("candidate"));
        }
        self.evaluator.refuse_edited(&self.problem)?;
        let case_key = case_keys(self.problem.problem());
        let mut played = self.finished.iter().map(|finished| finished.job.case);
        match played.all(|place| case_key(&self.cases, &self.cases.at(place)) == self.keys[place]) {
            true => Ok(()),
            false => Err(edited("answer of a case")),
        }
    }

    /// Stores the results, and answers.
    fn finish(mut self) -> Answer {
        let elapsed = self.started.elapsed();
        self.refuse_edited()?;
        // Several cases may share an input, and so a row.
        let answered = self.keys.iter().filter(|key| self.rows.contains_key(key)).count();
        self.evaluator.counters.count(1, runs(&self.finished), answered.saturating_sub(self.finished.len()));
        let run = self.record(elapsed)?;
        self.remember();
        let is_best = self.stopped_of.is_none() && self.is_best()?;
        self.answer(elapsed, run, is_best)
    }

    fn answer(&mut self, elapsed: Duration, run: Option<RunId>, is_best: bool) -> Answer {
        let solver = match &self.candidate {
            Some(candidate) => candidate.solver.clone(),
            None => known_by_results("candidate".to_owned(), name_of_text(&self.problem, self.choice)?),
        };
        let played: Vec<usize> = (0..self.keys.len()).filter(|&at| self.rows.contains_key(&self.keys[at])).collect();
        self.plan_of(solver, &played);
        let plan = &self.plan;
        let rows: Vec<&Arc<Row>> = played.iter().filter_map(|&place| self.rows.get(&self.keys[place])).collect();
        let mut outcomes = OutcomeGrid::new(0, 1);
        rows.iter().for_each(|row| outcomes.add_case([Some(row.outcome.clone())]));
        let features = rows.iter().map(|row| row.features.clone().filter(|_| self.describes));
        let features: Vec<_> = features.collect();
        let scored = restored_run::score(plan, &outcomes, &features, None).map_err(Failure::from)?;
        let gaps = sandbox::gaps(self.evaluator.sandbox.gaps());
        let provenance = judge_problem::Provenance::default();
        let report = RunReport {
            plan,
            outcomes: &outcomes,
            scored: &scored,
            features: &features,
            pareto: None,
            every_row: true,
            order: None,
            stop: None,
            detached: None,
            provenance: &provenance,
            elapsed,
            jobs: self.evaluator.settings.jobs.get(),
            tier: self.evaluator.sandbox.tier(),
            gaps: Some(&gaps),
            message: None,
            labels: &Labels::default(),
        };
        let evaluation = Evaluation {
            report: &report,
            candidate: &self.id,
            versus: self.versus.as_ref(),
            stopped_of: self.stopped_of,
            runs: runs(&self.finished),
            is_best,
            run,
        };
        Ok(json(&evaluation.record()))
    }

    /// Keeps the new results, but for faults of the judge.
    fn remember(&self) {
        let new = self.finished.iter().filter_map(|finished| self.rows.get_key_value(&self.keys[finished.job.case]));
        let new: Rows =
            new.filter(|(_, row)| !is_fault(row)).map(|(key, row)| (key.clone(), Arc::clone(row))).collect();
        if !new.is_empty() {
            self.evaluator.known.lock().add(self.conditions(&self.id), &new);
        }
    }

    /// Makes the candidate the best one on these cases, if it is better than the best so far. Returns whether it is the
    /// best. If it is already, its better results stay, and others are compared with them. One that solves nothing is kept for the next
    /// candidates to be compared with, but never the best.
    fn is_best(&self) -> Result<bool> {
        if self.rows.values().any(|row| is_fault(row)) {
            return Ok(false);
        }
        let set = self.set();
        loop {
            let best = self.evaluator.known.lock().best(&set);
            let is_better = match &best {
                Some(best) if best.candidate == self.id && !self.beats(best)? => return Ok(solves(&best.rows)),
                Some(best) => self.beats(best)?,
                None => self.beats(&Best { candidate: String::new(), rows: Arc::default() })?,
            };
            if !is_better {
                return Ok(false);
            }
            let mut known = self.evaluator.known.lock();
            // Another request may have been faster.
            let is_unchanged = match (&best, &known.best(&set)) {
                (None, None) => true,
                (Some(then), Some(now)) => Arc::ptr_eq(&then.rows, &now.rows),
                _ => false,
            };
            if is_unchanged {
                known.set_best(set, Best { candidate: self.id.clone(), rows: Arc::new(self.rows.clone()) });
                return Ok(solves(&self.rows));
            }
        }
    }

    /// Returns whether the candidate is better than another by the problem's rule, on all cases. The first candidate with a total is better
    /// than one that has played nothing.
    fn beats(&self, other: &Best) -> Result<bool> {
        let mut both = MatchResult::unplayed(self.comparison_plan(other));
        for (place, key) in self.keys.iter().enumerate() {
            both.plan.cases.push(self.cases.at(place));
            both.outcomes.add_case([&other.rows, &self.rows].map(|rows| Some(rows.get(key)?.outcome.clone())));
            both.inputs.push(None);
        }
        Ok(stopping::is_better(&both)?)
    }

    /// Records the results of the jobs that were run, if results are recorded.
    fn record(&mut self, elapsed: Duration) -> Result<Option<RunId>> {
        if !self.evaluator.records || self.finished.is_empty() {
            return Ok(None);
        }
        let candidate = self.prepared()?;
        let mut places: Vec<usize> = match self.stopped_of {
            // The run has all its cases, without results after the stop.
            Some(all) => (0..all).collect(),
            None => self.finished.iter().map(|finished| finished.job.case).collect(),
        };
        places.sort_unstable();
        let jobs = self.finished.iter_mut().map(|finished| {
            let case = places.partition_point(|&place| place < finished.job.case);
            let evidence = std::mem::take(&mut finished.evidence);
            FinishedJob { job: JobId { case, solver: 0 }, evidence, ..finished.clone() }
        });
        let jobs: Vec<FinishedJob> = jobs.collect();
        self.plan_of(candidate.solver.clone(), &places);
        Ok(Some(self.store(&candidate, &jobs, elapsed)?))
    }

    /// Stores the run of the current plan in the journal, and returns its number.
    fn store(&self, candidate: &Candidate, jobs: &[FinishedJob], elapsed: Duration) -> Result<RunId, Failure> {
        let (evaluator, plan) = (self.evaluator, &self.plan);
        let pool = LeasedPool { slots: Arc::clone(&evaluator.slots), task: Arc::clone(self.task) };
        let runner = LocalRunner::new(pool, evaluator.settings.clone(), || ());
        let context = RunContext::new(&self.problem.catalogue, plan, &candidate.toolbox, &runner);
        let context = RunContext { language: candidate.language.as_deref(), ..context };
        let mut outcomes = OutcomeGrid::new(plan.cases.len(), 1);
        jobs.iter().for_each(|finished| outcomes.set(finished.job, &finished.outcome));
        let scored = restored_run::score(plan, &outcomes, &[], None)?;
        let lost = |StoreLost(why)| Failure::fault(why);
        let _one_writer = evaluator.journal_lock.lock();
        let recorder = Recorder::start(JournalOptions::RECORDED, &context)?;
        if !recorder.is_active() {
            // The recorder has printed the reason on standard error.
            return Err(Failure::fault("the result cannot be recorded in the journal"));
        }
        recorder.store_start().map_err(lost)?;
        for batch in jobs.chunks(STORED_AT_ONCE) {
            recorder.store(batch).map_err(lost)?;
        }
        let stop = self.stopped_of.map(|_| Stop::FailFast);
        let end = RunEnd::of(&scored, stop, elapsed);
        recorder.finish(&end).ok_or_else(|| Failure::fault("the end of the run cannot be recorded in the journal"))
    }
}

/// Returns how often a program was run for these jobs: one that did not compile was not.
pub(crate) fn runs(jobs: &[FinishedJob]) -> usize {
    jobs.iter().filter(|finished| finished.outcome.wall.is_some()).count()
}

/// Returns whether a result is a fault of the judge.
fn is_fault(row: &Row) -> bool {
    row.outcome.verdict == Verdict::JudgeError
}

/// Returns whether any of these results is accepted.
fn solves(rows: &Rows) -> bool {
    rows.values().any(|row| row.outcome.is_accepted())
}

/// Returns a solver that is known only by its results.
fn known_by_results(name: String, text: String) -> Solver {
    Solver::new(SolverSpec { name, text }, Invocation::CannotStart("its results are known".to_owned()))
}

/// Plays a plan in leased slots, until its end or until the task is cancelled. `show_progress` gets the number of finished jobs.
pub(crate) fn play(
    evaluator: &Evaluator,
    plan: &Plan,
    describe: bool,
    task: &Arc<Task>,
    show_progress: impl Fn(usize),
) -> Result<Vec<FinishedJob>> {
    let settings = RunSettings { describe, ..evaluator.settings.clone() };
    let pool = LeasedPool { slots: Arc::clone(&evaluator.slots), task: Arc::clone(task) };
    let runner = LocalRunner::new(pool, settings, || ());
    if plan.job_count() == 1 {
        // Most evaluations of a search are short, and threads for one case would take as long as some of them.
        let finished = runner.run_one(plan, &Unstored(evaluator.records), |stop| task.on_cancel(move || stop.stop()));
        task.check()?;
        return Ok(finished.map_err(Failure::from)?.into_iter().collect());
    }
    let (signals, stop) = Signals::by_request();
    let hook = task.on_cancel(stop);
    let mut finished = Vec::new();
    let mut watch = |event: &RunEvent| {
        if let RunEvent::Finished(job) = event {
            finished.push((**job).clone());
            show_progress(finished.len());
        }
    };
    let result = runner.run_until(plan, &Unstored(evaluator.records), &mut watch, signals);
    drop(hook);
    task.check()?;
    result.map_err(Failure::from)?;
    Ok(finished)
}

/// Stores nothing, because results are recorded together at the end of the evaluation.
struct Unstored(bool);

impl ResultStore for Unstored {
    fn is_active(&self) -> bool {
        self.0
    }

    fn store(&self, _batch: &[FinishedJob]) -> Result<(), StoreLost> {
        Ok(())
    }
}
