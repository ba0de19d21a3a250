//! Which game each case of a merged run is of: all results on it must be of the same one.

use super::error::{Difference, Failed, named};
use super::source::{NAMED, Source};
use judge_problem::RunId;
use rusqlite::Connection;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The game of each case of a merged run, as the first result on it says.
pub(super) struct Games {
    /// By place: the row of the game, and the source that has said so; `None`: what was merged before.
    known: HashMap<i64, (i64, Option<usize>)>,
    /// The number of the source that is copied.
    source: usize,
    /// By source, by what it differs from and in what: the cases.
    conflicts: BTreeMap<(usize, Other, &'static str), Conflict>,
}

/// What a result differs from.
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
    /// Reads those of what was merged before.
    pub(super) fn of(into: &Connection, run: RunId) -> rusqlite::Result<Self> {
        let mut statement = into.prepare(
            "SELECT DISTINCT result.place, game_case.id FROM entrant JOIN result ON result.entrant = entrant.id
                 JOIN game_case ON game_case.id = result.game_case WHERE run = ?1 AND length(input) = 32",
        )?;
        let known = statement.query_map([run.0], |row| Ok((row.get(0)?, (row.get(1)?, None))))?;
        Ok(Self { known: known.collect::<Result<_, _>>()?, source: 0, conflicts: BTreeMap::new() })
    }

    /// Notes that the results of the next source come now.
    pub(super) fn next_source(&mut self) {
        self.source += 1;
    }

    /// Notes the game of a result.
    pub(super) fn note(&mut self, place: i64, game: i64, name: &str) {
        let (known, source) = *self.known.entry(place).or_insert((game, Some(self.source)));
        if known != game {
            self.conflict(place, name, source.map_or(Other::Merged, Other::Source), "the input is another one");
        }
    }

    /// Notes a result of another checker than its run has.
    pub(super) fn note_other_checker(&mut self, place: i64, name: &str) {
        let own = Other::Source(self.source);
        self.conflict(place, name, own, "the checker is not that of its run");
    }

    fn conflict(&mut self, place: i64, name: &str, other: Other, why: &'static str) {
        let conflict = self.conflicts.entry((self.source, other, why)).or_default();
        if conflict.places.insert(place) && conflict.names.len() < NAMED {
            conflict.names.push(name.to_owned());
        }
    }

    /// Fails if two results of a case are not of the same game.
    pub(super) fn agree(self, sources: &[Source], into: &Path) -> Result<(), Failed> {
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
            what: format!("{}: {why}", named(&conflict.names, conflict.places.len())),
        };
        Err(Failed::Different(self.conflicts.into_iter().map(difference).collect()))
    }
}
