//! Inputs that differ slightly from others: a part is left out or doubled, a number changed, or two parts exchanged.

use crate::text::Text;
use judge_statistics::Random;

/// Returns an input that differs from this one in one to three places. It may break the rules of the input.
pub fn mutant(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut changed = input.to_vec();
    for _ in 0..=random.below(3) {
        changed = changed_once(&changed, random).unwrap_or(changed);
    }
    changed
}

/// Returns the input with one change; `None` if it stays the same.
fn changed_once(input: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let text = Text::read(input);
    let numbers = text.numbers();
    if !numbers.is_empty() && random.below(4) > 0 {
        let place = numbers[random.below(numbers.len())];
        let other = text.number(numbers[random.below(numbers.len())]).unwrap_or_default();
        let way = random.below(7);
        let step = 1 + random.below(10) as i128;
        let change = |value: i128| match way {
            0 => value.saturating_add(1),
            1 => value.saturating_sub(1),
            2 => value.saturating_add(step),
            3 => value.saturating_mul(2),
            4 => value / 2,
            5 => value.saturating_sub(step),
            _ => other,
        };
        return text.with_numbers(&[place], change);
    }
    let kinds = text.kinds();
    let kind = kinds[random.below(kinds.len())];
    let count = text.count(kind);
    if count == 0 {
        return None;
    }
    let (first, second) = (random.below(count), random.below(count));
    if random.below(2) == 0 {
        return text.exchanged(kind, first, second);
    }
    text.without(kind, first..first + 1).into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_differ_in_many_ways() {
        let mut random = Random::new(1);
        let input = b"3\nabc def\n4 5 6\n-1\n";
        let mut mutants: Vec<Vec<u8>> = (0..200).map(|_| mutant(input, &mut random)).collect();
        mutants.sort();
        mutants.dedup();
        assert!(mutants.len() > 50, "{}", mutants.len());
        for strange in [&b""[..], b"\n", b"\xff\x00"] {
            let _ = mutant(strange, &mut random);
        }
        for ends in [i128::MIN, i128::MAX].map(|end| end.to_string()) {
            (0..200).for_each(|_| drop(mutant(ends.as_bytes(), &mut random)));
        }
    }
}
