//! The games of a site: as many as fit, equal ones once. A game of columns is stored as its moves, and all games of a
//! case are in one file with the case's pieces. A game of another kind has its own file.

use crate::games::ColumnsCase;
use crate::site::{Private, data_file};
use judge_problem::{Bytes, Digest};
use judge_session::failure::Failure;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// The games that a site has.
pub(super) struct SiteGames {
    room: Bytes,
    bytes: u64,
    /// How many results have a game.
    pub(super) shown: usize,
    /// The number of results whose game did not fit.
    pub(super) left_out: usize,
    /// The cases of columns, each with its games, by the names of their files.
    cases: BTreeMap<String, (ColumnsCase, Map<String, Value>)>,
    /// The files of other games.
    files: BTreeMap<String, Vec<u8>>,
    /// Whether a requested game has fitted, by its place.
    known: HashMap<String, bool>,
}

/// Returns a short name for the content of a text.
pub(super) fn name_of(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()[..16].to_owned()
}

impl SiteGames {
    /// Returns an empty list of games with this maximal size in bytes.
    pub(super) fn new(room: Bytes) -> Self {
        let (cases, files, known) = (BTreeMap::new(), BTreeMap::new(), HashMap::new());
        Self { room, bytes: 0, shown: 0, left_out: 0, cases, files, known }
    }

    /// Returns whether more games fit.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < self.room.0
    }

    /// Adds a game if it fits. Returns its place: the name of its file, and the name of the game in it.
    pub(super) fn add(
        &mut self,
        (mut document, case): (Value, Option<ColumnsCase>),
        private: &Private,
    ) -> Result<Option<String>, Failure> {
        // The solver's name is in the row: the games of equal answers are equal.
        document["player"] = Value::String(String::new());
        private.cut(&mut document);
        let name = name_of(&document.to_string());
        let place = case.as_ref().map_or_else(|| format!("game-{name}"), |case| format!("{}/{name}", case.file));
        if let Some(is_there) = self.known.get(&place) {
            return Ok(is_there.then_some(place));
        }
        let file = data_file(&place, &document)?;
        let bytes = file.len() as u64;
        let is_there = self.bytes + bytes <= self.room.0;
        self.known.insert(place.clone(), is_there);
        if !is_there {
            return Ok(None);
        }
        self.bytes += bytes;
        match case {
            Some(case) => {
                let (known, games) = self.cases.entry(case.file.clone()).or_insert_with(|| (case.clone(), Map::new()));
                if known.pieces.len() < case.pieces.len() {
                    *known = case;
                }
                games.insert(name, document);
            }
            None => {
                self.files.insert(place.clone(), file);
            }
        }
        Ok(Some(place))
    }

    /// Returns the names and the contents of the files.
    pub(super) fn into_files(self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let case = |(name, (case, games)): (String, (ColumnsCase, Map<String, Value>))| {
            let ColumnsCase { width, height, pieces, .. } = case;
            let document = json!({ "width": width, "height": height, "pieces": pieces.concat(), "games": games });
            let file = data_file(&name, &document)?;
            Ok((name, file))
        };
        self.cases.into_iter().map(case).chain(self.files.into_iter().map(Ok)).collect()
    }
}
