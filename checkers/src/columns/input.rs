//! The input of a case: the playfield's size and the columns that fall.

use crate::Malformed;
use crate::tokens::Tokens;

/// One falling column: three letters, bottom to top, or three stars, which are magic jewels. The statement calls it
/// "column", which here means a column of the playfield.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece(pub(super) [u8; 3]);

impl Piece {
    /// Three magic jewels.
    pub(super) const MAGIC: Self = Self(*b"***");
}

/// A case, found valid.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    /// From 6 to 12.
    pub(super) width: usize,
    /// From 13 to 19.
    pub(super) height: usize,
    /// From 1 to 10,000.
    pub(super) pieces: Vec<Piece>,
}

impl Input {
    /// Reads `w h`, `k` and k columns.
    pub(super) fn read(text: &[u8]) -> Result<Self, Malformed> {
        let mut tokens = Tokens::new(text);
        let width = tokens.integer("the width w", 6..=12)?;
        let height = tokens.integer("the height h", 13..=19)?;
        let count = tokens.integer("the number of pieces k", 1..=10_000)?;
        let mut pieces = Vec::with_capacity(count);
        for _ in 0..count {
            pieces.push(read_piece(&mut tokens)?);
        }
        tokens.end()?;
        Ok(Self { width, height, pieces })
    }

    /// Returns the number of different colours.
    pub(super) fn colors(&self) -> usize {
        let mut seen = 0_u32;
        for Piece(letters) in self.pieces.iter().filter(|&&piece| piece != Piece::MAGIC) {
            seen = letters.iter().fold(seen, |seen, letter| seen | 1 << (letter - b'a'));
        }
        seen.count_ones() as usize
    }

    /// Returns the number of magic pieces.
    pub(super) fn magic(&self) -> usize {
        self.pieces.iter().filter(|&&piece| piece == Piece::MAGIC).count()
    }
}

fn read_piece(tokens: &mut Tokens<'_>) -> Result<Piece, Malformed> {
    const EXPECTED: &str = "*** or three lowercase letters";
    if let Some(letters) = tokens.short(|letters| letters.iter().all(u8::is_ascii_lowercase)) {
        return Ok(Piece(letters));
    }
    let token = tokens.token(EXPECTED)?;
    match *token.bytes {
        [b'*', b'*', b'*'] => Ok(Piece::MAGIC),
        [a @ b'a'..=b'z', b @ b'a'..=b'z', c @ b'a'..=b'z'] => Ok(Piece([a, b, c])),
        _ => Err(tokens.wrong(token, "this is not a column", EXPECTED).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_with_any_white_space() {
        let input = Input::read(b" 6\t13\r\n\n3 abz *** zza").unwrap();
        let pieces = vec![Piece(*b"abz"), Piece::MAGIC, Piece(*b"zza")];
        assert_eq!(input, Input { width: 6, height: 13, pieces });
        assert_eq!((input.colors(), input.magic()), (3, 1));
    }

    #[test]
    fn the_first_broken_constraint_is_named_with_its_place() {
        let long = format!("6 13\n10001\n{}", "aaa\n".repeat(10_001));
        for (text, complaint) in [
            (
                "",
                "line 1, column 1: the text ends too early: expected the width w, an integer from 6 to 12, found the end",
            ),
            (
                "5 13\n1\naaa",
                "line 1, column 1: the width w is out of range: expected an integer from 6 to 12, found `5`",
            ),
            (
                "6 20\n1\naaa",
                "line 1, column 3: the height h is out of range: expected an integer from 13 to 19, found `20`",
            ),
            (
                "6 13\n0\n",
                "line 2, column 1: the number of pieces k is out of range: expected an integer from 1 to 10000, found `0`",
            ),
            (
                &long,
                "line 2, column 1: the number of pieces k is out of range: expected an integer from 1 to 10000, found `10001`",
            ),
            (
                "6 13\n2\naaa\naA*",
                "line 4, column 1: this is not a column: expected *** or three lowercase letters, found `aA*`",
            ),
            (
                "6 13\n1\n****",
                "line 3, column 1: this is not a column: expected *** or three lowercase letters, found `****`",
            ),
            (
                "6 13\n2\naaa\n",
                "line 4, column 1: the text ends too early: expected *** or three lowercase letters, found the end",
            ),
            ("6 13\n1\naaa\nbbb", "line 4, column 1: the text goes on too long: expected the end, found `bbb`"),
        ] {
            assert_eq!(Input::read(text.as_bytes()).unwrap_err().to_string(), complaint);
        }
    }
}
