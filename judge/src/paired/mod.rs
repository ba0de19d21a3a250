//! Two solvers on the same cases: one effect for each case, and the inference from all of them.
//!
//! ```text
//! outcomes ─ EffectMeasure::suited_to ─▶ EffectMeasure ─ PairedComparison::of ─▶ effects, and the failures apart
//! PairedComparison ─ infer_fixed | infer_interim, infer_sequential ─▶ Inference: estimate, interval, claim
//! PairedComparison ─ by_feature ─▶ the same for the cases of each range of a feature
//! ```

mod comparison;
mod feature_range;
mod inference;
mod measure;

pub use comparison::{EffectSource, Failures, Pair, PairedComparison};
pub use feature_range::{FeatureRange, FeatureValue, by_feature};
pub use inference::{
    Claim, Inference, InferenceError, Interim, TestParameters, infer_fixed, infer_interim, infer_sequential,
};
pub use measure::{EffectMeasure, MinEffect, UnsuitedMinEffect};
