//! Two solvers on the same cases: what they got, as one effect for each case, and what follows from all of them.
//!
//! ```text
//! outcomes ─ Yardstick::choose ─▶ Yardstick ─ Duel::of ─▶ effects, and the failures apart
//! Duel ─ judge_fixed | look, judge_growing ─▶ Ruling: estimate, interval, claim
//! Duel ─ group ─▶ the same for the cases of one kind
//! ```

mod effects;
mod group;
mod ruling;
mod yardstick;

pub use effects::{Duel, Failures, Pair, Values};
pub use group::{Described, Group, group};
pub use ruling::{Claim, Look, Ruling, Stakes, Unruled, judge_fixed, judge_growing, look};
pub use yardstick::{MinEffect, UnsuitedMinEffect, Yardstick};
