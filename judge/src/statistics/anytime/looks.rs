//! When a test that goes on until it is decided looks at the cases so far.

/// Up to this many cases there is a look after each; then their number stays about the same for twice as many cases.
const LOOKS: usize = 512;

/// Returns whether there is a look after this many cases. There might be one after each: but with many cases a look
/// takes time, and two more cases are little beside them.
#[must_use]
pub fn is_looked_at(cases: usize) -> bool {
    cases.is_multiple_of(cases / LOOKS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_rarer_as_fast_as_cases_double() {
        assert!((1..LOOKS).all(is_looked_at));
        let looks = [1_024..2_048, 8_192..16_384].map(|cases| cases.filter(|&cases| is_looked_at(cases)).count());
        assert!(looks.iter().all(|count| (290..=400).contains(count)), "{looks:?}");
    }
}
