//! The built-in checker `tokens`: compares an answer with the expected one, token by token.
//!
//! It follows the rules of the default validator of Kattis' problem tools, <https://github.com/Kattis/problemtools>, in
//! `support/default_validator`. Only zero bytes differ: in that validator they end a token, here they are ordinary
//! bytes.

use crate::text::token_text;
use crate::{BrokenRule, Rejection, Ruling, TokenRules};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use std::num::{IntErrorKind, NonZeroUsize};

/// The maximum number of bytes of a token that a message shows.
const SHOWN: usize = 30;

/// Compares an answer with the expected one. An accepted answer has the score 1.
pub fn compare_tokens(rules: &TokenRules, expected: &[u8], answer: &[u8]) -> Ruling {
    let (mut expected, mut answer) = (Scan::new(expected), Scan::new(answer));
    loop {
        if let Some(difference) = skip_spaces(rules, &mut expected, &mut answer) {
            return rejected(&answer, "white space", difference);
        }
        let Some(wanted) = expected.token() else { break };
        let start = answer.clone();
        let Some(found) = answer.token() else {
            return rejected(&answer, "its length", format!("it ends early: expected {}", shown(wanted)));
        };
        if let Err((rule, why)) = compare(rules, wanted, found) {
            return rejected(&start, rule, why);
        }
    }
    let start = answer.clone();
    match answer.token() {
        None => Ruling::Accepted(Score::from(1)),
        Some(found) => rejected(&start, "its length", format!("expected the end, found {}", shown(found))),
    }
}

/// Skips the white space before the next tokens. Returns a difference that the rules forbid.
fn skip_spaces(rules: &TokenRules, expected: &mut Scan<'_>, answer: &mut Scan<'_>) -> Option<String> {
    if rules.space_change_sensitive {
        while let Some(wanted) = expected.peek().filter(|byte| is_space(*byte)) {
            if answer.peek() != Some(wanted) {
                return Some(format!("expected {}, found {}", space(Some(wanted)), space(answer.peek())));
            }
            expected.step();
            answer.step();
        }
        if let Some(more) = answer.peek().filter(|byte| is_space(*byte)) {
            return Some(format!("expected {}, found {}", space(expected.peek()), space(Some(more))));
        }
    }
    expected.skip_spaces();
    answer.skip_spaces();
    None
}

/// Returns the first number of an expected text for which the spacing of doubles is larger than the tolerance. A solver
/// that computes with doubles can miss the tolerance.
pub fn find_too_fine(rules: &TokenRules, expected: &[u8]) -> Option<f64> {
    if !rules.has_tolerance() {
        return None;
    }
    let numbers = expected.split(|byte| is_space(*byte)).filter_map(read_float);
    let tolerance = |number: f64| rules.absolute.max(rules.relative * number.abs());
    numbers.into_iter().find(|&number| number.abs().next_up() - number.abs() > tolerance(number))
}

fn compare(rules: &TokenRules, wanted: &[u8], found: &[u8]) -> Result<(), (&'static str, String)> {
    let number = rules.has_tolerance().then(|| read_float(wanted)).flatten();
    if let Some(wanted_number) = number {
        let expected = || format!("expected {}, found {}", shown(wanted), shown(found));
        let Some(found_number) = read_float(found) else {
            return Err(("a number", format!("expected a number such as {}, found {}", shown(wanted), shown(found))));
        };
        let error = (wanted_number - found_number).abs();
        if error <= rules.absolute || error <= rules.relative * wanted_number.abs() {
            return Ok(());
        }
        let relative = error / wanted_number.abs();
        let relative = if relative.is_finite() { format!(", relative error {relative:.3e}") } else { String::new() };
        return Err(("the tolerance", format!("{}: absolute error {error:.3e}{relative}", expected())));
    }
    let is_same = if rules.case_sensitive { wanted == found } else { wanted.eq_ignore_ascii_case(found) };
    if is_same {
        return Ok(());
    }
    let (wanted, found) = shown_from_difference(wanted, found);
    Err(("the expected token", format!("expected {wanted}, found {found}")))
}

fn rejected(place: &Scan<'_>, rule: &str, reason: String) -> Ruling {
    let (line, column) = place.place();
    let rule = Some(rule.to_owned());
    let broken = BrokenRule { line: NonZeroUsize::new(line), column: NonZeroUsize::new(column), step: None, rule };
    Ruling::Rejected(Rejection { broken, reason })
}

/// Returns a token in quotes, shortened if it is long.
fn shown(token: &[u8]) -> String {
    let (cut, dots) = if token.len() > SHOWN { (&token[..SHOWN], "…") } else { (token, "") };
    format!("`{}{dots}`", token_text(&String::from_utf8_lossy(cut)))
}

/// Returns two tokens in quotes. Long tokens are shown from their first difference on.
fn shown_from_difference(wanted: &[u8], found: &[u8]) -> (String, String) {
    let same = wanted.iter().zip(found).take_while(|(left, right)| left.eq_ignore_ascii_case(right)).count();
    if same <= SHOWN / 2 {
        return (shown(wanted), shown(found));
    }
    let from = |token: &[u8]| format!("{} from its byte {} on", shown(&token[same..]), same + 1);
    (from(wanted), from(found))
}

fn space(byte: Option<u8>) -> String {
    match byte {
        None => "the end".to_owned(),
        Some(b' ') => "a space".to_owned(),
        Some(b'\n') => "a line break".to_owned(),
        Some(b'\t') => "a tab".to_owned(),
        Some(byte) if is_space(byte) => format!("the byte {byte}"),
        Some(_) => "a token".to_owned(),
    }
}

/// Returns whether a byte is white space in the C locale.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// A reading position in a text.
#[derive(Debug, Clone)]
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1, line_start: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Advances by one byte, if there is one.
    fn step(&mut self) {
        if self.peek() == Some(b'\n') {
            self.line += 1;
            self.line_start = self.at + 1;
        }
        self.at = self.bytes.len().min(self.at + 1);
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.step();
        }
    }

    /// Returns the token that starts here and advances past it. `None` at the end.
    fn token(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// Returns the line and the column, both from 1.
    fn place(&self) -> (usize, usize) {
        (self.line, self.at - self.line_start + 1)
    }
}

/// The number of significant decimal digits that matter. Further digits only decide whether the number is larger: no
/// midpoint of two `f64` numbers has more than 767 digits.
const DECIMAL_DIGITS: usize = 768;

/// The same for hexadecimal digits. They give at least 57 bits, and `f64` has 53.
const HEXADECIMAL_DIGITS: usize = 15;

/// A larger exponent cannot be offset by the number of digits of a token.
const MAX_EXPONENT: i64 = 1 << 60;

/// Returns the number that a whole token represents. `None` if it is not a number, infinite, or too large. As in the C
/// library, an exponent without digits is ignored. It takes linear time.
fn read_float(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let size = match unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits)?,
        None => decimal(unsigned)?,
    };
    size.is_finite().then_some(if negative { -size } else { size })
}

fn decimal(text: &str) -> Option<f64> {
    let (mut digits, exponent) = significand(text, ['e', 'E'], 10, 1, DECIMAL_DIGITS)?;
    if digits.is_empty() {
        return Some(0.0);
    }
    digits.iter_mut().for_each(|digit| *digit += b'0');
    let digits = std::str::from_utf8(&digits).ok()?;
    // Correctly rounded, as in the C library. Larger exponents give infinity or 0, and the standard library miscounts
    // them.
    format!("{digits}e{}", exponent.clamp(-10_000, 10_000)).parse().ok()
}

/// Reads the part after `0x`.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = significand(text, ['p', 'P'], 16, 4, HEXADECIMAL_DIGITS)?;
    let number = digits.iter().fold(0, |number: u128, digit| number << 4 | u128::from(*digit));
    // Larger exponents give infinity or 0 all the same.
    let exponent = i32::try_from(exponent.clamp(-1_200, 1_200)).ok()?;
    let power = BigInt::one() << exponent.unsigned_abs();
    // Correctly rounded, also if the number is subnormal.
    if exponent < 0 { BigRational::new_raw(number.into(), power) } else { (power * number).into() }.to_f64()
}

/// Returns the first significant digits of a number, plus one digit that is 1 if a later digit is not 0, as an integer
/// with its exponent. A digit counts `weight` in the exponent. `None` if there is no digit, or if there is another
/// character.
fn significand(text: &str, marks: [char; 2], radix: u32, weight: i64, most: usize) -> Option<(Vec<u8>, i64)> {
    let (mantissa, exponent) = text.split_once(marks).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut exponent = read_exponent(exponent)? - weight * i64::try_from(fraction.len()).ok()?;
    let (mut digits, mut has_more) = (Vec::new(), false);
    for byte in whole.bytes().chain(fraction.bytes()) {
        let digit = u8::try_from(char::from(byte).to_digit(radix)?).ok()?;
        if digits.len() == most {
            has_more |= digit > 0;
            exponent += weight;
        } else if digit > 0 || !digits.is_empty() {
            digits.push(digit);
        }
    }
    if has_more {
        digits.push(1);
        exponent -= weight;
    }
    Some((digits, exponent))
}

/// Reads an exponent. One without digits is 0.
fn read_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(match text.parse::<i64>() {
        Ok(exponent) => exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => MAX_EXPONENT,
            IntErrorKind::NegOverflow => -MAX_EXPONENT,
            // There are no digits.
            _ => 0,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(line: &str) -> TokenRules {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        TokenRules::parse(&words).unwrap()
    }

    /// An answer, and the place and reason of its rejection. `None`: it is accepted.
    fn said(flags: &str, expected: &str, answer: &str) -> Option<String> {
        match compare_tokens(&rules(flags), expected.as_bytes(), answer.as_bytes()) {
            Ruling::Accepted(score) => {
                assert_eq!(score, Score::from(1));
                None
            }
            Ruling::Rejected(rejection) => Some(rejection.to_string()),
        }
    }

    #[test]
    fn a_tolerance_that_doubles_cannot_keep_is_found() {
        for (flags, expected, found) in [
            ("float_absolute_tolerance 1e-9", "0.5 1234567890123.5 1e18", Some(1_234_567_890_123.5)),
            ("float_absolute_tolerance 1e-9", "-4e12", Some(-4e12)),
            ("float_absolute_tolerance 1e-3", "1234567890123.5 x", None),
            ("float_tolerance 1e-9", "1234567890123.5", None),
            ("float_relative_tolerance 1e-17", "3", Some(3.0)),
            ("", "1e18", None),
        ] {
            assert_eq!(find_too_fine(&rules(flags), expected.as_bytes()), found, "{flags}: {expected}");
        }
    }

    #[test]
    fn what_does_not_show_in_a_token_is_escaped() {
        let said = said("", "5", "5\u{a0}").unwrap();
        assert!(said.ends_with("expected `5`, found `5\\u{a0}`"), "{said}");
    }

    #[test]
    fn answers_are_compared_token_by_token() {
        for (flags, expected, answer) in [
            ("", "a b\n", "A  b"),
            ("", "", " \n\t"),
            ("", "1.0\n", "1.0"),
            ("case_sensitive", "a B", "a\nB\n"),
            ("space_change_sensitive", "a  b\n", "A  B\n"),
            ("float_tolerance 1e-6", "1.0 x", "1.0000005 X"),
            ("float_tolerance 1e-6", "1e6", "1000000.9"),
            ("float_absolute_tolerance 0.5", "0x10", "16.5"),
            ("float_relative_tolerance 0", "1.50", "1.5"),
            ("float_tolerance 1", "nan", "NaN"),
            ("float_tolerance 1e-6", "1e999", "1E999"),
        ] {
            assert_eq!(said(flags, expected, answer), None, "{flags}: {expected:?} {answer:?}");
        }
        for (flags, expected, answer, why) in [
            ("", "1 2\n3\n", "1 2\n4\n", "line 2, column 1: expected `3`, found `4`"),
            ("", "1 2", "1", "line 1, column 2: it ends early: expected `2`"),
            ("", "1", "", "line 1, column 1: it ends early: expected `1`"),
            ("", "1", "1\n 2", "line 2, column 2: expected the end, found `2`"),
            ("", "1.0", "1", "line 1, column 1: expected `1.0`, found `1`"),
            ("case_sensitive", "a", "A", "line 1, column 1: expected `a`, found `A`"),
            ("space_change_sensitive", "a b", "a  b", "line 1, column 3: expected a token, found a space"),
            ("space_change_sensitive", "a b\n", "a b", "line 1, column 4: expected a line break, found the end"),
            ("space_change_sensitive", "a\tb", "a b", "line 1, column 2: expected a tab, found a space"),
            ("space_change_sensitive", "a", "a\r", "line 1, column 2: expected the end, found the byte 13"),
            ("float_tolerance 1e-6", "1", "x", "line 1, column 1: expected a number such as `1`, found `x`"),
            ("float_tolerance 1e-6", "1", "inf", "line 1, column 1: expected a number such as `1`, found `inf`"),
            ("float_tolerance 1e-6", "x", "1", "line 1, column 1: expected `x`, found `1`"),
            (
                "float_tolerance 0.25",
                "2",
                "3",
                "line 1, column 1: expected `2`, found `3`: absolute error 1.000e0, relative error 5.000e-1",
            ),
            ("float_tolerance 0.1", "0", "1", "line 1, column 1: expected `0`, found `1`: absolute error 1.000e0"),
        ] {
            assert_eq!(said(flags, expected, answer).as_deref(), Some(why), "{flags}: {expected:?} {answer:?}");
        }
    }

    #[test]
    fn long_tokens_are_shown_from_where_they_differ() {
        let long = "x".repeat(1_000);
        let why = said("", &format!("{long}a"), &format!("{long}b")).unwrap();
        assert_eq!(why, "line 1, column 1: expected `a` from its byte 1001 on, found `b` from its byte 1001 on");
        assert!(said("", "a", &long).unwrap().len() < 100);
    }

    /// The same decision in the simplest form, without places and reasons.
    fn is_accepted(rules: &TokenRules, expected: &[u8], answer: &[u8]) -> bool {
        let split = |text: &[u8]| -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
            let (mut spaces, mut tokens) = (vec![Vec::new()], Vec::new());
            for byte in text {
                let is_space = b" \t\n\x0b\x0c\r".contains(byte);
                if is_space && tokens.len() == spaces.len() {
                    spaces.push(Vec::new());
                }
                if !is_space && tokens.len() < spaces.len() {
                    tokens.push(Vec::new());
                }
                let last = if is_space { spaces.last_mut() } else { tokens.last_mut() };
                last.unwrap().push(*byte);
            }
            // Before, between and after the tokens.
            spaces.resize(tokens.len() + 1, Vec::new());
            (spaces, tokens)
        };
        let ((expected_spaces, expected), (answer_spaces, answer)) = (split(expected), split(answer));
        let is_same = |(wanted, found): (&Vec<u8>, &Vec<u8>)| {
            if rules.has_tolerance()
                && let Some(wanted) = read_float(wanted)
            {
                let found = read_float(found).unwrap_or(f64::NAN);
                let error = (wanted - found).abs();
                return error <= rules.absolute || error <= rules.relative * wanted.abs();
            }
            match rules.case_sensitive {
                true => wanted == found,
                false => wanted.eq_ignore_ascii_case(found),
            }
        };
        expected.len() == answer.len()
            && expected.iter().zip(&answer).all(is_same)
            && (!rules.space_change_sensitive || expected_spaces == answer_spaces)
    }

    fn any_rules() -> impl Strategy<Value = TokenRules> {
        let tolerance = || prop_oneof![Just(-1.0), Just(0.0), Just(0.1), Just(1e-6), Just(2.0)];
        (any::<bool>(), any::<bool>(), tolerance(), tolerance()).prop_map(
            |(case_sensitive, space_change_sensitive, absolute, relative)| TokenRules {
                case_sensitive,
                space_change_sensitive,
                absolute,
                relative,
            },
        )
    }

    fn any_text() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            "[aA]{0,2}",
            "-?[01](\\.[05]{0,2})?",
            "[-+]?[0-9.]{0,3}[eE]?[-+]?[0-9]?",
            "0[xX][0-9a-f.]{0,3}[pP]?[-+]?[0-9]?",
            "inf|nan|1e999",
        ];
        let piece =
            (token, prop_oneof![4 => Just(" "), 2 => Just("\n"), 1 => Just("  "), 1 => Just("\t"), 1 => Just("\r\n")]);
        prop::collection::vec(piece.prop_map(|(token, space)| format!("{token}{space}")), 0..4)
            .prop_map(|all| all.concat())
    }

    proptest! {
        #[test]
        fn decisions_are_those_of_a_plain_reading(rules in any_rules(), expected in any_text(), answer in any_text()) {
            let (expected, answer) = (expected.as_bytes(), answer.as_bytes());
            let accepted = |answer| matches!(compare_tokens(&rules, expected, answer), Ruling::Accepted(_));
            prop_assert_eq!(accepted(answer), is_accepted(&rules, expected, answer));
            prop_assert!(accepted(expected));
        }

        #[test]
        fn any_bytes_are_compared(rules in any_rules(), expected: Vec<u8>, answer: Vec<u8>) {
            let accepted = matches!(compare_tokens(&rules, &expected, &answer), Ruling::Accepted(_));
            prop_assert_eq!(accepted, is_accepted(&rules, &expected, &answer));
        }
    }

    /// As read by the GNU C library 2.36.
    #[test]
    fn numbers_are_those_of_the_c_library() {
        for (token, number) in [
            ("1e", 1.0),
            ("1e+", 1.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("+5", 5.0),
            ("00012", 12.0),
            ("1E5", 1e5),
            ("-0", -0.0),
            ("1e-999", 0.0),
            ("0x1p3", 8.0),
            ("0x1.8p", 1.5),
            ("0x.8", 0.5),
            ("0x1p+", 1.0),
            ("0X1P1", 2.0),
            ("0x1e5", 485.0),
            ("0x1p-99999", 0.0),
            ("0x10000000000000001", 18_446_744_073_709_551_616.0),
        ] {
            assert_eq!(read_float(token.as_bytes()), Some(number), "{token}");
        }
    }

    #[test]
    fn what_the_c_library_reads_in_part_is_no_number() {
        for token in [
            "",
            ".",
            "-",
            "--5",
            "0x",
            "0xp1",
            "0x1g",
            "inf",
            "infinity",
            "nan",
            "nan(12)",
            "1e999",
            "0x1p99999",
            "1_0",
            "1d5",
            "1,5",
            "+.e3",
            "1.5.2",
            "1e5.",
            "1e5x",
            "e5",
            "0x1.2.3",
            "é",
            "1e--5",
            "+inf",
            "0x-1",
        ] {
            assert_eq!(read_float(token.as_bytes()), None, "{token}");
        }
        assert_eq!(read_float(b"1\0"), None);
        assert_eq!(read_float(b"\xff"), None);
    }

    /// The digits cancel with exponents that are larger than the standard library handles.
    #[test]
    fn many_digits_count_all() {
        let millions = format!("1{}e-5000000", "0".repeat(5_000_000));
        assert_eq!(read_float(millions.as_bytes()), Some(1.0));
        let (zeros, many) = ("0".repeat(100_000), 100_000);
        for (token, number) in [
            (format!("1{zeros}e-{many}"), 1.0),
            (format!("-25{zeros}.{zeros}E-{}", many + 1), -2.5),
            (format!("0.{zeros}1e{}", many + 1), 1.0),
            (format!("{zeros}1e{zeros}3"), 1_000.0),
            (format!("{zeros}.{zeros}e{many}"), 0.0),
            (format!("9007199254740993{zeros}e-{many}"), 9_007_199_254_740_992.0),
            (format!("9007199254740993{zeros}1e-{}", many + 1), 9_007_199_254_740_994.0),
            (format!("{}e-{many}", "3".repeat(many)), 1.0 / 3.0),
            (format!("0x1{zeros}p-{}", 4 * many), 1.0),
            (format!("0x.{zeros}8p+{}", 4 * many + 1), 1.0),
            (format!("0x20000000000001{zeros}1p-{}", 4 * many + 4), 9_007_199_254_740_994.0),
            (format!("1{zeros}e-{}", many + 400), 0.0),
            (format!("0e{many}{many}{many}{many}"), 0.0),
            (format!("1e-{many}{many}{many}{many}"), 0.0),
            (format!("0x1p-{many}{many}{many}{many}"), 0.0),
        ] {
            let shown = &token[..20.min(token.len())];
            assert_eq!(read_float(token.as_bytes()), Some(number), "{shown}… of {} bytes", token.len());
        }
        for token in [
            format!("1{zeros}e-{}", many - 309),
            format!("0.{zeros}1e{}", many + 310),
            format!("1{zeros}"),
            format!("1e{many}{many}{many}{many}"),
            format!("0x1p{many}{many}{many}{many}"),
            format!("0x1{zeros}p-{}", 4 * many - 1024),
            format!("1{zeros}x"),
        ] {
            assert_eq!(read_float(token.as_bytes()), None, "{}… of {} bytes", &token[..6], token.len());
        }
    }

    fn power(base: u32, exponent: i32) -> BigRational {
        let power = BigRational::from(BigInt::from(base).pow(exponent.unsigned_abs()));
        if exponent < 0 { power.recip() } else { power }
    }

    /// Returns whether a number is the nearest to an exact one. Of two equally near numbers, it must be the even one.
    fn is_nearest(exact: &BigRational, read: Option<f64>) -> bool {
        // Halfway between the largest number and the next power of two.
        let infinite = power(2, 1024) - power(2, 970);
        let Some(read) = read else { return *exact >= infinite };
        let value = |number: f64| BigRational::from_float(number).unwrap_or_else(|| power(2, 1024));
        let half = |other: f64| (value(read) + value(other)) / BigInt::from(2);
        let (above, below) =
            (half(read.next_up()), if read == 0.0 { power(2, 0) * -BigInt::from(1) } else { half(read.next_down()) });
        let is_even = read.to_bits() % 2 == 0;
        (below < *exact && *exact < above) || (is_even && (below == *exact || above == *exact))
    }

    fn signed(length: usize) -> i32 {
        i32::try_from(length).unwrap()
    }

    /// A number in this radix: digits, the position of the point, and an exponent.
    fn check(radix: u32, digits: &str, point: usize, exponent: i32) -> Result<(), TestCaseError> {
        let point = point.min(digits.len());
        let (whole, fraction) = digits.split_at(point);
        let (prefix, mark, base, weight) = if radix == 16 { ("0x", 'p', 2, 4) } else { ("", 'e', 10, 1) };
        let token = format!("{prefix}{whole}.{fraction}{mark}{exponent}");
        let integer = BigInt::parse_bytes(digits.as_bytes(), radix).unwrap();
        let exact = BigRational::from(integer) * power(base, exponent - weight * signed(fraction.len()));
        let number = read_float(token.as_bytes());
        prop_assert!(is_nearest(&exact, number), "{}: {:?}", token, number);
        prop_assert_eq!(read_float(format!("-{token}").as_bytes()), number.map(|number| -number));
        Ok(())
    }

    /// Hard cases of rounding: a midpoint of two numbers, or slightly more or less, times 10 to the power of 1,080.
    fn halfway(bits: u64, less: i32) -> String {
        let number = f64::from_bits(bits % f64::MAX.to_bits());
        let half = (BigRational::from_float(number).unwrap() + BigRational::from_float(number.next_up()).unwrap())
            / BigInt::from(2);
        ((half * power(10, 1_080)).to_integer() + less).to_string()
    }

    proptest! {
        #[test]
        fn decimals_are_rounded_correctly(digits in "0{0,30}[0-9]{1,40}", point in 0..70_usize, exponent in -400..400) {
            check(10, &digits, point, exponent)?;
        }

        #[test]
        fn halfway_decimals_are_rounded_correctly(bits: u64, less in -1..=1, zeros in 0..900_usize) {
            let digits = halfway(bits, less) + &"0".repeat(zeros);
            check(10, &digits, digits.len(), -1_080 - signed(zeros))?;
            check(10, &digits, 0, signed(digits.len()) - 1_080 - signed(zeros))?;
        }

        #[test]
        fn hexadecimals_are_rounded_correctly(
            digits in "0{0,9}[0-9a-f]{1,18}(0{0,9}|[08]{0,9})1?", point in 0..40_usize,
            exponent in prop_oneof![-1_200..1_100, -1_150..-1_000],
        ) {
            check(16, &digits, point, exponent)?;
        }
    }
}
