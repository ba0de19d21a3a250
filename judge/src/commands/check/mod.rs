//! `judge check`: checks an answer, without running anything.

mod run;

use crate::cases::Inputs;
use crate::cli::CheckArgs;
use crate::model::{Exit, Problem, Ruling};
use crate::report::{self, Align, Style, grid};
use crate::workflow::answer::{admit, exit, refuse_interactive, text};
use crate::workflow::failure::Failure;
use crate::workflow::load;
use run::check_run;
use std::path::{Path, PathBuf};

/// Checks one answer, or all answers of a folder.
pub(super) fn check(catalogue: Option<&Path>, args: &CheckArgs) -> Result<Exit, Failure> {
    if let Some(run) = args.run {
        return check_run(catalogue, run);
    }
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(args.problem.as_deref().unwrap_or_default())?;
    refuse_interactive(problem)?;
    match (&args.dir, &args.output) {
        (Some(folder), _) => check_folder(problem, folder),
        (None, Some(output)) => check_one(problem, args, output),
        (None, None) => Err(Failure::usage("there is no answer to check").with_hint("name its file with --output")),
    }
}

fn check_one(problem: &Problem, args: &CheckArgs, output: &Path) -> Result<Exit, Failure> {
    if args.input.as_deref() == Some(Path::new("-")) && output == Path::new("-") {
        return Err(Failure::usage("the input and the answer cannot both come from standard input"));
    }
    let (input, name) = match (&args.input, args.seed) {
        (Some(path), _) => (load::bytes("the input", path)?, path.display().to_string()),
        (None, seed) => {
            let seed = seed.unwrap_or_default();
            (Inputs::of(problem).generate(seed)?, format!("seed {seed}"))
        }
    };
    let answer = load::bytes("the answer", output)?;
    let ruling = rule(problem, &input, &name, &answer)?;
    report::print(&text(&ruling))?;
    Ok(exit(&ruling))
}

fn rule(problem: &Problem, input: &[u8], name: &str, answer: &[u8]) -> Result<Ruling, Failure> {
    Ok(admit(problem, input, name)?.rule(answer)?)
}

fn check_folder(problem: &Problem, folder: &Path) -> Result<Exit, Failure> {
    let mut table =
        grid(&[("case", Align::Left), ("score", Align::Right), ("ruling", Align::Left)], Style::of_stdout());
    let mut worst = Exit::Success;
    let pairs = pairs(folder)?;
    for (input, output) in &pairs {
        let name = input.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let input_bytes = load::bytes("the input", input)?;
        if !output.exists() {
            worst = Exit::NotAccepted;
            table.add_row([name, "–".to_owned(), format!("no answer: {} is missing", output.display())]);
            continue;
        }
        let ruling = rule(problem, &input_bytes, &input.display().to_string(), &load::bytes("the answer", output)?)?;
        let row = match &ruling {
            Ruling::Accepted(score) => [name, score.to_string(), "accepted".to_owned()],
            Ruling::Rejected { .. } => [name, "–".to_owned(), text(&ruling)],
        };
        if exit(&ruling) != Exit::Success {
            worst = Exit::NotAccepted;
        }
        table.add_row(row);
    }
    report::print(&table.trim_fmt())?;
    Ok(worst)
}

/// Returns every NAME.in of a folder with its NAME.out, by name.
fn pairs(folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let unreadable = |error| Failure::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let inputs =
        entries.into_iter().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "in"));
    let mut pairs: Vec<_> = inputs.map(|input| (input.clone(), input.with_extension("out"))).collect();
    pairs.sort();
    if pairs.is_empty() {
        return Err(Failure::usage(format!("there is no NAME.in in {}", folder.display())));
    }
    Ok(pairs)
}
