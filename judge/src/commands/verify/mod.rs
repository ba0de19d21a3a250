//! `judge verify`: checks problems for their authors.

mod expectations;
mod fuzz;
mod mutate;
mod programs;

use expectations::{Played, Slowest};
use fuzz::Fuzz;
use judge_cli::{ConditionArgs, LimitArgs, RunningArgs, VerifyArgs};
use judge_problem::{CaseFlags, CaseSource, CaseSpec, Catalogue, Exit, Problem, TestGroup, Time, counted, quote};
use judge_report::{CheckResult, Finding, VerifiedProblem, VerifyReport};
use judge_run::cases::{Selection, select};
use judge_run::runner::was_interrupted;
use judge_sandbox::Sandbox;
use judge_session::programs::{Programs, compile};
use judge_session::{Failure, GlobalArgs, MatchRunner, Result, load, outputs, sandbox};
use num_rational::BigRational;
use num_traits::One;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Checks the problems that are named, or all of the catalogue.
pub(super) fn verify(global: GlobalArgs<'_>, args: &VerifyArgs) -> Result<Exit> {
    let mut catalogue = load::catalogue(global)?;
    let mut ids = match &*args.ids {
        [] => catalogue.problems.iter().map(|problem| problem.id.clone()).collect(),
        ids => ids.to_vec(),
    };
    let mut known = HashSet::new();
    ids.retain(|id| known.insert(id.clone()));
    for id in &ids {
        catalogue.find(id)?;
    }
    outputs::probe("the JSON report", args.json.as_deref())?;
    let sandbox = sandbox::open(&args.sandbox)?;
    let compiled = ids.iter().map(|id| compiled(&mut catalogue, id)).collect::<Result<Vec<_>, _>>()?;
    let fuzz = args.fuzz.map(|Time(time)| Fuzz {
        time: time / u32::try_from(ids.len().max(1)).unwrap_or(u32::MAX),
        seed: args.seed,
        second: args.second.as_deref(),
        folder: args.save.clone().unwrap_or_else(|| catalogue.folder.join(FAULTS)),
    });
    let problems = ids.iter().map(|id| catalogue.find(id)).collect::<Result<Vec<_>, _>>()?;
    fuzz.as_ref().map_or(Ok(()), |fuzz| fuzz.check(&problems))?;
    let verifier = Verifier { catalogue: &catalogue, file: global.catalogue, running: running(args), sandbox, fuzz };
    let each = ids.iter().zip(&compiled).map(|(id, compiled)| match compiled {
        Ok(_) => verifier.verify(catalogue.find(id)?),
        Err(failure) => Ok(not_compiled(id, global.catalogue, failure)),
    });
    let verified = each.collect::<Result<Vec<_>>>()?;
    drop(compiled);
    let has = |result| judge_report::count_checks(&verified, result) > 0;
    let ok = !(has(CheckResult::Failed) || args.strict && has(CheckResult::NotChecked));
    let report = VerifyReport { problems: &verified, ok };
    outputs::publish_document(args.json.as_deref(), &report, |style| judge_report::verify_text(&verified, style))?;
    Ok(if ok { Exit::Success } else { Exit::NotAccepted })
}

/// Compiles the programs of a problem. A program that does not compile is a finding about its problem; a fault of the
/// machine is not.
fn compiled(catalogue: &mut Catalogue, id: &str) -> Result<Result<Programs>> {
    match compile(catalogue, Some(id)) {
        Err(failure) if failure.exit() != Exit::Usage => Err(failure),
        compiled => Ok(compiled),
    }
}

fn not_compiled(id: &str, catalogue: Option<&Path>, failure: &Failure) -> VerifiedProblem {
    let detail = [vec![failure.in_one_line()], failure.hints().map(str::to_owned).collect()].concat().join("; ");
    let show = format!("judge verify -p {}{}", quote(id), catalogue_flag(catalogue));
    VerifiedProblem { id: id.to_owned(), checks: vec![finding("programs", CheckResult::Failed, detail, show)] }
}

/// How the expected solvers are run: under the problem's own limits, and without a record.
fn running(args: &VerifyArgs) -> RunningArgs {
    let (limits, build, sandbox) = (LimitArgs::default(), args.build.clone(), args.sandbox.clone());
    RunningArgs::unrecorded(args.jobs.clone(), ConditionArgs { limits, build, sandbox })
}

/// The folder next to the catalogue for the findings of `--fuzz`.
const FAULTS: &str = "fuzz";

/// The means to check problems.
struct Verifier<'a> {
    catalogue: &'a Catalogue,
    file: Option<&'a Path>,
    running: RunningArgs,
    sandbox: Arc<Sandbox>,
    /// How checkers are fuzzed, if they are.
    fuzz: Option<Fuzz<'a>>,
}

impl Verifier<'_> {
    fn verify(&self, problem: &Problem) -> Result<VerifiedProblem> {
        let verified = |checks| VerifiedProblem { id: problem.id.clone(), checks };
        let mut subject = match Subject::new(problem, self.file) {
            Ok(subject) => subject,
            Err(failure) => {
                let show = format!("judge show {}{}", quote(&problem.id), catalogue_flag(self.file));
                return Ok(verified(vec![finding("cases", CheckResult::Failed, failure.in_one_line(), show)]));
            }
        };
        let mut checks: Vec<_> = programs::generator(&subject).into_iter().collect();
        let is_failed = |check: &Finding| check.result == CheckResult::Failed && check.check != "validator";
        let has_all_cases = !checks.iter().any(is_failed);
        if !has_all_cases {
            // The cases in files do not need the generator.
            subject.cases.retain(|case| matches!(case.source, CaseSource::File(_)));
        }
        let inputs = if subject.cases.is_empty() { Vec::new() } else { programs::inputs(&subject) };
        let are_readable = !subject.cases.is_empty() && !inputs.iter().any(is_failed);
        checks.extend(inputs);
        if are_readable {
            let mut matches = MatchRunner::open_in(Arc::clone(&self.sandbox), self.catalogue, problem, &self.running)?;
            matches.template.case_flags = case_flags(matches.template.case_flags.clone(), self.file);
            let Played { findings, good, slowest } = expectations::expectations(&subject, &mut matches)?;
            checks.extend(programs::checker(&subject, &good));
            checks.extend(expectations::bad_conversations(&subject, &mut matches)?);
            checks.extend(programs::answer_files(&subject));
            checks.extend(findings);
            checks.extend(slowest.map(|slowest| time_limit(&subject, slowest)));
            if let Some(fuzz) = &self.fuzz {
                checks.extend(fuzz::fuzz(&subject, &good, fuzz)?);
            }
            if was_interrupted() {
                return Err(Failure::interrupted());
            }
        } else {
            let why = "not checked as long as its inputs are not right";
            checks.push(finding("checker and solvers", CheckResult::Warning, why, String::new()));
        }
        if has_all_cases {
            checks.extend(groups(&subject));
        }
        Ok(verified(checks))
    }
}

/// The number of cases for checks that run many programs for each.
pub(super) const FEW: usize = 3;

/// A problem that is verified.
pub(super) struct Subject<'a> {
    pub(super) problem: &'a Problem,
    /// Its own cases.
    pub(super) cases: Vec<CaseSpec>,
    /// The flag that names the catalogue, after a space; empty if the command line has none.
    catalogue: String,
}

/// Returns the flag that names the catalogue, after a space; empty if it was not named.
fn catalogue_flag(catalogue: Option<&Path>) -> String {
    catalogue.map_or_else(String::new, |path| format!(" --problems {}", quote(&path.to_string_lossy())))
}

/// Returns the flags of the commands that run a case again, with the catalogue: `judge import` has no flag for it.
fn case_flags(own: CaseFlags, catalogue: Option<&Path>) -> CaseFlags {
    let Some(file) = catalogue.map(|file| file.to_string_lossy().into_owned()) else { return own };
    CaseFlags::found_by(move || {
        let mut words = own.words().to_vec();
        if !words.iter().any(|word| word == "--problems") {
            words.extend(["--problems".to_owned(), file]);
        }
        words
    })
}

impl<'a> Subject<'a> {
    /// Finds the cases of a problem.
    fn new(problem: &'a Problem, catalogue: Option<&Path>) -> Result<Self> {
        let cases = select(problem, &Selection::default())?;
        Ok(Self { problem, cases: cases.iter().collect(), catalogue: catalogue_flag(catalogue) })
    }

    /// Returns a command of the judge about this problem.
    pub(super) fn command(&self, name: &str, arguments: &str) -> String {
        let space = if arguments.is_empty() { "" } else { " " };
        format!("judge {name} -p {}{}{space}{arguments}", quote(&self.problem.id), self.catalogue)
    }

    /// Returns the command that shows the problem.
    pub(super) fn show(&self) -> String {
        format!("judge show {}{}", quote(&self.problem.id), self.catalogue)
    }

    /// Returns the command that checks an answer on standard input.
    pub(super) fn check_command(&self, case: &CaseSpec) -> String {
        self.command("check", &format!("{} --output -", case.source.flag("--seed", "--input")))
    }

    /// Returns the command that shows the input of a case.
    pub(super) fn input_command(&self, case: &CaseSpec) -> String {
        match &case.source {
            CaseSource::Seed(seed) => self.command("gen", &format!("--seed {seed}")),
            CaseSource::Made(call) => self.command("gen", &format!("--case {}", quote(&call.to_string()))),
            CaseSource::File(path) => format!("cat {}", quote(&path.to_string_lossy())),
        }
    }
}

/// Returns a finding.
pub(super) fn finding(check: &str, result: CheckResult, detail: impl Into<String>, command: String) -> Finding {
    Finding { check: check.to_owned(), result, detail: detail.into(), command }
}

/// A limit below this multiple of the measured time is unreliable on another machine.
const FACTOR: f64 = 2.0;

/// Compares the time limit with the slowest solver that is expected to be accepted.
fn time_limit(subject: &Subject<'_>, slowest: Slowest) -> Finding {
    let Slowest { solver, case, cpu, limit, command } = slowest;
    let factor = limit.as_secs_f64() / cpu.as_secs_f64().max(0.001);
    let measured = format!("{} ms of {} ms by {solver} on {case}", cpu.as_millis(), limit.as_millis());
    if factor >= FACTOR {
        return finding("time limit", CheckResult::Ok, format!("{measured}, a factor of {factor:.1}"), command);
    }
    // The limit of a language is a multiple of the problem's.
    let share = subject.problem.limits.cpu.0.as_secs_f64() / limit.as_secs_f64();
    let suggested = Time(rounded_up(cpu.mul_f64(FACTOR * share)));
    let detail = format!("{measured}, a factor of only {factor:.1}: `cpu = \"{suggested}\"` would be twice as much");
    finding("time limit", CheckResult::Warning, detail, command)
}

/// Rounds up to a tenth of a second, and above ten seconds to a second.
fn rounded_up(time: Duration) -> Duration {
    let step = if time > Duration::from_secs(10) { 1000 } else { 100 };
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX - step).div_ceil(step) * step)
}

/// Checks that every group has cases, and the weights add up. No case is in two: it could not have been chosen.
fn groups(subject: &Subject<'_>) -> Option<Finding> {
    let groups = &subject.problem.test_groups;
    let is_empty = |group: &&TestGroup| !subject.cases.iter().any(|case| group.members.have(case));
    let is_outside = |case: &&CaseSpec| subject.problem.test_group_of(case).is_none();
    let weights: Option<Vec<&BigRational>> = groups.iter().map(|group| Some(group.weight.as_ref()?.value())).collect();
    let (result, detail) = if groups.is_empty() {
        return None;
    } else if let Some(empty) = groups.iter().find(is_empty) {
        (CheckResult::Failed, format!("the group `{}` has no case: {}", empty.name, empty.members))
    } else if let Some(case) = subject.cases.iter().find(is_outside) {
        (CheckResult::Warning, format!("the case `{}` is in no group", case.name))
    } else if let Some(weights) = weights {
        let sum: BigRational = weights.into_iter().sum();
        if sum.is_one() || sum == BigRational::from_integer(100.into()) {
            (CheckResult::Ok, format!("{} with weights of {sum} together", counted(groups.len(), "group")))
        } else {
            (CheckResult::Warning, format!("the weights of the groups add up to {sum}, neither 100 nor 1"))
        }
    } else {
        (CheckResult::Ok, counted(groups.len(), "group"))
    };
    Some(finding("groups", result, detail, subject.show()))
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
