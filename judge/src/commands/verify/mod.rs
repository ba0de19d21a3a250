//! `judge verify`: checks problems for their authors.

mod expectations;
mod inputs;
mod limits;
mod robustness;
mod subject;

use expectations::Played;
use judge_cli::{LimitArgs, RunningArgs, VerifyArgs};
use judge_problem::manifest::Catalogue;
use judge_problem::{CaseSource, Exit, Problem, quote};
use judge_report::{CheckResult, Document, Finding, Style, VerifiedProblem, VerifyReport};
use judge_sandbox::Sandbox;
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::match_runner::MatchRunner;
use judge_session::programs::{self, Programs};
use judge_session::{load, sandbox};
use std::path::Path;
use std::sync::Arc;
use subject::{Subject, finding};

/// Checks the problems that are named, or all of the catalogue.
pub(super) fn verify(given: Given<'_>, args: &VerifyArgs) -> Result<Exit, Failure> {
    let mut catalogue = load::catalogue(given)?;
    let ids = match &*args.ids {
        [] => catalogue.problems().iter().map(|problem| problem.id.clone()).collect(),
        ids => ids.to_vec(),
    };
    for id in &ids {
        catalogue.find(id)?;
    }
    if let Some(path) = &args.json {
        load::probe("the JSON report", path)?;
    }
    let sandbox = sandbox::open(&args.sandbox)?;
    let compiled = ids.iter().map(|id| compiled(&mut catalogue, id)).collect::<Result<Vec<_>, _>>()?;
    let verifier = Verifier { catalogue: &catalogue, file: given.catalogue, running: running(args), sandbox };
    let each = ids.iter().zip(&compiled).map(|(id, compiled)| match compiled {
        Ok(_) => verifier.verify(catalogue.find(id)?),
        Err(failure) => Ok(not_compiled(id, failure)),
    });
    let verified = each.collect::<Result<Vec<_>, Failure>>()?;
    drop(compiled);
    let has = |result| judge_report::count_checks(&verified, result) > 0;
    let ok = !(has(CheckResult::Failed) || args.strict && has(CheckResult::NotChecked));
    if args.json.as_deref() != Some(Path::new("-")) {
        judge_report::print(&judge_report::verify_text(&verified, Style::of_stdout()))?;
    }
    if let Some(path) = &args.json {
        let json = VerifyReport { problems: &verified, ok }.to_json().map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    Ok(if ok { Exit::Success } else { Exit::NotAccepted })
}

/// Compiles the programs of a problem. One that does not compile is a finding about its problem; a fault of the machine is
/// none.
fn compiled(catalogue: &mut Catalogue, id: &str) -> Result<Result<Programs, Failure>, Failure> {
    match programs::compile(catalogue, Some(id)) {
        Err(failure) if failure.exit() != Exit::Usage => Err(failure),
        compiled => Ok(compiled),
    }
}

fn not_compiled(id: &str, failure: &Failure) -> VerifiedProblem {
    let detail = [vec![failure.in_one_line()], failure.hints().map(str::to_owned).collect()].concat().join("; ");
    let show = format!("judge verify -p {}", quote(id));
    VerifiedProblem { id: id.to_owned(), checks: vec![finding("programs", CheckResult::Failed, detail, show)] }
}

/// How the expected solvers are run: under the problem's own limits, and without a record.
fn running(args: &VerifyArgs) -> RunningArgs {
    RunningArgs::unrecorded(LimitArgs::default(), args.jobs.clone(), args.build.clone(), args.sandbox.clone())
}

/// What problems are checked with.
struct Verifier<'a> {
    catalogue: &'a Catalogue,
    file: Option<&'a Path>,
    running: RunningArgs,
    sandbox: Arc<Sandbox>,
}

impl Verifier<'_> {
    fn verify(&self, problem: &Problem) -> Result<VerifiedProblem, Failure> {
        let verified = |checks| VerifiedProblem { id: problem.id.clone(), checks };
        let mut subject = match Subject::new(problem, self.file) {
            Ok(subject) => subject,
            Err(failure) => {
                let show = format!("judge show {}", problem.id);
                return Ok(verified(vec![finding("cases", CheckResult::Failed, failure.in_one_line(), show)]));
            }
        };
        let mut checks: Vec<_> = inputs::generator(&subject).into_iter().collect();
        let is_failed = |check: &Finding| check.result == CheckResult::Failed && check.check != "validator";
        let has_all_cases = !checks.iter().any(is_failed);
        if !has_all_cases {
            // The cases that are files are there all the same.
            subject.cases.retain(|case| matches!(case.source, CaseSource::File(_)));
        }
        let inputs = if subject.cases.is_empty() { Vec::new() } else { inputs::inputs(&subject) };
        let are_readable = !subject.cases.is_empty() && !inputs.iter().any(is_failed);
        checks.extend(inputs);
        if are_readable {
            let mut matches = MatchRunner::open_in(Arc::clone(&self.sandbox), self.catalogue, problem, &self.running)?;
            let Played { findings, good, slowest } = expectations::expectations(&subject, &mut matches)?;
            checks.extend(robustness::checker(&subject, &good));
            checks.extend(expectations::bad_conversations(&subject, &mut matches)?);
            checks.extend(robustness::answer_files(&subject));
            checks.extend(findings);
            checks.extend(slowest.map(|slowest| limits::time_limit(&subject, &slowest)));
        } else {
            let why = "not checked as long as its inputs are not right";
            checks.push(finding("checker and solvers", CheckResult::Warning, why, String::new()));
        }
        if has_all_cases {
            checks.extend(limits::groups(&subject));
        }
        Ok(verified(checks))
    }
}
