//! `judge check`: checks an answer, without running anything.

use judge_cli::CheckArgs;
use judge_journal::Journal;
use judge_problem::verdict::Decision;
use judge_problem::{
    Bytes, Exit, Outcome, Problem, Ruling, RunChoice, StoredOutcome, Verdict, counted, error_chain, map_on_all_cores,
    natural_key,
};
use judge_report::{Style, TextTable, left, right};
use judge_run::cases::{Inputs, PreparedCase, ProblemChecker};
use judge_session::answers::{self, exit_of, refuse_interactive, too_long};
use judge_session::{Failure, GlobalArgs, Result, entrants, load, programs, recorder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Checks one answer, or all answers of a folder.
pub(super) fn check(global: GlobalArgs<'_>, args: &CheckArgs) -> Result<Exit> {
    if let Some(run) = args.run {
        return check_run(global, args.problem.id(), run, args.output_limit);
    }
    let (catalogue, _programs) = programs::catalogue(global, args.problem.id())?;
    let problem = load::problem(&catalogue, args.problem.id())?;
    refuse_interactive(problem)?;
    let limit = args.output_limit.unwrap_or(problem.limits.output);
    match (&args.dir, &args.output) {
        (Some(folder), _) => check_folder(problem, folder, limit),
        (None, Some(output)) => check_one(problem, args, output, limit),
        (None, None) => Err(Failure::usage("no answer to check is given").with_hint("name its file with --output")),
    }
}

fn check_one(problem: &Problem, args: &CheckArgs, output: &Path, limit: Bytes) -> Result<Exit> {
    answers::refuse_one_stdin(args.input.as_deref(), Some(output))?;
    if args.answer.is_some() && problem.checker.answers().is_none() {
        let hint = "`checker = \"tokens\"` and commands do: `judge help check`";
        return Err(
            Failure::usage(format!("the checker of `{}` compares with no answer file", problem.id)).with_hint(hint)
        );
    }
    if let Some(path) = &args.answer {
        let failed = |error| Failure::usage(format!("cannot read the answer file {}: {error}", path.display()));
        path.metadata().map_err(failed)?;
    }
    let file = args.input.as_deref();
    let (input, name) = answers::named_input(problem, file, args.seed.unwrap_or_default())?;
    let case = answers::prepare(problem, &input, &name, file, args.answer.as_deref())?;
    let Decision { ruling, metrics } = answers::check(&case, output, limit)?;
    judge_report::print_line(&ruling.to_string())?;
    for rule in problem.declared_metrics() {
        if let Some(value) = metrics.get(&rule.name) {
            judge_report::print_line(&format!("metric {} {value}", rule.name))?;
        }
    }
    Ok(exit_of(&ruling))
}

/// Checks every pair. A fault in one pair does not end the others. Returns the exit code of the worst.
fn check_folder(problem: &Problem, folder: &Path, limit: Bytes) -> Result<Exit> {
    let mut table = TextTable::of([left("case"), right("score"), left("ruling").wrapped()]);
    let mut worst = Exit::Success;
    let bases = bases(folder)?;
    let all_checked = map_on_all_cores(bases.len(), |number| check_pair(problem, &bases[number], limit));
    for (base, (score, ruling, exit)) in bases.iter().zip(all_checked) {
        let name = base.file_name().unwrap_or_default().to_string_lossy().into_owned();
        table.add_row([name, score.unwrap_or_else(|| "–".to_owned()), ruling]);
        worst = worst.max(exit);
    }
    judge_report::print(&table.text(Style::of_stdout()))?;
    Ok(worst)
}

/// Every file NAME.in or NAME.out of a folder without its ending, in natural order.
fn bases(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Failure::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let files = entries.into_iter().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "in" || end == "out"));
    let bases: BTreeSet<_> = files.map(|path| path.with_extension("")).collect();
    if bases.is_empty() {
        return Err(Failure::usage(format!("there is no NAME.in in {}", folder.display())));
    }
    let mut bases: Vec<_> = bases.into_iter().collect();
    bases.sort_by_cached_key(|base| natural_key(&base.to_string_lossy()));
    Ok(bases)
}

/// Checks a pair of files. Returns the score if there is one, the ruling or what is wrong, and the exit code.
fn check_pair(problem: &Problem, base: &Path, limit: Bytes) -> (Option<String>, String, Exit) {
    let (input, output) = (with_ending(base, ".in"), with_ending(base, ".out"));
    if input.symlink_metadata().is_err() {
        return (None, format!("no input: {} is missing", input.display()), Exit::Usage);
    }
    if output.symlink_metadata().is_err() {
        return (None, format!("no answer: {} is missing", output.display()), Exit::NotAccepted);
    }
    match check_files(problem, &input, &output, limit) {
        Ok(Ruling::Accepted(score)) => (Some(score.to_string()), "accepted".to_owned(), Exit::Success),
        Ok(ruling) => (None, ruling.to_string(), exit_of(&ruling)),
        Err(failure) => (None, format!("not checked: {}", failure.in_one_line()), failure.exit()),
    }
}

fn check_files(problem: &Problem, input: &Path, output: &Path, limit: Bytes) -> Result<Ruling> {
    for path in [input, output] {
        // Looking into a pipe would wait for its writer.
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Err(Failure::usage(format!("{} is not a regular file", path.display())));
        }
    }
    let bytes = load::bytes("the input", input)?;
    let expected = input.with_extension("ans");
    let expected = (problem.checker.answers().is_some() && expected.is_file()).then_some(&*expected);
    let case = answers::prepare(problem, &bytes, &input.display().to_string(), Some(input), expected)?;
    Ok(answers::check(&case, output, limit)?.ruling)
}

/// `NAME` may have dots itself.
fn with_ending(base: &Path, ending: &str) -> PathBuf {
    let mut path = base.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// The result of rechecking an answer.
enum Recheck {
    /// The current checker decides as recorded.
    Same,
    /// It decides as this text says.
    Differs(String),
    /// The answer cannot be checked, for this reason.
    Impossible(String),
    /// The solver gave no answer.
    NoAnswer,
}

/// Rechecks every stored answer of a run. Each answer was within the limit of its run; `limit` replaces that limit.
fn check_run(global: GlobalArgs<'_>, id: Option<&str>, choice: RunChoice, limit: Option<Bytes>) -> Result<Exit> {
    let mut catalogue = load::catalogue(global)?;
    let journal = recorder::open_to_read(&catalogue)?;
    let run = journal.stored_run(journal.choose(choice)?)?;
    let _programs = programs::compile(&mut catalogue, Some(&run.problem))?;
    let problem = catalogue.find(&run.problem)?;
    id.map_or(Ok(()), |id| entrants::check_problem(&run, id))?;
    refuse_interactive(problem)?;
    let (inputs, checker) = (Inputs::of(problem), ProblemChecker::of(problem));
    let columns = [left("case"), left("solver").spare(1), left("recorded").wrapped(), left("today").wrapped()];
    let mut table = TextTable::of(columns);
    let (mut same, mut differ, mut impossible) = (0, 0, 0);
    for case in run.cases.iter() {
        // The input is made again. A changed one is an error.
        let prepared = answers::input(&inputs, &case)
            .and_then(|input| checker.prepare(&input, Some(&case.spec.source)).map_err(|error| error_chain(&error)));
        for (entrant, stored) in run.entrants.iter().zip(&case.results) {
            let Some(stored) = stored else { continue };
            let (count, today) = match recheck(&journal, &prepared, stored, limit)? {
                Recheck::NoAnswer => continue,
                Recheck::Same => (&mut same, None),
                Recheck::Differs(today) => (&mut differ, Some(today)),
                Recheck::Impossible(why) => (&mut impossible, Some(format!("cannot be checked: {why}"))),
            };
            *count += 1;
            if let Some(today) = today {
                table.add_row([case.spec.name.to_string(), entrant.name.clone(), recorded(stored), today]);
            }
        }
    }
    if !table.is_empty() {
        judge_report::print(&table.text(Style::of_stdout()))?;
    }
    judge_report::print(&format!(
        "run {}: {} as recorded, {differ} differ, {impossible} cannot be checked",
        run.id,
        counted(same, "answer")
    ))?;
    Ok(if differ + impossible == 0 { Exit::Success } else { Exit::NotAccepted })
}

/// Rechecks a stored answer to a case.
fn recheck(
    journal: &Journal,
    prepared: &Result<PreparedCase, String>,
    stored: &StoredOutcome,
    limit: Option<Bytes>,
) -> Result<Recheck> {
    let verdict = stored.outcome.verdict;
    let Some(answer) = stored.answer.map(|id| journal.answer(id)).transpose()?.flatten() else {
        return Ok(match verdict {
            Verdict::Accepted | Verdict::WrongAnswer => {
                Recheck::Impossible("its answer is no longer stored".to_owned())
            }
            _ => Recheck::NoAnswer,
        });
    };
    let case = match prepared {
        Ok(case) => case,
        Err(why) => return Ok(Recheck::Impossible(why.clone())),
    };
    let ruling = match limit {
        Some(limit) if answer.len() as u64 > limit.0 => Ok(too_long(limit)),
        _ => case.check(&answer),
    };
    Ok(match ruling {
        // The answer of the last pass is stored, and the checker takes it for the first one.
        Ok(Ruling::Rejected(_)) if case.passes() > 1 => {
            Recheck::Impossible("of several passes, only the last answer is stored".to_owned())
        }
        Ok(ruling) if is_as_recorded(&ruling, &stored.outcome) => Recheck::Same,
        Ok(ruling) => Recheck::Differs(today(&ruling)),
        Err(error) => Recheck::Impossible(error_chain(&error)),
    })
}

/// Two rejections count as the same decision even if their reasons differ, because a checker may change its messages.
fn is_as_recorded(ruling: &Ruling, outcome: &Outcome) -> bool {
    match ruling {
        Ruling::Accepted(score) => outcome.score.as_ref() == Some(score),
        Ruling::Rejected(_) => outcome.verdict == Verdict::WrongAnswer,
    }
}

fn today(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Rejected(rejection) if !rejection.broken.has_place() => format!("rejected: {rejection}"),
        ruling => ruling.to_string(),
    }
}

fn recorded(stored: &StoredOutcome) -> String {
    match &stored.outcome.score {
        Some(score) => format!("accepted {score}"),
        None => format!("{}: {}", stored.outcome.verdict, stored.outcome.note),
    }
}
