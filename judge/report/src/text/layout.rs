//! The widths of a table's columns: which of them fit, and how long texts are shown in them.

use super::column::{Column, Field, Overlong};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The gaps between columns: the usual one, and the one of a narrow terminal.
const GAPS: [usize; 2] = [3, 2];

/// Words are not cut below this width while a column can be left out instead.
const READABLE: usize = 12;

/// Words that continue on further lines are readable from this width on.
const WRAPPED: usize = 20;

/// Nothing is cut below this width.
const LEAST: usize = 3;

/// The columns that are shown.
pub(super) struct Layout {
    /// The place and the width of each.
    pub(super) columns: Vec<(usize, usize)>,
    pub(super) gap: usize,
    left_out: Vec<usize>,
}

impl Layout {
    /// Lays out a table in this width: first long words shrink, then the least important columns go, then words
    /// and at last figures shrink.
    pub(super) fn of(columns: &[Column], rows: &[Vec<Field>], width: Option<usize>) -> Self {
        let widest = |place: usize| {
            let texts = rows.iter().map(|row| &row[place].text).chain([&columns[place].title]);
            texts.map(|text| text.width()).max().unwrap_or(0)
        };
        let natural: Vec<(usize, usize)> = (0..columns.len()).map(|place| (place, widest(place))).collect();
        let Some(width) = width else { return Self { columns: natural, gap: GAPS[0], left_out: Vec::new() } };
        let mut shown = natural;
        let mut left_out = Vec::new();
        loop {
            for gap in GAPS {
                let floor = |&(place, natural): &(usize, usize)| match &columns[place] {
                    Column { is_whole: true, .. } => natural,
                    column => natural.min(column.title.width().max(if column.overlong == Overlong::Lines {
                        WRAPPED
                    } else {
                        READABLE
                    })),
                };
                if let Some(columns) = shrunk(&shown, width, gap, floor) {
                    return Self { columns, gap, left_out };
                }
            }
            let spare = (0..shown.len()).filter(|&at| columns[shown[at].0].spare > 0);
            let Some(least) = spare.max_by_key(|&at| columns[shown[at].0].spare) else { break };
            left_out.push(shown.remove(least).0);
        }
        let gap = GAPS[1];
        let words =
            |&(place, natural): &(usize, usize)| if columns[place].is_whole { natural } else { natural.min(LEAST) };
        let all = |&(_, natural): &(usize, usize)| natural.min(LEAST);
        let columns = shrunk(&shown, width, gap, words).or_else(|| shrunk(&shown, width, gap, all)).unwrap_or(shown);
        Self { columns, gap, left_out }
    }

    /// Returns the lines that name the columns that are not shown.
    pub(super) fn left_out(&self, columns: &[Column], width: Option<usize>) -> Vec<String> {
        if self.left_out.is_empty() {
            return Vec::new();
        }
        let mut places = self.left_out.clone();
        places.sort_unstable();
        let titles: Vec<_> = places.iter().map(|&place| &*columns[place].title).collect();
        cell(&format!("not shown at this width: {}", titles.join(", ")), width.unwrap_or(usize::MAX), Overlong::Lines)
    }
}

/// Makes the widest columns narrower until a line has this width, none below its floor. `None` if that is not enough.
fn shrunk(
    shown: &[(usize, usize)],
    width: usize,
    gap: usize,
    floor: impl Fn(&(usize, usize)) -> usize,
) -> Option<Vec<(usize, usize)>> {
    let room = width.checked_sub(1 + gap * shown.len().saturating_sub(1))?;
    let floors: Vec<usize> = shown.iter().map(&floor).collect();
    if floors.iter().sum::<usize>() > room {
        return None;
    }
    let mut columns = shown.to_vec();
    let mut excess = columns.iter().map(|(_, width)| width).sum::<usize>().saturating_sub(room);
    while excess > 0 {
        let widest = (0..columns.len()).filter(|&at| columns[at].1 > floors[at]).max_by_key(|&at| columns[at].1)?;
        columns[widest].1 -= 1;
        excess -= 1;
    }
    Some(columns)
}

/// Returns the lines of a text in a column of this width.
pub(super) fn cell(text: &str, width: usize, overlong: Overlong) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    match overlong {
        Overlong::Ends => vec![cut(text, width)],
        Overlong::Start => vec![format!("{}…", fitting(text.chars(), width.saturating_sub(1)).trim_end())],
        Overlong::Lines => wrapped(text, width, |word| cut(word, width)),
    }
}

/// Returns the lines of a text that break between words. `fit` is what is shown of a word that begins a line.
fn wrapped(text: &str, width: usize, fit: impl Fn(&str) -> String) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fit(word)),
        }
    }
    lines
}

/// Returns a text without its middle: both ends of a number remain.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let tail = fitting(text.chars().rev(), room / 2).chars().rev().collect::<String>();
    let head = fitting(text.chars(), room - tail.width());
    format!("{head}…{tail}")
}

/// Returns the first characters that have at most this width together.
fn fitting(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut room = width;
    let fits = |c: &char| {
        let needed = c.width().unwrap_or(0);
        let fits = needed <= room;
        room = room.saturating_sub(needed);
        fits
    };
    characters.take_while(fits).collect()
}

/// Returns a paragraph in lines that break between words; no word is cut. The first line begins with `first`, the others
/// with as many spaces.
pub(crate) fn paragraph(first: &str, text: &str, width: Option<usize>) -> String {
    let indent = first.width();
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(LEAST));
    let lines = wrapped(text, room, str::to_owned);
    let separator = format!("\n{}", " ".repeat(indent));
    format!("{first}{}", lines.join(&separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_between_words_and_wide_characters_count_twice() {
        assert_eq!(cell("one two three", 8, Overlong::Lines), ["one two", "three"]);
        assert_eq!(cell("one two three", 9, Overlong::Start), ["one two…"]);
        assert_eq!(paragraph("gap: ", "one two three", Some(13)), "gap: one two\n     three");
        assert_eq!(cell("棋棋棋棋", 5, Overlong::Ends), ["棋…棋"]);
        assert_eq!(cell("seed-100", 5, Overlong::Ends), ["se…00"]);
    }
}
