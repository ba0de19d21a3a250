//! Formulas over the numbers of a case, as in conditions and the axes of charts: `score/N`, `log(N*M)`.

use crate::{Features, Number};
use num_rational::BigRational;
use num_traits::{NumOps, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A formula. `judge_problem::condition` has its syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// A feature of the case, or a number of its result.
    Name(String),
    /// A number.
    Number(Number),
    /// The negative of a formula.
    Minus(Box<Formula>),
    /// Two formulas with an operator between them.
    Binary(Box<Formula>, Operator, Box<Formula>),
    /// A function of a formula.
    Call(Function, Box<Formula>),
}

/// An operator between two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// A function of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The natural logarithm.
    Log,
    /// The square root.
    Sqrt,
    /// The absolute value.
    Abs,
}

impl Function {
    /// The functions with their names.
    pub const ALL: [(&'static str, Self); 3] = [("log", Self::Log), ("sqrt", Self::Sqrt), ("abs", Self::Abs)];
}

/// A value of a formula: exact, unless a function has rounded it.
#[derive(Debug, Clone)]
enum Value {
    Exact(BigRational),
    Rounded(f64),
}

impl Value {
    fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Exact(number) => number.to_f64(),
            Self::Rounded(number) => Some(*number),
        }
    }
}

impl Formula {
    /// Returns the value for a case, rounded. `None` if the case lacks a number of it, or if it has no finite value.
    pub fn value(&self, features: &Features) -> Option<f64> {
        self.evaluate(features)?.to_f64().filter(|value| value.is_finite())
    }

    /// Compares the values of two formulas for a case. `None` if one has no value.
    pub fn compare(&self, other: &Self, features: &Features) -> Option<Ordering> {
        match (self.evaluate(features)?, other.evaluate(features)?) {
            (Value::Exact(left), Value::Exact(right)) => Some(left.cmp(&right)),
            (left, right) => left.to_f64()?.partial_cmp(&right.to_f64()?),
        }
    }

    /// Adds the names in it to a list, in order.
    pub(crate) fn collect_names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Name(name) => names.push(name),
            Self::Number(_) => {}
            Self::Minus(inner) | Self::Call(_, inner) => inner.collect_names(names),
            Self::Binary(left, _, right) => {
                left.collect_names(names);
                right.collect_names(names);
            }
        }
    }

    /// Returns the names in it.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect_names(&mut names);
        names
    }

    fn evaluate(&self, features: &Features) -> Option<Value> {
        match self {
            Self::Name(name) => Some(Value::Exact(features.get(name)?.clone().into())),
            Self::Number(number) => Some(Value::Exact(number.clone().into())),
            Self::Minus(inner) => Some(match inner.evaluate(features)? {
                Value::Exact(number) => Value::Exact(-number),
                Value::Rounded(number) => Value::Rounded(-number),
            }),
            Self::Binary(left, operator, right) => operator.apply(left.evaluate(features)?, right.evaluate(features)?),
            Self::Call(function, inner) => {
                let value = function.apply(inner.evaluate(features)?.to_f64()?);
                value.is_finite().then_some(Value::Rounded(value))
            }
        }
    }
}

impl Operator {
    /// Returns the result, rounded unless both numbers are exact. `None` if it is not a finite number.
    fn apply(self, left: Value, right: Value) -> Option<Value> {
        match (left, right) {
            (Value::Exact(_), Value::Exact(right)) if self == Self::Divide && right.is_zero() => None,
            (Value::Exact(left), Value::Exact(right)) => Some(Value::Exact(self.of(left, right))),
            (left, right) => {
                let value = self.of(left.to_f64()?, right.to_f64()?);
                value.is_finite().then_some(Value::Rounded(value))
            }
        }
    }

    fn of<T: NumOps>(self, left: T, right: T) -> T {
        match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
        }
    }
}

impl Function {
    fn apply(self, value: f64) -> f64 {
        match self {
            Self::Log => value.ln(),
            Self::Sqrt => value.sqrt(),
            Self::Abs => value.abs(),
        }
    }
}
