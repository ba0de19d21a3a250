//! Scores of any size as bytes that sort as the numbers do, so that an index can find the best.

use checkers::Score;
use num_bigint::Sign;

/// Returns bytes that compare as the scores do: the sign, the length, the digits; for negative numbers inverted.
pub(super) fn rank(score: &Score) -> Vec<u8> {
    let (sign, magnitude) = score.as_integer().to_bytes_be();
    let length = u32::try_from(magnitude.len()).unwrap_or(u32::MAX).to_be_bytes();
    let positive = length.into_iter().chain(magnitude);
    if sign == Sign::Minus {
        std::iter::once(0).chain(positive.map(|byte| !byte)).collect()
    } else {
        std::iter::once(1).chain(positive).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn score(text: &str) -> Score {
        text.parse().unwrap()
    }

    proptest! {
        #[test]
        fn bytes_sort_as_numbers_do(left in "-?[0-9]{1,60}", right in "-?[0-9]{1,60}") {
            let (left, right) = (score(&left), score(&right));
            prop_assert_eq!(rank(&left).cmp(&rank(&right)), left.cmp(&right));
        }
    }

    #[test]
    fn the_turning_points_sort() {
        let texts = ["-18446744073709551616", "-256", "-255", "-1", "0", "1", "255", "256", "18446744073709551616"];
        assert!(texts.windows(2).all(|pair| rank(&score(pair[0])) < rank(&score(pair[1]))));
    }
}
