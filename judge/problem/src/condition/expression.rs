//! A condition as a tree, and its value for a case.

use crate::model::{Features, Number};
use std::cmp::Ordering;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    Compare(Operand, Relation, Operand),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operand {
    Name(String),
    Number(Number),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Expression {
    /// Evaluates by Kleene's three-valued logic; `None` is unknown.
    pub(super) fn evaluate(&self, features: &Features) -> Option<bool> {
        match self {
            Self::Compare(left, comparison, right) => {
                Some(comparison.accepts(left.value(features)?.cmp(right.value(features)?)))
            }
            Self::Not(inner) => inner.evaluate(features).map(|value| !value),
            Self::All(parts) => known_unless(false, parts, features),
            Self::Any(parts) => known_unless(true, parts, features),
        }
    }

    pub(super) fn collect_names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Compare(left, _, right) => names.extend([left, right].into_iter().filter_map(Operand::name)),
            Self::Not(inner) => inner.collect_names(names),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.collect_names(names)),
        }
    }
}

/// Returns the decisive value if a part has it, the other value if all parts have that, else `None`.
fn known_unless(decisive: bool, parts: &[Expression], features: &Features) -> Option<bool> {
    let mut result = Some(!decisive);
    for part in parts {
        match part.evaluate(features) {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

impl Operand {
    fn value<'a>(&'a self, features: &'a Features) -> Option<&'a Number> {
        match self {
            Self::Name(name) => features.get(name),
            Self::Number(number) => Some(number),
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Number(_) => None,
        }
    }
}

impl Relation {
    fn accepts(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Greater => order.is_gt(),
        }
    }
}
