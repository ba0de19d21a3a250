//! The run that others are merged into: found or begun, and summed up.

use super::merged::Merged;
use super::source::{RUN, Source};
use crate::begin::{Rows, rows_of};
use crate::columns::microseconds;
use crate::labels::{labels, write_labels};
use crate::origins::origins;
use crate::recording::sum_up as sum_up_entrant;
use judge_problem::{Origin, RunId, RunState, quote_words, without_flags};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use std::collections::BTreeSet;
use std::time::Duration;

/// Returns the run that these were merged into before, or else the newest that runs of their plan were merged into, or else a
/// new one.
pub(super) fn find_or_begin(into: &Connection, sources: &[Source]) -> rusqlite::Result<Rows> {
    let key = sources[0].key;
    let mut known: Option<i64> = None;
    for uid in sources.iter().flat_map(|source| &source.uids) {
        let run: Option<i64> = into
            .prepare_cached(
                "SELECT max(run.id) FROM origin JOIN run ON run.id = origin.run
                 WHERE origin.uid = ?1 AND merged AND plan = ?2",
            )?
            .query_row(params![uid, key.0], |row| row.get(0))?;
        known = known.max(run);
    }
    let newest = || {
        let sql = "SELECT max(id) FROM run WHERE merged AND plan = ?1";
        into.query_row(sql, [key.0], |row| row.get::<_, Option<i64>>(0))
    };
    let run = match known.map_or_else(newest, |run| Ok(Some(run)))? {
        Some(run) => run,
        None => begin(into, &sources[0])?,
    };
    let run = RunId(run);
    let known = labels(into, run)?;
    let mut all = known.clone();
    for source in sources {
        agree_on_texts(into, run.0, source)?;
        all.add(source.labels.clone());
    }
    if all != known {
        write_labels(into, run, &all)?;
    }
    rows_of(into, run)
}

fn begin(into: &Connection, source: &Source) -> rusqlite::Result<i64> {
    let places = vec!["?"; source.run.len()].join(", ");
    let sql = format!(
        "INSERT INTO run ({RUN}, merged, turn, conditions, jobs, tier, host, kernel, cpu_model, judge, uid, state)
         VALUES ({places}, 1, 0, x'', 1, '', '', '', '', '', randomblob(16), 'partial')"
    );
    into.execute(&sql, params_from_iter(&source.run))?;
    let id = into.last_insert_rowid();
    into.execute("UPDATE run SET conditions = plan WHERE id = ?1", [id])?;
    for entrant in &source.entrants {
        let sql = "INSERT INTO entrant (run, place, name, command, hash) VALUES (?, ?, ?, ?, ?)";
        into.execute(sql, params_from_iter(std::iter::once(&id.into()).chain(entrant)))?;
    }
    Ok(id)
}

/// Machines may name a solver by different paths, and stand on different commits. What the merged run says of them does not
/// depend on which came first.
fn agree_on_texts(into: &Connection, run: i64, source: &Source) -> rusqlite::Result<()> {
    let [commit, dirty, message, rule, ..] = &source.run[..] else { return Ok(()) };
    into.execute(
        "UPDATE run SET git_commit = iif(git_commit = ?2, git_commit, NULL), git_dirty = max(git_dirty, ?3),
             message = iif(message = ?4, message, NULL), rule = min(rule, ?5) WHERE id = ?1",
        params![run, commit, dirty, message, rule],
    )?;
    for entrant in &source.entrants {
        let [place, _, command, ..] = &entrant[..] else { continue };
        let sql = "UPDATE entrant SET command = min(command, ?3) WHERE run = ?1 AND place = ?2";
        into.execute(sql, params![run, place, command])?;
    }
    Ok(())
}

/// Writes down what a merged run is as a whole, and returns it.
pub(super) fn sum_up(into: &Connection, target: &Rows) -> rusqlite::Result<Merged> {
    let origins = origins(into, target.run)?;
    let mut results = 0;
    for entrant in &target.entrants {
        let total: Option<String> = into
            .query_row("SELECT total FROM entrant WHERE id = ?1", [entrant], |row| row.get(0))
            .optional()?
            .flatten();
        results += sum_up_entrant(into, *entrant, total.as_deref())?;
    }
    let (problem, planned) =
        into.query_row("SELECT problem, case_count FROM run WHERE id = ?1", [target.run.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let merged =
        Merged { run: target.run, problem, planned, solvers: target.entrants.len(), results, added: 0, origins };
    let state = match &merged {
        whole if whole.is_whole() => RunState::Complete,
        other if other.origins.iter().any(|origin| origin.state == RunState::Stopped) => RunState::Stopped,
        _ => RunState::Partial,
    };
    let all = |text: fn(&Origin) -> &str| joined(merged.origins.iter().map(text));
    let first = |text: fn(&Origin) -> &str| merged.origins.iter().map(text).min().unwrap_or_default().to_owned();
    let commands = merged.origins.iter().map(|origin| without_shard(&origin.command)).min();
    let elapsed: Duration = merged.origins.iter().map(|origin| origin.elapsed).sum();
    into.execute(
        "UPDATE run SET state = ?2, started = ?3, elapsed_us = ?4, command = ?5, jobs = ?6, tier = ?7, host = ?8, kernel = ?9,
             cpu_model = ?10, judge = ?11, turn = (SELECT max(turn) + 1 FROM run),
             conditions = coalesce((SELECT min(conditions) FROM origin WHERE run = ?1 HAVING count(DISTINCT conditions) = 1), plan)
         WHERE id = ?1",
        params![
            target.run.0,
            state.name(),
            first(|origin| &origin.started),
            microseconds(elapsed),
            commands,
            merged.origins.iter().map(|origin| origin.jobs).max(),
            merged.origins.iter().map(|origin| origin.tier).max().map(|tier| tier.name()),
            all(|origin| &origin.host),
            all(|origin| &origin.kernel),
            all(|origin| &origin.cpu_model),
            all(|origin| &origin.judge),
        ],
    )?;
    Ok(merged)
}

/// Returns different texts as one, in alphabetical order.
fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns a recorded command without the flag that makes it one of a shard.
fn without_shard(command: &str) -> String {
    quote_words(without_flags(shell_words::split(command).unwrap_or_default(), &[], &["--shard"]))
}
