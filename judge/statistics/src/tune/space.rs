//! The settings that a search can try: the parameters together, and their default values.

use super::parameter::{Domain, Parameter, ParameterCondition};
use crate::random::{Random, reflected};
use std::collections::BTreeSet;

/// The parameters of a search.
#[derive(Debug, Clone)]
pub struct Space {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The default setting.
    pub default_setting: ParameterSetting,
    /// Which parameters are categories.
    pub(super) categories: Vec<bool>,
}

/// A value for each parameter, as text for the command line, in the order of the parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSetting {
    /// The values.
    pub values: Vec<String>,
}

impl ParameterSetting {
    /// Returns the setting in words, such as `t=0.5 n=3`.
    pub fn words(&self, parameters: &[Parameter]) -> String {
        let pairs = parameters.iter().zip(&self.values).map(|(parameter, value)| format!("{}={value}", parameter.name));
        pairs.collect::<Vec<_>>().join(" ")
    }
}

/// Why parameters do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSpace(String);

impl Space {
    /// Combines parameters. A parameter without a given default gets the first category or the middle of its range.
    ///
    /// # Errors
    /// If a name occurs twice, or a condition or a default does not fit.
    pub fn new(parameters: Vec<Parameter>, defaults: &[(String, String)]) -> Result<Self, InvalidSpace> {
        for (place, parameter) in parameters.iter().enumerate() {
            check(parameter, &parameters[..place])?;
        }
        let mut values: Vec<String> = parameters.iter().map(|parameter| parameter.domain.middle()).collect();
        for (name, value) in defaults {
            let place = parameters.iter().position(|parameter| parameter.name == *name);
            let place =
                place.ok_or_else(|| InvalidSpace(format!("the default `{name}` does not belong to any parameter")))?;
            let domain = &parameters[place].domain;
            if domain.share(value).is_none() {
                return Err(InvalidSpace(format!("the default {name}={value} is not in {name}={domain}")));
            }
            values[place].clone_from(value);
        }
        let categories = parameters.iter().map(|parameter| parameter.domain.is_category()).collect();
        Ok(Self { parameters, default_setting: ParameterSetting { values }, categories })
    }

    /// Returns the setting at a point. A parameter without an effect has its default value.
    pub(super) fn setting(&self, point: &[f64]) -> ParameterSetting {
        let mut values: Vec<String> = Vec::with_capacity(point.len());
        for (place, parameter) in self.parameters.iter().enumerate() {
            let is_active = parameter.condition.as_ref().is_none_or(|condition| {
                let category = self.parameters[..place].iter().position(|other| other.name == condition.name);
                category.is_some_and(|category| condition.values.contains(&values[category]))
            });
            let value =
                if is_active { parameter.domain.at(point[place]) } else { self.default_setting.values[place].clone() };
            values.push(value);
        }
        ParameterSetting { values }
    }

    /// Returns the point of a setting: equal settings have equal points.
    pub(super) fn point(&self, setting: &ParameterSetting) -> Vec<f64> {
        let pairs = self.parameters.iter().zip(&setting.values);
        pairs.map(|(parameter, value)| parameter.domain.share(value).unwrap_or(0.5)).collect()
    }

    /// Returns every setting, if there are at most this many values together.
    pub(super) fn settings(&self, most: usize) -> Option<Vec<ParameterSetting>> {
        let counts: Vec<usize> =
            self.parameters.iter().map(|parameter| parameter.domain.count()).collect::<Option<_>>()?;
        let all = counts.iter().try_fold(1_usize, |all, count| all.checked_mul(*count)).filter(|all| *all <= most)?;
        let mut settings = BTreeSet::new();
        for number in 0..all {
            let mut rest = number;
            let mut point = Vec::new();
            for (parameter, count) in self.parameters.iter().zip(&counts) {
                point.push(parameter.domain.share_of(rest % count));
                rest /= count;
            }
            settings.insert(self.setting(&point).values);
        }
        Some(settings.into_iter().map(|values| ParameterSetting { values }).collect())
    }

    /// Returns whether two points have the same categories.
    pub(super) fn has_categories(&self, point: &[f64], corner: &[f64]) -> bool {
        let pairs = self.parameters.iter().zip(point.iter().zip(corner));
        pairs
            .filter(|(parameter, _)| parameter.domain.is_category())
            .all(|(parameter, (left, right))| parameter.domain.at(*left) == parameter.domain.at(*right))
    }

    /// Gives a point the categories of another one.
    pub(super) fn set_categories(&self, point: &mut [f64], corner: &[f64]) {
        for (place, &is_category) in self.categories.iter().enumerate() {
            if is_category {
                point[place] = corner[place];
            }
        }
    }

    /// Returns a random point of the whole space.
    pub(super) fn anywhere(&self, random: &mut Random) -> Vec<f64> {
        self.parameters.iter().map(|_| random.unit()).collect()
    }

    /// Returns a point near another: at least one parameter moves, each by a normal step of this spread. A category
    /// changes with the probability of the spread.
    pub(super) fn near(&self, point: &[f64], spread: f64, random: &mut Random) -> Vec<f64> {
        let certain = random.below(point.len());
        let share = (2.0 / point.len() as f64).max(0.5);
        let mut moved = point.to_vec();
        for (place, value) in moved.iter_mut().enumerate() {
            if place != certain && random.unit() > share {
                continue;
            }
            if self.categories[place] {
                if place == certain || random.unit() < spread {
                    *value = random.unit();
                }
            } else {
                *value = reflected(*value + spread * random.normal());
            }
        }
        moved
    }

    /// Returns `count` points as a Latin hypercube: every parameter takes one value from each of `count` equal parts of
    /// its domain, in an order shuffled for each.
    pub(super) fn spread_evenly(&self, count: usize, random: &mut Random) -> Vec<Vec<f64>> {
        let columns: Vec<Vec<f64>> = self.parameters.iter().map(|_| column(count, random)).collect();
        (0..count).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }
}

fn check(parameter: &Parameter, before: &[Parameter]) -> Result<(), InvalidSpace> {
    let own = &parameter.name;
    if before.iter().any(|other| other.name == *own) {
        return Err(InvalidSpace(format!("the parameter `{own}` is given twice")));
    }
    let Some(ParameterCondition { name, values: needed }) = &parameter.condition else { return Ok(()) };
    let category = before.iter().find(|other| other.name == *name).map(|other| &other.domain);
    let names = format!("the condition of `{own}` names `{name}");
    let Some(Domain::Categories(values)) = category else {
        return Err(InvalidSpace(format!("{names}`, which is not a category before it")));
    };
    match needed.iter().find(|value| !values.contains(value)) {
        Some(value) => {
            let values = values.join(", ");
            Err(InvalidSpace(format!("{names}={value}`, and `{name}` has the values {values}")))
        }
        None => Ok(()),
    }
}

fn column(count: usize, random: &mut Random) -> Vec<f64> {
    let mut shares: Vec<f64> = (0..count).map(|part| (part as f64 + random.unit()) / count as f64).collect();
    // Fisher and Yates' shuffle.
    for last in (1..count).rev() {
        shares.swap(last, random.below(last + 1));
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(texts: &[&str]) -> Vec<Parameter> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn space(texts: &[&str], defaults: &[(&str, &str)]) -> Result<Space, InvalidSpace> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Space::new(parameters(texts), &defaults.iter().map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_parameter_without_an_effect_has_its_default() {
        let space = space(&["k=greedy,beam", "w=1..9:int if k=beam"], &[("w", "3")]).unwrap();
        assert_eq!(space.setting(&[0.9, 0.99]).values, ["beam", "9"]);
        assert_eq!(space.setting(&[0.1, 0.99]).values, ["greedy", "3"]);
        assert_eq!(space.point(&space.setting(&[0.1, 0.99])), space.point(&space.setting(&[0.2, 0.0])));
        assert_eq!(space.default_setting.words(&space.parameters), "k=greedy w=3");
        // Nine with a beam and one without, of eighteen combinations.
        assert_eq!(space.settings(18).unwrap().len(), 10);
        assert!(space.settings(17).is_none());
    }

    #[test]
    fn what_does_not_fit_together_says_why() {
        let error = |texts: &[&str], defaults: &[(&str, &str)]| space(texts, defaults).unwrap_err().to_string();
        assert_eq!(error(&["t=0..1", "t=0..2"], &[]), "the parameter `t` is given twice");
        let late = error(&["w=1..9 if k=b", "k=a,b"], &[]);
        assert_eq!(late, "the condition of `w` names `k`, which is not a category before it");
        let value = error(&["k=a,b", "w=1..9 if k=b|c"], &[]);
        assert_eq!(value, "the condition of `w` names `k=c`, and `k` has the values a, b");
        assert_eq!(error(&["t=0..1"], &[("x", "1")]), "the default `x` does not belong to any parameter");
        assert_eq!(error(&["t=0..1"], &[("t", "2")]), "the default t=2 is not in t=0..1");
    }

    #[test]
    fn every_part_of_every_range_is_tried_once() {
        let space = space(&["a=0..8", "b=1..8:int"], &[]).unwrap();
        let points = space.spread_evenly(8, &mut Random::new(5));
        for place in 0..2 {
            let mut parts: Vec<usize> = points.iter().map(|point| (point[place] * 8.0) as usize).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..8).collect::<Vec<_>>());
        }
        assert_eq!(space.spread_evenly(8, &mut Random::new(5)), points);
        assert_ne!(space.spread_evenly(8, &mut Random::new(6)), points);
    }

    #[test]
    fn steps_stay_in_the_domain_and_move() {
        let space = space(&["a=0..8", "k=x,y,z"], &[]).unwrap();
        let mut random = Random::new(2);
        for _ in 0..1_000 {
            let near = space.near(&[0.98, 0.5], 0.3, &mut random);
            assert!(near.iter().all(|share| (0.0..=1.0).contains(share)) && near != [0.98, 0.5]);
        }
    }
}
