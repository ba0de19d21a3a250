//! Reads tables of a TOML file and collects all errors with their places, and suggestions for misspelt words.

use crate::beginning;
use std::cell::RefCell;
use std::fmt;
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Every error in a catalogue.
#[derive(Debug, thiserror::Error)]
pub struct ManifestError {
    file: String,
    text: String,
    /// The errors, in the order of the file. Those that may follow from other errors come last.
    pub complaints: Vec<CatalogueComplaint>,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rendered: Vec<_> =
            self.complaints.iter().map(|complaint| complaint.render(&self.file, &self.text)).collect();
        formatter.write_str(&rendered.join("\n\nerror: "))
    }
}

/// Decodes a file as UTF-8. `file` is its name in messages.
///
/// # Errors
/// Fails at the first invalid byte.
pub fn decode(file: &str, contents: Vec<u8>) -> Result<String, ManifestError> {
    String::from_utf8(contents).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let end = start + char::REPLACEMENT_CHARACTER.len_utf8();
        let message = "not UTF-8".to_owned();
        let expected = "save the file as UTF-8".to_owned();
        let complaint = CatalogueComplaint { span: start..end, message, expected, follows: false };
        ManifestError { file: file.to_owned(), text, complaints: vec![complaint] }
    })
}

/// A table, or a text in place of it.
pub(super) type SectionOrText<'a> = Result<Section<'a>, Located<&'a str>>;

/// A key of a table with its value.
type Entry<'a> = (Located<&'a str>, &'a Spanned<DeValue<'a>>);

/// Parses a file and reads it with `read`. `title` is the name of its root table in messages.
pub(super) fn read_document<T>(
    title: &'static str,
    file: &str,
    text: &str,
    read: impl FnOnce(Section<'_>) -> T,
) -> Result<T, ManifestError> {
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    let newlines = text.match_indices('\n').map(|(place, _)| place).collect();
    let complaints = Complaints { file, found: RefCell::default(), newlines };
    let is_toml = syntax_errors.is_empty();
    let value = is_toml.then(|| read(Section::new(title, document.span(), document.get_ref(), &complaints)));
    let mut complaints = complaints.found.into_inner();
    complaints.extend(syntax_errors.iter().map(|error| CatalogueComplaint {
        span: error.span().unwrap_or(0..0),
        message: "not valid TOML".to_owned(),
        expected: error.message().lines().collect::<Vec<_>>().join("; "),
        follows: false,
    }));
    match value {
        Some(value) if complaints.is_empty() => Ok(value),
        _ => {
            complaints.sort_by_key(|complaint| (complaint.follows, complaint.span.start));
            Err(ManifestError { file: file.to_owned(), text: text.to_owned(), complaints })
        }
    }
}

/// Replaces a value by the given one, if there is one.
pub(super) fn set<T>(value: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *value = given;
    }
}

/// The errors so far. All sections of a file share them, so that they are reported together.
struct Complaints<'a> {
    /// The name of the file in messages.
    file: &'a str,
    found: RefCell<Vec<CatalogueComplaint>>,
    /// The places of all line feeds of the file.
    newlines: Vec<usize>,
}

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// A table that is being read. [`Section::finish`] reports all keys that were not read.
pub(super) struct Section<'a> {
    title: &'static str,
    span: Range<usize>,
    table: &'a DeTable<'a>,
    known: RefCell<Vec<&'static str>>,
    complaints: &'a Complaints<'a>,
}

impl<'a> Section<'a> {
    /// Starts reading a table. `title` is its name in messages: `[problem.limits]`.
    fn new(title: &'static str, span: Range<usize>, table: &'a DeTable<'a>, complaints: &'a Complaints<'a>) -> Self {
        Self { title, span, table, known: RefCell::default(), complaints }
    }

    /// Returns the place of the table.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the file and the line of a place, for messages about what is found later: `problems.toml:14`.
    pub(super) fn line(&self, span: &Range<usize>) -> String {
        let Complaints { file, newlines, .. } = self.complaints;
        format!("{file}:{}", 1 + newlines.partition_point(|newline| *newline < span.start))
    }

    /// Reports an error.
    pub(super) fn complain(&self, span: Range<usize>, message: impl Into<String>, expected: impl Into<String>) {
        self.add(span, message.into(), expected.into(), false);
    }

    /// Reports an error in place of a value.
    pub(super) fn refuse<T>(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Option<T> {
        self.complain(span, message, expected);
        None
    }

    /// Reports a value that its key cannot have.
    pub(super) fn bad_value<T>(&self, key: &str, span: Range<usize>, expected: impl Into<String>) -> Option<T> {
        self.refuse(span, format!("bad value of `{key}` in {}", self.title), expected)
    }

    /// Reports a word that is none of these names.
    pub(super) fn unknown<T>(&self, word: &Located<&str>, what: &str, names: &[&str]) -> Option<T> {
        self.refuse(word.span.clone(), format!("there is no {what} `{}`", word.value), instead(word.value, names))
    }

    /// Reports an error that may follow from another one.
    pub(super) fn complain_after(&self, span: Range<usize>, message: impl Into<String>, expected: impl Into<String>) {
        self.add(span, message.into(), expected.into(), true);
    }

    fn add(&self, span: Range<usize>, message: String, expected: String, follows: bool) {
        let complaint = CatalogueComplaint { span, message, expected, follows };
        let mut complaints = self.complaints.found.borrow_mut();
        // A key may be read for two purposes.
        if !complaints.contains(&complaint) {
            complaints.push(complaint);
        }
    }

    /// Reports a missing key. One with a bad value was reported, and is not missing.
    pub(super) fn missing(&self, key: &str, example: &str) {
        let is_at = |span| self.complaints.found.borrow().iter().any(|complaint| complaint.span == span);
        if self.is_empty(key) && !self.place(key).is_some_and(is_at) {
            let message = format!("{} has no `{key}`", self.title);
            self.complain_after(self.span(), message, format!("add `{key} = {example}`"));
        }
    }

    /// Returns the text under `key`.
    pub(super) fn text(&self, key: &'static str) -> Option<Located<&'a str>> {
        self.typed(key, self.value(key)?, "a text in quotes", DeValue::as_str)
    }

    /// Returns the text under `key` without its place.
    pub(super) fn string(&self, key: &'static str) -> Option<String> {
        self.text(key).map(|text| text.value.to_owned())
    }

    /// Returns what `read` finds in a value, and reports values of other types.
    fn typed<T>(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
        expected: &str,
        read: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<Located<T>> {
        let span = value.span();
        match read(value.get_ref()) {
            Some(value) => Some(Located { value, span }),
            None => self.bad_value(key, span, format!("expected {expected}")),
        }
    }

    fn parse<T: FromStr<Err: Display>>(&self, key: &str, text: &str, span: Range<usize>) -> Option<Located<T>> {
        match text.parse() {
            Ok(value) => Some(Located { value, span }),
            Err(error) => self.bad_value(key, span, error.to_string()),
        }
    }

    /// Returns the text under `key`, parsed as a `T`.
    pub(super) fn parsed<T: FromStr<Err: Display>>(&self, key: &'static str) -> Option<Located<T>> {
        let Located { value, span } = self.text(key)?;
        self.parse(key, value, span)
    }

    /// Returns the number or text under `key`, parsed as a `T`. A number is parsed from its source text.
    pub(super) fn numeric<T: FromStr<Err: Display>>(&self, key: &'static str, expected: &str) -> Option<Located<T>> {
        self.numeric_of(key, self.value(key)?, expected)
    }

    fn numeric_of<T: FromStr<Err: Display>>(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
        expected: &str,
    ) -> Option<Located<T>> {
        let text = self.typed(key, value, expected, |value| number_text(value).or_else(|| integer_text(value)))?;
        self.parse(key, &text.value, text.span)
    }

    /// Returns the boolean under `key`.
    pub(super) fn boolean(&self, key: &'static str) -> Option<Located<bool>> {
        self.typed(key, self.value(key)?, "true or false", DeValue::as_bool)
    }

    /// Returns the integer under `key`, parsed as a `T`. A text of digits is accepted too, because integers of TOML
    /// have 64 bits.
    pub(super) fn integer<T: FromStr>(&self, key: &'static str, expected: &str) -> Option<Located<T>> {
        self.typed(key, self.value(key)?, expected, |value| integer_text(value)?.parse().ok())
    }

    /// Returns the numbers in the array under `key`, each as [`Section::numeric`] reads it.
    pub(super) fn numerics<T: FromStr<Err: Display>>(
        &self,
        key: &'static str,
        expected: &str,
    ) -> Option<Located<Vec<T>>> {
        let array = self.array(key, "an array of numbers")?;
        let items = array.value.iter().map(|item| self.numeric_of(key, item, expected).map(|located| located.value));
        let value = items.collect::<Option<Vec<T>>>()?;
        Some(Located { value, span: array.span })
    }

    /// Returns the integers in the array under `key`, each as [`Section::integer`] reads it.
    pub(super) fn integers<T: FromStr>(&self, key: &'static str, expected: &str) -> Vec<T> {
        let items = self.array(key, "an array of integers").map_or(&[][..], |array| array.value);
        let read = |item| self.typed(key, item, expected, |value| integer_text(value)?.parse().ok());
        items.iter().filter_map(read).map(|located| located.value).collect()
    }

    /// Returns the texts in the array under `key`.
    pub(super) fn texts(&self, key: &'static str) -> Vec<Located<&'a str>> {
        let array = self.array(key, "an array of texts");
        array.map(|array| self.texts_of(key, array.value)).unwrap_or_default()
    }

    /// Returns the text or the array of texts under `key`. `None` if there is no such key.
    pub(super) fn one_or_more_texts(&self, key: &'static str) -> Option<Vec<Located<&'a str>>> {
        let value = self.value(key)?;
        let items = self.typed(key, value, "a text, or an array of texts", |read| match read {
            DeValue::String(_) => Some(std::slice::from_ref(value)),
            other => other.as_array().map(|array| &**array),
        })?;
        Some(self.texts_of(key, items.value))
    }

    fn texts_of(&self, key: &str, array: &'a [Spanned<DeValue<'a>>]) -> Vec<Located<&'a str>> {
        array.iter().filter_map(|item| self.typed(key, item, "a text in quotes", DeValue::as_str)).collect()
    }

    /// Returns the words under `key`: a text that is split at white space, or an array.
    pub(super) fn words(&self, key: &'static str) -> Option<Located<Vec<&'a str>>> {
        let value = self.value(key)?;
        let words = match value.get_ref().as_str() {
            Some(text) => text.split_whitespace().collect(),
            None => self.one_or_more_texts(key).into_iter().flatten().map(|text| text.value).collect(),
        };
        Some(Located { value: words, span: value.span() })
    }

    /// Reports a key that belongs elsewhere, if it is present.
    pub(super) fn misplaced(&self, key: &'static str, belongs: &str) {
        if self.has(key)
            && let Some(value) = self.value(key)
        {
            self.complain(value.span(), format!("`{key}` does not belong in {}", self.title), belongs);
        }
    }

    /// Returns whether a key is present. It still counts as unread.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Returns whether a table in the array under `key` has this key.
    pub(super) fn has_inner(&self, key: &str, inner: &str) -> bool {
        let tables = self.table.get(key).and_then(|value| value.get_ref().as_array());
        let mut tables = tables.into_iter().flat_map(|tables| tables.iter()).filter_map(|one| one.get_ref().as_table());
        tables.any(|table| table.contains_key(inner))
    }

    /// Returns the place of the value under `key`. The key still counts as unread.
    pub(super) fn place(&self, key: &str) -> Option<Range<usize>> {
        self.table.get(key).map(Spanned::span)
    }

    /// Returns the table under `key`.
    pub(super) fn section(&self, key: &'static str, title: &'static str) -> Option<Section<'a>> {
        self.table(key, self.value(key)?, title, &format!("a table, written {title}"))
    }

    fn table(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
        title: &'static str,
        expected: &str,
    ) -> Option<Section<'a>> {
        let table = self.typed(key, value, expected, DeValue::as_table)?;
        Some(Section::new(title, table.span, table.value, self.complaints))
    }

    /// Returns the inner tables, each with its key, which the user chose. All keys count as read.
    pub(super) fn named_sections(&self, title: &'static str) -> Vec<(Located<&'a str>, Section<'a>)> {
        let section = |(name, value): Entry<'a>| {
            let section = self.table(name.value, value, title, &format!("a table, written {title}"))?;
            // The place of a table is the place of its name, because a table may be written in parts.
            let span = name.span.clone();
            Some((name, Section { span, ..section }))
        };
        self.all().filter_map(section).collect()
    }

    /// Returns the inner tables as [`Section::named_sections`] does, in the order in which they are written. A text in place of
    /// a table is returned as it is.
    pub(super) fn named_texts_or_sections(&self, title: &'static str) -> Vec<(Located<&'a str>, SectionOrText<'a>)> {
        let entry = |(name, value): Entry<'a>| {
            let found = match value.get_ref().as_str() {
                Some(text) => Err(Located { value: text, span: value.span() }),
                None => Ok(self.table(name.value, value, title, "a text, or a table in braces")?),
            };
            Some((name, found))
        };
        let mut entries: Vec<_> = self.all().filter_map(entry).collect();
        entries.sort_by_key(|(name, _)| name.span.start);
        entries
    }

    /// Returns whether there is nothing under `key`, or an empty array.
    pub(super) fn is_empty(&self, key: &str) -> bool {
        match self.table.get(key).map(Spanned::get_ref) {
            None => true,
            Some(DeValue::Array(items)) => items.is_empty(),
            Some(_) => false,
        }
    }

    /// Returns the tables in the array under `key`.
    pub(super) fn sections(&self, key: &'static str, title: &'static str) -> Vec<Section<'a>> {
        let expected = format!("tables, each written {title}");
        let Some(array) = self.array(key, &expected) else { return Vec::new() };
        array.value.iter().filter_map(|item| self.table(key, item, title, &expected)).collect()
    }

    /// Returns all keys with their texts, of a table whose keys the user chooses. All keys count as read.
    pub(super) fn entries(&self) -> Vec<(Located<&'a str>, Located<&'a str>)> {
        let entry = |(name, value): Entry<'a>| {
            let text = self.typed(name.value, value, "a text in quotes", DeValue::as_str)?;
            Some((name, text))
        };
        self.all().filter_map(entry).collect()
    }

    /// Returns all keys with their texts, like [`Section::entries`]. A list is written `{a,b}`.
    pub(super) fn entries_or_lists(&self) -> Vec<(Located<&'a str>, Option<Located<String>>)> {
        let word = |item: &'a Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            value => number_text(value),
        };
        let read = |value: &'a DeValue<'a>| match value {
            DeValue::Array(items) => {
                let words = items.iter().map(word).collect::<Option<Vec<String>>>()?;
                Some(format!("{{{}}}", words.join(",")))
            }
            value => value.as_str().map(str::to_owned),
        };
        // The others stand between braces, with commas.
        let is_choice = |text: &str| !text.trim().is_empty() && !text.contains([',', '{', '}']);
        let entry = |(name, value): Entry<'a>| {
            let items = value.get_ref().as_array().into_iter().flatten();
            let texts = items.filter_map(|item| Some((item.get_ref().as_str()?, item.span())));
            let range = match texts.into_iter().find(|(text, _)| !is_choice(text)) {
                Some((text, span)) => {
                    let expected = "expected a choice that is not empty, without `,`, `{` and `}`";
                    self.refuse(span, format!("bad choice `{text}` of `{}`", name.value), expected)
                }
                None => self.typed(name.value, value, "a range such as \"1..100\", or a list of choices", read),
            };
            (name, range)
        };
        self.all().map(entry).collect()
    }

    /// Returns all keys with their numbers, like [`Section::entries`].
    pub(super) fn numeric_entries<T: FromStr<Err: Display>>(&self, expected: &str) -> Vec<(String, T)> {
        let entry = |(name, value): Entry<'a>| {
            Some((name.value.to_owned(), self.numeric_of(name.value, value, expected)?.value))
        };
        self.all().filter_map(entry).collect()
    }

    /// Returns all keys with their values. All keys count as read.
    fn all(&self) -> impl Iterator<Item = Entry<'a>> {
        self.table.iter().map(|(key, value)| (Located { value: &**key.get_ref(), span: key.span() }, value))
    }

    /// Reports all unknown keys.
    pub(super) fn finish(self) {
        let known = self.known.borrow();
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let message = format!("unknown key `{name}` in {}", self.title);
                self.complain(key.span(), message, instead(name, &known));
            }
        }
    }

    fn value(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        self.table.get(key)
    }

    fn array(&self, key: &'static str, expected: &str) -> Option<Located<&'a [Spanned<DeValue<'a>>]>> {
        self.typed(key, self.value(key)?, expected, |value| value.as_array().map(|array| &**array))
    }
}

/// Returns an integer in decimal digits, or a text.
fn integer_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(_) => number_text(value),
        _ => None,
    }
}

/// Returns a number in decimal digits. An integer may be written as `0xff`, `0o77` or `0b11`.
fn number_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(integer) if integer.radix() != 10 => {
            let digits = integer.as_str().replace('_', "");
            u128::from_str_radix(&digits, integer.radix()).ok().map(|number| number.to_string())
        }
        DeValue::Integer(integer) => Some(integer.as_str().replace('_', "")),
        DeValue::Float(float) => Some(float.as_str().replace('_', "")),
        _ => None,
    }
}

/// An error in a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueComplaint {
    /// The wrong bytes of the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// The correct form. Empty if the message contains it.
    pub expected: String,
    /// Whether it may follow from another error.
    pub follows: bool,
}

impl CatalogueComplaint {
    /// Returns the complaint as shown to users, without a final newline.
    pub fn render(&self, file: &str, text: &str) -> String {
        let start = floor_char_boundary(text, self.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let number = 1 + text[..line_start].matches('\n').count();
        let before = text[line_start..start].chars().count();
        let (line, place) = around(line, before);
        let marked = text.get(start..self.span.end).and_then(|marked| marked.lines().next()).unwrap_or("");
        let carets = "^".repeat(marked.chars().count().min(line.chars().count().saturating_sub(place)).max(1));
        let gutter = " ".repeat(number.to_string().len());
        let (indent, column) = (" ".repeat(place), before + 1);
        let note = format!("{carets} {}", self.expected);
        format!(
            "{}\n{gutter}--> {file}:{number}:{column}\n{gutter} |\n{number} | {line}\n{gutter} | {indent}{}",
            beginning(&self.message, MAX_MESSAGE_CHARS),
            note.trim_end()
        )
    }
}

/// The maximum number of characters of a message: a key or a value in it can be a whole file.
const MAX_MESSAGE_CHARS: usize = 500;

/// The maximum number of characters of a line that are shown.
const SHOWN: usize = 160;

/// How many of them come before the place.
const BEFORE: usize = 60;

/// Returns the part of a line around a place, and the place in it, both in characters. Short lines are shown whole.
fn around(line: &str, place: usize) -> (String, usize) {
    if line.chars().nth(SHOWN).is_none() {
        return (line.to_owned(), place);
    }
    let skipped = place.saturating_sub(BEFORE);
    let rest: String = line.chars().skip(skipped).take(SHOWN + 1).collect();
    let part = beginning(&rest, SHOWN);
    if skipped == 0 { (part, place) } else { (format!("…{part}"), place - skipped + 1) }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// Returns the candidate that takes the fewest changes of the written word, if any is similar enough. The first letter is
/// seldom wrong: `hist` is `history` and not `list`.
pub fn closest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let similarity = |candidate: &str| strsim::jaro_winkler(&written, candidate);
    let changes = |candidate: &str| strsim::osa_distance(&written, candidate);
    let distance = |candidate: &str| (candidate.chars().next() != written.chars().next(), changes(candidate));
    // One typing error changes a short word a lot: `rn` has little in common with `run`.
    let is_slip = |candidate: &str| written.len().max(candidate.len()) > 2 && changes(candidate) == 1;
    candidates
        .into_iter()
        .filter(|candidate| similarity(candidate) > 0.75 || is_slip(candidate))
        .min_by(|a, b| distance(a).cmp(&distance(b)).then(similarity(b).total_cmp(&similarity(a))))
}

/// Suggests what to write instead of an unknown word: the most similar candidate, or all of them.
pub(super) fn instead(written: &str, candidates: &[&str]) -> String {
    match closest(written, candidates.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("expected one of: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf_8_is_shown_with_its_place() {
        assert_eq!(decode("p.toml", "é = 1\n".into()).unwrap(), "é = 1\n");
        let latin = decode("p.toml", b"a = 1\ntitle = \"Th\xe9 1\"\n".to_vec()).unwrap_err();
        let expected =
            "not UTF-8\n --> p.toml:2:12\n  |\n2 | title = \"Th\u{fffd} 1\"\n  |            ^ save the file as UTF-8";
        assert_eq!(latin.to_string(), expected);
    }

    #[test]
    fn of_a_long_line_the_place_is_shown() {
        let text = format!("{}x{}\n", "a".repeat(1000), "b".repeat(1000));
        let complaint = CatalogueComplaint {
            span: 1000..2001,
            message: "m".repeat(1000),
            expected: "expected 3".into(),
            follows: false,
        };
        let rendered = complaint.render("p.toml", &text);
        let [message, place, _, line, carets] = *rendered.lines().collect::<Vec<_>>() else { panic!("{rendered}") };
        assert_eq!((message.chars().count(), place), (501, " --> p.toml:1:1001"));
        assert_eq!(line, format!("1 | …{}x{}…", "a".repeat(60), "b".repeat(99)));
        assert_eq!(carets, format!("  | {}{} expected 3", " ".repeat(61), "^".repeat(101)));
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let text = "a = 1\nkéy = 2\n";
        let complaint = CatalogueComplaint {
            span: 13..14,
            message: "bad value".into(),
            expected: "expected 3".into(),
            follows: false,
        };
        assert_eq!(
            complaint.render("p.toml", text),
            "bad value\n --> p.toml:2:7\n  |\n2 | kéy = 2\n  |       ^ expected 3"
        );
    }

    #[test]
    fn a_place_beyond_the_text_is_shown_at_its_end() {
        let complaint = CatalogueComplaint {
            span: 90..99,
            message: "ends too early".into(),
            expected: String::new(),
            follows: false,
        };
        assert_eq!(complaint.render("p.toml", "a"), "ends too early\n --> p.toml:1:2\n  |\n1 | a\n  |  ^");
    }

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let ids = ["columns", "same-game", "square-remover"];
        assert_eq!(closest("colums", ids), Some("columns"));
        assert_eq!(closest("rnu", ["list", "run"]), Some("run"));
        assert_eq!(closest("rn", ["rank", "run"]), Some("run"));
        assert_eq!(closest("hist", ["list", "history"]), Some("history"));
        assert_eq!(closest("score", ["score-regex", "scoring"]), Some("scoring"));
        assert_eq!(closest("SameGame", ids), Some("same-game"));
        assert_eq!(closest("squareremover", ids), Some("square-remover"));
        assert_eq!(closest("xyz", ids), None);
    }
}
