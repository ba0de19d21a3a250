//! Copies the results of a journal's runs into the run that they are merged into. All results on a case must be of one game.

use super::source::{COLUMNS, Contribution, Difference, MergeError, NAMED, Source, contributions, open_to_read};
use crate::columns::{add_node, is_fault, nodes, query_first, rank};
use crate::error::{JournalError, Result};
use crate::identity::SameGame;
use crate::rows::{self, CaseFacts, Replaced, Rows, case_id};
use crate::store::Journal;
use crate::stored;
use judge_problem::{GeneratorCall, Labels, RunId, Verdict, first_of};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, ErrorCode, Row, params, params_from_iter};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Copies the results of a source, and the labels of its runs that are new in the target. Returns the labels that were left
/// out.
pub(super) fn copy(into: &Journal, target: &Rows, source: &Source, games: &mut Games) -> Result<Labels, MergeError> {
    let unusable = |error: JournalError| source.unusable(error);
    let is_target = source.path == into.path();
    let opened = if is_target { None } else { Some(open_to_read(&source.path).map_err(unusable)?) };
    let journal = opened.as_ref().unwrap_or(into);
    let outcome = stored::OUTCOME.replace("result.", "");
    let insert = format!(
        "INSERT INTO result (entrant, place, origin, game_case, answer, attempt, rank, {outcome})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    );
    let (from, to, cases, answers) = (&journal.connection, &into.connection, HashMap::new(), HashMap::new());
    let mut copier = Copier { into: to, target, source, from, games, cases, answers, lost: Vec::new(), insert };
    if !is_target {
        // All reads of a file see the same snapshot.
        from.execute_batch("BEGIN").map_err(|error| source.unusable(error))?;
    }
    let contributions = contributions(journal, source.key, is_target).map_err(unusable)?;
    for run in contributions.iter().map(|contribution| RunId(contribution.run)).collect::<BTreeSet<_>>() {
        if let Some(theirs) = journal.reference(run).map_err(unusable)? {
            into.merge_reference(target.run, theirs)?;
        }
    }
    let known = into.labels(target.run)?;
    let (mut labels, mut left_out) = (known.clone(), Labels::default());
    for contribution in &contributions {
        // What the user has changed in the merged run since an earlier merge stays.
        if copier.contribution(contribution).map_err(|error| blamed(error, source))? {
            left_out.add(labels.add(journal.labels(RunId(contribution.run)).map_err(unusable)?));
        }
    }
    if labels != known {
        into.write_labels(target.run, &labels)?;
    }
    rows::find_bests(to, &copier.lost)?;
    copier.games.source += 1;
    Ok(left_out)
}

/// Returns the error of a source whose row violates a constraint of the target.
fn blamed(error: MergeError, source: &Source) -> MergeError {
    let is_of_row = |code| matches!(code, ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch);
    match error {
        MergeError::Target(JournalError::Database(error)) if error.sqlite_error_code().is_some_and(is_of_row) => {
            source.unusable(JournalError::Damaged(error.to_string()))
        }
        error => error,
    }
}

/// Fails if a judge cannot have written this result of a run of these many cases: it would damage the target.
fn check_result(row: &Row<'_>, cases: usize) -> Result<()> {
    let outcome = stored::read_outcome(row, 5)?;
    let place: i64 = row.get(0)?;
    let known = row.get_ref(4)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    if !usize::try_from(place).is_ok_and(|place| place < cases) {
        return Err(JournalError::Damaged(format!("it has a result at place {place}, and its run has {cases} cases")));
    }
    if outcome.score.as_ref().map(rank).as_deref() != known {
        return Err(JournalError::Damaged(format!("the result at place {place} has the rank of another score")));
    }
    Ok(())
}

struct Copier<'a> {
    into: &'a Connection,
    target: &'a Rows,
    source: &'a Source,
    from: &'a Connection,
    games: &'a mut Games,
    /// By the row in the source.
    cases: HashMap<i64, Case>,
    /// The rows of answers in the target, by their rows in the source.
    answers: HashMap<i64, i64>,
    /// Cases whose best result was replaced.
    lost: Vec<i64>,
    insert: String,
}

/// A case of the source.
#[derive(Clone)]
struct Case {
    /// Its row in the target.
    id: i64,
    name: String,
    /// Whether its input was read. If not, it belongs to no game.
    has_input: bool,
    /// Whether the checker is the checker of its run.
    is_of_checker: bool,
}

impl Copier<'_> {
    /// Copies the results of a run, and returns whether the run is new in the target.
    fn contribution(&mut self, contribution: &Contribution) -> Result<bool, MergeError> {
        let source = self.source;
        let unusable = |error: rusqlite::Error| source.unusable(error);
        let (origin, is_new) = self.origin(contribution)?;
        // Its values are copied as they are, and must be readable in the target.
        stored::origins(self.into, "id = ?1", origin).map_err(unusable)?;
        for node in &nodes(self.from, RunId(contribution.run)).map_err(unusable)? {
            add_node(self.into, self.target.run, node)?;
        }
        let mut results = 0;
        let sql = format!(
            "SELECT result.place, game_case, attempt, answer, rank, {} FROM result
             JOIN entrant ON entrant.id = result.entrant
             WHERE entrant.run = ?1 AND entrant.place = ?2 AND origin IS ?3",
            stored::OUTCOME
        );
        let mut statement = self.from.prepare(&sql).map_err(unusable)?;
        for (solver, entrant) in self.target.entrants.iter().enumerate() {
            let key = params![contribution.run, solver, contribution.origin];
            let mut rows = statement.query(key).map_err(unusable)?;
            while let Some(row) = rows.next().map_err(unusable)? {
                results += 1;
                self.result(*entrant, origin, contribution, row)?;
            }
        }
        // An earlier merge may have fewer results of that run than this journal.
        self.into.execute("UPDATE origin SET results = max(results, ?2) WHERE id = ?1", params![origin, results])?;
        Ok(is_new)
    }

    /// Returns the row of a contribution in the target's table of origins, and whether it is new.
    fn origin(&self, contribution: &Contribution) -> Result<(i64, bool), MergeError> {
        let file = std::path::absolute(&self.source.path).unwrap_or_else(|_| self.source.path.clone());
        let key = params![self.target.run.0, contribution.uid];
        let known: Option<i64> =
            query_first(self.into, "SELECT id FROM origin WHERE run = ?1 AND uid = ?2", key, |row| row.get(0))?;
        if let Some(known) = known {
            if contribution.origin.is_none() {
                self.into.execute(
                    "UPDATE origin SET state = ?2, elapsed_us = ?3, file = ?4
                     WHERE id = ?1 AND coalesce(elapsed_us, 0) <= coalesce(?3, 0)",
                    params![known, contribution.columns[0], contribution.columns[1], file.to_string_lossy()],
                )?;
            }
            return Ok((known, false));
        }
        let places = vec!["?"; contribution.columns.len()].join(", ");
        let sql = format!(
            "INSERT INTO origin (run, uid, started, file, results, {COLUMNS}) VALUES (?, ?, ?, ?, 0, {places})"
        );
        let first: [Value; 4] = [
            self.target.run.0.into(),
            contribution.uid.clone().into(),
            contribution.started.clone().into(),
            file.to_string_lossy().into_owned().into(),
        ];
        self.into.execute(&sql, params_from_iter(first.iter().chain(&contribution.columns)))?;
        Ok((self.into.last_insert_rowid(), true))
    }

    fn result(&mut self, entrant: i64, origin: i64, of: &Contribution, row: &Row<'_>) -> Result<(), MergeError> {
        let source = self.source;
        let unusable = |error: rusqlite::Error| source.unusable(error);
        check_result(row, source.plan.cases).map_err(|error| source.unusable(error))?;
        let place: i64 = row.get(0).map_err(unusable)?;
        let verdict: String = row.get(5).map_err(unusable)?;
        let game_case = self.game(place, &verdict, row)?;
        if !self.replaces_known((entrant, place), origin, of, &verdict, row)? {
            return Ok(());
        }
        let answer: Option<i64> = row.get(3).map_err(unusable)?;
        let answer = answer.map(|answer| self.answer(answer)).transpose()?.flatten();
        let mut statement = self.into.prepare_cached(&self.insert)?;
        let own = [entrant, place, origin, game_case];
        for (index, value) in own.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, value)?;
        }
        statement.raw_bind_parameter(5, answer)?;
        statement.raw_bind_parameter(6, ToSqlOutput::Borrowed(row.get_ref(2).map_err(unusable)?))?;
        for column in 4..20 {
            statement.raw_bind_parameter(column + 3, ToSqlOutput::Borrowed(row.get_ref(column).map_err(unusable)?))?;
        }
        let rank = row.get_ref(4).and_then(|rank| Ok(rank.as_blob_or_null()?)).map_err(unusable)?;
        let insert = || statement.raw_execute();
        let key = (entrant, place);
        self.lost.extend(rows::write_result(self.into, game_case, rank, key, Replaced::Any, insert)?);
        self.games.added.insert(key);
        Ok(())
    }

    /// Of two results, one that is not a fault is kept; otherwise the result of the run that started first.
    fn replaces_known(
        &self,
        (entrant, place): (i64, i64),
        origin: i64,
        of: &Contribution,
        verdict: &str,
        row: &Row<'_>,
    ) -> Result<bool, MergeError> {
        let mut statement = self.into.prepare_cached(
            "SELECT result.origin, verdict, cpu_us, wall_us, origin.started, origin.uid
             FROM result JOIN origin ON origin.id = result.origin WHERE entrant = ?1 AND place = ?2",
        )?;
        let mut rows = statement.query([entrant, place])?;
        let Some(known) = rows.next()? else { return Ok(true) };
        let known_verdict = known.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        if known.get::<_, i64>(0)? == origin {
            // A case with a fault is played again, and then has another result in the same run. An older copy of the journal
            // has the fault, and may be merged afterwards.
            let has_fault = |verdict: &str| Verdict::from_name(verdict).is_none_or(is_fault);
            let time = |row: &Row<'_>, column| row.get::<_, Option<i64>>(column);
            let new = [7, 8].map(|column| time(row, column).ok().flatten());
            let old = [time(known, 2)?, time(known, 3)?];
            return Ok((has_fault(verdict), verdict, new) < (has_fault(known_verdict), known_verdict, old));
        }
        let rank = |verdict: &str, started: &str, uid: &[u8]| {
            (Verdict::from_name(verdict).is_none_or(is_fault), started.to_owned(), uid.to_owned())
        };
        let started = known.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?;
        let uid = known.get_ref(5)?.as_blob().map_err(rusqlite::Error::from)?;
        Ok(rank(verdict, &of.started, &of.uid) < rank(known_verdict, started, uid))
    }

    /// Returns the row of a result's case, and notes the game of the result.
    fn game(&mut self, place: i64, verdict: &str, row: &Row<'_>) -> Result<i64, MergeError> {
        let Case { id, name, has_input, is_of_checker } =
            self.case(row.get(1).map_err(|error| self.source.unusable(error))?)?;
        let says_nothing = Verdict::from_name(verdict).is_none_or(is_fault);
        if !is_of_checker {
            let own = Other::Source(self.games.source);
            self.games.conflict(place, &name, own, "its checker differs from its run's checker");
        } else if has_input && !says_nothing {
            self.games.note(place, id, &name);
        }
        Ok(id)
    }

    fn case(&mut self, case: i64) -> Result<Case, MergeError> {
        if let Some(known) = self.cases.get(&case) {
            return Ok(known.clone());
        }
        let damaged = |what: &str| self.source.unusable(JournalError::Damaged(what.to_owned()));
        let sql = "SELECT seed, file, features, problem, checker, checker_version, name, input FROM game_case
             WHERE id = ?1";
        let found = query_first(self.from, sql, [case], |row| {
            let facts = CaseFacts { seed: row.get(0)?, file: row.get(1)?, features: row.get(2)? };
            Ok((facts, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?))
        });
        let found: Option<(_, String, String, u32, String, Vec<u8>)> =
            found.map_err(|error| self.source.unusable(error))?;
        let (facts, problem, checker, version, name, input) = found.ok_or_else(|| damaged("a result has no case"))?;
        let is_source = match (&facts.seed, &facts.file) {
            (Some(seed), _) => seed.parse::<u64>().is_ok() || seed.parse::<GeneratorCall>().is_ok(),
            (None, file) => file.is_some(),
        };
        if !is_source || !matches!(input.len(), 0 | 32) {
            return Err(damaged("a case has no input"));
        }
        let key = SameGame { problem: &problem, checker: &checker, version, name: &name, input: &input };
        let plan = &self.source.plan;
        let is_of_checker =
            (&*plan.problem, &*plan.checker.name, plan.checker.version) == (&*problem, &*checker, version);
        let id = case_id(self.into, &key, facts)?;
        let found = Case { id, has_input: input.len() == 32, is_of_checker, name };
        self.cases.insert(case, found.clone());
        Ok(found)
    }

    /// Returns the row of an answer; `None` if it is no longer kept.
    fn answer(&mut self, answer: i64) -> Result<Option<i64>, MergeError> {
        if let Some(known) = self.answers.get(&answer) {
            return Ok(Some(*known));
        }
        let sql =
            "SELECT hash, bytes, packed FROM answer JOIN answer_body ON answer_body.answer = answer.id WHERE id = ?1";
        let unusable = |error: rusqlite::Error| self.source.unusable(error);
        let mut statement = self.from.prepare_cached(sql).map_err(unusable)?;
        let mut rows = statement.query([answer]).map_err(unusable)?;
        let Some(row) = rows.next().map_err(unusable)? else { return Ok(None) };
        let hash = row.get(0).map_err(unusable)?;
        let bytes = row.get(1).map_err(unusable)?;
        rows::check_length(bytes).map_err(|error| self.source.unusable(error))?;
        let packed = row.get_ref(2).and_then(|packed| Ok(packed.as_blob()?)).map_err(unusable)?;
        let id = rows::store_packed_answer(self.into, self.target.run, hash, bytes, || packed.into())?;
        self.answers.insert(answer, id);
        Ok(Some(id))
    }
}

/// The game of each case of a merged run, taken from the first result on it.
pub(super) struct Games {
    /// By place: the row of the game, and the source that it came from, or `None` for cases merged earlier.
    known: HashMap<i64, (i64, Option<usize>)>,
    /// The number of the source that is copied.
    source: usize,
    /// The entrants and places of the results that were added or replaced.
    pub(super) added: HashSet<(i64, i64)>,
    /// The conflicting cases, by their source, by what they conflict with, and by the reason.
    conflicts: BTreeMap<(usize, Other, &'static str), Conflict>,
}

/// The other side of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Other {
    Merged,
    Source(usize),
}

/// Cases that differ in the same way.
#[derive(Default)]
struct Conflict {
    names: Vec<String>,
    places: HashSet<i64>,
}

impl Games {
    /// Reads the games of the cases that were merged before.
    pub(super) fn of(into: &Connection, run: RunId) -> rusqlite::Result<Self> {
        let mut statement = into.prepare(
            "SELECT DISTINCT result.place, game_case.id FROM entrant JOIN result ON result.entrant = entrant.id
                 JOIN game_case ON game_case.id = result.game_case WHERE run = ?1 AND length(input) = 32",
        )?;
        let known = statement.query_map([run.0], |row| Ok((row.get(0)?, (row.get(1)?, None))))?;
        let known = known.collect::<Result<_, _>>()?;
        Ok(Self { known, source: 0, added: HashSet::new(), conflicts: BTreeMap::new() })
    }

    /// Notes the game of a result.
    pub(super) fn note(&mut self, place: i64, game: i64, name: &str) {
        let (known, source) = *self.known.entry(place).or_insert((game, Some(self.source)));
        if known != game {
            self.conflict(place, name, source.map_or(Other::Merged, Other::Source), "the input is another one");
        }
    }

    fn conflict(&mut self, place: i64, name: &str, other: Other, why: &'static str) {
        let conflict = self.conflicts.entry((self.source, other, why)).or_default();
        if conflict.places.insert(place) && conflict.names.len() < NAMED {
            conflict.names.push(name.to_owned());
        }
    }

    /// Fails if two results of a case are not of the same game.
    pub(super) fn agree(self, sources: &[Source], into: &Path) -> Result<(), MergeError> {
        if self.conflicts.is_empty() {
            return Ok(());
        }
        let path = |source: usize| sources.get(source).map_or_else(PathBuf::new, |source| source.path.clone());
        let difference = |((source, other, why), conflict): ((usize, Other, &str), Conflict)| Difference {
            files: vec![path(source)],
            most: match other {
                Other::Merged => into.to_owned(),
                Other::Source(other) => path(other),
            },
            what: format!("{}: {why}", first_of(&conflict.names, NAMED, conflict.places.len())),
        };
        Err(MergeError::Different(self.conflicts.into_iter().map(difference).collect()))
    }
}
