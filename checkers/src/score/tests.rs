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
fn what_is_no_number_is_refused() {
    for text in [
        "", "-", ".", "-.", "e3", "1e", "1e+", "1e1.5", "1.2.3", "--1", "+-1", "1_000", "0x10", "1 ", " 1", "inf",
        "nan", "1,5", "1e5e5", "½", "٣", ".e1", "1.-5",
    ] {
        assert!(matches!(text.parse::<Score>(), Err(ScoreError::Syntax(_))), "{text}");
    }
    let long = "x".repeat(500);
    assert!(long.parse::<Score>().unwrap_err().to_string().len() < 200);
}

#[test]
fn what_would_take_all_memory_is_refused_at_once() {
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
    assert_eq!("0.1e-10000".parse::<Score>(), Err(ScoreError::Decimals(10_001)));
    assert_eq!("1".repeat(100_001).parse::<Score>(), Err(ScoreError::TooLong(100_001)));
    let long = format!("0.{}", "1".repeat(10_001));
    assert_eq!(long.parse::<Score>(), Err(ScoreError::Decimals(10_001)));
}

/// A decimal number as school has it: its sign, and its digits before and after the point.
#[derive(Debug, Clone)]
struct Written {
    negative: bool,
    whole: Vec<u8>,
    fraction: Vec<u8>,
}

impl Written {
    /// Moves the point digit by digit.
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
    fn a_score_is_what_is_written((text, slow) in written()) {
        prop_assert_eq!(score(&text).to_string(), slow.text());
        prop_assert_eq!(&score(&slow.text()), &score(&text));
        prop_assert_eq!(score(&text).decimals() as usize, slow.fraction.len());
    }

    #[test]
    fn scores_compare_as_what_is_written((left, slow_left) in written(), (right, slow_right) in written()) {
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
