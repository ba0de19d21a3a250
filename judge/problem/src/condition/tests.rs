use super::*;
use proptest::prelude::*;

fn features() -> Features {
    let mut features = Features::default();
    for (name, value) in [("N", "11"), ("colors", "4"), ("density", "0.25"), ("big", "123456789012345678901")] {
        features.set(name, value.parse().unwrap());
    }
    features
}

fn holds(text: &str) -> bool {
    text.parse::<Condition>().unwrap_or_else(|error| panic!("{text}: {error}")).holds(&features())
}

#[test]
fn comparisons_are_exact() {
    for text in [
        "N==11",
        "N<=11",
        "N>=11",
        "N!=12",
        "N<12",
        "N>10",
        "11==N",
        "density==0.250",
        "density<0.2500000000000000000000001",
        "big==123456789012345678901",
        "big>123456789012345678900",
        "N>colors",
        "-1<N",
        "N > -5",
        "N-5==6",
        "-(N-5) == -6",
        "N/colors==2.75",
        "(N+1)*2 > 3*colors && N-1-1==9",
        "big*big==15241578753238836750437433565526596567801",
        "log(N)>2.39 && log(N)<2.4 && sqrt(colors)==2",
        "abs(colors-N)==7",
        "abs(1-big)!=big && abs(-big)==big && abs(log(N))>2.39",
    ] {
        assert!(holds(text), "{text}");
        assert!(!holds(&format!("!({text})")), "{text}");
    }
}

#[test]
fn and_binds_tighter_than_or_and_not_tighter_than_both() {
    assert!(holds("N==11 || N==1 && colors==9"));
    assert!(!holds("(N==11 || N==1) && colors==9"));
    assert!(holds("!N==1 && colors==4"));
    assert!(holds("!!(N==11)"));
    assert!(!holds("!(N==1 || colors==4)"));
}

#[test]
fn what_is_not_known_is_neither_true_nor_false() {
    assert!(!holds("nothing==1"));
    assert!(!holds("nothing!=1"));
    assert!(!holds("!(nothing==1)"));
    assert!(holds("nothing==1 || N==11"));
    assert!(!holds("nothing==1 && N==11"));
    assert!(!holds("!(nothing==1 && N==11)"));
    assert!(holds("!(nothing==1 && N==1)"));
    for text in ["N/(colors-4)>0", "log(colors-4)<0", "sqrt(-N)>=0 || log(0)<1", "nothing*0==0"] {
        assert!(!holds(text) && !holds(&format!("!({text})")), "{text}");
    }
}

#[test]
fn formulas_are_numbers_alone() {
    let value = |text: &str| text.parse::<Formula>().map(|formula| formula.value(&features()));
    assert_eq!(value("N*colors + density"), Ok(Some(44.25)));
    assert_eq!((value("log(1)"), value("1/0"), value("nothing")), (Ok(Some(0.0)), Ok(None), Ok(None)));
    assert_eq!("score/metric:moves".parse::<Formula>().unwrap().names(), ["score", "metric:moves"]);
    for text in ["", "N<1", "(N<1)", "N+", "log()", "log(N", "!N", "N N", "log(N<1)", "(N<1)+1"] {
        assert!(text.parse::<Formula>().is_err(), "{text}");
    }
    for long in ["-".repeat(100_000) + "1", "1".to_owned() + &"+1".repeat(100_000)] {
        assert!(long.parse::<Formula>().is_err());
    }
}

#[test]
fn names_are_told_in_order() {
    let condition: Condition = "N<10 && (colors==k || !(2>N))".parse().unwrap();
    assert_eq!(condition.names(), ["N", "colors", "k", "N"]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, message) in [
        ("", "expected a name, a number, `!` or `(`, found the end (character 1)"),
        ("N", "expected a comparison such as `==` or `<`, found the end (character 2)"),
        ("N=1", "expected a comparison such as `==` or `<`, found `=` (character 2)"),
        ("N<10 & k>1", "expected `&&`, `||` or the end, found `&` (character 6)"),
        ("1<N<5", "expected `&&`, `||` or the end, found `<` (character 4)"),
        ("(N<5", "expected `&&`, `||` or `)`, found the end (character 5)"),
        ("N<5)", "expected `&&`, `||` or the end, found `)` (character 4)"),
        ("N<", "expected a name or a number, found the end (character 3)"),
        ("N<5 and k>1", "expected `&&`, `||` or the end, found `and` (character 5)"),
        ("N<1e5", "expected `&&`, `||` or the end, found `e5` (character 4)"),
        ("N<5.", "expected a name or a number, found `5.` (character 3)"),
        ("é<5", "expected a name, a number, `!` or `(`, found `é` (character 1)"),
    ] {
        assert_eq!(text.parse::<Condition>().unwrap_err().to_string(), message, "{text}");
    }
    let deep = format!("{}N<1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(deep.parse::<Condition>().unwrap_err().to_string().starts_with("expected fewer than"));
}

/// A condition as text, and whether it holds if `a` is 1, `b` is 2 and `c` is unknown.
fn any_condition() -> impl Strategy<Value = (String, Option<bool>)> {
    let operand = prop_oneof![
        Just(("a", Some(1))),
        Just(("b", Some(2))),
        Just(("c", None)),
        Just(("1.0", Some(1))),
        Just(("3", Some(3)))
    ];
    let sign = prop::sample::select(vec!["<", "<=", "==", "!=", ">=", ">"]);
    let comparison = (operand.clone(), sign, operand).prop_map(|(left, sign, right)| {
        let value = left.1.zip(right.1).map(|(left, right)| match sign {
            "<" => left < right,
            "<=" => left <= right,
            "==" => left == right,
            "!=" => left != right,
            ">=" => left >= right,
            _ => left > right,
        });
        (format!("{}{sign} {}", left.0, right.0), value)
    });
    comparison.prop_recursive(4, 32, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner.prop_map(|(text, value)| (format!("!({text})"), value.map(|value| !value))),
            pair.clone().prop_map(|(left, right)| {
                let value = match (left.1, right.1) {
                    (Some(true), Some(true)) => Some(true),
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    _ => None,
                };
                (format!("({}) && ({})", left.0, right.0), value)
            }),
            pair.prop_map(|(left, right)| {
                let value = match (left.1, right.1) {
                    (Some(false), Some(false)) => Some(false),
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    _ => None,
                };
                (format!("({}) || ({})", left.0, right.0), value)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn every_condition_means_what_it_says((text, value) in any_condition()) {
        let mut features = Features::default();
        features.set("a", Score::from(1));
        features.set("b", Score::from(2));
        let condition: Condition = text.parse().unwrap();
        prop_assert_eq!(condition.expression.evaluate(&features), value);
        prop_assert_eq!(condition.holds(&features), value == Some(true));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-c0-9<>=!&|().+*/ -é]{0,20}") {
        let _ = text.parse::<Condition>();
    }
}
