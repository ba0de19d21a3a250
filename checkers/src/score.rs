//! The exact score.

use crate::tokens::signed;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The maximum length of a score as text. Reading and writing take time quadratic in the length.
const MAX_CHARACTERS: usize = 100_000;
/// The maximum number of decimals of a score, and the largest exponent in its text. Scores are written without an exponent.
const MAX_DECIMALS: u32 = 10_000;

/// The score of an answer: an exact decimal number.
///
/// Its text is also valid JSON. Integers have no decimal point, and no text has an exponent or a trailing zero after the point.
///
/// ```
/// let score: checkers::Score = "1.50e1".parse()?;
/// assert_eq!(score.to_string(), "15");
/// # Ok::<(), checkers::ScoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Score(Digits);

/// The number times 10 to the power of `decimals`, where `decimals` is minimal. Equal scores have the same form: only
/// digits that do not fit into 64 bits are `Long`. Nearly all scores are `Short` and need no allocation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Digits {
    Short { digits: i64, decimals: u32 },
    Long(Box<(BigInt, u32)>),
}

/// Why a text is not a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScoreError(String);

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
    pub fn as_integer(&self) -> Option<Cow<'_, BigInt>> {
        (self.decimals() == 0).then(|| self.digits())
    }

    /// Returns the number itself, for exact arithmetic.
    pub fn to_rational(&self) -> BigRational {
        match self.decimals() {
            0 => BigRational::from_integer(self.digits().into_owned()),
            decimals => BigRational::new(self.digits().into_owned(), power_of_ten(decimals)),
        }
    }

    /// Returns the score of this value, or `None` if it needs more decimals than a score may have.
    pub fn from_rational(value: &BigRational) -> Option<Self> {
        let (mut rest, mut fives) = (value.denom().clone(), 0_u32);
        let twos = u32::try_from(rest.trailing_zeros().unwrap_or(0)).ok().filter(|twos| *twos <= MAX_DECIMALS)?;
        rest >>= twos;
        while rest.is_multiple_of(&BigInt::from(5)) && fives < MAX_DECIMALS {
            rest /= 5;
            fives += 1;
        }
        let decimals = twos.max(fives);
        // The value is in lowest terms, so it needs all of these decimals.
        rest.is_one().then(|| Self::new(value.numer() * (power_of_ten(decimals) / value.denom()), decimals))
    }

    /// Returns the number of its decimals.
    pub fn decimals(&self) -> u32 {
        match &self.0 {
            Digits::Short { decimals, .. } => *decimals,
            Digits::Long(long) => long.1,
        }
    }

    /// Returns the largest integer that is not above the score, and the decimals of the remainder without trailing zeros.
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
        if let Digits::Short { digits, decimals: 0 } = &self.0 {
            return digits.fmt(formatter);
        }
        let (digits, decimals) = (self.digits(), self.decimals() as usize);
        let mut text = format!("{:0>width$}", digits.magnitude().to_string(), width = decimals + 1);
        if decimals > 0 {
            text.insert(text.len() - decimals, '.');
        }
        // Widths then work as they do for the built-in integers.
        formatter.pad_integral(!digits.is_negative(), "", &text)
    }
}

impl FromStr for Score {
    type Err = ScoreError;

    /// Reads digits with at most one sign, one decimal point and one exponent.
    fn from_str(text: &str) -> Result<Self, ScoreError> {
        if text.len() > MAX_CHARACTERS {
            return Err(ScoreError(format!("a score has at most {MAX_CHARACTERS} characters, found {}", text.len())));
        }
        // The fast path: nearly all scores and metrics are short integers.
        if let Ok(digits) = text.parse() {
            return Ok(Self(Digits::Short { digits, decimals: 0 }));
        }
        let (sign, unsigned) = split_sign(text);
        let (mantissa, exponent) =
            unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = are_digits(whole) && are_digits(fraction) && whole.len() + fraction.len() > 0;
        if !is_number || exponent.is_some_and(|exponent| !is_exponent(exponent)) {
            let found = shortened(text);
            return Err(ScoreError(format!("expected a number such as 12, -0.25 or 1e-3, found `{found}`")));
        }
        let exponent = exponent.map_or(Ok(0), read_exponent)?;
        let mut digits = format!("{sign}{whole}{fraction}");
        let point = signed(fraction.len()) - i64::from(exponent);
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        let spare = usize::try_from(point).map_or(0, |point| point.min(zeros));
        digits.truncate(digits.len() - spare);
        let digits: BigInt = digits.parse().unwrap_or_default();
        let decimals = if digits.is_zero() { 0 } else { point - signed(spare) };
        if decimals > i64::from(MAX_DECIMALS) {
            return Err(ScoreError(format!("a score has at most {MAX_DECIMALS} decimals, found {decimals}")));
        }
        match u32::try_from(decimals) {
            Ok(decimals) => Ok(Self::new(digits, decimals)),
            Err(_) => {
                let zeros = u32::try_from(decimals.unsigned_abs()).expect("an exponent has at most five digits");
                Ok(Self::new(digits * power_of_ten(zeros), 0))
            }
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
    let exponent = text.parse().ok().filter(|exponent: &i32| exponent.unsigned_abs() <= MAX_DECIMALS);
    exponent.ok_or_else(|| {
        let range = format!("-{MAX_DECIMALS} and {MAX_DECIMALS}");
        ScoreError(format!("the exponent of a score lies between {range}, found `{}`", shortened(text)))
    })
}

/// Returns the beginning of a text of any length.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn score(text: &str) -> Score {
        text.parse().unwrap()
    }

    #[test]
    fn scores_have_one_text() {
        for (text, shown) in [
            ("12", "12"),
            ("12.5", "12.5"),
            ("1e-3", "0.001"),
            ("-0.25", "-0.25"),
            ("+3.0", "3"),
            ("-0", "0"),
            ("-0.000", "0"),
            ("007.10", "7.1"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("5.", "5"),
            ("1500e-2", "15"),
            ("1505e-2", "15.05"),
            ("1.5E+3", "1500"),
            ("1.50e1", "15"),
            ("1e-05", "0.00001"),
            ("0e-7", "0"),
            ("2e000000000000000000000000002", "200"),
            ("123456789012345678901234567890.5", "123456789012345678901234567890.5"),
        ] {
            assert_eq!(score(text).to_string(), shown, "{text}");
            assert_eq!(score(shown), score(text), "{text}");
        }
        assert_eq!(score("1e10000").to_string(), format!("1{}", "0".repeat(10_000)));
        assert_eq!(score("1e-10000").to_string(), format!("0.{}1", "0".repeat(9_999)));
        let long = "9".repeat(100_000);
        assert_eq!(score(&long).to_string(), long);
    }

    #[test]
    fn widths_count_as_for_integers() {
        assert_eq!(
            format!("{:>6}|{:<6}|{:06}|{:+}", score("-0.5"), score("1.25"), score("-2.5"), score("3")),
            "  -0.5|1.25  |-002.5|+3"
        );
    }

    #[test]
    fn text_that_is_not_a_number_is_refused() {
        for text in [
            "", "-", ".", "-.", "e3", "1e", "1e+", "1e1.5", "1.2.3", "--1", "+-1", "1_000", "0x10", "1 ", " 1", "inf",
            "nan", "1,5", "1e5e5", "½", "٣", ".e1", "1.-5",
        ] {
            let error = text.parse::<Score>().unwrap_err().to_string();
            assert_eq!(error, format!("expected a number such as 12, -0.25 or 1e-3, found `{text}`"));
        }
        let long = "x".repeat(500);
        assert!(long.parse::<Score>().unwrap_err().to_string().len() < 200);
    }

    #[test]
    fn huge_numbers_are_refused_at_once() {
        for (text, error) in [
            ("1e999999999", "the exponent of a score lies between -10000 and 10000, found `999999999`"),
            ("1e-10001", "the exponent of a score lies between -10000 and 10000, found `-10001`"),
            (
                "0e99999999999999999999",
                "the exponent of a score lies between -10000 and 10000, found `99999999999999999999`",
            ),
        ] {
            assert_eq!(text.parse::<Score>().unwrap_err().to_string(), error);
        }
        let error = |text: &str| text.parse::<Score>().unwrap_err().to_string();
        let too_fine = "a score has at most 10000 decimals, found 10001";
        assert_eq!(error("0.1e-10000"), too_fine);
        assert_eq!(error(&"1".repeat(100_001)), "a score has at most 100000 characters, found 100001");
        assert_eq!(error(&format!("0.{}", "1".repeat(10_001))), too_fine);
    }

    /// A decimal number in elementary form: its sign, and its digits before and after the decimal point.
    #[derive(Debug, Clone)]
    struct Written {
        negative: bool,
        whole: Vec<u8>,
        fraction: Vec<u8>,
    }

    impl Written {
        /// Moves the decimal point digit by digit.
        fn shifted(mut self, exponent: i32) -> Self {
            for _ in 0..exponent.abs() {
                if exponent > 0 {
                    let digit = if self.fraction.is_empty() { 0 } else { self.fraction.remove(0) };
                    self.whole.push(digit);
                } else {
                    let digit = self.whole.pop().unwrap_or(0);
                    self.fraction.insert(0, digit);
                }
            }
            while self.fraction.last() == Some(&0) {
                self.fraction.pop();
            }
            while self.whole.first() == Some(&0) {
                self.whole.remove(0);
            }
            self
        }

        fn text(&self) -> String {
            let shown = |digits: &[u8]| digits.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
            let is_zero = self.whole.is_empty() && self.fraction.is_empty();
            let sign = if self.negative && !is_zero { "-" } else { "" };
            let whole = if self.whole.is_empty() { "0".to_owned() } else { shown(&self.whole) };
            let point = if self.fraction.is_empty() { "" } else { "." };
            format!("{sign}{whole}{point}{}", shown(&self.fraction))
        }

        /// Compares place by place.
        fn size_order(&self, other: &Self) -> Ordering {
            let places = self.fraction.len().max(other.fraction.len());
            let padded = |number: &Self| {
                let mut digits = number.fraction.clone();
                digits.resize(places, 0);
                digits
            };
            let whole = self.whole.len().cmp(&other.whole.len()).then_with(|| self.whole.cmp(&other.whole));
            whole.then_with(|| padded(self).cmp(&padded(other)))
        }

        fn order(&self, other: &Self) -> Ordering {
            let is_negative = |number: &Self| number.text().starts_with('-');
            match (is_negative(self), is_negative(other)) {
                (false, false) => self.size_order(other),
                (true, true) => other.size_order(self),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            }
        }
    }

    fn written() -> impl Strategy<Value = (String, Written)> {
        let digits = || prop::collection::vec(prop_oneof![2 => Just(0_u8), 3 => 0_u8..10], 1..12);
        (any::<bool>(), digits(), digits(), -15_i32..15).prop_map(|(negative, whole, fraction, exponent)| {
            let shown = |digits: &[u8]| digits.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
            let sign = if negative { "-" } else { "" };
            let text = format!("{sign}{}.{}e{exponent}", shown(&whole), shown(&fraction));
            (text, Written { negative, whole, fraction }.shifted(exponent))
        })
    }

    proptest! {
        #[test]
        fn a_score_equals_its_text((text, slow) in written()) {
            prop_assert_eq!(score(&text).to_string(), slow.text());
            prop_assert_eq!(&score(&slow.text()), &score(&text));
            prop_assert_eq!(score(&text).decimals() as usize, slow.fraction.len());
        }

        #[test]
        fn scores_compare_as_their_texts((left, slow_left) in written(), (right, slow_right) in written()) {
            let (left, right) = (score(&left), score(&right));
            prop_assert_eq!(left.cmp(&right), slow_left.order(&slow_right));
            prop_assert_eq!(left == right, left.cmp(&right).is_eq());
            prop_assert_eq!(left.to_rational().cmp(&right.to_rational()), left.cmp(&right));
        }

        #[test]
        fn fractions_come_back((text, _) in written()) {
            prop_assert_eq!(Score::from_rational(&score(&text).to_rational()), Some(score(&text)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+0-9.eE ]{0,12}") {
            if let Ok(read) = text.parse::<Score>() {
                prop_assert_eq!(read.to_string().parse(), Ok(read));
            }
        }

        #[test]
        fn floor_and_rest_make_the_score((text, _) in written()) {
            let value = score(&text);
            let (floor, rest) = value.floor_and_rest();
            prop_assert!(Score::from(floor.clone()) <= value && value < Score::from(&floor + 1));
            let rest = if rest.is_empty() { Score::default() } else { score(&format!("0.{rest}")) };
            prop_assert_eq!(BigRational::from_integer(floor) + rest.to_rational(), value.to_rational());
        }
    }

    #[test]
    fn only_finite_decimals_are_scores() {
        let ratio = |above: i64, below: i64| BigRational::new(above.into(), below.into());
        assert_eq!(Score::from_rational(&ratio(1, 3)), None);
        assert_eq!(Score::from_rational(&ratio(-7, 80)), Some(score("-0.0875")));
        assert_eq!(Score::from_rational(&ratio(6, 3)), Some(Score::from(2)));
        assert_eq!(score("2.5").as_integer(), None);
        assert_eq!(score("2.0").as_integer().as_deref(), Some(&BigInt::from(2)));
        assert!(size_of::<Option<Score>>() <= 16);
    }
}
