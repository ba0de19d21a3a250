//! An input as text, and its parts that can be left out: lines, columns, tokens and letters. If a number elsewhere in
//! the text counts these parts, it is lowered with them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// Counts are searched for in this many lines at the top.
const HEADER: usize = 8;

/// Counts are searched for in this many lines before the counted parts.
const NEAR: usize = 4;

/// The maximum number of counts that are tried.
const MAX_COUNTS: usize = 3;

/// The minimum number of lines of a table.
const TABLE: usize = 3;

/// A text, line by line. Blank lines at the end are not kept.
pub struct Text {
    lines: Vec<Vec<u8>>,
    /// The positions of each line's tokens. A line is split on first use.
    tokens: Vec<OnceCell<Vec<Range<usize>>>>,
    /// Whether the last line ends with a newline. Some solvers do not read it otherwise.
    has_last_newline: bool,
}

/// Parts of a text that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The cases of a file whose first line is their number. Each has this many lines; `None`: its first number is the
    /// number of lines that follow.
    Groups(Option<usize>),
    /// Lines.
    Lines,
    /// The rows of a square that starts in this line, each with the column of the same number.
    Squares(usize),
    /// The columns of the table in these lines: tokens, or letters where each line has one token.
    Columns(usize, usize),
    /// The tokens of a line.
    Tokens(usize),
    /// The letters of a token.
    Letters(usize, usize),
}

/// The place of a token: its line, and its number in the line.
type Place = (usize, usize);

/// The difference between one text and the next.
#[derive(Default, Clone)]
struct Edit {
    /// Lines that are left out.
    lines: Vec<Range<usize>>,
    /// Tokens that are replaced, or left out.
    tokens: BTreeMap<Place, Option<Vec<u8>>>,
}

impl Text {
    /// Reads a text.
    pub fn read(bytes: &[u8]) -> Self {
        let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        while lines.last().is_some_and(|line| line.iter().all(u8::is_ascii_whitespace)) {
            lines.pop();
        }
        Self::of(lines, bytes.is_empty() || bytes.ends_with(b"\n"))
    }

    fn of(lines: Vec<Vec<u8>>, has_last_newline: bool) -> Self {
        let tokens = vec![OnceCell::new(); lines.len()];
        Self { lines, tokens, has_last_newline }
    }

    /// Returns the positions of a line's tokens; none if there is no such line.
    fn tokens(&self, line: usize) -> &[Range<usize>] {
        self.lines.get(line).map_or(&[], |text| self.tokens[line].get_or_init(|| tokens(text)))
    }

    /// Returns the kinds of parts, those with the largest parts first.
    pub fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        if let Some(count) = self.cases() {
            let others = self.lines.len() - 1;
            kinds
                .extend((others.is_multiple_of(count) && others > count).then_some(Kind::Groups(Some(others / count))));
            kinds.push(Kind::Groups(None));
        }
        kinds.push(Kind::Lines);
        let tables = self.tables();
        kinds.extend(tables.iter().map(|table| Kind::Squares(table.start)));
        kinds.extend(tables.iter().map(|table| Kind::Columns(table.start, table.end)));
        let is_in_table = |line: &usize| tables.iter().any(|table| table.len() >= TABLE && table.contains(line));
        for line in (0..self.lines.len()).filter(|line| !is_in_table(line)) {
            let tokens = self.tokens(line);
            if tokens.len() > 1 {
                kinds.push(Kind::Tokens(line));
            }
            let is_word = |range: &Range<usize>| range.len() > 1 && number(&self.lines[line][range.clone()]).is_none();
            let words = tokens.iter().enumerate().filter(|(_, range)| is_word(range));
            kinds.extend(words.map(|(token, _)| Kind::Letters(line, token)));
        }
        kinds
    }

    /// Returns how many parts of this kind there are.
    pub fn count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Groups(size) => self.groups(size).map_or(0, |groups| groups.len()),
            Kind::Lines => self.lines.len(),
            Kind::Squares(first) => {
                let size = self.width(first);
                let is_row = |line| self.width(line) == size;
                if size > 1 && (first..first + size).all(is_row) { size } else { 0 }
            }
            Kind::Columns(first, _) => self.width(first),
            Kind::Tokens(line) => self.tokens(line).len(),
            Kind::Letters(line, token) => self.token((line, token)).map_or(0, <[u8]>::len),
        }
    }

    /// Returns the texts without these parts of a kind, in order, the most likely first: with the count of the parts
    /// lowered, and then with it unchanged.
    pub fn without(&self, kind: Kind, parts: Range<usize>) -> Vec<Vec<u8>> {
        self.without_all(kind, &[parts])
    }

    /// As [`without`](Self::without), for parts that are apart.
    pub fn without_all(&self, kind: Kind, parts: &[Range<usize>]) -> Vec<Vec<u8>> {
        let removed: usize = parts.iter().map(Range::len).sum();
        let mut edit = Edit::default();
        let is_out = |part: usize| parts.iter().any(|range| range.contains(&part));
        let counts: Vec<Place> = match kind {
            Kind::Groups(size) => {
                let Some(groups) = self.groups(size) else { return Vec::new() };
                edit.lines = parts.iter().filter_map(|range| join(groups.get(range.clone())?)).collect();
                vec![(0, 0)]
            }
            Kind::Lines => {
                edit.lines = parts.to_vec();
                self.counts_of_lines(parts)
            }
            Kind::Squares(first) => {
                edit.lines = parts.iter().map(|range| first + range.start..first + range.end).collect();
                let size = self.count(kind);
                let rows = (first..first + size).filter(|line| !is_out(line - first));
                rows.for_each(|line| self.narrow(line, &is_out, &mut edit));
                self.counts(first, size)
            }
            Kind::Columns(first, end) => {
                (first..end).for_each(|line| self.narrow(line, &is_out, &mut edit));
                self.counts(first, self.width(first))
            }
            Kind::Tokens(line) => {
                let count = self.count(kind);
                edit.tokens = (0..count).filter(|token| is_out(*token)).map(|token| ((line, token), None)).collect();
                let own = self.number((line, 0)).filter(|_| !is_out(0));
                let own = own.filter(|value| usize::try_from(*value).is_ok_and(|value| value == count - 1));
                own.map(|_| (line, 0)).into_iter().chain(self.counts(line, count)).collect()
            }
            Kind::Letters(line, token) => {
                let letters = self.token((line, token)).unwrap_or_default();
                edit.tokens = [((line, token), Some(kept(letters, &is_out)))].into();
                self.counts(line, letters.len())
            }
        };
        self.with_counts(&edit, &counts, removed)
    }

    /// Returns the texts of an edit: with each of these counts lowered, with all, and with none.
    fn with_counts(&self, edit: &Edit, counts: &[Place], removed: usize) -> Vec<Vec<u8>> {
        let lowered = |places: &[Place]| {
            let mut edit = edit.clone();
            for &place in places {
                let value = self.number(place)?.checked_sub(i128::try_from(removed).ok()?)?;
                edit.tokens.insert(place, Some(value.to_string().into_bytes()));
            }
            Some(self.edited(&edit))
        };
        let mut texts: Vec<Vec<u8>> = counts.iter().filter_map(|place| lowered(&[*place])).collect();
        if counts.len() > 1 {
            texts.extend(lowered(counts));
        }
        texts.push(self.edited(edit));
        texts
    }

    /// Returns the places of all numbers.
    pub fn numbers(&self) -> Vec<(usize, usize)> {
        let places = (0..self.lines.len()).flat_map(|line| self.places(line));
        places.filter(|place| self.number(*place).is_some()).collect()
    }

    /// Returns the text with these numbers changed; `None` if none changes.
    pub fn with_numbers(&self, places: &[(usize, usize)], change: impl Fn(i128) -> i128) -> Option<Vec<u8>> {
        let mut edit = Edit::default();
        for &place in places {
            let Some(value) = self.number(place) else { continue };
            let changed = change(value);
            if changed != value {
                edit.tokens.insert(place, Some(changed.to_string().into_bytes()));
            }
        }
        (!edit.tokens.is_empty()).then(|| self.edited(&edit))
    }

    /// Returns the number at a place.
    pub fn number(&self, place: (usize, usize)) -> Option<i128> {
        self.token(place).and_then(number)
    }

    /// Returns the text with two lines, or two tokens of a line, exchanged; `None` for other parts.
    pub fn exchanged(&self, kind: Kind, first: usize, second: usize) -> Option<Vec<u8>> {
        match kind {
            Kind::Lines => {
                let mut lines = self.lines.clone();
                lines.swap(first, second);
                Some(Self::of(lines, self.has_last_newline).edited(&Edit::default()))
            }
            Kind::Tokens(line) => {
                let [left, right] = [first, second].map(|token| self.token((line, token)).map(<[u8]>::to_vec));
                let tokens = [((line, first), right), ((line, second), left)].into();
                Some(self.edited(&Edit { tokens, ..Edit::default() }))
            }
            _ => None,
        }
    }

    /// Returns the letters of the text, in their order.
    pub fn letters(&self) -> Vec<u8> {
        let mut seen = [false; 256];
        self.lines.iter().flatten().for_each(|&byte| seen[usize::from(byte)] = true);
        (0..=u8::MAX).filter(|&byte| byte.is_ascii_alphabetic() && seen[usize::from(byte)]).collect()
    }

    /// Returns the text with one letter replaced by another.
    pub fn with_letter(&self, from: u8, to: u8) -> Vec<u8> {
        let replaced =
            self.lines.iter().map(|line| line.iter().map(|&byte| if byte == from { to } else { byte }).collect());
        Self::of(replaced.collect(), self.has_last_newline).edited(&Edit::default())
    }

    /// The number of cases that the first line announces, if it has one number above 1.
    fn cases(&self) -> Option<usize> {
        let count = self.number((0, 0)).filter(|_| self.tokens(0).len() == 1)?;
        usize::try_from(count).ok().filter(|count| (2..self.lines.len()).contains(count))
    }

    /// The lines of each group; `None` if they are not as the first line announces.
    fn groups(&self, size: Option<usize>) -> Option<Vec<Range<usize>>> {
        let (mut groups, mut start) = (Vec::new(), 1);
        for _ in 0..self.cases()? {
            let more = match size {
                Some(size) => size,
                None => usize::try_from(self.number((start, 0))?).ok()?.checked_add(1)?,
            };
            let end = start.checked_add(more)?;
            groups.push(start..end);
            start = end;
        }
        (start == self.lines.len()).then_some(groups)
    }

    /// The ranges of two or more lines with the same number of tokens, or with one token of the same length.
    fn tables(&self) -> Vec<Range<usize>> {
        let form = |line: usize| match self.tokens(line) {
            [only] => (1, only.len()),
            several => (several.len(), 0),
        };
        let forms: Vec<(usize, usize)> = (0..self.lines.len()).map(form).collect();
        let mut tables = Vec::new();
        let mut start = 0;
        for stretch in forms.chunk_by(|form, next| form == next) {
            if stretch.len() > 1 && self.width(start) > 1 {
                tables.push(start..start + stretch.len());
            }
            start += stretch.len();
        }
        tables
    }

    /// The number of columns of a line in a table: tokens, or letters of its only token.
    fn width(&self, line: usize) -> usize {
        match self.tokens(line) {
            [only] => only.len(),
            several => several.len(),
        }
    }

    /// Leaves columns of a line out.
    fn narrow(&self, line: usize, is_out: &dyn Fn(usize) -> bool, edit: &mut Edit) {
        match self.tokens(line) {
            [only] => {
                edit.tokens.insert((line, 0), Some(kept(&self.lines[line][only.clone()], is_out)));
            }
            several => {
                let out = (0..several.len()).filter(|token| is_out(*token));
                edit.tokens.extend(out.map(|token| ((line, token), None)));
            }
        }
    }

    /// Returns the places of a line's tokens.
    fn places(&self, line: usize) -> impl Iterator<Item = Place> {
        (0..self.tokens(line).len()).map(move |token| (line, token))
    }

    fn token(&self, (line, token): Place) -> Option<&[u8]> {
        let range = self.tokens(line).get(token)?.clone();
        Some(&self.lines[line][range])
    }

    /// The numbers in lines where counts stand, before this line.
    fn header_numbers(&self, before: usize) -> impl Iterator<Item = (Place, usize)> {
        let near = (before.saturating_sub(NEAR)..before).rev();
        let lines = near.chain((0..before.min(HEADER)).filter(move |line| line + NEAR < before));
        lines.flat_map(move |line| {
            let value = |place| usize::try_from(self.number(place)?).ok();
            self.places(line).filter_map(move |place| Some((place, value(place)?)))
        })
    }

    /// The places of numbers that may count a list that these lines belong to: as many lines follow them.
    fn counts_of_lines(&self, parts: &[Range<usize>]) -> Vec<Place> {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
        let total = self.lines.len();
        let counts = self.header_numbers(first.start);
        let counts = counts.filter(|((line, _), value)| *value < total - line && last.end <= line + 1 + value);
        let mut places: Vec<Place> = counts.map(|(place, _)| place).collect();
        places.sort_unstable();
        places.truncate(MAX_COUNTS);
        places
    }

    /// The places of numbers before a line that have this value.
    fn counts(&self, before: usize, value: usize) -> Vec<Place> {
        let counts = self.header_numbers(before).filter(|(_, found)| *found == value);
        counts.map(|(place, _)| place).take(MAX_COUNTS).collect()
    }

    fn edited(&self, edit: &Edit) -> Vec<u8> {
        let mut text = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if edit.lines.iter().any(|lines| lines.contains(&number)) {
                continue;
            }
            if edit.tokens.range((number, 0)..=(number, usize::MAX)).next().is_none() {
                text.extend_from_slice(line);
            } else {
                self.rewrite(number, edit, &mut text);
            }
            text.push(b'\n');
        }
        if !self.has_last_newline {
            text.pop();
        }
        text
    }

    /// Writes a line with its tokens replaced or left out. A token that stays keeps the white space before it.
    fn rewrite(&self, number: usize, edit: &Edit, text: &mut Vec<u8>) {
        let line = &self.lines[number];
        let (mut end, mut is_first) = (0, true);
        for (token, range) in self.tokens(number).iter().enumerate() {
            let space = &line[end..range.start];
            end = range.end;
            let written = match edit.tokens.get(&(number, token)) {
                Some(None) => continue,
                Some(Some(other)) => other,
                None => &line[range.clone()],
            };
            if !is_first || token == 0 {
                text.extend_from_slice(space);
            }
            text.extend_from_slice(written);
            is_first = false;
        }
        // The other half of a Windows line end.
        text.extend(line.last().filter(|byte| **byte == b'\r'));
    }
}

fn join(ranges: &[Range<usize>]) -> Option<Range<usize>> {
    Some(ranges.first()?.start..ranges.last()?.end)
}

fn kept(letters: &[u8], is_out: &dyn Fn(usize) -> bool) -> Vec<u8> {
    letters.iter().enumerate().filter(|(place, _)| !is_out(*place)).map(|(_, &letter)| letter).collect()
}

/// Returns where the tokens of a line are.
fn tokens(line: &[u8]) -> Vec<Range<usize>> {
    let mut end = 0;
    let stretches = line.chunk_by(|byte, next| byte.is_ascii_whitespace() == next.is_ascii_whitespace());
    let ranges = stretches.map(|stretch| {
        let start = end;
        end += stretch.len();
        start..end
    });
    ranges.filter(|range| !line[range.start].is_ascii_whitespace()).collect()
}

/// Returns the whole number that a token is, if it is written as numbers are.
fn number(token: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(token).ok()?;
    let value: i128 = text.parse().ok()?;
    (value.to_string() == text).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, kind: Kind, parts: Range<usize>) -> Vec<String> {
        let texts = Text::read(text.as_bytes()).without(kind, parts);
        texts.into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn lines_go_with_their_count() {
        assert_eq!(without("6 13\n3\nab\ncd\nef\n", Kind::Lines, 2..4), ["6 13\n1\nef\n", "6 13\n3\nef\n"]);
        let graph = without("4 3\n1 2\n2 3\n3 4\n", Kind::Lines, 3..4);
        assert!(graph.contains(&"4 2\n1 2\n2 3\n".to_owned()), "{graph:?}");
        let two = without("1\na\n2\nb\nc\n", Kind::Lines, 3..4);
        assert_eq!(two[0], "1\na\n1\nc\n");
        let huge = usize::MAX;
        assert_eq!(without(&format!("{huge}\na\nb\n"), Kind::Lines, 1..2), [format!("{huge}\nb\n")]);
        assert_eq!(without(&format!("{huge} a\n"), Kind::Tokens(0), 1..2), [format!("{huge}\n")]);
    }

    #[test]
    fn tokens_and_letters_go_with_their_count() {
        assert_eq!(without("3\n7 8 9\n", Kind::Tokens(1), 0..1)[0], "2\n8 9\n");
        assert_eq!(without("3 7  8 9\n", Kind::Tokens(0), 1..2)[0], "2  8 9\n");
        assert_eq!(without("5\nabcde\n", Kind::Letters(1, 0), 1..4)[0], "2\nae\n");
    }

    #[test]
    fn tables_lose_rows_and_columns() {
        let board = "2 3\n1 2 3\n4 5 6\n";
        assert_eq!(without(board, Kind::Columns(1, 3), 1..2)[0], "2 2\n1 3\n4 6\n");
        let square = "4\n3\nabc\ndef\nghi\n99\n";
        assert!(Text::read(square.as_bytes()).kinds().contains(&Kind::Squares(2)));
        assert_eq!(without(square, Kind::Squares(2), 1..2)[0], "4\n2\nac\ngi\n99\n");
    }

    #[test]
    fn a_file_of_cases_loses_whole_cases() {
        let same = "3\n\n1\n5\n\n1\n6\n\n1\n7\n";
        assert_eq!(without(same, Kind::Groups(Some(3)), 1..3)[0], "1\n\n1\n5\n");
        let other = "2\n1\na\n2\nb\nc\n";
        assert_eq!(without(other, Kind::Groups(None), 0..1)[0], "1\n2\nb\nc\n");
        assert!(without("2\n1\na\nb\n", Kind::Groups(None), 0..1).is_empty());
    }

    #[test]
    fn numbers_and_letters_are_replaced() {
        let text = Text::read(b"2 -8 x\nzb 007\n");
        assert_eq!(text.numbers(), [(0, 0), (0, 1)]);
        assert_eq!(text.with_numbers(&[(0, 1)], |value| value / 2).unwrap(), b"2 -4 x\nzb 007\n");
        assert_eq!(text.with_numbers(&[(0, 0)], |value| value), None);
        assert_eq!(text.letters(), b"bxz");
        assert_eq!(text.with_letter(b'z', b'b'), b"2 -8 x\nbb 007\n");
    }

    #[test]
    fn a_last_line_without_an_end_stays_so() {
        assert_eq!(without("2\na\nb", Kind::Lines, 1..2)[0], "1\nb");
        assert_eq!(Text::read(b"1 z").with_letter(b'z', b'a'), b"1 a");
        assert_eq!(without("1", Kind::Lines, 0..1)[0], "");
    }

    #[test]
    fn each_line_keeps_its_kind_of_end() {
        assert_eq!(without("3 4\r\n5 6\n", Kind::Tokens(0), 0..1)[0], "4\r\n5 6\n");
        assert_eq!(Text::read(b"3 4\r\n").with_numbers(&[(0, 1)], |_| 0).unwrap(), b"3 0\r\n");
    }

    #[test]
    fn empty_and_binary_texts_have_parts_too() {
        for bytes in [&b""[..], b"\n\n", b"\xff\x00 \xfe"] {
            let text = Text::read(bytes);
            for kind in text.kinds() {
                let _ = text.without(kind, 0..text.count(kind));
            }
        }
    }
}
