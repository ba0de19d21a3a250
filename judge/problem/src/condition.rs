//! Conditions on a case's features, as `--where` takes them: `N<10 && (colors==4 || !(k>100))`. Both sides of a comparison
//! may be formulas: `score/N > 3`, `log(N*M) < 5`. For results, they may name metrics, too: `metric:moves>100`. The axes
//! of charts are formulas, too.

use crate::{Features, InvalidText};
use checkers::Score;
use num_rational::BigRational;
use num_traits::{NumOps, Signed, ToPrimitive, Zero};
use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::fmt;
use std::str::FromStr;

/// A condition on a case's features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    text: String,
    expression: Expression,
}

impl FromStr for Condition {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let mut parser = Parser::new(text);
        let expression = parser.either()?.holding(&parser)?;
        match parser.token {
            Token::End => Ok(Self { text: text.to_owned(), expression }),
            _ => Err(parser.unexpected("`&&`, `||` or the end")),
        }
    }
}

impl FromStr for Formula {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let mut parser = Parser::new(text);
        let formula = parser.sum()?.number(&parser)?;
        match parser.token {
            Token::End => Ok(formula),
            _ => Err(parser.unexpected("`+`, `-`, `*`, `/` or the end")),
        }
    }
}

impl fmt::Display for Condition {
    /// Writes the condition as it was given.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Condition {
    /// Returns whether the condition holds for a case. If it depends on a feature that the case lacks, neither the
    /// condition nor its negation holds.
    pub fn holds(&self, features: &Features) -> bool {
        self.expression.evaluate(features) == Some(true)
    }

    /// Returns the names of all features in the condition.
    pub fn names(&self) -> Vec<&str> {
        self.expression.names()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Compare(Formula, Relation, Formula),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

/// The orders of the two sides for which a comparison holds.
type Relation = &'static [Ordering];

impl Expression {
    /// Evaluates in Kleene's three-valued logic. `None` means unknown.
    fn evaluate(&self, features: &Features) -> Option<bool> {
        match self {
            Self::Compare(left, relation, right) => Some(relation.contains(&left.compare(right, features)?)),
            Self::Not(inner) => inner.evaluate(features).map(|value| !value),
            Self::All(parts) => known_unless(false, parts, features),
            Self::Any(parts) => known_unless(true, parts, features),
        }
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Self::Compare(left, _, right) => [left.names(), right.names()].concat(),
            Self::Not(inner) => inner.names(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::names).collect(),
        }
    }
}

/// Returns the decisive value if any part has it. Returns the other value if all parts have it. Otherwise the value is
/// unknown.
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

/// A formula over the numbers of a case: `score/N`, `log(N*M)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// A feature of the case, or a number of its result.
    Name(String),
    /// A number.
    Number(Score),
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

    /// Returns the names in it, in order.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Name(name) => vec![name],
            Self::Number(_) => Vec::new(),
            Self::Call(_, inner) => inner.names(),
            Self::Binary(left, _, right) => [left.names(), right.names()].concat(),
        }
    }

    fn evaluate(&self, features: &Features) -> Option<Value> {
        match self {
            Self::Name(name) => Some(Value::Exact(features.get(name)?.to_rational())),
            Self::Number(number) => Some(Value::Exact(number.to_rational())),
            Self::Binary(left, operator, right) => operator.apply(left.evaluate(features)?, right.evaluate(features)?),
            Self::Call(function, inner) => function.apply(inner.evaluate(features)?),
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
    /// Returns the result. `None` if it is not a finite number.
    fn apply(self, value: Value) -> Option<Value> {
        let value = match (self, value) {
            (Self::Abs, Value::Exact(number)) => return Some(Value::Exact(number.abs())),
            (Self::Abs, value) => value.to_f64()?.abs(),
            (Self::Log, value) => value.to_f64()?.ln(),
            (Self::Sqrt, value) => value.to_f64()?.sqrt(),
        };
        value.is_finite().then_some(Value::Rounded(value))
    }
}

/// The operators, longer ones before their prefixes.
const SIGNS: [(&str, Token); 15] = [
    ("<=", Token::Relation(&[Less, Equal])),
    (">=", Token::Relation(&[Greater, Equal])),
    ("==", Token::Relation(&[Equal])),
    ("!=", Token::Relation(&[Less, Greater])),
    ("<", Token::Relation(&[Less])),
    (">", Token::Relation(&[Greater])),
    ("&&", Token::And),
    ("||", Token::Or),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
    ("+", Token::Operator(Operator::Add)),
    ("-", Token::Operator(Operator::Subtract)),
    ("*", Token::Operator(Operator::Multiply)),
    ("/", Token::Operator(Operator::Divide)),
];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(Score),
    Relation(Relation),
    Operator(Operator),
    And,
    Or,
    Not,
    Open,
    Close,
    End,
    /// Text that is not a token.
    Strange,
}

/// The text of a condition, with the position of the next token.
struct Parser<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    token: Token,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut parser = Self { text, start: 0, end: 0, token: Token::End, depth: 0 };
        parser.advance();
        parser
    }

    /// Advances to the next token, and returns the one before it.
    fn advance(&mut self) -> Token {
        let rest = &self.text[self.end..];
        let rest = rest.trim_start();
        self.start = self.text.len() - rest.len();
        let (length, token) = first_token(rest);
        self.end = self.start + length;
        std::mem::replace(&mut self.token, token)
    }

    /// Returns the error that something else was expected here.
    fn unexpected(&self, expected: &str) -> InvalidText {
        let found = match &self.text[self.start..self.end] {
            "" => "the end".to_owned(),
            found => format!("`{found}`"),
        };
        let place = 1 + self.text[..self.start].chars().count();
        InvalidText(format!("expected {expected}, found {found} (character {place})"))
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
        let length = run_of(text, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
        return (length, Token::Name(text[..length].to_owned()));
    }
    let length = run_of(text, |c| c.is_ascii_digit() || c == '.');
    let digits = &text[..length];
    match digits.parse() {
        Ok(number) if !digits.starts_with('.') && !digits.ends_with('.') => (length, Token::Number(number)),
        _ => (length.max(first.len_utf8()), Token::Strange),
    }
}

/// The maximum nesting. It bounds the recursion of the parser.
const MAX_DEPTH: usize = 100;

/// The kind of a part of the text.
enum Part {
    Condition(Expression),
    Number(Formula),
}

impl Part {
    /// Returns the part as a condition.
    fn holding(self, parser: &Parser<'_>) -> Result<Expression, InvalidText> {
        match self {
            Self::Condition(expression) => Ok(expression),
            Self::Number(_) => Err(parser.unexpected("a comparison such as `==` or `<`")),
        }
    }

    /// Returns the part as a number.
    fn number(self, parser: &Parser<'_>) -> Result<Formula, InvalidText> {
        match self {
            Self::Number(formula) => Ok(formula),
            Self::Condition(_) => Err(parser.unexpected("`&&`, `||` or the end")),
        }
    }
}

impl Parser<'_> {
    fn either(&mut self) -> Result<Part, InvalidText> {
        self.chain(&Token::Or, Self::both, Expression::Any)
    }

    fn both(&mut self) -> Result<Part, InvalidText> {
        self.chain(&Token::And, Self::single, Expression::All)
    }

    /// Parses one part, or several conditions with the operator between them.
    fn chain(
        &mut self,
        sign: &Token,
        part: fn(&mut Self) -> Result<Part, InvalidText>,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Result<Part, InvalidText> {
        let first = part(self)?;
        if self.token != *sign {
            return Ok(first);
        }
        let mut parts = vec![first.holding(self)?];
        while self.token == *sign {
            self.advance();
            parts.push(part(self)?.holding(self)?);
        }
        Ok(Part::Condition(join(parts)))
    }

    fn single(&mut self) -> Result<Part, InvalidText> {
        match self.token {
            Token::Not => {
                self.advance();
                let inner = self.deeper(Self::single)?.holding(self)?;
                Ok(Part::Condition(Expression::Not(Box::new(inner))))
            }
            Token::Open | Token::Name(_) | Token::Number(_) | Token::Operator(Operator::Subtract) => self.comparison(),
            _ => Err(self.unexpected("a name, a number, `!` or `(`")),
        }
    }

    fn comparison(&mut self) -> Result<Part, InvalidText> {
        let left = self.sum()?;
        match (left, &self.token) {
            (Part::Number(left), Token::Relation(relation)) => {
                let relation = *relation;
                self.advance();
                let right = self.sum()?.number(self)?;
                Ok(Part::Condition(Expression::Compare(left, relation, right)))
            }
            (left, _) => Ok(left),
        }
    }

    fn sum(&mut self) -> Result<Part, InvalidText> {
        self.operators(&[Operator::Add, Operator::Subtract], Self::product)
    }

    fn product(&mut self) -> Result<Part, InvalidText> {
        self.operators(&[Operator::Multiply, Operator::Divide], Self::factor)
    }

    /// Parses one part, or several numbers with operators between them.
    fn operators(
        &mut self,
        known: &[Operator],
        part: fn(&mut Self) -> Result<Part, InvalidText>,
    ) -> Result<Part, InvalidText> {
        let mut left = part(self)?;
        let mut count = 0;
        while let Token::Operator(operator) = self.token {
            if !known.contains(&operator) {
                break;
            }
            count += 1;
            if count > MAX_DEPTH {
                return Err(self.unexpected("at most a hundred operators in a row"));
            }
            let first = left.number(self)?;
            self.advance();
            let second = part(self)?.number(self)?;
            left = Part::Number(Formula::Binary(Box::new(first), operator, Box::new(second)));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Part, InvalidText> {
        match self.token.clone() {
            Token::Number(number) => {
                self.advance();
                Ok(Part::Number(Formula::Number(number)))
            }
            Token::Name(name) => {
                self.advance();
                let function = Function::ALL.into_iter().find(|(known, _)| *known == name);
                match function.filter(|_| self.token == Token::Open) {
                    Some((_, function)) => {
                        let inner = self.group()?.number(self)?;
                        Ok(Part::Number(Formula::Call(function, Box::new(inner))))
                    }
                    None => Ok(Part::Number(Formula::Name(name))),
                }
            }
            Token::Operator(Operator::Subtract) => {
                self.advance();
                let inner = self.deeper(Self::factor)?.number(self)?;
                let zero = Formula::Number(Score::from(0));
                Ok(Part::Number(Formula::Binary(Box::new(zero), Operator::Subtract, Box::new(inner))))
            }
            Token::Open => self.group(),
            _ => Err(self.unexpected("a name or a number")),
        }
    }

    /// Parses the text between `(` and `)`.
    fn group(&mut self) -> Result<Part, InvalidText> {
        self.advance();
        let inner = self.deeper(Self::either)?;
        match (&self.token, &inner) {
            (Token::Close, _) => self.advance(),
            (_, Part::Condition(_)) => return Err(self.unexpected("`&&`, `||` or `)`")),
            (_, Part::Number(_)) => return Err(self.unexpected("an operator, a comparison or `)`")),
        };
        Ok(inner)
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<Part, InvalidText>) -> Result<Part, InvalidText> {
        if self.depth == MAX_DEPTH {
            return Err(self.unexpected("fewer than a hundred `!` and `(` inside each other"));
        }
        self.depth += 1;
        let part = read(self);
        self.depth -= 1;
        part
    }
}

#[cfg(test)]
mod tests;
