//! Two solvers on the same cases: one effect for each case, and the inference from all of them.
//!
//! ```text
//! rule ─ EffectMeasure::of_rule ─▶ EffectMeasure ─ PairedComparison::of ─▶ effects, and which side the rule is on
//! PairedComparison ─ infer_fixed | infer_interim, infer_sequential ─▶ Inference: estimate, interval, claim
//! PairedComparison ─ by_feature ─▶ the same for the cases of each range of a feature
//! ```

mod comparison;
mod contrast;
mod feature_range;
mod inference;
mod measure;
mod rule_effect;
mod scored_outcomes;
#[cfg(test)]
mod tests;

pub use comparison::{Failures, Pair, PairedComparison};
pub use contrast::Contrast;
pub use feature_range::{FeatureRange, FeatureValue, by_feature};
pub use inference::{
    Claim, Inference, InferenceError, Interim, TestParameters, infer_fixed, infer_interim, infer_sequential, is_decided,
};
pub use measure::{EffectMeasure, MinEffect, UnsuitedMinEffect};
pub use rule_effect::RuleEffect;
pub use scored_outcomes::ScoredOutcomes;
