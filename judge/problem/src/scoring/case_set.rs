//! Sets of cases: a bit for each.

/// A set of cases, by their indices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseSet {
    bits: Vec<u64>,
    len: usize,
}

impl CaseSet {
    /// Returns the number of cases in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether a case is in it.
    #[must_use]
    pub fn contains(&self, case: usize) -> bool {
        self.bits.get(case / 64).is_some_and(|bits| bits >> (case % 64) & 1 == 1)
    }

    fn insert(&mut self, case: usize) {
        if self.contains(case) {
            return;
        }
        if self.bits.len() <= case / 64 {
            self.bits.resize(case / 64 + 1, 0);
        }
        self.bits[case / 64] |= 1 << (case % 64);
        self.len += 1;
    }
}

impl FromIterator<usize> for CaseSet {
    fn from_iter<T: IntoIterator<Item = usize>>(cases: T) -> Self {
        let mut set = Self::default();
        cases.into_iter().for_each(|case| set.insert(case));
        set
    }
}

impl<const COUNT: usize> From<[usize; COUNT]> for CaseSet {
    fn from(cases: [usize; COUNT]) -> Self {
        cases.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::CaseSet;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let set = CaseSet::from([64, 3, 200, 3]);
        assert_eq!((set.len(), set.is_empty()), (3, false));
        assert_eq!((0..300).filter(|&case| set.contains(case)).collect::<Vec<_>>(), [3, 64, 200]);
    }
}
