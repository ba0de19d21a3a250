//! The points of tests and groups.

use super::element::Element;
use super::tests::Test;
use crate::error::ImportError;
use crate::text::Text;
use std::collections::BTreeMap;

/// A group of tests.
#[derive(Debug, Default)]
struct Group {
    points: Option<f64>,
    is_whole: bool,
    depends_on: Vec<String>,
}

/// How the tests of a package count.
#[derive(Debug)]
pub(super) struct Points {
    groups: BTreeMap<String, Group>,
    /// Whether tests or groups have points at all.
    is_scored: bool,
    /// Whether the checker's own points count as they are.
    is_raw: bool,
}

impl Points {
    pub(super) fn read(
        set: &Element<'_>,
        tests: &[Test],
        is_raw: bool,
        left: &mut Vec<String>,
    ) -> Result<Self, ImportError> {
        let mut groups = BTreeMap::new();
        let elements = set.all(&["groups", "group"]);
        let hides =
            |group: &&Element<'_>| group.attribute("feedback-policy").is_some_and(|policy| policy != "complete");
        left.extend(elements.iter().find(hides).map(|group| group.left("`feedback-policy`: all results are shown")));
        for element in elements {
            groups.insert(element.required("name")?.to_owned(), group(&element)?);
        }
        let has_points = tests.iter().any(|test| test.points.is_some()) || groups.values().any(|g| g.points.is_some());
        if !has_points && !groups.is_empty() {
            left.push(set.left("<groups>: the tests have no points, and an answer must be right on all of them"));
        }
        if has_points && is_raw {
            left.push(set.left("points of tests: the checker gives points, and they are added as they are"));
        }
        Ok(Self { groups, is_scored: has_points || is_raw, is_raw })
    }

    /// Returns what a case weighs among those of its group, or of the problem, where that is not 1.
    pub(super) fn weight(&self, test: &Test, tests: &[Test]) -> Option<f64> {
        let points = test.points.filter(|_| self.is_scored && !self.is_raw)?;
        let Some(group) = &test.group else { return (points != 1.0).then_some(points) };
        let is_whole = self.groups.get(group).is_some_and(|group| group.is_whole);
        let of_group = || tests.iter().filter(|other| other.group.as_ref() == Some(group));
        let differ = of_group().any(|other| other.points != test.points);
        (differ && !is_whole && sum(of_group()) > 0.0).then_some(points)
    }

    /// Writes the scoring rule, and the groups where there are points.
    pub(super) fn write(&self, text: &mut Text, tests: &[Test]) {
        text.table("[problem.scoring]").text("rule", if self.is_raw { "sum" } else { "exact" });
        if !self.is_scored {
            return;
        }
        let mut names: Vec<&String> = Vec::new();
        for name in tests.iter().filter_map(|test| test.group.as_ref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let unknown = Group::default();
        for name in &names {
            let group = self.groups.get(*name).unwrap_or(&unknown);
            let members: Vec<&Test> = tests.iter().filter(|test| test.group.as_ref() == Some(name)).collect();
            text.table("[[problem.group]]").text("name", name);
            let patterns: Vec<_> = members.iter().map(|test| glob::Pattern::escape(&test.name)).collect();
            text.texts("cases", &patterns);
            if !self.is_raw {
                text.plain(
                    "weight",
                    group.points.filter(|_| group.is_whole).unwrap_or_else(|| sum(members.into_iter())),
                );
            }
            if group.is_whole {
                text.text("aggregate", "all-or-nothing");
            }
            let known: Vec<_> = group.depends_on.iter().filter(|needed| names.contains(needed)).cloned().collect();
            if !known.is_empty() {
                text.texts("depends-on", &known);
            }
        }
    }
}

fn group(element: &Element<'_>) -> Result<Group, ImportError> {
    let is_whole = match element.attribute("points-policy") {
        Some("complete-group") => true,
        Some("each-test") | None => false,
        Some(other) => {
            let expected = "`complete-group` or `each-test`";
            return Err(element.bad(format!("bad `points-policy`: `{other}`"), expected));
        }
    };
    let depends_on = element.all(&["dependencies", "dependency"]);
    let depends_on = depends_on.iter().map(|needed| needed.required("group").map(str::to_owned));
    Ok(Group { points: element.number("points")?, is_whole, depends_on: depends_on.collect::<Result<_, _>>()? })
}

fn sum<'a>(tests: impl Iterator<Item = &'a Test>) -> f64 {
    tests.filter_map(|test| test.points).sum()
}
