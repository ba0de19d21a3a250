//! The exact score.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most characters of a score as text: reading and writing take the square of the length.
const MOST_CHARACTERS: usize = 100_000;
/// The most decimals of a score, and the largest exponent in its text: every score is written out without one.
const MOST_DECIMALS: u32 = 10_000;

/// What an answer is worth: an exact decimal number. Its text is also its JSON; that of an integer has no point, and no
/// text has an exponent or ends with a zero that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Score(Digits);

/// The number times 10 to the power of `decimals`, which are as few as the number needs. Equal scores have the same form: long
/// are only those whose digits do not fit. Nearly all are short, and take no memory of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Digits {
    Short { digits: i64, decimals: u32 },
    Long(Box<(BigInt, u32)>),
}

/// A text that is not a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// It is not a number.
    #[error("expected a number such as 12, -0.25 or 1e-3, found `{0}`")]
    Syntax(String),
    /// Its text has too many characters.
    #[error("a score has at most {MOST_CHARACTERS} characters, found {0}")]
    TooLong(usize),
    /// Its exponent is too large.
    #[error("the exponent of a score lies between -{MOST_DECIMALS} and {MOST_DECIMALS}, found `{0}`")]
    Exponent(String),
    /// It has too many digits after its point.
    #[error("a score has at most {MOST_DECIMALS} decimals, found {0}")]
    Decimals(usize),
}

impl Score {
    fn new(digits: BigInt, decimals: u32) -> Self {
        match digits.to_i64() {
            Some(digits) => Self(Digits::Short { digits, decimals }),
            None => Self(Digits::Long(Box::new((digits, decimals)))),
        }
    }

    fn digits(&self) -> Cow<'_, BigInt> {
        match &self.0 {
            Digits::Short { digits, .. } => Cow::Owned((*digits).into()),
            Digits::Long(long) => Cow::Borrowed(&long.0),
        }
    }

    /// Returns the number itself if it is an integer.
    #[must_use]
    pub fn as_integer(&self) -> Option<Cow<'_, BigInt>> {
        (self.decimals() == 0).then(|| self.digits())
    }

    /// Returns the number itself, for exact arithmetic.
    #[must_use]
    pub fn to_rational(&self) -> BigRational {
        match self.decimals() {
            0 => BigRational::from_integer(self.digits().into_owned()),
            decimals => BigRational::new(self.digits().into_owned(), power_of_ten(decimals)),
        }
    }

    /// Returns the score of this value; `None` unless it has finitely many decimals, and no more than a score may have.
    #[must_use]
    pub fn from_rational(value: &BigRational) -> Option<Self> {
        let (mut rest, mut fives) = (value.denom().clone(), 0_u32);
        let twos = u32::try_from(rest.trailing_zeros().unwrap_or(0)).ok().filter(|twos| *twos <= MOST_DECIMALS)?;
        rest >>= twos;
        while rest.is_multiple_of(&BigInt::from(5)) && fives < MOST_DECIMALS {
            rest /= 5;
            fives += 1;
        }
        let decimals = twos.max(fives);
        // The value is in lowest terms, so that these decimals are as few as it needs.
        rest.is_one().then(|| Self::new(value.numer() * (power_of_ten(decimals) / value.denom()), decimals))
    }

    /// Returns the number of its decimals.
    #[must_use]
    pub fn decimals(&self) -> u32 {
        match &self.0 {
            Digits::Short { decimals, .. } => *decimals,
            Digits::Long(long) => long.1,
        }
    }

    /// Returns the largest integer that is not above it, and the decimals of the rest, without zeros at the end.
    #[must_use]
    pub fn floor_and_rest(&self) -> (BigInt, String) {
        if self.decimals() == 0 {
            return (self.digits().into_owned(), String::new());
        }
        let (floor, rest) = self.digits().div_mod_floor(&power_of_ten(self.decimals()));
        (floor, format!("{:0>width$}", rest.to_string(), width = self.decimals() as usize))
    }

    /// Returns its digits with this many decimals, at least its own.
    fn scaled_to(&self, decimals: u32) -> BigInt {
        &*self.digits() * power_of_ten(decimals - self.decimals())
    }
}

fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

impl Default for Score {
    /// 0.
    fn default() -> Self {
        Self(Digits::Short { digits: 0, decimals: 0 })
    }
}

impl<T: Into<BigInt>> From<T> for Score {
    fn from(value: T) -> Self {
        Self::new(value.into(), 0)
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Digits::Short { digits, decimals }, Digits::Short { digits: others, decimals: same }) =
            (&self.0, &other.0)
            && decimals == same
        {
            return digits.cmp(others);
        }
        let decimals = self.decimals().max(other.decimals());
        self.scaled_to(decimals).cmp(&other.scaled_to(decimals))
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, decimals) = (self.digits(), self.decimals() as usize);
        let mut text = format!("{:0>width$}", digits.magnitude().to_string(), width = decimals + 1);
        if decimals > 0 {
            text.insert(text.len() - decimals, '.');
        }
        // So that widths work as for the built-in integers.
        formatter.pad_integral(!digits.is_negative(), "", &text)
    }
}

impl FromStr for Score {
    type Err = ScoreError;

    /// Reads digits with at most one sign, one point and one exponent.
    fn from_str(text: &str) -> Result<Self, ScoreError> {
        if text.len() > MOST_CHARACTERS {
            return Err(ScoreError::TooLong(text.len()));
        }
        let (sign, unsigned) = split_sign(text);
        let (mantissa, exponent) =
            unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = are_digits(whole) && are_digits(fraction) && whole.len() + fraction.len() > 0;
        if !is_number || exponent.is_some_and(|exponent| !is_exponent(exponent)) {
            return Err(ScoreError::Syntax(shortened(text)));
        }
        let exponent = exponent.map_or(Ok(0), read_exponent)?;
        let mut digits = format!("{sign}{whole}{fraction}");
        // Both are far from the ends of their types.
        let point = fraction.len() as i64 - i64::from(exponent);
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        let spare = usize::try_from(point).map_or(0, |point| point.min(zeros));
        digits.truncate(digits.len() - spare);
        let digits: BigInt = digits.parse().unwrap_or_default();
        let decimals = if digits.is_zero() { 0 } else { point - spare as i64 };
        if decimals > i64::from(MOST_DECIMALS) {
            return Err(ScoreError::Decimals(usize::try_from(decimals).unwrap_or(usize::MAX)));
        }
        match u32::try_from(decimals) {
            Ok(decimals) => Ok(Self::new(digits, decimals)),
            Err(_) => Ok(Self::new(digits * power_of_ten(decimals.unsigned_abs() as u32), 0)),
        }
    }
}

/// Splits off a sign; a plus is dropped.
fn split_sign(text: &str) -> (&'static str, &str) {
    match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    }
}

fn is_exponent(text: &str) -> bool {
    let (_, digits) = split_sign(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads an exponent of the right form.
fn read_exponent(text: &str) -> Result<i32, ScoreError> {
    let (sign, digits) = split_sign(text);
    let size = digits.trim_start_matches('0');
    let size = if size.is_empty() { Some(0) } else { size.parse().ok() };
    match size.filter(|size| *size <= MOST_DECIMALS.cast_signed()) {
        Some(size) => Ok(if sign == "-" { -size } else { size }),
        None => Err(ScoreError::Exponent(shortened(text))),
    }
}

/// Returns the beginning of a text that may be of any length.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
