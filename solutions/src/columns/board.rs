//! The playfield of Columns as bit planes: bit `y` of plane `p` in column `x` is bit `p` of the colour at `(x, y)`.
//!
//! All cells are compared with a neighbour at once, so a search can play millions of columns a second.

use super::{Color, Column, Game, Placement};

/// Points for one match at multiplier 1, and for one jewel that magic clears.
const POINTS: u32 = 47;

/// The width of the widest field.
const MAX_WIDTH: usize = 12;

/// A bit set of cells: bit `y` of word `x`. It is wider than any field, so that a neighbour to the right always exists.
type Cells = [u32; 16];

/// A playfield whose colours are below `2^P`.
#[derive(Debug, Clone)]
pub(super) struct Board<const P: usize> {
    planes: [Cells; P],
    heights: [u8; MAX_WIDTH],
    width: u8,
    height: u8,
}

/// The matches of one step.
struct Matches {
    count: u32,
    cells: Cells,
}

impl<const P: usize> Board<P> {
    /// Returns the empty field of a game with at most `2^P` colours.
    pub(super) fn new(game: &Game) -> Self {
        debug_assert!(game.colors() <= 1 << P);
        let [width, height] = [game.width, game.height].map(|size| u8::try_from(size).expect("read within limits"));
        Self { planes: [[0; 16]; P], heights: [0; MAX_WIDTH], width, height }
    }

    /// Returns the height of each column of the field.
    pub(super) fn heights(&self) -> &[u8] {
        &self.heights[..usize::from(self.width)]
    }

    /// Returns whether a column can land at `x` without ending the game.
    pub(super) fn fits(&self, x: u8) -> bool {
        self.heights[usize::from(x)] + 3 <= self.height
    }

    /// Returns the colour at a place, if there is a jewel.
    pub(super) fn color(&self, x: usize, y: usize) -> Option<Color> {
        let filled = *self.heights().get(x)?;
        let is_set = |plane: &Cells| plane[x] >> y & 1 == 1;
        let color = self.planes.iter().rev().fold(0, |color, plane| color << 1 | Color::from(is_set(plane)));
        (y < usize::from(filled)).then_some(color)
    }

    /// Returns the number of free cells above column `x`.
    pub(super) fn room(&self, x: usize) -> u8 {
        self.height - self.heights[x]
    }

    /// Returns the number of neighbouring pairs of one colour, in all four directions.
    pub(super) fn pairs(&self) -> u32 {
        let occupied = self.occupied();
        let directions = [
            self.pairs_along::<0>(&occupied, |cells| cells >> 1),
            self.pairs_along::<1>(&occupied, |cells| cells),
            self.pairs_along::<1>(&occupied, |cells| cells >> 1),
            self.pairs_along::<1>(&occupied, |cells| cells << 1),
        ];
        directions.iter().map(count).sum()
    }

    /// Returns a hash of the position.
    pub(super) fn hash(&self) -> u64 {
        let heights = self.heights.iter().map(|&height| u64::from(height));
        let cells = self.planes.iter().flat_map(|plane| &plane[..MAX_WIDTH]).map(|&cells| u64::from(cells));
        // The product with the golden ratio spreads every word over the whole number.
        heights
            .chain(cells)
            .fold(0, |hash: u64, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
    }

    /// Puts a single jewel on top of column `x`. Returns the points that follow.
    pub(super) fn drop_jewel(&mut self, x: usize, color: Color) -> u32 {
        self.put(x, color);
        self.resolve()
    }

    /// Plays a column where it [fits](Self::fits). Returns the points it brings.
    pub(super) fn play(&mut self, column: Column, placement: Placement) -> u32 {
        let x = usize::from(placement.x);
        let magic = match column {
            Column::Magic => self.clear_color_under(x),
            Column::Jewels(jewels) => {
                for i in 0..3 {
                    self.put(x, jewels[(i + usize::from(placement.shift)) % 3]);
                }
                0
            }
        };
        magic + self.resolve()
    }

    fn put(&mut self, x: usize, color: Color) {
        let y = self.heights[x];
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            plane[x] |= u32::from(color >> bit & 1) << y;
        }
        self.heights[x] += 1;
    }

    /// Clears every jewel of the colour on top of column `x`. Returns the points.
    fn clear_color_under(&mut self, x: usize) -> u32 {
        let Some(top) = self.heights[x].checked_sub(1) else { return 0 };
        let mut cells = self.occupied();
        for plane in &self.planes {
            let wanted = (plane[x] >> top & 1).wrapping_neg();
            for (cells, plane) in cells.iter_mut().zip(plane) {
                *cells &= !(plane ^ wanted);
            }
        }
        self.remove(&cells);
        POINTS * count(&cells)
    }

    /// Clears matches and lets the rest fall, until nothing matches. Returns the points.
    fn resolve(&mut self) -> u32 {
        let mut points = 0;
        for multiplier in 1.. {
            let matches = self.matches();
            if matches.count == 0 {
                break;
            }
            points += POINTS * multiplier * matches.count;
            self.remove(&matches.cells);
        }
        points
    }

    fn matches(&self) -> Matches {
        let occupied = self.occupied();
        let mut matches = Matches { count: 0, cells: [0; 16] };
        self.match_direction::<0>(&occupied, |cells| cells >> 1, |cells| cells << 1, &mut matches);
        self.match_direction::<1>(&occupied, |cells| cells, |cells| cells, &mut matches);
        self.match_direction::<1>(&occupied, |cells| cells >> 1, |cells| cells << 1, &mut matches);
        self.match_direction::<1>(&occupied, |cells| cells << 1, |cells| cells >> 1, &mut matches);
        matches
    }

    /// Adds the matches along one direction. A step goes `DX` columns to the right. `here` moves the bits of the
    /// neighbour to the place of the cell, and `there` moves them back.
    #[inline(always)]
    fn match_direction<const DX: usize>(
        &self,
        occupied: &Cells,
        here: impl Fn(u32) -> u32,
        there: impl Fn(u32) -> u32,
        matches: &mut Matches,
    ) {
        let pairs = self.pairs_along::<DX>(occupied, &here);
        let starts: [u32; MAX_WIDTH] = std::array::from_fn(|x| pairs[x] & here(pairs[x + DX]));
        if starts.iter().fold(0, |any, cells| any | cells) == 0 {
            return;
        }
        for (x, starts) in starts.into_iter().enumerate() {
            matches.count += starts.count_ones();
            matches.cells[x] |= starts;
            matches.cells[x + DX] |= there(starts);
            matches.cells[x + 2 * DX] |= there(there(starts));
        }
    }

    /// Returns the cells whose neighbour along a direction has the same colour.
    #[inline(always)]
    fn pairs_along<const DX: usize>(&self, occupied: &Cells, here: impl Fn(u32) -> u32) -> Cells {
        let mut pairs = [0; 16];
        for x in 0..MAX_WIDTH {
            let differ = self.planes.iter().fold(0, |differ, plane| differ | (plane[x] ^ here(plane[x + DX])));
            pairs[x] = occupied[x] & here(occupied[x + DX]) & !differ;
        }
        pairs
    }

    fn occupied(&self) -> Cells {
        let mut cells = [0; 16];
        for (cells, height) in cells.iter_mut().zip(self.heights) {
            *cells = (1 << height) - 1;
        }
        cells
    }

    /// Removes the cells and lets everything above them fall.
    fn remove(&mut self, cells: &Cells) {
        for x in 0..usize::from(self.width) {
            let mut gone = cells[x];
            while gone != 0 {
                let top = gone.ilog2();
                gone &= !(1 << top);
                let below = (1 << top) - 1;
                for plane in &mut self.planes {
                    plane[x] = plane[x] & below | plane[x] >> 1 & !below;
                }
                self.heights[x] -= 1;
            }
        }
    }
}

fn count(cells: &Cells) -> u32 {
    cells.iter().map(|column| column.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;
    use crate::search::Random;

    fn points(text: &str, placements: &[(u8, u8)]) -> Vec<u32> {
        let game = Game::read(text.as_bytes()).unwrap();
        let mut board = Board::<5>::new(&game);
        let placements = placements.iter().map(|&(x, shift)| Placement { x, shift });
        game.columns.iter().zip(placements).map(|(&column, placement)| board.play(column, placement)).collect()
    }

    #[test]
    fn a_run_of_five_is_three_matches() {
        assert_eq!(points("6 13 2 baa aab", &[(0, 0), (0, 0)]), [0, 2 * POINTS]);
        assert_eq!(points("6 13 2 baa aaa", &[(0, 0), (0, 0)]), [0, 3 * POINTS]);
    }

    #[test]
    fn lines_are_found_across_and_along_both_diagonals() {
        assert_eq!(points("6 13 3 abc abd aee", &[(3, 0), (4, 0), (5, 0)]), [0, 0, POINTS]);
        assert_eq!(points("6 13 3 abc dae ffa", &[(3, 0), (4, 0), (5, 0)]), [0, 0, POINTS]);
        assert_eq!(points("6 13 3 bca dae aff", &[(0, 0), (1, 0), (2, 0)]), [0, 0, POINTS]);
    }

    #[test]
    fn shifting_moves_the_bottom_jewel_on_top() {
        // `abc` shifted once is `bca`: its `a` is level with the two others.
        assert_eq!(points("6 13 3 dea fga abc", &[(0, 0), (1, 0), (2, 1)]), [0, 0, POINTS]);
    }

    #[test]
    fn magic_clears_the_colour_it_lands_on_and_nothing_on_the_floor() {
        assert_eq!(points("6 13 3 aba cad ***", &[(0, 0), (1, 0), (0, 0)]), [0, 0, 3 * POINTS]);
        assert_eq!(points("6 13 2 aba ***", &[(0, 0), (1, 0)]), [0, 0]);
    }

    #[test]
    fn a_chain_multiplies() {
        // The `b`s go first, then the `a`s that were around them.
        assert_eq!(points("6 13 2 abb baa", &[(0, 0), (0, 0)]), [0, POINTS + 2 * POINTS]);
    }

    /// Returns the score of an answer, or none if it is not one.
    fn score<const P: usize>(game: &Game, answer: &str) -> Option<u32> {
        let numbers = answer.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<u8>, _>>().ok()?;
        let mut placements = numbers.get(1..)?.chunks_exact(2).map(|pair| Placement { x: pair[0] - 1, shift: pair[1] });
        let mut board = Board::<P>::new(game);
        let mut score = 0;
        for &column in &game.columns {
            let placement = placements.next().unwrap_or(Placement { x: 0, shift: 0 });
            if !board.fits(placement.x) {
                break;
            }
            score += board.play(column, placement);
        }
        Some(score)
    }

    #[test]
    fn known_answers_have_their_known_scores() {
        let Some(folder) = ground_truth::folder("columns") else { return };
        let mut compared = 0;
        for stem in ground_truth::stems(&folder, "expect") {
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            let Ok(expected) = read("expect").trim().parse::<u32>() else { continue };
            // The first number of an answer can pass 255.
            let answer =
                read("out").split_ascii_whitespace().skip(1).fold("0".to_owned(), |all, word| all + " " + word);
            let game = Game::read(read("in").as_bytes()).unwrap();
            assert_eq!(score::<5>(&game, &answer), Some(expected), "{}", stem.display());
            compared += 1;
        }
        assert!(compared > 20);
    }

    #[test]
    fn random_play_scores_as_the_checker_says() {
        let checker = checkers::find("columns").unwrap();
        let mut random = Random::new(23);
        let mut scored = 0;
        for _ in 0..300 {
            let [width, height, count] = [6 + random.below(7), 13 + random.below(7), 1 + random.below(100)];
            let letters = &b"abcdefghijklmnopqrstuvwxyz"[..1 + random.below(26)];
            let column = |random: &mut Random| match random.below(20) {
                0 => "***".to_owned(),
                _ => (0..3).map(|_| char::from(*random.pick(letters))).collect(),
            };
            let columns: Vec<String> = (0..count).map(|_| column(&mut random)).collect();
            let input = format!("{width} {height}\n{count}\n{}\n", columns.join("\n"));
            let played = random.below(count + 1);
            let placement = |random: &mut Random| format!(" {} {}", 1 + random.below(width), random.below(3));
            let answer = (0..played).fold(played.to_string(), |answer, _| answer + &placement(&mut random));
            let game = Game::read(input.as_bytes()).unwrap();
            let expected = checker.read(input.as_bytes()).unwrap().check(answer.as_bytes()).unwrap().to_string();
            let found = score::<5>(&game, &answer).unwrap();
            assert_eq!(found.to_string(), expected, "{input}{answer}");
            if game.colors() <= 8 {
                assert_eq!(score::<3>(&game, &answer), Some(found), "{input}{answer}");
            }
            scored += u32::from(found > 0);
        }
        assert!(scored > 100, "{scored}");
    }
}
