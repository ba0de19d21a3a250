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
mod inference;
mod measure;
mod sequential;

pub use comparison::{Contrast, Failures, Pair, PairedComparison, RuleEffect};
pub use inference::{
    Claim, EffectLevel, FeatureRange, FeatureValue, Inference, InferenceError, TestParameters, by_feature,
    check_hypotheses, infer_fixed,
};
pub use measure::{EffectMeasure, EffectUnits, MinEffect, PointSigns, ScoredOutcomes, signed_decimals};
pub use sequential::{GrowingComparison, Look, infer_interim, infer_sequential, interim_claim, looks};
