//! What a table is made of: columns, and the fields of its rows.

use super::style::Paint;
use judge_problem::one_line;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// What is shown of a text that is longer than its column is wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overlong {
    /// Both ends of it.
    Ends,
    /// Its beginning.
    Start,
    /// All of it, on further lines.
    Lines,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    pub(super) title: String,
    pub(super) align: Align,
    /// A column with a larger number is left out first; one with 0 never.
    pub(super) spare: usize,
    /// What is shown of a text that is too long.
    pub(super) overlong: Overlong,
    /// Whether the column is left out before one of its texts is cut.
    pub(super) is_whole: bool,
    /// Whether digits are separated by thousands where people read the table.
    pub(super) has_thousands: bool,
}

/// Returns a column of words.
#[must_use]
pub fn left(title: &str) -> Column {
    Column {
        title: one_line(title).into_owned(),
        align: Align::Left,
        spare: 0,
        overlong: Overlong::Ends,
        is_whole: false,
        has_thousands: false,
    }
}

/// Returns a column of texts that are useless without their middle, such as commands.
#[must_use]
pub(crate) fn whole(title: &str) -> Column {
    Column { is_whole: true, ..left(title) }
}

/// Returns a column of figures.
#[must_use]
pub fn right(title: &str) -> Column {
    Column { align: Align::Right, is_whole: true, has_thousands: true, ..left(title) }
}

/// Returns a column of numbers that name something, such as runs: they are shown as they are typed.
#[must_use]
pub(crate) fn number_names(title: &str) -> Column {
    Column { has_thousands: false, ..right(title) }
}

impl Column {
    /// Returns the column as one that a narrow terminal leaves out: the largest number first.
    #[must_use]
    pub fn spare(self, spare: usize) -> Self {
        Self { spare, ..self }
    }

    /// Returns the column as one whose texts are cut before a column is left out.
    #[must_use]
    pub fn shrinking(self) -> Self {
        Self { is_whole: false, ..self }
    }

    /// Returns the column as one whose texts continue on further lines.
    #[must_use]
    pub fn wrapped(self) -> Self {
        Self { overlong: Overlong::Lines, ..self }
    }

    /// Returns the column as one that shows the beginning of a text that is too long.
    #[must_use]
    pub fn cut_at_the_end(self) -> Self {
        Self { overlong: Overlong::Start, ..self }
    }
}

/// The content of a row in a column.
#[derive(Debug, Clone)]
pub struct Field {
    pub(super) text: String,
    pub(super) paint: Option<Paint>,
}

impl Field {
    /// Returns a field with this text; hidden characters are escaped.
    pub(crate) fn new(text: impl ToString) -> Self {
        Self { text: one_line(&text.to_string()).into_owned(), paint: None }
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Field {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

/// Returns a field in this paint.
pub(crate) fn painted(text: &str, paint: Paint) -> Field {
    Field { paint: Some(paint), ..Field::new(text) }
}
