//! The list of a plan's cases. A range of consecutive seeds takes the memory of one entry, so a plan of millions of
//! cases is small.

use crate::case::{CaseName, CaseSource, CaseSpec, SEED_PREFIX, SeedRanges};
use crate::{Digest, Rule};
use num_rational::BigRational;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The cases of a plan or a problem, in order. A [`CaseSpec`] is created when it is read.
#[derive(Debug, Clone, Default)]
pub struct CaseList {
    parts: Vec<Part>,
    len: usize,
    /// The content of [`CaseList::files`], if the files were read for this list.
    read: Option<Arc<HashMap<PathBuf, ReadFile>>>,
}

/// The content of one of [`CaseList::files`].
#[derive(Debug)]
pub struct ReadFile {
    /// The hash of its content.
    pub hash: Digest,
    /// Its content, if it is kept.
    pub input: Option<Arc<[u8]>>,
}

#[derive(Debug, Clone)]
struct Part {
    /// The index of its first case.
    first: usize,
    cases: Cases,
}

#[derive(Debug, Clone)]
enum Cases {
    /// The cases of these seeds, as [`CaseSpec::from_seed`] creates them. If `times` is above 1, each case is repeated:
    /// `NAME#1`, `NAME#2`.
    Seeds { seeds: RangeInclusive<u64>, times: u32 },
    /// Cases with their own names, files or scoring terms. Copies of the list share them.
    Listed(Arc<Vec<CaseSpec>>),
}

impl CaseList {
    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the case at an index.
    ///
    /// # Panics
    /// Panics if the index is out of range.
    pub fn at(&self, place: usize) -> CaseSpec {
        assert!(place < self.len, "case {place} of {}", self.len);
        let part = &self.parts[self.parts.partition_point(|part| part.first <= place) - 1];
        part.cases.at(place - part.first)
    }

    /// Returns the maximum points of the case at an index under a rule, before its weight: under `thresholds`, those of
    /// its first one. `None` for rules without such a maximum.
    ///
    /// # Panics
    /// Panics if the index is out of range.
    pub fn max_points(&self, place: usize, rule: &Rule) -> Option<BigRational> {
        if !rule.needs_thresholds() {
            return rule.max_points();
        }
        self.at(place).thresholds?.steps.first().map(|(_, points)| points.to_rational())
    }

    /// Returns the index of the first case with this name.
    pub fn place_of(&self, name: &str) -> Option<usize> {
        let name = CaseName::from(name);
        let place_in = |part: &Part| match &part.cases {
            Cases::Listed(cases) => cases.iter().position(|case| case.name == name),
            Cases::Seeds { seeds, times: 1 } => {
                name.seed().filter(|seed| seeds.contains(seed)).map(|seed| to_index(seed - seeds.start()))
            }
            cases @ Cases::Seeds { .. } => (0..cases.len()).find(|place| cases.at(*place).name == name),
        };
        self.parts.iter().find_map(|part| Some(part.first + place_in(part)?))
    }

    /// Returns every case, in order.
    pub fn iter(&self) -> impl Iterator<Item = CaseSpec> + Clone {
        self.parts.iter().flat_map(|part| (0..part.cases.len()).map(move |place| part.cases.at(place)))
    }

    /// Returns the cases that are more than a seed, in order. Only these can have files or scoring terms.
    pub fn listed(&self) -> impl Iterator<Item = &CaseSpec> {
        self.parts.iter().flat_map(|part| match &part.cases {
            Cases::Seeds { .. } => &[],
            Cases::Listed(cases) => cases.as_slice(),
        })
    }

    /// Returns the input files, in order. Each comes with the number of consecutive cases that use it.
    pub fn files(&self) -> Vec<(&Path, usize)> {
        let paths: Vec<_> = self.listed().filter_map(CaseSpec::file).collect();
        paths.chunk_by(|path, next| path == next).map(|paths| (paths[0], paths.len())).collect()
    }

    /// Stores the content of [`files`](Self::files), in the same order. Adding a case discards it.
    pub fn set_read_files(&mut self, read: Vec<ReadFile>) {
        let paths = self.files().into_iter().map(|(path, _)| path.to_path_buf());
        self.read = Some(Arc::new(paths.zip(read).collect()));
    }

    /// Shares the content that was read for the list from which this one was made.
    pub fn share_read_files(&mut self, origin: &Self) {
        self.read.clone_from(&origin.read);
    }

    /// Returns the content of this source, if it is a file that was read for this list.
    pub fn read_file(&self, source: &CaseSource) -> Option<&ReadFile> {
        let CaseSource::File(path) = source else { return None };
        self.read.as_ref()?.get(path)
    }

    /// Returns the content hashes of [`files`](Self::files), if the files were read.
    pub fn file_hashes(&self) -> Option<Vec<Digest>> {
        let read = self.read.as_ref()?;
        self.files().into_iter().map(|(path, _)| Some(read.get(path)?.hash)).collect()
    }

    /// Returns whether no case has thresholds, a best score or a weight of its own.
    pub fn are_plain(&self) -> bool {
        self.listed().all(CaseSpec::has_no_terms)
    }

    /// Calls `visit` with the name and source of every case, in order, without creating a [`CaseSpec`] for each.
    pub fn visit(&self, mut visit: impl FnMut(&[u8], &CaseSource)) {
        for part in &self.parts {
            match &part.cases {
                Cases::Seeds { seeds, times: 1 } => {
                    let mut name = CaseName::of_seed(*seeds.start()).0.as_bytes().to_vec();
                    for seed in seeds.clone() {
                        visit(&name, &CaseSource::Seed(seed));
                        count_up(&mut name, SEED_PREFIX.len());
                    }
                }
                cases => {
                    for place in 0..cases.len() {
                        let CaseSpec { name, source, .. } = cases.at(place);
                        visit(name.0.as_bytes(), &source);
                    }
                }
            }
        }
    }

    /// Adds a case.
    pub fn push(&mut self, case: CaseSpec) {
        self.read = None;
        match case.plain_seed() {
            Some(seed) => self.push_seeds(seed..=seed),
            None => {
                match self.parts.last_mut() {
                    Some(Part { cases: Cases::Listed(cases), .. }) => Arc::make_mut(cases).push(case),
                    _ => self.parts.push(Part { first: self.len, cases: Cases::Listed(Arc::new(vec![case])) }),
                }
                self.len += 1;
            }
        }
    }

    /// Adds the cases that are generated from these seeds.
    pub fn push_seeds(&mut self, seeds: RangeInclusive<u64>) {
        let part = Part { first: self.len, cases: Cases::Seeds { seeds: seeds.clone(), times: 1 } };
        self.len += part.cases.len();
        match self.parts.last_mut() {
            Some(Part { cases: Cases::Seeds { seeds: known, times: 1 }, .. })
                if known.end().checked_add(1) == Some(*seeds.start()) =>
            {
                *known = *known.start()..=*seeds.end();
            }
            _ if seeds.is_empty() => {}
            _ => self.parts.push(part),
        }
    }

    /// Returns the list with every case repeated this many times: `NAME#1`, `NAME#2`.
    pub fn repeated(self, times: u32) -> Self {
        if times == 1 {
            return self;
        }
        let mut list = Self::default();
        for Part { cases, .. } in self.parts {
            let cases = cases.repeated(times);
            let part = Part { first: list.len, cases };
            list.len += part.cases.len();
            list.parts.push(part);
        }
        list
    }

    /// Returns the duplicate names, in order.
    pub fn duplicate_names(&self) -> impl Iterator<Item = CaseName> {
        let mut seeds = SeedRanges::default();
        let mut names: HashSet<&CaseName> = HashSet::new();
        self.parts.iter().flat_map(move |part| {
            let mut of_seeds = Vec::new();
            let mut of_cases = Vec::new();
            match &part.cases {
                Cases::Seeds { seeds: more, .. } => {
                    of_seeds = seeds.shared(more);
                    seeds.add(more.clone());
                }
                Cases::Listed(cases) => {
                    for CaseSpec { name, .. } in &**cases {
                        let is_known = match name.seed() {
                            Some(seed) => seeds.contains(seed),
                            None => !names.insert(name),
                        };
                        name.seed().into_iter().for_each(|seed| seeds.add(seed..=seed));
                        of_cases.extend(is_known.then(|| name.clone()));
                    }
                }
            }
            of_seeds.into_iter().flatten().map(CaseName::of_seed).chain(of_cases)
        })
    }

    /// Returns the scoring terms of the cases, by their names and the sources of their inputs.
    pub fn terms_by_source(&self) -> TermsBySource<'_> {
        let mut plain = SeedRanges::default();
        let mut named: HashMap<&str, Vec<&CaseSpec>> = HashMap::new();
        let (mut terms, mut files) = (HashMap::new(), HashMap::new());
        for part in &self.parts {
            match &part.cases {
                Cases::Seeds { seeds, .. } => plain.add(seeds.clone()),
                Cases::Listed(cases) => {
                    for case in &**cases {
                        if case.file().is_some() {
                            files.entry(&*case.name.0).or_insert(case);
                        }
                        let is_plain = case.seed().is_some_and(|seed| plain.contains(seed));
                        if !is_plain || case.name.seed() != case.seed() {
                            named.entry(&*case.name.0).or_default().push(case);
                        }
                        terms.entry(&case.source).or_insert((!is_plain).then_some(case));
                    }
                }
            }
        }
        TermsBySource { plain, named, terms, files }
    }

    /// Returns which repetition of its input each case is.
    pub fn repetitions(&self) -> Repetitions {
        let mut found = Repetitions::default();
        let mut seen = SeedRanges::default();
        let mut contested = SeedRanges::default();
        for part in &self.parts {
            let ranges: Vec<_> = match &part.cases {
                Cases::Seeds { seeds, .. } => vec![seeds.clone()],
                Cases::Listed(cases) => cases.iter().filter_map(|case| case.seed()).map(|seed| seed..=seed).collect(),
            };
            for range in ranges {
                seen.shared(&range).into_iter().for_each(|shared| contested.add(shared));
                seen.add(range);
            }
        }
        let mut counts: HashMap<Cow<'_, CaseSource>, u32> = HashMap::new();
        for Part { first, cases } in &self.parts {
            let mut count = |place: usize, source| {
                let count = counts.entry(source).or_default();
                if *count > 0 {
                    found.later.insert(place, *count);
                }
                *count += 1;
            };
            match cases {
                Cases::Listed(cases) => {
                    for (place, case) in (*first..).zip(&**cases) {
                        if case.seed().is_none_or(|seed| contested.contains(seed)) {
                            count(place, Cow::Borrowed(&case.source));
                        }
                    }
                }
                Cases::Seeds { seeds, times } => {
                    for seed in contested.shared(seeds).into_iter().flatten() {
                        let place = first + to_index(seed - seeds.start()) * *times as usize;
                        (place..place + *times as usize).for_each(|place| {
                            count(place, Cow::Owned(CaseSource::Seed(seed)));
                        });
                    }
                    if *times > 1 {
                        found.in_a_row.push((*first, first + cases.len(), *times));
                    }
                }
            }
        }
        found
    }
}

impl Cases {
    fn len(&self) -> usize {
        match self {
            Self::Seeds { seeds, .. } if seeds.is_empty() => 0,
            Self::Seeds { seeds, times } => to_index(seeds.end() - seeds.start() + 1) * *times as usize,
            Self::Listed(cases) => cases.len(),
        }
    }

    fn at(&self, place: usize) -> CaseSpec {
        match self {
            Self::Listed(cases) => cases[place].clone(),
            Self::Seeds { seeds, times } => {
                let case = CaseSpec::from_seed(seeds.start() + (place / *times as usize) as u64);
                if *times == 1 { case } else { case.repetition(place % *times as usize + 1) }
            }
        }
    }

    fn repeated(self, times: u32) -> Self {
        match self {
            Self::Seeds { seeds, times: 1 } => Self::Seeds { seeds, times },
            cases => {
                let all = (0..cases.len()).map(|place| cases.at(place));
                let repeated = all.flat_map(|case| (1..=times as usize).map(move |time| case.repetition(time)));
                Self::Listed(Arc::new(repeated.collect()))
            }
        }
    }
}

/// The weights, thresholds and best scores of a list's cases, by their names and the sources of their inputs.
pub struct TermsBySource<'a> {
    /// The cases of ranges of seeds. They have the default terms.
    plain: SeedRanges,
    /// The listed cases, by name.
    named: HashMap<&'a str, Vec<&'a CaseSpec>>,
    terms: HashMap<&'a CaseSource, Option<&'a CaseSpec>>,
    /// The cases that are files, by name. The folder of a recorded file may have another path than today's.
    files: HashMap<&'a str, &'a CaseSpec>,
}

impl TermsBySource<'_> {
    /// Returns a case with this name and source. Its terms are those of the listed case with both, else those of the
    /// first one with that source, for a file at an unknown path those of the first listed file with that name, or the
    /// defaults.
    pub fn case(&self, name: CaseName, source: CaseSource) -> CaseSpec {
        let own = |name: &str| self.named.get(name)?.iter().copied().find(|case| case.source == source);
        let of_name = || match &source {
            CaseSource::File(_) => self.files.get(name.without_repetition()).copied(),
            CaseSource::Seed(_) | CaseSource::Made(_) => None,
        };
        let known = match own(&name.0).or_else(|| own(name.without_repetition())) {
            None if self.is_plain(&name, &source) => None,
            None => self.terms.get(&source).copied().unwrap_or_else(of_name),
            own => own,
        };
        match known {
            Some(known) => CaseSpec { name, source, ..known.clone() },
            None => CaseSpec::new(name, source),
        }
    }

    /// Returns whether this is a case of a range of seeds, or a repetition of one.
    fn is_plain(&self, name: &CaseName, source: &CaseSource) -> bool {
        let of_name = CaseName::from(name.without_repetition()).seed();
        matches!(source, CaseSource::Seed(seed) if of_name == Some(*seed) && self.plain.contains(*seed))
    }
}

/// Which repetition of its input each case of a list is, from 0.
#[derive(Debug, Clone, Default)]
pub struct Repetitions {
    /// By case index: the repetition numbers above 0 that `in_a_row` does not cover.
    later: HashMap<usize, u32>,
    /// Ranges of consecutive repetitions: first index, end index, and repetitions of each case.
    in_a_row: Vec<(usize, usize, u32)>,
}

impl Repetitions {
    /// Returns the repetition number, from 0, of the case at this index.
    pub fn at(&self, place: usize) -> u32 {
        let row = || self.in_a_row.iter().find(|(first, end, _)| (*first..*end).contains(&place));
        let number = |number: usize| u32::try_from(number).expect("it is less than `times`, a `u32`");
        let in_row = || row().map_or(0, |(first, _, times)| number((place - first) % *times as usize));
        self.later.get(&place).copied().unwrap_or_else(in_row)
    }
}

/// Returns a number of seeds as an index.
fn to_index(seeds: u64) -> usize {
    usize::try_from(seeds).expect("`Seeds` bounds the number of seeds")
}

/// Adds 1 to the decimal number that starts at byte `first`.
fn count_up(text: &mut Vec<u8>, first: usize) {
    for digit in text[first..].iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    text.insert(first, b'1');
}

impl FromIterator<CaseSpec> for CaseList {
    fn from_iter<T: IntoIterator<Item = CaseSpec>>(cases: T) -> Self {
        let mut list = Self::default();
        list.extend(cases);
        list
    }
}

impl Extend<CaseSpec> for CaseList {
    fn extend<T: IntoIterator<Item = CaseSpec>>(&mut self, cases: T) {
        cases.into_iter().for_each(|case| self.push(case));
    }
}

impl From<Vec<CaseSpec>> for CaseList {
    fn from(cases: Vec<CaseSpec>) -> Self {
        cases.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Thresholds, Weight};
    use checkers::Score;
    use proptest::prelude::*;

    #[test]
    fn thresholds_give_at_most_their_first_points() {
        let numbers = || vec![Score::from(100), Score::from(50)];
        let thresholds = Thresholds::new(Direction::Max, numbers(), Some(numbers())).unwrap();
        let mut cases = CaseList::default();
        cases.push(CaseSpec { thresholds: Some(thresholds), ..CaseSpec::from_seed(1) });
        let most = |number: i32| Some(BigRational::from_integer(number.into()));
        assert_eq!(cases.max_points(0, &"thresholds".parse().unwrap()), most(100));
        assert_eq!(cases.max_points(0, &Rule::Exact), most(1));
        assert_eq!(cases.max_points(0, &Rule::Sum), None);
    }

    /// Few seeds, names and files, so that they collide.
    fn any_case() -> impl Strategy<Value = CaseSpec> {
        let seed = || 0_u64..6;
        prop_oneof![
            6 => seed().prop_map(CaseSpec::from_seed),
            1 => (seed(), seed()).prop_map(|(name, seed)| CaseSpec { name: CaseName::of_seed(name), ..CaseSpec::from_seed(seed) }),
            1 => seed().prop_map(|seed| CaseSpec { weight: "2".parse::<Weight>().unwrap(), ..CaseSpec::from_seed(seed) }),
            1 => seed().prop_map(|file| CaseSpec::new(CaseName::from("f"), CaseSource::File(PathBuf::from(file.to_string())))),
        ]
    }

    fn twice(cases: &[CaseSpec]) -> Vec<CaseName> {
        let mut names = HashSet::new();
        cases.iter().filter(|case| !names.insert(&case.name)).map(|case| case.name.clone()).collect()
    }

    fn repetitions(cases: &[CaseSpec]) -> Vec<u32> {
        let mut seen: HashMap<&CaseSource, u32> = HashMap::new();
        let mut next = |source| {
            let count = seen.entry(source).or_default();
            *count += 1;
            *count - 1
        };
        cases.iter().map(|case| next(&case.source)).collect()
    }

    proptest! {
        /// The list behaves as a `Vec` of cases.
        #[test]
        fn a_list_has_the_cases_that_it_was_made_of(cases in prop::collection::vec(any_case(), 0..20), times in 1_u32..4) {
            let list: CaseList = cases.iter().cloned().collect();
            prop_assert_eq!(list.duplicate_names().collect::<Vec<_>>(), twice(&cases));
            let list = list.repeated(times);
            let copy = |case: &CaseSpec, time| if times == 1 { case.clone() } else { case.repetition(time) };
            let cases: Vec<_> = cases.iter().flat_map(|case| (1..=times as usize).map(move |time| copy(case, time))).collect();
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), cases.clone());
            prop_assert_eq!((0..list.len()).map(|place| list.at(place)).collect::<Vec<_>>(), cases.clone());
            for case in &cases {
                prop_assert_eq!(list.place_of(&case.name.0), cases.iter().position(|first| first.name == case.name));
            }
            let found = list.repetitions();
            prop_assert_eq!((0..cases.len()).map(|place| found.at(place)).collect::<Vec<_>>(), repetitions(&cases));
            let mut visited = Vec::new();
            list.visit(|name, source| visited.push((String::from_utf8(name.to_vec()).unwrap(), source.clone())));
            let named = cases.iter().map(|case| (case.name.to_string(), case.source.clone()));
            prop_assert_eq!(visited, named.collect::<Vec<_>>());
        }

        #[test]
        fn terms_are_those_of_the_case_itself_or_of_the_first_of_its_source(cases in prop::collection::vec(any_case(), 0..20), case in any_case()) {
            let list: CaseList = cases.iter().cloned().collect();
            let of_source = |known: &&CaseSpec| known.source == case.source;
            let known = cases.iter().filter(of_source).find(|known| known.name == case.name);
            let known = known.or_else(|| cases.iter().find(of_source));
            let expected = known.map_or_else(|| CaseSpec::new(case.name.clone(), case.source.clone()), |known| CaseSpec { name: case.name.clone(), ..known.clone() });
            prop_assert_eq!(list.terms_by_source().case(case.name, case.source), expected);
        }
    }

    #[test]
    fn ten_million_seeds_take_the_room_of_one() {
        let mut list = CaseList::default();
        list.push_seeds(1..=5_000_000);
        list.push_seeds(5_000_001..=10_000_000);
        assert_eq!((list.len(), list.parts.len()), (10_000_000, 1));
        assert_eq!(list.at(9_999_999), CaseSpec::from_seed(10_000_000));
        assert_eq!(list.repeated(2).at(19_999_999).name, CaseName::from("seed-10000000#2"));
    }

    #[test]
    fn names_are_counted_up_from_any_number() {
        let mut list = CaseList::default();
        list.push_seeds(8..=1_001);
        let mut names = Vec::new();
        list.visit(|name, _| names.push(String::from_utf8(name.to_vec()).unwrap()));
        assert_eq!(names, list.iter().map(|case| case.name.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn what_was_read_of_files_is_known_until_there_is_another_case() {
        let in_file = |name: &str, path: &str| CaseSpec::new(CaseName::from(name), CaseSource::File(path.into()));
        let mut list = CaseList::default();
        list.push(in_file("a", "a.in"));
        list.push(in_file("a#2", "a.in"));
        list.push_seeds(1..=3);
        list.push(in_file("b", "b.in"));
        list.push(in_file("a#3", "a.in"));
        let files = [("a.in", 2), ("b.in", 1), ("a.in", 1)].map(|(path, times)| (Path::new(path), times));
        assert_eq!(list.files(), files);
        assert_eq!(list.file_hashes(), None);
        let hashes = [b"a", b"b", b"a"].map(|content| Digest::of(content));
        let inputs: [Option<&[u8]>; 3] = [Some(b"a"), None, Some(b"a")];
        let read = hashes.iter().zip(inputs).map(|(hash, input)| ReadFile { hash: *hash, input: input.map(Arc::from) });
        list.set_read_files(read.collect());
        assert_eq!(list.clone().file_hashes().as_deref(), Some(&hashes[..]));
        let kept = |place| list.read_file(&list.at(place).source)?.input.as_deref();
        assert_eq!([0, 1, 2, 5, 6].map(kept), [Some(&b"a"[..]), Some(b"a"), None, None, Some(b"a")]);
        let mut made: CaseList = list.iter().filter(|case| case.name.to_string() == "b").collect();
        made.share_read_files(&list);
        assert_eq!(made.file_hashes().as_deref(), Some(&hashes[1..2]));
        assert_eq!(list.clone().repeated(2).file_hashes(), None);
        assert_eq!(list.iter().collect::<CaseList>().file_hashes(), None);
        list.push(in_file("c", "c.in"));
        assert_eq!(list.file_hashes(), None);
        assert!(list.read_file(&CaseSource::File("a.in".into())).is_none());
    }
}
