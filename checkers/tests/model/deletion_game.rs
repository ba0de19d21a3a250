//! The rules once more: cell by cell, one fall at a time.

use num_bigint::{BigInt, BigUint};

/// How often a game came upon what is easy to get wrong.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) wasted: u64,
    pub(crate) single_cells: u64,
    pub(crate) primes: u64,
    pub(crate) palindromes: u64,
    pub(crate) prime_palindromes: u64,
    pub(crate) unpaid_primes: u64,
    pub(crate) shortest: u64,
    pub(crate) longest: u64,
    pub(crate) great_sums: u64,
    pub(crate) halved: u64,
    pub(crate) halved_beyond_64: u64,
    pub(crate) halved_to_something: u64,
    pub(crate) falls: u64,
    pub(crate) broken: [u64; 9],
}

/// The words by which a rejection is known, in the order of [`Seen::broken`].
pub(crate) const RULES: [&str; 9] = [
    "the number of moves M",
    "the length l",
    "the row x",
    "the column y",
    "the path jumps",
    "visits a cell twice",
    "visits a blank cell",
    "starts with 0",
    "the text goes on too long",
];

/// The first broken rule: which of [`RULES`], in which move, and where in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) rule: &'static str,
    pub(crate) step: Option<usize>,
    pub(crate) offset: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    BadInput,
    Rejected(Broken),
    Scored(BigInt),
}

pub(crate) struct Model {
    /// n, m, K, l_min, l_max, c1, c2, F.
    header: [i64; 8],
    pub(crate) grid: Vec<Vec<i64>>,
    sum: BigUint,
}

impl Model {
    pub(crate) fn read(input: &[u8]) -> Option<Self> {
        let first_line = input.split(|&byte| byte == b'\n').map(words).find(|line| !line.is_empty())?;
        let numbers: Option<Vec<i64>> = words(input).iter().map(|&(_, word)| integer(word)).collect();
        let mut numbers = numbers?;
        if first_line.len() == 1 && numbers.remove(0) < 0 {
            return None;
        }
        let header: [i64; 8] = numbers.get(..8)?.try_into().ok()?;
        let [n, m, k, shortest, longest, c1, c2, f] = header;
        let exponents = 0..=100;
        let sane = n >= 1 && m >= 1 && k >= 0 && shortest >= 1 && longest >= shortest && (f == 0 || f == 1);
        let cells = &numbers[8..];
        let complete = cells.len() as i128 == i128::from(n) * i128::from(m);
        let digits = cells.iter().all(|cell| (0..=9).contains(cell));
        let fits = sane && complete && digits && exponents.contains(&c1) && exponents.contains(&c2);
        fits.then(|| Self { header, grid: cells.chunks(m as usize).map(<[i64]>::to_vec).collect(), sum: 0_u8.into() })
    }

    fn at(&self, (x, y): (i64, i64)) -> i64 {
        self.grid[x as usize - 1][y as usize - 1]
    }

    /// Returns which rule the path breaks by going on to its last cell.
    pub(crate) fn broken_by_last(&self, path: &[(i64, i64)]) -> Option<&'static str> {
        let (&last, before) = path.split_last()?;
        let [n, m, ..] = self.header;
        if last.0 < 1 || last.0 > n {
            return Some("the row x");
        }
        if last.1 < 1 || last.1 > m {
            return Some("the column y");
        }
        if let Some(previous) = before.last()
            && (previous.0 - last.0).abs() + (previous.1 - last.1).abs() != 1
        {
            return Some("the path jumps");
        }
        if before.contains(&last) {
            return Some("visits a cell twice");
        }
        if self.at(last) == -1 {
            return Some("visits a blank cell");
        }
        (before.is_empty() && self.at(last) == 0).then_some("starts with 0")
    }

    /// Makes a legal move.
    pub(crate) fn play(&mut self, path: &[(i64, i64)], seen: &mut Seen) {
        let [.., shortest, longest, c1, c2, _] = self.header;
        let digits: Vec<i64> = path.iter().map(|&cell| self.at(cell)).collect();
        let number = digits.iter().fold(BigUint::from(0_u8), |number, &digit| number * 10_u8 + digit as u64);
        let length = BigUint::from(path.len());
        let (prime, palindrome) = (is_prime(&number), digits.iter().eq(digits.iter().rev()));
        let one = || BigUint::from(1_u8);
        let prime_score = if prime { length.pow(c1 as u32) } else { one() };
        let palindrome_score = if palindrome { length.pow(c2 as u32) } else { one() };
        seen.single_cells += u64::from(path.len() == 1);
        seen.shortest += u64::from(path.len() as i64 == shortest);
        seen.longest += u64::from(path.len() as i64 == longest);
        seen.unpaid_primes += u64::from(prime && prime_score == one());
        if prime_score == one() && palindrome_score == one() {
            seen.wasted += 1;
            return;
        }
        seen.primes += u64::from(prime_score != one());
        seen.palindromes += u64::from(palindrome_score != one());
        seen.prime_palindromes += u64::from(prime_score != one() && palindrome_score != one());
        self.sum += prime_score + palindrome_score;
        for &(x, y) in path {
            self.grid[x as usize - 1][y as usize - 1] = -1;
        }
        while self.fall_once() {
            seen.falls += 1;
        }
    }

    /// Lets the first digit above a blank cell fall by one. Returns whether there was one.
    fn fall_once(&mut self) -> bool {
        for i in 0..self.grid.len() - 1 {
            for j in 0..self.grid[i].len() {
                if self.grid[i][j] != -1 && self.grid[i + 1][j] == -1 {
                    self.grid[i + 1][j] = self.grid[i][j];
                    self.grid[i][j] = -1;
                    return true;
                }
            }
        }
        false
    }

    fn final_score(self, seen: &mut Seen) -> BigInt {
        let left = self.grid.iter().flatten().filter(|&&cell| cell != -1).count();
        seen.great_sums += u64::from(self.sum.bits() > 64);
        if self.header[7] == 0 || self.sum == BigUint::from(0_u8) {
            return self.sum.into();
        }
        seen.halved += 1;
        seen.halved_beyond_64 += u64::from(left > 64);
        let score = self.sum / BigUint::from(2_u8).pow(left as u32);
        seen.halved_to_something += u64::from(left > 0 && score > BigUint::from(0_u8));
        score.into()
    }

    /// Plays the whole answer.
    fn answer(mut self, answer: &[u8], seen: &mut Seen) -> Outcome {
        let words = words(answer);
        let mut reader = Reader { words: &words, next: 0, end: answer.len(), step: None };
        match self.moves(&mut reader, seen) {
            Err(broken) => {
                let index = RULES.iter().position(|&rule| rule == broken.rule).expect("every rule is listed");
                seen.broken[index] += 1;
                Outcome::Rejected(broken)
            }
            Ok(()) => Outcome::Scored(self.final_score(seen)),
        }
    }

    fn moves(&mut self, reader: &mut Reader<'_>, seen: &mut Seen) -> Result<(), Broken> {
        let [_, _, k, shortest, longest, ..] = self.header;
        let moves = reader.integer("the number of moves M", 0, k)?;
        for step in 1..=moves {
            reader.step = Some(step as usize);
            let length = reader.integer("the length l", shortest, longest)?;
            let mut path = Vec::new();
            for _ in 0..length {
                let at = reader.offset();
                let x = reader.integer("the row x", 1, self.header[0])?;
                let y = reader.integer("the column y", 1, self.header[1])?;
                path.push((x, y));
                if let Some(rule) = self.broken_by_last(&path) {
                    return Err(Broken { rule, step: reader.step, offset: at });
                }
            }
            self.play(&path, seen);
        }
        reader.step = None;
        match reader.words.get(reader.next) {
            None => Ok(()),
            Some(&(offset, _)) => Err(Broken { rule: "the text goes on too long", step: None, offset }),
        }
    }
}

pub(crate) fn outcome(input: &[u8], answer: &[u8], seen: &mut Seen) -> Outcome {
    Model::read(input).map_or(Outcome::BadInput, |model| model.answer(answer, seen))
}

struct Reader<'a> {
    words: &'a [(usize, &'a [u8])],
    next: usize,
    end: usize,
    step: Option<usize>,
}

impl Reader<'_> {
    fn offset(&self) -> usize {
        self.words.get(self.next).map_or(self.end, |word| word.0)
    }

    fn integer(&mut self, rule: &'static str, low: i64, high: i64) -> Result<i64, Broken> {
        let broken = Broken { rule, step: self.step, offset: self.offset() };
        let word = self.words.get(self.next).ok_or(broken.clone())?.1;
        self.next += 1;
        integer(word).filter(|&value| low <= value && value <= high).ok_or(broken)
    }
}

/// The words of a text and where they begin.
fn words(text: &[u8]) -> Vec<(usize, &[u8])> {
    let mut offset = 0;
    let mut words = Vec::new();
    for word in text.split(|byte| b" \t\r\n".contains(byte)) {
        if !word.is_empty() {
            words.push((offset, word));
        }
        offset += word.len() + 1;
    }
    words
}

fn integer(word: &[u8]) -> Option<i64> {
    let word = std::str::from_utf8(word).ok()?;
    if word.starts_with('+') { None } else { word.parse().ok() }
}

/// Trial division where that ends soon; else Fermat's test to every prime base below 100, strengthened by looking
/// for square roots of one on the way.
fn is_prime(number: &BigUint) -> bool {
    let (one, two) = (BigUint::from(1_u8), BigUint::from(2_u8));
    if let Ok(small) = u64::try_from(number)
        && small < 1_000_000
    {
        return small >= 2
            && (2..small).take_while(|factor| factor * factor <= small).all(|factor| small % factor != 0);
    }
    let bases = (2_u32..100).filter(|base| (2..*base).all(|factor| base % factor != 0));
    bases.map(BigUint::from).all(|base| {
        let mut exponent = number - &one;
        if base.modpow(&exponent, number) != one {
            return false;
        }
        while &exponent % &two == BigUint::from(0_u8) {
            exponent /= &two;
            let power = base.modpow(&exponent, number);
            if power != one {
                return &power + &one == *number;
            }
        }
        true
    })
}
