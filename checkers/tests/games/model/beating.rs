//! A second implementation of the game on a strip: slow, plain, and written only from the statement.

/// The random generator by its recursive formula: all numbers so far, and all carries.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    x: Vec<i128>,
    c: Vec<i128>,
}

impl Random {
    pub(crate) fn new(seed: &[u32]) -> Self {
        Self { x: seed.iter().copied().map(i128::from).collect(), c: vec![0; 43] }
    }

    fn random(&mut self) -> u64 {
        let i = self.x.len();
        let difference = self.x[i - 22] - self.x[i - 43] - self.c[i - 1];
        self.c.push(if difference < 0 { 1 } else { 0 });
        self.x.push(difference.rem_euclid(1 << 32));
        self.x[i] as u64
    }
}

/// A strip with the numbers themselves on it: 0 is an empty cell.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) strip: Vec<u128>,
    pub(crate) score: u128,
    pub(crate) random: Random,
}

impl Model {
    pub(crate) fn new(strip: &[u128], seed: &[u32]) -> Self {
        Self { strip: strip.to_vec(), score: 0, random: Random::new(seed) }
    }

    /// Makes one attempt: `l` or `r`. Returns whether it changed anything.
    pub(crate) fn attempt(&mut self, direction: char) -> bool {
        let before = self.strip.clone();
        // Seen in a mirror, a move to the right is one to the left.
        if direction == 'r' {
            self.strip.reverse();
        }
        self.slide_left();
        if direction == 'r' {
            self.strip.reverse();
        }
        if self.strip == before {
            return false;
        }
        let empty: Vec<usize> = (0..self.strip.len()).filter(|&cell| self.strip[cell] == 0).collect();
        let position = self.random.random() % empty.len() as u64;
        let value = if self.random.random().is_multiple_of(10) { 4 } else { 2 };
        self.strip[empty[position as usize]] = value;
        true
    }

    /// Moves one tile after another, the leftmost first.
    fn slide_left(&mut self) {
        let mut moved: Vec<u128> = Vec::new();
        let mut last_has_merged = false;
        for &tile in self.strip.iter().filter(|&&tile| tile > 0) {
            match moved.last_mut() {
                Some(last) if *last == tile && !last_has_merged => {
                    *last = 2 * tile;
                    self.score += 2 * tile;
                    last_has_merged = true;
                }
                _ => {
                    moved.push(tile);
                    last_has_merged = false;
                }
            }
        }
        moved.resize(self.strip.len(), 0);
        self.strip = moved;
    }
}
