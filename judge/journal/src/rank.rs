//! Scores of any size as bytes that sort as the numbers do, so that an index can find the best.

use checkers::Score;
use num_bigint::Sign;

/// Returns bytes that compare as the scores do: the sign, the length and the digits of the integer below, inverted for
/// negative ones, and then the decimals by which the score is above it. Those of an integer are as they always were.
pub(super) fn rank(score: &Score) -> Vec<u8> {
    let (floor, decimals) = score.floor_and_rest();
    let (sign, magnitude) = floor.to_bytes_be();
    let length = u32::try_from(magnitude.len()).unwrap_or(u32::MAX).to_be_bytes();
    let positive = length.into_iter().chain(magnitude);
    let integer: Vec<u8> = if sign == Sign::Minus {
        std::iter::once(0).chain(positive.map(|byte| !byte)).collect()
    } else {
        std::iter::once(1).chain(positive).collect()
    };
    [integer, decimals.into_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn score(text: &str) -> Score {
        text.parse().unwrap()
    }

    const NUMBERS: &str =
        "-?[0-9]{1,3}|-?[0-9]{1,60}|-?[0-9]{1,2}\\.[0-9]{1,3}|-?[0-9]{1,30}\\.[0-9]{1,30}|-?[0-9]{1,3}e-?[0-9]{1,2}";

    proptest! {
        #[test]
        fn bytes_sort_as_numbers_do(left in NUMBERS, right in NUMBERS) {
            let (left, right) = (score(&left), score(&right));
            prop_assert_eq!(rank(&left).cmp(&rank(&right)), left.cmp(&right));
        }
    }

    #[test]
    fn integers_have_the_bytes_that_older_journals_hold() {
        assert_eq!(rank(&score("5")), [1, 0, 0, 0, 1, 5]);
        assert_eq!(rank(&score("0")), [1, 0, 0, 0, 1, 0]);
        assert_eq!(rank(&score("-256")), [0, 255, 255, 255, 253, 254, 255]);
    }

    #[test]
    fn the_turning_points_sort() {
        let texts = [
            "-18446744073709551616",
            "-256.001",
            "-256",
            "-255.999",
            "-255",
            "-1.5",
            "-1.25",
            "-1",
            "-0.5",
            "-0.05",
            "0",
            "0.0625",
            "0.5",
            "0.51",
            "1",
            "1.0001",
            "255",
            "255.9",
            "256",
            "18446744073709551616",
            "18446744073709551616.1",
        ];
        assert!(texts.windows(2).all(|pair| rank(&score(pair[0])) < rank(&score(pair[1]))));
    }
}
