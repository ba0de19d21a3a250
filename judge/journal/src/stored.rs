//! Reads recorded runs: a complete run, the scores that its scores are relative to, the origins of its results, and
//! earlier results that are still valid.

use super::columns::{count, is_fault, limits, machine, named, nodes, query_all, query_first, read_score, score, time};
use super::error::{JournalError, Result, shortened};
use super::history::read_points;
use super::rows::{StoredPath, rows_of};
use super::store::Journal;
use judge_problem::{
    BestOrigin, BestSource, BrokenRule, CaseList, CaseName, CaseResult, CaseSource, CaseSpec, CheckerIdentity, Digest,
    Direction, Invocation, JobId, KnownBest, KnownOutcome, Labels, Node, NodeList, Origin, Outcome, Plan, Problem,
    Provenance, Repetitions, RunChoice, RunId, RunState, Shard, StoredCase, StoredCases, StoredEntrant, StoredFeatures,
    StoredOutcome, StoredResult, StoredRun, Verdict,
};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Connection, Row, Rows, params};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Journal {
    /// Returns the id of the requested run.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn choose(&self, choice: RunChoice) -> Result<RunId> {
        match choice {
            RunChoice::Number(run) => Ok(run),
            RunChoice::Last => self.newest()?.ok_or(JournalError::NoRunYet),
        }
    }

    /// Returns the newest run; `None` if there is none yet.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn newest(&self) -> Result<Option<RunId>> {
        let newest: Option<i64> = self.connection.query_row("SELECT max(id) FROM run", [], |row| row.get(0))?;
        Ok(newest.map(RunId))
    }

    /// Returns a complete run.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn stored_run(&self, id: RunId) -> Result<StoredRun> {
        let mut run = self.stored_head(id)?;
        let reference = self.reference(id)?;
        run.cases = self.stored_cases(&mut run, reference.as_ref())?;
        run.reference = reference.map(|reference| reference.source);
        Ok(run)
    }

    /// Returns the results of a problem's case in all runs, the newest first and at most this many.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn results_of_case(&self, problem: &str, name: &str, newest: usize) -> Result<Vec<CaseResult>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT run.id, run.started, run.message, entrant.name, game_case.input, result.answer IS NOT NULL, {OUTCOME}
             FROM run CROSS JOIN entrant ON entrant.run = run.id CROSS JOIN result ON result.entrant = entrant.id
                 CROSS JOIN game_case ON game_case.id = result.game_case
             WHERE run.problem = ?1 AND result.game_case IN (
                 SELECT game_case.id
                 FROM (SELECT DISTINCT checker, checker_version FROM run WHERE problem = ?1) AS rules
                     CROSS JOIN game_case ON game_case.problem = ?1 AND game_case.checker = rules.checker
                         AND game_case.checker_version = rules.checker_version AND game_case.name = ?2)
             ORDER BY run.id DESC, entrant.place LIMIT ?3"
        ))?;
        let newest = i64::try_from(newest).unwrap_or(i64::MAX);
        let results = statement.query_and_then(params![problem, name, newest], |row| {
            Ok(CaseResult {
                run: RunId(row.get(0)?),
                started: row.get(1)?,
                message: row.get(2)?,
                solver: row.get(3)?,
                input: <[u8; 32]>::try_from(row.get::<_, Vec<u8>>(4)?).ok().map(Digest),
                has_answer: row.get(5)?,
                outcome: read_outcome(row, 6)?,
            })
        })?;
        results.collect()
    }

    /// Returns a run without its cases.
    pub(super) fn stored_head(&self, id: RunId) -> Result<StoredRun> {
        let sql = "SELECT state, started, elapsed_us, command, problem, checker, checker_version, cpu_limit_us, wall_limit_us,
                 memory_limit, output_limit, process_limit, environment, case_count, jobs, tier, host, kernel, cpu_model,
                 git_commit, git_dirty, judge, message, conditions = zeroblob(32) FROM run WHERE id = ?1";
        let run = self.row_of_run(id, sql, |row, state| Self::read_run(id, state, row))?;
        let mut run = run.ok_or(JournalError::NoRun(id))?;
        run.labels = self.labels(id)?;
        run.origins = self.origins(id)?;
        let sql = "SELECT name, command, hash, total FROM entrant WHERE run = ?1 ORDER BY place";
        run.entrants = query_all(&self.connection, sql, [id.0], |row| {
            let total = row.get::<_, Option<String>>(3)?.as_deref().and_then(read_points);
            Ok(StoredEntrant { name: row.get(0)?, command: row.get(1)?, hash: Digest(row.get(2)?), total })
        })?;
        run.provenance.nodes = nodes(&self.connection, id)?.into_iter().collect();
        Ok(run)
    }

    /// Returns the runs whose results a merged run contains, in the order of their shards. Empty for a run that was
    /// recorded here.
    pub(super) fn origins(&self, run: RunId) -> rusqlite::Result<Vec<Origin>> {
        origins(&self.connection, "run = ?1 ORDER BY shards, shard, started, uid", run.0)
    }

    fn read_run(id: RunId, state: RunState, row: &Row<'_>) -> rusqlite::Result<StoredRun> {
        Ok(StoredRun {
            id,
            provenance: Provenance {
                started: row.get(1)?,
                command: row.get(3)?,
                machine: machine(row, 16)?,
                ..Provenance::default()
            },
            state,
            detached: None,
            elapsed: time(row, 2)?.unwrap_or_default(),
            problem: row.get(4)?,
            checker: CheckerIdentity { name: row.get(5)?, version: row.get(6)? },
            limits: limits(row, 7)?,
            environment: row.get(12)?,
            case_count: count(row, 13)?,
            jobs: count(row, 14)?,
            tier: named(row, 15)?,
            git_commit: row.get(19)?,
            git_dirty: row.get(20)?,
            judge: row.get(21)?,
            message: row.get(22)?,
            is_disowned: row.get(23)?,
            labels: Labels::default(),
            origins: Vec::new(),
            reference: None,
            entrants: Vec::new(),
            cases: StoredCases::default(),
        })
    }

    /// The results of each solver are stored in the order of the cases, so the results of several solvers are merged
    /// without sorting.
    fn stored_cases(&self, run: &mut StoredRun, reference: Option<&Reference>) -> Result<StoredCases> {
        let (id, solvers) = (run.id, run.entrants.len());
        let mut machines = OriginMachines::of(&self.connection, id, &mut run.provenance.nodes)?;
        let entrants = rows_of(&self.connection, id)?.entrants;
        let prepare = |_: &i64| {
            self.connection.prepare(&format!(
                "SELECT place, name, input, seed, file, features, answer, origin, {OUTCOME}
                 FROM result CROSS JOIN game_case ON game_case.id = result.game_case
                 WHERE entrant = ?1 ORDER BY place",
            ))
        };
        let mut statements = entrants.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let mut results = Vec::new();
        for (statement, entrant) in statements.iter_mut().zip(&entrants) {
            let mut rows = statement.query([entrant])?;
            rows.advance()?;
            results.push(rows);
        }
        let mut cases = StoredCases::new(solvers);
        while let Some(place) = first_place(&results)? {
            let best = reference.zip(usize::try_from(place).ok()).and_then(|(reference, place)| reference.at(place));
            let mut case: Option<StoredCase> = None;
            for (solver, rows) in results.iter_mut().enumerate() {
                let Some(row) = rows.get() else { continue };
                if row.get::<_, i64>(0)? != place {
                    continue;
                }
                let case = match &mut case {
                    Some(case) if case.input.is_some() => case,
                    // A solver that did not compile has no input of its cases.
                    unknown => {
                        let read = read_case(row, solvers)?;
                        let results = unknown.take().map_or(read.results, |case| case.results);
                        unknown.insert(StoredCase { results, ..read })
                    }
                };
                let mut outcome = read_outcome(row, 8)?;
                if outcome.node.is_none() {
                    outcome.node = machines.name(row.get(7)?);
                }
                case.results[solver] = Some(StoredOutcome { outcome, answer: row.get(6)? });
                rows.advance()?;
            }
            if let Some(case) = case {
                cases.push(StoredCase { spec: CaseSpec { best, ..case.spec }, ..case });
            }
        }
        Ok(cases)
    }

    /// Returns the best scores that a run's scores are relative to; `None` under a rule without best scores.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn reference(&self, run: RunId) -> Result<Option<Reference>> {
        let sql = "SELECT reference FROM run WHERE id = ?1";
        let source: Option<Option<String>> = query_first(&self.connection, sql, [run.0], |row| row.get(0))?;
        let Some(source) = source.ok_or(JournalError::NoRun(run))? else { return Ok(None) };
        let sql = "SELECT place, score, origin, solver, of_run FROM known_best WHERE run = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut solvers = HashMap::new();
        let scores = statement.query_and_then([run.0], |row| {
            Ok((row.get(0)?, KnownBest { score: score(row, 1)?, origin: read_best_origin(row, &mut solvers)? }))
        })?;
        let scores = scores.collect::<Result<_>>()?;
        Ok(Some(Reference { source: BestSource::new(Path::new(&source), Path::new("")), scores }))
    }

    /// Adds the best scores that the scores of another journal's run are relative to. If several runs have a score for
    /// a case, the best one is kept, in any order of merging.
    pub(super) fn merge_reference(&self, run: RunId, theirs: Reference) -> Result<()> {
        let sql = "SELECT direction FROM run WHERE id = ?1";
        let direction: Direction = self.connection.query_row(sql, [run.0], |row| named(row, 0))?;
        let own = self.reference(run)?;
        let own = own.unwrap_or_else(|| Reference { source: theirs.source.clone(), scores: HashMap::new() });
        // Of several names, the first in alphabetical order.
        let source = own.source.to_string().min(theirs.source.to_string());
        self.connection.execute("UPDATE run SET reference = ?2 WHERE id = ?1", params![run.0, source])?;
        for (place, KnownBest { score, origin }) in theirs.scores {
            let origin = match origin {
                // Its number belongs to the other journal.
                BestOrigin::Run(_, solver) => BestOrigin::Imported(solver),
                origin => origin,
            };
            let known = KnownBest { score, origin };
            let is_better = own.scores.get(&place).is_none_or(|own| {
                direction.compare(&known.score, &own.score).then_with(|| own.origin.cmp(&known.origin)).is_gt()
            });
            if is_better {
                insert_known_best(&self.connection, run, place, &known)?;
            }
        }
        Ok(())
    }
}

/// Returns the lowest place among the next results of all solvers.
fn first_place(results: &[Rows<'_>]) -> Result<Option<i64>> {
    let places = results.iter().filter_map(Rows::get).map(|row| row.get(0));
    Ok(places.collect::<Result<Vec<i64>, _>>()?.into_iter().min())
}

fn read_case(row: &Row<'_>, solvers: usize) -> Result<StoredCase> {
    let name: String = row.get(1)?;
    let (seed, file): (Option<String>, Option<StoredPath>) = (row.get(3)?, row.get(4)?);
    let made =
        |seed: &String| seed.parse().map(CaseSource::Seed).ok().or_else(|| seed.parse().map(CaseSource::Made).ok());
    let source = match (seed.as_ref().map(made), file) {
        (Some(Some(source)), _) => source,
        (None, Some(StoredPath(file))) => CaseSource::File(file),
        _ => {
            return Err(JournalError::Damaged(format!(
                "the case `{}` has neither a seed nor a file",
                shortened(&name)
            )));
        }
    };
    let spec = CaseSpec::new(CaseName::from(&*name), source);
    let features = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?.and_then(StoredFeatures::from_line);
    Ok(StoredCase { spec, input: input(row, 2)?, features, results: vec![None; solvers] })
}

/// The stored hash is empty if there was no input.
fn input(row: &Row<'_>, column: usize) -> Result<Option<Digest>> {
    let bytes: Vec<u8> = row.get(column)?;
    match <[u8; 32]>::try_from(bytes) {
        Ok(hash) => Ok(Some(Digest(hash))),
        Err(bytes) if bytes.is_empty() => Ok(None),
        Err(bytes) => Err(JournalError::Damaged(format!("a hash of {} bytes", bytes.len()))),
    }
}

/// The columns of an outcome.
pub(super) const OUTCOME: &str = "result.verdict, result.score, result.cpu_us, result.wall_us, result.memory, result.noisy,
    result.note, result.stderr, result.broken_line, result.broken_column, result.broken_move, result.broken_rule, result.node,
    result.waited_us, result.metrics";

/// Reads the columns of an [`OUTCOME`], starting at `first`.
pub(super) fn read_outcome(row: &Row<'_>, first: usize) -> Result<Outcome> {
    let verdict: String = row.get(first)?;
    Ok(Outcome {
        verdict: Verdict::from_name(&verdict)
            .ok_or_else(|| JournalError::Damaged(format!("there is no verdict `{}`", shortened(&verdict))))?,
        score: row.get_ref(first + 1)?.as_str_or_null().map_err(rusqlite::Error::from)?.map(read_score).transpose()?,
        cpu: time(row, first + 2)?,
        wall: time(row, first + 3)?,
        memory: row.get(first + 4)?,
        noisy: row.get(first + 5)?,
        note: row.get(first + 6)?,
        stderr: row.get(first + 7)?,
        broken: BrokenRule {
            line: row.get(first + 8)?,
            column: row.get(first + 9)?,
            step: row.get(first + 10)?,
            rule: row.get(first + 11)?,
        },
        node: row.get(first + 12)?,
        waited: time(row, first + 13)?,
        metrics: row.get::<_, Option<String>>(first + 14)?.unwrap_or_default().into(),
    })
}

/// The machines whose results a run contains, by origin; `None` is the run itself. They have names if there are
/// several.
struct OriginMachines<'a> {
    machines: HashMap<Option<i64>, Node>,
    nodes: &'a mut NodeList,
    /// Their names among the nodes.
    names: HashMap<Option<i64>, String>,
}

impl<'a> OriginMachines<'a> {
    /// Returns the machines of a run. They are added to its nodes.
    pub(super) fn of(connection: &Connection, run: RunId, nodes: &'a mut NodeList) -> rusqlite::Result<Self> {
        let sql = "SELECT id, host, kernel, cpu_model, tier FROM origin WHERE run = ?1
             UNION ALL SELECT NULL, host, kernel, cpu_model, tier FROM run WHERE id = ?1 AND NOT merged";
        let node = |row: &Row<'_>| {
            let machine = machine(row, 1)?;
            Ok((row.get(0)?, Node { name: machine.host.clone(), machine, tier: named(row, 4)?, load: None }))
        };
        let mut machines: HashMap<Option<i64>, Node> = query_all(connection, sql, [run.0], node)?.into_iter().collect();
        if machines.values().collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1]) {
            machines.clear();
        }
        Ok(Self { machines, nodes, names: HashMap::new() })
    }

    /// Returns the name of the machine where a result of this origin was found; `None` if all results come from one
    /// machine.
    pub(super) fn name(&mut self, origin: Option<i64>) -> Option<String> {
        let machine = self.machines.get(&origin)?;
        Some(self.names.entry(origin).or_insert_with(|| self.nodes.add(machine.clone())).clone())
    }
}

/// Returns the origins that a condition on this key selects.
pub(super) fn origins(connection: &Connection, which: &str, key: i64) -> rusqlite::Result<Vec<Origin>> {
    let sql = format!(
        "SELECT shard, shards, started, state, elapsed_us, command, played, results, jobs, tier, host, kernel,
             cpu_model, judge, file FROM origin WHERE {which}"
    );
    query_all(connection, &sql, [key], read_origin)
}

fn read_origin(row: &Row<'_>) -> rusqlite::Result<Origin> {
    let shard: (Option<u32>, Option<u32>) = (row.get(0)?, row.get(1)?);
    Ok(Origin {
        shard: shard.0.zip(shard.1).and_then(|(number, count)| Shard::new(number, count).ok()),
        started: row.get(2)?,
        state: named(row, 3)?,
        elapsed: time(row, 4)?.unwrap_or_default(),
        command: row.get(5)?,
        played: count(row, 6)?,
        results: count(row, 7)?,
        jobs: count(row, 8)?,
        tier: named(row, 9)?,
        machine: machine(row, 10)?,
        judge: row.get(13)?,
        file: PathBuf::from(row.get::<_, String>(14)?),
    })
}

/// The best known scores that a run's scores are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Which best scores were taken.
    pub source: BestSource,
    /// By the place of the case in the run.
    pub scores: HashMap<usize, KnownBest>,
}

impl Reference {
    /// Returns the best known score of the case at a place of the run.
    pub fn at(&self, place: usize) -> Option<KnownBest> {
        self.scores.get(&place).cloned()
    }

    /// Scores a problem's run relative to this. `cases` are all cases of the run.
    pub fn apply(&self, problem: &mut Problem, cases: &mut CaseList) {
        problem.best = self.source.clone();
        if self.scores.is_empty() && cases.listed().all(|case| case.best.is_none()) {
            return;
        }
        let with_best = |(place, case)| CaseSpec { best: self.at(place), ..case };
        let mut changed: CaseList = cases.iter().enumerate().map(with_best).collect();
        changed.share_read_files(cases);
        *cases = changed;
    }
}

/// Reads the origin of a score. `solvers` are the names that were read so far.
fn read_best_origin(row: &Row<'_>, solvers: &mut HashMap<String, Arc<str>>) -> Result<BestOrigin> {
    let mut solver = || -> rusqlite::Result<Arc<str>> {
        let name: String = row.get(3)?;
        Ok(Arc::clone(solvers.entry(name).or_insert_with_key(|name| Arc::from(&**name))))
    };
    Ok(match row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)? {
        "problem" => BestOrigin::Problem,
        "file" => BestOrigin::File,
        "run" => BestOrigin::Run(RunId(row.get(4)?), solver()?),
        "imported" => BestOrigin::Imported(solver()?),
        other => return Err(JournalError::Damaged(format!("there is no origin of best scores `{other}`"))),
    })
}

/// Stores the best scores that a run's scores are relative to. The first of these cases has this place in the run.
pub(super) fn write_reference(
    connection: &Connection,
    run: RunId,
    problem: &Problem,
    first: usize,
    cases: &CaseList,
) -> rusqlite::Result<()> {
    if !problem.scoring.has_reference() {
        return Ok(());
    }
    connection.execute(
        "UPDATE run SET reference = ?2 WHERE id = ?1 AND reference IS NULL",
        params![run.0, problem.best.to_string()],
    )?;
    if cases.listed().all(|case| case.best.is_none()) {
        return Ok(());
    }
    for (place, case) in (first..).zip(cases.iter()) {
        if let Some(known) = &case.best {
            insert_known_best(connection, run, place, known)?;
        }
    }
    Ok(())
}

fn insert_known_best(connection: &Connection, run: RunId, place: usize, known: &KnownBest) -> rusqlite::Result<()> {
    let (origin, solver, of_run) = match &known.origin {
        BestOrigin::Problem => ("problem", None, None),
        BestOrigin::File => ("file", None, None),
        BestOrigin::Run(run, solver) => ("run", Some(solver), Some(run.0)),
        BestOrigin::Imported(solver) => ("imported", Some(solver), None),
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO known_best (run, place, score, origin, solver, of_run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![run.0, place, known.score.to_string(), origin, solver, of_run])?;
    Ok(())
}

/// Earlier results that are still valid.
#[derive(Debug, Default)]
pub struct Known {
    results: HashMap<Key, KnownOutcome>,
    /// The results of the resumed run itself, with their inputs, which have been checked to be unchanged.
    kept: HashMap<JobId, (KnownOutcome, Digest)>,
    /// The machines of a cluster that they were found on.
    nodes: NodeList,
    /// Counts the repetitions of each input. A repeated case is measured again, not looked up.
    attempts: Repetitions,
    /// The solvers that are folders of answers. Their answer to an input depends on the name of the case.
    answers: HashSet<usize>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    solver: usize,
    input: Digest,
    attempt: u32,
}

/// The run that results are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownFrom {
    /// The resumed run itself. Its results are kept for their jobs.
    Itself,
    /// A run of the same shard.
    SameShard,
    /// Any run. Only results under these conditions count.
    Any(Digest),
}

impl Known {
    /// Returns a value without results for this plan's cases.
    pub fn of(plan: &Plan) -> Self {
        let solvers = plan.solvers.iter().enumerate();
        let folders = solvers.filter(|(_, solver)| matches!(solver.invocation, Invocation::Answers(_)));
        let answers = folders.map(|(place, _)| place).collect();
        Self { attempts: plan.cases.repetitions(), answers, ..Self::default() }
    }

    /// Adds the cases that a run has grown by; `cases` are all of them.
    pub fn grow(&mut self, cases: &CaseList) {
        self.attempts = cases.repetitions();
    }

    /// Returns how many results there are.
    pub fn len(&self) -> usize {
        self.results.len() + self.kept.len()
    }

    /// Returns whether there are no earlier results.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.kept.is_empty()
    }

    /// Returns the result that the run has of this job, and its input.
    pub fn kept(&self, job: JobId) -> Option<(KnownOutcome, Digest)> {
        self.kept.get(&job).cloned()
    }

    /// Returns the result of this job on this input, if there is one.
    pub fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome> {
        if let Some((known, _)) = self.kept.get(&job) {
            return Some(known.clone());
        }
        let key = Key { solver: job.solver, input: *input, attempt: self.attempts.at(job.case) };
        self.results.get(&key).cloned()
    }

    /// Returns the machine that a result names.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(name)
    }

    /// Adds the results of one solver's row, without faults.
    pub(super) fn read(&mut self, connection: &Connection, from: KnownFrom, solver: usize, entrant: i64) -> Result<()> {
        if from != KnownFrom::Itself && self.answers.contains(&solver) {
            return Ok(());
        }
        let sql = "SELECT run.id, run.conditions FROM entrant JOIN run ON run.id = entrant.run WHERE entrant.id = ?1";
        let (run, of_run): (i64, [u8; 32]) =
            connection.prepare_cached(sql)?.query_row([entrant], |row| Ok((row.get(0)?, row.get(1)?)))?;
        // Nodes of different runs may have the same name.
        let nodes = nodes(connection, RunId(run))?.into_iter().map(|node| (node.name.clone(), self.nodes.add(node)));
        let names: HashMap<String, String> = nodes.collect();
        let wanted = match from {
            KnownFrom::Any(conditions) => Some(conditions.0),
            KnownFrom::Itself | KnownFrom::SameShard => None,
        };
        // Another run may be from several machines: only results of machines like this one count. Of the own run and the
        // same shard, all count.
        let mut statement = connection.prepare_cached(&format!(
            "SELECT result.place, game_case.input, attempt, {OUTCOME}
             FROM result JOIN game_case ON game_case.id = result.game_case
             WHERE result.entrant = ?1 AND length(game_case.input) = 32 AND
                 (?2 IS NULL OR ?2 = coalesce((SELECT conditions FROM origin WHERE id = result.origin), ?3))"
        ))?;
        let mut rows = statement.query(params![entrant, wanted, of_run])?;
        while let Some(row) = rows.next()? {
            let mut outcome = read_outcome(row, 3)?;
            if is_fault(outcome.verdict) {
                continue;
            }
            outcome.node = outcome.node.and_then(|name| names.get(&name).cloned());
            let known = KnownOutcome { outcome, stored: StoredResult { entrant, place: row.get(0)? } };
            let input = Digest(row.get(1)?);
            if from == KnownFrom::Itself {
                self.kept.insert(JobId { case: row.get(0)?, solver }, (known, input));
            } else {
                self.results.insert(Key { solver, input, attempt: row.get(2)? }, known);
            }
        }
        Ok(())
    }

    /// Adds the results of a solver with this content from any run under these conditions, the newest last.
    pub(super) fn add_earlier(
        &mut self,
        connection: &Connection,
        solver: usize,
        hash: Digest,
        conditions: Digest,
    ) -> Result<()> {
        let entrants = "SELECT DISTINCT run.id, entrant.id FROM run JOIN entrant ON entrant.run = run.id
                 LEFT JOIN origin ON origin.run = run.id
             WHERE (run.conditions = ?1 OR origin.conditions = ?1) AND entrant.hash = ?2 ORDER BY run.id";
        let entrants: Vec<i64> = query_all(connection, entrants, [conditions.0, hash.0], |row| row.get(1))?;
        entrants.into_iter().try_for_each(|entrant| self.read(connection, KnownFrom::Any(conditions), solver, entrant))
    }
}
