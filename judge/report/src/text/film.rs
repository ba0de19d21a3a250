//! The frames of a game, each as the difference from the previous one: ten thousand moves fit into a page.

use super::moves::MoveRange;
use checkers::{Board, Cell, Frame, Observer, Score};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::hash::Hash;

/// Records a game as it is replayed.
#[derive(Debug, Default)]
pub struct GameFilm {
    moves: MoveRange,
    captions: Palette<String>,
    cells: Palette<Look>,
    frames: Vec<Delta>,
    step: usize,
    total: Score,
    width: usize,
    board: Vec<u32>,
}

/// The look of a cell, without its mark.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "look")]
pub(crate) struct Look(Option<String>, u32);

impl Look {
    fn is_of(&self, cell: &Cell) -> bool {
        self.0 == cell.text && (cell.text.is_none() || self.1 == cell.color)
    }
}

/// The difference between a frame and the previous one. Unchanged parts are absent.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "frame")]
pub(crate) struct Delta {
    /// The move's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<usize>,
    /// The caption's place in the palette.
    t: u32,
    /// Points that were gained.
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<String>,
    /// Points so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<String>,
    /// The board's width, if the form of the board changed; the board is then empty before the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<usize>,
    /// The number of cells of that board.
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<usize>,
    /// Changed cells: place, look, place, look, …; a place counts from the changed one before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    c: Vec<u32>,
    /// Marked cells: their places, each counted from the one before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    m: Vec<u32>,
}

/// The frames as a page has them. Their numbers are texts: scores can be longer than JavaScript's numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "film")]
pub(crate) struct Reel<'a> {
    /// What happens, for frames to name.
    captions: &'a [String],
    /// What cells look like, for frames to name: text (`null` for an empty cell) and colour.
    cells: &'a [Look],
    /// Each as the difference from the one before it.
    frames: &'a [Delta],
}

/// Values that are stored once and named by their place.
#[derive(Debug)]
struct Palette<T> {
    values: Vec<T>,
    places: HashMap<T, u32>,
}

impl<T> Default for Palette<T> {
    fn default() -> Self {
        Self { values: Vec::new(), places: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Palette<T> {
    fn place(&mut self, value: T) -> u32 {
        if let Some(&place) = self.places.get(&value) {
            return place;
        }
        let place = small(self.values.len());
        self.values.push(value.clone());
        self.places.insert(value, place);
        place
    }
}

impl GameFilm {
    /// Starts a film of these moves.
    #[must_use]
    pub fn new(moves: MoveRange) -> Self {
        let mut film = Self { moves, ..Self::default() };
        // An empty cell is 0: a new board lists none of them.
        film.cells.place(Look(None, 0));
        film
    }

    /// Returns the number of frames.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns whether the film is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns the points after the last frame.
    #[must_use]
    pub fn points(&self) -> &Score {
        &self.total
    }

    pub(crate) fn reel(&self) -> Reel<'_> {
        Reel { captions: &self.captions.values, cells: &self.cells.values, frames: &self.frames }
    }

    fn record(&mut self, frame: Frame) {
        let Frame { step, caption, gained, total, board } = frame;
        let first = self.frames.is_empty();
        let marked = (0..).zip(&board.cells).filter(|(_, cell)| cell.marked).map(|(place, _)| place);
        let mut delta = Delta {
            s: (first || step != self.step).then_some(step),
            t: self.captions.place(caption),
            g: (gained != Score::default()).then(|| gained.to_string()),
            p: (first || total != self.total).then(|| total.to_string()),
            m: differences(marked),
            ..Delta::default()
        };
        self.redraw(board, &mut delta);
        (self.step, self.total) = (step, total);
        self.frames.push(delta);
    }

    fn redraw(&mut self, board: Board, delta: &mut Delta) {
        if self.width != board.width || self.board.len() != board.cells.len() {
            (delta.w, delta.n) = (Some(board.width), Some(board.cells.len()));
            self.width = board.width;
            self.board = vec![0; board.cells.len()];
        }
        let mut last = 0;
        for (place, cell) in board.cells.into_iter().enumerate() {
            // Nearly all cells look as before, which is found out faster than what they look like.
            if self.cells.values[self.board[place] as usize].is_of(&cell) {
                continue;
            }
            let look = self.cells.place(look(cell));
            self.board[place] = look;
            delta.c.extend([small(place - last), look]);
            last = place;
        }
    }
}

impl Observer for GameFilm {
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame) {
        if self.moves.contains(step) {
            self.record(frame());
        }
    }
}

/// Returns the look of a cell.
pub(crate) fn look(cell: Cell) -> Look {
    // The colour of an empty cell has no meaning.
    let color = if cell.text.is_some() { cell.color } else { 0 };
    Look(cell.text, color)
}

/// Each number counted from the one before it.
fn differences(places: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut last = 0;
    places.map(|place| place - std::mem::replace(&mut last, place)).collect()
}

/// Places on a board and in a palette: there is no memory for four thousand million of them.
fn small(number: usize) -> u32 {
    u32::try_from(number).expect("places are counted in memory")
}
