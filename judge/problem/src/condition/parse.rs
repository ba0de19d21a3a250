//! Parses a condition by recursive descent.

use super::expression::{Expression, Operand};
use super::tokens::{ConditionError, Token, Tokens};

/// The deepest nesting. It bounds the parser's recursion.
const DEEPEST: usize = 100;

/// Parses a whole condition.
pub(super) fn parse(text: &str) -> Result<Expression, ConditionError> {
    let mut parser = Parser { tokens: Tokens::new(text), depth: 0 };
    let expression = parser.either()?;
    match parser.tokens.peek() {
        Token::End => Ok(expression),
        _ => Err(parser.tokens.unexpected("`&&`, `||` or the end")),
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn either(&mut self) -> Result<Expression, ConditionError> {
        self.chain(&Token::Or, Self::both, Expression::Any)
    }

    fn both(&mut self) -> Result<Expression, ConditionError> {
        self.chain(&Token::And, Self::single, Expression::All)
    }

    /// Parses one part, or several with the operator between them.
    fn chain(
        &mut self,
        sign: &Token,
        part: fn(&mut Self) -> Result<Expression, ConditionError>,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, ConditionError> {
        let first = part(self)?;
        if self.tokens.peek() != sign {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.tokens.peek() == sign {
            self.tokens.advance();
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn single(&mut self) -> Result<Expression, ConditionError> {
        match self.tokens.peek() {
            Token::Not => {
                self.tokens.advance();
                Ok(Expression::Not(Box::new(self.deeper(Self::single)?)))
            }
            Token::Open => {
                self.tokens.advance();
                let inner = self.deeper(Self::either)?;
                match self.tokens.peek() {
                    Token::Close => self.tokens.advance(),
                    _ => return Err(self.tokens.unexpected("`&&`, `||` or `)`")),
                };
                Ok(inner)
            }
            Token::Name(_) | Token::Number(_) => self.comparison(),
            _ => Err(self.tokens.unexpected("a name, a number, `!` or `(`")),
        }
    }

    fn deeper(
        &mut self,
        read: fn(&mut Self) -> Result<Expression, ConditionError>,
    ) -> Result<Expression, ConditionError> {
        if self.depth == DEEPEST {
            return Err(self.tokens.unexpected("fewer than a hundred `!` and `(` inside each other"));
        }
        self.depth += 1;
        let expression = read(self);
        self.depth -= 1;
        expression
    }

    fn comparison(&mut self) -> Result<Expression, ConditionError> {
        let left = self.operand()?;
        let Token::Relation(comparison) = *self.tokens.peek() else {
            return Err(self.tokens.unexpected("a comparison such as `==` or `<`"));
        };
        self.tokens.advance();
        Ok(Expression::Compare(left, comparison, self.operand()?))
    }

    fn operand(&mut self) -> Result<Operand, ConditionError> {
        let operand = match self.tokens.peek() {
            Token::Name(name) => Operand::Name(name.clone()),
            Token::Number(number) => Operand::Number(number.clone()),
            _ => return Err(self.tokens.unexpected("a name or a number")),
        };
        self.tokens.advance();
        Ok(operand)
    }
}
