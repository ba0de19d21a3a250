//! `judge reduce`: makes a failing case small.

use super::new_cases::{NewAnswers, Player, again, as_read_file, check_names, is_valid, solvers, try_cases};
use judge_cli::{ReduceArgs, RunningArgs};
use judge_journal::Part;
use judge_problem::{
    CaseList, CaseName, CaseSource, CaseSpec, Catalogue, CheckerChoice, Condition, Exit, Outcome, Plan, Problem,
    Solver, Stop, Verdict, counted, map_on_all_cores, quote,
};
use judge_report::Steps;
use judge_run::cases::{CaseReader, Inputs, validate};
use judge_search::{Oracle, Reason, UNCHECKED, add_all_names, add_measures, is_worse, shrink};
use judge_session::{Failure, GlobalArgs, MatchRunner, Result, Session, answers, load, outputs, programs};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How often the first input is run, to see whether the result depends on chance.
const CONFIRMATIONS: usize = 5;

/// By the number of confirmations that show the goal, from 1 on: how often an input is run before it counts as one that
/// never shows it. This misses less than one in twenty inputs that show it equally often.
const REPETITIONS: [usize; CONFIRMATIONS] = [14, 6, 4, 2, 1];

/// Makes a failing case small.
pub(super) fn reduce(global: GlobalArgs<'_>, args: &ReduceArgs) -> Result<Exit> {
    let (catalogue, _programs) = programs::catalogue(global, args.problem.id())?;
    let problem = load::problem(&catalogue, args.problem.id())?;
    let (mut input, name) = input(problem, args)?;
    let solvers = args.solver.iter().chain(&args.against).flat_map(|solver| outputs::files_of_solver(solver));
    let solvers = solvers.collect::<Vec<_>>();
    outputs::refuse_input_as_output(solvers.iter().map(|path| &**path), args.output.as_deref())?;
    outputs::probe("the small input", args.output.as_deref())?;
    let mut trials = Trials::open(&catalogue, problem, args)?;
    trials.begin(&input, &name)?;
    let (before, started) = (size(&input), Instant::now());
    let ended = shrink(&mut trials, &mut input);
    let whole = if ended.is_ok() { trials.confirm(&input) } else { Ok(()) };
    let (runs, seconds) = (trials.runs, started.elapsed().as_secs_f64());
    let path = args.output.as_ref().filter(|path| !load::is_stdout(path));
    let again = path.map(|path| trials.again(path, args));
    drop(trials);
    load::write("the small input", args.output.as_deref().unwrap_or(Path::new("-")), &input)?;
    let done = format!("{before} -> {}; {}, {seconds:.1} s", size(&input), counted(runs, "run"));
    if let Err(failure) = ended.and(whole) {
        judge_report::note(&format!("the smallest so far: {done}"));
        return if failure.exit() == Exit::Interrupted { Ok(Exit::Interrupted) } else { Err(failure) };
    }
    judge_report::note(&done);
    again.iter().for_each(|command| judge_report::note(&format!("play it: {command}")));
    Ok(Exit::Success)
}

fn size(input: &[u8]) -> String {
    let lines = input.split_inclusive(|&byte| byte == b'\n').count();
    format!("{}, {}", counted(lines, "line"), counted(input.len(), "byte"))
}

/// Returns the input that the command line names, and its name. The input is valid for the problem.
fn input(problem: &Problem, args: &ReduceArgs) -> Result<(Vec<u8>, String)> {
    let file = args.input.as_deref();
    if file.is_none() && problem.generator.is_none() {
        let error = format!("the problem `{}` has no generator for seeds", problem.id);
        return Err(Failure::usage(error).with_hint("name a file: --input FILE"));
    }
    let (input, name) = match &args.call {
        Some(call) => (Inputs::of(problem).generate_call(call)?, call.to_string()),
        None => answers::named_input(problem, file, args.seed.unwrap_or_default())?,
    };
    if !matches!(problem.checker, CheckerChoice::Tokens(..)) {
        answers::prepare(problem, &input, &name, None, None)?;
    }
    match &problem.verification.validator {
        Some(validator) => {
            if let Some(why) = validate(problem, validator, &input)? {
                return Err(Failure::usage(format!("the validator of `{}` refuses {name}: {why}", problem.id)));
            }
        }
        None if matches!(problem.checker, CheckerChoice::BuiltIn(_)) => {}
        None => judge_report::note(&format!(
            "`{}` has no `validator-command`: the small input may break the rules of the input",
            problem.id
        )),
    }
    Ok((input, name))
}

/// The property that a smaller input must still show.
enum Goal {
    /// A condition on the case and its outcomes.
    Condition(Condition),
    /// The solver is worse than this one.
    Worse(String),
    /// The same failure, once the first input was run.
    Failure(Option<Reason>),
}

/// The outcomes of one input, by solver.
type Trial = Vec<Outcome>;

/// Runs inputs that are not in files. Nothing is recorded.
struct Trials<'a> {
    problem: &'a Problem,
    runner: MatchRunner<'a>,
    session: Session,
    /// The solver, and the one that it is compared with.
    solvers: Vec<Solver>,
    reader: CaseReader,
    /// How answers are judged where the checker would compare with an answer file.
    compared: Option<NewAnswers>,
    goal: Goal,
    /// How often each input is run until one run shows the goal.
    repetitions: usize,
    runs: usize,
    smallest: usize,
    interrupted: bool,
    steps: Steps,
}

impl<'a> Trials<'a> {
    fn open(catalogue: &'a Catalogue, problem: &'a Problem, args: &ReduceArgs) -> Result<Self> {
        let running = RunningArgs::unrecorded(args.jobs.clone(), args.conditions.clone());
        let mut runner = MatchRunner::open(catalogue, problem, &running)?;
        let solvers = solvers(&mut runner, args.solver.as_ref(), args.against.as_ref())?;
        let compared = NewAnswers::of(problem, args.input.is_some())?;
        if compared.is_some() {
            let unchecked = args.keep.as_ref().filter(|_| args.against.is_none());
            unchecked.map_or(Ok(()), NewAnswers::check_condition)?;
            runner.template.problem.checker = CheckerChoice::BuiltIn(&UNCHECKED);
        }
        let plan = runner.plan_as_it_is(solvers.clone(), CaseList::default(), problem.best.clone());
        let session = runner.begin(&plan)?;
        let reader = CaseReader::of(&runner.template.problem);
        let goal = match (&args.keep, &args.against) {
            (Some(condition), _) => Goal::Condition(condition.clone()),
            (None, Some(other)) => Goal::Worse(other.clone()),
            (None, None) => Goal::Failure(None),
        };
        Ok(Self {
            problem,
            runner,
            session,
            solvers,
            reader,
            compared,
            goal,
            repetitions: 1,
            runs: 0,
            smallest: 0,
            interrupted: false,
            steps: Steps::without_end(),
        })
    }

    /// Runs the first input. Determines which properties must stay, and whether the result depends on chance.
    fn begin(&mut self, input: &[u8], name: &str) -> Result<()> {
        self.smallest = input.len();
        let trials = self.play(&[input.to_vec()], CONFIRMATIONS)?;
        if self.interrupted {
            return Err(Failure::interrupted());
        }
        if let Some(fault) = trials.iter().flatten().find(|outcome| is_fault(outcome)) {
            let what = format!("{name}: {}: {}", fault.verdict, fault.note);
            // A solver that cannot run is the user's fault.
            let is_ours = fault.verdict == Verdict::JudgeError;
            return Err(if is_ours { Failure::fault(what) } else { Failure::usage(what) });
        }
        match &self.goal {
            Goal::Condition(condition) => {
                let mut names = self.reader.describe_input(input).unwrap_or_default();
                add_all_names(&mut names, self.solvers.len(), &self.problem.metrics);
                check_names(condition, self.problem, names)?;
            }
            Goal::Worse(_) => {}
            Goal::Failure(_) => {
                let failed = || trials.iter().map(|trial| &trial[0]).filter(|outcome| !outcome.is_accepted());
                let mut reason = failed().next().map(Reason::of).ok_or_else(|| self.no_failure(name))?;
                if !failed().all(|outcome| reason.is_of(outcome)) {
                    reason.crash.clear();
                }
                self.goal = Goal::Failure(Some(reason));
            }
        }
        let shown = trials.iter().filter(|trial| self.shows(input, trial)).count();
        let Some(repetitions) = shown.checked_sub(1).map(|place| REPETITIONS[place.min(CONFIRMATIONS - 1)]) else {
            return Err(self.not_shown(name, &trials[0]));
        };
        self.repetitions = repetitions;
        judge_report::note(&format!("{name}: {}", self.kept()));
        if repetitions > 1 {
            let runs = counted(trials.len(), "run");
            judge_report::note(&format!(
                "chance decides: {shown} of {runs} show it; each try takes up to {repetitions}"
            ));
        }
        Ok(())
    }

    /// Returns the command that plays the small input in a file again.
    fn again(&self, path: &Path, args: &ReduceArgs) -> String {
        let case = CaseSpec::from_source(CaseSource::File(path.to_owned()));
        let (cases, solvers) = (std::iter::once(case).collect(), self.solvers.clone());
        let plan = Plan { cases, solvers, ..self.runner.template.clone() };
        let player = match &self.goal {
            _ if self.compared.is_none() => Player::Run,
            Goal::Condition(condition) => Player::Reduce(Some(condition.to_string())),
            _ => Player::Reduce(None),
        };
        again(&plan, [args.solver.as_deref(), args.against.as_deref()], &player)
    }

    /// Returns the property that every smaller input shows, in words.
    fn kept(&self) -> String {
        match &self.goal {
            Goal::Condition(condition) => condition.to_string(),
            Goal::Worse(other) => format!("worse than {}", quote(other)),
            Goal::Failure(reason) => reason.as_ref().map(ToString::to_string).unwrap_or_default(),
        }
    }

    fn no_failure(&self, name: &str) -> Failure {
        let solver = &self.solvers[0].spec.name;
        let all = match self.compared {
            Some(_) => "end well, and no answer is checked",
            None => "are accepted",
        };
        let error = format!("{solver} does not fail on {name}: {CONFIRMATIONS} of {CONFIRMATIONS} runs {all}");
        let hint = match self.compared {
            Some(_) => "--against ./right: its answers replace the answer file, which a smaller input does not have",
            None => "--keep CONDITION keeps something else, --against S that another solver is better",
        };
        Failure::usage(error).with_hint(hint)
    }

    fn not_shown(&self, name: &str, trial: &[Outcome]) -> Failure {
        let said = |(outcome, solver): (&Outcome, &Solver)| match &outcome.score {
            Some(score) if self.compared.is_none() => format!("{} {score}", solver.spec.name),
            _ => format!("{} {}", solver.spec.name, outcome.verdict),
        };
        let results: Vec<String> = trial.iter().zip(&self.solvers).map(said).collect();
        Failure::usage(format!("this does not hold on {name}: {} ({})", self.kept(), results.join(", ")))
    }

    /// Runs the result again, and reports how often it shows the goal.
    fn confirm(&mut self, input: &[u8]) -> Result<()> {
        let trials = self.play(&[input.to_vec()], CONFIRMATIONS)?;
        if self.interrupted {
            return Err(Failure::interrupted());
        }
        let shown = trials.iter().filter(|trial| self.shows(input, trial)).count();
        if shown < CONFIRMATIONS {
            judge_report::note(&format!("{shown} of {CONFIRMATIONS} runs of the small input show it"));
        }
        Ok(())
    }

    /// Runs each input this many times. Returns the results in order, up to the first interrupted one.
    fn play(&mut self, inputs: &[Vec<u8>], times: usize) -> Result<Vec<Trial>> {
        self.steps.begin(&format!("{} bytes, {}", self.smallest, counted(self.runs, "run")));
        let file = |number: usize| CaseSource::File(PathBuf::from(format!("try-{number}")));
        let of_input = |number| {
            (0..times).map(move |time| CaseSpec::new(CaseName::from(&*format!("try-{number}#{time}")), file(number)))
        };
        let mut cases: CaseList = (0..inputs.len()).flat_map(of_input).collect();
        cases.set_read_files(inputs.iter().map(|input| as_read_file(input)).collect());
        let plan = self.runner.plan_as_it_is(self.solvers.clone(), cases, self.problem.best.clone());
        let (part, compared) = (Part::whole(&plan), self.compared.as_ref());
        let input = |case: usize| &*inputs[case / times];
        let tried = try_cases(&self.runner, &mut self.session, (plan, part), compared, input, &self.steps)?;
        self.interrupted |= tried.stop == Some(Stop::Interrupted);
        self.runs += tried.runs;
        Ok(tried.cases.into_iter().map(|(outcomes, _)| outcomes).collect())
    }

    /// Returns whether a result shows the goal.
    fn shows(&self, input: &[u8], trial: &[Outcome]) -> bool {
        // A fault of the judge never counts, even if the condition holds.
        if trial.iter().any(is_fault) {
            return false;
        }
        match (&self.goal, trial) {
            (Goal::Condition(condition), _) => {
                let mut features = self.reader.describe_input(input).unwrap_or_default();
                add_measures(&mut features, trial);
                condition.holds(&features)
            }
            (Goal::Worse(_), [own, other]) => is_worse(self.problem.direction, own, other),
            (Goal::Failure(reason), [own, ..]) => reason.as_ref().is_none_or(|reason| reason.is_of(own)),
            _ => false,
        }
    }
}

impl Oracle for Trials<'_> {
    type Error = Failure;

    fn are_valid(&self, inputs: &[&[u8]]) -> Vec<bool> {
        let (problem, reader) = (self.problem, &self.reader);
        map_on_all_cores(inputs.len(), |place| is_valid(problem, reader, inputs[place]))
    }

    fn first(&mut self, inputs: &[Vec<u8>]) -> Result<Option<usize>> {
        if self.interrupted {
            return Err(Failure::interrupted());
        }
        let trials = self.play(inputs, self.repetitions)?;
        let by_input = trials.chunks(self.repetitions);
        let found =
            by_input.zip(inputs).position(|(trials, input)| trials.iter().any(|trial| self.shows(input, trial)));
        if let Some(place) = found {
            self.smallest = inputs[place].len();
        } else if self.interrupted {
            return Err(Failure::interrupted());
        }
        Ok(found)
    }

    fn jobs(&self) -> usize {
        self.runner.plan_runner.jobs()
    }
}

fn is_fault(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::JudgeError | Verdict::CannotStart | Verdict::CompileError)
}

#[cfg(test)]
mod tests {
    #[test]
    fn empty_lines_are_lines() {
        assert_eq!(super::size(b"3 0\n\n\nx"), "4 lines, 7 bytes");
        assert_eq!(super::size(b""), "0 lines, 0 bytes");
    }
}
