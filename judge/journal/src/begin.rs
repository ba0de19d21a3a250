//! Starts the record of a run, or finds the one that is to be continued.

use super::RunRecord;
use super::columns::microseconds;
use super::key::SameRun;
use super::record::environment;
use super::reference;
use judge_problem::{Digest, RunId, Shard, Solver};
use rusqlite::{Connection, named_params, params};

/// The rows that a run's results hang on.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) run: RunId,
    /// By solver.
    pub(super) entrants: Vec<i64>,
}

/// Writes down a new run and its solvers.
pub(super) fn begin(connection: &Connection, record: &RunRecord<'_>, identity: &SameRun) -> rusqlite::Result<Rows> {
    insert_run(connection, record)?;
    let run = RunId(connection.last_insert_rowid());
    identity.note(connection, run.0)?;
    reference::write(connection, run, &record.plan.problem, 0, &record.plan.cases)?;
    let mut rows = Rows { run, entrants: Vec::new() };
    enter(connection, &mut rows, &record.plan.solvers, record.solver_hashes)?;
    Ok(rows)
}

/// Writes down more solvers of a run.
pub(super) fn enter(
    connection: &Connection,
    rows: &mut Rows,
    solvers: &[Solver],
    hashes: &[Digest],
) -> rusqlite::Result<()> {
    for (solver, hash) in solvers.iter().zip(hashes) {
        let entrant = insert_entrant(connection, rows.run, rows.entrants.len(), solver, *hash)?;
        rows.entrants.push(entrant);
    }
    Ok(())
}

fn insert_run(connection: &Connection, record: &RunRecord<'_>) -> rusqlite::Result<usize> {
    let RunRecord { plan, checker, surroundings, .. } = record;
    connection.execute(
        "INSERT INTO run (command, conditions, problem, checker, checker_version, rule, direction,
             cpu_limit_us, wall_limit_us, memory_limit, output_limit, process_limit, environment, case_count, jobs,
             tier, host, kernel, cpu_model, git_commit, git_dirty, judge, message, uid, shard, shards,
             played, turn)
         VALUES (:command, :conditions, :problem, :checker, :version, :rule, :direction,
             :cpu, :wall, :memory, :output, :processes, :environment, :cases, :jobs,
             :tier, :host, :kernel, :cpu_model, :commit, :dirty, :judge, :message, randomblob(16), :shard, :shards,
             :played, (SELECT coalesce(max(turn), 0) + 1 FROM run))",
        named_params! {
            ":command": record.command,
            ":conditions": record.conditions().0,
            ":problem": plan.problem.id,
            ":checker": checker.name,
            ":version": checker.version,
            ":rule": plan.problem.scoring.to_string(),
            ":direction": plan.problem.direction.name(),
            ":cpu": microseconds(plan.limits.cpu.0),
            ":wall": microseconds(plan.limits.wall.0),
            ":memory": plan.limits.memory.0,
            ":output": plan.limits.output.0,
            ":processes": plan.limits.processes,
            ":environment": environment(plan),
            ":cases": plan.cases.len(),
            ":jobs": record.jobs,
            ":tier": record.tier.name(),
            ":host": surroundings.host,
            ":kernel": surroundings.kernel,
            ":cpu_model": surroundings.cpu_model,
            ":commit": surroundings.git_commit,
            ":dirty": surroundings.git_dirty,
            ":judge": env!("CARGO_PKG_VERSION"),
            ":message": record.message,
            ":shard": record.shard.map(Shard::number),
            ":shards": record.shard.map(Shard::count),
            ":played": record.played,
        },
    )
}

fn insert_entrant(
    connection: &Connection,
    run: RunId,
    place: usize,
    solver: &Solver,
    hash: Digest,
) -> rusqlite::Result<i64> {
    connection.execute(
        "INSERT INTO entrant (run, place, name, command, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![run.0, place, solver.spec.name, solver.spec.text, hash.0],
    )?;
    Ok(connection.last_insert_rowid())
}

/// Returns the rows that the results of a run hang on.
pub(super) fn rows_of(connection: &Connection, run: RunId) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare("SELECT id FROM entrant WHERE run = ?1 ORDER BY place")?;
    let entrants = statement.query_map([run.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Rows { run, entrants })
}
