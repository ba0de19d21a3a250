//! Delta debugging: finds the smallest input that still shows a property, by leaving out parts and lowering numbers.

use crate::text::{Kind, Text};
use judge_problem::Digest;
use std::collections::HashSet;

/// In inputs of at most this many parts, leaving out every pair of parts is tried.
const MAX_PAIRED: usize = 48;

/// At most this many times the number of jobs are tried at once.
const MAX_BATCH: usize = 32;

/// The number of inputs that are read at once, to check whether they are valid.
const READ_AT_ONCE: usize = 64;

/// The maximum size of several inputs that are tried at once, in bytes.
const MAX_HELD: usize = 64 << 20;

/// Decides whether an input is valid and shows the property.
pub trait Oracle {
    /// Why a try ended the search.
    type Error;

    /// Returns whether each of these is an input of the problem.
    fn are_valid(&self, inputs: &[&[u8]]) -> Vec<bool>;

    /// Returns the place of the first of these inputs that shows the property.
    ///
    /// # Errors
    /// When the search should end.
    fn first(&mut self, inputs: &[Vec<u8>]) -> Result<Option<usize>, Self::Error>;

    /// Returns how many inputs can be tried at once.
    fn jobs(&self) -> usize;
}

/// Makes an input small. At the end, no single step gives a smaller input that shows the property. A step leaves out a
/// part, lowers a number, or in short inputs leaves out two parts. The result does not depend on the number of jobs.
///
/// # Errors
/// What ended the search early; `input` is then the smallest one so far.
pub fn shrink<O: Oracle>(oracle: &mut O, input: &mut Vec<u8>) -> Result<(), O::Error> {
    let seen = HashSet::from([Digest::of(input)]);
    let mut shrinker = Shrinker { oracle, best: input, seen, batch: 1 };
    shrinker.tidy_lines()?;
    loop {
        let mut before = shrinker.best.clone();
        shrinker.leave_out()?;
        shrinker.lower_numbers()?;
        shrinker.merge_letters()?;
        if *shrinker.best != before {
            continue;
        }
        before.clone_from(shrinker.best);
        shrinker.leave_two_out()?;
        if *shrinker.best == before {
            return Ok(());
        }
    }
}

struct Shrinker<'a, O> {
    oracle: &'a mut O,
    best: &'a mut Vec<u8>,
    /// Every input that was tried or is not valid.
    seen: HashSet<Digest>,
    /// The number of tries at once, for each job. It grows while none succeeds.
    batch: usize,
}

impl<O: Oracle> Shrinker<'_, O> {
    /// Ends the last line and leaves out the carriage returns at the ends of lines, unless these are the reason.
    fn tidy_lines(&mut self) -> Result<(), O::Error> {
        if !self.best.is_empty() && !self.best.ends_with(b"\n") {
            let ended = [self.best, &b"\n"[..]].concat();
            self.try_each(std::iter::once(((), ended)))?;
        }
        let is_left_out = |place: usize| self.best[place..].starts_with(b"\r\n");
        let plain: Vec<u8> =
            (0..self.best.len()).filter(|&place| !is_left_out(place)).map(|place| self.best[place]).collect();
        if plain.len() < self.best.len() {
            self.try_each(std::iter::once(((), plain)))?;
        }
        Ok(())
    }

    /// Leaves out ranges of parts, of each kind: halves, quarters, and at last single parts.
    fn leave_out(&mut self) -> Result<(), O::Error> {
        let mut text = Text::read(self.best);
        let mut kinds = text.kinds();
        let mut number = 0;
        while let Some(&kind) = kinds.get(number) {
            let (mut size, mut has_changed) = (text.count(kind).max(1), false);
            loop {
                let found = self.leave_out_stretches(&mut text, kind, size)?;
                has_changed |= found;
                if size == 1 && !found {
                    break;
                }
                size = (size / 2).max(1);
            }
            if has_changed {
                kinds = text.kinds();
            }
            number += 1;
        }
        Ok(())
    }

    /// Returns whether a stretch could be left out.
    fn leave_out_stretches(&mut self, text: &mut Text, kind: Kind, size: usize) -> Result<bool, O::Error> {
        let (mut start, mut found) = (0, false);
        loop {
            let count = text.count(kind);
            let starts = (start..count).step_by(size);
            let tries = starts.flat_map(|start| {
                let without = text.without(kind, start..count.min(start + size));
                without.into_iter().map(move |input| (start, input))
            });
            match self.try_each(tries)? {
                Some(place) => (start, found) = (place, true),
                None => return Ok(found),
            }
            *text = Text::read(self.best);
        }
    }

    /// Leaves out two parts that are apart, where there are few parts.
    fn leave_two_out(&mut self) -> Result<(), O::Error> {
        let text = Text::read(self.best);
        for kind in text.kinds() {
            let count = text.count(kind);
            if count > MAX_PAIRED {
                continue;
            }
            let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second]));
            let tries = pairs.flat_map(|pair| {
                let parts = pair.map(|part| part..part + 1);
                text.without_all(kind, &parts).into_iter().map(|input| ((), input))
            });
            if self.try_each(tries)?.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lowers numbers, many at once first: to 0, to 1, by half, by a quarter, and so on, and at last by 1.
    fn lower_numbers(&mut self) -> Result<(), O::Error> {
        self.change_numbers(|_| 0)?;
        self.change_numbers(|value| value.signum().abs())?;
        for share in 1..i128::BITS {
            self.change_numbers(|value| value - value / (1 << share.min(126)))?;
        }
        self.change_numbers(|value| value - value.signum())
    }

    fn change_numbers(&mut self, change: impl Fn(i128) -> i128) -> Result<(), O::Error> {
        let mut size = Text::read(self.best).numbers().len();
        while size > 0 {
            if !self.change_stretches(size, &change)? {
                size /= 2;
            }
        }
        Ok(())
    }

    /// Returns whether a stretch of numbers could be lowered.
    fn change_stretches(&mut self, size: usize, change: &impl Fn(i128) -> i128) -> Result<bool, O::Error> {
        let (mut start, mut found) = (0, false);
        loop {
            let text = Text::read(self.best);
            let places = text.numbers();
            let starts = (start..places.len()).step_by(size);
            let tries = starts.filter_map(|start| {
                let stretch = &places[start..places.len().min(start + size)];
                Some((start, text.with_numbers(stretch, change)?))
            });
            match self.try_each(tries)? {
                // Half of the range may be halved again.
                Some(place) => (start, found) = (place, true),
                None => return Ok(found),
            }
        }
    }

    /// Replaces letters by others: fewer different letters are easier to read.
    fn merge_letters(&mut self) -> Result<(), O::Error> {
        loop {
            let text = Text::read(self.best);
            let letters = text.letters();
            let pairs = letters.iter().rev().flat_map(|&from| letters.iter().map(move |&to| (from, to)));
            let pairs = pairs.filter(|(from, to)| to < from && to.is_ascii_lowercase() == from.is_ascii_lowercase());
            let tries = pairs.map(|(from, to)| ((), text.with_letter(from, to)));
            if self.try_each(tries)?.is_none() {
                return Ok(());
            }
        }
    }

    /// Tries inputs in order. Keeps the first one that shows the property, and returns its mark.
    fn try_each<M: Copy>(&mut self, tries: impl Iterator<Item = (M, Vec<u8>)>) -> Result<Option<M>, O::Error> {
        let mut tries = tries.fuse();
        let (mut marks, mut inputs) = (Vec::new(), Vec::new());
        loop {
            let held = MAX_HELD / self.best.len().max(1);
            let wanted = (self.oracle.jobs() * self.batch).min(held).max(1);
            let mut is_over = false;
            while inputs.len() < wanted && !is_over {
                let new: Vec<(M, Vec<u8>)> = tries.by_ref().take(READ_AT_ONCE.min(2 * wanted)).collect();
                is_over = new.is_empty();
                for (mark, input) in self.valid(new) {
                    marks.push(mark);
                    inputs.push(input);
                }
            }
            if inputs.is_empty() {
                return Ok(None);
            }
            let later = inputs.split_off(wanted.min(inputs.len()));
            if let Some(place) = self.oracle.first(&inputs)? {
                self.batch = 1;
                // The inputs after it may not have been tried. They may be tried again, starting from the new input.
                inputs[place + 1..].iter().chain(&later).for_each(|input| {
                    self.seen.remove(&Digest::of(input));
                });
                *self.best = inputs.swap_remove(place);
                return Ok(Some(marks[place]));
            }
            self.batch = (2 * self.batch).min(MAX_BATCH);
            marks.drain(..inputs.len());
            inputs = later;
        }
    }

    /// Returns the inputs that are new and valid.
    fn valid<M>(&mut self, tries: Vec<(M, Vec<u8>)>) -> Vec<(M, Vec<u8>)> {
        let new: Vec<(M, Vec<u8>)> =
            tries.into_iter().filter(|(_, input)| self.seen.insert(Digest::of(input))).collect();
        let are_valid = self.oracle.are_valid(&new.iter().map(|(_, input)| &**input).collect::<Vec<_>>());
        new.into_iter().zip(are_valid).filter(|(_, is_valid)| *is_valid).map(|(new, _)| new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Searches for an input that contains `shows`, with this many jobs.
    struct Test<F> {
        shows: F,
        jobs: usize,
        tries: usize,
    }

    impl<F: Fn(&str) -> bool> Oracle for Test<F> {
        type Error = Infallible;

        fn are_valid(&self, inputs: &[&[u8]]) -> Vec<bool> {
            inputs.iter().map(|input| is_list(std::str::from_utf8(input).unwrap()).is_some()).collect()
        }

        fn first(&mut self, inputs: &[Vec<u8>]) -> Result<Option<usize>, Infallible> {
            self.tries += inputs.len();
            Ok(inputs.iter().position(|input| (self.shows)(std::str::from_utf8(input).unwrap())))
        }

        fn jobs(&self) -> usize {
            self.jobs
        }
    }

    /// A number, followed by that many lines.
    fn is_list(text: &str) -> Option<()> {
        let (count, lines) = text.split_once('\n')?;
        (count.parse::<usize>().ok()? == lines.lines().count()).then_some(())
    }

    fn shrunk(input: &str, jobs: usize, shows: impl Fn(&str) -> bool) -> (String, usize) {
        let mut best = input.as_bytes().to_vec();
        let mut test = Test { shows, jobs, tries: 0 };
        let Ok(()) = shrink(&mut test, &mut best);
        (String::from_utf8(best).unwrap(), test.tries)
    }

    #[test]
    fn two_far_lines_are_found_among_thousands() {
        let lines: String = (0..5000).map(|line| format!("line {line}\n")).collect();
        let shows = |text: &str| text.contains(" 17\n") && text.contains(" 4321\n");
        let (small, tries) = shrunk(&format!("5000\n{lines}"), 2, shows);
        assert_eq!(small, "2\n 17\n 4321\n");
        assert!(tries < 1000, "{tries}");
    }

    #[test]
    fn the_result_does_not_depend_on_jobs() {
        let lines: String = (0..300).map(|line| format!("{} {}\n", line * 7 % 100, line)).collect();
        let input = format!("300\n{lines}");
        let shows = |text: &str| text.lines().skip(1).filter(|line| line.starts_with('3')).count() >= 4;
        let results = [1, 2, 7].map(|jobs| shrunk(&input, jobs, shows).0);
        assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
        assert_eq!(results[0].lines().next(), Some("4"));
    }

    #[test]
    fn pairs_of_lines_go_together() {
        // An even number of lines is needed.
        let lines: String = (0..30).map(|_| "x\n").collect();
        let (small, _) = shrunk(&format!("30\n{lines}"), 2, |text| text.lines().count() % 2 == 1);
        assert_eq!(small, "0\n");
    }

    #[test]
    fn numbers_become_as_low_as_they_can() {
        let (small, _) = shrunk("2\n900 b\n-70 d\n", 1, |text| {
            let all: Vec<i64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            all.iter().any(|number| *number >= 123) && all.iter().any(|number| *number <= -5)
        });
        assert_eq!(small.split_whitespace().collect::<Vec<_>>(), ["2", "123", "-5"]);
    }
}
