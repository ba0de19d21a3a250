//! A game in few bytes, for pages without a server: data that most frames share is left out. If pieces fall after
//! marked ones were removed, a letter stands for the whole new board. `unpack.js` restores the frames.

use super::{Delta, GameReplay, Look, QueueRecord, look_of, sums};
use serde::Serialize;

/// The properties of a frame in one letter: the sum of these, counted from `0`.
const FALLS: u8 = 1;
const CLOSES: u8 = 2;
const MARKS_CHANGED: u8 = 4;
const HAS_MARKS: u8 = 8;
const NEXT_STEP: u8 = 16;
const HAS_GAIN: u8 = 32;

/// The frames of a game, field by field.
#[derive(Debug, Default, Serialize)]
pub struct PackedReplay<'a> {
    captions: &'a [String],
    cells: &'a [Look],
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueueRecord<'a>>,
    /// A letter for each frame.
    kinds: String,
    /// Frames with another form of the board: frame, width, cells.
    forms: Vec<(usize, usize, usize)>,
    /// Frames whose move is not the next one: frame, move.
    steps: Vec<(usize, usize)>,
    /// Of each frame, how far its caption is behind the newest one; 0 is the next new one.
    texts: Vec<u32>,
    /// The gained points, of frames that gain any.
    gains: Vec<&'a str>,
    /// Frames after which the total is not the sum of the gained points: frame, points.
    totals: Vec<(usize, &'a str)>,
    /// For frames whose board does not follow from the one before: the number of changed cells, and the places and
    /// looks of all.
    counts: Vec<usize>,
    places: Vec<u32>,
    looks: Vec<u32>,
    /// Large boards as a whole: frame, cells.
    boards: Vec<(usize, &'a str)>,
    /// How many cells are marked, and the places of all.
    mark_counts: Vec<usize>,
    marks: Vec<u32>,
    /// Frames in which the queue moves on: frame, columns.
    moved: Vec<(usize, usize)>,
}

impl GameReplay {
    /// Returns the game in few bytes.
    pub fn packed(&self) -> PackedReplay<'_> {
        let record = self.record();
        let packed = PackedReplay {
            captions: record.captions,
            cells: record.cells,
            queue: record.queue,
            ..PackedReplay::default()
        };
        let mut packer =
            Packer { packed, board: Vec::new(), width: 0, marks: Vec::new(), step: 0, newest: 0, total: Some(0) };
        record.frames.iter().enumerate().for_each(|(at, delta)| packer.add(at, delta));
        packer.packed
    }
}

struct Packer<'a> {
    packed: PackedReplay<'a>,
    /// The board and the marked places before the next frame.
    board: Vec<u32>,
    width: usize,
    marks: Vec<u32>,
    step: usize,
    /// The number of captions so far.
    newest: u32,
    /// The points; `None` if they are not a number that a script can represent exactly.
    total: Option<i64>,
}

impl<'a> Packer<'a> {
    fn add(&mut self, at: usize, delta: &'a Delta) {
        let mut kind = 0;
        if let (Some(width), Some(cells)) = (delta.w, delta.n) {
            self.packed.forms.push((at, width, cells));
            (self.width, self.board, self.marks) = (width, vec![0; cells], Vec::new());
        }
        kind |= self.add_step(at, delta) | self.add_points(at, delta);
        self.packed.texts.push(if delta.t == self.newest { 0 } else { self.newest - delta.t });
        self.newest = self.newest.max(delta.t + 1);
        if delta.q > 0 {
            self.packed.moved.push((at, delta.q));
        }
        let before = std::mem::take(&mut self.board);
        kind |= self.add_board(at, delta, &before);
        let changed: Vec<u32> = (0..)
            .zip(self.board.iter().zip(&before))
            .filter(|(_, (now, then))| now != then && **now != 0)
            .map(|(place, _)| place)
            .collect();
        let marks = sums(&delta.m);
        if !marks.is_empty() {
            let is_changed = marks == changed;
            kind |= if is_changed { MARKS_CHANGED } else { HAS_MARKS };
            if !is_changed {
                self.packed.mark_counts.push(marks.len());
                self.packed.marks.extend(&delta.m);
            }
        }
        self.marks = marks;
        self.packed.kinds.push(char::from(b'0' + kind));
    }

    fn add_step(&mut self, at: usize, delta: &Delta) -> u8 {
        let Some(step) = delta.s else { return 0 };
        let is_next = step == self.step + 1;
        if !is_next {
            self.packed.steps.push((at, step));
        }
        self.step = step;
        if is_next { NEXT_STEP } else { 0 }
    }

    fn add_points(&mut self, at: usize, delta: &'a Delta) -> u8 {
        let gain = delta.g.as_deref();
        self.packed.gains.extend(gain);
        let sum = gain.map_or(Some(0), small).zip(self.total).and_then(|(gain, total)| exact(gain + total));
        if let Some(points) = &delta.p {
            let points_now = small(points);
            if points_now.is_none() || points_now != sum || gain.is_none() {
                self.packed.totals.push((at, points));
            }
            self.total = points_now;
        } else if gain.is_some() {
            // The total stays although points were gained.
            self.packed.totals.push((at, ""));
        }
        if gain.is_some() { HAS_GAIN } else { 0 }
    }

    /// Draws the board of a frame.
    fn add_board(&mut self, at: usize, delta: &'a Delta, before: &[u32]) -> u8 {
        let mut board = before.to_vec();
        let mut place = 0;
        for change in delta.c.chunks(2) {
            place += change[0] as usize;
            board[place] = change[1];
        }
        if let Some(whole) = &delta.b {
            self.packed.boards.push((at, whole));
            board = whole.chars().map(look_of).collect();
        }
        self.board = board;
        if !delta.c.is_empty() && !self.marks.is_empty() {
            for (closes, kind) in [(false, FALLS), (true, CLOSES)] {
                if fallen(before, self.width, &self.marks, closes) == self.board {
                    return kind;
                }
            }
        }
        self.packed.counts.push(delta.c.len() / 2);
        self.packed.places.extend(delta.c.iter().step_by(2));
        self.packed.looks.extend(delta.c.iter().skip(1).step_by(2));
        0
    }
}

/// Returns the board after these places are emptied and the remaining pieces have fallen down, and, if `closes`, have
/// moved left into empty columns.
fn fallen(board: &[u32], width: usize, gone: &[u32], closes: bool) -> Vec<u32> {
    let mut rest = board.to_vec();
    gone.iter().for_each(|place| rest[*place as usize] = 0);
    let mut fallen = vec![0; board.len()];
    let rows = board.len() / width.max(1);
    let mut column = 0;
    for x in 0..width {
        let mut row = rows;
        for y in (0..rows).rev().filter(|y| rest[y * width + x] != 0) {
            row -= 1;
            fallen[row * width + column] = rest[y * width + x];
        }
        column += usize::from(!closes || row < rows);
    }
    fallen
}

fn small(points: impl AsRef<str>) -> Option<i64> {
    exact(points.as_ref().parse().ok()?)
}

/// Returns a number if a script counts it exactly.
fn exact(number: i64) -> Option<i64> {
    (number.unsigned_abs() < 1 << 53).then_some(number)
}
