//! A report as titled tables of plain text: the source of its Markdown, its page and its CSV.

/// The mark for a missing figure.
pub(crate) const NOTHING: &str = "–";

/// A table as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    pub(crate) titles: Vec<String>,
    /// The number of columns with words, at the left. The others hold figures.
    pub(crate) words: usize,
    /// The columns that a narrow terminal leaves out, the first of them first.
    pub(crate) spare: Vec<usize>,
    pub(crate) rows: Vec<Vec<String>>,
    /// The number of rows that were not made, because no page shows them.
    pub(crate) left_out: usize,
}

impl TextTable {
    /// Returns a table with these titles.
    pub(crate) fn new(titles: &[&str], words: usize, rows: Vec<Vec<String>>) -> Self {
        Self {
            titles: titles.iter().map(|title| (*title).to_owned()).collect(),
            words,
            spare: Vec::new(),
            rows,
            left_out: 0,
        }
    }

    /// Returns the table with these columns, by title, as those that a narrow terminal leaves out, the first of them first.
    pub(crate) fn with_spare(self, titles: &[&str]) -> Self {
        let place = |title: &&str| self.titles.iter().position(|known| known == title);
        Self { spare: titles.iter().filter_map(place).collect(), ..self }
    }
}

/// A report as titled tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    pub(crate) title: String,
    /// The sentences under the title.
    pub(crate) lines: Vec<String>,
    /// The tables, each with its title. Those without rows are not shown.
    pub(crate) sections: Vec<(String, TextTable)>,
    /// Texts whose lines are kept, each with its title.
    pub(crate) texts: Vec<(String, String)>,
}

impl Sheet {
    /// Returns the tables that have rows.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &(String, TextTable)> {
        self.sections.iter().filter(|(_, table)| !table.rows.is_empty())
    }
}
