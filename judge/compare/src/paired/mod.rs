//! Two solvers on the same cases: one effect for each case, or for cases that count together, and the inference from all
//! of them.
//!
//! ```text
//! rule ─ EffectMeasure::of_rule ─▶ EffectMeasure ─ PairedComparison::of ─▶ effects, and which side the rule is on
//! PairedComparison ─ infer_fixed | infer_interim, infer_sequential ─▶ Inference: estimate, interval, claim
//! outcomes, case by case ─ GrowingComparison::add ─▶ the same claim, without going through all cases again
//! PairedComparison ─ by_feature ─▶ the same for the cases of each range of a feature
//! ```

mod comparison;
mod contrast;
mod effect_units;
mod feature_range;
mod growing;
mod hypothesis;
mod inference;
mod measure;
mod rule_effect;
mod scored_outcomes;
mod sequential;
mod terms;
#[cfg(test)]
mod tests;

pub use comparison::{Failures, Pair, PairedComparison};
pub use contrast::Contrast;
pub use effect_units::EffectUnits;
pub use feature_range::{FeatureRange, FeatureValue, by_feature};
pub use growing::GrowingComparison;
pub use hypothesis::{EffectLevel, InvalidLevel, UnsuitedHypotheses, check_hypotheses};
pub use inference::{Claim, Inference, InferenceError, Interim, TestParameters, infer_fixed};
pub use measure::{EffectMeasure, MinEffect, UnsuitedMinEffect};
pub use rule_effect::RuleEffect;
pub use scored_outcomes::{PointSigns, ScoredOutcomes};
pub use sequential::{Look, infer_interim, infer_sequential, interim_claim, looks};
