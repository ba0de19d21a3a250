//! What the user says of a run that was recorded: its tags and its note.

use super::is_hidden;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The tags and the note of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// The tags, in alphabetical order.
    pub tags: BTreeSet<Tag>,
    /// The note.
    pub note: Option<Note>,
}

impl Labels {
    /// The most tags of a run.
    pub const MOST_TAGS: usize = 20;

    /// Adds those of another part of the same run: its tags as far as there is room, and its note as a paragraph, unless it
    /// is there. The order in which parts are added does not matter.
    pub fn add(&mut self, other: Self) {
        let room = Self::MOST_TAGS.saturating_sub(self.tags.len());
        let new: Vec<_> = other.tags.difference(&self.tags).take(room).cloned().collect();
        self.tags.extend(new);
        self.note = match (self.note.take(), other.note) {
            (Some(own), Some(more)) => Some(own.with_paragraphs_of(&more)),
            (own, more) => own.or(more),
        };
    }
}

/// A word that runs are found by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

/// A text about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note(String);

/// What begins a new paragraph.
const PARAGRAPH: &str = "\n\n";

impl Tag {
    /// The most characters of a tag.
    pub const MOST: usize = 40;
}

impl Note {
    /// The most characters of a note.
    pub const MOST: usize = 2000;

    /// Returns the paragraphs of both in alphabetical order, each once, as far as they fit.
    fn with_paragraphs_of(self, other: &Self) -> Self {
        let own: BTreeSet<&str> = self.0.split(PARAGRAPH).collect();
        let paragraphs: BTreeSet<&str> = own.iter().copied().chain(other.0.split(PARAGRAPH)).collect();
        if paragraphs == own {
            return self;
        }
        let mut text = String::new();
        for paragraph in paragraphs {
            if text.chars().count() + paragraph.chars().count() + PARAGRAPH.len() > Self::MOST {
                break;
            }
            text.push_str(if text.is_empty() { "" } else { PARAGRAPH });
            text.push_str(paragraph);
        }
        Self(text)
    }

    /// Reads a text that may be empty: then there is no note.
    ///
    /// # Errors
    /// When it is too long, or has a character that cannot be shown.
    pub fn if_any(text: &str) -> Result<Option<Self>, NoteError> {
        match text.parse() {
            Ok(note) => Ok(Some(note)),
            Err(NoteError::Empty) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Why a text is no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// It is empty.
    #[error("a tag has a letter at least")]
    Empty,
    /// It is too long.
    #[error("a tag has at most {} characters", Tag::MOST)]
    Long,
    /// It has a character that a tag cannot have.
    #[error("a tag is one word, without `{}`", .0.escape_default())]
    Character(char),
}

/// Why a text is no note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It is empty.
    #[error("the note is empty")]
    Empty,
    /// It is too long.
    #[error("a note has at most {} characters", Note::MOST)]
    Long,
    /// It has a character that cannot be shown.
    #[error("a note has no control characters but line feeds, and this one has `{}`", .0.escape_default())]
    Character(char),
}

impl FromStr for Tag {
    type Err = TagError;

    fn from_str(text: &str) -> Result<Self, TagError> {
        let wrong = |c: &char| c.is_whitespace() || is_hidden(*c) || *c == ',';
        match text.chars().find(wrong) {
            Some(c) => Err(TagError::Character(c)),
            None if text.is_empty() => Err(TagError::Empty),
            None if text.chars().count() > Self::MOST => Err(TagError::Long),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl FromStr for Note {
    type Err = NoteError;

    /// Reads a text without the white space around it.
    fn from_str(text: &str) -> Result<Self, NoteError> {
        let text = text.trim();
        match text.chars().find(|c| is_hidden(*c) && *c != '\n') {
            Some(c) => Err(NoteError::Character(c)),
            None if text.is_empty() => Err(NoteError::Empty),
            None if text.chars().count() > Self::MOST => Err(NoteError::Long),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl AsRef<str> for Tag {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Note {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(tags: &[&str], note: &str) -> Labels {
        Labels { tags: tags.iter().map(|tag| tag.parse().unwrap()).collect(), note: note.parse().ok() }
    }

    #[test]
    fn a_tag_is_a_short_visible_word() {
        for tag in ["best", "wider-beam", "v1.2", "größer", "λ=3", &"x".repeat(40)] {
            assert_eq!(tag.parse::<Tag>().unwrap().as_ref(), tag);
        }
        for (tag, error) in [
            ("", TagError::Empty),
            ("two words", TagError::Character(' ')),
            ("a,b", TagError::Character(',')),
            ("\u{1b}[31m", TagError::Character('\u{1b}')),
            ("a\u{202e}b", TagError::Character('\u{202e}')),
            (&"x".repeat(41), TagError::Long),
        ] {
            assert_eq!(tag.parse::<Tag>(), Err(error), "{tag:?}");
        }
        assert_eq!(TagError::Character('\u{1b}').to_string(), r"a tag is one word, without `\u{1b}`");
    }

    #[test]
    fn a_note_is_a_visible_text_of_some_lines() {
        assert_eq!(" one\ntwo \n".parse::<Note>().unwrap().as_ref(), "one\ntwo");
        for (note, error) in [
            (" \n", NoteError::Empty),
            ("a\u{7}b", NoteError::Character('\u{7}')),
            ("a\tb", NoteError::Character('\t')),
            ("a\u{202e}b", NoteError::Character('\u{202e}')),
            (&"x".repeat(2001), NoteError::Long),
        ] {
            assert_eq!(note.parse::<Note>(), Err(error), "{note:?}");
        }
    }

    #[test]
    fn the_labels_of_parts_come_together_in_any_order_and_once() {
        let parts = [labels(&["b", "a"], "first"), labels(&["c"], "second\n\nthird"), labels(&[], "")];
        let mut expected = None;
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 1]] {
            let mut all = Labels::default();
            order.into_iter().for_each(|part| all.add(parts[part].clone()));
            assert_eq!(*expected.get_or_insert_with(|| all.clone()), all, "{order:?}");
        }
        assert_eq!(expected, Some(labels(&["a", "b", "c"], "first\n\nsecond\n\nthird")));
    }

    #[test]
    fn many_parts_stay_within_the_bounds() {
        let mut all = Labels::default();
        for part in 0..100 {
            all.add(labels(&[&format!("tag-{part}")], &format!("{part} {}", "x".repeat(100))));
        }
        let length = all.note.as_ref().unwrap().as_ref().chars().count();
        assert!(all.tags.len() == Labels::MOST_TAGS && length > Note::MOST - 110 && length <= Note::MOST, "{length}");
    }
}
