//! The shard that this process plays: the given one, or the one from the engine of this task.

use judge_cli::{ShardArg, TaskIds};
use judge_journal::{CasePlaces, Part, Reference};
use judge_problem::{Features, Plan, Shard};
use judge_session::{Failure, Result};
use std::sync::Arc;

/// A program that starts one command as many tasks, with the variables that it sets for each task.
struct Engine {
    name: &'static str,
    /// The variable with the id of the task.
    id: &'static str,
    /// The ids of all tasks, as the engine describes them.
    ids: Ids,
}

enum Ids {
    /// The variables of the first one, the last one and the step; without the first, it is 1.
    Range(Option<&'static str>, &'static str, &'static str),
    /// They begin here; the variable with their number, if there is one.
    From(u32, Option<&'static str>),
}

static ENGINES: [Engine; 10] = [
    Engine {
        name: "Slurm",
        id: "SLURM_ARRAY_TASK_ID",
        ids: Ids::Range(Some("SLURM_ARRAY_TASK_MIN"), "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"),
    },
    Engine { name: "Kubernetes", id: "JOB_COMPLETION_INDEX", ids: Ids::From(0, None) },
    Engine { name: "AWS Batch", id: "AWS_BATCH_JOB_ARRAY_INDEX", ids: Ids::From(0, Some("AWS_BATCH_JOB_ARRAY_SIZE")) },
    Engine { name: "PBS", id: "PBS_ARRAY_INDEX", ids: Ids::From(1, None) },
    Engine { name: "PBS", id: "PBS_ARRAYID", ids: Ids::From(1, None) },
    Engine {
        name: "Grid Engine",
        id: "SGE_TASK_ID",
        ids: Ids::Range(Some("SGE_TASK_FIRST"), "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"),
    },
    Engine { name: "LSF", id: "LSB_JOBINDEX", ids: Ids::Range(None, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP") },
    Engine { name: "GitLab", id: "CI_NODE_INDEX", ids: Ids::From(1, Some("CI_NODE_TOTAL")) },
    Engine { name: "CircleCI", id: "CIRCLE_NODE_INDEX", ids: Ids::From(0, Some("CIRCLE_NODE_TOTAL")) },
    Engine { name: "Buildkite", id: "BUILDKITE_PARALLEL_JOB", ids: Ids::From(0, Some("BUILDKITE_PARALLEL_JOB_COUNT")) },
];

/// Returns the shard of this process, and notes how it was found.
pub(super) fn shard(arg: ShardArg) -> Result<Shard> {
    match arg {
        ShardArg::Fixed(shard) => Ok(shard),
        ShardArg::Auto(ids) => {
            let (shard, read) = of_engine(ids, &|name| std::env::var(name).ok())?;
            judge_report::note(&format!("shard {shard}: {read}"));
            Ok(shard)
        }
    }
}

/// Returns the shard of this task, and the data read from its engine.
fn of_engine(given: TaskIds, variable: &dyn Fn(&str) -> Option<String>) -> Result<(Shard, String)> {
    let engine = engine(variable)?;
    let number = |name: &str| -> Result<Option<u32>> {
        let Some(text) = variable(name).filter(|text| !text.is_empty() && text != "undefined") else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Failure::usage(format!("{name} is `{text}`: expected a number")))
    };
    let id = number(engine.id)?.unwrap_or_default();
    let read = format!("{} says {}={id}", engine.name, engine.id);
    let uncounted = || {
        Failure::usage(format!("{read}, but not how many tasks there are"))
            .with_hint("say it: --shard auto/16, or the ids of the tasks as in --shard auto/0-15")
    };
    let (first, last, step) = range(given, &engine.ids, &number)?.ok_or_else(uncounted)?;
    let steps = if step == 1 { String::new() } else { format!(" in steps of {step}") };
    let all = format!("of the ids {first} to {last}{steps}");
    let shard = placed(id, first, last, step).ok_or_else(|| {
        let ids = format!("{id}-{}", id.saturating_add(last.saturating_sub(first)));
        Failure::usage(format!("{read}, which is not one {all}"))
            .with_hint(format!("say which ids the tasks have: --shard auto/{ids}"))
    })?;
    let said = if engine.name == "Slurm" { number("SLURM_ARRAY_TASK_COUNT")? } else { None };
    match (given, said) {
        (TaskIds::Unknown, Some(count)) if count != shard.count() => {
            let error = format!("{read}, {all}, but of {count} tasks: the ids have gaps");
            Err(Failure::usage(error)
                .with_hint(format!("submit with --array=0-{}, or give --shard K/N", count.saturating_sub(1))))
        }
        (TaskIds::Count(count), _) if count.get() != shard.count() => {
            let error = format!("{read}, {all}, which are {} tasks and not {count}", shard.count());
            Err(Failure::usage(error).with_hint("--shard auto takes what the engine says"))
        }
        _ => Ok((shard, format!("{read}, {all}"))),
    }
}

/// Returns the engine that has started this task.
fn engine(variable: &dyn Fn(&str) -> Option<String>) -> Result<&'static Engine> {
    // Outside of arrays, Grid Engine says `undefined`, and LSF 0.
    let is_set = |engine: &&Engine| {
        variable(engine.id).is_some_and(|id| !id.is_empty() && id != "undefined" && (engine.name != "LSF" || id != "0"))
    };
    let found: Vec<&Engine> = ENGINES.iter().filter(is_set).collect();
    let names = |engines: &[&Engine], between| engines.iter().map(|engine| engine.id).collect::<Vec<_>>().join(between);
    let error = match &found[..] {
        [engine] => return Ok(engine),
        [] => {
            let all: Vec<&Engine> = ENGINES.iter().collect();
            format!("--shard auto found no task of an engine: none of {} is set", names(&all, ", "))
        }
        several => format!("--shard auto found tasks of several engines: {} are set", names(several, " and ")),
    };
    Err(Failure::usage(error).with_hint("give the shard: --shard 1/16"))
}

/// Returns the first and the last id of the tasks, and the step between them; `None` if their number is unknown.
fn range(given: TaskIds, ids: &Ids, number: &dyn Fn(&str) -> Result<Option<u32>>) -> Result<Option<(u32, u32, u32)>> {
    let counted =
        |first: u32, count: u32, step: u32| (first, first.saturating_add((count - 1).saturating_mul(step)), step);
    Ok(match (given, ids) {
        (TaskIds::Range(first, last, step), _) => Some((first, last, step.get())),
        (TaskIds::Count(count), Ids::From(first, _)) => Some(counted(*first, count.get(), 1)),
        (TaskIds::Unknown, Ids::From(first, total)) => {
            let total = total.map_or(Ok(None), number)?.filter(|total| *total > 0);
            total.map(|total| counted(*first, total, 1))
        }
        (given, Ids::Range(first, last, step)) => {
            let first = first.map_or(Ok(Some(1)), number)?;
            let step = number(step)?.filter(|step| *step > 0).unwrap_or(1);
            match (given, first, number(last)?) {
                (_, Some(first), Some(last)) => Some((first, last, step)),
                (TaskIds::Count(count), first, _) => Some(counted(first.unwrap_or(1), count.get(), step)),
                _ => None,
            }
        }
    })
}

/// Returns the shard of a task among the ids from `first` to `last`.
fn placed(id: u32, first: u32, last: u32, step: u32) -> Option<Shard> {
    let offset = id.checked_sub(first).filter(|offset| id <= last && offset % step == 0)?;
    let count = (last.checked_sub(first)? / step).checked_add(1)?;
    Shard::new(offset / step + 1, count).ok()
}

/// A plan, and the shard of it that this process plays.
pub(super) struct Sharded {
    /// The plan of all shards, which is recorded.
    pub whole: Plan,
    part: Option<(Plan, Vec<usize>)>,
}

impl Sharded {
    /// Returns the part of a plan that a shard plays: all of it without one.
    pub(super) fn of(whole: Plan, shard: Option<Shard>) -> Self {
        let part = shard.map(|shard| {
            let (plan, places) = whole.shard(shard);
            judge_report::note(&format!("shard {shard} has {} of {} cases", plan.cases.len(), whole.cases.len()));
            (plan, places)
        });
        Self { whole, part }
    }

    /// Returns the plan to play.
    pub(super) fn plan(&self) -> &Plan {
        self.part.as_ref().map_or(&self.whole, |(plan, _)| plan)
    }

    /// Returns the part of the recorded run that is played; `None` for the whole run. The record covers the whole plan.
    pub(super) fn part(&self) -> Option<Part> {
        let (_, places) = self.part.as_ref()?;
        Some(Part { cases: CasePlaces::At(places.clone()), ..Part::whole(&self.whole) })
    }

    /// Scores the shard relative to the same scores as its run had at its start.
    pub(super) fn freeze(&mut self, reference: &Reference) {
        let Plan { problem, cases, .. } = &mut self.whole;
        reference.apply(problem, cases);
        if let Some((part, places)) = &mut self.part {
            part.problem.best = problem.best.clone();
            part.cases = places.iter().map(|&place| cases.at(place)).collect();
            part.cases.share_read_files(cases);
        }
    }

    /// Returns the features of the cases that are played.
    pub(super) fn features(&self, mut all: Vec<Option<Arc<Features>>>) -> Vec<Option<Arc<Features>>> {
        match &self.part {
            Some((_, places)) => places.iter().map(|place| all[*place].take()).collect(),
            None => all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_report::Style;

    fn found(given: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let ShardArg::Auto(ids) = given.parse().unwrap() else { panic!("{given} is no auto") };
        let value =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        of_engine(ids, &value).map(|(shard, _)| shard.to_string()).map_err(|failure| failure.render(Style::PLAIN))
    }

    fn shard(given: &str, variables: &[(&str, &str)]) -> String {
        found(given, variables).unwrap()
    }

    fn slurm<'a>(id: &'a str, min: &'a str, max: &'a str, step: &'a str, count: &'a str) -> [(&'a str, &'a str); 5] {
        [
            ("SLURM_ARRAY_TASK_ID", id),
            ("SLURM_ARRAY_TASK_MIN", min),
            ("SLURM_ARRAY_TASK_MAX", max),
            ("SLURM_ARRAY_TASK_STEP", step),
            ("SLURM_ARRAY_TASK_COUNT", count),
        ]
    }

    #[test]
    fn every_engine_is_read() {
        assert_eq!(shard("auto", &slurm("0", "0", "15", "1", "16")), "1/16");
        assert_eq!(shard("auto", &slurm("12", "10", "25", "1", "16")), "3/16");
        assert_eq!(shard("auto", &slurm("9", "1", "13", "4", "4")), "3/4");
        let sge = [("SGE_TASK_ID", "5"), ("SGE_TASK_FIRST", "1"), ("SGE_TASK_LAST", "9"), ("SGE_TASK_STEPSIZE", "2")];
        assert_eq!(shard("auto", &sge), "3/5");
        let lsf = [("LSB_JOBINDEX", "3"), ("LSB_JOBINDEX_END", "16"), ("LSB_JOBINDEX_STEP", "1")];
        assert_eq!(shard("auto", &lsf), "3/16");
        assert_eq!(shard("auto/16", &[("JOB_COMPLETION_INDEX", "0")]), "1/16");
        assert_eq!(shard("auto/16", &[("PBS_ARRAY_INDEX", "16")]), "16/16");
        assert_eq!(shard("auto/0-15", &[("PBS_ARRAY_INDEX", "0")]), "1/16");
        assert_eq!(shard("auto/10-40:10", &[("PBS_ARRAYID", "30")]), "3/4");
        assert_eq!(shard("auto/16", &[("AWS_BATCH_JOB_ARRAY_INDEX", "15")]), "16/16");
        let batch = [("AWS_BATCH_JOB_ARRAY_INDEX", "2"), ("AWS_BATCH_JOB_ARRAY_SIZE", "16")];
        assert_eq!(shard("auto", &batch), "3/16");
        assert_eq!(shard("auto", &[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "4")]), "3/4");
        assert_eq!(shard("auto", &[("CIRCLE_NODE_INDEX", "3"), ("CIRCLE_NODE_TOTAL", "4")]), "4/4");
        let outside =
            [("SGE_TASK_ID", "undefined"), ("LSB_JOBINDEX", "0"), ("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "1")];
        assert_eq!(shard("auto", &outside), "1/1");
    }

    #[test]
    fn what_an_engine_does_not_say_is_asked_for() {
        let error = |given: &str, variables: &[(&str, &str)]| found(given, variables).unwrap_err();
        assert_eq!(
            error("auto", &[("JOB_COMPLETION_INDEX", "3")]),
            "error: Kubernetes says JOB_COMPLETION_INDEX=3, but not how many tasks there are\n\
             hint: say it: --shard auto/16, or the ids of the tasks as in --shard auto/0-15"
        );
        assert!(error("auto", &[]).starts_with("error: --shard auto found no task of an engine: none of SLURM_ARRAY"));
        let both = [("JOB_COMPLETION_INDEX", "3"), ("CI_NODE_INDEX", "3")];
        assert!(error("auto", &both).contains("JOB_COMPLETION_INDEX and CI_NODE_INDEX are set"));
        assert!(error("auto/16", &[("PBS_ARRAY_INDEX", "0")]).contains("which is not one of the ids 1 to 16"));
        assert!(error("auto/16", &[("JOB_COMPLETION_INDEX", "x")]).contains("JOB_COMPLETION_INDEX is `x`"));
        assert!(error("auto", &slurm("5", "1", "7", "1", "3")).contains("the ids have gaps"));
        assert!(error("auto/0-4294967295", &[("PBS_ARRAY_INDEX", "0")]).starts_with("error: "));
        assert!(error("auto/8", &slurm("5", "0", "15", "1", "16")).contains("16 tasks and not 8"));
    }
}
