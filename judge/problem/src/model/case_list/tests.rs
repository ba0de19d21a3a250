use super::*;
use crate::model::Weight;
use proptest::prelude::*;
use std::path::PathBuf;

/// Few seeds, names and files, so that they meet.
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
    /// The list is a `Vec` of cases in every respect but its size.
    #[test]
    fn a_list_has_the_cases_that_it_was_made_of(cases in prop::collection::vec(any_case(), 0..20), times in 1_u32..4) {
        let list: CaseList = cases.iter().cloned().collect();
        prop_assert_eq!(list.names_twice().collect::<Vec<_>>(), twice(&cases));
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
    fn terms_are_those_of_the_first_case_of_the_source(cases in prop::collection::vec(any_case(), 0..20), case in any_case()) {
        let list: CaseList = cases.iter().cloned().collect();
        let known = cases.iter().find(|known| known.source == case.source);
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
