//! Splits a condition into tokens.

use super::expression::Relation;
use crate::model::Number;

/// A syntax error in a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found} (character {place})")]
pub struct ConditionError {
    expected: &'static str,
    found: String,
    place: usize,
}

/// The operators, longer ones before their prefixes.
const SIGNS: [(&str, Token); 11] = [
    ("<=", Token::Relation(Relation::LessOrEqual)),
    (">=", Token::Relation(Relation::GreaterOrEqual)),
    ("==", Token::Relation(Relation::Equal)),
    ("!=", Token::Relation(Relation::NotEqual)),
    ("<", Token::Relation(Relation::Less)),
    (">", Token::Relation(Relation::Greater)),
    ("&&", Token::And),
    ("||", Token::Or),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Number(Number),
    Relation(Relation),
    And,
    Or,
    Not,
    Open,
    Close,
    End,
    /// Text that is no token of a condition.
    Strange,
}

/// The text of a condition, and the position in it.
pub(super) struct Tokens<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    token: Token,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut tokens = Self { text, start: 0, end: 0, token: Token::End };
        tokens.advance();
        tokens
    }

    /// Returns the next token.
    pub(super) fn peek(&self) -> &Token {
        &self.token
    }

    /// Advances to the next token, and returns the one before it.
    pub(super) fn advance(&mut self) -> Token {
        let rest = &self.text[self.end..];
        let rest = rest.trim_start();
        self.start = self.text.len() - rest.len();
        let (length, token) = first_token(rest);
        self.end = self.start + length;
        std::mem::replace(&mut self.token, token)
    }

    /// Returns the error for the next token where something else was expected.
    pub(super) fn unexpected(&self, expected: &'static str) -> ConditionError {
        let found = match &self.text[self.start..self.end] {
            "" => "the end".to_owned(),
            found => format!("`{found}`"),
        };
        ConditionError { expected, found, place: 1 + self.text[..self.start].chars().count() }
    }
}

/// Returns the first token of a text, and its length in bytes.
fn first_token(text: &str) -> (usize, Token) {
    let Some(first) = text.chars().next() else { return (0, Token::End) };
    if let Some((sign, token)) = SIGNS.into_iter().find(|(sign, _)| text.starts_with(sign)) {
        return (sign.len(), token);
    }
    let run_of = |text: &str, of: fn(char) -> bool| text.find(|c| !of(c)).unwrap_or(text.len());
    if first.is_ascii_alphabetic() || first == '_' {
        let length = run_of(text, |c| c.is_ascii_alphanumeric() || c == '_');
        return (length, Token::Name(text[..length].to_owned()));
    }
    let sign = usize::from(first == '-');
    let length = sign + run_of(&text[sign..], |c| c.is_ascii_digit() || c == '.');
    match text[..length].parse() {
        Ok(number) => (length, Token::Number(number)),
        Err(_) => (length.max(first.len_utf8()), Token::Strange),
    }
}
