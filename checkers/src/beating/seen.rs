//! Tells which strips of a layer were found before.

use super::packed::{LONGEST, PUSHED_RIGHT, Strip, TILE_BITS};

/// The strips of one layer: a hash table that is emptied by raising a number. A game asks it a hundred thousand times.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Strips with the number of their layer between [`Seen::STAMP`] and the highest bit; others are as good as empty.
    slots: Vec<u64>,
    layer: u64,
}

impl Seen {
    /// Where the number of a layer stands, above all tiles. A move adds 2 or 4 to tiles of at most 1,024: there are
    /// fewer than 2^13 layers.
    const STAMP: usize = TILE_BITS * (LONGEST + 1);

    /// The bits of the number of a layer.
    const STAMP_BITS: u64 = !PUSHED_RIGHT >> Self::STAMP << Self::STAMP;

    /// Empties the table, and makes room for this many strips.
    pub(super) fn forget(&mut self, strips: usize) {
        self.layer += 1 << Self::STAMP;
        // A quarter full at most, so that few strips meet.
        let slots = (4 * strips).next_power_of_two();
        if self.slots.len() < slots {
            self.slots = vec![0; slots];
        }
    }

    /// Adds a strip and returns whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, strip: Strip) -> bool {
        /// 2^64 divided by the golden ratio.
        const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
        let stamped = strip | self.layer;
        let last = self.slots.len() - 1;
        // The highest bits of the product, as many as the number of a slot has, depend on all bits of the strip.
        let mut slot = (strip.wrapping_mul(SCATTER) >> (last as u64).leading_zeros()) as usize;
        while self.slots[slot] & Self::STAMP_BITS == self.layer {
            if self.slots[slot] == stamped {
                return false;
            }
            slot = (slot + 1) & last;
        }
        self.slots[slot] = stamped;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_layer_starts_empty_and_keeps_what_is_inserted() {
        let mut seen = Seen::default();
        let mut random = 1u64;
        for layer in 0..300 {
            let strips = layer % 40 * 5 + 1;
            seen.forget(strips);
            let mut expected = HashSet::new();
            for _ in 0..strips {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Few different strips, spread over all bits that a strip can have.
                let strip = ((random >> 60) * 0x11_1111_1111) >> 4 | random & PUSHED_RIGHT;
                assert_eq!(seen.insert(strip), expected.insert(strip), "layer {layer}");
            }
        }
    }
}
