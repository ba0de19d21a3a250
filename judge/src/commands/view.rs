//! `judge view`: a game move by move, as one web page or in plain characters.

use judge_cli::{JobArgs, RunningArgs, ViewArgs};
use judge_journal::Part;
use judge_problem::verdict::Termination;
use judge_problem::{
    CaseName, CaseSource, CaseSpec, Catalogue, Exit, Invocation, JobId, Plan, Problem, Role, Ruling, RunChoice,
    RunEvent, Solver, Verdict, Viewer, after_colon, counted,
};
use judge_report::{GamePage, GameReplay, GameText, LastFrame, MoveRange};
use judge_run::cases::{Inputs, PreparedCase};
use judge_run::runner::{self, Signals};
use judge_run::solver;
use judge_session::{
    Failure, GlobalArgs, MatchRunner, Result, answers, entrants, load, outputs, programs, recorder, running, sandbox,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The size in bytes above which a page is slow in a browser.
const LARGE_PAGE: usize = 20_000_000;

/// A game to be shown: an answer to a case.
struct Game<'a> {
    problem: &'a Problem,
    /// The name of the case, and its input.
    case: String,
    input: Arc<[u8]>,
    /// The file of the input, if it is in one: the case may have an answer file.
    file: Option<PathBuf>,
    answer: Vec<u8>,
    /// The name of the solver; empty if the answer comes from a file.
    player: String,
}

impl Game<'_> {
    /// Returns the case, read by the checker.
    fn prepare(&self) -> Result<PreparedCase> {
        answers::prepare(self.problem, &self.input, &self.case, self.file.as_deref(), None)
    }
}

/// Shows a game: as a page, or in plain characters.
pub(super) fn view(global: GlobalArgs<'_>, args: &ViewArgs) -> Result<Exit> {
    answers::refuse_one_stdin(args.input.as_deref(), args.output.as_deref())?;
    let (catalogue, _programs) = programs::catalogue(global, args.problem.id())?;
    check_outputs(args)?;
    if args.run.is_none() && args.output.is_none() && args.html.is_none() && args.svg.is_none() {
        let problem = load::problem(&catalogue, args.problem.id())?;
        if problem.checker.role() == Role::Interactor {
            return conversation(&catalogue, problem, args);
        }
    }
    let game = match args.run {
        Some(run) => stored(&catalogue, run, args)?,
        None => fresh(&catalogue, args)?,
    };
    if let (Some(path), None) = (&args.svg, &game.problem.viewer) {
        return write_picture(&game, args.step, path);
    }
    match (&args.html, &game.problem.viewer) {
        (Some(path), Some(viewer)) => draw(&game, viewer, path),
        (Some(path), None) => write_page(&game, args, path),
        (None, Some(_)) => {
            Err(Failure::usage(format!("the games of `{}` are shown by its own program", game.problem.id))
                .with_hint("--html PATH writes the page that it makes"))
        }
        (None, None) => print_text(&game, args),
    }
}

/// Fails if the page or the picture cannot be written, or would replace what it shows.
fn check_outputs(args: &ViewArgs) -> Result<()> {
    let solver = args.solver.iter().flat_map(|solver| outputs::files_of_solver(solver)).collect::<Vec<_>>();
    let files = [&args.input, &args.output].into_iter().flatten().chain(&solver).map(|path| &**path);
    outputs::refuse_input_as_output(files, [&args.html, &args.svg].into_iter().flatten().map(|path| &**path))?;
    outputs::probe("the page", args.html.as_deref())?;
    outputs::probe("the picture", args.svg.as_deref())
}

/// Prints the conversation of a solver and the interactor on a case, with times.
fn conversation(catalogue: &Catalogue, problem: &Problem, args: &ViewArgs) -> Result<Exit> {
    let running = RunningArgs::unrecorded(JobArgs::default(), args.conditions.clone());
    let mut matches = MatchRunner::open(catalogue, problem, &running)?;
    let solvers = matches.solver(args.solver.as_ref())?;
    let plan = Plan { transcripts: true, ..matches.plan(solvers, [case(args)?].into_iter().collect())? };
    let mut session = matches.begin(&plan)?;
    let (part, mut transcript) = (Part::whole(&plan), None);
    let result = matches.play_watched(&mut session, plan, part, &mut |event| {
        if let RunEvent::Finished(finished) = event {
            transcript.clone_from(&finished.evidence.transcript);
        }
    })?;
    judge_report::print(transcript.as_deref().unwrap_or_default().trim_end())?;
    if let Some(outcome) = result.outcomes.get(JobId { case: 0, solver: 0 }) {
        let score = outcome.score.as_ref().map_or_else(String::new, |score| format!(" {score}"));
        judge_report::note(&format!("{}{score}{}", outcome.verdict, after_colon(&outcome.note)));
    }
    Ok(result.exit())
}

/// Returns the case that the command line names.
fn case(args: &ViewArgs) -> Result<CaseSpec> {
    match &args.input {
        Some(path) if path == Path::new("-") => {
            Err(Failure::usage("the case needs a name: give --input FILE or --seed N"))
        }
        Some(path) => Ok(CaseSpec::new(CaseName::of_file(path), CaseSource::File(path.clone()))),
        None => Ok(CaseSpec::from_seed(args.seed.unwrap_or_default())),
    }
}

/// Writes the page that the problem's own program makes.
fn draw(game: &Game<'_>, viewer: &Viewer, path: &Path) -> Result<Exit> {
    let Game { problem, input, answer, .. } = game;
    let case = game.prepare()?;
    let source = game.file.clone().map(CaseSource::File);
    load::write("the page", path, &answers::drawn_page(problem, viewer, source.as_ref(), input, answer)?)?;
    if !problem.checker.checks_answers() {
        return Ok(Exit::Success);
    }
    let ruling = case.check(answer)?;
    judge_report::note(&ruling.to_string());
    Ok(answers::exit_of(&ruling))
}

/// Writes the page that plays a game.
fn write_page(game: &Game<'_>, args: &ViewArgs, path: &Path) -> Result<Exit> {
    let Game { problem, case, player, .. } = game;
    let mut replay = GameReplay::new(MoveRange { from: args.from, to: args.to });
    let ruling = game.prepare()?.replay(&game.answer, &mut replay)?;
    if replay.is_empty() {
        return Err(nothing_to_show(game, args, &ruling)?);
    }
    let result = ruling.to_string();
    let is_rejected = matches!(ruling, Ruling::Rejected(_));
    let page = GamePage { title: &problem.title, case, player, result: &result, is_rejected };
    let html = judge_report::game_html(&page, &replay).map_err(Failure::fault)?;
    load::write("the page", path, html.as_bytes())?;
    judge_report::note(&format!("{result}; {}, {} kB", counted(replay.len(), "frame"), html.len().div_ceil(1000)));
    if html.len() > LARGE_PAGE {
        judge_report::note("hint: the page is large; --from and --to show a part of the game");
    }
    Ok(answers::exit_of(&ruling))
}

/// Writes the board after a move.
fn write_picture(game: &Game<'_>, step: Option<usize>, path: &Path) -> Result<Exit> {
    let mut last = LastFrame::of(step);
    let ruling = game.prepare()?.replay(&game.answer, &mut last)?;
    let frame = last.frame.as_ref().ok_or_else(|| {
        let failure = Failure::usage(format!("the game has no move {}: {ruling}", step.unwrap_or_default()));
        failure.with_hint(format!("--step takes 0 to {}", last.last))
    })?;
    let title = format!("{}, {}", game.problem.title, game.case);
    load::write("the picture", path, judge_report::frame_svg(&title, frame).as_bytes())?;
    judge_report::note(&ruling.to_string());
    Ok(answers::exit_of(&ruling))
}

/// Prints a game in plain characters, or steps through it on a terminal.
fn print_text(game: &Game<'_>, args: &ViewArgs) -> Result<Exit> {
    let mut text = GameText::new(MoveRange { from: args.from, to: args.to });
    let ruling = game.prepare()?.replay(&game.answer, &mut text)?;
    if text.frames.is_empty() {
        return Err(nothing_to_show(game, args, &ruling)?);
    }
    let result = ruling.to_string();
    if judge_report::can_step() {
        // A killed judge would leave the terminal without an echo.
        let mut signals = Signals::install().map_err(Failure::fault)?;
        let left = judge_report::step_through(&text.frames, &result, || signals.is_pending());
        if !left.map_err(Failure::fault)? {
            return Ok(Exit::Interrupted);
        }
    } else {
        judge_report::print(&text.frames.join("\n\n"))?;
    }
    judge_report::note(&result);
    Ok(answers::exit_of(&ruling))
}

/// Returns the case and the answer that the command line names.
fn fresh<'a>(catalogue: &'a Catalogue, args: &ViewArgs) -> Result<Game<'a>> {
    let problem = load::problem(catalogue, args.problem.id())?;
    refuse(problem)?;
    if problem.checker.is_interactive() && args.output.is_none() {
        let failure =
            Failure::usage(format!("`{}` is interactive: `judge view` shows answers that are there", problem.id));
        let run = format!("judge run -p {} -s SOLVER; judge view --run last --case NAME --html PATH", problem.id);
        return Err(failure.with_hint(run));
    }
    let seed = args.seed.unwrap_or_default();
    let (case, input): (String, Arc<[u8]>) = match &args.input {
        Some(path) => (path.display().to_string(), load::bytes("the input", path)?.into()),
        None => (format!("seed-{seed}"), Inputs::of(problem).generate(seed)?.into()),
    };
    let (answer, player) = match &args.output {
        Some(path) => (read_answer(problem, args, path)?, String::new()),
        None => play(catalogue, problem, args, &input)?,
    };
    let file = args.input.clone().filter(|path| path != Path::new("-"));
    Ok(Game { problem, case, input, file, answer, player })
}

/// Returns a case of a recorded run, and the stored answer to it.
fn stored<'a>(catalogue: &'a Catalogue, run: RunChoice, args: &ViewArgs) -> Result<Game<'a>> {
    let journal = recorder::open_to_read(catalogue)?;
    let run = journal.stored_run(journal.choose(run)?)?;
    let is_of = args.problem.id().map_or(Ok(()), |id| entrants::check_problem(&run, id));
    is_of.map_err(|failure| failure.with_hint("omit --problem"))?;
    let problem = catalogue.find(&run.problem)?;
    refuse(problem)?;
    let name = args.case.as_deref().unwrap_or_default();
    let case = answers::find_case(&run, name)?;
    let entrant = entrants::find_entrant(&run, args.solver.as_deref())?;
    let player = run.entrants[entrant].name.clone();
    let result = case.results[entrant].as_ref();
    let answer = result.and_then(|result| result.answer).map(|id| journal.answer(id)).transpose()?.flatten();
    let answer = answer.ok_or_else(|| {
        let verdict = result.map_or(Verdict::Skipped, |result| result.outcome.verdict);
        answers::no_answer(run.id, &player, &case, verdict)
    })?;
    let input = answers::shown_input(problem, run.id, &case)?.into();
    let file = case.spec.file().map(Path::to_owned);
    Ok(Game { problem, case: name.to_owned(), input, file, answer, player })
}

/// Fails if no game of the problem can be shown.
fn refuse(problem: &Problem) -> Result<()> {
    if problem.viewer.is_some() { Ok(()) } else { answers::refuse_interactive(problem) }
}

/// Reads the answer, up to the output limit of a solver.
fn read_answer(problem: &Problem, args: &ViewArgs, path: &Path) -> Result<Vec<u8>> {
    let limit = args.conditions.limits.output_limit.unwrap_or(problem.limits.output);
    load::bytes_up_to("the answer", path, limit)?.ok_or_else(|| {
        let ruling = answers::too_long(limit);
        Failure::usage(format!("there is no move to show: {ruling}")).with_hint("--output-limit allows more")
    })
}

/// Runs the solver on the input. Returns its answer and its name.
fn play(catalogue: &Catalogue, problem: &Problem, args: &ViewArgs, input: &Arc<[u8]>) -> Result<(Vec<u8>, String)> {
    let sandbox = sandbox::open(&args.conditions.sandbox)?;
    let template = running::template(problem, &args.conditions, &sandbox)?;
    let toolbox = programs::toolbox(catalogue, &template, &args.conditions.build, &sandbox)?;
    let solvers = entrants::solvers(problem, args.solver.as_slice(), &[], &toolbox, &sandbox, 1)?;
    let plan = Plan { solvers, ..template };
    let Solver { spec, invocation, .. } = &plan.solvers[0];
    let unanswered = |why: &str| Failure::usage(format!("`{}` gave no answer to show: {why}", spec.name));
    if let Invocation::Answers(folder) = invocation {
        let answer = solver::read_answer(folder, &case(args)?.name, plan.limits_of(0).output);
        return answer.map(|answer| (answer, spec.name.clone())).map_err(|(_, why)| unanswered(&why));
    }
    let program = invocation.program().map_err(|why| unanswered(&why))?;
    let hidden = runner::hidden(program, &plan.visible);
    let request = runner::request(&plan, 0, program, &hidden, input.clone());
    let execution = runner::run_alone(&sandbox, |worker| worker.run(&request))?.ok_or_else(Failure::interrupted)?;
    match solver::ending(&request.program, &execution, &plan.limits_of(0)) {
        Termination::Clean => Ok((execution.stdout, spec.name.clone())),
        Termination::Failed(verdict, note) => Err(unanswered(&format!("{verdict}: {note}"))),
    }
}

/// Returns the error for a game without moves, for moves out of range, or for an answer without a valid first move.
fn nothing_to_show(game: &Game<'_>, args: &ViewArgs, ruling: &Ruling) -> Result<Failure> {
    let problem = game.problem;
    let error = format!("there is no move to show: {ruling}");
    Ok(if args.from.is_some() || args.to.is_some() {
        let mut all = LastFrame::of(None);
        game.prepare()?.replay(&game.answer, &mut all)?;
        Failure::usage(error).with_hint(format!("--from and --to take 0 to {}, in this order", all.last))
    } else if matches!(ruling, Ruling::Rejected(_)) {
        Failure::not_accepted(error)
    } else {
        let hint = format!("the answers of `{}` may not be moves: see `judge show {}`", problem.id, problem.id);
        Failure::usage(error).with_hint(hint)
    })
}
