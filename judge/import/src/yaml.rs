//! YAML files: mappings of texts, numbers and lists.

use crate::{ImportError, Result};
use judge_problem::{Bytes, Time};
use regex::Regex;
use saphyr::{LoadableYamlNode, MarkedYamlOwned, ScalarOwned, YamlDataOwned};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::LazyLock;
use std::time::Duration;

/// The maximum number of a limit in bytes, and of any other limit.
const MAX_BYTES: f64 = 1e18;
const MAX_NUMBER: f64 = 1e9;

/// A mapping of a YAML file, with the file's name.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    file: PathBuf,
    /// The path of keys to it, for messages: `limits.`.
    above: String,
    /// Its first line, from 1.
    line: usize,
    entries: Vec<(String, MarkedYamlOwned)>,
}

impl Mapping {
    /// Reads a file. An empty or missing file has no entries.
    pub(super) fn read(file: &Path) -> Result<Self> {
        Self::read_as(file, str::to_owned)
    }

    /// Reads a file after a transformation of its text.
    pub(super) fn read_as(file: &Path, change: impl Fn(&str) -> String) -> Result<Self> {
        Self::load(file, change, with_digits)
    }

    /// Reads a file whose values a Python program turns into texts: YAML 1.1 and `str`.
    pub(super) fn read_as_python(file: &Path) -> Result<Self> {
        Self::load(file, str::to_owned, python_text)
    }

    /// Reads a file after a transformation of its text. Values with a text of their own become that text.
    fn load(file: &Path, change: impl Fn(&str) -> String, text_of: TextOf) -> Result<Self> {
        let empty = Self { file: file.to_owned(), above: String::new(), line: 1, entries: Vec::new() };
        if !file.exists() {
            return Ok(empty);
        }
        let text = std::fs::read_to_string(file).map_err(|error| ImportError::unreadable(file, error))?;
        let text = change(&text);
        let mut documents = MarkedYamlOwned::load_from_str(&text)
            .map_err(|error| ImportError::bad(file, error.info(), "a YAML document").at(error.marker().line()))?;
        let characters: Vec<char> = text.chars().collect();
        documents.iter_mut().for_each(|document| replace(document, &characters, text_of));
        match documents.first() {
            None => Ok(empty),
            Some(document) if document.data.is_null() => Ok(empty),
            Some(document) => Self::of(file, String::new(), document)
                .ok_or_else(|| ImportError::bad(file, "no mapping", "`key: value` on each line")),
        }
    }

    fn of(file: &Path, above: String, node: &MarkedYamlOwned) -> Option<Self> {
        Some(Self { file: file.to_owned(), above, line: node.span.start.line(), entries: entries(node)? })
    }

    /// Returns the keys, in the order of the file.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &**key)
    }

    /// Returns the first key at any depth that ends with this character.
    pub(super) fn key_with_end(&self, end: char) -> Option<String> {
        let of = |(key, value): &(String, MarkedYamlOwned)| {
            key.ends_with(end).then(|| key.clone()).or_else(|| key_with_end(value, end))
        };
        self.entries.iter().find_map(of)
    }

    /// Returns the value of a key. `None` if it is missing or null.
    fn get(&self, key: &str) -> Option<&MarkedYamlOwned> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value).filter(|value| !value.data.is_null())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn bad(&self, key: &str, expected: &str) -> ImportError {
        self.wrong(key, format!("bad value of `{}{key}`", self.above), expected)
    }

    /// Returns a text or number as text.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>> {
        self.get(key).map(|value| word(value).ok_or_else(|| self.bad(key, "a text or a number"))).transpose()
    }

    /// Returns a number that is not negative.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>> {
        let expected = || self.bad(key, "a number, at least 0");
        let read = |text: String| text.parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
        self.text(key)?.map(|text| read(text).ok_or_else(expected)).transpose()
    }

    /// Returns a limit in the form of a catalogue: a number above 0 with the unit `s` or one of bytes.
    pub(super) fn limit(&self, key: &str, unit: &str) -> Result<Option<String>> {
        let number = match self.number(key)? {
            None => return Ok(None),
            Some(0.0) => return Err(self.bad(key, "a number above 0")),
            Some(number) => number,
        };
        let text = format!("{number}{unit}");
        let is_limit = match unit {
            "s" => text.parse::<Time>().is_ok_and(|time| time > Time(Duration::ZERO)),
            _ => text.parse::<Bytes>().is_ok_and(|bytes| bytes > Bytes(0)),
        };
        let max = if unit == "B" { MAX_BYTES } else { MAX_NUMBER };
        if number <= max && is_limit {
            return Ok(Some(text));
        }
        let expected =
            format!("a number above 0, at most {max}, with at most 9 decimals: it counts {}", unit.trim_start());
        Err(self.wrong(key, format!("bad limit `{}{key}`: {number:e}", self.above), expected))
    }

    /// Returns the words of a text or of a list of texts.
    pub(super) fn words(&self, key: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let expected = || self.bad(key, "a text, or a list of texts");
        let words = match value.data.as_sequence() {
            Some(list) => list.iter().map(word).collect::<Option<Vec<_>>>(),
            None => word(value).map(|text| text.split_whitespace().map(str::to_owned).collect()),
        };
        words.map(Some).ok_or_else(expected)
    }

    /// Returns an inner mapping. Empty if it is missing.
    pub(super) fn mapping(&self, key: &str) -> Result<Self> {
        let above = format!("{}{key}.", self.above);
        match self.get(key) {
            Some(value) => Self::of(&self.file, above, value).ok_or_else(|| self.bad(key, "a mapping")),
            None => Ok(Self { file: self.file.clone(), above, line: self.line, entries: Vec::new() }),
        }
    }

    /// Returns the mappings of a list. `None` if it is missing.
    pub(super) fn mappings(&self, key: &str) -> Result<Option<Vec<Self>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let expected = || self.bad(key, "a list of mappings");
        let of = |(index, node): (usize, &MarkedYamlOwned)| {
            Self::of(&self.file, format!("{}{key}[{index}].", self.above), node).ok_or_else(expected)
        };
        value.data.as_sequence().ok_or_else(expected)?.iter().enumerate().map(of).collect::<Result<_, _>>().map(Some)
    }

    /// Returns a required value as text.
    pub(super) fn required(&self, key: &str, expected: &str) -> Result<String> {
        self.text(key)?.ok_or_else(|| {
            ImportError::bad(&self.file, format!("there is no `{}{key}`", self.above), expected).at(self.line)
        })
    }

    /// Returns an error at the value of a key.
    pub(super) fn wrong(&self, key: &str, what: impl Into<String>, expected: impl Into<String>) -> ImportError {
        let error = ImportError::bad(&self.file, what, expected);
        match self.get(key) {
            Some(value) => error.at(value.span.start.line()),
            None => error,
        }
    }

    /// Returns the error that the file requires something unsupported.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> ImportError {
        ImportError::unsupported(&self.file, what)
    }

    /// Returns the first text below a key. Its value is a text, a list, or a mapping with one of these keys.
    pub(super) fn first_text(&self, key: &str, preferred: &[&str]) -> Option<String> {
        first_text(self.get(key)?, preferred)
    }

    /// Returns the entries with these keys.
    pub(super) fn only(&self, keys: &[&str]) -> Self {
        let entries = self.entries.iter().filter(|(key, _)| keys.contains(&&**key)).cloned().collect();
        Self { file: self.file.clone(), above: self.above.clone(), line: self.line, entries }
    }

    /// Returns the entries of this mapping, and the missing ones from the other.
    pub(super) fn over(mut self, other: &Self) -> Self {
        let missing = other.entries.iter().filter(|(key, _)| !self.has(key)).cloned().collect::<Vec<_>>();
        self.entries.extend(missing);
        self
    }
}

fn key_with_end(node: &MarkedYamlOwned, end: char) -> Option<String> {
    let of_list = || node.data.as_sequence()?.iter().find_map(|inner| key_with_end(inner, end));
    let of_mapping = || {
        let mut entries = node.data.as_mapping()?.iter();
        entries.find_map(|(key, value)| word(key).filter(|key| key.ends_with(end)).or_else(|| key_with_end(value, end)))
    };
    of_list().or_else(of_mapping)
}

/// The key of base mappings: `<<: *base`. Their entries count where the mapping itself has none.
const MERGE: &str = "<<";

/// Returns the entries of a mapping.
fn entries(node: &MarkedYamlOwned) -> Option<Vec<(String, MarkedYamlOwned)>> {
    let listed = node.data.as_mapping()?.iter().map(|(key, value)| (word(key).unwrap_or_default(), value.clone()));
    let (merged, mut own): (Vec<_>, Vec<_>) = listed.partition(|(key, _)| key == MERGE);
    for (_, value) in merged {
        for base in value.data.as_sequence().map_or(slice::from_ref(&value), Vec::as_slice) {
            let missing = entries(base)?.into_iter().filter(|(key, _)| own.iter().all(|(known, _)| known != key));
            let missing: Vec<_> = missing.collect();
            own.extend(missing);
        }
    }
    Some(own)
}

fn first_text(node: &MarkedYamlOwned, preferred: &[&str]) -> Option<String> {
    let of_list = || first_text(node.data.as_sequence()?.first()?, preferred);
    let of_mapping = || {
        let chosen = preferred.iter().find_map(|key| node.data.as_mapping_get(key));
        first_text(chosen.or_else(|| node.data.as_mapping()?.iter().next().map(|(_, value)| value))?, preferred)
    };
    word(node).or_else(of_list).or_else(of_mapping)
}

/// Returns the text of a scalar that is written like this. `None`: its value is kept.
type TextOf = fn(&MarkedYamlOwned, &str) -> Option<String>;

fn replace(node: &mut MarkedYamlOwned, text: &[char], text_of: TextOf) {
    if let Some(list) = node.data.as_sequence_mut() {
        list.iter_mut().for_each(|inner| replace(inner, text, text_of));
    } else if let Some(entries) = node.data.as_mapping_mut() {
        entries.iter_mut().for_each(|(_, inner)| replace(inner, text, text_of));
    } else {
        let written = text.get(node.span.start.index()..node.span.end.index());
        let written: String = written.unwrap_or_default().iter().collect();
        if let Some(text) = text_of(node, &written) {
            node.data = YamlDataOwned::Value(ScalarOwned::String(text));
        }
    }
}

/// Keeps numbers without a decimal point that are not `i64` as they are written: large seeds and `1e5`.
fn with_digits(node: &MarkedYamlOwned, written: &str) -> Option<String> {
    let number = node.data.as_floating_point()?;
    (!written.contains('.') && written.parse() == Ok(number)).then(|| written.to_owned())
}

/// Returns what Python's `str` makes of a number or truth value of YAML 1.1, where `010` is 8, `1_000` is 1000, `1:30` is
/// 90, and `1.5e3` is a text.
fn python_text(node: &MarkedYamlOwned, written: &str) -> Option<String> {
    let is_plain = node.data.as_str().is_none_or(|text| text == written);
    let is_finite = node.data.as_floating_point().is_none_or(f64::is_finite);
    if !is_plain || !is_finite || node.data.is_null() {
        return None;
    }
    let digits = written.replace('_', "");
    match written.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" => return Some("True".to_owned()),
        "no" | "false" | "off" => return Some("False".to_owned()),
        _ => {}
    }
    let decimal = || digits.parse::<f64>().ok().filter(|_| is_python_decimal(&digits)).map(python_decimal);
    let other = || node.data.as_str().is_none().then(|| written.to_owned());
    python_integer(&digits).or_else(|| python_base_60(&digits)).or_else(decimal).or_else(other)
}

/// Returns a number of YAML 1.1 in base 60 in decimal: `1:30` is 90.
fn python_base_60(digits: &str) -> Option<String> {
    static BASE_60: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^([-+]?)([1-9][0-9]*(?::[0-5]?[0-9])+|[0-9]+(?::[0-5]?[0-9])+\.[0-9]*)$";
        Regex::new(pattern).expect("the pattern is valid")
    });
    let [sign, parts] = BASE_60.captures(digits)?.extract().1;
    let add = |number: f64, part: &str| Some(number * 60.0 + part.parse::<f64>().ok()?);
    let number = parts.split(':').try_fold(0.0, add)?;
    let number = if sign == "-" { -number } else { number };
    Some(if parts.contains('.') { python_decimal(number) } else { number.to_string() })
}

/// Returns an integer of YAML 1.1 in decimal.
fn python_integer(digits: &str) -> Option<String> {
    let (sign, size) = match digits.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", digits.strip_prefix('+').unwrap_or(digits)),
    };
    let (radix, size) = match size.get(..2) {
        Some("0b") => (2, &size[2..]),
        Some("0x") => (16, &size[2..]),
        Some(_) if size.starts_with('0') => (8, size),
        _ => (10, size),
    };
    let is_digit = |digit: char| digit.is_digit(radix);
    let number = u128::from_str_radix(size, radix).ok().filter(|_| size.starts_with(is_digit))?;
    Some(if number == 0 { number.to_string() } else { format!("{sign}{number}") })
}

/// Returns whether YAML 1.1 reads this as a decimal number: with a point, and with the sign of the exponent.
fn is_python_decimal(digits: &str) -> bool {
    let (number, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "+"));
    number.contains('.') && exponent.starts_with(['+', '-'])
}

/// Writes a decimal number as Python does: `1e-06`.
fn python_decimal(number: f64) -> String {
    let text = format!("{number:?}");
    match text.split_once('e') {
        None => text,
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{digits}e-{exponent:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
    }
}

/// Returns a scalar as text.
fn word(node: &MarkedYamlOwned) -> Option<String> {
    let node = &node.data;
    let number = || node.as_integer().map(|number| number.to_string());
    // With its decimal point or exponent, because it may be inserted into a program.
    let decimal = || node.as_floating_point().map(|number| format!("{number:?}"));
    let truth = || node.as_bool().map(|truth| truth.to_string());
    node.as_str().map(str::to_owned).or_else(number).or_else(decimal).or_else(truth)
}
