//! Changes texts at random, as a broken or hostile solver would, and minimizes texts that show a fault.

use judge_statistics::Random;

/// Numbers at which programs break.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "10",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483649",
    "9223372036854775808",
    "99999999999999999999999999",
    "1.5",
    "1e9",
];

/// Words and bytes that few programs expect.
const STRANGE: [&[u8]; 10] =
    [b"nan", b"-inf", b"+1", b"007", b"1e999", b"x", b"\0", b"\xff\xfe", b"\r\n", "\u{2212}1".as_bytes()];

/// A text is made no longer than this.
const MAX_LENGTH: usize = 1 << 20;

/// The maximal number of repetitions of a part.
const MAX_REPEATS: usize = 1000;

/// Returns a text with one to three changes.
pub(super) fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(3) {
        text = changed(&text, random);
        text.truncate(MAX_LENGTH);
    }
    text
}

fn changed(text: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(10) {
        0..=3 => with_word(text, random),
        4 => with_words_swapped(text, random),
        5 | 6 => with_line(text, random),
        7 => with_byte(text, random),
        8 => text[..random.below(text.len() + 1)].to_vec(),
        _ => with_end(text, random),
    }
}

/// Replaces, removes or repeats a word.
fn with_word(text: &[u8], random: &mut Random) -> Vec<u8> {
    let words = words(text);
    let Some(&(start, end)) = pick(&words, random) else { return with_end(text, random) };
    let word = &text[start..end];
    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<i64>().ok());
    let new = match (random.below(6), number) {
        (0 | 1, Some(number)) => number.wrapping_add([-1, 1, 2, 10][random.below(4)]).to_string().into_bytes(),
        (2, Some(number)) => number.wrapping_neg().to_string().into_bytes(),
        (0..=3, _) => NUMBERS[random.below(NUMBERS.len())].as_bytes().to_vec(),
        (4, _) => pick(&words, random).map(|&(start, end)| text[start..end].to_vec()).unwrap_or_default(),
        _ => match random.below(3) {
            0 => Vec::new(),
            1 => [word, b" ", word].concat(),
            _ => STRANGE[random.below(STRANGE.len())].to_vec(),
        },
    };
    [&text[..start], &new, &text[end..]].concat()
}

fn with_words_swapped(text: &[u8], random: &mut Random) -> Vec<u8> {
    let words = words(text);
    let (Some(&one), Some(&other)) = (pick(&words, random), pick(&words, random)) else { return text.to_vec() };
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    if first == second {
        return text.to_vec();
    }
    let [before, between, after] = [&text[..first.0], &text[first.1..second.0], &text[second.1..]];
    [before, &text[second.0..second.1], between, &text[first.0..first.1], after].concat()
}

/// Removes, repeats or moves a line.
fn with_line(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return with_end(text, random);
    }
    let place = random.below(lines.len());
    let line = lines[place];
    match random.below(4) {
        0 => drop(lines.remove(place)),
        1 => lines.insert(place, line),
        2 => {
            let to = random.below(lines.len());
            lines.swap(place, to);
        }
        _ => {
            let times = (1 + random.below(MAX_REPEATS)).min(MAX_LENGTH / line.len().max(1));
            lines.splice(place..place, vec![line; times]).for_each(drop);
        }
    }
    lines.concat()
}

fn with_byte(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    let byte = (random.bits() & 0xff) as u8;
    let place = random.below(text.len() + 1);
    match text.get_mut(place) {
        Some(old) if random.below(2) == 0 => *old = byte,
        _ => text.insert(place, byte),
    }
    text
}

fn with_end(text: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(3) {
        0 => text.trim_ascii_end().to_vec(),
        1 => [text, STRANGE[random.below(STRANGE.len())]].concat(),
        _ => [text, NUMBERS[random.below(NUMBERS.len())].as_bytes(), b"\n"].concat(),
    }
}

fn pick<'a, T>(all: &'a [T], random: &mut Random) -> Option<&'a T> {
    if all.is_empty() { None } else { all.get(random.below(all.len())) }
}

/// Returns the start and the end of each word.
fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let mut next = 0;
    let parts = text.split(u8::is_ascii_whitespace).map(|part| {
        let start = next;
        next += part.len() + 1;
        (start, start + part.len())
    });
    parts.filter(|(start, end)| start < end).collect()
}

/// Cuts a text into parts.
type Split = dyn Fn(&[u8]) -> Vec<Vec<u8>>;

/// Returns a smaller text for which `shows` still holds: by leaving out unnecessary lines, then words, then bytes
/// (delta debugging, Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28, 2002).
/// `shows` is called at most `budget` times.
pub(super) fn reduced(text: Vec<u8>, mut budget: usize, mut shows: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let lines = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let words = |text: &[u8]| text.split_inclusive(u8::is_ascii_whitespace).map(<[u8]>::to_vec).collect();
    let bytes = |text: &[u8]| text.iter().map(|byte| vec![*byte]).collect();
    let splits: [&Split; 3] = [&lines, &words, &bytes];
    splits.iter().fold(text, |text, split| without_parts(split(&text), &mut budget, &mut shows).concat())
}

fn without_parts(mut parts: Vec<Vec<u8>>, budget: &mut usize, shows: &mut impl FnMut(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut size = parts.len().div_ceil(2);
    while size > 0 {
        let (mut start, mut is_smaller) = (0, false);
        while start < parts.len() {
            if *budget == 0 {
                return parts;
            }
            *budget -= 1;
            let end = (start + size).min(parts.len());
            let rest = [&parts[..start], &parts[end..]].concat();
            if shows(&rest.concat()) {
                (parts, is_smaller) = (rest, true);
            } else {
                start = end;
            }
        }
        size = if size > 1 { size.div_ceil(2) } else { usize::from(is_smaller) };
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_changes() {
        let all = |seed| {
            let mut random = Random::new(seed);
            (0..200).map(|_| mutated(b"3\n1 2\n5 -7\n", &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(all(1), all(1));
        assert_ne!(all(1), all(2));
        assert!(all(1).iter().collect::<std::collections::HashSet<_>>().len() > 150);
        let mut random = Random::new(3);
        assert!((0..500).all(|_| mutated(b"", &mut random).len() <= MAX_LENGTH));
    }

    #[test]
    fn what_shows_a_fault_becomes_small() {
        let text = b"1 2 3\n4 fault 6\n7 8 9\n".repeat(50);
        let has = |text: &[u8]| text.windows(5).any(|part| part == b"fault");
        assert_eq!(reduced(text.clone(), 10_000, has), b"fault");
        let mut asked = 0;
        let few = reduced(text, 20, |text| {
            asked += 1;
            has(text)
        });
        assert!(asked <= 20 && has(&few));
    }
}
