//! The playfield and its steps: landing, matching, clearing, settling.

/// Points for a match, and for a jewel that magic clears.
pub(super) const POINTS: u64 = 47;
/// The number of jewels in a piece.
const PIECE_HEIGHT: usize = 3;
/// The width of the widest playfield.
const MAX_WIDTH: usize = 12;
/// The height of the highest playfield.
const MAX_HEIGHT: usize = 19;
/// The four directions of a match, as steps right and up.
const DIRECTIONS: [(usize, isize); 4] = [(0, 1), (1, -1), (1, 0), (1, 1)];

/// A set of cells: bit y of entry x is the cell at height y of column x.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cells([u32; MAX_WIDTH]);

impl Cells {
    fn insert(&mut self, x: usize, y: usize) {
        self.0[x] |= 1 << y;
    }

    pub(super) fn contains(&self, x: usize, y: usize) -> bool {
        self.0[x] >> y & 1 == 1
    }

    pub(super) fn len(&self) -> u64 {
        self.0.iter().map(|column| u64::from(column.count_ones())).sum()
    }

    /// Returns the height of the lowest cell in this column, or a height above every playfield if there is none.
    fn lowest(&self, x: usize) -> isize {
        (self.0[x].trailing_zeros() as usize).cast_signed()
    }
}

/// The matches of one step.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matches {
    /// The number of triples.
    pub(super) count: u64,
    /// The cells of all of them.
    pub(super) cells: Cells,
}

/// The jewels of one column of the playfield. They have no gaps, so the height determines which cells are filled.
#[derive(Debug, Clone, Copy, Default)]
struct Stack {
    jewels: [u8; MAX_HEIGHT],
    height: usize,
}

/// The playfield. Between moves it has no match.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) width: usize,
    pub(super) height: usize,
    stacks: [Stack; MAX_WIDTH],
}

impl Field {
    /// Returns an empty playfield of a size that the statement allows.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, stacks: [Stack::default(); MAX_WIDTH] }
    }

    /// Returns the jewel at height y of column x.
    pub(super) fn jewel(&self, x: usize, y: usize) -> Option<u8> {
        self.stacks[x].jewels[..self.stacks[x].height].get(y).copied()
    }

    /// Returns the jewel on top of column x.
    pub(super) fn top(&self, x: usize) -> Option<u8> {
        self.stacks[x].jewels[..self.stacks[x].height].last().copied()
    }

    /// Returns whether a piece that lands on column x, magic or not, stays within the playfield.
    pub(super) fn has_room(&self, x: usize) -> bool {
        self.stacks[x].height + PIECE_HEIGHT <= self.height
    }

    /// Puts three jewels, given bottom to top, on column x, where they fit. Returns their cells.
    pub(super) fn land(&mut self, x: usize, jewels: [u8; PIECE_HEIGHT]) -> Cells {
        let stack = &mut self.stacks[x];
        let mut landed = Cells::default();
        for jewel in jewels {
            landed.insert(x, stack.height);
            stack.jewels[stack.height] = jewel;
            stack.height += 1;
        }
        landed
    }

    /// Returns all cells with this jewel.
    pub(super) fn all_of(&self, jewel: u8) -> Cells {
        let mut found = Cells::default();
        for (x, stack) in self.stacks.iter().enumerate() {
            for y in (0..stack.height).filter(|&y| stack.jewels[y] == jewel) {
                found.insert(x, y);
            }
        }
        found
    }

    /// Returns all matches. `changed` are the cells that have changed since there was none.
    pub(super) fn matches(&self, changed: &Cells) -> Matches {
        let mut found = Matches::default();
        for (across, up) in DIRECTIONS {
            for x in 0..self.width - 2 * across {
                self.matches_from(x, across, up, changed, &mut found);
            }
        }
        found
    }

    /// Adds the matches in one direction whose first cell is in column x. Triples without a changed cell are skipped.
    /// Each column has changed from some height upwards, so the height of the first cell has a lower bound.
    fn matches_from(&self, x: usize, across: usize, up: isize, changed: &Cells, found: &mut Matches) {
        let [a, b, c] = [x, x + across, x + 2 * across];
        if changed.0[a] | changed.0[b] | changed.0[c] == 0 {
            return;
        }
        let top = |x: usize| self.stacks[x].height.cast_signed();
        let low = changed.lowest(a).min(changed.lowest(b) - up).min(changed.lowest(c) - 2 * up);
        let high = top(a).min(top(b) - up).min(top(c) - 2 * up);
        for y in low.max(0).max(-2 * up)..high {
            let heights = [y, y + up, y + 2 * up].map(isize::cast_unsigned);
            let jewel = self.stacks[a].jewels[heights[0]];
            if self.stacks[b].jewels[heights[1]] == jewel && self.stacks[c].jewels[heights[2]] == jewel {
                found.count += 1;
                found.cells.insert(a, heights[0]);
                found.cells.insert(b, heights[1]);
                found.cells.insert(c, heights[2]);
            }
        }
    }

    /// Removes these jewels and lets those above them fall. Returns the cells of the fallen jewels.
    pub(super) fn clear(&mut self, cells: &Cells) -> Cells {
        let mut fallen = Cells::default();
        for (x, stack) in self.stacks.iter_mut().enumerate().filter(|(x, _)| cells.0[*x] != 0) {
            let lowest = cells.0[x].trailing_zeros() as usize;
            let mut height = lowest;
            for y in lowest..stack.height {
                if !cells.contains(x, y) {
                    stack.jewels[height] = stack.jewels[y];
                    fallen.insert(x, height);
                    height += 1;
                }
            }
            stack.height = height;
        }
        fallen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a playfield from its columns, bottom to top, and finds its matches with everything changed.
    fn field(columns: &[&str]) -> (Field, Matches) {
        let mut field = Field::new(12, 19);
        let mut all = Cells::default();
        for (x, column) in columns.iter().enumerate() {
            for (y, jewel) in column.bytes().enumerate() {
                field.stacks[x].jewels[y] = jewel;
                all.insert(x, y);
            }
            field.stacks[x].height = column.len();
        }
        let matches = field.matches(&all);
        (field, matches)
    }

    #[test]
    fn a_run_of_r_gives_r_minus_two_matches() {
        for run in 0..=12_usize {
            let expected = (run.saturating_sub(2) as u64, if run < 3 { 0 } else { run as u64 });
            for columns in [vec!["a"; run], vec![&"a".repeat(run)], diagonal(run, 0), diagonal(run, run)] {
                let columns: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
                let (_, matches) = field(&columns);
                assert_eq!((matches.count, matches.cells.len()), expected, "{columns:?}");
            }
        }
    }

    /// Returns columns with a rising (`from` 0) or falling (`from` the run) diagonal of `a` over a matchless ground.
    fn diagonal(run: usize, from: usize) -> Vec<&'static str> {
        const GROUND: [&str; 2] = ["bbccbbccbbccbbcc", "ddeeddeeddeeddee"];
        (0..run)
            .map(|x| {
                let height = from.abs_diff(x);
                let column = format!("{}a", &GROUND[x % 2][..height]);
                &*column.leak()
            })
            .collect()
    }

    #[test]
    fn a_jewel_counts_in_each_of_its_matches() {
        let (mut field, matches) = field(&["aaa", "aba", "aaa"]);
        assert_eq!((matches.count, matches.cells.len()), (4, 8));
        let fallen = field.clear(&matches.cells);
        assert_eq!((fallen.len(), field.jewel(1, 0), field.top(0)), (1, Some(b'b'), None));
    }

    #[test]
    fn a_column_needs_room_for_all_three() {
        let mut field = Field::new(6, 13);
        for _ in 0..3 {
            field.land(2, *b"abc");
        }
        assert!(field.has_room(2), "9 + 3 <= 13");
        field.land(2, *b"abc");
        assert!(!field.has_room(2), "12 + 3 > 13");
        assert!(field.has_room(1));
    }

    #[test]
    fn all_of_a_colour_is_found_and_the_rest_falls() {
        let (mut field, _) = field(&["abab", "", "bbcb"]);
        let fallen = field.clear(&field.all_of(b'b'));
        assert_eq!(fallen, Cells([0b10, 0, 0b1, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        let left: Vec<_> = (0..3).map(|x| (field.jewel(x, 0), field.jewel(x, 1), field.jewel(x, 2))).collect();
        assert_eq!(left, [(Some(b'a'), Some(b'a'), None), (None, None, None), (Some(b'c'), None, None)]);
    }
}
