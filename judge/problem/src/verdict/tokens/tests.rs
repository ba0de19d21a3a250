use super::*;
use proptest::prelude::*;

fn rules(line: &str) -> TokenRules {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    TokenRules::parse(&words).unwrap()
}

/// An answer, and the place and reason for which it is rejected; `None`: it is accepted.
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

/// The same decision, written down as plainly as it can be: no places, no reasons.
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
        // Before, between and behind the tokens.
        spaces.resize(tokens.len() + 1, Vec::new());
        (spaces, tokens)
    };
    let ((expected_spaces, expected), (answer_spaces, answer)) = (split(expected), split(answer));
    let is_same = |(wanted, found): (&Vec<u8>, &Vec<u8>)| {
        if rules.has_tolerance()
            && let Some(wanted) = float::read(wanted)
        {
            let found = float::read(found).unwrap_or(f64::NAN);
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
    prop::collection::vec(piece.prop_map(|(token, space)| format!("{token}{space}")), 0..4).prop_map(|all| all.concat())
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
