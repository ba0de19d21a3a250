//! SameGame: groups of equal blocks are removed, the blocks above fall down, and the columns to the right move left.
//! Two problems share the board: `same-game` asks for the score of a prescribed strategy, and `same-game-free` is the
//! open game.

mod board;
mod free;
mod generate;
mod input;
mod prescribed;

use crate::checker::counted;
use crate::{Case, Cell, CheckError, Checker, Counted, Feature, Frame, Metric, Observer};
use board::{Board, EMPTY};
use input::{Free, Prescribed};

/// The factor for the points when the board is cleared.
const CLEARED_FACTOR: u64 = 4;

/// The checker of `same-game`.
pub(crate) static SAME_GAME: Checker = Checker {
    id: "same-game",
    rules: concat!("# SameGame, the prescribed strategy\n\n", include_str!("rules.md"), include_str!("prescribed.md")),
    version: 1,
    generators: &[|seed| Ok(generate::prescribed(seed)), |seed| Ok(generate::second_prescribed(seed))],
    parametric: Some(&generate::PRESCRIBED),
    metrics: &[],
    reader: |input| Ok(Box::new(Prescribed::read(input)?)),
    manual_reader: None,
};

/// The numbers counted for an answer to the open game.
static METRICS: [Metric; 3] = [
    Metric { name: "moves", meaning: "groups removed", is_more_better: false },
    Metric { name: "left", meaning: "blocks left at the end", is_more_better: false },
    Metric { name: "largest", meaning: "blocks of the largest group removed", is_more_better: true },
];

/// The checker of `same-game-free`.
pub(crate) static SAME_GAME_FREE: Checker = Checker {
    id: "same-game-free",
    rules: concat!("# SameGame, the open game\n\n", include_str!("rules.md"), include_str!("free.md")),
    version: 1,
    generators: &[|seed| Ok(generate::free(seed))],
    parametric: Some(&generate::FREE),
    metrics: &METRICS,
    reader: |input| Ok(Box::new(Free::read(input)?)),
    manual_reader: Some(|input| Ok(Box::new(Free::read(input)?))),
};

impl Case for Prescribed {
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        let score = prescribed::play(&self.grid, &self.order, observer);
        prescribed::compare(answer, score)?;
        Ok((score.into(), Vec::new()))
    }

    fn features(&self) -> Vec<Feature> {
        self.grid.features()
    }
}

impl Case for Free {
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        let (board, progress) = free::play(&self.grid, answer, observer)?;
        let counts = [progress.step, board.left, progress.largest];
        Ok(counted(progress.end(&board), &METRICS, counts))
    }

    fn features(&self) -> Vec<Feature> {
        self.grid.features()
    }
}

/// The points so far, and the observer that sees every removal.
struct Progress<'a> {
    observer: &'a mut dyn Observer,
    step: usize,
    total: u64,
    /// The number of blocks in the largest group that was removed.
    largest: usize,
}

impl<'a> Progress<'a> {
    fn new(observer: &'a mut dyn Observer, board: &Board) -> Self {
        let mut progress = Self { observer, step: 0, total: 0, largest: 0 };
        progress.show(0, board, &[], || "the board at the start".to_owned());
        progress
    }

    /// Counts and shows a removal. `group` is still on `board`.
    fn removes(&mut self, board: &Board, group: &[usize]) {
        self.step += 1;
        let size = group.len();
        self.largest = self.largest.max(size);
        self.show(points(size), board, group, || format!("{size} × {} removed", char::from(board.block(group[0]))));
    }

    /// Returns the score.
    fn end(mut self, board: &Board) -> u64 {
        match board.left {
            0 => {
                let bonus = self.total * (CLEARED_FACTOR - 1);
                self.show(bonus, board, &[], || "the board is cleared: all points count fourfold".to_owned());
            }
            1 => self.show(0, board, &[], || "1 block is left".to_owned()),
            left => self.show(0, board, &[], || format!("{left} blocks are left")),
        }
        self.total
    }

    fn show(&mut self, gained: u64, board: &Board, marked: &[usize], caption: impl Fn() -> String) {
        self.total += gained;
        let (step, total) = (self.step, self.total);
        self.observer.step(step, &mut || Frame {
            step,
            caption: caption(),
            gained: gained.into(),
            total: total.into(),
            board: picture(board, marked),
            ahead: crate::Board::default(),
        });
    }
}

/// Returns the points for removing a group of this size.
fn points(size: usize) -> u64 {
    (size * (size - 1) / 2) as u64
}

fn picture(board: &Board, marked: &[usize]) -> crate::Board {
    let cells = board.cells(&board.whole()).map(|cell| match board.block(cell) {
        EMPTY => Cell::EMPTY,
        block => Cell::of_character(block, u32::from(block - b'A'), marked.contains(&cell)),
    });
    crate::Board { width: board.columns, cells: cells.collect() }
}
