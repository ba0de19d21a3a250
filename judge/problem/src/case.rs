//! Cases: their names, where their inputs come from, how they are weighted, the seeds they are generated from, and the
//! test groups that they belong to.

use crate::text::{InvalidText, named_enum, quote, quote_path};
use crate::{Direction, GeneratorCall, RunId, Weight};
use checkers::Score;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// The prefix of the names of cases that are generated from a seed.
pub(super) const SEED_PREFIX: &str = "seed-";

/// A case's name: `seed-7`, or a file's stem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseName(pub Arc<str>);

impl CaseName {
    /// Returns the name of the case that is generated from this seed.
    pub fn of_seed(seed: u64) -> Self {
        Self(format!("{SEED_PREFIX}{seed}").into())
    }

    /// Returns the seed of this name, if the name is exactly what [`Self::of_seed`] returns.
    pub(super) fn seed(&self) -> Option<u64> {
        let digits = self.0.strip_prefix(SEED_PREFIX)?;
        let is_written_so = digits == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
        digits.parse().ok().filter(|_| is_written_so)
    }

    /// Returns the name of the case in this file: the file's stem.
    pub fn of_file(path: &Path) -> Self {
        Self(path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into())
    }

    /// Returns the name without the repetition count: `NAME` for `NAME#2`.
    pub fn without_repetition(&self) -> &str {
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        self.0.rsplit_once('#').filter(|(_, count)| is_count(count)).map_or(&*self.0, |(name, _)| name)
    }
}

impl From<&str> for CaseName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for CaseName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Where a case's input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CaseSource {
    /// The problem's generator, with this seed.
    Seed(u64),
    /// The problem's generator, with this seed and these parameters.
    Made(#[serde(with = "crate::text::as_text")] GeneratorCall),
    /// This file.
    File(PathBuf),
}

impl CaseSource {
    /// Returns the flag that names the case on a command line: `of_seed` or `of_file`, for a case of this kind.
    pub fn flag(&self, of_seed: &str, of_file: &str) -> String {
        match self {
            Self::Seed(seed) => format!("{of_seed} {seed}"),
            Self::Made(call) => format!("--case {}", quote(&call.to_string())),
            Self::File(path) => format!("{of_file} {}", quote_path(path)),
        }
    }

    /// Returns the flags of `judge run` that choose these cases.
    pub fn flags(sources: impl IntoIterator<Item = Self>) -> String {
        let (mut seeds, mut flags) = (SeedRanges::default(), Vec::new());
        for source in sources {
            match source {
                Self::Seed(seed) => seeds.add(seed..=seed),
                other => flags.push(other.flag("--seeds", "--inputs")),
            }
        }
        let seeds = Seeds(seeds.all());
        let seeds = (!seeds.ranges().is_empty()).then(|| format!("--seeds {seeds}"));
        seeds.into_iter().chain(flags).collect::<Vec<_>>().join(" ")
    }

    /// Returns this source. If it is a file, `place` gives it another path.
    pub fn with_path(&self, place: impl FnOnce(&Path) -> PathBuf) -> Self {
        match self {
            Self::File(path) => Self::File(place(path)),
            other => other.clone(),
        }
    }
}

/// A planned case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseSpec {
    /// Its name in every report.
    pub name: CaseName,
    /// Its input.
    pub source: CaseSource,
    /// The thresholds of the scoring rule `thresholds`.
    pub thresholds: Option<Thresholds>,
    /// The best raw score known before this run, for rules that compare with the best.
    pub best: Option<KnownBest>,
    /// Its weight in totals and means.
    pub weight: Weight,
}

impl CaseSpec {
    /// Returns a case with this name and input, and the defaults for scoring.
    pub fn new(name: CaseName, source: CaseSource) -> Self {
        Self { name, source, thresholds: None, best: None, weight: Weight::default() }
    }

    /// Returns the case that is generated from this seed.
    pub fn from_seed(seed: u64) -> Self {
        Self::from_source(CaseSource::Seed(seed))
    }

    /// Returns the case with this input and its default name: `seed-7`, the call of the generator, or the file's stem.
    pub fn from_source(source: CaseSource) -> Self {
        let name = match &source {
            CaseSource::Seed(seed) => CaseName::of_seed(*seed),
            CaseSource::Made(call) => CaseName(call.to_string().into()),
            CaseSource::File(path) => CaseName::of_file(path),
        };
        Self::new(name, source)
    }

    /// Returns the file that the input is read from.
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            CaseSource::File(path) => Some(path),
            CaseSource::Seed(_) | CaseSource::Made(_) => None,
        }
    }

    /// Returns the name without the repetition count. A file `NAME#2.in` is no repetition of `NAME`.
    pub fn base_name(&self) -> &str {
        let is_of_file = self.file().and_then(Path::file_stem).is_some_and(|stem| stem == &*self.name.0);
        if is_of_file { &self.name.0 } else { self.name.without_repetition() }
    }

    /// Returns the seed that the input is generated from.
    pub fn seed(&self) -> Option<u64> {
        match self.source {
            CaseSource::Seed(seed) => Some(seed),
            CaseSource::File(_) | CaseSource::Made(_) => None,
        }
    }

    /// Returns the seed, if the case has the default name and the defaults for scoring.
    pub(super) fn plain_seed(&self) -> Option<u64> {
        self.seed().filter(|seed| self.has_no_terms() && self.name.seed() == Some(*seed))
    }

    /// Returns whether the case has the defaults for scoring.
    pub(super) fn has_no_terms(&self) -> bool {
        self.thresholds.is_none() && self.best.is_none() && self.weight == Weight::default()
    }

    /// Returns repetition number `time` of this case: `NAME#2`.
    pub(super) fn repetition(&self, time: usize) -> Self {
        Self { name: CaseName(format!("{}#{time}", self.name).into()), ..self.clone() }
    }
}

/// The scores that earn points on a case, best first, each with its points.
///
/// Without explicit points there must be nine thresholds. They earn ten points down to two, and any other score above
/// zero earns one point. Source: the grading section of NOI 2014, "Deletion Game".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thresholds {
    /// Each threshold with its points, the most points first.
    pub steps: Vec<(Score, Score)>,
    /// Whether a score above zero earns one point even if it reaches no threshold.
    pub(crate) one_above_zero: bool,
}

impl Thresholds {
    /// Checks the thresholds and their points.
    ///
    /// # Errors
    /// Fails if their numbers differ, if one is better than the one before it, or if points are negative.
    pub fn new(direction: Direction, scores: Vec<Score>, points: Option<Vec<Score>>) -> Result<Self, InvalidText> {
        let one_above_zero = points.is_none();
        let points = match points {
            Some(points) if points.len() == scores.len() && !points.is_empty() => points,
            Some(points) => {
                let (points, thresholds) = (points.len(), scores.len());
                let error =
                    format!("expected as many `threshold-points` as thresholds, found {points} for {thresholds}");
                return Err(InvalidText(error));
            }
            None if scores.len() == 9 => (2..=10).rev().map(Score::from).collect(),
            None => {
                let expected = "nine thresholds, for ten down to two points, or `threshold-points`";
                return Err(InvalidText(format!("expected {expected}; found {}", scores.len())));
            }
        };
        for (what, direction, list) in
            [("thresholds", direction, &scores), ("threshold-points", Direction::Max, &points)]
        {
            if let Some(pair) = list.windows(2).find(|pair| direction.compare(&pair[0], &pair[1]).is_lt()) {
                let error = format!("expected {what} with the best first, found {} before {}", pair[0], pair[1]);
                return Err(InvalidText(error));
            }
        }
        // The best come first.
        if let Some(last) = points.last().filter(|last| **last < Score::default()) {
            let error = format!("expected threshold-points of at least 0, found {last}: a failed case has 0 points");
            return Err(InvalidText(error));
        }
        Ok(Self { steps: scores.into_iter().zip(points).collect(), one_above_zero })
    }
}

/// The best score of a case that was known before a run. Points can be relative to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownBest {
    /// The score.
    pub score: Score,
    /// Where it comes from.
    pub origin: BestOrigin,
}

/// Where a known best score comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum BestOrigin {
    /// This run in the journal, and this solver.
    Run(RunId, Arc<str>),
    /// A solver with this name, in another journal.
    Imported(Arc<str>),
    /// The problem's definition: its case, or its file of best scores.
    Problem,
    /// The file named on the command line.
    File,
}

impl KnownBest {
    /// Returns the better of the two. If they are equal, it returns the first.
    pub fn better(direction: Direction, first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(first), Some(second)) if direction.compare(&second.score, &first.score).is_gt() => Some(second),
            (first, second) => first.or(second),
        }
    }
}

/// Cases that count together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestGroup {
    /// The name in every report.
    pub name: String,
    /// The total weight of its cases. It is divided in proportion to their own weights.
    pub weight: Option<Weight>,
    /// How the points of its cases are combined.
    pub aggregate: GroupAggregate,
    /// The indices of the groups that it depends on. If a case of such a group fails, directly or through further
    /// dependencies, all cases of this group count as failed.
    pub depends_on: Vec<usize>,
    /// Which cases it has.
    pub members: Members,
}

named_enum! {
    /// How the points of the cases of a group are combined. `aggregate` in the catalogue has these names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum GroupAggregate {
        /// Each case has its own points.
        #[default]
        Sum = "sum",
        /// Each case has the points of the worst case.
        Min = "min",
        /// As `Sum`, but if one case fails, all cases count as failed.
        AllOrNothing = "all-or-nothing",
    }
}

impl TestGroup {
    /// Returns the total weight of its cases. `None`: each case keeps its own weight. A `Min` group without a weight
    /// has the weight 1.
    pub fn shared_weight(&self) -> Option<Weight> {
        self.weight.clone().or_else(|| (self.aggregate == GroupAggregate::Min).then(Weight::default))
    }

    /// Returns whether all cases count as failed if one of them fails.
    pub(crate) fn is_lost_by_a_failure(&self) -> bool {
        self.aggregate != GroupAggregate::Sum
    }

    /// Returns whether the cases count only together.
    pub fn counts_as_a_whole(&self) -> bool {
        self.is_lost_by_a_failure() || !self.depends_on.is_empty()
    }
}

/// The cases of a group, by name or by seed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// Patterns of case names. `*` matches any characters, `?` matches one.
    pub names: Vec<glob::Pattern>,
    /// Cases generated from these seeds, with any name.
    pub seeds: Option<Seeds>,
}

impl Members {
    /// Returns whether a case is a member. A repetition `NAME#2` is in the same groups as `NAME`.
    pub fn have(&self, case: &CaseSpec) -> bool {
        let is_seeded = self.seeds.as_ref().zip(case.seed()).is_some_and(|(seeds, seed)| seeds.contains(seed));
        is_seeded || self.names.iter().any(|pattern| pattern.matches(case.base_name()))
    }
}

impl fmt::Display for Members {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seeds = self.seeds.iter().map(|seeds| format!("seeds {seeds}"));
        let names = self.names.iter().map(ToString::to_string);
        formatter.write_str(&seeds.chain(names).collect::<Vec<_>>().join(", "))
    }
}

/// The maximum number of seeds in a list. A longer range is probably a typing error.
pub(crate) const MAX_SEEDS: u64 = 10_000_000;

/// The first seed of the fresh cases of `compare --until-decided`, and of the comparison at the end of `tune`. Users
/// choose small seeds, and the search of `tune` starts at [`FIRST_TRAINING_SEED`]. So these cases are new to the
/// solvers.
pub const FIRST_FRESH_SEED: u64 = 1_000_001;

/// The first seed of the cases that the search of `tune` runs on. The result is then compared on other cases.
pub const FIRST_TRAINING_SEED: u64 = 2_000_001;

/// A list of seeds, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(Vec<RangeInclusive<u64>>);

impl Seeds {
    /// Returns every seed, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().cloned().flatten()
    }

    /// Returns the ranges of the list, in order.
    pub fn ranges(&self) -> &[RangeInclusive<u64>] {
        &self.0
    }

    /// Returns the list without repeated seeds, and the number of repetitions removed. The first occurrence of a seed
    /// stays.
    pub fn without_repetitions(&self) -> (Self, usize) {
        let mut known = SeedRanges::default();
        let kept = Self(self.0.iter().flat_map(|range| known.add_new(range)).collect());
        let left_out = self.iter().count() - kept.iter().count();
        (kept, left_out)
    }

    /// Returns whether a seed is one of them.
    pub fn contains(&self, seed: u64) -> bool {
        self.0.iter().any(|range| range.contains(&seed))
    }

    /// Returns a seed that both lists contain.
    pub(crate) fn shared_with(&self, other: &Self) -> Option<u64> {
        let mut others = SeedRanges::default();
        other.0.iter().for_each(|range| others.add(range.clone()));
        self.0.iter().find_map(|range| others.shared(range).first().map(|shared| *shared.start()))
    }
}

impl FromIterator<u64> for Seeds {
    fn from_iter<T: IntoIterator<Item = u64>>(seeds: T) -> Self {
        let mut ranges = SeedRanges::default();
        seeds.into_iter().for_each(|seed| ranges.add(seed..=seed));
        Self(ranges.all())
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &RangeInclusive<u64>| match (range.start(), range.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        formatter.write_str(&self.0.iter().map(range).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Seeds {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let ranges = text.split(',').map(|part| range(part.trim())).collect::<Result<Vec<_>, _>>()?;
        let count: u128 = ranges.iter().map(|range| u128::from(range.end() - range.start()) + 1).sum();
        if count > u128::from(MAX_SEEDS) {
            return Err(InvalidText(format!("`{text}` is {count} seeds; at most {MAX_SEEDS} can be run at once")));
        }
        Ok(Self(ranges))
    }
}

/// Reads a single seed.
///
/// # Errors
/// Fails if the text is not a seed.
pub fn parse_seed(text: &str) -> Result<u64, InvalidText> {
    seed_in(text, text, "a seed such as `7`")
}

/// Reads a seed. `part` is the part of a list that messages show.
fn seed_in(part: &str, text: &str, expected: &str) -> Result<u64, InvalidText> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidText::expected(expected, part.trim()));
    }
    // Some generators take signed seeds: the 64 bits are the same.
    let signed = text.parse().ok().map(i64::cast_unsigned);
    let same = signed.map(|seed| format!("; for a generator with signed seeds, write {seed}"));
    let out_of_range = || format!("seeds are 0 to {}, found `{text}`{}", u64::MAX, same.unwrap_or_default());
    text.parse().map_err(|_| InvalidText(out_of_range()))
}

fn range(text: &str) -> Result<RangeInclusive<u64>, InvalidText> {
    // A hyphen at the start is a minus sign.
    let hyphen = text.char_indices().skip(1).find(|(_, letter)| *letter == '-');
    let (first, last) = hyphen.map_or((text, text), |(index, _)| (&text[..index], &text[index + 1..]));
    let seed = |end| seed_in(text, end, "seeds such as `1-50` or `3,7,10-12`");
    let (first, last) = (seed(first)?, seed(last)?);
    if first > last {
        return Err(InvalidText(format!("the seed range `{first}-{last}` runs backwards; write `{last}-{first}`")));
    }
    Ok(first..=last)
}

/// A set of seeds, stored as ranges that do not overlap.
#[derive(Debug, Default)]
pub(super) struct SeedRanges(BTreeMap<u64, u64>);

impl SeedRanges {
    /// Adds seeds.
    pub(super) fn add(&mut self, seeds: RangeInclusive<u64>) {
        if seeds.is_empty() {
            return;
        }
        let (mut first, mut last) = seeds.into_inner();
        // Neighbours become one range, so that a set built seed by seed stays small.
        let before = self.0.range(..=first).next_back().filter(|(_, end)| first <= end.saturating_add(1));
        if let Some((&start, &end)) = before {
            (first, last) = (start, last.max(end));
        }
        while let Some((&start, &end)) = self.0.range(first..=last.saturating_add(1)).next() {
            last = last.max(end);
            self.0.remove(&start);
        }
        self.0.insert(first, last);
    }

    /// Adds seeds, and returns the ranges of the new ones, in order.
    pub(super) fn add_new(&mut self, seeds: &RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
        let mut new = Vec::new();
        let mut next = Some(*seeds.start());
        for shared in self.shared(seeds) {
            new.extend(next.filter(|first| first < shared.start()).map(|first| first..=shared.start() - 1));
            next = shared.end().checked_add(1);
        }
        new.extend(next.filter(|first| first <= seeds.end()).map(|first| first..=*seeds.end()));
        self.add(seeds.clone());
        new
    }

    /// Returns the ranges of the set, in order.
    pub(super) fn all(self) -> Vec<RangeInclusive<u64>> {
        self.0.into_iter().map(|(first, last)| first..=last).collect()
    }

    /// Returns the seeds of a range that are in the set, in order.
    pub(super) fn shared(&self, seeds: &RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
        if seeds.is_empty() {
            return Vec::new();
        }
        let before = self.0.range(..seeds.start()).next_back();
        let overlapping = before.into_iter().chain(self.0.range(seeds.clone()));
        let shared = overlapping.map(|(start, end)| *start.max(seeds.start())..=*end.min(seeds.end()));
        shared.filter(|range| !range.is_empty()).collect()
    }

    /// Returns whether a seed is in the set.
    pub(super) fn contains(&self, seed: u64) -> bool {
        self.0.range(..=seed).next_back().is_some_and(|(_, last)| seed <= *last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_name_and_by_seed() {
        let named = |name: &str, seed| CaseSpec { name: name.into(), ..CaseSpec::from_seed(seed) };
        let members = Members {
            names: vec![glob::Pattern::new("small-*").unwrap(), glob::Pattern::new("tiny").unwrap()],
            seeds: Some("3-5".parse().unwrap()),
        };
        for (name, seed) in [("small-1", 9), ("tiny", 9), ("tiny#12", 9), ("game", 3), ("seed-5", 5)] {
            assert!(members.have(&named(name, seed)), "{name} {seed}");
        }
        for (name, seed) in [("small", 9), ("tiny2", 9), ("tiny#", 9), ("seed-6", 6)] {
            assert!(!members.have(&named(name, seed)), "{name} {seed}");
        }
        assert_eq!(members.to_string(), "seeds 3-5, small-*, tiny");
        let of_file = |name: &str, file: &str| CaseSpec::new(name.into(), CaseSource::File(file.into()));
        assert!(members.have(&of_file("tiny#2", "data/tiny.in")), "a repetition");
        assert!(!members.have(&of_file("tiny#2", "data/tiny#2.in")), "another file");
        assert_eq!(of_file("tiny#2#1", "data/tiny#2.in").base_name(), "tiny#2");
    }

    #[test]
    fn lists_and_ranges_keep_their_order() {
        let seeds: Seeds = "3,7,10-12,1".parse().unwrap();
        assert_eq!(seeds.iter().collect::<Vec<_>>(), [3, 7, 10, 11, 12, 1]);
    }

    #[test]
    fn single_seeds_become_ranges() {
        assert_eq!([7, 3, 2, 9, 8].into_iter().collect::<Seeds>().to_string(), "2-3,7-9");
    }

    #[test]
    fn repetitions_are_left_out_where_they_stand() {
        let distinct = |text: &str| {
            let (seeds, left_out) = text.parse::<Seeds>().unwrap().without_repetitions();
            (seeds.to_string(), left_out)
        };
        assert_eq!(distinct("1-5,3"), ("1-5".to_owned(), 1));
        assert_eq!(distinct("3,1-5,5-6"), ("3,1-2,4-5,6".to_owned(), 2));
        assert_eq!(distinct("7,2-3"), ("7,2-3".to_owned(), 0));
        assert_eq!(distinct("18446744073709551615,18446744073709551615"), ("18446744073709551615".to_owned(), 1));
    }

    #[test]
    fn what_is_not_a_list_of_seeds_is_said() {
        let said = |text: &str| text.parse::<Seeds>().unwrap_err().to_string();
        assert_eq!(said("9-3"), "the seed range `9-3` runs backwards; write `3-9`");
        for text in ["", "-", "a", "1-", "1-2-3", "1,,2", "1.5", "+1", "--1", "-é", "é-1"] {
            let part = text.replace("1,,2", "");
            assert_eq!(said(text), format!("expected seeds such as `1-50` or `3,7,10-12`, found `{part}`"));
        }
        let too_many = said("0-18446744073709551615");
        assert!(too_many.ends_with("is 18446744073709551616 seeds; at most 10000000 can be run at once"), "{too_many}");
    }

    #[test]
    fn a_negative_seed_is_told_what_it_is_here() {
        for (text, found, same_bits) in [
            ("-1", "-1", Some(u64::MAX)),
            ("3, -5-7", "-5", Some(18_446_744_073_709_551_611)),
            ("1--2", "-2", Some(18_446_744_073_709_551_614)),
            ("-9223372036854775808", "-9223372036854775808", Some(1 << 63)),
            ("-9223372036854775809", "-9223372036854775809", None),
            ("18446744073709551616", "18446744073709551616", None),
        ] {
            let same = same_bits.map(|bits: u64| format!("; for a generator with signed seeds, write {bits}"));
            let expected = format!("seeds are 0 to 18446744073709551615, found `{found}`{}", same.unwrap_or_default());
            assert_eq!(text.parse::<Seeds>().unwrap_err().to_string(), expected, "{text}");
        }
        assert_eq!(parse_seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse_seed("007"), Ok(7));
        assert_eq!(parse_seed("1-3").unwrap_err().to_string(), "expected a seed such as `7`, found `1-3`");
    }
}
