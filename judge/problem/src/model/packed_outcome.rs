//! Outcomes as bytes: an accepted one takes about twenty.

use super::{BrokenRule, Outcome, Verdict};
use checkers::Score;
use num_traits::ToPrimitive;
use std::num::NonZeroUsize;
use std::time::Duration;

/// What an outcome has, as bits of its head.
mod part {
    pub(super) const NOISY: u64 = 1;
    pub(super) const SHORT_SCORE: u64 = 1 << 1;
    pub(super) const LONG_SCORE: u64 = 1 << 2;
    pub(super) const CPU: u64 = 1 << 3;
    pub(super) const WALL: u64 = 1 << 4;
    pub(super) const MEMORY: u64 = 1 << 5;
    /// A note, a broken rule or standard error: what few accepted cases have.
    pub(super) const SAID: u64 = 1 << 6;
    pub(super) const NODE: u64 = 1 << 7;
    pub(super) const WAITED: u64 = 1 << 8;
    /// The bits below the verdict.
    pub(super) const COUNT: u32 = 9;
}

/// Adds an outcome.
pub(super) fn pack(outcome: &Outcome, bytes: &mut Vec<u8>) {
    let Outcome { verdict, score, note, broken, stderr, cpu, wall, memory, noisy, waited, node } = outcome;
    let short = score.as_ref().and_then(|score| score.as_integer()?.to_i64());
    let has_said = !note.is_empty() || !stderr.is_empty() || *broken != BrokenRule::default();
    let head = [
        (*noisy, part::NOISY),
        (short.is_some(), part::SHORT_SCORE),
        (short.is_none() && score.is_some(), part::LONG_SCORE),
        (cpu.is_some(), part::CPU),
        (wall.is_some(), part::WALL),
        (memory.is_some(), part::MEMORY),
        (has_said, part::SAID),
        (node.is_some(), part::NODE),
        (waited.is_some(), part::WAITED),
    ];
    let head = head.into_iter().filter(|(has, _)| *has).map(|(_, bit)| bit).sum::<u64>();
    write_number(bytes, (*verdict as u64) << part::COUNT | head);
    match (short, score) {
        // The sign goes to the lowest bit, so that small negative numbers are short too.
        (Some(score), _) => write_number(bytes, ((score << 1) ^ (score >> 63)).cast_unsigned()),
        (None, Some(score)) => write_text(bytes, &score.to_string()),
        (None, None) => {}
    }
    let nanoseconds = |time: &Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    cpu.iter().chain(wall).chain(waited).for_each(|time| write_number(bytes, nanoseconds(time)));
    memory.iter().for_each(|memory| write_number(bytes, *memory));
    node.iter().for_each(|node| write_text(bytes, node));
    if has_said {
        for place in [broken.line, broken.column, broken.step] {
            write_number(bytes, place.map_or(0, |place| place.get() as u64));
        }
        write_number(bytes, u64::from(broken.rule.is_some()));
        [broken.rule.as_deref().unwrap_or_default(), note, stderr].into_iter().for_each(|text| write_text(bytes, text));
    }
}

/// Returns the outcome that was packed at the start of these bytes.
pub(super) fn unpack(bytes: &[u8]) -> Outcome {
    let mut bytes = Packed(bytes);
    let head = bytes.number();
    let verdict = Verdict::ALL[(head >> part::COUNT) as usize];
    let mut outcome = Outcome::without_run(verdict, String::new());
    outcome.noisy = head & part::NOISY > 0;
    if head & part::SHORT_SCORE > 0 {
        let folded = bytes.number();
        outcome.score = Some(Score::from((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed()));
    } else if head & part::LONG_SCORE > 0 {
        outcome.score = Some(bytes.text().parse().expect("a score is read as it was written"));
    }
    outcome.cpu = (head & part::CPU > 0).then(|| Duration::from_nanos(bytes.number()));
    outcome.wall = (head & part::WALL > 0).then(|| Duration::from_nanos(bytes.number()));
    outcome.waited = (head & part::WAITED > 0).then(|| Duration::from_nanos(bytes.number()));
    outcome.memory = (head & part::MEMORY > 0).then(|| bytes.number());
    outcome.node = (head & part::NODE > 0).then(|| bytes.text());
    if head & part::SAID > 0 {
        let [line, column, step] = std::array::from_fn(|_| NonZeroUsize::new(bytes.number() as usize));
        let has_rule = bytes.number() > 0;
        let rule = bytes.text();
        outcome.broken = BrokenRule { line, column, step, rule: has_rule.then_some(rule) };
        outcome.note = bytes.text();
        outcome.stderr = bytes.text();
    }
    outcome
}

/// Returns the verdict of the outcome that was packed at the start of these bytes.
pub(super) fn verdict(bytes: &[u8]) -> Verdict {
    Verdict::ALL[(Packed(bytes).number() >> part::COUNT) as usize]
}

/// Seven bits a byte, the lowest first; the eighth tells that more follow.
fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// The bytes that are still to be read.
struct Packed<'a>(&'a [u8]);

impl Packed<'_> {
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.0.split_first().expect("a number ends where it was written");
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return number;
            }
            shift += 7;
        }
    }

    fn text(&mut self) -> String {
        let length = self.number() as usize;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_broken() -> impl Strategy<Value = BrokenRule> {
        let place = || prop::option::of((1_usize..).prop_map(|place| NonZeroUsize::new(place).unwrap()));
        (place(), place(), place(), prop::option::of(".{0,9}")).prop_map(|(line, column, step, rule)| BrokenRule {
            line,
            column,
            step,
            rule,
        })
    }

    fn any_outcome() -> impl Strategy<Value = Outcome> {
        let score = prop_oneof![
            any::<i64>().prop_map(Score::from),
            "-?[1-9][0-9]{0,40}(\\.[0-9]{0,9}[1-9])?".prop_map(|text| text.parse().unwrap())
        ];
        let time = || prop::option::of(any::<u64>().prop_map(Duration::from_nanos));
        let said = prop_oneof![
            Just((String::new(), String::new(), BrokenRule::default())),
            (".{0,9}", ".{0,9}", any_broken())
        ];
        let verdict = prop::sample::select(Verdict::ALL.to_vec());
        (
            verdict,
            prop::option::of(score),
            said,
            time(),
            time(),
            prop::option::of(any::<u64>()),
            (any::<bool>(), time(), prop::option::of(".{0,9}")),
        )
            .prop_map(|(verdict, score, (note, stderr, broken), cpu, wall, memory, (noisy, waited, node))| {
                Outcome { verdict, score, note, broken, stderr, cpu, wall, memory, noisy, waited, node }
            })
    }

    proptest! {
        #[test]
        fn outcomes_come_back_as_they_were(outcomes in prop::collection::vec(any_outcome(), 1..4)) {
            let mut bytes = Vec::new();
            let mut starts = Vec::new();
            for outcome in &outcomes {
                starts.push(bytes.len());
                pack(outcome, &mut bytes);
            }
            for (start, outcome) in starts.into_iter().zip(&outcomes) {
                prop_assert_eq!(&unpack(&bytes[start..]), outcome);
                prop_assert_eq!(verdict(&bytes[start..]), outcome.verdict);
            }
        }
    }

    #[test]
    fn an_accepted_outcome_is_small() {
        let outcome = Outcome {
            score: Some(123_456.into()),
            cpu: Some(Duration::from_millis(1_234)),
            wall: Some(Duration::from_millis(1_250)),
            memory: Some(20 << 20),
            ..Outcome::without_run(Verdict::Accepted, String::new())
        };
        let mut bytes = Vec::new();
        pack(&outcome, &mut bytes);
        assert!(bytes.len() <= 20, "{}", bytes.len());
    }
}
