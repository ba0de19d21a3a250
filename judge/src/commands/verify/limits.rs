//! Whether the time limit leaves room, and whether the test groups fit the cases.

use super::expectations::Slowest;
use super::subject::{Subject, finding};
use judge_problem::{TestGroup, Time, counted};
use judge_report::{CheckResult, Finding};
use num_rational::BigRational;
use num_traits::One;
use std::time::Duration;

/// A limit below this many times the time that was measured is a lottery on another machine.
const FACTOR: f64 = 2.0;

/// Compares the time limit with the slowest solver that is expected to be accepted.
pub(super) fn time_limit(subject: &Subject<'_>, slowest: &Slowest) -> Finding {
    let Slowest { solver, case, cpu, limit, command } = slowest;
    let factor = limit.as_secs_f64() / cpu.as_secs_f64().max(0.001);
    let measured = format!("{} ms of {} ms by {solver} on {case}", cpu.as_millis(), limit.as_millis());
    if factor >= FACTOR {
        let detail = format!("{measured}, a factor of {factor:.1}");
        return finding("time limit", CheckResult::Ok, detail, command.clone());
    }
    let own = subject.problem.limits.cpu.0;
    // The limit of a language is a multiple of the problem's.
    let share = own.as_secs_f64() / limit.as_secs_f64();
    let suggested = Time(rounded_up(cpu.mul_f64(FACTOR * share)));
    let detail = format!("{measured}, a factor of only {factor:.1}: `cpu = \"{suggested}\"` would be twice as much");
    finding("time limit", CheckResult::Warning, detail, command.clone())
}

/// Rounds up to a tenth of a second, and above ten seconds to a second.
fn rounded_up(time: Duration) -> Duration {
    let step = if time > Duration::from_secs(10) { 1000 } else { 100 };
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX - step).div_ceil(step) * step)
}

/// Checks that every group has cases, no case is in two, and the weights add up.
pub(super) fn groups(subject: &Subject<'_>) -> Option<Finding> {
    let groups = &subject.problem.test_groups;
    let show = subject.show();
    if groups.is_empty() {
        return None;
    }
    let failed = |detail: String| Some(finding("groups", CheckResult::Failed, detail, subject.show()));
    let members = |group: &TestGroup| subject.cases.iter().filter(|case| group.members.have(case)).count();
    if let Some(empty) = groups.iter().find(|group| members(group) == 0) {
        return failed(format!("the group `{}` has no case: {}", empty.name, empty.members));
    }
    let of_case = |case| groups.iter().filter(move |group| group.members.have(case));
    if let Some(case) = subject.cases.iter().find(|case| of_case(case).count() > 1) {
        let names: Vec<&str> = of_case(case).map(|group| &*group.name).collect();
        return failed(format!("the case `{}` is in several groups: {}", case.name, names.join(", ")));
    }
    let warning = |detail: String| Some(finding("groups", CheckResult::Warning, detail, subject.show()));
    if let Some(case) = subject.cases.iter().find(|case| of_case(case).next().is_none()) {
        return warning(format!("the case `{}` is in no group", case.name));
    }
    let weights: Option<Vec<&BigRational>> = groups.iter().map(|group| Some(group.weight.as_ref()?.value())).collect();
    let sum: Option<BigRational> = weights.map(|weights| weights.into_iter().sum());
    let hundred = BigRational::from_integer(100.into());
    match sum {
        Some(sum) if sum != hundred && !sum.is_one() => {
            warning(format!("the weights of the groups add up to {sum}, neither 100 nor 1"))
        }
        Some(sum) => {
            let detail = format!("{} with weights of {sum} together", counted(groups.len(), "group"));
            Some(finding("groups", CheckResult::Ok, detail, show))
        }
        None => Some(finding("groups", CheckResult::Ok, counted(groups.len(), "group"), show)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_limits_are_round() {
        let rounded = |ms| rounded_up(Duration::from_millis(ms)).as_millis();
        assert_eq!([1, 100, 101, 9_950, 10_001, 12_000].map(rounded), [100, 100, 200, 10_000, 11_000, 12_000]);
    }
}
