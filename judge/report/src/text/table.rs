//! Tables for the terminal: columns, their layout, and the grid.

use crate::text::terminal::{Paint, Style};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, Table, TableStyle};
use judge_problem::one_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A table: its columns, and its rows.
#[derive(Debug, Clone, Default)]
pub struct TextTable {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Field>>,
    /// The number of further rows, which pages do not show.
    pub(crate) left_out: usize,
}

impl TextTable {
    /// Returns a table with these columns, without rows.
    pub fn of(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// Returns a table with these titles. The first `words` columns contain words, the others figures.
    pub(crate) fn new(titles: &[&str], words: usize, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let column = |(place, title): (usize, &&str)| if place < words { left(title) } else { right(title) };
        let mut table = Self::of(titles.iter().enumerate().map(column));
        rows.into_iter().for_each(|row| table.add_row(row));
        table
    }

    /// Adds a row.
    pub fn add_row(&mut self, fields: impl IntoIterator<Item = impl Into<Field>>) {
        self.rows.push(fields.into_iter().map(Into::into).collect());
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table as text, without spaces at the ends of lines and without a final newline. It fits the width of the
    /// style; without one, every row is one line. A last line names the columns that do not fit.
    pub fn text(&self, style: Style) -> String {
        let shown = self.shown(style);
        let layout = Layout::of(&shown.columns, &shown.rows, style.width);
        let mut table = Table::new();
        table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
        table.set_content_arrangement(ContentArrangement::Disabled);
        if style.is_colored {
            table.enforce_styling()
        } else {
            table.force_no_tty()
        };
        let titles: Vec<Field> = shown.columns.iter().map(|column| Field::new(&column.title)).collect();
        table.set_header(shown.cells(&layout, &titles));
        table.add_rows(shown.rows.iter().map(|row| shown.cells(&layout, row)));
        let last = layout.columns.len().saturating_sub(1);
        for (at, column) in table.column_iter_mut().enumerate() {
            // Between two columns there are the padding of both and a line of spaces.
            #[expect(clippy::cast_possible_truncation, reason = "a gap is one of the two small numbers of GAPS")]
            let gap = layout.gap as u16;
            column.set_padding((1, if at == last { 0 } else { gap - 2 }));
        }
        let left_out = layout.left_out(&shown.columns, style.width);
        std::iter::once(table.trim_fmt()).chain(left_out).collect::<Vec<_>>().join("\n")
    }

    /// Returns the table with each text in one line, and with its figures in this style.
    fn shown(&self, style: Style) -> Self {
        let title = |column: &Column| Column { title: one_line(&column.title).into_owned(), ..column.clone() };
        let field = |(Field { text, paint }, column): (&Field, &Column)| {
            let text = one_line(text);
            let text = if column.has_thousands { style.figure(&text).into_owned() } else { text.into_owned() };
            Field { text, paint: *paint }
        };
        let row = |row: &Vec<Field>| row.iter().zip(&self.columns).map(field).collect();
        Self {
            columns: self.columns.iter().map(title).collect(),
            rows: self.rows.iter().map(row).collect(),
            left_out: 0,
        }
    }

    fn cells(&self, layout: &Layout, row: &[Field]) -> Vec<Cell> {
        let cell = |&(place, width): &(usize, usize)| {
            let (column, field) = (&self.columns[place], &row[place]);
            let cell = Cell::new(cell(&field.text, width, column.overlong).join("\n"));
            in_paint(cell.set_alignment(column.align), field.paint)
        };
        layout.columns.iter().map(cell).collect()
    }
}

/// The columns of a table, each with the function that makes its fields from the rows.
pub(crate) struct Columns<'a, R>(Vec<(Column, FieldOf<'a, R>)>);

type FieldOf<'a, R> = Box<dyn Fn(&R) -> Field + 'a>;

impl<'a, R> Columns<'a, R> {
    /// Returns a table without columns.
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a column.
    pub(crate) fn add<F: Into<Field>>(&mut self, column: impl Into<Column>, field: impl Fn(&R) -> F + 'a) {
        self.0.push((column.into(), Box::new(move |row| field(row).into())));
    }

    /// Adds a column that only some tables have.
    pub(crate) fn add_if<F: Into<Field>>(
        &mut self,
        is_needed: bool,
        column: impl Into<Column>,
        field: impl Fn(&R) -> F + 'a,
    ) {
        if is_needed {
            self.add(column, field);
        }
    }

    /// Returns the table of these rows.
    pub(crate) fn table(self, rows: impl IntoIterator<Item = R>) -> TextTable {
        let (columns, fields): (_, Vec<_>) = self.0.into_iter().unzip();
        let row = |row: R| fields.iter().map(|field| field(&row)).collect();
        TextTable { columns, rows: rows.into_iter().map(row).collect(), left_out: 0 }
    }
}

fn in_paint(cell: Cell, paint: Option<Paint>) -> Cell {
    match paint {
        None => cell,
        Some(Paint::Good) => cell.fg(Color::Green),
        Some(Paint::Bad) => cell.fg(Color::Red),
        Some(Paint::Warning) => cell.fg(Color::Yellow),
        Some(Paint::Faint) => cell.add_attribute(Attribute::Dim),
        Some(Paint::Strong) => cell.add_attribute(Attribute::Bold),
    }
}

/// How a text that is wider than its column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overlong {
    /// Its beginning and its end.
    Ends,
    /// Its beginning.
    Start,
    /// Whole, on several lines.
    Lines,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    pub(crate) title: String,
    align: CellAlignment,
    /// Columns with larger numbers are left out first. A column with 0 is never left out.
    spare: usize,
    /// How a text that is too long is shown.
    overlong: Overlong,
    /// Whether the column is left out before one of its texts is cut.
    is_whole: bool,
    /// Whether digits are separated by thousands where people read the table.
    has_thousands: bool,
}

/// Returns a column of words.
pub fn left(title: &str) -> Column {
    Column {
        title: title.to_owned(),
        align: CellAlignment::Left,
        spare: 0,
        overlong: Overlong::Ends,
        is_whole: false,
        has_thousands: false,
    }
}

/// Returns a column of texts that are useless without their middle, such as commands.
pub(crate) fn whole(title: &str) -> Column {
    Column { is_whole: true, ..left(title) }
}

/// Returns a column of figures.
pub fn right(title: &str) -> Column {
    Column { align: CellAlignment::Right, is_whole: true, has_thousands: true, ..left(title) }
}

/// Returns a column of numbers that name something, such as runs: they are shown as they are typed.
pub(crate) fn number_names(title: &str) -> Column {
    Column { has_thousands: false, ..right(title) }
}

impl From<&str> for Column {
    fn from(title: &str) -> Self {
        left(title)
    }
}

impl Column {
    /// Returns whether it contains words, and not figures.
    pub(crate) fn has_words(&self) -> bool {
        self.align == CellAlignment::Left
    }

    /// Returns the column as one that a narrow terminal leaves out: the largest number first.
    pub fn spare(self, spare: usize) -> Self {
        Self { spare, ..self }
    }

    /// Returns the column with texts that are shortened before a column is dropped.
    pub fn shrinking(self) -> Self {
        Self { is_whole: false, ..self }
    }

    /// Returns the column with texts that continue on further lines.
    pub fn wrapped(self) -> Self {
        Self { overlong: Overlong::Lines, ..self }
    }

    /// Returns the column with only the beginning of long texts.
    pub fn cut_at_the_end(self) -> Self {
        Self { overlong: Overlong::Start, ..self }
    }
}

/// The content of a row in a column.
#[derive(Debug, Clone)]
pub struct Field {
    pub(crate) text: String,
    paint: Option<Paint>,
}

impl Field {
    /// Returns a field with this text.
    pub(crate) fn new(text: impl ToString) -> Self {
        Self { text: text.to_string(), paint: None }
    }
}

impl<T: ToString> From<T> for Field {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// Returns a field in this paint.
pub(crate) fn painted(text: &str, paint: Paint) -> Field {
    Field { paint: Some(paint), ..Field::new(text) }
}

/// The gaps between columns: the usual one, and the one of a narrow terminal.
const GAPS: [usize; 2] = [3, 2];

/// Words are not shortened below this width while a column can be dropped instead.
const READABLE: usize = 12;

/// Words on several lines are readable from this width on.
const WRAPPED: usize = 20;

/// The minimal width of every column.
const MIN: usize = 3;

/// The columns that are shown.
struct Layout {
    /// The place and the width of each.
    columns: Vec<(usize, usize)>,
    gap: usize,
    left_out: Vec<usize>,
}

impl Layout {
    /// Lays out a table in this width. First long words shrink, then the least important columns are dropped, and then
    /// words and at last figures shrink.
    fn of(columns: &[Column], rows: &[Vec<Field>], width: Option<usize>) -> Self {
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
            |&(place, natural): &(usize, usize)| if columns[place].is_whole { natural } else { natural.min(MIN) };
        let all = |&(_, natural): &(usize, usize)| natural.min(MIN);
        let columns = shrunk(&shown, width, gap, words).or_else(|| shrunk(&shown, width, gap, all)).unwrap_or(shown);
        Self { columns, gap, left_out }
    }

    /// Returns the lines that name the columns that are not shown.
    fn left_out(&self, columns: &[Column], width: Option<usize>) -> Vec<String> {
        if self.left_out.is_empty() {
            return Vec::new();
        }
        let mut places = self.left_out.clone();
        places.sort_unstable();
        let titles: Vec<_> = places.iter().map(|&place| &*columns[place].title).collect();
        cell(&format!("not shown at this width: {}", titles.join(", ")), width.unwrap_or(usize::MAX), Overlong::Lines)
    }
}

/// Shrinks the widest columns until a line has this width. No column gets narrower than its minimum. `None` if that is not
/// enough.
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
fn cell(text: &str, width: usize, overlong: Overlong) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    match overlong {
        Overlong::Ends => vec![cut(text, width)],
        Overlong::Start => vec![format!("{}…", fitting(text.chars(), width.saturating_sub(1)).trim_end())],
        Overlong::Lines => wrapped(text, width, |word| cut(word, width)),
    }
}

/// Breaks a text into lines between words. `fit` shortens a word that is longer than a line.
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

/// Returns as many of the first characters as fit into this width.
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
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(MIN));
    let lines = wrapped(text, room, str::to_owned);
    let separator = format!("\n{}", " ".repeat(indent));
    format!("{first}{}", lines.join(&separator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn table(width: usize) -> String {
        let columns = [
            left("case"),
            left("solver").spare(1),
            right("score"),
            right("CPU").spare(3),
            right("wall").spare(4),
            left("note").spare(2),
        ];
        let mut table = TextTable::of(columns);
        let name = "a-solver-with-a-name-that-is-longer-than-any-column-of-a-table-should-be".to_owned();
        let row = |case: &str, score: &str| {
            [case, &name, score, "4.01 s", "12.00 s", "the answer has 3 moves, 7 were expected in this case"]
                .map(str::to_owned)
        };
        table.add_row(row("seed-1", "123456789012345678901234567890"));
        table.add_row(row("seed-10000000000", "7"));
        table.text(Style::PLAIN.with_width(width))
    }

    #[test]
    fn every_width_is_kept_and_figures_stay_whole() {
        for width in [60, 80, 120, 200, 400] {
            let text = table(width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
            assert!(text.contains(" 123,456,789,012,345,678,901,234,567,890"), "{width}:\n{text}");
            let rows = text.lines().filter(|line| line.contains("seed-1")).count();
            assert_eq!(rows, 2, "a row is a line: {text}");
        }
        assert!(!table(400).contains("not shown"));
    }

    #[test]
    fn the_least_important_columns_go_first_and_are_named() {
        // A number of thirty digits has nine commas.
        assert!(table(89).ends_with("not shown at this width: CPU, wall"), "{}", table(89));
        assert!(table(69).ends_with("not shown at this width: CPU, wall, note"), "{}", table(69));
    }

    #[test]
    fn a_number_wider_than_the_terminal_keeps_its_ends() {
        let mut table = TextTable::of([left("case"), right("score")]);
        table.add_row(["x".to_owned(), format!("12{}89", "0".repeat(100))]);
        let text = table.text(Style::PLAIN.with_width(30));
        assert!(text.lines().all(|line| line.width() <= 30) && text.contains(" 12") && text.ends_with("89"), "{text}");
    }

    #[test]
    fn words_wrap_between_words_and_wide_characters_count_twice() {
        assert_eq!(cell("one two three", 8, Overlong::Lines), ["one two", "three"]);
        assert_eq!(cell("one two three", 9, Overlong::Start), ["one two…"]);
        assert_eq!(paragraph("gap: ", "one two three", Some(13)), "gap: one two\n     three");
        assert_eq!(cell("棋棋棋棋", 5, Overlong::Ends), ["棋…棋"]);
        assert_eq!(cell("seed-100", 5, Overlong::Ends), ["se…00"]);
    }
}
